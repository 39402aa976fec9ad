# Every target sets up what it needs in .venv; nothing but Python 3.11 and make is expected.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: help demo test properties interop clusters versions cover check format wheel bench clean

help:  ## print this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 10

.venv/run: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[examples]'
	@touch $@

.venv/test: .venv/run
	$(BIN)/python -m pip install --quiet --editable '.[test]'
	@touch $@

.venv/dev: .venv/test
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

# Spark needs Java 17.
.venv/lazy: .venv/test
	$(BIN)/python -m pip install --quiet --editable '.[dask,duckdb,ibis,spark]'
	@touch $@

demo: .venv/run  ## diagnose breast tumours, one rule each
	$(BIN)/python examples/breast_cancer.py

test: .venv/test  ## run all tests, compiled, property tests with four times as many examples
	$(BIN)/python -m pytest -q -n 2

properties: .venv/lazy  ## any way of adding, forgetting, weighing and counting rows, 1,000 examples each
	HYPOTHESIS_PROFILE=many $(BIN)/python -m pytest -q -n 2 tests/engines/test_multiset.py \
		tests/persist/test_multiset.py tests/estimators/test_growing.py \
		tests/estimators/test_growing_personal.py tests/estimators/test_weights.py \
		tests/engines/test_kept_counts.py tests/estimators/test_keep_rows.py \
		tests/estimators/test_keep_rows_personal.py tests/distributed/test_same_file.py

# Beside the tests of `make test`: what is asked for here is large, and none of it is needed to work.
interop: .venv/test  ## keep and use models by skops, MLflow, MAPIE, fairlearn and imbalanced-learn
	$(BIN)/python -m pip install --quiet --editable '.[interop]'
	$(BIN)/python -c "import fairlearn, imblearn, mapie, mlflow, skops"
	$(BIN)/python -m pytest -q tests/interop

clusters: .venv/lazy  ## fit and ask lazy frames of Polars, DuckDB, Ibis, Dask and Spark; kill workers
	$(BIN)/python -c "import dask.dataframe, distributed, duckdb, ibis, polars, pyspark"
	$(BIN)/python -m pytest -q tests/distributed

# ONLY="3.13 lowest" chooses; PYTHON313=/path/to/python names an interpreter that is not on PATH.
versions:  ## run the quick tests on Python 3.11 to 3.13, and on the lowest versions declared
	$(PYTHON) .ci/versions.py $(ONLY)

# Coverage cannot see into compiled functions, so the tests of the kernels and engines run as plain
# Python first, which is too slow for the others, and for those that fit estimators.
cover: .venv/test  ## run all tests, the kernels without the JIT too, and measure coverage
	NUMBA_DISABLE_JIT=1 HYPOTHESIS_PROFILE=few $(BIN)/python -m pytest -q -n 2 -m "not slow" \
		tests/kernels tests/engines tests/model tests/scoring --cov=picrules --cov-report= \
		--ignore=tests/model/test_costs.py --ignore=tests/model/test_silence.py
	HYPOTHESIS_PROFILE=ci $(BIN)/python -m pytest -q -n 2 --cov=picrules --cov-append \
		--cov-report=term-missing:skip-covered --cov-fail-under=95

check: .venv/dev  ## format, lint, types, docstrings and spelling
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/python .ci/docstrings.py

format: .venv/dev  ## format the code and mend what lint can mend
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

wheel: .venv/dev  ## build the wheel and use it in an environment of its own
	rm -rf dist build/smoke
	$(BIN)/python -m build --wheel --outdir dist .
	$(PYTHON) -m venv build/smoke
	build/smoke/bin/python -m pip install --quiet "$$(ls dist/*.whl)[cli,examples]"
	cd build/smoke && bin/python ../../examples/breast_cancer.py
	cd build/smoke && bin/picrules demo

bench: .venv/dev  ## measure the speed; results in benchmarks/results
	$(BIN)/python -m pip install --quiet --editable '.[bench]'
	$(BIN)/python -m benchmarks

clean:  ## remove everything that was made
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
