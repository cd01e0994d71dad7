"""
C text of the bare-metal program around a network, and its records of calls.

A program processes records: calls of the network's functions with their inputs, and resets of its state. They are
stored in the program, or read from the serial line. Each begins with a word for its kind; arrays are aligned to 16
bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ...errors import Diagnostic
from ...ir import Array
from ...runtime.host import HostEntry, HostPort, checked_arrays

_ALIGNMENT = 16
_END, _RESET, _FIRST = 0, 1, 2


@dataclass(frozen=True)
class BareCall:
    """Call of function number `entry` of network.h: its inputs, and optional outputs to compare."""

    inputs: Sequence[Array]
    expected: Sequence[Array] | None = None
    entry: int = 0


def records(entries: Sequence[HostEntry], calls: Sequence[BareCall]) -> bytes:
    """
    Return the records of calls, and the final record.

    Raises Diagnostic for arrays of other types or shapes than in network.h, and if only some calls have outputs to
    compare.
    """
    if len({call.expected is None for call in calls}) > 1:
        raise Diagnostic("only some calls have outputs to compare", expected="outputs of all calls, or of none")
    return b"".join(record(entries, call) for call in calls) + _word(_END)


def record(entries: Sequence[HostEntry], call: BareCall) -> bytes:
    """Return the record of a call. Raises Diagnostic for arrays of other types or shapes."""
    entry = entries[call.entry]
    arrays = checked_arrays(entry.inputs, call.inputs)
    arrays += checked_arrays(entry.outputs, call.expected) if call.expected is not None else []
    # C has no empty arrays: one has one element there.
    return _word(_FIRST + call.entry) + b"".join(_padded(array.tobytes() or b"\0") for array in arrays)


def reset_record() -> bytes:
    """Return the record that resets the state."""
    return _word(_RESET)


def _word(number: int) -> bytes:
    return _padded(struct.pack("<I", number))


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % _ALIGNMENT)


_PROGRAM = """\
#include <string.h>

#include "network.h"
#include "program.h"
#include "tw_cluster.h"

struct record {
    _Alignas(16) uint32_t kind;
};
@STRUCTS@
enum { END, RESET, FIRST };

static const uint32_t sizes[] = {sizeof(struct record), sizeof(struct record)@SIZES@};

#if defined(TW_SERIAL)

enum { REFUSAL_ENDS = 0 };

static union {
    struct record record;
@MEMBERS@} received;

static void receive(uint32_t from, uint32_t to) {
    for (uint8_t *const bytes = (uint8_t *)&received; from < to; ++from) bytes[from] = tw_get();
}

static const struct record *next_record(void) {
    receive(0u, sizeof(struct record));
    receive(sizeof(struct record), sizes[received.record.kind]);
    return &received.record;
}

#else

enum { REFUSAL_ENDS = 1 };

extern const struct record records[];
static const struct record *place;

static const struct record *next_record(void) {
    const struct record *const found = place;
    place += sizes[found->kind] / sizeof(struct record);
    return found;
}

#endif

static uint32_t calls;
static int is_shown;

static void tell(const char *what, uint32_t number) {
    tw_put_text(what);
    tw_put_decimal(number);
    tw_put('\\n');
}

static int32_t finish(uint32_t cycles, int32_t status) {
    tell("cycles ", cycles);
    if (status != 0) tell("refused ", (uint32_t)status);
    return status;
}
@COMPARISON@@FUNCTIONS@@EXTERNAL@
/* Returns the status of a call that was refused, 1 where outputs differ, else 0. */
static int32_t run_records(void) {
    int32_t code = 0;
    for (calls = 0;; ++calls) {
        const struct record *const record = next_record();
        int32_t status = 0;
        switch (record->kind) {
            case END: return code;
@CASES@        }
        if (status < 0) code = 1;
        if (status > 0 && REFUSAL_ENDS) return status;
    }
}

int main(void) {
    int32_t code = 0;
#if defined(TW_BARE_METAL)
    tw_start();
#endif
@OPENING@    for (int run = 1; run <= @RUNS@ && code == 0; ++run) {
#if !defined(TW_SERIAL)
        place = records;
#endif
        is_shown = run >= @SHOWN@;
@RESET@        code = run_records();
    }
    return code;
}
"""

_FUNCTION = """
@OUTPUTS@
static int32_t call_@NUMBER@(const struct call_@NUMBER@ *given) {
    int32_t status = 0;
#if defined(TW_COUNTED)
    tw_count_begin();
#endif
    const uint32_t begin = tw_cycles();
    @CALL@;
    const uint32_t end = tw_cycles();
    (void)given;
    if (finish(end - begin, status) != 0) return status;
#if defined(TW_COUNTED)
    tw_count_end();
#endif
    if (is_shown) {
@PRINTS@    }
@COMPARES@    return status;
}
"""

_COMPARISON = """
static int32_t compare(uint32_t number, const void *found, const void *expected, uint32_t bytes) {
    if (memcmp(found, expected, bytes) == 0) return 0;
    tw_put_text("call ");
    tw_put_decimal(calls);
    tell(" differs in output ", number);
    return -1;
}
"""


_EXTERNAL = """
static _Alignas(16) uint8_t ram[@PREFIX@_RAM_BYTES];
extern const uint8_t ram_image[];
"""

_OPENING = """\
    if (@NAME@_open(ram) != 0) return 1;
    @NAME@_load(0, ram_image, @PREFIX@_RAM_WEIGHTS_BYTES);
