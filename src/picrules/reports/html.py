"""Pieces of HTML, in which all text from outside is escaped."""

from __future__ import annotations

from html import escape


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
    # Half a surrogate pair can be in a Python text but in no file.
    return Html(escape(str(content).encode("utf-8", "replace").decode()))


def join(*contents: object) -> Html:
    """Put pieces one after the other."""
    return Html("".join(to_html(content) for content in contents))


def tag(name: str, *contents: object, **attributes: object) -> Html:
    """Return an element; its class stands after the name and a dot.

    Examples
    --------
    >>> tag("p.note", "1 < 2", tag("b", "!"), title='"yes"')
    '<p class="note" title="&quot;yes&quot;">1 &lt; 2<b>!</b></p>'
    """
    name, _, kind = name.partition(".")
    named = {"class": kind, **attributes} if kind else attributes
    opening = "".join(f' {key}="{to_html(value)}"' for key, value in named.items())
    return Html(f"<{name}{opening}>{join(*contents)}</{name}>")
