"""A small model and table to serve."""

from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from picrules import PersonalRuleClassifier
from picrules.cli.options import Reading
from picrules.web.files import Files
from tests.reports.tables import doubtful, people

N_KNOWN = 90


@cache
def learned():
    """A model of some people, and the others with their classes."""
    X, y = people()
    clf = PersonalRuleClassifier(cuts=4, max_length=2, look_alikes=False)
    clf.fit(X[:N_KNOWN], y[:N_KNOWN])
    return clf, doubtful(X[N_KNOWN:]).reset_index(drop=True), y[N_KNOWN:]


def write(folder):
    """Write the model and the others to files."""
    clf, new, y = learned()
    clf.save(folder / "people.pic", keep_order=True)
    table = new.assign(day=new["day"].dt.strftime("%Y-%m-%d"))
    table.assign(known=y).to_csv(folder / "new.csv", index=False)
    return Files(folder / "people.pic", str(folder / "new.csv"), "known", Reading())


@cache
def served():
    """What is served in most tests."""
    return write(Path(mkdtemp(prefix="picrules-test-"))).open()


def rows():
    """The rows of the table as JSON has them."""
    room = served()
    return [room.to_row(room.cells_of(number)) for number in range(1, room.n_rows + 1)]
