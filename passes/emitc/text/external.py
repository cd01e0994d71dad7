"""Arrays of a network in external memory: their addresses there, and the image that is preloaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .files import files_of
from .weights import Weight, definition

FILE = files_of().external_image
"""The file that holds the image of a network without a name."""

_UNIT = 16
"""What the places of arrays are multiples of, in bytes."""


@dataclass(frozen=True)
class ExternalArray:
    """An array in external memory that changes: its name and its element's type in C, its size in bytes."""

    c_name: str
    c_type: str
    bytes: int


@dataclass(frozen=True)
class External:
    """The arrays in external memory, in order: weights, which have to be brought there, then those that change."""

    prefix: str
    image_file: str
    weights: tuple[Weight, ...]
    arrays: tuple[ExternalArray, ...]

    @property
    def image(self) -> bytes:
        """Image to load to the beginning of the memory: all weights."""
        return b"".join(weight.data.ljust(_padded(len(weight.data)), b"\0") for weight in self.weights)

    @property
    def array(self) -> str:
        """The definition of the image as an array, for a network in one file."""
        image = Weight(f"{self.prefix}_ram_weights", "uint8_t", "uint8", (len(self.image),), self.image, _UNIT)
        return f"extern {image.declaration};\n{definition(image)}"

    @property
    def bytes(self) -> int:
        """The bytes of all arrays, padding included."""
        return sum(_padded(size) for size in self._sizes)

    @property
    def _sizes(self) -> Sequence[int]:
        return [*(len(weight.data) for weight in self.weights), *(array.bytes for array in self.arrays)]

    @property
    def definitions(self) -> str:
        """The code that gives the arrays their names, and the functions that the header declares."""
        types = [*(f"const {weight.c_type}" for weight in self.weights), *(array.c_type for array in self.arrays)]
        names = [each.c_name for each in (*self.weights, *self.arrays)]
        lines, place = [f"static uintptr_t {self.prefix}_ram;"], 0
        for name, kind, size in zip(names, types, self._sizes, strict=True):
            lines.append(f"#define {name} (({kind} *)({self.prefix}_ram + {place}u))")
            place += _padded(size)
        return "\n".join(lines) + "\n\n" + _FUNCTIONS.format(prefix=self.prefix, upper=self.prefix.upper())

    @property
    def macros(self) -> list[str]:
        """The lines of the header that say how large the memory is."""
        upper, size = self.prefix.upper(), len(self.image)
        return [
            f"#define {upper}_RAM_BYTES {self.bytes} /* of external RAM */",
            f"#define {upper}_RAM_WEIGHTS_BYTES {size} /* the first of them: what is in {self.image_file} */",
            "",
        ]

    @property
    def prototypes(self) -> list[str]:
        """The lines of the header that declare how the memory is prepared."""
        return _PROTOTYPES.format(prefix=self.prefix, upper=self.prefix.upper(), file=self.image_file).splitlines()


_FUNCTIONS = """\
int32_t {prefix}_open(void *device) {{
    return tw_ram_open(device, {upper}_RAM_BYTES, &{prefix}_ram);
}}

void {prefix}_load(uint32_t offset, const void *from, uint32_t bytes) {{
    tw_ram_load({prefix}_ram + offset, from, bytes);
}}
"""

_PROTOTYPES = """\
/*
 * Takes {upper}_RAM_BYTES of external RAM for the network: to be called once, before all else. Returns 0, or -1 where
 * there is no such room. What `device` is depends on where it runs: runtime/tw_ram.h says it.
 */
int32_t {prefix}_open(void *device);

/*
 * Writes to the network's external RAM. Before the first run all {upper}_RAM_WEIGHTS_BYTES of {file} have to be
 * there. They may come in pieces, each with its offset in the file.
 */
void {prefix}_load(uint32_t offset, const void *from, uint32_t bytes);
"""


def _padded(size: int) -> int:
    return -(-size // _UNIT) * _UNIT
