"""ONNX tensors as arrays: every way in which a model can hold their data, checked before memory is taken."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from google.protobuf.message import Message
from onnx import SparseTensorProto, TensorProto, helper, numpy_helper
from xdsl.dialects.builtin import IntegerType, Signedness, bf16, f16, f32, f64, i1, i8, i16, i32, i64
from xdsl.ir import Attribute

from ..dialects.core.small_floats import FORMATS
from ..errors import Diagnostic
from ..files import memory_bytes, open_regular
from ..ir import Array, DenseAttr, dense, numpy_type


def _unsigned(width: int) -> IntegerType:
    return IntegerType(width, Signedness.UNSIGNED)


ELEMENTS: dict[int, Attribute] = {
    TensorProto.FLOAT: f32,
    TensorProto.DOUBLE: f64,
    TensorProto.FLOAT16: f16,
    TensorProto.BFLOAT16: bf16,
    TensorProto.BOOL: i1,
    TensorProto.INT2: IntegerType(2),
    TensorProto.INT4: IntegerType(4),
    TensorProto.INT8: i8,
    TensorProto.INT16: i16,
    TensorProto.INT32: i32,
    TensorProto.INT64: i64,
    TensorProto.UINT2: _unsigned(2),
    TensorProto.UINT4: _unsigned(4),
    TensorProto.UINT8: _unsigned(8),
    TensorProto.UINT16: _unsigned(16),
    TensorProto.UINT32: _unsigned(32),
    TensorProto.UINT64: _unsigned(64),
}
"""ONNX element type -> IR element type. Signless stands for signed."""

CARRIED: dict[int, Attribute] = {number: _unsigned(kind.bits) for number, kind in FORMATS.items()}
"""ONNX type of floats of 8 bits and less -> the IR type of their bits, by which they are carried."""

TYPE_NAMES = {str(element): element for element in ELEMENTS.values()}
"""Name of an element type, as `--input-type` takes it -> the IR type."""

_PACKED_BITS: dict[int, int] = {
    TensorProto.INT2: 2,
    TensorProto.UINT2: 2,
    TensorProto.INT4: 4,
    TensorProto.UINT4: 4,
    TensorProto.FLOAT4E2M1: 4,
}
"""Element type -> its bits, of those of which a byte holds several."""


@dataclass(frozen=True)
class Constant:
    """The value of a tensor that does not change; `data_type` is ONNX's, `origin` the node or tensor it comes from."""

    array: Array
    data_type: int
    origin: str

    @property
    def dense(self) -> DenseAttr:
        """The value as an IR attribute."""
        return dense(self.array, element_type(self.data_type, f'tensor "{self.origin}"'))


def type_name(data_type: int) -> str:
    """Return ONNX's own name for an element type."""
    is_known = data_type in TensorProto.DataType.values()
    return TensorProto.DataType.Name(data_type) if is_known else f"type number {data_type}"  # pyright: ignore[reportArgumentType]


def element_type(data_type: int, where: str) -> Attribute:
    """Return the IR type of an element. Raises Diagnostic where Tilewright has none, e.g. for texts."""
    element = ELEMENTS.get(data_type) or CARRIED.get(data_type)
    if element is None:
        raise Diagnostic(
            "the element type of a tensor is not handled",
            where=where,
            expected="one of " + ", ".join(type_name(number) for number in (*ELEMENTS, *CARRIED)),
            found=type_name(data_type),
            remedy="export the model with one of the types expected",
        )
    return element


def read_tensor(proto: TensorProto, folder: Path | None, origin: str) -> Constant:
    """
    Return the value of a tensor, of whichever field or file its data lie in.

    External data are read from `folder` or below, from nowhere else; None forbids them. Raises Diagnostic where the
    data are not as many as the shape says, or cannot be read.
    """
    where = f'tensor "{proto.name or origin}"'
    element_type(proto.data_type, where)
    shape = tuple(proto.dims)
    check_memory(where, shape, proto.data_type)
    if proto.data_location == TensorProto.EXTERNAL:
        return Constant(_from_bytes(_external(proto, folder, where), proto, shape), proto.data_type, origin)
    if proto.HasField("raw_data"):
        _check_count(where, shape, _byte_count(proto.data_type, shape), len(proto.raw_data), "bytes")
        return Constant(_from_bytes(proto.raw_data, proto, shape), proto.data_type, origin)
    array = _from_field(proto, shape, where)
    return Constant(_plain(array, proto.data_type), proto.data_type, origin)


def read_sparse(proto: SparseTensorProto, folder: Path | None, origin: str) -> Constant:
    """
    Return the value of a sparse tensor, with all its zeros.

    Raises Diagnostic where it is larger than this machine's memory, or has indices that are not in it.
    """
    values = read_tensor(proto.values, folder, origin)
    indices = read_tensor(proto.indices, folder, origin).array
    where, shape = f'tensor "{proto.values.name or origin}"', tuple(proto.dims)
    check_memory(where, shape, proto.values.data_type)
    size = math.prod(shape)
    flat = indices
    if indices.ndim == 2 and indices.shape[1] == len(shape):
        steps = np.array([math.prod(shape[axis + 1 :]) for axis in range(len(shape))], np.int64)
        inside = ((indices >= 0) & (indices < np.array(shape, np.int64))).all(axis=1)
        flat = np.where(inside, indices.astype(np.int64) @ steps, -1)
    good = flat.ndim == 1 and flat.dtype.kind in "iu" and values.array.shape == flat.shape
    if not good or bool(np.any((flat < 0) | (flat >= size))):
        raise Diagnostic(
            "a sparse tensor has indices that do not fit it",
            where=where,
            expected=f"an index in {list(shape)} for each of its {values.array.size} values",
            found=f"indices of shape {list(indices.shape)}",
            remedy="the file is damaged or was written wrongly: export the model again",
        )
    array = np.zeros(size, values.array.dtype)
    array[flat] = values.array
    return Constant(array.reshape(shape), values.data_type, origin)


