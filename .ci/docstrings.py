"""Check the docstrings of the public names, by the checks listed in pyproject.toml."""

import dataclasses
import functools
import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from numpydoc.docscrape import get_doc_object
from numpydoc.validate import validate

import picrules

SETTINGS = tomllib.loads(Path("pyproject.toml").read_text())
CHECKS = SETTINGS["tool"]["numpydoc_validation"]["checks"]


def find_public_objects() -> dict[str, Any]:
    """Return what users call and read, by qualified name: an inherited method counts once."""
    found = {}
    for name in picrules.__all__:
        value = getattr(picrules, name)
        found[f"{value.__module__}.{value.__qualname__}"] = value
        if inspect.isclass(value):
            found.update(find_public_members(value))
    return found


def find_public_members(owner: type) -> Iterator[tuple[str, Any]]:
    for name in dir(owner):
        definitions = find_definitions(owner, name)
        if not name.startswith("_") and definitions:
            member, function = definitions[0]
            yield f"{function.__module__}.{function.__qualname__}", member


def find_definitions(owner: type, name: str) -> list[tuple[Any, Any]]:
    """Return the methods or properties of this name and their functions, as defined in picrules.

    The nearest one is left out if it only overrides another with the same parameters, whose
    docstring holds for both.
    """
    members = [vars(base)[name] for base in owner.__mro__ if name in vars(base)]
    pairs = [(member, get_function(member)) for member in members]
    ours = [
        (member, function)
        for member, function in pairs
        if function is not None and function.__module__.startswith("picrules.")
    ]
    while len(ours) > 1 and have_same_parameters(ours[0][1], ours[1][1]):
        del ours[0]
    return ours


def get_function(member: Any) -> Any:
    """Return the function of a method or a property, None of anything else."""
    if isinstance(member, property):
        return member.fget
    if isinstance(member, functools.cached_property):
        return member.func
    if isinstance(member, classmethod | staticmethod):
        return member.__func__
    return inspect.unwrap(member) if inspect.isfunction(member) else None


def have_same_parameters(one: Any, other: Any) -> bool:
    return [*inspect.signature(one).parameters] == [*inspect.signature(other).parameters]


def find_mistakes(value: Any) -> list[str]:
    value = getattr(value, "__func__", value)
    mistakes = validate(read_docstring(value))["errors"]
    # A result is read by users, not made: its fields stand under Attributes, of its bases too.
    has_fields = dataclasses.is_dataclass(value) and documents_all_fields(value)
    checks = set(CHECKS) - ({"PR01"} if has_fields else set())
    return [f"{check}: {message}" for check, message in mistakes if check in checks]


def read_docstring(value: Any) -> Any:
    # Else the slots and properties of a class count as written under its Attributes.
    return get_doc_object(value, config={"show_class_members": False})


def documents_all_fields(owner: type) -> bool:
    documents = [read_docstring(base) for base in owner.__mro__ if dataclasses.is_dataclass(base)]
    documented = {
        entry.name
        for document in documents
        for section in ("Parameters", "Attributes")
        for entry in document[section]
    }
    return documented >= {field.name for field in dataclasses.fields(owner)}


def main() -> int:
    objects = find_public_objects()
    mistakes = [
        f"{name}: {mistake}" for name, value in objects.items() for mistake in find_mistakes(value)
    ]
    print("\n".join([*mistakes, f"{len(objects)} public docstrings, {len(mistakes)} mistakes"]))
    return 1 if mistakes else 0


if __name__ == "__main__":
    sys.exit(main())
