"""What the pages draw, without a browser."""

import json
import threading
from dataclasses import replace

import pytest

from picrules import FPICClassifier, PersonalRuleClassifier
from picrules.rules.text import format_share
from picrules.web import desk
from picrules.web.app import make_app
from picrules.web.files import Files
from tests.web.serving import PATIENCE, asking
from tests.web.tables import learned, served, write


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


@pytest.mark.parametrize("question", ["chance", "stability"])
def test_a_longer_question_tells_how_far_it_is(question, monkeypatch):
    monkeypatch.setattr(desk, "_TELL", 0.001)
    room, is_told = replace(served()), threading.Event()

    def check(cells, n_draws):
        with room.clf._show_progress(n_draws, "steps") as report:
            report(0.25)
            assert is_told.wait(PATIENCE)
        return f"{n_draws} draws of <b>"

    monkeypatch.setattr(room, f"check_{question}", check)
    shares = []
    with (
        asking(make_app(room)) as client,
        client.stream("GET", f"/case/{question}?row=1") as response,
    ):
        for line in response.iter_lines():
            told = json.loads(line)
            shares.append(told.get("share"))
            if shares[-1] == 0.25:
                is_told.set()
    assert 0.25 in shares
    assert told == {"html": '<pre class="told"><span>200 draws of &lt;b&gt;</span></pre>'}


@pytest.mark.parametrize("make", [FPICClassifier, PersonalRuleClassifier])
def test_without_a_confidence_none_is_claimed(make, tmp_path):
    _, new, known = learned()
    files = write(tmp_path)
    make().fit(new, known).save(files.model)
    with asking(make_app(files.open())) as client:
        page = client.get("/cases").text
    name = "confidence" if make is PersonalRuleClassifier else "probability"
    assert f'<th scope="col">{name}</th>' in page
    assert f"{name.capitalize()} <select" in page


def test_a_model_without_a_table_is_described(tmp_path):
    clf, _, _ = learned()
    files = write(tmp_path)
    with asking(make_app(Files(files.model).open())) as client:
        page = client.get("/model").text
    score = format_share(clf.tuning_.chosen.score)
    assert f"By leave-one-out, its accuracy is {score}." in page
    assert "report.js" not in page  # it would look for a content that is not there


def test_a_model_of_counts_shows_cases_without_what_needs_rows(tmp_path):
    _, new, known = learned()
    files = write(tmp_path)
    clf = FPICClassifier(max_length=2, keep_rows=False).fit(new, known)
    clf.save(files.model)
    with asking(make_app(files.open())) as client:
        page = client.get("/case?row=1").text
    assert clf.explain(new[:1])[0].rule.to_english() in page.replace("&quot;", '"')
    assert "What would change" in page
    assert "Could the rule be chance?" not in page
    assert "Alternatives" not in page
