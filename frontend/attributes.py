"""Attributes of ONNX nodes as properties of ops, checked against the operator's schema."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
from onnx import AttributeProto, NodeProto, defs, helper
from onnx.defs import OpSchema
from xdsl.ir import Attribute

from ..dialects.onnx.attributes import violation
from ..dialects.onnx.custom import DOMAIN, SPELLINGS
from ..dialects.onnx.schema import default_value, python_value, segments, stored_value
from ..errors import Diagnostic, did_you_mean
from .operators import operator_of
from .order import where_node
from .tensors import read_tensor

_Type = OpSchema.AttrType
_SCALARS = {_Type.INT, _Type.FLOAT}
_LISTS = {_Type.INTS, _Type.FLOATS}
_KINDS = frozenset(kind.value for kind in cast(Any, _Type))
GRAPHS = frozenset((_Type.GRAPH, _Type.GRAPHS))
"""The kinds of attributes that are graphs."""

REMARKS = frozenset(
    ("comment", "consumed_inputs", "description", "doc_string", "label", "origin", "source", "stack_trace")
)
"""Attributes that exporters leave on any node and that never say what it computes, however close to one that does."""

FLAGS = frozenset(
    "allowzero antialias ceil_mode count_include_pad exclude_outside exclusive fmod is_causal keepdims largest"
    " linear_before_reset noop_with_empty_axes reverse select_last_index sorted training_mode transA transB".split()
)
"""Attributes of operators of ONNX that are truth values, of which implementations differ where one is neither."""


def properties_of(node: NodeProto, schema: OpSchema, folder: Path | None) -> dict[str, Attribute]:
    """
    Convert a node's attributes to properties, by name, without graphs and values equal to the default.

    One that the schema does not know is ignored, with a warning, unless its name says that it may matter. Raises
    Diagnostic for an attribute that may matter, is missing, or has a wrong type or value, and for a wrong number of
    inputs or outputs.
    """
    _check_arity(node, schema)
    attributes = {name: attribute for name, attribute in schema.attributes.items() if attribute.type not in GRAPHS}
    values: dict[str, Any] = {}
    for attribute in node.attribute:
        check_kind(node, attribute, ())
        if _kind(attribute) in GRAPHS and _is_graph(schema, attribute.name):
            continue
        name = _canonical_name(attribute.name, attributes)
        if name is None:
            _check_ignorable(node, schema, attribute, attributes)
            text = f"{where_node(node)}: warning: {node.op_type} has no attribute '{attribute.name}', which is ignored"
            warnings.warn(text, stacklevel=2)
            continue
        if name in values:
            raise Diagnostic(
                f"attribute '{name}' is given twice",
                where=where_node(node),
                expected="each attribute once",
                found=f"{attribute.name} after another of its spellings",
                remedy="remove one",
            )
        values[name] = _value(node, attribute, attributes[name], folder)
    if missing := [name for name, attribute in attributes.items() if attribute.required and name not in values]:
        raise Diagnostic(
            f"{node.op_type} lacks the attribute '{missing[0]}'",
            where=where_node(node),
            expected=", ".join(name for name, attribute in attributes.items() if attribute.required),
            found=", ".join(values) or "no attributes",
            remedy="export the node with all attributes that its operator requires",
        )
    if schema.domain == DOMAIN:
        _check_values(node, schema, values)
    if not schema.domain:
        _check_words(node, values)
    return {name: value if isinstance(value, Attribute) else stored_value(attributes[name].type, value)
            for name, value in sorted(values.items())
            if isinstance(value, Attribute) or not _is_default(value, attributes[name])}  # fmt: skip


def _check_ignorable(node: NodeProto, schema: OpSchema, attribute: AttributeProto, names: Mapping[str, Any]) -> None:
    """
    Raise Diagnostic for an unknown attribute that may change the result.

    That is one whose name is nearly that of a known one, or which another version of the operator has.
    """
    if attribute.name in REMARKS:
        return
    near = did_you_mean(attribute.name, names)
    versions = _versions_with(schema.domain, schema.name, attribute.name)
    if not near and not versions:
        return
    raise Diagnostic(
        f"{node.op_type} has no attribute '{attribute.name}'",
        where=where_node(node),
        expected=", ".join(names) or "no attributes",
        found=attribute.name + (f", which {node.op_type} of opset {versions} has" if versions else ""),
        remedy=near or "export the node in the form of the model's opset, or remove the attribute",
    )


@cache
def _versions_with(domain: str, operator: str, attribute: str) -> str:
    """Return the versions of an operator that have an attribute, empty where none does."""
    history = defs.get_all_schemas_with_history()
    same = [schema for schema in history if (schema.domain, schema.name) == (domain, operator)]
    return ", ".join(str(s.since_version) for s in same if attribute in s.attributes)


def attribute_of(node: NodeProto, name: str, default: Any = None) -> Any:
    """Return an attribute of a node, or the default."""
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def check_kind(node: NodeProto, attribute: AttributeProto, attributes: Sequence[OpSchema.Attribute]) -> None:
    """Raise Diagnostic for an attribute without a type, or of a type that no known schema gives it."""
    if attribute.type not in _KINDS:
        raise _wrong_type(node, attribute, "a type", f"type number {attribute.type}")
    if attribute.ref_attr_name:
        raise Diagnostic(
            f"attribute '{attribute.name}' refers to one of a function",
            where=where_node(node),
            expected="a value, as the node lies outside of a function",
            found=f"a reference to '{attribute.ref_attr_name}'",
            remedy="give the value of the attribute",
        )
    if attributes and _kind(attribute) not in [form.type for form in attributes]:
        raise _wrong_type(node, attribute, _kind_name(attributes[0].type), _kind_name(_kind(attribute)))


def unsound(node: NodeProto) -> str:
    """Return why a node cannot be shown to onnx's inference, which would end the process; empty where it can."""
    axis = attribute_of(node, "axis", 0)
    if isinstance(axis, int) and not -(1 << 31) <= axis < 1 << 31:
        return f"axis is {axis}, which no tensor has"
    reason = operator_of(node.op_type, node.domain).unsound
    return reason(node) if reason is not None else ""