"""


def program_text(
    entries: Sequence[HostEntry], *, runs: int, shown: int, has_state: bool, has_external: bool, is_compared: bool
) -> str:
    """
    Return the C text of a program that processes its records `runs` times, with a reset of the state before each run.

    After each call it prints the cycles, from run number `shown` (1 is the first) on also the outputs. With TW_SERIAL
    records come over the serial line; the program then continues after a failed input check, else it ends with the
    network's status. A network with external RAM gets memory in its place, filled from `ram_image`.
    """
    names = {"NAME": entries[0].function.removesuffix("_run"), "PREFIX": entries[0].prefix}
    reset = f"{names['NAME']}_reset();" if has_state else ""
    cases = ["case RESET:", f"    {reset}".rstrip(), "    break;"]
    structs, sizes, members, functions = list[str](), list[str](), list[str](), list[str]()
    for number, entry in enumerate(entries):
        cases += [f"case FIRST + {number}:", f"    status = call_{number}((const void *)record);", "    break;"]
        structs.append(_struct(number, entry, is_compared))
        sizes.append(f", sizeof(struct call_{number})")
        members.append(f"    struct call_{number} call_{number};\n")
        functions.append(_function(number, entry, is_compared))
    parts = {
        "STRUCTS": "".join(structs),
        "SIZES": "".join(sizes),
        "MEMBERS": "".join(members),
        "COMPARISON": _COMPARISON if is_compared else "",
        "FUNCTIONS": "".join(functions),
        "CASES": "".join(f"            {line}\n" for line in cases if line),
        "RESET": f"        {reset}\n" if reset else "",
        "EXTERNAL": _filled(_EXTERNAL, names) if has_external else "",
        "OPENING": _filled(_OPENING, names) if has_external else "",
        "RUNS": str(runs),
        "SHOWN": str(shown),
    }
    return _filled(_PROGRAM, parts)


def _struct(number: int, entry: HostEntry, is_compared: bool) -> str:
    arrays = [(f"{entry.prefix}_INPUT_{i}", f"input_{i}", port) for i, port in enumerate(entry.inputs)]
    if is_compared:
        arrays += [(f"{entry.prefix}_OUTPUT_{i}", f"expected_{i}", port) for i, port in enumerate(entry.outputs)]
    members = [f"    _Alignas(16) {macro}_TYPE {name}[{_count(port)}];" for macro, name, port in arrays]
    return "\n".join([f"struct call_{number} {{", "    struct record record;", *members, "};\n"])


def _count(port: HostPort) -> int:
    return max(prod(port.shape), 1)


def _function(number: int, entry: HostEntry, is_compared: bool) -> str:
    ins = [f"given->input_{i}" for i in range(len(entry.inputs))]
    outs = [(i, f"output_{number}_{i}", f"{entry.prefix}_OUTPUT_{i}", port) for i, port in enumerate(entry.outputs)]
    call = f"{entry.function}({', '.join([*ins, *(name for _, name, *_ in outs)])})"
    arrays, prints, compares = list[str](), list[str](), list[str]()
    for i, name, macro, port in outs:
        arrays.append(f"static _Alignas(16) {macro}_TYPE {name}[{_count(port)}];")
        prints.append(f'        tw_put_bytes("output", {i}u, {name}, {macro}_BYTES);\n')
        compares.append(f"    if (compare({i}u, {name}, given->expected_{i}, {macro}_BYTES) != 0) status = -1;\n")
    parts = {
        "OUTPUTS": "\n".join(arrays),
        "NUMBER": str(number),
        "CALL": f"status = {call}" if entry.returns else call,
        "PRINTS": "".join(prints),
        "COMPARES": "".join(compares) if is_compared else "",
    }
    return _filled(_FUNCTION, parts)


def _filled(text: str, parts: dict[str, str]) -> str:
    for key, value in parts.items():
        text = text.replace(f"@{key}@", value)
    return text
