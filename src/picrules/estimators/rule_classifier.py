"""What all estimators share: reading tables, and rules held against rows."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from picrules.encoding.columns import Column, read_arrays, read_columns
from picrules.encoding.lazy import is_lazy
from picrules.encoding.row import check_row, to_rows
from picrules.encoding.tables import (
    MAX_ROWS,
    check_same_columns,
    check_table,
    has_text_names,
    index_of,
    is_frame,
)
from picrules.errors import BadParameter, BadTable
from picrules.estimators import parameters
from picrules.estimators.costs import check_cost_matrix
from picrules.estimators.progress import show_progress
from picrules.estimators.target import encode_target, read_truth, split_target
from picrules.estimators.weights import check_sample_weight, read_weighted
from picrules.explain.chance.significance import Significance, check_chance
from picrules.explain.chance.stability import Stabilities, check_stability
from picrules.explain.changes.limits import check_limits
from picrules.explain.changes.search import ChangeSearch
from picrules.explain.changes.what_if import WhatIf, ask_what_if, merge_changes
from picrules.explain.compact import CompactRules, compact_rules
from picrules.explain.explanations import Explanations
from picrules.explain.importances import Importances, Judged, measure_importances
from picrules.model.model import Model

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from picrules.encoding.schema import Schema
    from picrules.engines.plan import Plan
    from picrules.estimators.fitted import Fitted
    from picrules.estimators.sources import Source
    from picrules.explain.changes.change import Changes
    from picrules.explain.explanation import Explanation
    from picrules.explain.silent import Cells
    from picrules.model.searcher import Searcher
    from picrules.rules.rule import Rule


def _is_ours(name: str, value: object) -> bool:
    """Whether an attribute holds something that only this library knows."""
    is_private = name in ("_learned", "_read_training")
    return is_private or type(value).__module__.startswith("picrules.")


class RuleClassifier(ClassifierMixin, BaseEstimator):
    """Classify each row by a single rule that covers it."""

    engine: str
    memory_limit: float | None
    n_jobs: int | None
    verbose: int
    classes_: NDArray[Any]
    class_sizes_: NDArray[np.int64]
    schema_: Schema
    plan_: Plan
    engine_: str

    _learned: tuple[Fitted, Model]
    # Reads the training rows, where they still lie in a model file.
    _read_training: Callable[[], None] | None = None

    @property
    def _fitted(self) -> Fitted:
        return self._with_rows()[0]

    @property
    def _model(self) -> Model:
        return self._with_rows()[1]

    def _with_rows(self) -> tuple[Fitted, Model]:
        """Return what was learned, with the training rows there."""
        if self._read_training is not None:
            self._read_training()
            self._read_training = None
        return self._learned

    # Pickle and its like write what was learned as a model file: it is checked when it is read, and
    # readers that trust no other types than the estimators can read it.

    def __getstate__(self) -> dict[str, Any]:
        from picrules.persist.save import to_array  # noqa: PLC0415

        state: dict[str, Any] = super().__getstate__()
        file = to_array(self) if hasattr(self, "_learned") else None
        if file is None:
            return state
        plain = {name: value for name, value in state.items() if not _is_ours(name, value)}
        return plain | {"_file": file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        from picrules.persist.load import from_array  # noqa: PLC0415

        file = state.get("_file")
        super().__setstate__({name: value for name, value in state.items() if name != "_file"})
        if file is not None:
            loaded = from_array(file)
            settings = loaded.get_params(deep=False)
            for name, value in vars(loaded).items():
                if name not in settings:
                    setattr(self, name, value)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the conditions and keep the training rows; settings to choose are chosen.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features), or lazy frame
            Training rows. None, NaN, NaT and NA are missing. A lazy frame is one of Polars, DuckDB,
            Ibis, Dask or Spark.
        y : array of shape (n_rows,) or str
            The class of each row, or the name of the column of X that has it; for a lazy frame
            the name.
        sample_weight : array of shape (n_rows,) or None, default=None
            How often each row occurs, in whole numbers from 0: the model is the one that the
            repeated rows give. None for once each.

        Returns
        -------
        RuleClassifier
            The fitted estimator itself.
        """
        if is_lazy(X):
            # Adapters lie above what they serve: docs/decisions/layers.md
            from picrules.distributed.fitting import fit_lazily  # noqa: PLC0415

            fit_lazily(self, X, y, sample_weight)
            return self
        X, y = split_target(X, y)
        X = check_table(X)
        classes, labels = encode_target(y, len(X))
        times = check_sample_weight(sample_weight, len(X))
        if times is None:
            columns = read_columns(X)
        else:
            columns, classes, labels = read_weighted(X, classes, labels, times)
        fitted, searcher = self._learn(columns, classes, labels)
        # Nothing is set before everything is known to be right: a failed fit changes nothing.
        validate_data(self, X, skip_check_array=True)
        self._set_fitted(fitted, searcher)
        return self

    @abstractmethod
    def _learn(
        self, columns: list[Column], classes: NDArray[Any], labels: NDArray[np.int64]
    ) -> tuple[Fitted, Searcher]:
        """Check the parameters and learn from training rows; the estimator stays as it is."""

    @abstractmethod
    def _learn_from(self, source: Source) -> tuple[Fitted, Searcher]:
        """Check the parameters and learn from rows that are not one table in memory."""

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table; or a dict with the cells of one row by
            column name, or a list of such dicts. None is missing.

        Returns
        -------
        array of shape (n_rows,)
            The class of each row's rule. For a lazy frame X, also from the other methods that
            answer rows, a lazy frame of the same kind: its columns that the model does not use,
            then `prediction`.
        """
        if is_lazy(X):
            return cast("NDArray[Any]", self._answer_lazily(X, "predict"))
        with self._ask(X) as (model, codes, report):
            labels, _ = model.predict(codes, report)
        return self.classes_[labels]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table; or a dict with the cells of one row by
            column name, or a list of such dicts. None is missing.

        Returns
        -------
        array of shape (n_rows, n_classes)
            The highest is that of the predicted class, unless `PersonalRuleClassifier` weighs
            classes, is to have the best balanced accuracy, or knows what errors cost. There it
            tells how often leave-one-out predictions with such a lead were right, and the rest is
            shared out by which classes were mistaken for it; in PIC and fPIC all are smoothed
            shares of the classes in the cover of the row's rule. For a lazy frame a column
            `probability_` of each class.
        """
        if is_lazy(X):
            return cast("NDArray[np.float64]", self._answer_lazily(X, "predict_proba"))
        with self._ask(X) as (model, codes, report):
            return model.probabilities(codes, report)

    def _answer_lazily(self, X: Any, what: str) -> Any:
        """Return a lazy frame with the predictions or the probabilities of the rows of one."""
        from picrules.distributed.answers import predict_lazily  # noqa: PLC0415  (as in `fit`)

        self._check_fitted()
        return predict_lazily(self, X, what)

    def explain(
        self,
        X: Any,
        *,
        top: int = 0,
        max_overlap: float = 1.0,
        trace: bool = False,
        simplify: float | None = None,
    ) -> Explanations:
        """Return the prediction of each row with its rule.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table; or a dict with the cells of one row by
            column name, or a list of such dicts. None is missing.
        top : int
            How many of the best rules, whatever their class, each explanation lists in `top`.
        max_overlap : float
            From 0 to 1: two of these rules may cover the same rows to at most this share of
            the rows that either covers. 1 lets any two different rules stand.
        trace : bool
            Whether each explanation tells in `trace` how the search went.
        simplify : float or None
            How much precision may be given for a shorter rule: with 0.02 each rule is replaced
            by its shortest part whose precision is lower by at most 0.02. Predictions stay as they
            are. None and 0 leave rules as they are.

        Returns
        -------
        sequence of Explanation
            One explanation per row; what is asked for beside the rule is found when it is
            looked at. For a lazy frame it has `to_frame()` alone.
        """
        details = parameters.check_details(top, max_overlap, trace, simplify)
        self._check_fitted()
        if is_lazy(X):
            from picrules.distributed.answers import explain_lazily  # noqa: PLC0415  (as in `fit`)

            return cast("Explanations", explain_lazily(self, X, details))
        codes, cells = self._encode(X)
        with self._show_progress(codes.shape[1], "rows") as report:
            model = self._ready_model
            index = None if isinstance(X, dict) else index_of(X)
            return Explanations.of(model, codes, report, details, index, cells)

    def answer(self, row: Any) -> Explanation:
        """Return the prediction of one row with its rule: the quick way for a program.

        Parameters
        ----------
        row : dict, or table of one row
            The cells by column name, one for each column of the training table; None is missing.

        Returns
        -------
        Explanation
            The same as `explain(row)[0]`.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [[20, "a"], [30, "a"], [50, "b"], [60, "a"]]
        >>> clf = FPICClassifier(bins=2).fit(X, ["no", "no", "yes", "yes"])
        >>> answer = clf.answer({"x0": 55, "x1": None})
        >>> answer.prediction, str(answer.rule)
        ('yes', 'if x0 > 40 then yes')
        """
        explanations = self.explain(row)
        if len(explanations) != 1:
            raise BadTable(f"row has {len(explanations)} rows; explain(X) answers several")
        return explanations[0]

    def _set_fitted(self, fitted: Fitted, searcher: Searcher) -> None:
        """Set the attributes that tell what was learned: all at once, so that none is left out."""
        self.__dict__.update(self._tell_fitted(fitted, searcher))

    def _tell_fitted(self, fitted: Fitted, searcher: Searcher) -> dict[str, Any]:
        """Return the attributes that tell what was learned."""
        n_threads = parameters.check_n_jobs(self.n_jobs)
        members = fitted.make_members(searcher)
        n_rows = fitted.training.n_rows
        search = fitted.search
        if search.alike is not None:  # an engine is only needed for lists of other rules
            search = replace(search, alike=None, max_length=min(search.max_length, 2))
        plan = members[0].source.searcher.plan(search, n_rows, n_threads)
        model = Model(
            fitted.classes.tolist(), fitted.conditions, fitted.training, members,
            fitted.class_offset, fitted.calibration,
        )  # fmt: skip
        return {
            "classes_": fitted.classes,
            "class_sizes_": fitted.training.class_sizes,
            "schema_": fitted.conditions.schema,
            "plan_": plan,
            "engine_": plan.engine,
            "_learned": (fitted, model),
            "_read_training": None,
        }

    def _check_fitted(self) -> None:
        """Raise scikit-learn's error, which looks at all attributes, if nothing was learned."""
        if not hasattr(self, "_learned"):
            check_is_fitted(self)

    @contextmanager
    def _ask(
        self, X: Any, n_steps: int | None = None, unit: str = "rows"
    ) -> Iterator[tuple[Model, NDArray[np.int32], Callable[[float], None] | None]]:
        """Give the model, the codes of rows, and what to tell the progress to; show it meanwhile.

        Rows may be a table, a row by column name, or a list of such rows.
        """
        self._check_fitted()  # first, so that an estimator that is not fitted says so
        codes, _ = self._encode(X)
        with self._show_progress(n_steps or codes.shape[1], unit) as report:
            yield self._ready_model, codes, report

    def _encode(self, X: Any) -> tuple[NDArray[np.int32], Cells]:
        """Return the codes of rows, and their cells: columns, or the rows by column name."""
        rows = to_rows(X)
        if rows is not None:
            return self._model.row_coder.encode(rows), rows
        columns = self._read_rows(X)
        return self._model.encode(columns), columns

    @property
    def _ready_model(self) -> Model:
        """The model, with the threads and the costs that are asked for now."""
        costs = check_cost_matrix(getattr(self, "cost_matrix", None), self.classes_)
        return self._model.on_threads(parameters.check_n_jobs(self.n_jobs), costs)

    @contextmanager
    def _show_progress(self, n_steps: int, unit: str) -> Iterator[Callable[[float], None] | None]:
        """Show the progress of some steps, if that is asked for."""
        is_shown = parameters.check_verbose(self.verbose)
        with show_progress(n_steps, unit, is_shown=is_shown) as report:
            yield report

    def cover(self, rule: Rule, X: Any) -> NDArray[np.bool_]:
        """Tell which rows of a table satisfy all conditions of a rule.

        Parameters
        ----------
        rule : Rule
            A rule on the features of the training table.
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.

        Returns
        -------
        array of shape (n_rows,)
            True where the rule covers the row.
        """
        columns = self._read_rows(X)
        rule = self.schema_.check_rule(rule)
        return rule.covers(self.schema_.read(columns), len(columns[0]))

    def what_if(self, row: Any, changes: Any = None, /, **values: Any) -> WhatIf:
        """Tell what the prediction for a row would be if some of its values were others.

        Parameters
        ----------
        row : table of one row, dict, pandas Series, or list of cells
            A dict or Series has the column names; a list or array has the column order.
        changes : dict or None, default=None
            New values by column name, for names that are no Python words; None is missing.
        **values : object
            New values by column name: `what_if(row, age=50)`.

        Returns
        -------
        WhatIf
            The explanations before and after.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [[20, "a"], [30, "a"], [50, "b"], [60, "a"]]
        >>> clf = FPICClassifier(bins=2).fit(X, ["no", "no", "yes", "yes"])
        >>> print(clf.what_if([35, "a"], x0=55))
        With x0 = 55 instead of 35, the prediction changes from no to yes.
          Before: no, because x0 <= 40 (2 of 2 training rows like this).
          After: yes, because x0 > 40 (2 of 2 training rows like this).
        """
        columns = self._read_row(row)
        with self._show_progress(2, "rows") as report:
            return ask_what_if(self._ready_model, columns, merge_changes(changes, values), report)

    def smallest_changes(
        self,
        row: Any,
        max_changes: int = 3,
        fixed: Any = (),
        costs: Any = None,
        ranges: Any = None,
        to: Any = None,
        top: int | None = 5,
        max_rows: int = 1_000_000,
        *,
        one_each: bool = True,
        min_confidence: float | None = None,
    ) -> Changes:
        """Find the smallest changes of a row that change its predicted class.

        All changes of one feature are tried, then all of two, then all of three, over
        everything that the model can tell apart. A missing value may be filled in; nothing is
        changed into missing. No part of a change is itself enough.

        Parameters
        ----------
        row : table of one row, dict, pandas Series, or list of cells
            As in `what_if`.
        max_changes : int, default=3
            Up to how many features change together: 1, 2 or 3.
        fixed : list of str, default=()
            Columns that may not change.
        costs : dict or None, default=None
            Positive weights by column name; the cost of changing the column is multiplied by
            it. A cost without weight is the distance as in `Evidence`.
        ranges : dict or None, default=None
            The lowest and the highest new value by column name, None for an open end; for
            categories a list of those that are accepted.
        to : class or None, default=None
            The class that is asked for; None for any other than now.
        top : int or None, default=5
            How many changes are given; None for all.
        max_rows : int, default=1_000_000
            How many changed rows are predicted at most. When they do not suffice the result's
            `is_complete` is False, and its text says what was not tried.
        one_each : bool, default=True
            Whether only the cheapest change of each set of features is given: the nearest
            part of the range that is enough, and not all parts beyond it.
        min_confidence : float or None, default=None
            The least confidence of the new prediction, from 0 to 1, where the estimator knows
            it; None for any. With `to`, a row that has this class already but is less sure of it
            is changed until it is sure enough.

        Returns
        -------
        sequence of Change
            Fewer features first, then lower costs, then the order of the columns.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [[20, "a"], [30, "a"], [50, "b"], [60, "a"]]
        >>> clf = FPICClassifier(bins=2).fit(X, ["no", "no", "yes", "yes"])
        >>> print(clf.smallest_changes([35, "a"]))
        Now no, because x0 <= 40 (2 of 2 training rows like this).
          1. x0 > 40 (now 35; say 41): yes, because x0 > 40 (2 of 2 training rows like this).
        No other change of up to three features is enough.
        """
        columns = self._read_row(row)
        limits = check_limits(
            self._model, max_changes, fixed, costs, ranges, to, top, max_rows, one_each,
            min_confidence,
        )  # fmt: skip
        search = ChangeSearch(self._ready_model, columns, limits)
        with self._show_progress(search.n_steps, "changes") as report:
            return search.run(report)

    def significance(
        self, X: Any, n_permutations: int = 200, random_state: int = 0
    ) -> Significance:
        """Check how often chance alone gives each row a rule as good as the one it has.

        A rule is picked as the best of many, so its plain p-value flatters it. Here the
        training labels are shuffled and each row is asked again, so the p-value counts the
        search. Settings, cuts and class offsets are held fixed; where they were tuned on the
        real labels, the p-value is a little too small. Ask about new rows: a training row
        has its own label in the cover of its rule.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.
        n_permutations : int, default=200
            How often the labels are shuffled; the smallest p-value is
            `1 / (1 + n_permutations)`.
        random_state : int, default=0
            Seed of the shuffles, from 0; the order of the training rows does not matter.

        Returns
        -------
        Significance
            A sequence with one entry per row: `p_value`, `adjusted` (Benjamini-Hochberg over the
            rows of X) and `fisher_p_value`, which ignores the search. A row that no rule
            covers has the p-value 1.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]] * 10
        >>> clf = FPICClassifier().fit(X, [1, 1, 0, 0] * 10)
        >>> print(clf.significance([["a", "u"]], n_permutations=99)[0])
        1, because x0 = a.
          p-value 0.0100: 0 of 99 shuffles of the training labels give this row a rule as good.
          Fisher's p-value 7.3e-12 ignores the search: the rule as given, not as the best of many.
        """
        count = parameters.check_whole(n_permutations, "n_permutations", 1, MAX_ROWS)
        seed = parameters.check_whole(random_state, "random_state", 0, MAX_ROWS)
        with self._ask(X, count, "permutations") as (model, codes, report):
            return check_chance(model, codes, count, seed, report, index_of(X))

    def stability(self, X: Any, n_resamples: int = 100, random_state: int = 0) -> Stabilities:
        """Check what becomes of each row's class and rule when the training rows are drawn again.

        Each resample has as many rows as there are training rows, drawn with replacement.
        Conditions, settings and class offsets are held fixed.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.
        n_resamples : int, default=100
            How many resamples.
        random_state : int, default=0
            Seed of the draws, from 0; the order of the training rows does not matter.

        Returns
        -------
        sequence of Stability
            One per row: `class_share` and `rule_share`, the shares of the resamples in which the
            row keeps its class and exactly its rule; `rules` and `classes`, what they turn into.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]] * 10
        >>> clf = FPICClassifier().fit(X, [1, 1, 0, 0] * 10)
        >>> print(clf.stability([["a", "u"]])[0])
        if x0 = a then 1
          1 in 100% of 100 resamples of the training rows,
          by exactly this rule in 100%.
        """
        count = parameters.check_whole(n_resamples, "n_resamples", 1, MAX_ROWS)
        seed = parameters.check_whole(random_state, "random_state", 0, MAX_ROWS)
        with self._ask(X, count, "resamples") as (model, codes, report):
            return check_stability(model, codes, count, seed, report, index_of(X))

    def importances(self, X: Any = None, y: Any = None, max_rows: int = 5000) -> Importances:
        """Tell what is lost without each feature, and how often rules use it.

        Every judged row is asked again with the value of the feature missing, while all training
        rows still count: exactly what the model would say about a row of which this is not known.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows to judge; None for training rows, each judged by the others, which
            `PersonalRuleClassifier` can do.
        y : array of shape (n_rows,)
            Their classes.
        max_rows : int, default=5000
            The most training rows to judge; of more, as many evenly over all.

        Returns
        -------
        Importances
            For each column the loss of accuracy with its standard error, the share of rows whose
            class changes, and the share whose rule uses it. With `class_weight`, rows weigh as it
            says.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]] * 10
        >>> y = [1, 1, 0, 0] * 10
        >>> print(FPICClassifier().fit(X, y).importances(X, y))
        40 rows: accuracy 100%
           lost without it  changed    used  feature
          50.00% +- 7.91%    50.0%    100%  x0
           0.00% +- 0.00%       0%      0%  x1
        """
        check_is_fitted(self)
        n_most = parameters.check_whole(max_rows, "max_rows", 1, MAX_ROWS)
        judged = self._judge_training(n_most) if X is None and y is None else self._judge(X, y)
        weights = self._fitted.class_weights
        with self._show_progress(len(judged.codes), "features") as report:
            return measure_importances(judged, weights, report)

    def compact_rules(self, X: Any, y: Any = None, max_rules: int = 20) -> CompactRules:
        """Choose a few of the rules in use that answer most rows as the model does.

        Parameters
        ----------
        X : array, pandas, Polars or PyArrow table of shape (n_rows, n_features)
            Rows with the columns of the training table.
        y : array of shape (n_rows,), default=None
            Their classes, where known: then it is told what the accuracy loses.
        max_rules : int, default=20
            The most rules, beside the class for all other rows.

        Returns
        -------
        CompactRules
            A decision list: the first rule that covers a row answers it. It can predict, and be
            written as SQL.

        Examples
        --------
        >>> from picrules import FPICClassifier
        >>> X = [["a", "u"], ["a", "v"], ["b", "u"], ["b", "v"]] * 10
        >>> y = [1, 1, 0, 0] * 10
        >>> print(FPICClassifier().fit(X, y).compact_rules(X, y, max_rules=1))
        1 of 2 rules, and a class for the rest, answer 100% of 40 rows as the model does.
        Accuracy 100% instead of 100%.
           rows   alike  rule
             20    100%  if x0 = a then 1
             20    100%  else 0
        """
        most = parameters.check_whole(max_rules, "max_rules", 1, MAX_ROWS)
        explanations = self.explain(X)
        truth = None if y is None else read_truth(self.classes_, y, len(explanations))[0]
        return compact_rules(explanations, truth, most)

    def _judge(self, X: Any, y: Any) -> Judged:
        if X is None or y is None:
            given, absent = ("X", "y") if y is None else ("y", "X")
            raise BadParameter(f"{given} was given without {absent}; both or none are accepted")
        model = self._ready_model
        codes = model.encode(self._read_rows(X))
        labels, _ = read_truth(self.classes_, y, codes.shape[1])
        return Judged(model, codes, labels, is_left_out=False)

    def _judge_training(self, max_rows: int) -> Judged:
        raise BadParameter(
            f"X and y are None, and {type(self).__name__} has no leave-one-out, of {max_rows} rows "
            "or fewer; rows and their classes are accepted"
        )

    def save(self, path: str | os.PathLike[str], *, keep_order: bool = False) -> None:
        """Write the fitted estimator to a model file; `picrules.load` reads it.

        The file is written beside the path and renamed when it is complete. The same model, of
        training rows in whatever order, gives the same bytes.

        Parameters
        ----------
        path : str or path
            Where to write; the usual ending is `.pic`.
        keep_order : bool, default=False
            Whether to write where each row stood in the training table, as pickle does. Without
            it, `evidence` of the loaded model counts the rows by what they hold.
        """
        # The file format knows the estimators, so it lies above them: docs/decisions/model-files.md
        from picrules.persist.save import save  # noqa: PLC0415

        check_is_fitted(self)
        save(self, path, keep_order=keep_order)

    def _read_rows(self, X: Any) -> list[Column]:
        """Read a table that must have the columns of the training table."""
        check_is_fitted(self)
        X = check_table(X, may_be_empty=True)
        if not (hasattr(self, "feature_names_in_") and has_text_names(X)):
            # Names that scikit-learn does not check: it knows texts only.
            check_same_columns(X, [feature.name for feature in self.schema_.features])
        validate_data(self, X, reset=False, skip_check_array=True)
        return read_columns(X)

    def _read_row(self, row: Any) -> list[Column]:
        """Read one row; without column names its cells must be in their order."""
        check_is_fitted(self)
        names = [feature.name for feature in self.schema_.features]
        X = check_row(row, names)
        return self._read_rows(X) if is_frame(X) else read_arrays(names, X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        # `input_tags.string` would promise that any object is a category; unhashable ones are not.
        return tags
