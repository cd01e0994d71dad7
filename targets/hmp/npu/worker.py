"""
Plug-ins in Python, served to a network as tilewright_npu_process.h says: sub-graphs as ONNX models.

A copy of this file beside a network is named after what computes: `tilewright_npu_rknn.py` is Rockchip's simulator,
`tilewright_npu_onnxruntime.py` ONNX Runtime. It runs in the interpreter that has these packages, without Tilewright:

    python tilewright_npu_rknn.py build stage1_npu.onnx stage1_npu.rknn rk3588

builds an artefact for a board. Without arguments it serves, silently unless TILEWRIGHT_NPU_VERBOSE is set.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import mmap
import os
import socket
import struct
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

ABI_VERSION = 1
HELLO, OPEN, DESCRIBE, MAP, SUBMIT, WAIT, STATS, CLOSE = range(1, 9)
OK, AGAIN, FAILED, TIMEOUT, NO_DEVICE, NO_MEMORY, BAD_ARGUMENT, BAD_ARTIFACT = range(8)
FOREIGN_TARGET, WRONG_HASH, WRONG_FRAME, UNSUPPORTED = range(8, 12)
TOLERANCE = 2
SOCKET, SHARED = 3, 4

MESSAGE = struct.Struct("=IiQQQII")
OPENING = struct.Struct("=32s32sII")
DESCRIPTION = struct.Struct("=6I32s64s")
TENSOR = struct.Struct("=64s4I8q8qQfi")
STATISTICS = struct.Struct("=3Q")
TYPES = {"float32": 0, "float16": 1, "int8": 3, "int16": 5, "int32": 7, "int64": 9, "bool": 10, "float64": 11}
"""NumPy's name of an element type -> its number in tilewright_npu.h."""
PORTS = "tilewright.ports"
"""Metadata of a model: its inputs and outputs as the network has them, as JSON."""


class WorkerRefusal(Exception):
    """A status other than OK, with a text."""

    def __init__(self, status: int, text: str):
        super().__init__(text)
        self.status = status


