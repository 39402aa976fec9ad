"""DuckDB: relations of the connection that is there without asking, as of any other."""

import duckdb
import pyarrow as pa

from picrules import FPICClassifier


def test_relations_of_the_default_connection_are_answered():
    """It took no names of types where other connections do, so `duckdb.sql(...)` had no answers."""
    table = pa.table({"size": [1.0, 2.0, None] * 8, "row": range(24)})
    clf = FPICClassifier().fit(table.select(["size"]), ["small", "large", "large"] * 8)
    told = clf.explain(duckdb.from_arrow(table)).to_frame().to_arrow_table()
    assert told["row"].to_pylist() == list(range(24))
    assert told["prediction"].to_pylist() == clf.predict(table.select(["size"])).tolist()
