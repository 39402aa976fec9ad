"""Model files that are damaged, or made to harm, for the tests and the long run of fuzzing."""

import copy
import io
import json
import re
import struct
import zipfile
import zlib

import numpy as np

from picrules.persist.archive import Member, arrange
from picrules.persist.format import CONTENT, ArraySpec, from_bytes, member_of, to_bytes
from picrules.persist.save import write_archive

NASTY = [
    None, True, False, 0, -1, 1, 2, 7, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308,
    float("5e-324"), "", "x", "Infinity", "NaN", "\ud800", "\x00", "../../etc/passwd", "x" * 5000,
    [], [[]], [0], [1, 1], ["a", "a"], [True, 1], {}, {"a": 1}, {"list": [1, 2]},
    {"list": [{"list": []}]}, {"pairs": [["a", 2]]}, {"number": "Infinity"}, [None], [1.5, 0.5],
]  # fmt: skip
NAMES = [
    "../model.json", "/etc/passwd", "codes.npy/../labels.npy", "CODES.NPY", "model.json ", "",
    "codes.pkl", "a" * 150 + ".npy", "codes\x00.npy", "..\\codes.npy", "c:codes.npy", ".npy",
]  # fmt: skip


def read_parts(model):
    """The JSON text and the arrays of an intact model file."""
    with zipfile.ZipFile(io.BytesIO(model)) as archive:
        arrays = {
            name.removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
            for name in archive.namelist()
            if name != CONTENT
        }
        return archive.read(CONTENT), arrays


def write_parts(text, arrays):
    file = io.BytesIO()
    write_archive(file, text, arrays)
    return file.getvalue()


def write_members(members):
    """An archive of any members, with right headers and checksums."""
    parts = [Member(name, len(part), zlib.crc32(part)) for name, part in members]
    arranged, directory = arrange(parts)
    pieces = [member.header + part for member, (_, part) in zip(arranged, members, strict=True)]
    return b"".join(pieces) + directory


def flip_bits(rng, model):
    damaged = bytearray(model)
    for _ in range(rng.choice([1, 1, 2, 10])):
        damaged[rng.integers(len(model))] ^= 1 << rng.integers(8)
    return bytes(damaged)


def overwrite(rng, model):
    start = int(rng.integers(len(model)))
    noise = rng.bytes(int(rng.integers(1, 40)))
    return model[:start] + noise + model[start + len(noise) :]


def cut_off(rng, model):
    return model[: rng.integers(len(model))]


def insert(rng, model):
    position = int(rng.choice([0, len(model), rng.integers(len(model))]))
    return model[:position] + rng.bytes(int(rng.integers(1, 100))) + model[position:]


def move(rng, model):
    start, stop = sorted(rng.integers(0, len(model), 2).tolist())
    position = int(rng.integers(len(model)))
    return model[:position] + model[start:stop] + model[position:]


def change_number(rng, model):
    """Overwrite 2, 4 or 8 bytes with a number that sizes and offsets could be."""
    form, n_bytes = [("<H", 2), ("<L", 4), ("<Q", 8)][rng.integers(3)]
    number = int(
        rng.choice([0, 1, 63, len(model), 2**16 - 1, 2**31, 2**32 - 1, 100 * 10**9, 2**63])
    )
    position = int(rng.integers(max(1, len(model) - 400), len(model) - n_bytes))
    number %= 2 ** (8 * n_bytes)
    return model[:position] + struct.pack(form, number) + model[position + n_bytes :]


def random_bytes(rng, model):
    return rng.bytes(int(rng.integers(0, 600)))


def change_json(rng, model):
    """Change one value or key; everything around it, and the checksums, are right."""
    text, arrays = read_parts(model)
    content = from_bytes(text)
    for _ in range(rng.choice([1, 1, 1, 2])):
        holder, key = _random_entry(rng, content)
        change = rng.integers(4)
        if change == 0 and isinstance(holder, dict):
            del holder[key]
        elif change == 1 and isinstance(holder, dict):
            holder[f"{key}x"] = holder[key]
        elif change == 2 and isinstance(holder, list):
            holder.insert(key, copy.deepcopy(holder[key]))
        else:
            holder[key] = copy.deepcopy(NASTY[rng.integers(len(NASTY))])
    return write_parts(json.dumps(content).encode("ascii"), arrays)


def change_voices(rng, model):
    """Change what decides together to what nearly could; much of it is as good as it was."""
    text, arrays = read_parts(model)
    content = from_bytes(text)
    state = content["state"]
    voices, near = state.get("voices", [{}]), lambda: int(rng.integers(-1, 8))
    voice = voices[rng.integers(len(voices))]
    cuts = state.get("coarse", {}).get("cuts", [[]])
    changes = [
        lambda: voices.reverse(),
        lambda: voices.append(dict(voice)),
        lambda: voices.pop(),
        lambda: voice.pop(str(rng.choice([*voice, "floor"])), None),
        lambda: voice.update(is_coarse=not voice.get("is_coarse")),
        lambda: voice.update(features=sorted({near(), near()})),
        lambda: voice.update(widths=rng.choice([0, 0.25, 1, 4], 6).tolist(), least=near()),
        lambda: voice.update(max_length=near()),
        lambda: voice.update(weight=float(rng.choice([0, 1e-300, 1e6])), floor=-1e6),
        lambda: voice.update(measure=str(rng.choice(["precision", "certainty_factor"]))),
        lambda: voice.update(alpha=0, smoothing=float(rng.choice([1e-300, 2.0**60]))),
        lambda: cuts.__setitem__(rng.integers(len(cuts)), sorted({near(), near()})),
        lambda: state.pop("coarse", None),
        lambda: state.update(coarse={"cuts": [[]] * 7, "has_subsets": False}),
        lambda: state.update(has_intervals=not state.get("has_intervals")),
        lambda: state.update(has_subsets=not state.get("has_subsets")),
        lambda: state.update(class_offset=[1e6, -1e6, 0.0][: len(state["class_sizes"])]),
        lambda: state["features"][rng.integers(7)].update(is_ordered=True),
        lambda: state["features"][rng.integers(7)].update(is_empty=True),
    ]
    for _ in range(rng.choice([1, 1, 2, 3])):
        if voices:
            changes[rng.integers(len(changes))]()
    return write_parts(json.dumps(content).encode("ascii"), arrays)