class ModelPort:
    """An input or output: what the network has of it, and the shape that the model has."""

    def __init__(self, described: dict[str, Any]):
        self.name: str = described["name"]
        self.type: str = described["type"]
        self.model_type: str = described["model_type"]
        self.shape: list[int] = described["shape"]
        self.model_shape: list[int] = described["model_shape"]
        self.bytes: int = described["bytes"]

    def packed(self) -> bytes:
        """Return it as the bytes of a tw_npu_tensor."""
        strides = [self.bytes // max(1, _product(self.shape[: axis + 1])) for axis in range(len(self.shape))]
        dims = [*self.shape, *[0] * (8 - len(self.shape))]
        steps = [*strides, *[0] * (8 - len(self.shape))]
        head = (self.name.encode()[:63], TYPES[self.type], 0, len(self.shape), 64)
        return TENSOR.pack(*head, *dims, *steps, self.bytes, 0.0, 0)


def _product(sizes: Sequence[int]) -> int:
    result = 1
    for size in sizes:
        result *= size
    return result


# What computes


class OnnxRuntime:
    """ONNX Runtime, on one thread."""

    TARGET = "onnxruntime"

    def __init__(self, path: str, target: str):
        if target != self.TARGET:
            raise WorkerRefusal(FOREIGN_TARGET, f"ONNX Runtime computes for the target {self.TARGET}, not {target}")
        runtime = _import("onnxruntime", "pip install onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        self._session = runtime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        self.version: str = runtime.__version__

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the order of the model."""
        return self._session.run(None, inputs)


class Rknn:
    """Rockchip's simulator: it computes what it has built itself, in the same process."""

    def __init__(self, path: str, target: str):
        self._rknn = built_rknn(path, target)
        self.version = "rknn-toolkit2 simulator"
        if self._rknn.init_runtime(target=None) != 0:
            raise WorkerRefusal(NO_DEVICE, "the simulator does not start")

    def run(self, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs, in the order of the model."""
        return self._rknn.inference(inputs=list(inputs.values()), data_format=["nchw"] * len(inputs))


def built_rknn(path: str, target: str) -> Any:
    """Return an RKNN that has built a model for a chip, in its native precision of 16-bit floats."""
    rknn = _import("rknn.api", "tilewright coop vendor rknn shows how to install it").RKNN(verbose=False)
    steps: list[tuple[str, Callable[[], int]]] = [
        ("configure", lambda: rknn.config(target_platform=target)),
        ("load", lambda: rknn.load_onnx(model=path)),
        ("build", lambda: rknn.build(do_quantization=False)),
    ]
    for name, step in steps:
        try:
            code = step()
        except Exception as error:
            lines = [line for line in str(error).splitlines() if line.strip()]
            status = FOREIGN_TARGET if "target_platform" in str(error) else BAD_ARTIFACT
            raise WorkerRefusal(status, f"rknn-toolkit2 cannot {name} it: {lines[-1] if lines else error!r}") from error
        if code != 0:
            raise WorkerRefusal(BAD_ARTIFACT, f"rknn-toolkit2 cannot {name} it: code {code}")
    return rknn


def _import(module: str, remedy: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise WorkerRefusal(NO_DEVICE, f"{sys.executable} has no {module}: {remedy}") from error


MAKERS: dict[str, Callable[[str, str], Any]] = {"onnxruntime": OnnxRuntime, "rknn": Rknn}


# Serving


class Server:
    """Server of one session over the socket of the network."""

    def __init__(self, kind: str):
        self._make = MAKERS[kind]
        self._socket = socket.socket(fileno=SOCKET)
        self._buffers: list[mmap.mmap] = []
        self._inputs: list[ModelPort] = []
        self._outputs: list[ModelPort] = []
        self._submitted: list[tuple[int, list[int]]] = []
        self._frames = self._microseconds = self._bytes = 0
        self._target = ""
        self._model: Any = None

    def serve(self) -> None:
        """Answer messages until the network closes."""
        while True:
            kind, _, frame, first, second, size, _ = MESSAGE.unpack(self._receive(MESSAGE.size))
            payload = self._receive(size)
            reply: tuple[int, int, bytes] = (0, 0, b"")
            try:
                status, reply = OK, self._answer(kind, frame, first, second, payload)
            except WorkerRefusal as refusal:
                status, reply = refusal.status, (0, 0, str(refusal).encode())
            except Exception as error:
                status, reply = FAILED, (0, 0, f"{type(error).__name__}: {error}".encode())
            content = reply[2][:7000]
            self._socket.sendall(MESSAGE.pack(kind, status, reply[0], reply[1], 0, len(content), 0) + content)
            if kind == CLOSE:
                return

    def _receive(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size > 0:
            part = self._socket.recv(size)
            if not part:
                os._exit(0)  # The network has ended.
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def _answer(self, kind: int, frame: int, first: int, second: int, payload: bytes) -> tuple[int, int, bytes]:
        """Return the frame, the number and the payload of a reply. Raises Refusal."""
        if kind == HELLO:
            return 0, ABI_VERSION, b""
        if kind == OPEN:
            self._open(payload)
        if kind == DESCRIBE:
            return 0, 0, self._described()
        if kind == MAP:
            self._buffers.append(mmap.mmap(SHARED, second, offset=first))
            return 0, len(self._buffers) - 1, b""
        if kind == SUBMIT:
            self._submitted.append((frame, list(struct.unpack(f"={len(payload) // 4}I", payload))))
        if kind == WAIT:
            return self._compute(), 0, b""
        if kind == STATS:
            return 0, 0, STATISTICS.pack(self._frames, self._microseconds, self._bytes)
        return 0, 0, b""

    def _open(self, payload: bytes) -> None:
        digest, target, program, _ = OPENING.unpack(payload[: OPENING.size])
        path = payload[OPENING.size :].decode()
        content = Path(path).read_bytes()
        if hashlib.sha256(content).digest() != digest:
            raise WorkerRefusal(WRONG_HASH, f"{path} has changed")
        if program != 0:
            raise WorkerRefusal(UNSUPPORTED, "an artefact has one program")
        self._target, self._bytes = target.rstrip(b"\0").decode(), len(content)
        self._inputs, self._outputs = ports_of(content)
        self._model = self._make(path, self._target)

    def _described(self) -> bytes:
        version = str(self._model.version).encode()[:63]
        counts = len(self._inputs), len(self._outputs)
        head = DESCRIPTION.pack(*counts, 1, TOLERANCE, 0, 0, self._target.encode(), version)
        return head + b"".join(port.packed() for port in (*self._inputs, *self._outputs))

    def _compute(self) -> int:
        """Compute the oldest frame that was submitted, and return its number."""
        numpy = importlib.import_module("numpy")
        if not self._submitted:
            raise WorkerRefusal(BAD_ARGUMENT, "no frame was submitted")
        frame, numbers = self._submitted.pop(0)
        inputs: dict[str, Any] = {}
        for port, number in zip(self._inputs, numbers, strict=False):
            values = numpy.frombuffer(self._buffers[number][: port.bytes], port.model_type)
            inputs[port.name] = values.reshape(port.model_shape)
        start = time.monotonic_ns()
        results = self._model.run(inputs)
        self._microseconds += (time.monotonic_ns() - start) // 1000
        self._frames += 1
        for port, number, result in zip(self._outputs, numbers[len(self._inputs) :], results, strict=True):
            content = numpy.ascontiguousarray(result, port.model_type).tobytes()
            if len(content) != port.bytes:
                raise WorkerRefusal(FAILED, f"{port.name} has {len(content)} bytes, expected {port.bytes}")
            self._buffers[number][: port.bytes] = content
        return frame


def ports_of(content: bytes) -> tuple[list[ModelPort], list[ModelPort]]:
    """Return the inputs and outputs that the metadata of a model describes. Raises Refusal."""
    onnx = importlib.import_module("onnx")
    try:
        model = onnx.load_model_from_string(content)
        described = next(json.loads(entry.value) for entry in model.metadata_props if entry.key == PORTS)
        inputs = [ModelPort(port) for port in described["inputs"]]
        outputs = [ModelPort(port) for port in described["outputs"]]
    except Exception as error:
        raise WorkerRefusal(BAD_ARTIFACT, "it is no ONNX model of a sub-graph") from error
    return inputs, outputs


def build(source: str, target_file: str, target: str) -> int:
    """Build the artefact of a model for a board; return an exit status."""
    try:
        rknn = built_rknn(source, target)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "model.rknn")
            if rknn.export_rknn(file) != 0:
                raise WorkerRefusal(FAILED, "rknn-toolkit2 cannot export it")
            Path(target_file).write_bytes(Path(file).read_bytes())
    except WorkerRefusal as refusal:
        print(refusal, file=sys.stderr)
        return 1
    return 0


def main() -> int:
    """Serve, or build."""
    if sys.argv[1:2] == ["build"]:
        return build(*sys.argv[2:5])
    if "TILEWRIGHT_NPU_VERBOSE" not in os.environ:
        # Vendors' tools log much, to streams that are the network's.
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
    Server(Path(__file__).stem.removeprefix("tilewright_npu_")).serve()
    return 0


if __name__ == "__main__":
    sys.exit(main())
