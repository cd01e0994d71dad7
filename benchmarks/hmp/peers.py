"""
Peers of pipelines of stages on two cores: ncnn networks pinned by hand, and ONNX Runtime with threads in each kernel.

A network for ncnn is cut by hand: the ONNX model into two at the tensor between two layers, each converted by pnnx and
run with one thread in a thread of its own that is pinned to a core. Frames go from one to the other by a queue. Each
frame is a copy, since ours are read from a file.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from queue import Queue
from statistics import median
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.processes import finished

PACKAGES = {"ncnn": "ncnn==1.0.20261020", "pnnx": "pnnx==20261020", "onnxruntime": "onnxruntime"}
"""Module of a peer -> what installs it. pnnx converts ONNX models without PyTorch, on which its package depends."""
SLOTS = 2
"""Frames in a queue between stages, as many as in ours."""
SECONDS = 60
"""Limit of a wait for a frame: a stage that fails ends the other one."""
TRIALS = 15
"""Runs of each half of a network, by whose median time a cut is chosen."""

T = TypeVar("T")


def missing() -> dict[str, str]:
    """Return the modules of peers that are not installed, and what installs them."""
    return {name: package for name, package in PACKAGES.items() if find_spec(name) is None}


def on_cores(cpus: Sequence[int], call: Callable[[], T]) -> T:
    """Return the result of a call in a thread that some cores run, and those that it starts."""

    def pinned() -> T:
        os.sched_setaffinity(0, cpus)
        return call()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(pinned).result()


class Ended(NamedTuple):
    """Frames that have left a network: milliseconds between them once the first one has left, and the last result."""

    period_ms: float
    result: Array


class Contender(Protocol):
    """Network that runs on one core or on two; `how` describes its work on two."""

    how: str

    def run(self, cores: int, frames: int) -> Ended:
        """Run copies of one frame."""
        ...


def _ended(seconds: Sequence[float], result: Any) -> Ended:
    return Ended(1000 * (seconds[-1] - seconds[0]) / (len(seconds) - 1), np.array(result))


class NcnnNetwork:
    """Network of ncnn with one input and one output, run on one thread."""

    def __init__(self, model: Path):
        self._ncnn: Any = import_module("ncnn")
        files = converted(model)
        self._net = self._ncnn.Net()
        self._net.opt.num_threads = 1
        self._net.opt.use_vulkan_compute = False
        for file, load in zip(files, (self._net.load_param, self._net.load_model), strict=True):
            if load(str(file)) != 0:
                raise Diagnostic("ncnn cannot load a network", where=str(file))

    def __call__(self, frame: Any) -> Any:
        """Return the result of a frame; both are matrices of ncnn."""
        with self._net.create_extractor() as extractor:
            extractor.input("in0", frame)
            status, result = extractor.extract("out0")
        if status != 0:
            raise Diagnostic("ncnn cannot compute a frame", found=f"status {status}")
        return result

    def matrix(self, frame: Array) -> Any:
        """Return a copy of a frame [1, C, H, W] as a matrix of ncnn."""
        return self._ncnn.Mat(np.ascontiguousarray(frame[0])).clone()


def converted(model: Path) -> tuple[Path, Path]:
    """Convert an ONNX model to the parameters and weights of ncnn, in floats of 32 bits. Raises Diagnostic."""
    spec = find_spec("pnnx")
    folders = (spec and spec.submodule_search_locations) or [""]
    files = model.with_suffix(".ncnn.param"), model.with_suffix(".ncnn.bin")
    done = finished([str(Path(folders[0]) / "pnnx"), model.name, "fp16=0"], model.parent, merged=True)
    if done.returncode or not all(file.is_file() for file in files):
        raise Diagnostic("pnnx cannot convert a model", where=str(model), notes=done.stdout.splitlines()[-5:])
    return files


def halves(model: Path, tensor: str, folder: Path) -> list[Path]:
    """Cut an ONNX model into two at a tensor; return their files."""
    onnx: Any = import_module("onnx")
    graph = onnx.load(model).graph
    ports = [graph.input[0].name, tensor, graph.output[0].name]
    files = [folder / f"half{number}.onnx" for number in range(2)]
    for file, (first, last) in zip(files, pairwise(ports), strict=True):
        onnx.utils.extract_model(str(model), str(file), [first], [last])
    return files


def run_ncnn(networks: Sequence[NcnnNetwork], cpus: Sequence[int], frame: Array, frames: int) -> Ended:
    """Run copies of a frame through networks of ncnn in a row, each in a thread pinned to a core."""
    queues = [Queue[Any](SLOTS) for _ in networks[1:]]
    ended: list[float] = []
    last: list[Any] = []

    def stage(number: int) -> None:
        network, is_last = networks[number], number == len(networks) - 1
        for _ in range(frames):
            source = network.matrix(frame) if number == 0 else queues[number - 1].get(timeout=SECONDS)
            result = network(source)
            if not is_last:
                queues[number].put(result, timeout=SECONDS)
                continue
            ended.append(time.perf_counter())
            last[:] = [result]

    with ThreadPoolExecutor(len(networks)) as pool:
        stages = [pool.submit(on_cores, [cpu], partial(stage, number)) for number, cpu in enumerate(cpus)]
        for stage_run in as_completed(stages):
            stage_run.result()
    return _ended(ended, last[0])


class NcnnPipeline:
    """The network in ncnn: whole on one core, and cut in two where its slower half takes the least time."""

    def __init__(self, model: Path, tensors: Sequence[str], cpus: Sequence[int], frame: Array, scratch: Path):
        self._cpus, self._frame = cpus, frame
        self._whole = NcnnNetwork(model)
        self._halves: list[NcnnNetwork] = []
        best, self.how = float("inf"), ""
        for number, tensor in enumerate(tensors, 1):
            folder = scratch / f"cut{number}"
            folder.mkdir()
            networks = [NcnnNetwork(file) for file in halves(model, tensor, folder)]
            slower = max(_half_times(networks, cpus, frame))
            if slower < best:
                best, self._halves = slower, networks
                self.how = f"two networks, cut before layer {number}, pinned"

    def run(self, cores: int, frames: int) -> Ended:
        """Run frames on one core, or in two stages on two."""
        networks = self._halves if cores == 2 else [self._whole]
        return run_ncnn(networks, self._cpus[:cores], self._frame, frames)


def _half_times(networks: Sequence[NcnnNetwork], cpus: Sequence[int], frame: Array) -> list[float]:
    """Return the median seconds of each of two networks in a row, on the first core."""

    def timed() -> list[float]:
        value, times = networks[0].matrix(frame), list[float]()
        for network in networks:
            times.append(median(_seconds(network, value) for _ in range(TRIALS)))
            value = network(value)
        return times

    return on_cores(cpus[:1], timed)


def _seconds(network: NcnnNetwork, frame: Any) -> float:
    start = time.perf_counter()
    network(frame)
    return time.perf_counter() - start


class OnnxRuntime:
    """The network in ONNX Runtime: a session of one thread, and one that splits each kernel among two."""

    how = "two intra-op threads"

    def __init__(self, model: Path, cpus: Sequence[int], frame: Array):
        self._cpus, self._frame = cpus, frame
        self._sessions = {cores: on_cores(cpus[:cores], partial(self._session, model, cores)) for cores in (1, 2)}

    def _session(self, model: Path, threads: int) -> Any:
        runtime: Any = import_module("onnxruntime")
        runtime.set_default_logger_severity(4)
        options = runtime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def run(self, cores: int, frames: int) -> Ended:
        """Run frames with one thread on one core, or with two on two."""
        return on_cores(self._cpus[:cores], partial(self._run, self._sessions[cores], frames))

    def _run(self, session: Any, frames: int) -> Ended:
        name = session.get_inputs()[0].name
        ended: list[float] = []
        result: Array = self._frame
        for _ in range(frames):
            result = session.run(None, {name: self._frame.copy()})[0]
            ended.append(time.perf_counter())
        return _ended(ended, result)
