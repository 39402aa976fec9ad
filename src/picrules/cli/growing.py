"""Add the rows of a file to a model file, or take them away: all of them or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from picrules.cli import output
from picrules.errors import BadDataFile
from picrules.rules.text import format_name, list_names, plural, show

if TYPE_CHECKING:
    from picrules.cli import options


def grow(
    model: str,
    data: list[str],
    target: str,
    reading: options.Reading,
    method: str,
    *,
    as_json: bool,
) -> None:
    """Call a method of a model with the rows of a file, and write the model file anew.

    The file is replaced when the new one is complete; before that it is as it was.
    """
    from picrules.cli.model_rows import ModelRows
    from picrules.cli.tables.source import open_source
    from picrules.estimators.growing import NotAmong

    with open_source(data, reading) as source:
        rows = ModelRows(model, source, None, target)
        table, X, y = rows.whole()
        rows.check_all_kept(table, X)
        n_before, before = int(rows.clf.class_sizes_.sum()), rows.clf.classes_.tolist()
        try:
            getattr(rows.clf, method)(X, y)
        except NotAmong as error:
            raise BadDataFile(error.tell(source.where(error.row + 1))) from None
    rows.clf.save(model)
    classes = output.list_classes(rows.clf)
    new = [one["class"] for one in classes if one["class"] not in before]
    if new:
        output.tell(
            f"Note: the model did not know of {list_names(list(map(show, new)))} as "
            f"{'a class' if len(new) == 1 else 'classes'}; 'picrules forget' takes the rows away "
            "again."
        )
    content = {
        "model": model,
        "rows_before": n_before,
        "rows": int(rows.clf.class_sizes_.sum()),
        "new_classes": new,
        "classes": classes,
    }
    output.show(content, _to_lines, as_json=as_json)


def _to_lines(content: dict[str, Any]) -> list[str]:
    shown = [f"{format_name(str(one['class']))} ({one['rows']:,})" for one in content["classes"]]
    return [
        f"Model    {content['model']}",
        f"Rows     {plural(content['rows'], 'row')}; {content['rows_before']:,} before",
        f"Classes  {list_names(shown)}",
    ]
