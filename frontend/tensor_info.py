"""Element type and shape of a tensor, as far as they are known."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from onnx import NodeProto, TypeProto, ValueInfoProto

from ..errors import Diagnostic
from .order import where_node
from .tensors import type_name


class TensorInfo(NamedTuple):
    """ONNX's element type and the shape, None in it for a dim not known, None for a rank not known."""

    data_type: int
    shape: tuple[int | None, ...] | None


Infos = dict[str, TensorInfo]


def info_of(proto: TypeProto) -> TensorInfo | None:
    """Return the tensor's type and shape in a type proto, None for other types and unknown ones."""
    if proto.WhichOneof("value") != "tensor_type" or not proto.tensor_type.elem_type:
        return None
    tensor = proto.tensor_type
    if not tensor.HasField("shape"):
        return TensorInfo(tensor.elem_type, None)
    # Some exporters write -1 for a dimension that is open.
    stated = (dim.dim_value if dim.HasField("dim_value") else -1 for dim in tensor.shape.dim)
    dims = tuple(dim if dim >= 0 else None for dim in stated)
    return TensorInfo(tensor.elem_type, dims)


def untyped(names: Iterable[str]) -> list[ValueInfoProto]:
    """Return inputs or outputs of a graph by their names alone."""
    return [ValueInfoProto(name=name) for name in names]


def described(info: TensorInfo | None) -> str:
    """Return a tensor's type as text, such as `float[1, ?, 8]`."""
    if info is None:
        return "of unknown type"
    dims = ["*"] if info.shape is None else ["?" if dim is None else str(dim) for dim in info.shape]
    return f"{type_name(info.data_type).lower()}[{', '.join(dims)}]"


def unknown_type(node: NodeProto, tensor: str, info: TensorInfo | None) -> Diagnostic:
    """Return the error for an input of a node whose type or shape is not known."""
    return Diagnostic(
        f"the type or shape of an input of {node.op_type} is not known",
        where=where_node(node),
        expected="a tensor whose shape does not depend on data",
        found=f'"{tensor}" {described(info)}',
        remedy="give the shapes of the inputs with --input-shape, or store the tensor's type as value_info",
    )
