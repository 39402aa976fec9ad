"""The pages in a real browser: each view, by mouse and keyboard, light, dark and narrow."""

import json
import re
import sqlite3

import pandas as pd
import pytest
from playwright.sync_api import expect

from picrules import FPICClassifier
from picrules.web.app import make_app
from picrules.web.files import Files
from picrules.web.learning import Learner
from picrules.web.log import DecisionLog
from tests.browser import Visit, count_pages, find_barriers
from tests.reports.parsing import HOSTILE
from tests.reports.tables import people
from tests.web.serving import serving
from tests.web.tables import learned, rows, served

VIEWS = ["/cases", "/case?row=1", "/case", "/rules", "/model", "/decisions"]


@pytest.fixture(scope="module")
def log(tmp_path_factory):
    return tmp_path_factory.mktemp("log") / "log.sqlite"


@pytest.fixture(scope="module")
def address(log):
    with serving(make_app(served(), log=DecisionLog(log))) as address:
        yield address


def test_cases_can_be_searched_and_lead_to_a_case(browser, address):
    explanations = learned()[0].explain(learned()[1])
    with Visit(browser, address, "/cases") as page:
        expect(page.locator("tbody tr")).to_have_count(30)
        page.get_by_label("Outcome").select_option("wrong")
        wrong = [
            number
            for number, (one, known) in enumerate(zip(explanations, learned()[2], strict=True), 1)
            if one.prediction != known
        ]
        expect(page.locator("tbody tr")).to_have_count(len(wrong))
        shown = page.locator("tbody tr td:first-child").all_inner_texts()
        assert list(map(int, shown)) == wrong
        page.get_by_label("Sort by").select_option("unsure")
        expect(page.locator("tbody tr").first).to_be_visible()
        page.wait_for_url("**/cases?*sort=unsure*")
        page.locator("tbody a").first.click()
        page.wait_for_url("**/case?row=*")


def test_a_case_says_what_the_library_says(browser, address):
    clf, new, _ = learned()
    for row in (0, 1, 2, 7):
        (explanation,) = clf.explain(new.iloc[[row]])
        with Visit(browser, address, f"/case?row={row + 1}") as page:
            text = page.locator("#answer").inner_text()
            assert explanation.rule.to_english() in text
            for condition in explanation.rule.conditions:
                assert str(condition) in text
            assert page.locator("svg.pr-place text.pr-here").count() == explanation.rule.length
            # Training rows are counted from 1 in the card and in the table below it.
            nearest = [entry["row"] + 1 for entry in explanation.evidence.to_dicts(5)]
            told = ", ".join(f"{row} (" for row in nearest)
            assert re.sub(r" \([^)]*\)", " (", text.partition("training rows: ")[2]).startswith(
                told
            )
            page.get_by_text("The training rows behind the rule").click()
            listed = page.locator("details[open] tbody tr td:first-child").all_inner_texts()
            assert list(map(int, listed[:5])) == nearest


def test_a_changed_value_changes_the_rule_and_the_address(browser, address):
    clf, new, _ = learned()
    colour = next(one for one in ("green", "blue") if one != new["colour"][0])
    changed = new.iloc[[0]].assign(age=19.0, colour=colour)
    with Visit(browser, address, "/case?row=1") as page:
        page.get_by_label("age").fill("19")
        page.get_by_label("age").press("Enter")
        page.wait_for_url("**/case?row=1&v.age=19")
        page.get_by_label("colour").select_option(colour)
        page.wait_for_url(f"**/case?row=1&v.age=19&v.colour={colour}")
        expect(page.locator("h1")).to_have_text("Row 1 with changes")
        expect(page.locator("p.words")).to_have_text(clf.explain(changed)[0].rule.to_english())
        page.reload()  # the address holds the case
        expect(page.locator("p.words")).to_have_text(clf.explain(changed)[0].rule.to_english())
        page.go_back()
        expect(page.locator("p.words")).to_have_text(
            clf.explain(changed.assign(colour=new["colour"][0]))[0].rule.to_english()
        )


def test_a_value_that_cannot_be_read_is_told(browser, address):
    visit = Visit(browser, address, "/case")
    with visit as page:
        page.get_by_label("age").fill("old")
        page.get_by_label("age").press("Tab")
        expect(page.get_by_role("alert")).to_contain_text("column 'age' holds 'old'")
        visit.said.clear()  # the browser notes the status 422


