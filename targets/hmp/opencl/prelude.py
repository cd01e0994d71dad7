"""
Prelude of the OpenCL C of kernels: types and functions of the C runtime that they name, beyond OpenCL C 1.2.

Functions of integers, comparisons and rounding are those of `tilewright.h`, so that results are equal bit by bit.
Elementary functions are OpenCL's own, whose errors the standard bounds: exp, log and sqrt by 3 ULP, sin and cos by 4,
tanh by 5, erf and pow by 16.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_RUNTIME = Path(__file__).parents[3] / "runtime" / "c"

_TYPES = """\
#pragma OPENCL FP_CONTRACT OFF
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#endif
#if defined(__GNUC__) || defined(__clang__)
#define TW_MAY_ALIAS __attribute__((__may_alias__))
#define TW_IS_CONSTANT(number) __builtin_constant_p(number)
#else
#define TW_MAY_ALIAS
#define TW_IS_CONSTANT(number) 0
#endif
#define TW_INLINE static inline
#define TW_UNLIKELY(condition) (condition)
#define TW_INDEPENDENT
#define TW_UNROLL(factor)
#define _Alignas(bytes) __attribute__((aligned(bytes)))
#define INT8_MIN CHAR_MIN
#define INT8_MAX CHAR_MAX
#define INT16_MIN SHRT_MIN
#define INT16_MAX SHRT_MAX
#define INT32_MIN INT_MIN
#define INT32_MAX INT_MAX
#define INT64_MIN LONG_MIN
#define INT64_MAX LONG_MAX
#define INT32_C(number) number
#define INT64_C(number) number##L
#define UINT32_C(number) number##U
#define UINT64_C(number) number##UL
typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;
typedef uchar TW_MAY_ALIAS tw_bool;
typedef short TW_MAY_ALIAS tw_i16;
typedef int TW_MAY_ALIAS tw_i32;
typedef long TW_MAY_ALIAS tw_i64;
typedef ushort TW_MAY_ALIAS tw_u16;
typedef uint TW_MAY_ALIAS tw_u32;
typedef ulong TW_MAY_ALIAS tw_u64;
typedef ushort tw_f16;
typedef ushort tw_bf16;
typedef float TW_MAY_ALIAS tw_f32;
#define TW_SELECT(suffix, bits, condition, a, b) ((condition) ? (a) : (b))
#define TW_INF_F32 as_float(0x7f800000)
#define TW_NAN_F32 as_float(0x7fc00000)
"""

_DOUBLES = """\
#if defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
typedef double TW_MAY_ALIAS tw_f64;
#define TW_INF_F64 as_double(0x7ff0000000000000L)
#define TW_NAN_F64 as_double(0x7ff8000000000000L)
"""

_UNARY = """
acos acosh asin asinh atan atanh cbrt cos cosh erf exp exp2 expm1 log log10 log1p log2 sin sinh sqrt tan tanh
""".split()
_BINARY = {"atan2": "atan2", "fmod": "fmod", "powf": "pow"}

_HALVES = {
    "tw_extf_f16_f32": "TW_INLINE float tw_extf_f16_f32(tw_f16 a) { return vload_half(0, (const half *)&a); }",
    "tw_truncf_f32_f16": """\
TW_INLINE tw_f16 tw_truncf_f32_f16(float a) {
    tw_f16 bits;
    vstore_half_rte(a, 0, (half *)&bits);
    return bits;
}""",
}
"""Conversions of 16-bit floats by OpenCL's loads and stores of `half`, which need no arithmetic on it."""


def with_prelude(code: str) -> str:
    """Return OpenCL C with the types, constants and functions that it names before it."""
    definitions = _functions()
    needed: dict[str, None] = {}
    pending = [code]
    while pending:
        for name in re.findall(r"\btw_\w+(?=\()", pending.pop()):
            if name in definitions and name not in needed:
                needed[name] = None
                pending.append(definitions[name])
    text = "\n\n".join([*(definitions[name] for name in definitions if name in needed), code])
    return _TYPES + (_DOUBLES if needs_doubles(text) else "") + "\n" + text


def needs_doubles(code: str) -> bool:
    """Return whether code computes in 64-bit floats, which devices may lack."""
    return re.search(r"\bdouble\b|\btw_f64\b|_F64\b", code) is not None


@cache
def _functions() -> dict[str, str]:
    """Return the definitions of the functions of the C runtime in OpenCL C, callees first."""
    definitions: dict[str, str] = {}
    for header in ("tilewright.h", "tilewright_half.h"):
        definitions |= _defined_in(_expanded((_RUNTIME / header).read_text("utf-8")))
    for kind, suffix in (("float", "f32"), ("double", "f64")):
        definitions |= _elementary(kind, suffix)
    return definitions | {name: text for name, text in _HALVES.items() if name in definitions}


def _elementary(kind: str, suffix: str) -> dict[str, str]:
    """Return the elementary functions of a type, as OpenCL's."""
    one = {f"tw_{name}_{suffix}": f"({kind} a) {{ return {name}(a); }}" for name in _UNARY}
    two = {f"tw_{name}_{suffix}": f"({kind} a, {kind} b) {{ return {own}(a, b); }}" for name, own in _BINARY.items()}
    others = {
        f"tw_fma_{suffix}": f"({kind} a, {kind} b, {kind} c) {{ return fma(a, b, c); }}",
        f"tw_rsqrt_{suffix}": f"({kind} a) {{ return ({kind})1 / sqrt(a); }}",
    }
    return {name: f"TW_INLINE {kind} {name}{rest}" for name, rest in (one | two | others).items()}


_MACRO = re.compile(r"#define (TW_\w+)\(([^)]*)\) \\\n((?:.*\\\n)*.*\n)")


def _expanded(text: str) -> str:
    """Expand the macros of a header that define functions for several types."""
    macros = {
        name: (parameters.split(", "), body.replace(" \\\n", "\n")) for name, parameters, body in _MACRO.findall(text)
    }
    text = _MACRO.sub("", text)

    def expand(use: re.Match[str]) -> str:
        if use[1] not in macros:
            return use[0]
        parameters, body = macros[use[1]]
        arguments = dict(zip(parameters, use[2].split(", "), strict=True))
        names = "|".join(parameters)
        return re.sub(rf"(?:##)?\b({names})\b(?:##)?", lambda name: arguments[name[1]], body)

    return re.sub(r"^(TW_\w+)\((.*)\)$", expand, text, flags=re.MULTILINE)


def _defined_in(text: str) -> dict[str, str]:
    """Return the definition of each inline function in C, with constants of floats as such: `0.5f` for `(float)0.5`."""
    definitions: dict[str, str] = {}
    for head in re.finditer(r"^ *TW_INLINE [\w ]+?(tw_\w+)\(", text, re.MULTILINE):
        end = _closing_brace(text, text.index("{", head.end()))
        body = re.sub(r"^ {4}(?=TW_INLINE| {4}|\})", "", text[head.start() : end].strip("\n"), flags=re.MULTILINE)
        definitions[head[1]] = re.sub(r"\(float\)(\d+(?:\.\d+)?)\b", _float_constant, body)
    return definitions


def _float_constant(cast: re.Match[str]) -> str:
    return f"{cast[1]}f" if "." in cast[1] else f"{cast[1]}.0f"


def _closing_brace(text: str, start: int) -> int:
    """Return the position after the brace that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"{": 1, "}": -1}.get(text[position], 0)
        if not depth:
            return position + 1
    raise AssertionError("an unclosed brace in a header of the runtime")
