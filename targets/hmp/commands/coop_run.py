"""The command `tilewright coop run`: frames through a network over the processors of a chip, on this machine."""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....errors import Diagnostic
from ....files import check_places, path_of
from ....grammar import UsageError
from ..options import add_hosts, add_mapping, add_model, mapping_of, model_of, wanted_hosts

if TYPE_CHECKING:
    from ..building import ProgramFacts

DESCRIPTION = """\
Run frames through a network over several processors: each stage is a thread, which computes a frame of its own.

  tilewright coop run build/ --frames frames.npz --outputs results.npz
  tilewright coop run net.onnx --order BBLL --frames images/ --mode switch
  tilewright coop run build/ --frames frames.npz --cores big=2-3,little=0-1 --profile 1 --trace trace.json
  tilewright coop run build/ --frames frames.npz --cores big=4-5,little=0-3 --host-gpu little
  tilewright coop run build/ --frames frames.npz --clocks big=1800,little=L2 --clock-backend sysfs
  tilewright coop run build/ --frames frames.npz --mode switch --clocks big=1800,3:big=1200 --clock-backend sysfs

Frames are arrays with an axis of frames before those of the inputs, by name or in order; a folder of such files; or raw
frames, one file or a folder with a file for each. In pipeline mode all stages compute at once, for throughput; in
switch mode one frame at a time, for latency. Clocks are in MHz, or after L an index of the machine's list, from 0.
Ctrl-C ends all threads and says at which frame each stage is.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    add_model(parser, "a folder that coop compile wrote, or a model, with --order", "MODEL|DIR")
    add_mapping(parser)
    what = "what the network runs on: .npz, .npy, a folder of them, or raw frames"
    parser.add_argument("--frames", type=path_of, required=True, metavar="PATH", help=what)
    what = "where results go: an .npz file, or raw in a folder"
    parser.add_argument("--outputs", type=path_of, metavar="PATH", help=what)
    parser.add_argument("--count", type=_count, metavar="N", help="frames at most")
    modes = ("pipeline", "switch")
    parser.add_argument("--mode", choices=modes, default=modes[0], help="all stages at once, or one frame at a time")
    parser.add_argument("--threads", default="", metavar="NAME=N", help="threads of the kernels of each processor (1)")
    what = "the CPUs of this machine that stand for each processor: big=2-3,little=0+1 (any)"
    parser.add_argument("--cores", default="", metavar="TABLE", help=what)
    add_hosts(parser, "on whose cores its threads run (those of --cores, else any)")
    what = "clocks: big=1800,little=L2, and with --mode switch of layers: 3:big=1200 (as they are)"
    parser.add_argument("--clocks", default="", metavar="TABLE", help=what)
    what = "how clocks are set: none, sysfs, sysfs:ROOT, command:COMMAND (none)"
    parser.add_argument("--clock-backend", default="none", metavar="NAME", help=what)
    what = "0: frames per second and latency; 1: also phases of stages; 2: also layers (0)"
    parser.add_argument("--profile", type=int, choices=(0, 1, 2), default=0, help=what)
    parser.add_argument("--json", type=path_of, metavar="FILE", help="the profile, with its records")
    parser.add_argument("--trace", type=path_of, metavar="FILE", help="the profile as trace events, for Perfetto")


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) >= 2**63:
        raise argparse.ArgumentTypeError(f"a number of frames is an integer from 0, not '{text}'")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Run the command; the exit code is that of the program."""
    files = {"--outputs": options.outputs, "--json": options.json, "--trace": options.trace}
    check_places(files, [options.model, options.frames])
    with tempfile.TemporaryDirectory(prefix="tilewright-") as name:
        return _run_in(Path(name), options)


def _run_in(scratch: Path, options: argparse.Namespace) -> int:
    from ....runtime.tables import save_outputs
    from ..building import executable, facts_in
    from ..frame_files import raw_frames, results_of

    if not options.model.exists():
        raise Diagnostic(
            "there is no program and no model of this name",
            where=str(options.model),
            expected="a folder that `tilewright coop compile` wrote, or a .onnx or .mlir file",
            found="no such file or directory",
            remedy="correct the path, or run tilewright coop compile MODEL --order ORDER -o DIR",
        )
    folder = options.model if options.model.is_dir() else _compiled(scratch / "program", options)
    facts = facts_in(folder)
    arguments = _arguments(options, facts)
    places = scratch / "in", scratch / "out"
    for place in places:
        place.mkdir()
    frames = raw_frames(options.frames, facts.inputs, places[0])
    as_arrays = options.outputs is not None and options.outputs.suffix == ".npz"
    if as_arrays:
        for port in facts.outputs:
            (places[1] / f"{port.file}.bin").touch()
    outputs = places[1] if as_arrays else options.outputs
    marks = ["-DTW_LAYER_MARKS"] if options.profile == 2 or ":" in options.clocks else []
    program = executable(folder, marks)
    output_flags = ["--outputs", str(outputs)] if outputs is not None else []
    code = _run([str(program), "--frames", str(frames), *output_flags, *arguments], folder)
    if as_arrays and code == 0:
        save_outputs(results_of(places[1], facts.outputs), options.outputs)
    return code


def _compiled(folder: Path, options: argparse.Namespace) -> Path:
    from ..building import build, write_program

    write_program(build(model_of(options), options.target, mapping_of(options)), folder)
    return folder


def _arguments(options: argparse.Namespace, facts: ProgramFacts) -> list[str]:
    """Return the options of the program. Raises UsageError for those that do not fit its machine."""
    from ..settings import check_pinning, check_threads, clocks_of, cores_of, cores_text, hosts_of

    present = sorted(os.sched_getaffinity(0))
    cores = cores_of(options.cores, facts.processors, present) if options.cores else {}
    if options.threads:
        check_threads(options.threads, facts.processors, cores)
    arguments = ["--mode", options.mode, "--profile", str(options.profile), "--clock-backend", options.clock_backend]
    arguments += ["--cores", cores_text(cores)] if cores else []
    hosts = hosts_of(wanted_hosts(options), facts.processors)
    check_pinning(hosts, cores)
    arguments += ["--hosts", ",".join(f"{name}={host}" for name, host in hosts.items())] if hosts else []
    if options.clocks:
        switched = options.mode == "switch"
        clocks = clocks_of(options.clocks, facts.processors, facts.layers, switched=switched)
        arguments += ["--clocks", ",".join(map(str, clocks))]
    if options.count is not None:
        arguments += ["--count", str(options.count)]
    if options.trace is not None and not options.profile:
        raise UsageError("a trace of totals alone is empty", found="--profile 0", remedy="--profile 1, or 2 for layers")
    for flag, path in (("--json", options.json), ("--trace", options.trace)):
        arguments += [flag, str(path)] if path is not None else []
    return arguments


def _run(command: Sequence[str], folder: Path) -> int:
    """
    Run a program in a session of its own, with the artefacts of a folder, and return its exit code.

    It gets the interrupts that come to this process, at which it joins its threads and says where they are.
    """
    sys.stdout.flush()
    environment = {"TILEWRIGHT_NPU_PATH": str(folder.resolve())} | os.environ
    with subprocess.Popen(command, env=environment, start_new_session=True) as process:
        while True:
            try:
                return process.wait()
            except KeyboardInterrupt:
                process.send_signal(signal.SIGINT)
            except BaseException:
                process.terminate()
                raise
