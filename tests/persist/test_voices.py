"""Scorecards and look-alikes in model files: the same to the bit, and nothing that misleads."""

import copy
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

import picrules
from picrules import PersonalRuleClassifier
from picrules.errors import BadModelFile, NotEnoughMemory
from picrules.persist import contents
from picrules.persist.format import from_bytes
from tests.persist import damage
from tests.persist.models import TOGETHER, checkered, classes, small_model, small_scorecard, table

STORED = Path(__file__).parent / "stored"

# What the small scorecard says could decide: a full search, look-alikes, and a set of features.
SCORED = {"measure": "evidence", "alpha": 1.0, "smoothing": 2.0, "weight": 0.5, "floor": -4.0}
VOICES = [
    {**SCORED, "max_length": 2, "is_coarse": True, "floor": -8.0},
    {**SCORED, "max_length": 2, "is_coarse": False, "least": 3, "widths": [1, 0, 0.25, 0, 0, 0]},
    {**SCORED, "max_length": 2, "is_coarse": True, "features": [0, 2]},
]
# Rules between the two leading classes may follow.
LAST = {**SCORED, "max_length": 1, "is_coarse": True, "pairs": [[0, 1], [1, 2]]}


@pytest.fixture(scope="module")
def scorecard(tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / "scorecard.pic"
    small_scorecard().save(path)
    text, arrays = damage.read_parts(path.read_bytes())
    content = from_bytes(text)
    content["state"]["voices"] = VOICES
    content["state"]["tuning"]["by_rules"] = [[1, 0.5], [3, 0.75]]
    return content, arrays


@pytest.fixture
def open_changed(scorecard, tmp_path):
    """Open a scorecard whose content, or arrays, were changed."""

    def open_it(change, *, mmap=False, codes=None):
        content, arrays = copy.deepcopy(scorecard)
        change(content["state"], content["state"]["voices"])
        arrays = arrays if codes is None else arrays | {"codes": codes}
        text = json.dumps(content).encode()
        (tmp_path / "changed.pic").write_bytes(damage.write_parts(text, arrays))
        return picrules.load(tmp_path / "changed.pic", mmap=mmap)

    return open_it


def save_and_load(fitted, path, *, mmap=False):
    fitted.save(path, keep_order=True)
    return picrules.load(path, mmap=mmap)


def content_of(path):
    return from_bytes(damage.read_parts(path.read_bytes())[0])


@pytest.mark.parametrize("mmap", [False, True], ids=["read", "mapped"])
@pytest.mark.parametrize("estimator", TOGETHER, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_a_loaded_model_says_the_same_to_the_bit(estimator, seed, mmap, tmp_path):
    X, X_new = table(50, seed), table(40, seed + 100)
    X.loc[::7, "size"], X_new.loc[::5, ["day", "grade"]] = None, None
    fitted = clone(estimator).fit(X, (checkered if estimator.n_rules == 1 else classes)(X))
    loaded = save_and_load(fitted, tmp_path / "model.pic", mmap=mmap)
    assert loaded.get_params() == fitted.get_params()
    assert loaded.tuning_ == replace(fitted.tuning_, seconds=None)
    assert loaded.predict(X_new).tolist() == fitted.predict(X_new).tolist()
    assert loaded.predict_proba(X_new).tobytes() == fitted.predict_proba(X_new).tobytes()
    told = [each.to_dict() for each in fitted.explain(X_new)]
    assert [each.to_dict() for each in loaded.explain(X_new)] == told
    loaded.save(tmp_path / "again.pic", keep_order=True)
    assert (tmp_path / "again.pic").read_bytes() == (tmp_path / "model.pic").read_bytes()


def test_the_models_of_these_tests_are_scorecards_and_look_alikes(tmp_path):
    """Else the tests above would only be about single rules."""
    small_model(clone(TOGETHER[0]), 60).save(tmp_path / "scorecard.pic")
    small_model(clone(TOGETHER[2]), 60, checkered).save(tmp_path / "alike.pic")
    scorecard, alike = content_of(tmp_path / "scorecard.pic"), content_of(tmp_path / "alike.pic")
    assert len(scorecard["state"]["voices"]) > 1
    assert len(scorecard["state"]["coarse"]["cuts"]) == 7
    (voice,) = alike["state"]["voices"]
    assert "widths" in voice
    assert "coarse" not in alike["state"]


def test_the_same_model_gives_the_same_bytes(tmp_path):
    for name in ("one.pic", "two.pic"):
        small_scorecard().save(tmp_path / name)
    assert (tmp_path / "one.pic").read_bytes() == (tmp_path / "two.pic").read_bytes()


@pytest.mark.parametrize(("name", "number"), [("fpic", 1), ("personal", 1), ("scorecard", 2)])
def test_files_are_written_in_the_format_that_counts_pairs(name, number, tmp_path):
    assert content_of(STORED / f"{name}.pic")["format"] == number
    picrules.load(STORED / f"{name}.pic").save(tmp_path / "again.pic")
    assert content_of(tmp_path / "again.pic")["format"] == 4


def test_parameters_that_say_nothing_new_are_not_written(tmp_path):
    plain = {"cuts": 2, "max_length": 1, "smoothing": 1, "look_alikes": False, "intervals": False}
    small_model(PersonalRuleClassifier(**plain)).save(tmp_path / "plain.pic")
    content = content_of(tmp_path / "plain.pic")
    assert "look_alikes" not in content["state"]["parameters"]
    assert "n_rules" not in content["state"]["parameters"]
    assert picrules.load(tmp_path / "plain.pic").look_alikes is False
    changed = ({"look_alikes": "auto"}, {"n_rules": 2}, {"n_rules": "auto"}, {"intervals": "auto"})
    for other in changed:
        small_model(PersonalRuleClassifier(**plain | other)).save(tmp_path / "other.pic")
        loaded = picrules.load(tmp_path / "other.pic")
        assert loaded.get_params() | other == loaded.get_params()


def test_a_value_that_only_looks_like_the_absent_one_is_not_written(tmp_path):
    fitted = small_model(PersonalRuleClassifier(cuts=2, max_length=1, look_alikes=False))
    for name, value in (("look_alikes", 0), ("n_rules", True), ("n_rules", 1.0)):
        with pytest.raises(BadModelFile, match=f"its parameters: {name} is"):
            copy.copy(fitted).set_params(**{name: value}).save(tmp_path / "model.pic")


def test_voices_that_could_have_been_learned_are_read(open_changed):
    loaded = open_changed(lambda s, v: None)
    assert loaded.tuning_.n_rules == 3
    assert loaded.tuning_.by_rules == {1: 0.5, 3: 0.75}
    X = table(20, seed=5)
    assert [each.prediction for each in loaded.explain(X)] == loaded.predict(X).tolist()
    assert np.allclose(loaded.predict_proba(X).sum(axis=1), 1)


@pytest.mark.parametrize("mmap", [False, True], ids=["read", "mapped"])
def test_rules_between_leading_classes_are_read_and_written_again(mmap, open_changed, tmp_path):
    plain = open_changed(lambda s, v: None)
    plain.save(tmp_path / "plain.pic")
    content, arrays = damage.read_parts((tmp_path / "plain.pic").read_bytes())
    content = from_bytes(content)
    content["format"] = 6
    content["state"]["voices"].append(LAST)
    text = json.dumps(content).encode()
    (tmp_path / "between.pic").write_bytes(damage.write_parts(text, arrays))
    loaded = picrules.load(tmp_path / "between.pic", mmap=mmap)
    assert loaded._model.members[-1].pairs == ((0, 1), (1, 2))
    X = table(40, seed=5)
    assert not np.array_equal(loaded.predict_proba(X), plain.predict_proba(X))
    loaded.save(tmp_path / "again.pic")
    assert content_of(tmp_path / "again.pic")["state"]["voices"][-1]["pairs"] == LAST["pairs"]
    again = picrules.load(tmp_path / "again.pic")
    assert again.predict_proba(X).tobytes() == loaded.predict_proba(X).tobytes()
    assert [str(each) for each in again.explain(X)] == [str(each) for each in loaded.explain(X)]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([], "1 to 32 different pairs of classes"),
        ([[0, 1], [0, 1]], "1 to 32 different pairs of classes, in order"),
        ([[1, 2], [0, 1]], "1 to 32 different pairs of classes, in order"),
        ([[0, 3]], "of 3 classes are expected"),
        ([[1, 0]], "a list of pairs of whole numbers that increase is expected"),
        ([[1, 1]], "pairs of whole numbers that increase"),
        ([[-1, 1]], "pairs of whole numbers that increase"),
        ([[0, True]], "pairs of whole numbers that increase"),
        ([[0, 1, 2]], "pairs of whole numbers that increase"),
        ([0, 1], "pairs of whole numbers that increase"),
    ],
)
def test_pairs_of_classes_are_checked(pairs, said, open_changed):
    with pytest.raises(BadModelFile, match=said):
        open_changed(lambda s, v: v.append(LAST | {"pairs": pairs}))