def check_memory(where: str, shape: Sequence[int], data_type: int) -> None:
    """Raise Diagnostic for a tensor of negative extents, or larger than the memory of this machine."""
    if any(dim < 0 for dim in shape):
        raise Diagnostic(
            "a tensor has a negative dimension",
            where=where,
            expected="dimensions of 0 or more",
            found=f"the shape {list(shape)}",
            remedy="correct the shape in the model, or export it again",
        )
    memory = memory_bytes()
    # NumPy multiplies the extents of an empty array too, those that are 0 aside.
    extents = [dim for dim in shape if dim]
    if (data_type in ELEMENTS or data_type in CARRIED) and (count := _byte_count(data_type, extents)) > memory:
        raise Diagnostic(
            "a tensor is larger than the memory of this machine",
            where=where,
            expected=f"{memory:,} bytes at most",
            found=f"{count:,} bytes for the shape {list(shape)}",
            remedy="the file may be damaged: export the model again",
        )


def _byte_count(data_type: int, shape: Sequence[int]) -> int:
    bits = _PACKED_BITS.get(data_type, 8 * numpy_type(element_type(data_type, "a tensor")).itemsize)
    return (math.prod(shape) * bits + 7) // 8


def _check_count(where: str, shape: Sequence[int], expected: int, found: int, unit: str) -> None:
    if expected != found:
        raise Diagnostic(
            "a tensor does not hold as much data as its shape says",
            where=where,
            expected=f"{expected} {unit} for the shape {list(shape)}",
            found=f"{found} {unit}",
            remedy="the file is damaged or was written wrongly: export the model again",
        )


def _from_bytes(data: bytes, proto: TensorProto, shape: Sequence[int]) -> Array:
    if proto.data_type in _PACKED_BITS:
        packed = TensorProto(data_type=proto.data_type, dims=list(shape), raw_data=data)
        return _plain(numpy_helper.to_array(packed), proto.data_type)
    if proto.data_type == TensorProto.BOOL:
        return (np.frombuffer(data, np.uint8) != 0).reshape(shape)
    little = numpy_type(element_type(proto.data_type, "a tensor")).newbyteorder("<")
    return np.frombuffer(data, little).reshape(shape)


def _plain(array: Array, data_type: int) -> Array:
    """Return an array in the NumPy type of its IR type: floats of 8 bits and less as their bits."""
    if data_type in CARRIED:
        return array.view(np.uint8)
    return array.astype(numpy_type(ELEMENTS[data_type]), copy=False)


def _from_field(proto: TensorProto, shape: Sequence[int], where: str) -> Array:
    field = helper.tensor_dtype_to_field(proto.data_type)
    count, per_field = math.prod(shape), 8 // _PACKED_BITS.get(proto.data_type, 8)
    _check_count(where, shape, -(-count // per_field), len(getattr(proto, field)), f"entries in {field}")
    return numpy_helper.to_array(proto)


def external_files(message: Message, folder: Path) -> list[Path]:
    """Return the files that hold data of tensors in a model or a part of it; `folder` is that of the model."""
    if isinstance(message, TensorProto):
        return [folder / entry.value for entry in message.external_data if entry.key == "location"]
    fields = (value for field, value in message.ListFields() if field.type == field.TYPE_MESSAGE)
    parts = (part for value in fields for part in ((value,) if isinstance(value, Message) else value))
    return [file for part in parts for file in external_files(part, folder)]


def embed_data(message: Message, folder: Path | None) -> None:
    """Move the external data of all tensors in a model or a part of it into these; raises Diagnostic as read_tensor."""
    if isinstance(message, TensorProto):
        if message.data_location == TensorProto.EXTERNAL:
            message.raw_data = _external(message, folder, f'tensor "{message.name}"')
            message.ClearField("external_data")
            message.ClearField("data_location")
        return
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for part in (value,) if isinstance(value, Message) else value:
                embed_data(part, folder)


def _external(proto: TensorProto, folder: Path | None, where: str) -> bytes:
    entries = {entry.key: entry.value for entry in proto.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise Diagnostic(
            "the tensor's data lie in another file, and the model was not read from a folder",
            where=where,
            expected="data in the model itself",
            found=f"the file {location}",
            remedy="import the model by its path",
        )
    root = folder.resolve()
    path = (root / location.replace("\0", "/../")).resolve()
    if not location or "\0" in location or not path.is_relative_to(root):
        raise Diagnostic(
            "external data lie outside the model's folder",
            where=where,
            expected=f"a file in {root} or below",
            found=location or "no location",
            remedy="copy the file beside the model and correct the location",
        )
    try:
        with open_regular(path, None) as file:
            offset, size = int(entries.get("offset", 0)), os.fstat(file.fileno()).st_size
            length = int(entries.get("length", size - offset))
            _check_count(where, proto.dims, _byte_count(proto.data_type, proto.dims), length, "bytes")
            if offset < 0 or offset + length > size:
                raise Diagnostic(
                    "external data reach beyond the end of their file",
                    where=where,
                    expected=f"{offset + length} bytes in {location}",
                    found=f"{size} bytes",
                    remedy="the file is cut short: copy or export it again",
                )
            file.seek(offset)
            return file.read(length)
    except (OSError, ValueError) as error:
        raise Diagnostic(
            "external data cannot be read",
            where=where,
            expected=f"the file {location} in the folder of the model",
            found=str(error),
            remedy=f"put {location} beside the model",
        ) from error
