"""What instructions of Xpulp compute of their registers."""

from __future__ import annotations

DOTS = {0x5C: (True, True), 0x54: (False, True), 0x50: (False, False)}
"""The upper seven bits of a sum of products of bytes -> which of its operands have signs."""
CRUMBS = 0x01
"""What the upper seven bits have more where products are not of 4 but of 2 bits, in XpulpNN."""
SHIFTS = {0x10: "srl", 0x12: "sra", 0x14: "sll"}
"""The upper six bits of a shift of all bytes of a word by a constant."""


def computed_by(word: int, a: int, b: int, c: int) -> int | None:
    """
    Return what an instruction computes of its two sources and of its target, as they were; None for others.

    These are pv.sdot(u)(s)p.b, .n and .c, p.mac, p.min, p.max and those of numbers without signs, shifts of bytes,
    pv.shuffle2.b and pv.pack.h.
    """
    opcode, funct3, upper = word & 127, word >> 12 & 7, word >> 25
    if (opcode, funct3) == (0x57, 1) and upper in DOTS:
        return c + dot(a, b, *DOTS[upper])
    if (opcode, funct3) == (0x57, 2) and upper & ~CRUMBS in DOTS:
        return c + dot(a, b, *DOTS[upper & ~CRUMBS], bits=2 if upper & CRUMBS else 4)
    if (opcode, funct3) == (0x57, 7) and upper >> 1 in SHIFTS:
        return shifted(a, SHIFTS[upper >> 1], (word >> 20 & 31) << 1 | upper & 1)
    if (opcode, funct3, upper) == (0x57, 1, 0x64):
        places = [b >> at & 7 for at in range(0, 32, 8)]
        return sum((((a if place > 3 else c) >> place % 4 * 8) & 255) << 8 * i for i, place in enumerate(places))
    if (opcode, funct3, upper) == (0x57, 0, 0x68):
        return (a & 0xFFFF) << 16 | b & 0xFFFF
    if (opcode, funct3, upper) == (0x33, 0, 0x21):
        return c + a * b
    if (opcode, upper) == (0x33, 0x02) and funct3 >= 4:
        bits = 33 if funct3 & 1 else 32
        lesser, greater = sorted((a, b), key=lambda value: signed(value, bits))
        return greater if funct3 >= 6 else lesser
    return None


def signed(value: int, bits: int) -> int:
    """Return the number that bits stand for, the highest of which is the sign."""
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def dot(a: int, b: int, is_a_signed: bool, is_b_signed: bool, bits: int = 8) -> int:
    """Return the sum of the products of the numbers of so many bits in two words."""
    total, mask = 0, (1 << bits) - 1
    for at in range(0, 32, bits):
        x, y = a >> at & mask, b >> at & mask
        total += (signed(x, bits) if is_a_signed else x) * (signed(y, bits) if is_b_signed else y)
    return total


def shifted(word: int, kind: str, count: int) -> int:
    """Return a word whose bytes are shifted."""
    total = 0
    for at in range(0, 32, 8):
        byte = word >> at & 255
        moved = byte << count if kind == "sll" else (signed(byte, 8) if kind == "sra" else byte) >> count
        total |= (moved & 255) << at
    return total