@pytest.mark.parametrize("at", [0, 1, 2])
def test_rules_between_leading_classes_come_last(at, open_changed):
    with pytest.raises(BadModelFile, match="leading classes are not its last voice, after"):
        open_changed(lambda s, v: v.insert(at, LAST))


def test_rules_between_leading_classes_come_once(open_changed):
    with pytest.raises(BadModelFile, match="leading classes are not its last voice, after"):
        open_changed(lambda s, v: v.extend([LAST, LAST]))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda s, v: v.clear(), "it has 0 voices; from 1 to 100 are expected"),
        (lambda s, v: v.extend([v[2]] * 98), "it has 101 voices; from 1 to 100"),
        (lambda s, v: v.reverse(), "its first voice has features of its own"),
        (lambda s, v: s.pop("voices"), "state.voices is missing"),
        (lambda s, v: s.pop("coarse"), r"voices\[0\] is coarse, but the model has no coarser"),
        (lambda s, v: s.update(voices=v[1:2]), "coarser conditions, but no voice that uses them"),
        (lambda s, v: s.pop("has_intervals"), "look-alikes, but its conditions have no intervals"),
        (lambda s, v: s.update(has_intervals=1), "has_intervals is 1; true or false is expected"),
        (lambda s, v: v[1].update(is_coarse=True), "but its conditions have no intervals"),
        (lambda s, v: v[1].update(features=[0, 2]), "the key 'least', which this format has not"),
        (lambda s, v: v[0].update(more=1), "the key 'more', which this format has not"),
        (lambda s, v: v[2].update(features=[]), "1 to 4 numbers from 0 to 5 that increase"),
        (lambda s, v: v[2].update(features=[0, 1, 2, 3, 4]), "features is .* 1 to 4 numbers"),
        (lambda s, v: v[2].update(features=[2, 0]), "numbers from 0 to 5 that increase"),
        (lambda s, v: v[2].update(features=[1, 1]), "numbers from 0 to 5 that increase"),
        (lambda s, v: v[2].update(features=[0, 6]), "numbers from 0 to 5 that increase"),
        (lambda s, v: v[2].update(features=[-1, 0]), "numbers from 0 to 5 that increase"),
        (lambda s, v: v[2].update(features=[0.5]), "a list of whole numbers is expected"),
        (lambda s, v: v[1].update(widths=[1] * 5), "widths has 5 numbers, 5 of them positive; 6"),
        (lambda s, v: v[1].update(widths=[0] * 6), "6 numbers, 0 of them positive; 6 are expected"),
        (lambda s, v: v[1].update(widths=[0.2] * 6), "numbers that are 0 or from 0.25 to 4"),
        (lambda s, v: v[1].update(widths=[4.5] * 6), "numbers that are 0 or from 0.25 to 4"),
        (lambda s, v: v[1].update(widths=[-1] * 6), "numbers that are 0 or from 0.25 to 4"),
        (lambda s, v: v[1].update(widths=[10**400] * 6), "numbers that are 0 or from 0.25 to 4"),
        (lambda s, v: v[1].update(least=0), "least is 0; a whole number from 1 to 2147483647"),
        (lambda s, v: v[1].update(least=2**31), "a whole number from 1 to 2147483647"),
        (lambda s, v: v[1].pop("least"), "least is missing"),
        (lambda s, v: v[0].update(max_length=0), "max_length is 0; a whole number from 1 to 6"),
        (lambda s, v: v[0].update(max_length=7), "max_length is 7; a whole number from 1 to 6"),
        (lambda s, v: v[1].update(max_length=3), "max_length is 3; a whole number from 1 to 2"),
        (lambda s, v: v[2].update(max_length=3), "max_length is 3; a whole number from 1 to 2"),
        (lambda s, v: v[0].update(weight=-0.5), r"weight is -0.5; a number from 0 to 1e\+06"),
        (lambda s, v: v[0].update(weight=2e6), r"a number from 0 to 1e\+06 is expected"),
        (lambda s, v: v[0].update(floor=-2e6), r"a number from -1e\+06 to 1e\+06 is expected"),
        (lambda s, v: v[0].pop("floor"), r"voices\[0\].floor is missing"),
        (lambda s, v: v[0].update(measure="luck"), "measure is 'luck'; one of"),
        (lambda s, v: v[0].update(alpha=2), "alpha is 2; a number from 0 to 1"),
        (lambda s, v: v[0].update(smoothing=0), "smoothing is 0; a number from 1e-06"),
        (lambda s, v: s.update(class_offset=[0, 0, 2e6]), r"class_offset is not from -1e\+06 to"),
        (lambda s, v: s.update(class_offset=[0, 0, -2e6]), r"class_offset is not from -1e\+06 to"),
        (lambda s, v: s["coarse"]["cuts"].pop(), "cuts has 6 lists; 7, one per column"),
        (lambda s, v: s["coarse"]["cuts"].__setitem__(0, [3, 2]), "cuts of 'size' are .* increase"),
        (lambda s, v: s["coarse"]["cuts"].__setitem__(0, [2, 2]), "cuts of 'size' are .* increase"),
        (lambda s, v: s["coarse"]["cuts"].__setitem__(0, [-1]), "positions that increase, among"),
        (lambda s, v: s["coarse"]["cuts"].__setitem__(0, [999]), "positions that increase, among"),
        (lambda s, v: s["coarse"]["cuts"].__setitem__(4, [0]), "'grade' are .* among 0 cuts"),
        (
            lambda s, v: s["coarse"]["cuts"].__setitem__(0, [0.5]),
            "a list of lists of whole numbers",
        ),
        (lambda s, v: s["coarse"].update(more=1), "the key 'more', which this format has not"),
        (
            lambda s, v: (s.update(has_subsets=False), s["coarse"].update(has_subsets=True)),
            "coarse has sets of values, but the finer conditions have none",
        ),
        (
            lambda s, v: (
                s["coarse"].update(has_intervals=True),
                s["features"][0].update(cuts=list(range(200))),
            ),
            "coarse has intervals that the finer conditions have not",
        ),
        (
            lambda s, v: s["coarse"].update(has_intervals=True),
            "coarser conditions are not those that were chosen: intervals",
        ),
        (lambda s, v: s["tuning"].update(by_rules={"1": 1}), "pairs of a count from 1 and a score"),
        (lambda s, v: s["tuning"].update(by_rules=[[0, 1]]), "pairs of a count from 1 and a score"),
        (lambda s, v: s["tuning"].update(by_rules=[[101, 1]]), "pairs of a count from 1 and a"),
        (lambda s, v: s["tuning"].update(by_rules=[[1.0, 1]]), "pairs of a count from 1 and a"),
        (lambda s, v: s["tuning"].update(by_rules=[[1, 10**400]]), "pairs of a count from 1 and"),
        (lambda s, v: s["tuning"].update(by_rules=[[1]]), "pairs of a count from 1 and a score"),
        (lambda s, v: s["tuning"].update(by_rules=[[2, 1], [1, 1]]), "counts that do not increase"),
        (lambda s, v: s["parameters"].update(n_rules=101), "n_rules is 101; a whole number from 1"),
        (lambda s, v: s["parameters"].update(look_alikes="no"), "look_alikes is 'no'"),
        (lambda s, v: s["parameters"].pop("cuts"), "parameters.cuts is missing"),
    ],
)
def test_each_number_is_checked(change, said, open_changed):
    with pytest.raises(BadModelFile, match=said):
        open_changed(change)


