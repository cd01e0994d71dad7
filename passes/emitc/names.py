"""C identifiers from arbitrary text: no keyword, no name of a header, unique in its scope."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield compl
concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend mutable
namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires
static_assert static_cast template this thread_local throw true try typeid typename typeof typeof_unqual using virtual
wchar_t xor xor_eq NULL linux unix i386 main environ errno near far asm fortran
"""
_STANDARD = """
abs labs llabs div acos asin atan atan2 cos sin tan acosh asinh atanh cosh sinh tanh exp exp2 expm1 frexp ilogb ldexp
log log10 log1p log2 logb modf scalbn cbrt fabs hypot pow sqrt erf erfc lgamma tgamma ceil floor nearbyint rint lrint
llrint round lround llround trunc fmod remainder remquo copysign nan nextafter fdim fmax fmin fma gamma signgam
significand drem finite isinf isnan j0 j1 jn y0 y1 yn pow10 exp10 scalb sincos index rindex abort exit atexit atoi
atof malloc calloc realloc free memcpy memmove memset memcmp memchr strcpy strncpy strcat strncat strcmp strncmp
strlen strchr strrchr strstr strspn strcspn strpbrk printf fprintf sprintf snprintf puts putchar scanf read write open
close send recv select signal sleep time clock stdin stdout stderr alloca bcmp bcopy bzero ffs stpcpy strdup isalpha
isdigit isspace toupper tolower va_list ptrdiff_t size_t ssize_t
"""
RESERVED = frozenset(_KEYWORDS.split()) | frozenset(_STANDARD.split())
_HEADER_NAME = re.compile(r"u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|[A-Z0-9_]+|(tw|TW)_\w*")
_SUFFIX = re.compile(r"(_\d+)+$")


def identifier(text: str) -> str:
    """Return a C identifier similar to `text`, never a keyword of C or C++ nor a name that a header may define."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", text)
    if not name.strip("_") or name[0] in "0123456789_":
        name = f"n{name}"
    # Macros are upper case, so upper-case names get a lower-case prefix.
    if _HEADER_NAME.fullmatch(name):
        return f"n_{name}"
    return f"{name}_" if name in RESERVED else name


def stem(hint: str) -> str:
    """Return a name without the number that IR printing appends."""
    return _SUFFIX.sub("", hint) or hint


class Names:
    """Scope of unique names: `acc`, `acc_1`, `acc_2`, ...; names of enclosing scopes are excluded."""

    def __init__(self, taken: Iterable[str] = (), around: Names | None = None):
        self._next = {name: 1 for name in taken}
        self._around = around

    def add(self, text: str) -> str:
        """Return a fresh identifier similar to `text`, and reserve it."""
        base = identifier(text)
        number = self._number(base)
        if number is None:
            self._next[base] = 1
            return base
        while self._number(name := f"{base}_{number}") is not None:
            number += 1
        self._next[base] = number + 1
        self._next[name] = 1
        return name

    def fork(self) -> Names:
        """Return a nested scope; the outer scope must not add names while it is in use."""
        return Names(around=self)

    def _number(self, base: str) -> int | None:
        """Return the next number of a reserved base, None if the base is free."""
        scope: Names | None = self
        while scope is not None:
            if base in scope._next:
                return scope._next[base]
            scope = scope._around
        return None
