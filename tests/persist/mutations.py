"""Model files with right checksums whose JSON was changed to what nearly could be.

Unlike `damage`, most of it passes the first checks: numbers stay numbers, lists grow and shrink,
parts of other models take the place of their own, and arrays follow the features.
"""

import contextlib
import json

import numpy as np

from picrules.persist.fields import Fields
from picrules.persist.format import from_bytes
from picrules.persist.state import ESTIMATORS, State
from tests.persist.damage import read_parts, write_parts

# Python's hash of whole numbers is the remainder by this.
MODULUS = 2**61 - 1
TEXTS = ["", "x", "\ud800", "a\udfffb", "\x00", "\x1b[31m", "x" * 3000, "\U0001f600", "nan", "=1+1"]
NUMBERS = [0, 1, -1, 2, 3, 7, 100, 20_000, 2**20, 2**31 - 1, 2**53, 1e-300, 1e6, 1e9, 1e300, 0.5]
COUNTS = [0, 1, 2, 5, 40, 130, 3000, 20_000]


def leaves(content, kind):
    """Holders and keys of all values of a kind."""
    found, left = [], [content]
    while left:
        holder = left.pop()
        for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
            value = holder[key]
            if isinstance(value, kind) and not (isinstance(value, bool) and kind is not bool):
                found.append((holder, key))
            if isinstance(value, dict | list):
                left.append(value)
    return found


def pick(rng, entries):
    return entries[rng.integers(len(entries))]


def change_number(rng, content, arrays, others):
    holder, key = pick(rng, leaves(content["state"], (int, float)))
    value, other = holder[key], pick(rng, NUMBERS)
    holder[key] = pick(rng, [other, -other, value + 1, value - 1, value * 2, value / 2, -value])


def change_text(rng, content, arrays, others):
    holder, key = pick(rng, leaves(content["state"], str))
    holder[key] = pick(rng, TEXTS)


def flip(rng, content, arrays, others):
    holder, key = pick(rng, leaves(content["state"], bool))
    holder[key] = not holder[key]


def stretch_list(rng, content, arrays, others):
    """A list of another length: what it has, over and over, or sorted numbers."""
    holder, key = pick(rng, leaves(content["state"], list))
    count, own = pick(rng, COUNTS), holder[key]
    made = [
        [*range(count)],
        [number / 7 for number in range(count)],
        [number * MODULUS for number in range(count)],
        [f"v{number}" for number in range(count)],
        (own * (count // len(own) + 1))[:count] if own else [],
        own[::-1],
    ]
    holder[key] = pick(rng, made)


def lengthen(rng, content, arrays, others):
    """Rules of any length, wherever a length stands."""
    length = int(pick(rng, [1, 2, 3, 4, 7, 30, 40, 10**6]))
    for holder, key in leaves(content["state"], int):
        if key == "max_length":
            holder[key] = length


def add_features(rng, content, arrays, others):
    """More columns, with codes of their own; those with conditions change what follows."""
    count, state = int(pick(rng, [1, 5, 33])), content["state"]
    model = pick(rng, state["features"])
    for number in range(count):
        state["features"].append({**model, "name": f"more {number}"})
    if "coarse" in state:
        state["coarse"]["cuts"] += [[] for _ in range(count)]
    for voice in state.get("voices", []):
        if "widths" in voice:
            voice["widths"] += [float(pick(rng, [0, 0.25, 1, 4])) for _ in range(count)]
    codes = arrays["codes"]
    arrays["codes"] = np.concatenate([codes, rng.integers(-1, 2, (count, codes.shape[1]))])
    arrays["codes"] = np.ascontiguousarray(arrays["codes"], np.int32)


def cut_finely(rng, content, arrays, others):
    """Very many cuts, or categories, of one feature."""
    feature, count = pick(rng, content["state"]["features"]), pick(rng, COUNTS[2:])
    if "cuts" in feature:
        step = 86_400_000_000 if feature["kind"] == "date" else 1 / 16
        feature["cuts"] = [number * step for number in range(count)]
    else:
        feature["categories"] = [f"v{number:05}" for number in range(count)]
        feature["is_ordered"] = bool(rng.integers(2))


def scale_numbers(rng, content, arrays, others):
    """Weights, offsets, leads and floors, all times the same."""
    factor = float(pick(rng, [1e-9, 1e-6, 1e3, 1e6, 1e9, 1e300]))
    names = ("class_weights", "class_offset", "leads", "weight", "floor", "smoothing")
    for name in pick(rng, [names, *((each,) for each in names)]):
        for holder, key in leaves(content["state"], (int, float, list)):
            value = holder[key]
            if key == name and isinstance(value, list):
                holder[key] = [each * factor for each in value]
            elif key == name:
                holder[key] = value * factor


def take_part(rng, content, arrays, others):
    """A part of another model in the place of its own."""
    other = pick(rng, others)["state"]
    key = pick(rng, sorted(set(other) | set(content["state"])))
    if key in other:
        content["state"][key] = other[key]
    else:
        del content["state"][key]


def rename(rng, content, arrays, others):
    content["estimator"] = pick(rng, ["pic", "fpic", "personal"])


MUTATIONS = [
    change_number, change_number, change_number, change_text, flip, flip, stretch_list, lengthen,
    add_features, cut_finely, cut_finely, scale_numbers, take_part, rename,
]  # fmt: skip


def set_format(content):
    """Give a file that could be read the number of what it holds: no other would be read."""
    with contextlib.suppress(Exception):
        kind = ESTIMATORS[content["estimator"]]
        content["format"] = State.read(Fields(content["state"], "state"), kind).format


def mutate(seed, models):
    """One changed file; the same for the same seed."""
    rng = np.random.default_rng([seed, 1])
    text, arrays = read_parts(models[seed % len(models)])
    content, others = from_bytes(text), [from_bytes(read_parts(other)[0]) for other in models]
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        # What one change has broken another may not find.
        with contextlib.suppress(AttributeError, LookupError, TypeError, ValueError):
            pick(rng, MUTATIONS)(rng, content, arrays, others)
    set_format(content)
    return write_parts(json.dumps(content, allow_nan=True).encode("ascii"), arrays)
