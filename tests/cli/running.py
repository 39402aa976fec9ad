"""Run the command line in this process, on small files."""

import csv
import io

from typer.testing import CliRunner

from picrules.cli.main import app

HEADER = ["id", "age", "colour", "day", "zip", "class"]


def run(*words, stdin=None, code=0, color=False):
    """Run a command; fail with all that it printed when the exit code is another one."""
    result = CliRunner().invoke(app, [str(word) for word in words], input=stdin, color=color)
    assert result.exit_code == code, (result.exit_code, result.output, result.exception)
    return result


def rows(n_rows=60):
    """Rows of text: an id, a number with gaps, a category, a date, digits that are no number."""
    made = []
    for number in range(n_rows):
        age = "" if number % 17 == 3 else str(20 + number * 7 % 50)
        colour = ["red", "green", "blue"][number * 5 % 3]
        day = f"2020-{1 + number % 12:02}-{1 + number % 28:02}"
        is_yes = (number * 7 % 50 > 20) or colour == "red"
        zip_code = f"0{1000 + number % 4}"
        made.append([f"p{number}", age, colour, day, zip_code, "yes" if is_yes else "no"])
    return made


def write_csv(path, lines=None, header=HEADER, delimiter=","):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, delimiter=delimiter, lineterminator="\n")
        writer.writerows([header, *(rows() if lines is None else lines)])
    return path


def read_csv(text):
    return list(csv.DictReader(io.StringIO(text)))


def fit(folder, *words):
    """A model file of the small table."""
    data = write_csv(folder / "known.csv")
    model = folder / "model.pic"
    options = ["--target", "class", "--ignore", "id", "--categorical", "zip", "--folds", "0"]
    run("fit", data, "-o", model, *options, *words)
    return model