def test_a_what_if_is_tried_by_a_click(browser, address):
    clf, new, _ = learned()
    change = clf.smallest_changes(new.iloc[[0]], max_changes=2)[0]
    with Visit(browser, address, "/case?row=1") as page:
        page.get_by_role("button", name="What would change the decision?").click()
        first = page.locator("ol.changes li").first
        expect(first).to_contain_text(str(change))
        first.get_by_role("link", name="Try it").click()
        expect(page.locator("p.words")).to_have_text(change.explanation.rule.to_english())
        expect(page.locator("label.changed")).to_have_count(change.n_changes)


def test_chance_and_stability_are_told_on_request(browser, address):
    clf, new, _ = learned()
    with Visit(browser, address, "/case?row=1") as page:
        page.get_by_role("button", name="Could the rule be chance?").click()
        told = str(clf.significance(new.iloc[[0]], 200)[0])
        expect(page.locator("#chance pre")).to_have_text(told)
        page.get_by_role("button", name="Would other training rows say the same?").click()
        told = str(clf.stability(new.iloc[[0]], 200)[0])
        expect(page.locator("#stability pre")).to_have_text(told)


def test_texts_can_be_copied(browser, address):
    clf, new, _ = learned()
    (explanation,) = clf.explain(new.iloc[[0]], top=5)
    how = {"permissions": ["clipboard-read", "clipboard-write"]}
    with Visit(browser, address, "/case?row=1", **how) as page:
        wanted = {"text": str(explanation), "SQL": explanation.rule.to_sql()}
        for name, text in wanted.items():
            page.get_by_role("button", name=f"Copy as {name}").click()
            expect(page.locator(".copies [role=status]")).to_have_text("Copied.")
            page.wait_for_function(
                "async text => (await navigator.clipboard.readText()) === text", arg=text
            )
        assert json.loads(page.locator("#copy-JSON").input_value()) == explanation.to_dict()


def test_an_overruled_answer_is_in_the_log_and_in_the_view(browser, address, log):
    with Visit(browser, address, "/case?row=4") as page:
        prediction = learned()[0].predict(learned()[1].iloc[[3]])[0]
        other = page.locator(
            f"form.decision label:not(:has-text('{prediction} (agree)')) input"
        ).first
        other.check()
        page.get_by_label("Note").fill("looks wrong <b>to me</b>")
        page.get_by_role("button", name="Keep the decision").click()
        expect(page.locator("form.decision [role=status]")).to_have_text(
            "Kept: the model is overruled."
        )
        page.get_by_role("link", name="Decisions").click()
        expect(page.get_by_text("looks wrong <b>to me</b>")).to_be_visible()
        expect(page.locator("main > p")).to_contain_text("1 decision, of which 1 overruled")
        with page.expect_download() as download:
            page.get_by_role("link", name="as CSV").click()
        exported = pd.read_csv(download.value.path())
    kept = exported[exported["note"] == "looks wrong <b>to me</b>"]
    assert kept["is_overruled"].tolist() == [1]
    assert json.loads(kept["input"].iloc[0]) == rows()[3]
    file = sqlite3.connect(log)
    assert file.execute("SELECT COUNT(*) FROM decisions").fetchone()[0] >= 1
    file.close()


def test_rules_lead_to_their_cases(browser, address):
    with Visit(browser, address, "/rules") as page:
        expect(page.locator("#rules tbody tr")).to_have_count(len(served().rules))
        page.get_by_label("Only rules with these words").fill("colour")
        n_colour = sum("colour" in rule["rule"] for rule in served().rules)
        expect(page.locator("#rules tbody tr:visible")).to_have_count(n_colour)
        page.get_by_label("Only rules with these words").fill("")
        page.locator("#rules tbody button").first.click()
        page.wait_for_url("**/cases?rule=0")
        expect(page.locator("tbody tr")).to_have_count(served().rules[0]["rows"])


