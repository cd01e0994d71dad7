"""
Random networks of NNSmith, an independent generator, compared with ONNX Runtime.

NNSmith needs torch, so it lives in an environment of its own:

    python -m venv nnsmith
    nnsmith/bin/pip install torch nnsmith onnx onnxruntime
    python test/fuzz/nnsmith_outputs.py networks --make-with nnsmith/bin/python    500 networks, interpreter and C
    python test/fuzz/nnsmith_outputs.py networks --only 17 -v                      one of them again

Outputs must have the same type and shape, integers the same values, floats those within rounding; NaN and infinity must
stand where ONNX Runtime has them. A network that differs is run again with all its inner tensors as outputs, and each
node by itself on the numbers that reached it here:

- *explained*: a node differs as docs/onnx-differences.md says, or where the standard leaves the result open;
- *amplified*: every node gives what ONNX Runtime computes of the same numbers, so that the difference is the rounding
  of floats, which a later node (Floor, ArgMax, Tan, a comparison, ...) makes large;
- *differs*: anything else. The node and its inputs are saved as DIFFERENCES/SEED.onnx and .npz.

Others are equal, refused (a clear error), skipped (ONNX Runtime has no kernel), fault, crash or hang. The exit code is
1 where a network differs or is one of the last three.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper, shape_inference

from tilewright.ir import Array
from tilewright.runtime.tools.onnx_backend import DEVICES
from tilewright.test.frontend.random_onnx.compare import Place, Verdict, compare, difference, golden, ours
from tilewright.test.frontend.random_onnx.differences import NOT_NUMBERS as _NOT_NUMBERS
from tilewright.test.frontend.random_onnx.differences import explained
from tilewright.test.fuzz.isolated import Crash, Hang, run_isolated

SECONDS = 120
"""Time limit of a network on one device, in seconds."""

GOOD = ("equal", "refused", "skipped", "explained", "amplified")


class Found(NamedTuple):
    """The outcome of a network, and its reproducer: the smallest model known to differ, with inputs."""

    verdict: Verdict
    model: ModelProto | None = None
    inputs: Mapping[str, Array] = {}


def judge(model: ModelProto, inputs: Mapping[str, Array], device: str) -> Found:
    """Compare a network; where it differs, look for the node that does."""
    verdict = compare(model, [inputs], Place(device))
    return Found(verdict, model, inputs) if verdict.kind != "differs" else _explain(model, inputs, device, verdict)


def _explain(model: ModelProto, inputs: Mapping[str, Array], device: str, verdict: Verdict) -> Found:
    exposed = _exposed(model)
    names = [value.name for value in exposed.graph.output]
    found = dict(zip(names, map(np.asarray, ours(exposed, inputs, Place(device))), strict=True))
    plain = zip((value.name for value in model.graph.output), ours(model, inputs, Place(device)), strict=True)
    if unstable := [name for name, array in plain if difference(found[name], np.asarray(array))]:
        detail = f"{verdict.detail}; {unstable[0]} differs from itself where inner tensors are outputs"
        return Found(Verdict("differs", detail), model, inputs)
    reasons: set[str] = set()
    undefined: set[str] = set()
    for part, given in _single_nodes(exposed, {**inputs, **found}):
        wanted = golden(part, given)
        got = [found[value.name] for value in part.graph.output]
        text = next((text for pair in zip(wanted, got, strict=True) if (text := difference(*pair))), "")
        if _converts_too_large(part, given) or undefined & given.keys():
            undefined |= {value.name for value in part.graph.output}
            reasons |= {_TOO_LARGE} if text else set()
            continue
        detail = f"{part.graph.node[0].op_type}: {text}{_NOT_NUMBERS if _holds_nan(given) else ''}"
        reason = explained(part, detail) if text else ""
        if text and not reason:
            return Found(Verdict("differs", detail), part, given)
        reasons |= {reason} - {""}
    return Found(Verdict("explained", ", ".join(sorted(reasons))) if reasons else Verdict("amplified", verdict.detail))


def _holds_nan(given: Mapping[str, Array]) -> bool:
    return any(array.dtype.kind == "f" and bool(np.isnan(array).any()) for array in given.values())


_TOO_LARGE = "conversion of floats that the integer type does not hold"


def _converts_too_large(part: ModelProto, given: Mapping[str, Array]) -> bool:
    """Return whether a node converts floats to integers that the type does not hold: the standard leaves these open."""
    node, target = part.graph.node[0], part.graph.output[0].type.tensor_type.elem_type
    kind = np.dtype(helper.tensor_dtype_to_np_dtype(target))
    source = next(iter(given.values()), None)
    if node.op_type != "Cast" or source is None or source.dtype.kind != "f" or kind.kind not in "iu":
        return False
    limits, whole = np.iinfo(kind), np.trunc(source.astype(np.float64))
    # The largest integer of 64 bits is no double: the first number beyond it is.
    return not bool(((whole >= limits.min) & (whole < limits.max + 1.0)).all())


def _exposed(model: ModelProto) -> ModelProto:
    """Return a network all of whose tensors are outputs."""
    inferred: ModelProto = shape_inference.infer_shapes(model, data_prop=True)
    outputs = {value.name for value in inferred.graph.output}
    made = {name for node in inferred.graph.node if node.op_type != "Constant" for name in node.output}
    inferred.graph.output.extend(v for v in inferred.graph.value_info if v.name in made - outputs)
    return inferred


def _single_nodes(model: ModelProto, values: Mapping[str, Array]) -> Iterator[tuple[ModelProto, dict[str, Array]]]:
    """Yield each node as a network of its own, with what it takes: constants as they are, the rest from `values`."""
    constants: dict[str, TensorProto] = {tensor.name: tensor for tensor in model.graph.initializer}
    types = {value.name: value for value in (*model.graph.input, *model.graph.output)}
    for node in model.graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = _constant(node)
            continue
        names = dict.fromkeys(filter(None, node.input))
        inner = [name for name in names if name not in constants]
        outputs = [types[name] for name in node.output if name in types]
        if not outputs or any(name not in values or name not in types for name in inner):
            continue
        fixed = [constants[name] for name in names if name in constants]
        graph = helper.make_graph([node], "node", [types[name] for name in inner], outputs, fixed)
        part = helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
        yield part, {name: values[name] for name in inner}


def _constant(node: NodeProto) -> TensorProto:
    tensor = TensorProto()
    value = helper.get_attribute_value(node.attribute[0])
    tensor.CopyFrom(value if isinstance(value, TensorProto) else numpy_helper.from_array(np.asarray(value)))
    tensor.name = node.output[0]
    return tensor


def attempt(folder: Path, seed: int, device: str, differences: Path) -> Verdict:
    """Return the outcome of a network of a folder; save the reproducer of one that differs."""
    model = ModelProto.FromString((folder / f"{seed}.onnx").read_bytes())
    with np.load(folder / f"{seed}.npz") as arrays:
        inputs = dict(arrays)
    try:
        found = judge(model, inputs, device)
    except Exception as error:
        return Verdict("fault", f"the comparison ends: {type(error).__name__}: {error}")
    if found.verdict.kind not in GOOD and found.model is not None:
        differences.mkdir(parents=True, exist_ok=True)
        (differences / f"{seed}.onnx").write_bytes(found.model.SerializeToString())
        arrays: Any = found.inputs
        np.savez(differences / f"{seed}.npz", **arrays)
    return found.verdict


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("folder", type=Path, help="the networks: SEED.onnx with SEED.npz")
    add("--make-with", metavar="PYTHON", help="make the networks first, by this Python, which has NNSmith")
    add("--networks", type=int, default=500, metavar="N", help="how many networks (500)")
    add("--seed", type=int, default=0, metavar="N", help="the first number (0)")
    add("--only", type=int, metavar="SEED", help="one network alone")
    add("--on", choices=DEVICES, action="append", help="where to run (both)")
    add("--jobs", type=int, default=1, metavar="N", help="processes at a time (1)")
    add("--differences", type=Path, metavar="FOLDER", help="for reproducers (FOLDER/differences)")
    add("-v", "--verbose", action="store_true", help="print all but what is equal")
    options = parser.parse_args()
    if options.make_with:
        script = Path(__file__).with_name("nnsmith_networks.py")
        numbers = ["--networks", str(options.networks), "--seed", str(options.seed)]
        subprocess.run([options.make_with, script, options.folder, *numbers], check=True)
    wanted = range(options.seed, options.seed + options.networks) if options.only is None else [options.only]
    seeds = [seed for seed in wanted if (options.folder / f"{seed}.npz").exists()]
    saved = options.differences or options.folder / "differences"
    runs = [(seed, device) for seed in seeds for device in options.on or DEVICES]
    counts: dict[str, Counter[str]] = {device: Counter() for device in options.on or DEVICES}
    for (seed, device), found in run_isolated(
        runs, lambda run: attempt(options.folder, *run, saved), options.jobs, SECONDS
    ):
        verdict = Verdict(type(found).__name__.lower(), str(found)) if isinstance(found, Crash | Hang) else found
        counts[device][verdict.kind] += 1
        if verdict.kind not in GOOD or (options.verbose and verdict.kind != "equal"):
            print(f"seed {seed} on {device}: {verdict.kind}: {verdict.detail}", flush=True)
    print(f"{len(seeds)} networks")
    for device, kinds in counts.items():
        print(f"{device}: " + ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())))
    return int(not seeds or any(not kinds.keys() <= set(GOOD) for kinds in counts.values()))


if __name__ == "__main__":
    sys.exit(main())
