"""What the case view draws, without a browser."""

import pytest

from picrules.web.app import make_app
from picrules.web.files import Files
from tests.web.serving import asking
from tests.web.tables import learned, write


@pytest.mark.parametrize("keep_order", [True, False])
def test_training_rows_have_numbers_only_where_it_is_known_where_they_stood(keep_order, tmp_path):
    clf, new, _ = learned()
    files = write(tmp_path)
    clf.save(files.model, keep_order=keep_order)
    (explanation,) = clf.explain(new[:1])
    nearest = explanation.evidence.to_dicts(5)
    told = {
        True: "training rows: "
        + ", ".join(f"{one['row'] + 1} ({one['class']})" for one in nearest),
        False: "nearest covered rows: " + ", ".join(one["class"] for one in nearest),
    }
    with asking(make_app(Files(files.model, files.data, "known").open())) as client:
        page = client.get("/case?row=1").text
    assert told[keep_order] in page
    assert told[not keep_order] not in page
    assert ('<th scope="col">training row</th>' in page) == keep_order
