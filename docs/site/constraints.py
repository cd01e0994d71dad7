"""Constraints of xDSL's operand, result and attribute definitions in words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from xdsl.dialects.builtin import AnyFloatConstr, ArrayOfConstraint, BFloat16Type, Float32Type
from xdsl.ir import Attribute, ParametrizedAttribute, TypeAttribute
from xdsl.irdl import (
    AllOf,
    AnyAttr,
    AnyOf,
    AttrConstraint,
    BaseAttr,
    EqAttrConstraint,
    MessageConstraint,
    ParamAttrConstraint,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    TypeVarConstraint,
    VarConstraint,
)

ANY = "any"
_FLOATS = AnyFloatConstr.get_bases() or {BFloat16Type, Float32Type}
_DEPTH = 2
"""The nesting of parameters that a text shows: those of constants have their whole type inside."""


def constraint_text(constraint: object, depth: int = 0) -> str:
    """Return the types or attributes that a constraint admits, such as `i32 or index`; `any` for all."""
    match constraint:
        case RangeLengthConstraint(constraint=inner) | TypeVarConstraint(base_constraint=inner):
            return constraint_text(inner, depth)
        case RangeOf(constr=inner) | MessageConstraint(constr=inner):
            return constraint_text(inner, depth)
        case VarConstraint(name=name, constraint=inner):
            return f"{name}: {constraint_text(inner, depth)}"
        case ArrayOfConstraint(elem_range_constraint=inner):
            return f"list<{constraint_text(inner, depth)}>"
        case AnyAttr():
            return ANY
        case BaseAttr():
            return kind_text(constraint.attr)
        case EqAttrConstraint():
            return str(constraint.attr)
        case AnyOf(attr_constrs=options):
            return _alternatives(options, depth)
        case AllOf(attr_constrs=parts):
            texts = dict.fromkeys(constraint_text(part, depth) for part in parts)
            return " and ".join(text for text in texts if text != ANY) or ANY
        case ParamAttrConstraint():
            return _parametrized(constraint, depth)
        case AttrConstraint() | RangeConstraint():
            return _words(re.sub("(Attr|Range)?Constraint$", "", type(constraint).__name__))
        case _:
            return ""


def _alternatives(options: Iterable[AttrConstraint], depth: int) -> str:
    """Return the alternatives, of which all types of floats together are `float`."""
    kinds = {option.attr for option in options if isinstance(option, BaseAttr)}
    has_all = kinds >= _FLOATS
    others = [option for option in options if not (has_all and (option.get_bases() or {None}) <= _FLOATS)]
    texts = dict.fromkeys(constraint_text(option, depth) for option in others)
    return ANY if ANY in texts else " or ".join([*texts, *(["float"] if has_all else [])])


def _parametrized(constraint: ParamAttrConstraint[ParametrizedAttribute], depth: int) -> str:
    """Return the kind of an attribute with its constrained parameters, such as `memref<any, i8>`."""
    kind = kind_text(constraint.base_attr)
    if depth >= _DEPTH:
        return kind
    texts = [constraint_text(part, depth + 1) for part in constraint.param_constrs]
    shown = [text for text in dict.fromkeys(texts) if text not in (ANY, "", "int", "bytes", "list<int>")]
    return f"{kind}<{', '.join(shown)}>" if shown else kind


def kind_text(kind: type[Attribute]) -> str:
    """Return the name of a kind of attributes as IR has it: `memref`, `!hier.token`, `#hier.tile`."""
    name = getattr(kind, "name", "")
    if not name:
        return _words(re.sub("(Type|Attr|Attribute)$", "", kind.__name__)) or ANY
    if "." in name:
        return f"{'!' if issubclass(kind, TypeAttribute) else '#'}{name}"
    return name.replace("_type", "").replace("_", " ")


def _words(name: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
