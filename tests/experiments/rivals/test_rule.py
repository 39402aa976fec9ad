from math import isnan

from experiments.rivals.rule import FoundRule, Item, RuleUse, mean_length

ODOR, RING = Item("odor", "odor = n"), Item("ring", "ring = o")
SHORT, LONG = FoundRule(frozenset({ODOR}), "e"), FoundRule(frozenset({ODOR, RING}), "e")


def test_common_rule_has_its_items_and_class_in_another():
    assert SHORT.is_part_of(LONG)
    assert not LONG.is_part_of(SHORT)
    assert not FoundRule(SHORT.items, "p").is_part_of(LONG)


def test_negated_items_are_others():
    assert not FoundRule(frozenset({Item("odor", "odor = n", is_negated=True)}), "e").is_part_of(
        LONG
    )


def test_lengths_of_personal_rules_count_rows():
    uses = [RuleUse(SHORT, 9), RuleUse(LONG, 1)]
    assert mean_length(uses, is_personal=True) == 1.1
    assert mean_length(uses, is_personal=False) == 1.5


def test_without_rules_there_is_no_length():
    assert isnan(mean_length([], is_personal=False))
    assert isnan(mean_length([RuleUse(SHORT, 0)], is_personal=True))
