"""A real browser for the tests of pages."""

import os
import shutil

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


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
    """A page opened from a file, without network; remembers what it said and asked for."""

    def __init__(self, browser, path, **how):
        self.context = browser.new_context(offline=True, **how)
        self.page = self.context.new_page()
        self.said, self.asked = [], []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.asked.append(request.url))
        self.page.goto(path.as_uri())

    def open_case(self, link):
        """Click a link, and wait until its case is there."""
        link.click()
        dialog = self.page.locator("dialog")
        dialog.wait_for(state="visible")
        return dialog

    def close_case(self):
        """Press Escape, and wait until the case is gone."""
        self.page.keyboard.press("Escape")
        self.page.locator("dialog").wait_for(state="hidden")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.context.close()
