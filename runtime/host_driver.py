"""The program in which an emitted network runs under the sanitisers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

REFUSED = 64
"""What the program's exit status is more than the status of a network that refuses its inputs."""

_HEAD = """\
#include <stdio.h>
#include <string.h>
#include "@HEADER@"

static int fail(const char *message) {
    fprintf(stderr, "%s\\n", message);
    return 1;
}
"""

_ENTRY = """
@DECLARATIONS@
static int step_@INDEX@(FILE *file) {
    int status = 0;
    (void)file;
@READS@    @CALL@
@SAVES@    @CALL@
@COMPARES@    return status;
}

static int save_@INDEX@(FILE *file) {
    (void)file;
@WRITES@    return 0;
}
"""

_OPENING = """\
    static unsigned char image[@PREFIX@_RAM_WEIGHTS_BYTES + 1];
    FILE *weights = fopen("@IMAGE@", "rb");
    if (weights == NULL || fread(image, 1, sizeof image, weights) + 1 != sizeof image) return fail("no weights");
    fclose(weights);
    if (@NAME@_open(NULL) != 0) return fail("no external RAM");
    @NAME@_load(0, image, @PREFIX@_RAM_WEIGHTS_BYTES);
"""

_MAIN = """
int main(int argc, char **argv) {
    static int (*const steps[])(FILE *) = {@STEPS@};
    static int (*const saves[])(FILE *) = {@SAVES@};
@OPENING@    FILE *file = argc == 3 ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) return fail("no inputs");
    int last = 0, next;
    while ((next = fgetc(file)) != EOF) {
        last = next;
        const int status = steps[last](file);
        if (status != 0) return status;
    }
    fclose(file);
    file = fopen(argv[2], "wb");
    if (file == NULL) return fail("no outputs");
    const int failed = saves[last](file);
    return fclose(file) != 0 ? 1 : failed;
}
"""


@dataclass(frozen=True)
class DriverEntry:
    """A function of a network: what its macros begin with, its name, how many arguments, whether it has a status."""

    prefix: str
    function: str
    inputs: int
    outputs: int
    returns: bool


def driver_text(header: str, entries: Sequence[DriverEntry], image: str = "") -> str:
    """
    Return a program that reads calls of a network, does each twice in a row, and writes the outputs of the last.

    A call is a byte, the number of its function, and its raw inputs. The program fails where the two do not agree.
    `image` is the path of what has to be brought to external RAM before, where the network has such.
    """
    first = entries[0]
    opening = _OPENING.replace("@PREFIX@", first.prefix).replace("@NAME@", first.function.removesuffix("_run"))
    opening = opening.replace("@IMAGE@", image) if image else ""
    steps = ", ".join(f"step_{index}" for index in range(len(entries)))
    saves = ", ".join(f"save_{index}" for index in range(len(entries)))
    functions = [_entry(index, entry) for index, entry in enumerate(entries)]
    main = _MAIN.replace("@STEPS@", steps).replace("@SAVES@", saves).replace("@OPENING@", opening)
    return "".join([_HEAD.replace("@HEADER@", header), *functions, main])


_DECLARATION = "static {macro}_TYPE {name}[{macro}_SIZE > 0 ? {macro}_SIZE : 1];\n"
_READ = '    if (fread({name}, 1, {macro}_BYTES, file) != {macro}_BYTES) return fail("short inputs");\n'
_SAVE = "    memcpy(first_{name}, {name}, {macro}_BYTES);\n    memset({name}, 0x5a, sizeof {name});\n"
_COMPARE = '    if (memcmp(first_{name}, {name}, {macro}_BYTES) != 0) return fail("the second call differs");\n'
_WRITE = '    if (fwrite({name}, 1, {macro}_BYTES, file) != {macro}_BYTES) return fail("short outputs");\n'


def _entry(index: int, entry: DriverEntry) -> str:
    prefix, here = entry.prefix, f"{index}_"
    ins = [(f"{prefix}_INPUT_{i}", f"input_{here}{i}") for i in range(entry.inputs)]
    outs = [(f"{prefix}_OUTPUT_{i}", f"output_{here}{i}") for i in range(entry.outputs)]
    kept = [(macro, f"first_{name}") for macro, name in outs]
    parts = {
        "DECLARATIONS": _for_each((*ins, *outs, *kept), _DECLARATION),
        "READS": _for_each(ins, _READ),
        "SAVES": _for_each(outs, _SAVE),
        "COMPARES": _for_each(outs, _COMPARE),
        "WRITES": _for_each(outs, _WRITE),
    }
    call = f"{entry.function}({', '.join(name for _, name in (*ins, *outs))});"
    if entry.returns:
        call = f"if ((status = {call[:-1]}) != 0) return {REFUSED} + status;"
    text = _ENTRY.replace("@CALL@", call).replace("@INDEX@", str(index))
    for key, statements in parts.items():
        text = text.replace(f"@{key}@", statements)
    return text


def _for_each(arrays: Iterable[tuple[str, str]], statement: str) -> str:
    """Return a C statement for each array, given by the macro of its type and size, and its name."""
    return "".join(statement.format(macro=macro, name=name) for macro, name in arrays)