def _random_entry(rng, content):
    """A random key of a random object or list inside."""
    entries, left = [], [content]
    while left:
        holder = left.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            entries.append((holder, key))
            if isinstance(holder[key], dict | list):
                left.append(holder[key])
    return entries[rng.integers(len(entries))] if entries else ({"": 0}, "")


def change_json_text(rng, model):
    """JSON that is cut, doubled, nested deeply, or not JSON."""
    text, arrays = read_parts(model)
    half = text[: len(text) // 2]
    texts = [
        half, text + text, b"", b"null", b"[]", b"[" * 100_000, b'{"a":' * 5000,
        *(re.sub(rb'"format": \d', b'"format": %d' % number, text) for number in (1, 2, 3, 4, 5)),
        text.replace(b'"format": ', b'"format": 1, "format": '),
        text.replace(b"0.9", b"NaN"), text.replace(b"0.9", b"1" * 5000), text + b"\xff",
        text.replace(b'"alpha": 0.9', b'"alpha": ' + b'{"list": [' * 400 + b"]}" * 400),
        flip_bits(rng, text), overwrite(rng, text),
    ]  # fmt: skip
    return write_parts(texts[rng.integers(len(texts))], arrays)


def change_array(rng, model):
    """Arrays of another type, shape or order, or with numbers that stand for nothing."""
    text, arrays = read_parts(model)
    name = [*arrays][rng.integers(len(arrays))]
    array = arrays[name]
    numbers = array.copy()
    flat = numbers.reshape(-1)
    flat[rng.integers(flat.size)] = rng.choice([-2, -1, 0, 1, 2, 5, 2**31 - 1, -(2**31)])
    changed = [
        array.astype(np.float64), array.astype(np.int16), array.astype(np.uint8), array[..., :-1],
        array[np.newaxis], array.T.copy(), array.reshape(-1), array[..., :0], array > 0,
        array.astype("S3"), numbers, numbers, numbers, rng.permuted(numbers),
    ]  # fmt: skip
    return write_parts(text, {**arrays, name: changed[rng.integers(len(changed))]})


def change_members(rng, model):
    """Members that are missing, doubled, renamed, reordered, added, or claim too much."""
    text, arrays = read_parts(model)
    members = [(CONTENT, text)]
    for name, array in arrays.items():
        header = ArraySpec(array.dtype.str, array.shape).header
        members.append((member_of(name), header + array.tobytes()))
    position = int(rng.integers(len(members)))
    huge = ArraySpec("<i4", (25 * 10**9,)).header
    objects = ArraySpec("|O", (3,)).header + b"cos\nsystem\n(S'true'\ntR."
    changes = [
        lambda: members.pop(position),
        lambda: members.append(members[position]),
        lambda: members.append(("more.npy", b"")),
        lambda: members.reverse(),
        lambda: members.__setitem__(position, (str(rng.choice(NAMES)), members[position][1])),
        lambda: members.__setitem__(position, (members[position][0], huge)),
        lambda: members.__setitem__(position, (members[position][0], objects)),
        lambda: members.__setitem__(position, (members[position][0], b"")),
        lambda: members.extend([(f"m{number}.npy", b"") for number in range(300)]),
    ]
    changes[rng.integers(len(changes))]()
    return write_members(members) if members else b""


def other_zip(rng, model):
    """The same members in a zip as other programs write it: packed, doubled, a bomb."""
    text, arrays = read_parts(model)
    file = io.BytesIO()
    packed = rng.random() < 0.7
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED if packed else 0) as archive:
        archive.writestr(CONTENT, text)
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array)
            archive.writestr(member_of(name), content.getvalue())
        if rng.random() < 0.2:
            archive.writestr("bomb.npy", bytes(2**20))
    return file.getvalue()


def change_claims(rng, model):
    """JSON that claims more rows than there are, up to terabytes."""
    text, arrays = read_parts(model)
    content = from_bytes(text)
    n_rows = int(rng.choice([10**3, 10**6, 10**9, 2**31 - 1]))
    content["state"]["n_rows"] = n_rows
    sizes = content["state"]["class_sizes"]
    sizes[0] = n_rows - sum(sizes[1:])
    return write_parts(to_bytes(content), arrays)


DAMAGES = [
    flip_bits, overwrite, cut_off, insert, move, change_number, random_bytes, change_json,
    change_json, change_json, change_json, change_voices, change_voices, change_json_text,
    change_array, change_array, change_members, other_zip, change_claims,
]  # fmt: skip


def damage(seed, model):
    """One damaged file; the same for the same seed."""
    rng = np.random.default_rng(seed)
    return DAMAGES[rng.integers(len(DAMAGES))](rng, model)