def test_the_first_format_has_no_voices(scorecard, tmp_path):
    content, arrays = copy.deepcopy(scorecard)
    content["format"] = 1
    (tmp_path / "one.pic").write_bytes(damage.write_parts(json.dumps(content).encode(), arrays))
    with pytest.raises(BadModelFile, match="its format is 1, but what it holds is format 4"):
        picrules.load(tmp_path / "one.pic")


@pytest.mark.parametrize("code", [2**30, -2])
def test_codes_are_checked_before_they_turn_into_coarser_ones(code, scorecard, open_changed):
    codes = scorecard[1]["codes"].copy()
    codes[0, 0] = code
    for mmap in (False, True):
        with pytest.raises(BadModelFile, match=r"cannot be opened.* codes of 'size' reach from"):
            open_changed(lambda s, v: None, mmap=mmap, codes=codes)


@pytest.mark.parametrize("code", [2**30, -2])
def test_mapped_codes_are_checked_before_look_alikes_are_searched(code, scorecard, open_changed):
    codes = scorecard[1]["codes"].copy()
    codes[0, 0] = code

    def leave_look_alikes(state, voices):
        del state["coarse"]
        state["voices"] = voices[1:2]

    loaded = open_changed(leave_look_alikes, mmap=True, codes=codes)
    for _ in range(2):
        with pytest.raises(BadModelFile, match="codes of 'size' reach from"):
            loaded.predict(table(5))


def test_conditions_that_do_not_fit_into_memory_are_refused(open_changed, monkeypatch):
    """A file of some megabytes could have made conditions of terabytes."""
    monkeypatch.setattr(contents, "default_memory_limit", lambda: 1000.0)
    with pytest.raises(NotEnoughMemory, match=r"the conditions take 0\.0 GiB; 0\.0 GiB are avail"):
        open_changed(lambda s, v: None)
