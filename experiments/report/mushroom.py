"""The rules of PIC on mushroom: how often each is used, and which of them only PIC finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from experiments.printed import paper_tables
from experiments.report.page import new_figure
from experiments.rivals.rule import FoundRule, Item

if TYPE_CHECKING:
    from experiments.report.page import Pages

PERSONAL = "PIC(0.9)"
RULE_SETS = ("DR-Net", "DR-Net trained", "BRS", "DRS", "RIPPER")


def printed_rules() -> dict[FoundRule, str]:
    """The rules that the paper lists, with the methods that share them."""
    listed = paper_tables()["mushroom"]
    found = {_rule(items, label): ", ".join(by) for items, label, by in listed["common"]}
    return found | {_rule(items, label): "personalized" for items, label in listed["personalized"]}


def _rule(texts: list[str], label: str) -> FoundRule:
    pairs = [text.split("=") for text in texts]
    return FoundRule(frozenset(Item(name, f"{name} = {value}") for name, value in pairs), label)


def usage_table(rules: pd.DataFrame) -> pd.DataFrame:
    """One line a rule of PIC: rows, folds, who else has it, and what the paper says of it."""
    mine = rules[(rules["dataset"] == "mushroom") & (rules["repeat"] == 0)]
    others = {name: set(mine.loc[mine["method"] == name, "rule"]) for name in RULE_SETS}
    printed = printed_rules()
    lines = []
    for rule, rows in mine[mine["method"] == PERSONAL].groupby("rule", sort=False):
        shared = [n for n, found in others.items() if any(rule.is_part_of(r) for r in found)]
        lines.append(
            {
                "rule": " and ".join(map(str, sorted(rule.items))),
                "class": rule.label,
                "rows": int(rows["n_rows"].sum()),
                "folds": rows["fold"].nunique(),
                "also part of a rule of": ", ".join(shared) or "none: personalized",
                "in the paper": printed.get(rule, ""),
            }
        )
    columns = ["rule", "class", "rows", "folds", "also part of a rule of", "in the paper"]
    table = pd.DataFrame(lines, columns=columns)
    return table.sort_values("rows", ascending=False, kind="stable", ignore_index=True)


def write(fits: pd.DataFrame, rules: pd.DataFrame, pages: Pages) -> None:
    del fits
    table = usage_table(rules)
    if table.empty:
        return
    listed = paper_tables()["mushroom"]
    is_listed = table["in the paper"] != ""
    is_alone = table["also part of a rule of"].str.startswith("none")
    edible = int((table["class"] == "e").sum())
    text = (
        f"PIC(0.9), 5 folds: {len(table)} rules, {edible} for edible and {len(table) - edible} for "
        f"poisonous (paper: {listed['rules']}, {listed['class_0']} and {listed['class_1']}). "
        f"{is_listed.sum()} of the {len(printed_rules())} rules that the paper lists are among "
        f"them. {is_alone.sum()} are personalized: no rule of the other methods has all their "
        f"conditions and their class (paper: {len(listed['personalized'])})."
    )
    pages.write("mushroom_rules", "Rules of PIC on mushroom", table, text=text)
    figure, (axes,) = new_figure(9, 0.24 * len(table) + 1)
    colours = ["tab:green" if label == "e" else "tab:red" for label in table["class"]]
    axes.barh(table["rule"] + " -> " + table["class"], table["rows"], color=colours)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlabel("rows that the rule answers, 5 folds")
    axes.tick_params(axis="y", labelsize=7)
    pages.draw("mushroom_usage", figure)
