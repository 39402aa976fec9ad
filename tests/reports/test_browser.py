"""A report in headless Chromium: drawn, searched, clicked, without network and complaints."""

import re

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import expect

import picrules
from picrules import PersonalRuleClassifier
from picrules.rules.text import format_share
from tests.browser import Visit, count_pages, find_barriers
from tests.explain.together import MODELS, ask_new
from tests.reports.parsing import HOSTILE
from tests.reports.tables import doubtful, people

pytestmark = pytest.mark.slow
LOOKS = [
    pytest.param({"viewport": {"width": 390, "height": 844}}, id="phone"),
    pytest.param({"color_scheme": "dark"}, id="dark"),
    pytest.param({}, id="light"),
]


def look(browser, path, **how):
    """Open a report from its file, without network."""
    return Visit(browser, path.as_uri(), offline=True, **how)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report of 400 rows, one with an unseen value and one without a rule, and its model."""
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=2, cuts=8, smoothing=1).fit(X, y)
    new, known = people(400, seed=5)
    new = doubtful(new)
    path = tmp_path_factory.mktemp("report") / "report.html"
    about = {"model": "people.pic", "target": "known", "data": "new.csv", "date": "2024-05-01"}
    content = picrules.report(fitted, new, known, path, about=about)
    return path, fitted.explain(new), known, content


def count_of(page):
    text = page.locator("#cases [role=status]").inner_text()
    return int(re.match(r"[\d,]+", text)[0].replace(",", ""))


def open_case(page, link):
    """Click a link, and wait until its case is there."""
    link.click()
    dialog = page.locator("dialog")
    dialog.wait_for(state="visible")
    return dialog


def close_case(page):
    """Press Escape, and wait until the case is gone."""
    page.keyboard.press("Escape")
    page.locator("dialog").wait_for(state="hidden")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_is_drawn_without_complaint_or_network(browser, made, scheme, width):
    path, _, _, content = made
    size = {"width": width, "height": 800}
    with look(browser, path, viewport=size, color_scheme=scheme) as page:
        for part in ("accuracy", "warnings", "rules", "cases", "model"):
            assert len(page.locator(f"#{part}").inner_text()) > 20
        accuracy = content["performance"][1]["accuracy"]
        assert f"{format_share(accuracy)} right" in page.locator("#accuracy").inner_text()
        assert page.locator("#accuracy svg circle").count() >= 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        open_case(page, page.locator("#cases tbody a").first)


def test_the_page_says_when_rows_were_learned_from(browser, tmp_path):
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=1, cuts=8, smoothing=1).fit(X, y)
    told = []
    other = y[:60].copy()
    other[:2] = "perhaps"
    for table, truth in ((X, y), (X[:60][::-1], other[::-1]), people(400, seed=5)):
        picrules.report(fitted, table, truth, tmp_path / "r.html")
        with look(browser, tmp_path / "r.html") as page:
            parts = ("about", "accuracy", "warnings")
            told.append([page.locator(f"#{part}").inner_text() for part in parts])
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
        with look(browser, made[0], color_scheme=scheme) as page:
            ink, paper = (_luminance(colour) for colour in page.evaluate(code))
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
    with look(browser, path) as page:
        box = page.locator("#cases").get_by_role("searchbox")
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
        page.get_by_role("combobox", name="Show", exact=True).select_option("no rule")
        assert count_of(page) == 1


def test_more_cases_are_shown_on_request(browser, made):
    with look(browser, made[0]) as page:
        n_before = page.locator("#cases tbody tr").count()
        page.get_by_role("button", name="Show more").click()
        assert page.locator("#cases tbody tr").count() == 400 > n_before


def test_the_page_writes_shares_as_texts_do(browser, made):
    shares = [
        hits / size for size in (3, 7, 8, 16, 80, 400, 2000, 9999) for hits in range(size + 1)
    ]
    shares += [0.0115, 0.9996, 0.99957, 0.5 + 2**-20]
    with look(browser, made[0]) as page:
        written = page.evaluate("shares => shares.map(percent)", shares)
    assert written == [format_share(share) for share in shares]


def test_a_case_opens_with_its_explanation(browser, made):
    path, explanations, known, _ = made
    with look(browser, path) as page:
        page.locator("#cases").get_by_role("searchbox").fill("42")
        link = page.get_by_role("link", name="42", exact=True)
        text = open_case(page, link).inner_text()
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
        close_case(page)


def test_the_keyboard_is_enough(browser, made):
    with look(browser, made[0]) as page:
        dialog = page.locator("dialog")
        page.locator("#cases").get_by_role("searchbox").focus()
        page.keyboard.type("7")
        page.locator("#cases tbody a").first.focus()
        page.keyboard.press("Enter")
        dialog.wait_for(state="visible")
        assert dialog.inner_text().startswith("Row 7")
        page.get_by_role("button", name="Next").focus()
        page.keyboard.press("Enter")
        page.wait_for_function("!document.querySelector('dialog h2').textContent.endsWith(' 7')")
        close_case(page)


def test_the_address_opens_a_case(browser, made):
    with look(browser, made[0]) as page:
        page.goto(f"{made[0].as_uri()}#row-3")
        page.locator("dialog").wait_for(state="visible")
        assert page.locator("dialog").inner_text().startswith("Row 3")
        page.goto(f"{made[0].as_uri()}#row-99999")
        page.locator("dialog").wait_for(state="hidden")


def test_rules_sort_and_lead_to_their_cases(browser, made):
    path, _, _, content = made
    used = [rule for rule in content["rules"] if rule["rows"]]
    with look(browser, path) as page:
        first = page.locator("#rules tbody tr").first

        def cell(name):
            return first.locator(f"td[data-name='{name}']").inner_text()

        assert cell("rows") == str(used[0]["rows"])
        page.get_by_role("button", name="cover").click()
        most = max(rule["cover_size"] for rule in used)
        assert cell("cover") == f"{most:,}"
        assert page.locator("#rules th[aria-sort=descending]").inner_text().startswith("cover")
        page.get_by_role("button", name="right here").click()
        best = max(used, key=lambda rule: rule["right"]["rows"] / rule["rows"])
        assert cell("right here") == f"{best['right']['rows']} of {best['rows']}"
        n_rows = int(cell("rows"))
        first.get_by_role("button").click()
        assert count_of(page) == n_rows
        page.get_by_role("button", name="all rules", exact=True).click()
        assert count_of(page) == 400


def test_rules_are_told_in_words_with_the_bar_and_colour_of_their_class(browser, made):
    path, explanations, _, content = made
    sentences = {each.rule.to_english() for each in explanations if each.rule.length}
    colours = [entry["name"] for entry in content["classes"]]
    with look(browser, path) as page:
        page.get_by_role("button", name="Show all rules").click()
        told = set()
        for line in page.locator("#rules tbody tr").all():
            words, name = line.locator(".words").inner_text(), line.locator(".class").inner_text()
            kind = f"pr-c{colours.index(name)}"
            assert kind in line.locator(".class").get_attribute("class")
            assert line.locator("svg.bar rect").get_attribute("class") == kind
            told.add(f"If{words.removeprefix('if')}")
        assert {sentence.rpartition(", then ")[0] for sentence in sentences} <= told
        page.get_by_label("Only rules with these words").fill("age is over")
        n_found = sum("age is over" in sentence for sentence in sentences)
        expect(page.locator("#rules tbody tr")).to_have_count(n_found)
        assert page.locator("#rules [role=status]").inner_text().startswith(f"{n_found} rules of ")


def test_rules_are_sorted_on_a_phone(browser, made):
    used = [rule for rule in made[3]["rules"] if rule["rows"]]
    with look(browser, made[0], viewport={"width": 390, "height": 844}) as page:
        page.locator("#rules").get_by_role("combobox", name="Sort by").select_option("precision")
        best = max(rule["precision"] for rule in used)
        assert format_share(best) in page.locator("#rules tbody tr").first.inner_text()
        page.locator("#cases").get_by_role("combobox", name="Sort by").select_option("-1")
        most = max(made[3]["cases"]["confidence"])
        assert format_share(most) in page.locator("#cases tbody tr").first.inner_text()


def test_what_matters_is_above_the_fold(browser, made):
    with look(browser, made[0], viewport={"width": 1280, "height": 800}) as page:
        for part in ("#title", "#warnings li", "#top li"):
            boxes = [one.bounding_box() for one in page.locator(part).all()]
            assert boxes
            assert all(box["y"] + box["height"] < 800 for box in boxes)
        sure = format_share(made[3]["rules"][0]["confidence"])
        expect(page.locator("#top li").first).to_contain_text(f"with a confidence of {sure}")
        told = page.locator("#about").inner_text()
        assert all(name in told for name in ("people.pic", "known", "new.csv", "2024-05-01"))


def test_the_confusion_has_totals_and_recall(browser, made):
    path, explanations, known, content = made
    said = np.array([each.prediction for each in explanations], object)
    with look(browser, path) as page:
        lines = [
            one.inner_text().split()
            for one in page.locator("table.confusion").last.locator("tr").all()
        ]
    names = [entry["name"] for entry in content["classes"]]
    for name, line in zip(names, lines[1:], strict=False):
        row = [int(((known == name) & (said == other)).sum()) for other in names]
        found = format_share(row[names.index(name)] / sum(row))
        assert line == [name, *map(str, row), str(sum(row)), found]
    totals = [str(int((said == name).sum())) for name in names]
    assert lines[4][:5] == ["total", *totals, "400"]


def test_a_filter_says_that_rows_are_not_on_the_page(browser, made, tmp_path):
    _, _, known, content = made
    X, y = people()
    fitted = PersonalRuleClassifier(max_length=2, cuts=8, smoothing=1).fit(X, y)
    picrules.report(
        fitted, doubtful(people(400, seed=5)[0]), known, tmp_path / "r.html", max_cases=30
    )
    wrong = content["warnings"]["rows"][0]["rows"]
    with look(browser, tmp_path / "r.html") as page:
        told = page.locator("#cases [role=status]")
        assert told.inner_text() == "30 of the 400 rows of the table are on this page."
        page.get_by_role("combobox", name="Show", exact=True).select_option("wrong prediction")
        assert f" of the {wrong} rows with this mark are on this page." in told.inner_text()
        page.locator("#rules tbody button").first.click()
        most = max(rule["rows"] for rule in content["rules"])
        assert f" of the {most} rows that this rule decides are on this page." in told.inner_text()
        page.locator("#cases").get_by_role("searchbox").fill("yes")
        assert "The other 370 rows of the table are not on it" in told.inner_text()


def test_an_open_case_prints_on_one_page_and_all_rows_can_be_printed(browser, made):
    with look(browser, made[0]) as page:
        page.evaluate("window.print = () => { window.printed = true; }")
        for number in (0, 1, 2):
            dialog = open_case(page, page.locator("#cases tbody a").nth(number))
            assert count_pages(page) == 1
            page.emulate_media(media="print")
            assert dialog.locator(".picrules-card").is_visible()
            assert not page.locator("main").is_visible()
            page.emulate_media(media="null")
            close_case(page)
        few = count_pages(page)
        page.get_by_role("button", name="Print all 400").click()
        assert page.evaluate("window.printed")
        assert page.locator("#cases tbody tr").count() == 400
        assert count_pages(page) > few


@pytest.mark.parametrize("how", LOOKS)
def test_a_report_shuts_nobody_out(browser, made, how):
    with look(browser, made[0], **how) as page:
        assert find_barriers(page) == []
        open_case(page, page.locator("#cases tbody a").first)
        assert find_barriers(page) == []


def test_warnings_lead_to_their_cases(browser, made):
    path, _, _, content = made
    unseen = next(entry for entry in content["warnings"]["rows"] if "never seen" in entry["flag"])
    with look(browser, path) as page:
        line = page.locator("#warnings li", has_text=f": {unseen['flag']}.")
        line.get_by_role("button").click()
        assert count_of(page) == unseen["rows"] == 1
        assert "ultraviolet" in page.locator("#warnings").inner_text()


def test_names_from_the_data_never_become_elements(browser, tmp_path):
    values = [HOSTILE[number % len(HOSTILE)] for number in range(48)]
    X = pd.DataFrame({HOSTILE[0]: values, HOSTILE[1]: values[::-1]}, dtype=object)
    y = np.array([HOSTILE[number % 4] for number in range(48)], object)
    path = tmp_path / "report.html"
    picrules.report(PersonalRuleClassifier(max_length=2).fit(X, y), X, y, path)
    with look(browser, path) as page:
        for number in range(5):
            open_case(page, page.locator("#cases tbody a").nth(number))
            close_case(page)
        assert page.locator("img, script#cards-0 ~ script").count() == 0
        assert page.locator("script").count() == 3
        assert HOSTILE[0] in page.locator("#model").text_content()


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("make", MODELS)
def test_a_case_shows_what_decides(browser, make, width, tmp_path):
    clf, new, _, _ = ask_new(make)
    path = tmp_path / "r.html"
    picrules.report(clf, new, None, path)
    explanations = clf.explain(new)
    with look(browser, path, viewport={"width": width, "height": 800}) as page:
        for row in (0, 2, 5, 15):
            explanation, card = explanations[row], explanations[row].scorecard
            page.goto(f"{path.as_uri()}#row-{row}")
            page.reload()
            dialog = page.locator("dialog")
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
                *parts, total = map(int, points)
                assert [*parts, total] == pytest.approx(every, abs=1)
                assert sum(parts) == total
            assert dialog.evaluate("it => it.scrollWidth <= it.clientWidth")
        assert find_barriers(page) == []
