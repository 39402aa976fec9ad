"""What a browser would make of HTML, as far as the tests ask."""

import base64
import json
import re
import zlib
from dataclasses import dataclass, field
from html.parser import HTMLParser

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</style><b>",
    "</script><!--<script>",
    "a & b &amp; &lt;",
    "\ud800 half",
    "naïve 名前 \u2028",
]


@dataclass
class Parsed:
    """Elements with their attributes, and the text without that of style and script."""

    elements: list = field(default_factory=list)
    text: str = ""
    styles: str = ""
    scripts: list = field(default_factory=list)

    @property
    def names(self):
        return {name for name, _ in self.elements}

    @property
    def attributes(self):
        return {key for _, attributes in self.elements for key in attributes}


class _Parser(HTMLParser):
    def __init__(self):
        super().__init__()
        self.parsed, self.open = Parsed(), []

    def handle_starttag(self, tag, attrs):
        self.parsed.elements.append((tag, dict(attrs)))
        if tag not in ("meta", "input"):
            self.open.append(tag)
        if tag == "script":
            self.parsed.scripts.append("")

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" in self.open:
            self.parsed.styles += data
        elif "script" in self.open:
            self.parsed.scripts[-1] += data
        else:
            self.parsed.text += data


def parse(html):
    parser = _Parser()
    parser.feed(html)
    parser.close()
    assert parser.open == []
    return parser.parsed


def unpack(packs):
    """Unpack the cards of a report: lists of HTML."""
    return [json.loads(zlib.decompress(base64.b64decode(pack))) for pack in packs]


def cards_of(page):
    """Return the cards that a page of a report holds."""
    packs = re.findall(r'<script type="text/plain" id="cards-\d+">(.*?)</script>', page)
    return [card for pack in unpack(packs) for card, _ in pack]
