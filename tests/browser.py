"""A real browser for the tests of pages; the fixture `browser` of tests/conftest.py starts it."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE = 120  # seconds; a busy machine is no failure
SERIOUS = {"serious", "critical"}


def find_chromium():
    """The program, or None where there is none; PICRULES_CHROMIUM names another place."""
    named = os.environ.get("PICRULES_CHROMIUM")
    return named or next((path for path in map(shutil.which, NAMES) if path), None)


def launch(playwright):
    """Start the browser; its sandbox does not work for the user root."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return playwright.chromium.launch(
        executable_path=find_chromium(), args=["--no-sandbox"] if is_root else []
    )


class Visit:
    """A tab that remembers what it said, and whom it asked: nobody but the address, silently."""

    def __init__(self, browser, address, path="", **how):
        self.context, self.address = browser.new_context(**how), address
        self.context.set_default_timeout(PATIENCE * 1000)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda _: self.said.append("an alert"))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(address + path)

    def __enter__(self):
        return self.page

    def __exit__(self, kind, *_):
        self.context.close()
        if kind is None:
            assert self.said == []
            assert all(url.startswith(self.address) for url in self.asked)


def find_barriers(page):
    """What shuts people out of a page with all details open, as axe-core finds it."""
    from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415  (tests without it)

    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    return [
        (one["id"], [node["html"] for node in one["nodes"]][:3])
        for one in Axe().run(page).response["violations"]
        if one["impact"] in SERIOUS
    ]


def count_pages(page):
    """How many sheets of paper a page is printed on."""
    return page.pdf(format="A4").count(b"/Type /Page\n")
