"""Arrays of a network in external memory: their addresses there, and the image that is preloaded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from .files import files_of
from .weights import Weight, definition

FILE = files_of().external_image
"""Image file of a network without a name."""

_UNIT = 16
"""Alignment of arrays in bytes."""


@dataclass(frozen=True)
class ExternalArray:
    """Mutable array in external memory: name, C element type, and size in bytes."""

    c_name: str
    c_type: str
    bytes: int


@dataclass(frozen=True)
class ExternalArrays:
    """Arrays in external memory: preloaded weights, then mutable arrays."""

    prefix: str
    image_file: str
    weights: tuple[Weight, ...]
    arrays: tuple[ExternalArray, ...]

    @property
    def image(self) -> bytes:
        """Image to preload at the start of the memory: all weights."""
        return b"".join(weight.data.ljust(_padded(len(weight.data)), b"\0") for weight in self.weights)

    @property
    def array(self) -> str:
        """C array of the image, for a network in one file."""
        image = Weight(f"{self.prefix}_ram_weights", "uint8_t", "uint8", (len(self.image),), self.image, _UNIT)
        return f"extern {image.declaration};\n{definition(image)}"

    @property
    def bytes(self) -> int:
        """Bytes of all arrays, padding included."""
        return sum(_padded(size) for _, _, size in self._layout())

    def _layout(self) -> Iterator[tuple[str, str, int]]:
        """Yield name, C type of an element and bytes of each array in memory, in order of their addresses."""
        for weight in self.weights:
            yield weight.c_name, f"const {weight.c_type}", len(weight.data)
        for array in self.arrays:
            yield array.c_name, array.c_type, array.bytes

    @property
    def definitions(self) -> str:
        """C code that defines the arrays' names and the functions declared in the header."""
        lines, offset = [f"static uintptr_t {self.prefix}_ram;"], 0
        for name, c_type, size in self._layout():
            lines.append(f"#define {name} (({c_type} *)({self.prefix}_ram + {offset}u))")
            offset += _padded(size)
        return "\n".join(lines) + "\n\n" + _FUNCTIONS.format(prefix=self.prefix, upper=self.prefix.upper())

    @property
    def macros(self) -> list[str]:
        """Macros of the header with the sizes of the memory."""
        upper, size = self.prefix.upper(), len(self.image)
        return [
            f"#define {upper}_RAM_BYTES {self.bytes} /* of external RAM */",
            f"#define {upper}_RAM_WEIGHTS_BYTES {size} /* the first of them: what is in {self.image_file} */",
            "",
        ]

    @property
    def prototypes(self) -> list[str]:
        """Prototypes of the header for the preparation of the memory."""
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
