"""A report in headless Chromium: drawn, searched, clicked, without network and complaints."""

import os
import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import sync_playwright

import picrules
from picrules import PersonalRuleClassifier
from picrules.rules.text import format_share
from tests.explain.together import MODELS, ask_new
from tests.reports.browser import Visit, find_chromium, launch
from tests.reports.parsing import HOSTILE
from tests.reports.tables import doubtful, people

# Where everything must pass, a missing browser is a failure: `.ci/chromium` installs it.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        find_chromium() is None and not os.environ.get("CI"),
        reason="no Chromium here: install it, or name it in PICRULES_CHROMIUM",
    ),
]


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as playwright:
        started = launch(playwright)
        yield started
        started.close()


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of 400 rows, one with an unseen value and one without a rule, and its model."""
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=2, cuts=8, smoothing=1).fit(X, y)
    new, known = people(400, seed=5)
    new = doubtful(new)
    path = tmp_path_factory.mktemp("report") / "report.html"
    return path, fitted.explain(new), known, picrules.report(fitted, new, known, path)


def count_of(page):
    text = page.locator("#cases [role=status]").inner_text()
    return int(re.match(r"[\d,]+", text)[0].replace(",", ""))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_drawn_without_complaint_or_network(browser, made, scheme, width):
    path, _, _, content = made
    size = {"width": width, "height": 800}
    with Visit(browser, path, viewport=size, color_scheme=scheme) as visit:
        page = visit.page
        for part in ("accuracy", "warnings", "rules", "cases", "model"):
            assert len(page.locator(f"#{part}").inner_text()) > 20
        accuracy = content["performance"][1]["accuracy"]
        assert f"{format_share(accuracy)} right" in page.locator("#accuracy").inner_text()
        assert page.locator("#accuracy svg circle").count() >= 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        visit.open_case(page.locator("#cases tbody a").first)
        assert visit.said == []
        assert visit.asked == [path.as_uri()]


def test_the_page_says_when_rows_were_learned_from(browser, tmp_path):
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=1, cuts=8, smoothing=1).fit(X, y)
    told = []
    other = y[:60].copy()
    other[:2] = "perhaps"
    for table, truth in ((X, y), (X[:60][::-1], other[::-1]), people(400, seed=5)):
        picrules.report(fitted, table, truth, tmp_path / "r.html")
        with Visit(browser, tmp_path / "r.html") as visit:
            parts = ("about", "accuracy", "warnings")
            told.append([visit.page.locator(f"#{part}").inner_text() for part in parts])
    (same, all_known, _), (part, most_known, warned), (new, unknown, unwarned) = told
    assert "by leave-one-out" in same
    assert "by leave-one-out" in part
    assert "on this table" in new
    assert "These are the rows that the model was learned from, which flatters" in all_known
    assert "58 of the 60 rows cannot be told from rows that the model was learned" in most_known
    assert "flatter" not in unknown
    assert "2 rows of a class that training never saw" in warned
    assert "class that training never saw" not in unwarned


def test_text_is_readable_in_both_schemes(browser, made):
    code = (
        "(() => {const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]})()"
    )
    for scheme in ("light", "dark"):
        with Visit(browser, made[0], color_scheme=scheme) as visit:
            ink, paper = (_luminance(colour) for colour in visit.page.evaluate(code))
            contrast = (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05)
            assert contrast > 7
            assert (ink > paper) == (scheme == "dark")


def _luminance(colour):
    """As the web's accessibility guidelines define it."""
    parts = np.array([int(part) for part in re.findall(r"\d+", colour)[:3]]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_search_finds_rows_classes_and_rules(browser, made):
    path, explanations, known, _ = made
    with Visit(browser, path) as visit:
        page, box = visit.page, visit.page.get_by_role("searchbox")
        assert count_of(page) == 400
        box.press_sequentially("237")
        assert page.locator("#cases tbody a").first.inner_text() == "237"
        box.fill("COLOUR = red")
        texts = [str(explanation.rule) for explanation in explanations]
        words = ("colour", "=", "red")
        assert count_of(page) == sum(all(word in text for word in words) for text in texts)
        box.fill("maybe")
        expected = [
            "maybe" in str(explanation.rule) or name == "maybe"
            for explanation, name in zip(explanations, known, strict=True)
        ]
        assert count_of(page) == sum(expected)
        box.fill("nothing like this")
        assert count_of(page) == 0
        box.fill("")
        page.get_by_label("Which cases").select_option("no rule")
        assert count_of(page) == 1
        assert visit.said == []


def test_more_cases_are_shown_on_request(browser, made):
    with Visit(browser, made[0]) as visit:
        page = visit.page
        n_before = page.locator("#cases tbody tr").count()
        page.get_by_role("button", name="Show more").click()
        assert page.locator("#cases tbody tr").count() == 400 > n_before


def test_the_page_writes_shares_as_texts_do(browser, made):
    shares = [
        hits / size for size in (3, 7, 8, 16, 80, 400, 2000, 9999) for hits in range(size + 1)
    ]
    shares += [0.0115, 0.9996, 0.99957, 0.5 + 2**-20]
    with Visit(browser, made[0]) as visit:
        written = visit.page.evaluate("shares => shares.map(percent)", shares)
    assert written == [format_share(share) for share in shares]


def test_a_case_opens_with_its_explanation(browser, made):
    path, explanations, known, _ = made
    with Visit(browser, path) as visit:
        visit.page.get_by_role("searchbox").fill("42")
        link = visit.page.get_by_role("link", name="42", exact=True)
        text = visit.open_case(link).inner_text()
        explanation = explanations[42]
        assert text.startswith("Row 42")
        for condition in explanation.rule.conditions:
            assert str(condition) in text
        assert f"are right {format_share(explanation.confidence)} of the time" in text
        assert f"Precision {format_share(explanation.precision)}, " in text
        assert "interval" not in text
        assert str(explanation.contrast[0].rule) in text
        nearest = ", ".join(
            f"{entry['row']} ({entry['class']})" for entry in explanation.evidence.to_dicts(5)
        )
        assert f"Nearest covered training rows: {nearest}" in text
        assert ("is wrong" in text) == (explanation.prediction != known[42])
        visit.close_case()
        assert visit.said == []


def test_the_keyboard_is_enough(browser, made):
    with Visit(browser, made[0]) as visit:
        page, dialog = visit.page, visit.page.locator("dialog")
        page.get_by_role("searchbox").focus()
        page.keyboard.type("7")
        page.locator("#cases tbody a").first.focus()
        page.keyboard.press("Enter")
        dialog.wait_for(state="visible")
        assert dialog.inner_text().startswith("Row 7")
        page.get_by_role("button", name="Next").focus()
        page.keyboard.press("Enter")
        page.wait_for_function("!document.querySelector('dialog h3').textContent.endsWith(' 7')")
        visit.close_case()


def test_the_address_opens_a_case(browser, made):
    with Visit(browser, made[0]) as visit:
        visit.page.goto(f"{made[0].as_uri()}#row-3")
        visit.page.locator("dialog").wait_for(state="visible")
        assert visit.page.locator("dialog").inner_text().startswith("Row 3")
        visit.page.goto(f"{made[0].as_uri()}#row-99999")
        visit.page.locator("dialog").wait_for(state="hidden")


def test_rules_sort_and_lead_to_their_cases(browser, made):
    path, _, _, content = made
    used = [rule for rule in content["rules"] if rule["rows"]]
    with Visit(browser, path) as visit:
        page = visit.page
        first = page.locator("#rules tbody tr").first
        assert first.locator("td").first.inner_text() == str(used[0]["rows"])
        page.get_by_role("button", name="cover").click()
        most = max(rule["cover_size"] for rule in used)
        assert first.locator("td").nth(5).inner_text() == f"{most:,}"
        assert page.locator("#rules th[aria-sort=descending]").inner_text().startswith("cover")
        page.get_by_role("button", name="right here").click()
        best = max(rule["right"]["rows"] / rule["rows"] for rule in used)
        assert first.locator("td").nth(3).inner_text() == format_share(best)
        n_rows = int(first.locator("td").first.inner_text())
        first.get_by_role("button").click()
        assert count_of(page) == n_rows
        page.get_by_role("button", name="all rules", exact=True).click()
        assert count_of(page) == 400


def test_warnings_lead_to_their_cases(browser, made):
    path, _, _, content = made
    unseen = next(entry for entry in content["warnings"]["rows"] if "never seen" in entry["flag"])
    with Visit(browser, path) as visit:
        line = visit.page.locator("#warnings li", has_text=f": {unseen['flag']}.")
        line.get_by_role("button").click()
        assert count_of(visit.page) == unseen["rows"] == 1
        assert "ultraviolet" in visit.page.locator("#warnings").inner_text()


def test_names_from_the_data_never_become_elements(browser, tmp_path):
    values = [HOSTILE[number % len(HOSTILE)] for number in range(48)]
    X = pd.DataFrame({HOSTILE[0]: values, HOSTILE[1]: values[::-1]}, dtype=object)
    y = np.array([HOSTILE[number % 4] for number in range(48)], object)
    path = tmp_path / "report.html"
    picrules.report(PersonalRuleClassifier(max_length=2).fit(X, y), X, y, path)
    with Visit(browser, path) as visit:
        page = visit.page
        page.on("dialog", lambda _: visit.said.append("an alert"))
        for number in range(5):
            visit.open_case(page.locator("#cases tbody a").nth(number))
            visit.close_case()
        assert page.locator("img, script:not([id]) ~ script").count() == 0
        assert page.locator("script").count() == 3
        assert HOSTILE[0] in page.locator("#model").text_content()
        assert visit.said == []


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("make", MODELS)
def test_a_case_shows_what_decides(browser, make, width, tmp_path):
    clf, new, _, _ = ask_new(make)
    path = tmp_path / "r.html"
    picrules.report(clf, new, None, path)
    explanations = clf.explain(new)
    with Visit(browser, path, viewport={"width": width, "height": 800}) as visit:
        for row in (0, 2, 5, 15):
            explanation, card = explanations[row], explanations[row].scorecard
            visit.page.goto(f"{path.as_uri()}#row-{row}")
            visit.page.reload()
            dialog = visit.page.locator("dialog")
            dialog.wait_for(state="visible")
            text = " ".join(dialog.inner_text().split())
            assert explanation.tell_alike() in text
            assert explanation.rule.length or explanation.tell_no_rule()[1:] in text
            assert ("10 points double the odds." in text) == (card is not None)
            for line in card.lines if card else ():
                assert str(line) in text
            points = dialog.locator(".pr-points > span:nth-child(odd)").all_inner_texts()
            if card is not None:
                every = [*(line.points for line in card.lines), card.offset_points, card.total]
                assert list(map(int, points)) == pytest.approx(every, abs=0.51)
            assert dialog.evaluate("it => it.scrollWidth <= it.clientWidth")
        assert visit.said == []
