"""Keyboard server of a language model as one program in C: `tilewright keyboard build`."""

from __future__ import annotations

import argparse
import shlex
import shutil
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path

import numpy as np

from ...compiler import MODEL_HASH, PREFILL, Compilation, Model, compile_model, machine_named, write_compilation
from ...errors import Diagnostic
from ...files import path_of
from ...grammar import UsageError
from ...passes.emitc.text.files import files_in, is_bundled
from ..host import HostEntry, emitted_text, entries_of, sources_in
from ..inputs import Input
from ..processes import finished
from ..toolchain import compiler
from .generate import Language
from .generate_paged import paged_language
from .paged import DOCUMENT

PROGRAM = "keyboard"
"""File name of the program."""
MAIN = "main.c"
FLAGS = ("-std=c11", "-ffp-contract=off", "-pthread")
_RUNTIME = Path(__file__).parents[1]
_FOLDERS = (_RUNTIME / "keyboard", _RUNTIME / "paged")
_STEPS = _RUNTIME / "c" / "tilewright_paged_steps.h"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command, those that describe the model aside."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL", help="a decoder of bytes: a .onnx file, or .mlir at the graph level")
    add("-o", "--output", type=path_of, required=True, metavar="DIR", help="the folder to write")
    what = "the C compiler and its flags, such as 'riscv64-linux-gnu-gcc -static' ($CC, else cc, gcc or clang)"
    add("--cc", default="", metavar="COMMAND", help=what)
    add_begin(parser)


def add_begin(parser: argparse.ArgumentParser) -> None:
    """Add the option of the token at the start of documents."""
    what = f"the token at the start of a document, or none ({DOCUMENT}, where the model knows more tokens than bytes)"
    parser.add_argument("--begin", type=_begin, default=DOCUMENT, metavar="TOKEN", help=what)


def _begin(text: str) -> int:
    if text != "none" and not text.isdecimal():
        raise argparse.ArgumentTypeError(f"a token is a number from 0, or none, not '{text}'")
    return -1 if text == "none" else int(text)


def begin_of(vocabulary: int, begin: int, *, is_given: bool) -> int:
    """
    Return the token at the start of documents, -1 for none.

    Raises Diagnostic for a model that does not know it, and for one that does not know all bytes.
    """
    if vocabulary < 256:
        raise Diagnostic(
            "the model is none of bytes", expected="a token for each byte, 0 to 255", found=f"{vocabulary} tokens"
        )
    if begin < vocabulary:
        return begin
    if is_given:
        raise Diagnostic(
            f"the model does not know the token {begin}", expected="--begin none", found=f"{vocabulary} tokens"
        )
    return -1


def run(options: argparse.Namespace, model: Model) -> int:
    """Write the folder and build the program; prints the C compiler's command."""
    _check_target(options.target)
    compiler_words = _compiler_words(options.cc)
    compilation = compile_model(model, options.target)
    is_given = "--begin" in options.flags
    write_server(compilation, options.output, compiler_words, options.begin, is_begin_given=is_given)
    program = compilation.program()
    print(f"memory   {program.arena_bytes:,} bytes of buffers, {program.weights_bytes:,} of weights")
    print(f"program  {options.output / PROGRAM}")
    print(shlex.join(command_of(options.output, compiler_words)))
    return 0


def _compiler_words(chosen: str) -> list[str]:
    """Return the words of a C compiler's command, by default those of this machine's. Raises Diagnostic for none."""
    words = shlex.split(chosen) or list(compiler())
    if shutil.which(words[0]) is None:
        raise Diagnostic(
            "there is no such C compiler", where="--cc", found=words[0], remedy="install it, or name another"
        )
    return words


def _check_target(name: str) -> None:
    """Raise UsageError for a target whose C needs a runtime of its own, which the program does not have."""
    machine = machine_named(name)
    others = [file.name for file in machine.runtime.glob("*") if not is_bundled(file.name)]
    if others:
        raise UsageError(
            f"a keyboard server does not run on target '{name}'",
            expected="a target whose C is portable, such as host or native",
            found=f"a C runtime, {sorted(others)[0]}",
        )


def write_server(
    compilation: Compilation, folder: Path, words: Sequence[str], begin: int, *, is_begin_given: bool = False
) -> list[Path]:
    """
    Write network, store and server to a folder, and build the program there by a C compiler's command; all or nothing.

    Returns the paths. Raises Diagnostic for a network that is no decoder of bytes on a paged store, and where the
    compiler fails.
    """

    def also(staging: Path) -> None:
        (staging / MAIN).write_text(
            main_text(staging, compilation, begin, is_begin_given=is_begin_given), encoding="utf-8"
        )
        for file in _runtime_files():
            (staging / file.name).write_bytes(file.read_bytes())
        _compile(staging, words)

    return write_compilation(compilation, folder, also=also)


def _runtime_files() -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from sorted(folder.glob("*.[ch]"))
    yield _STEPS


