"""
The graph level: every operator of every ONNX domain, made from the schemas of the installed onnx package.

    %y = onnx.Conv(%x, %w) {pads = array<i64: 1, 1, 1, 1>} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<..>
    %p = onnx.ml.Scaler(%y) {...} : (tensor<..>) -> tensor<..>
    %q = onnx.RequantShift(%y, %mul, %add) {div = 65536 : si64, n_levels = 256 : si64} : (...) -> tensor<..>

Names: an operator of ai.onnx is `onnx.X`, one of ai.onnx.D is `onnx.D.X`; the operators of `core/onnx_custom.py`, whose
domain differs from exporter to exporter, are `onnx.X`. There is one class per operator, of its newest version; the
importer brings older forms to that. Attributes are properties of the same name, those with their default value are left
out; `OnnxOp.attribute` gives the value in any case. Integers are `si64`, lists `array<i64: ..>`, tensors dense.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from functools import cache

from onnx import defs
from onnx.defs import OpSchema
from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, irdl_op_definition, traits_def, var_operand_def
from xdsl.traits import EffectInstance, IsTerminator, MemoryEffect, Pure

from ..core.effect_traits import StateEffects
from .contrib import CONTRIB_DOMAIN, CONTRIB_SCHEMAS
from .custom import DOMAIN, SCHEMAS
from .facts import Trait, having
from .registry import Registry
from .schema import OnnxOp, is_constant, op_class_of


class _DropoutEffects(MemoryEffect):
    """Effects of a Dropout: random numbers where it trains or may train, none otherwise."""

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance]:
        assert isinstance(op, OnnxOp)
        training = op.node_input(2)
        if training is None:
            return frozenset()
        maker = training.owner
        value = maker.attribute("value") if isinstance(maker, OnnxOp) and is_constant(maker) else None
        return frozenset() if value is not None and not value.any() else _RANDOM.get_effects(op)


_RANDOM = StateEffects("random numbers")
_EFFECTS: Registry[str, MemoryEffect] = Registry(
    "effects", {**dict.fromkeys(having(Trait.RANDOM), _RANDOM), "Dropout": _DropoutEffects()}
)
"""Operator -> its effects; the others are pure."""


@irdl_op_definition
class Yield(IRDLOperation):
    """
    Terminator of a graph that is an attribute of a node; its operands are the outputs.

        onnx.Yield %a, %b : tensor<4xf32>, tensor<i1>
    """

    name = "onnx.Yield"
    values = var_operand_def()
    assembly_format = "($values^ `:` type($values))? attr-dict"
    traits = traits_def(IsTerminator(), Pure())


def _op_name(schema: OpSchema) -> str:
    if schema.domain in ("", DOMAIN):
        return f"onnx.{schema.name}"
    return f"onnx.{schema.domain.removeprefix('ai.onnx.')}.{schema.name}"


def _newest() -> list[OpSchema]:
    schemas = [schema for schema in defs.get_all_schemas() if schema.domain != DOMAIN]
    return sorted(schemas, key=lambda schema: (schema.domain, schema.name))


_SAME = {(CONTRIB_DOMAIN, name): ("", name) for name in ("DequantizeLinear", "Gelu", "QuantizeLinear", "Trilu")}
"""Operators of other vendors that are one of ai.onnx."""


@cache
def _schemas() -> dict[tuple[str, str], OpSchema]:
    """Return the schemas of the ops of this dialect, by domain and name."""
    return {(schema.domain, schema.name): schema for schema in (*_newest(), *SCHEMAS)}


_REPLACED = {(schema.domain, schema.name): schema for schema in CONTRIB_SCHEMAS}
"""Operators that the importer replaces, so that none is in the IR."""


@cache
def _class_at(key: tuple[str, str]) -> type[OnnxOp]:
    if key in _schemas():
        schema = _schemas()[key]
        return op_class_of(schema, _op_name(schema), _EFFECTS.get(schema.name))
    return op_class_of(_REPLACED[key], f"onnx.{'.'.join(key)}")


def op_class(op_type: str, domain: str = "") -> type[OnnxOp] | None:
    """
    Return the class of an operator, None where it is not known.

    The operators of `core/onnx_custom.py` are known by their name in every domain, "" included.
    """
    domain = "" if domain == "ai.onnx" else domain
    keys = (_SAME.get((domain, op_type), (domain, op_type)), (DOMAIN, op_type))
    return next((_class_at(key) for key in keys if key in _schemas() or key in _REPLACED), None)


@cache
def op_types(domain: str = "") -> tuple[str, ...]:
    """Return the names of the operators that a domain has, to suggest one."""
    keys = (*_schemas(), *_REPLACED, *_SAME)
    # Our own are known in every domain, but not beside the operators of another vendor.
    domains = {domain} if any(key[0] == domain for key in keys) and domain else {domain, DOMAIN}
    return tuple(dict.fromkeys(name for own, name in keys if own in domains))


class _OnnxDialect(Dialect):
    """Makes the classes of operators when they are asked for: a network has few of them."""

    @property
    def operations(self) -> Iterator[type[Operation]]:
        yield from map(_class_at, _schemas())
        yield Yield


ONNX = _OnnxDialect("onnx")
