"""Text of constants: in decimal, as bytes where they are large, or elided."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from math import isfinite
from typing import Any, cast

from xdsl.dialects.builtin import AnyFloat, ComplexType, Float32Type
from xdsl.ir import Attribute
from xdsl.printer import Printer

from ....ir import DenseAttr, integer_width
from .raw_bytes import to_upstream

HEX_ABOVE = 100
"""Default of upstream's --mlir-print-elementsattrs-with-hex-if-larger, in elements."""


class DensePrinter(Printer):
    """Printer of constants: more than `hex_above` elements as bytes, more than `elide` elements not at all."""

    elide: int | None = None
    hex_above: int = HEX_ABOVE

    def print_dense(self, attribute: DenseAttr) -> None:
        """Print a constant without its type; one that is not uniform may be elided."""
        data = attribute.data.data
        width = attribute.get_element_type().compile_time_size
        count = len(data) // width
        uniform = count > 0 and data == data[:width] * count
        if self.elide is not None and count > self.elide and not uniform:
            self.print_string("dense_resource<__elided__>")
        elif (digits := self._digits(attribute, 1 if uniform else count)) is not None:
            self.print_string(f"dense<{digits[0] if uniform else _nested(digits, attribute.get_shape())}>")
        else:
            raw = to_upstream(data[:width] if uniform else data, attribute.get_element_type())
            self.print_string('dense<"0x')
            self.print_string(raw.hex().upper())
            self.print_string('">')

    def _digits(self, attribute: DenseAttr, count: int) -> list[str] | None:
        """Return the digits of the first `count` elements, None where their bytes are to be printed."""
        if count > self.hex_above >= 0:
            return None
        return _numbers_in_decimal(attribute, count)


def print_dense(printer: Printer, attribute: DenseAttr) -> None:
    """Print a constant without its type, as xDSL does on its printers."""
    if isinstance(printer, DensePrinter):
        printer.print_dense(attribute)
    else:
        attribute.print_without_type(printer)


def _numbers_in_decimal(attribute: DenseAttr, count: int) -> list[str] | None:
    """Return the digits of the first `count` elements; None where their bytes are the only exact form."""
    element = attribute.get_element_type()
    values = element.unpack(attribute.data.data[: count * element.compile_time_size], count)
    if isinstance(element, ComplexType):
        part = cast("ComplexType[Any]", element).element_type
        parts = _all_in_decimal(chain.from_iterable(values), part)
        if parts is None:
            return None
        return [f"({real},{imaginary})" for real, imaginary in zip(parts[::2], parts[1::2], strict=True)]
    return _all_in_decimal(values, element)


def _all_in_decimal(values: Iterable[float], type: Attribute) -> list[str] | None:
    numbers = [_decimal(value, type) for value in values]
    return None if None in numbers else cast("list[str]", numbers)


def _decimal(value: float, type: Attribute) -> str | None:
    """Return the digits of a number as upstream prints it; None for floats that are not finite."""
    if not isinstance(type, AnyFloat):
        return str(bool(value)).lower() if integer_width(type) == 1 else str(value)
    if not isfinite(value):
        return None
    mantissa, _, exponent = f"{value:.5e}".partition("e")
    text = f"{mantissa}0e{exponent}"
    if type.unpack(type.pack((float(text),)), 1)[0] == value:
        return text
    digits = 9 if isinstance(type, Float32Type) else 17
    text = f"{value:.{digits}g}"
    # Upstream gives the bits of a whole number of so many digits, which xDSL reads as the number's value.
    return text if "." in text else f"{value:.{digits - 1}e}"


def _nested(numbers: list[str], shape: Sequence[int]) -> str:
    """Return numbers in the nested brackets of a tensor of that shape; nothing of an empty one."""
    for size in reversed(shape if numbers else ()):
        numbers = [f"[{', '.join(numbers[at : at + size])}]" for at in range(0, len(numbers), size)]
    return "".join(numbers)