def command_of(folder: Path, words: Sequence[str]) -> list[str]:
    """Return the command that builds the program in a folder."""
    sources = [*sources_in(folder, files_in(folder)), folder / MAIN, *sorted(folder.glob("tw_*.c"))]
    optimised = [] if any(word.startswith("-O") for word in words) else ["-O3"]
    return [*words, *FLAGS, *optimised, f"-I{folder}", *map(str, sources), "-lm", "-o", str(folder / PROGRAM)]


def _compile(folder: Path, words: Sequence[str]) -> None:
    done = finished(command_of(folder, words))
    if done.returncode:
        raise Diagnostic(
            f"the C compiler failed with status {done.returncode}",
            notes=(done.stderr or done.stdout).strip().splitlines()[:20],
            found=shlex.join(words),
        )


# The program's `main`

_MAIN = """\
/* Made by Tilewright; do not edit. The command line is that of tw_keyboard_command.c; --help shows it. */
#include "{header}"
#include "tilewright_keyboard_store.h"

{functions}
static int32_t run(uint32_t count, const uint32_t *tokens, int64_t position, const float **scores)
{{
    return {choice};
}}

int main(int argc, char **argv)
{{
    static const tw_keyboard_network network = {{{vocabulary}, {chunk}, {begin}, run, {symbol}_bind}};
    static const tw_paged_config shape = {{
        .layers = {macro}_KV_LAYERS,
        .heads = {macro}_KV_HEADS,
        .kv_heads = {macro}_KV_KV_HEADS,
        .head_dim = {macro}_KV_HEAD_DIM,
        .page_length = {macro}_KV_PAGE_LENGTH,
        .context = {macro}_KV_CONTEXT,
        .scale = {macro}_KV_SCALE,
        .model = {{{model}}},
    }};
    return tw_keyboard_command(argc, argv, &network, &shape);
}}
"""

_FUNCTION = """\
static int32_t {name}(const uint32_t *tokens, int64_t position, const float **scores)
{{
{arrays}
{fills}
    *scores = output + {last};
    return {function}({arguments});
}}
"""


def main_text(folder: Path, compilation: Compilation, begin: int, *, is_begin_given: bool) -> str:
    """Return the C of the program's `main`, which calls the network in a folder. Raises Diagnostic."""
    header = files_in(folder).header
    entries = entries_of(emitted_text(folder / header), folder)
    first = entries[0]
    several = next((entry for entry in entries[1:] if entry.function == f"{PREFILL}_run"), None)
    language = paged_language(_inputs(first), _inputs(several), compilation.model.context)
    vocabulary = _scores(first)[-1]
    functions = [_function("run_one", first, language)]
    chunk, choice = 1, "count == 1 ? run_one(tokens, position, scores) : -1"
    if several is not None and language.prompt is not None:
        functions.append(_function("run_chunk", several, language.prompt))
        chunk, choice = language.prompt.count, choice.replace("-1", "run_chunk(tokens, position, scores)")
    return _MAIN.format(
        header=header,
        functions="\n".join(functions),
        choice=choice,
        vocabulary=vocabulary,
        chunk=chunk,
        begin=begin_of(vocabulary, begin, is_given=is_begin_given),
        symbol=first.function.removesuffix("_run"),
        macro=first.prefix,
        model=", ".join(f"0x{byte:02x}" for byte in bytes.fromhex(compilation.report[MODEL_HASH])),
    )


def _inputs(entry: HostEntry | None) -> list[Input]:
    ports = entry.inputs if entry is not None else []
    return [Input(port.name, port.shape, port.added, port.rows, port.limits) for port in ports]


def _function(name: str, entry: HostEntry, language: Language) -> str:
    """Return a function in C that runs a network on tokens at a position, and gives the scores after the last one."""
    shape = _scores(entry)
    arrays, fills, arguments = list[str](), list[str](), list[str]()
    for index, port in enumerate(entry.inputs):
        kind, count = f"{entry.prefix}_INPUT_{index}_TYPE", prod(port.shape)
        arrays.append(f"    static {kind} input_{index}[{count}];")
        value = {language.token.name: "tokens[k]", language.position.name: "position"}.get(port.name, "1")
        fills.append(f"    for (uint32_t k = 0; k < {count}; ++k)\n        input_{index}[k] = ({kind}){value};")
        arguments.append(f"input_{index}")
    arrays.append(f"    static float output[{prod(shape)}];")
    return _FUNCTION.format(
        name=name,
        arrays="\n".join(arrays),
        fills="\n".join(fills),
        last=prod(shape) - shape[-1],
        function=entry.function,
        arguments=", ".join([*arguments, "output"]),
    )


def _scores(entry: HostEntry) -> tuple[int, ...]:
    """Return the shape of a network's scores. Raises Diagnostic where it gives something else."""
    if len(entry.outputs) != 1 or entry.outputs[0].dtype != np.float32:
        raise Diagnostic(
            "the network gives something else than scores",
            expected="one output of float32",
            found=", ".join(f"{port.name}: {port.dtype}" for port in entry.outputs) or "none",
            remedy="choose the output with --output-name",
        )
    return entry.outputs[0].shape