def test_the_model_view_tells_accuracy_and_doubts(browser, address):
    with Visit(browser, address, "/model") as page:
        expect(page.locator("#accuracy h3")).to_have_count(2)
        expect(page.locator("#warnings")).to_contain_text("ultraviolet")
        expect(page.locator("main")).to_contain_text(served().fingerprint)


def test_the_keyboard_is_enough(browser, address):
    with Visit(browser, address, "/cases") as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "To the content"
        page.keyboard.press("Enter")
        page.locator("tbody a").first.focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/case?row=1")
        page.get_by_role("button", name="What would change the decision?").focus()
        page.keyboard.press("Enter")
        expect(page.locator("ol.changes li").first).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        pytest.param({"color_scheme": "dark"}, id="dark"),
        pytest.param({"viewport": {"width": 1280, "height": 800}}, id="wide"),
        pytest.param({"viewport": {"width": 360, "height": 740}}, id="narrow"),
    ],
)
def test_no_view_shuts_people_out(browser, address, how):
    for path in VIEWS:
        with Visit(browser, address, path, **how) as page:
            assert find_barriers(page) == []
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_case_prints_on_one_page(browser, address):
    with Visit(browser, address, "/case?row=1") as page:
        assert count_pages(page) == 1
        page.emulate_media(media="print")
        assert not page.locator("header.top").is_visible()
        assert page.locator(".picrules-card").is_visible()
        expect(page.locator("p.printed")).to_contain_text(served().fingerprint[:16])


def test_names_from_the_data_never_become_elements(browser, tmp_path):
    hostile = [text for text in HOSTILE if "\ud800" not in text]  # no file holds this one
    values = [hostile[number % len(hostile)] for number in range(48)]
    table = pd.DataFrame({hostile[0]: values, hostile[1]: values[::-1]}, dtype=object)
    classes = [hostile[number % 4] for number in range(48)]
    FPICClassifier(max_length=2).fit(table, classes).save(tmp_path / "m.pic")
    table.assign(known=classes).to_json(tmp_path / "new.jsonl", orient="records", lines=True)
    files = Files(tmp_path / "m.pic", str(tmp_path / "new.jsonl"), "known")
    app = make_app(files.open(), log=DecisionLog(tmp_path / "log"))
    with serving(app) as address:
        for path in ["/cases", "/case?row=1", "/rules", "/model"]:
            how = {"viewport": {"width": 360, "height": 740}}
            with Visit(browser, address, path, **how) as page:
                assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
                assert (
                    page.locator("img, script:not([src]):not([type='application/json'])").count()
                    == 0
                )
                if path.startswith("/case?"):
                    page.get_by_role("button", name="What would change").click()
                    expect(page.locator("#changes [role=status] p").first).to_be_visible()


@pytest.mark.slow
def test_a_table_is_uploaded_and_learned_from_and_learning_can_be_cancelled(browser, tmp_path):
    X, y = people(400)
    path = tmp_path / "people.csv"
    X.assign(id=range(400), known=y).to_csv(path, index=False)
    folder = tmp_path / "served"
    folder.mkdir()
    with (
        serving(make_app(learner=Learner(folder))) as address,
        Visit(browser, address, "/", viewport={"width": 360, "height": 740}) as page,
    ):
        page.wait_for_url("**/learn")
        assert find_barriers(page) == []
        page.locator("input[type=file]").set_input_files(path)
        expect(page.get_by_role("heading", name="people.csv: 400 rows")).to_be_visible()
        kinds = page.locator("form.learn tbody tr td:nth-child(3)").all_inner_texts()
        assert kinds == ["number", "category", "date", "number", "number", "category"]
        assert page.locator("form.learn svg.pr-place").count() == 6
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert find_barriers(page) == []
        page.get_by_label("use id").uncheck()
        page.get_by_label("The column of the classes").select_option("known")
        page.get_by_role("button", name="Learn").click()
        expect(page.get_by_role("progressbar")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("#fit")).to_have_text("Cancelled.")
        page.get_by_role("button", name="Learn").click()
        page.wait_for_url("**/model")
        expect(page.locator("main")).to_contain_text("which flatters it")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download the model file").click()
        assert download.value.path().read_bytes() == (folder / "model.pic").read_bytes()
        page.get_by_role("link", name="Cases").click()
        expect(page.locator("main")).to_contain_text("400 cases of 400")
