"""Pieces of HTML, in which all text from outside is escaped."""

from __future__ import annotations

from functools import cache
from html import escape

# Elements that hold nothing and are not closed.
_VOID = frozenset({"input", "link", "meta"})


class Html(str):
    """Finished HTML. Nothing can be forgotten: all other text is escaped when it is put in."""

    __slots__ = ()


def to_html(content: object) -> Html:
    """Return finished HTML as it is, and anything else as text that is safe in attributes, too.

    Examples
    --------
    >>> to_html("<b> & co")
    '&lt;b&gt; &amp; co'
    """
    if isinstance(content, Html):
        return content
    text = str(content)
    # Half a surrogate pair can be in a Python text but in no file.
    return Html(escape(text if text.isascii() else text.encode("utf-8", "replace").decode()))


def join(*contents: object) -> Html:
    """Put pieces one after the other."""
    return Html("".join(to_html(content) for content in contents))


def tag(name: str, /, *contents: object, **attributes: object) -> Html:
    """Return an element; its classes stand after the name, each after a dot.

    An attribute that is None or False is left out. Underscores in its name stand for hyphens, and
    one at the end for nothing (`for_`).

    Examples
    --------
    >>> tag("p.note", "1 < 2", tag("b", "!"), title='"yes"')
    '<p class="note" title="&quot;yes&quot;">1 &lt; 2<b>!</b></p>'
    >>> tag("input", aria_label="age", disabled=True, value=None)
    '<input aria-label="age" disabled="">'
    """
    name, _, kind = name.partition(".")
    named = {"class": kind.replace(".", " "), **attributes} if kind else attributes
    opening = f"<{name}{''.join(map(_attribute, named.items()))}>"
    return Html(opening if name in _VOID else f"{opening}{join(*contents)}</{name}>")


def _attribute(item: tuple[str, object]) -> str:
    key, value = item
    if value is None or value is False:
        return ""
    shown = "" if value is True else to_html(value)
    return f' {_spell(key)}="{shown}"'


@cache  # there are few names
def _spell(key: str) -> str:
    return key.rstrip("_").replace("_", "-")