def canonical_node(node: NodeProto, schema: OpSchema, properties: Mapping[str, Attribute]) -> NodeProto:
    """Return a node with only the attributes of its properties, in the form of its schema."""
    for name in operator_of(node.op_type, schema.domain).explicit:
        if name not in properties:
            explicit = NodeProto()
            explicit.CopyFrom(node)
            explicit.attribute.append(schema.attributes[name].default_value)
            return explicit
    unknown = [attribute for attribute in node.attribute if attribute.name not in schema.attributes]
    if schema.domain != DOMAIN and not unknown:
        return node
    if schema.domain != DOMAIN:
        canonical = NodeProto()
        canonical.CopyFrom(node)
        for attribute in unknown:
            canonical.attribute.remove(attribute)
        return canonical
    canonical = helper.make_node(node.op_type, node.input, node.output, node.name, domain=node.domain)
    for name, value in properties.items():
        kind = cast(Any, schema.attributes[name].type).value
        canonical.attribute.append(helper.make_attribute(name, python_value(value), attr_type=kind))
    return canonical


def _check_arity(node: NodeProto, schema: OpSchema) -> None:
    try:
        list(segments("input", schema.inputs, [name or None for name in node.input]))
        list(segments("output", schema.outputs, [name or None for name in node.output]))
    except ValueError as error:
        raise Diagnostic(
            f"{node.op_type} has a wrong number of inputs or outputs: {error}",
            where=where_node(node),
            expected=f"inputs: {_span(schema.min_input, schema.max_input)}, "
            f"outputs: {_span(schema.min_output, schema.max_output)}",
            found=f"inputs: {len(node.input)}, outputs: {len(node.output)}",
            remedy="correct the node, or export the model again",
        ) from error


def _span(low: int, high: int) -> str:
    if high > 1000:
        return f"{low} or more"
    return str(low) if low == high else f"{low} to {high}"


def _is_graph(schema: OpSchema, name: str) -> bool:
    return name in schema.attributes and schema.attributes[name].type in GRAPHS


def _canonical_name(name: str, names: Mapping[str, Any]) -> str | None:
    if name in names:
        return name
    return next((true for true, spellings in SPELLINGS.items() if true in names and name in spellings), None)


def _is_default(value: Any, attribute: OpSchema.Attribute) -> bool:
    default = default_value(attribute)
    return default is not None and (tuple(value) if isinstance(value, list) else value) == default  # pyright: ignore[reportUnknownArgumentType]


def _check_words(node: NodeProto, values: Mapping[str, Any]) -> None:
    """Raise Diagnostic for a flag other than 0 and 1, and for a text outside of its allowed words."""
    for name in sorted(FLAGS & values.keys()):
        if values[name] not in (0, 1):
            raise Diagnostic(
                f"{node.op_type} has a flag '{name}' other than 0 and 1",
                where=where_node(node),
                expected="0 or 1",
                found=str(values[name]),
                remedy="correct the attribute in the model",
            )
    for name, allowed in operator_of(node.op_type).words.items():
        if values.get(name, allowed[0]) not in allowed:
            raise Diagnostic(
                f"{node.op_type} has no {name} '{values[name]}'",
                where=where_node(node),
                expected=", ".join(allowed),
                found=str(values[name]),
                remedy=did_you_mean(str(values[name]), allowed) or "correct the attribute, or export the model again",
            )


def _check_values(node: NodeProto, schema: OpSchema, values: Mapping[str, Any]) -> None:
    if fault := violation(schema.name, lambda name: values.get(name, default_value(schema.attributes[name]))):
        raise Diagnostic(
            f"attribute '{fault.attribute}' of {node.op_type} has an invalid value",
            where=where_node(node),
            expected=fault.expected,
            found=str(fault.value),
            remedy="correct the attribute, or export the model again",
        )


def _value(node: NodeProto, attribute: AttributeProto, expected: OpSchema.Attribute, folder: Path | None) -> Any:
    """Return a number, text or list of them; for a tensor, how it is stored."""
    kind = _kind(attribute)
    if kind == expected.type == _Type.TENSOR:
        return read_tensor(attribute.t, folder, f"{node.name}.{attribute.name}").dense
    if kind == expected.type and kind in _SCALARS | _LISTS:
        return helper.get_attribute_value(attribute)
    if kind == expected.type == _Type.STRING:
        return _text(node, attribute, attribute.s)
    if kind == expected.type == _Type.STRINGS:
        return [_text(node, attribute, text) for text in attribute.strings]
    numbers = _numbers(node, attribute, folder) if node.domain == DOMAIN else None
    if numbers is None or expected.type not in _SCALARS | _LISTS:
        raise _wrong_type(node, attribute, _kind_name(expected.type), _kind_name(kind))
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
    """Return the numbers of an attribute, None where it holds none; quantisers write several forms."""
    kind = _kind(attribute)
    if kind == _Type.TENSOR:
        return read_tensor(attribute.t, folder, f"{node.name}.{attribute.name}").array
    return np.array(helper.get_attribute_value(attribute)) if kind in _SCALARS | _LISTS else None


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
