import pytest

from picrules.cli.tables.csv_files import find_delimiter


@pytest.mark.parametrize(
    ("head", "delimiter"),
    [
        ("a,b\n1,2\n", ","),
        ("a;b\n1,5;2,5\n", ";"),
        ("a\tb,c\n1\t2,3,4\n", "\t"),
        ("a|b|c\n1|2|3\n", "|"),
        ('"a;b",c\n"1;2;3",4\n', ","),
        ("name\nAda\n", ","),
        ("", ","),
        ("a;b;c\n1;2;3\n4;5", ";"),
        ("a,b;c\n1;2\n", ";"),
    ],
)
def test_the_delimiter_that_cuts_all_lines_alike_is_found(head, delimiter):
    assert find_delimiter(head) == delimiter
