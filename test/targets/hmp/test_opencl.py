"""Stages on an OpenCL device: what cores compute, bit by bit; and errors of devices, with their names and remedies."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import ModelProto

from tilewright import cli
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.processes import finished
from tilewright.runtime.testing.programs.program import program
from tilewright.runtime.toolchain import STRICT, compile_executable, compile_shared
from tilewright.runtime.tools.session import host_run
from tilewright.targets.hmp.formats.opencl import OpenclTarget
from tilewright.test.passes.lowering.one_node import FLAGS, network
from tilewright.test.random.networks.network import merged, random_network
from tilewright.test.random.programs.harness import Failure
from tilewright.test.random.programs.in_c import CText, run_in_c
from tilewright.test.random.programs.passes import Subject, failure_kind
from tilewright.test.random.programs.running import difference
from tilewright.test.targets.hmp import streamed
from tilewright.test.targets.hmp.device_programs import on_device
from tilewright.test.targets.hmp.stages import c_of, converted, require_device, staged

BATCH = 6


def outputs(model: ModelProto, order: str, inputs: Mapping[str, Array], frames: int = 0) -> Mapping[str, Array]:
    """Return what a network computes, compiled with all warnings."""
    return host_run(HostNetwork(c_of(staged(model, order, frames)), flags=FLAGS))(inputs)


def equal_on_cores(model: ModelProto, order: str, inputs: Mapping[str, Array]) -> None:
    found, wanted = (outputs(model, letters, inputs) for letters in (order, order.replace("G", "B")))
    for name, array in wanted.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def image(shape: Sequence[int]) -> Array:
    return np.random.default_rng(3).integers(0, 256, shape, np.uint8)


def test_resnet8_is_what_cores_compute() -> None:
    require_device()
    equal_on_cores(zoo.build("resnet8"), "GLGB", {"input": image((1, 3, 32, 32))})


def test_frames_of_a_pipeline_are_what_cores_compute() -> None:
    require_device()
    model, frames = zoo.build("resnet8"), image((3, 1, 3, 32, 32))
    found = outputs(model, "BGGL", {"input": frames}, len(frames))["output"]
    cores = host_run(HostNetwork(c_of(staged(model, "B")), flags=FLAGS))
    for frame, row in zip(frames, found, strict=True):
        np.testing.assert_array_equal(row, cores({"input": frame})["output"])


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(1, 12))])
def test_random_networks_are_what_cores_compute(seed: int) -> None:
    require_device()
    forms = ("qlinear", "qdq", "mixed")
    model, samples = merged([random_network(3 * seed + place, form) for place, form in enumerate(forms)])
    equal_on_cores(model, "G", samples[0])


@pytest.mark.parametrize("seed", [10, *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(20, 40))])
def test_random_networks_of_floats_are_within_the_bounds_of_opencl(seed: int) -> None:
    require_device()
    drawn = random_network(seed, "float", exact=False)
    found, wanted = (outputs(drawn.model, order, drawn.samples[0]) for order in "GB")
    for name, array in wanted.items():
        np.testing.assert_allclose(found[name], array, 2e-6, 2e-6, err_msg=name)


@pytest.mark.parametrize("batch", [0, *(pytest.param(batch, marks=pytest.mark.nightly) for batch in range(1, 20))])
def test_random_programs_compute_on_a_device_what_the_interpreter_does(batch: int, tmp_path: Path) -> None:
    require_device()
    pairs: list[tuple[Subject, CText]] = []
    refusals: list[str] = []
    seed = 1000 * batch
    while len(pairs) < BATCH:
        seed += 1
        drawn = program(seed, entry=f"p{seed}", blocks=False)
        if "libm" in drawn.traits or "tensor<" in drawn.text or drawn.text.count("func.func") > 1:
            continue
        try:
            pairs.append((Subject(drawn), on_device(drawn)))
        except Diagnostic as error:
            refusals.append(failure_kind(error))
    assert "fault" not in refusals
    results = run_in_c([text for _, text in pairs], tmp_path, "plain")
    for (subject, _), runs in zip(pairs, results, strict=True):
        assert not isinstance(runs, Failure), (subject.program.seed, runs.text)
        for expected, found in zip(subject.expected, runs, strict=True):
            assert difference(expected, found) == "", subject.program.seed


def test_frames_of_a_program_are_what_cores_compute(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Layers on a device are marked; without the device the run ends, and names the stage."""
    require_device()
    model, frames = streamed.network(tmp_path / "net.onnx"), tmp_path / "frames.npz"
    np.savez(frames, *streamed.frames_of(4).values())
    run = ["coop", "run", str(model), "--frames", str(frames), "--outputs"]
    device, cores = (tmp_path / f"{name}.npz" for name in ("device", "cores"))
    assert cli.main([*run, str(device), "--order", "GGLGGB", "--profile", "2"]) == 0
    assert cli.main([*run, str(cores), "--order", "B"]) == 0
    one, other = np.load(device), np.load(cores)
    assert {name: one[name].tobytes() for name in one.files} == {name: other[name].tobytes() for name in other.files}
    assert re.search(r"^3 +stage2_gpu +gpu", capfd.readouterr().out, re.MULTILINE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILEWRIGHT_OPENCL_DEVICE", "absent")
        assert cli.main([*run, str(device), "--order", "LG", "--partition-points", "2"]) == 1
    told = capfd.readouterr().err
    assert "error: stage stage1_gpu on OpenCL: there is no device of OpenCL that is chosen" in told


def test_16_bit_floats_need_no_extension(tmp_path: Path) -> None:
    """A device without cl_khr_fp16, such as pocl's, computes a network of 16-bit floats as cores do, bit by bit."""
    require_device()
    model, frames = streamed.network(tmp_path / "half.onnx", np.float16), tmp_path / "frames.npz"
    np.savez(frames, *(array.astype(np.float16) for array in streamed.frames_of(4).values()))
    run = ["coop", "run", str(model), "--frames", str(frames), "--outputs"]
    results: list[dict[str, bytes]] = []
    for order in ("BBGGGB", "B"):
        file = tmp_path / f"{order}.npz"
        assert cli.main([*run, str(file), "--order", order]) == 0
        arrays = np.load(file)
        assert all(arrays[name].dtype == np.float16 for name in arrays.files)
        results.append({name: arrays[name].tobytes() for name in arrays.files})
    assert results[0] == results[1]


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The kernels of random networks, and those of one of 16-bit floats."""
    folder = tmp_path_factory.mktemp("kernels")
    half = onnx.load(streamed.network(folder / "half.onnx", np.float16))  # pyright: ignore[reportUnknownMemberType]
    several, _ = merged([random_network(seed, form) for seed, form in enumerate(("qlinear", "qdq", "float"))])
    files: list[Path] = []
    for number, model in enumerate((several, half)):
        files.append(folder / f"kernels{number}.cl")
        with files[-1].open("w") as text:
            OpenclTarget().emit(new_context(), converted(staged(model, "G")), text)
    return files


def test_kernels_are_opencl_c_1_2_without_extensions(kernels: Sequence[Path]) -> None:
    """Neither 64-bit floats nor arithmetic on 16-bit ones is in kernels of networks that have no 64-bit floats."""
    if (compiler := shutil.which("clang-15") or shutil.which("clang")) is None:
        pytest.skip("there is no clang: apt-get install -y clang")
    options = ["-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-Xclang", "-finclude-default-header"]
    strict = ["-Xclang", "-cl-ext=-all", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
    for file in kernels:
        done = finished([compiler, *options, *strict, str(file)])
        assert done.returncode == 0, done.stderr


def test_kernels_fit_any_local_memory(kernels: Sequence[Path]) -> None:
    """They have none: neither local variables, nor local arguments, nor barriers."""
    for file in kernels:
        text = file.read_text()
        assert len(re.findall(r"\b__kernel\b", text)) > 3
        assert re.findall(r"\b(?:__)?local\b|\bbarrier\b", re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)) == []


# Errors

_MAIN = """\
void network_run(const double *, double *);
static const double x[4];
static double y[4];
int main(void) { network_run(x, y); return 0; }
"""


@pytest.fixture(scope="module")
def doubles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a program whose network adds doubles on a device."""
    folder = tmp_path_factory.mktemp("doubles")
    model = network("Add", {"x": np.zeros(4)}, {"w": np.ones(4)})
    (folder / "network.c").write_text(c_of(staged(model, "G")).text())
    (folder / "main.c").write_text(_MAIN)
    return compile_executable([folder / "network.c", folder / "main.c"], [*STRICT, "-O1"])


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("TILEWRIGHT_OPENCL_LIBRARY=absent.so", ["no library of OpenCL: absent.so", "apt-get install"]),
        ("STUB_EMPTY=1", ["there is no platform of OpenCL", "apt-get install"]),
        ("TILEWRIGHT_OPENCL_DEVICE=mali", ["no device of OpenCL that is chosen; devices: stub device"]),
        ("STUB_FLOAT=1", ["the device stub device has no cl_khr_fp64", "map its layers that compute in double"]),
        ("STUB_FAIL=clCreateContext:-6", ["clCreateContext of stub device: CL_OUT_OF_HOST_MEMORY (-6)"]),
        ("STUB_FAIL=clCreateBuffer:-61", ["clCreateBuffer of x, 32 bytes: CL_INVALID_BUFFER_SIZE (-61)"]),
        ("STUB_FAIL=clBuildProgram:-11", ["stub device: CL_BUILD_PROGRAM_FAILURE (-11)", "line 7: a word"]),
        ("STUB_FAIL=clCreateKernel:-46", ["clCreateKernel of elementwise_0: CL_INVALID_KERNEL_NAME (-46)"]),
        ("STUB_FAIL=clEnqueueNDRangeKernel:-54", ["of elementwise_0 (Add_0): CL_INVALID_WORK_GROUP_SIZE (-54)"]),
        ("STUB_FAIL=clEnqueueNDRangeKernel:-5", ["CL_OUT_OF_RESOURCES (-5)", "map its largest layer to a core"]),
        ("STUB_FAIL=clEnqueueMapBuffer:-12", ["clEnqueueMapBuffer of x: CL_MAP_FAILURE (-12)"]),
        ("STUB_FAIL=clFlush:-9999", ["clFlush of the queue: an error of the device (-9999)"]),
        ("STUB_RIGHT=1", []),
    ],
)
def test_devices_that_fail_are_told(doubles: Path, setting: str, told: Sequence[str]) -> None:
    stub = compile_shared([Path(__file__).parent / "c" / "opencl_stub.c"], [*STRICT, "-O1"])
    name, _, value = setting.partition("=")
    done = finished([str(doubles)], environment={"TILEWRIGHT_OPENCL_LIBRARY": str(stub), name: value})
    assert done.returncode == bool(told), done.stderr
    assert all(text in done.stderr for text in ["stage stage0_gpu on OpenCL", *told] * bool(told)), done.stderr
