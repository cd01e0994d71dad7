"""
Keys of the parts of a machine, derived from the fields of their dataclasses.

A field is a key of the same name. Its type is the form of the value (values.py), its default that of the key, and the
string literal below it is its documentation. A key without a default is required. The heading of a part is its name in
a table of such parts (`tuple[Level, ...]`), and no key.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from functools import cache
from itertools import pairwise
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from .containers import ListForm, TableForm
from .values import FlagForm, TextForm, ValueForm, WordForm


@dataclass(frozen=True)
class FollowsKey:
    """Annotation of a key whose default is the value of another one, where that is given."""

    key: str


@dataclass(frozen=True)
class Alone:
    """
    Annotation of a table: a value other than a table is that of `name`.

    A table without that name is refused as one that is `missing`, if that is not empty.
    """

    name: str
    missing: str = ""


class _Mark:
    """Annotation without parameters."""


HEADING = _Mark()
"""Annotation of the field that is the name of a part in a table of such parts."""
NO_KEY = _Mark()
"""Annotation of a field that no key of its name sets."""
MAY_BE_EMPTY = _Mark()
"""Annotation of a list that may be empty."""


PartName = Annotated[str, HEADING, TextForm(r"[A-Za-z_][\w.-]*", "a name of letters, digits, '_', '.' and '-'", "name")]


@dataclass(frozen=True)
class PartForm:
    """Table of the keys of a part."""

    part: type


@dataclass(frozen=True)
class PartsForm:
    """Table of such parts by name."""

    part: type


Form: TypeAlias = ValueForm | PartForm | PartsForm


@dataclass(frozen=True)
class Key:
    """
    Key of a part.

    `default` is that of the field, MISSING for a required key; `follows` is the key whose value is the default instead.
    """

    name: str
    form: Form
    default: Any
    follows: str = ""

    @property
    def is_required(self) -> bool:
        """True where the part has no value without the key."""
        return self.default is MISSING

    def default_in(self, part: Any) -> Any:
        """Return the value of the field of a part that does not have the key."""
        return (self.follows and getattr(part, self.follows)) or self.default


@cache
def keys_of(part: type) -> Mapping[str, Key]:
    """Return the keys of a part, in order of its fields."""
    hints = get_type_hints(part, include_extras=True)
    keys = (_key(field, hints[field.name]) for field in fields(part))
    return {key.name: key for key in keys if key is not None}


@cache
def heading_of(part: type) -> tuple[str, ValueForm]:
    """Return the field that is the name of a part in a table of such parts, and the form of names."""
    hints = get_type_hints(part, include_extras=True)
    (name,) = [field.name for field in fields(part) if HEADING in getattr(hints[field.name], "__metadata__", ())]
    return name, value_form_of(hints[name])


def _key(field: Field[Any], hint: Any) -> Key | None:
    marks: tuple[Any, ...] = hint.__metadata__ if get_origin(hint) is Annotated else ()
    if NO_KEY in marks or HEADING in marks:
        return None
    follows = next((mark.key for mark in marks if isinstance(mark, FollowsKey)), "")
    return Key(field.name, form_of(hint), field.default, follows)


def form_of(hint: Any) -> Form:
    """Return the form of the values of a type. Raises TypeError for a type that has none."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(hint.__origin__, hint.__metadata__)
    if origin is Literal:
        return WordForm(arguments)
    if origin in (Union, UnionType):
        (stated,) = [argument for argument in arguments if argument is not NoneType]
        return form_of(stated)
    if is_dataclass(hint):
        return PartForm(hint)  # pyright: ignore[reportArgumentType]
    if origin is not tuple:
        return {str: TextForm(), bool: FlagForm()}[hint]
    item = arguments[0]
    if get_origin(item) is tuple:
        name, value = map(value_form_of, get_args(item))
        return TableForm(name, value)
    return PartsForm(item) if isinstance(item, type) and is_dataclass(item) else ListForm(value_form_of(item))


def value_form_of(hint: Any) -> ValueForm:
    """Return the form of the values of a type that is no part. Raises TypeError for a part and a type without form."""
    form = form_of(hint)
    if not isinstance(form, ValueForm):
        raise TypeError(f"{form.part.__name__} has no name to stand in a table by")
    return form


def _annotated(hint: Any, marks: Sequence[Any]) -> Form:
    stated = [mark for mark in marks if isinstance(mark, ValueForm)]
    form = stated[0] if stated else form_of(hint)
    for mark in marks:
        if isinstance(mark, Alone) and isinstance(form, TableForm):
            form = replace(form, alone=mark.name, missing=mark.missing)
        elif mark is MAY_BE_EMPTY and isinstance(form, ListForm):
            form = replace(form, may_be_empty=True)
    return form


def documentation_of(part: type) -> dict[str, str]:
    """Return the documentation of the fields of a part: the string literal below each, as one paragraph."""
    texts: dict[str, str] = {}
    for cls in reversed(part.__mro__):
        if not is_dataclass(cls):
            continue
        (definition,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
        assert isinstance(definition, ast.ClassDef)
        for statement, below in pairwise(definition.body):
            match statement, below:
                case ast.AnnAssign(ast.Name(name)), ast.Expr(ast.Constant(str(text))):
                    texts[name] = " ".join(text.split())
                case _:
                    pass
    return texts
