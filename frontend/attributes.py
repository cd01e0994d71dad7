"""Attributes of ONNX nodes as properties of ops, checked against the operator's schema."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
from onnx import AttributeProto, NodeProto, helper
from onnx.defs import OpSchema
from xdsl.ir import Attribute

from ..dialects.core.onnx_custom import DOMAIN, SPELLINGS, complaint
from ..dialects.core.onnx_schema import default_value, stored_value
from ..errors import Diagnostic, did_you_mean
from .onnx_graph import where_node
from .tensors import read_tensor

_Type = OpSchema.AttrType
_SCALARS = {_Type.INT, _Type.FLOAT}
_LISTS = {_Type.INTS, _Type.FLOATS}


def properties_of(node: NodeProto, schema: OpSchema, folder: Path | None) -> dict[str, Attribute]:
    """
    Return the properties for a node's attributes, by name, without those that have their default value.

    Raises Diagnostic for one that the schema does not know or misses, or of another type or value than it asks for.
    """
    known = schema.attributes
    values: dict[str, Any] = {}
    for attribute in node.attribute:
        name = _canonical_name(attribute.name, known)
        if name is None:
            raise Diagnostic(
                f"{node.op_type} has no attribute '{attribute.name}'",
                where=where_node(node),
                expected=", ".join(known) or "no attributes",
                found=attribute.name,
                remedy=did_you_mean(attribute.name, known) or "remove the attribute",
            )
        if name in values:
            raise Diagnostic(f"attribute '{name}' is given twice", where=where_node(node), remedy="remove one")
        values[name] = _value(node, attribute, known[name], folder)
    if missing := [name for name, attribute in known.items() if attribute.required and name not in values]:
        raise Diagnostic(
            f"{node.op_type} lacks the attribute '{missing[0]}'",
            where=where_node(node),
            expected=", ".join(name for name, attribute in known.items() if attribute.required),
            found=", ".join(values) or "no attributes",
            remedy="export the node with all attributes that its operator requires",
        )
    if schema.domain == DOMAIN:
        _check_values(node, schema, values)
    return {name: value if isinstance(value, Attribute) else stored_value(known[name].type, value)
            for name, value in sorted(values.items())
            if isinstance(value, Attribute) or not _is_default(value, known[name])}  # fmt: skip


def _canonical_name(name: str, known: Mapping[str, Any]) -> str | None:
    if name in known:
        return name
    return next((true for true, spellings in SPELLINGS.items() if true in known and name in spellings), None)


def _is_default(value: Any, attribute: OpSchema.Attribute) -> bool:
    default = default_value(attribute)
    return default is not None and (tuple(value) if isinstance(value, list) else value) == default  # pyright: ignore[reportUnknownArgumentType]


def _check_values(node: NodeProto, schema: OpSchema, values: Mapping[str, Any]) -> None:
    if message := complaint(schema, lambda name: values.get(name, default_value(schema.attributes[name]))):
        raise Diagnostic(
            f"{node.op_type}: {message}",
            where=where_node(node),
            remedy="correct the attribute, or export the model again",
        )


def _value(node: NodeProto, attribute: AttributeProto, expected: OpSchema.Attribute, folder: Path | None) -> Any:
    """Return a number, text or list of them; for a tensor, how it is stored."""
    found = _kind(attribute)
    if attribute.ref_attr_name:
        raise Diagnostic(f"attribute '{attribute.name}' refers to one of a function", where=where_node(node))
    if found == expected.type == _Type.TENSOR:
        return read_tensor(attribute.t, folder, f"{node.name}.{attribute.name}").dense
    if found == expected.type and found in _SCALARS | _LISTS:
        return helper.get_attribute_value(attribute)
    if found == expected.type == _Type.STRING:
        return _text(node, attribute, attribute.s)
    if found == expected.type == _Type.STRINGS:
        return [_text(node, attribute, text) for text in attribute.strings]
    numbers = _numbers(node, attribute, folder) if node.domain == DOMAIN else None
    if numbers is None or expected.type not in _SCALARS | _LISTS:
        raise _wrong_type(node, attribute, _kind_name(expected.type), _kind_name(found))
    if expected.type in _SCALARS and numbers.size != 1:
        raise _wrong_type(node, attribute, "one number", f"{numbers.size} numbers")
    return _as_kind(node, attribute, numbers.ravel(), expected.type)


def _kind(attribute: AttributeProto) -> OpSchema.AttrType:
    return cast(Any, OpSchema.AttrType)(attribute.type)


def _kind_name(kind: OpSchema.AttrType) -> str:
    return cast(Any, kind).name


def _text(node: NodeProto, attribute: AttributeProto, data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise _wrong_type(node, attribute, "a text in UTF-8", str(data[:40])) from error


def _numbers(node: NodeProto, attribute: AttributeProto, folder: Path | None) -> np.ndarray | None:
    """Return the numbers in whichever form a quantiser wrote them, None where there are none."""
    found = _kind(attribute)
    if found == _Type.TENSOR:
        return read_tensor(attribute.t, folder, f"{node.name}.{attribute.name}").array
    return np.array(helper.get_attribute_value(attribute)) if found in _SCALARS | _LISTS else None


def _as_kind(node: NodeProto, attribute: AttributeProto, numbers: np.ndarray, kind: OpSchema.AttrType) -> Any:
    if kind in (_Type.FLOAT, _Type.FLOATS):
        values = [struct.unpack("f", struct.pack("f", value))[0] for value in numbers.tolist()]
        return values[0] if kind == _Type.FLOAT else values
    whole = np.isfinite(numbers) & (numbers == np.floor(numbers))
    if not whole.all():
        raise _wrong_type(node, attribute, "whole numbers", str(numbers[~whole][0]))
    values = [int(value) for value in numbers.tolist()]
    return values[0] if kind == _Type.INT else values


def _wrong_type(node: NodeProto, attribute: AttributeProto, expected: str, found: str) -> Diagnostic:
    return Diagnostic(
        f"attribute '{attribute.name}' of {node.op_type} is of the wrong type",
        where=where_node(node),
        expected=expected,
        found=found,
        remedy="export the node with an attribute of the type expected",
    )
