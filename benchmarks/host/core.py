"""Roofline of one core of this machine for the host's benchmark, measured."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tilewright.runtime.toolchain import compile_shared

FLAGS = ("-O3", "-march=native")
FLAGS_OF = {
    "native": FLAGS,
    "avx-vnni": ("-O3", "-march=x86-64-v3", "-mavxvnni"),
    "avx2": ("-O3", "-march=x86-64-v3"),
}
"""Flags of the C compiler for this machine, or for one with fewer vector instructions."""

# As many independent chains of sums as hide the latency of an instruction, in the widest vectors there are.
PEAK = """
#include <stdint.h>
#include <time.h>
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
#if defined(__AVX512VNNI__)
#include <immintrin.h>
#define KIND "AVX-512 VNNI"
#define LANES 64
typedef __m512i V;
#define STEP(a) a = _mm512_dpbusd_epi32(a, x, y)
#elif defined(__AVXVNNI__)
#include <immintrin.h>
#define KIND "AVX-VNNI"
#define LANES 32
typedef __m256i V;
#define STEP(a) a = _mm256_dpbusd_avx_epi32(a, x, y)
#elif defined(__AVX2__)
#include <immintrin.h>
#define KIND "AVX2, sums of four products of bytes"
#define LANES 64
typedef __m256i V;
#define STEP(a) \\
    do { \\
        V t, u; \\
        __asm__ volatile("vpmaddubsw %2, %3, %0\\n\\tvpmaddubsw %3, %2, %1" : "=&x"(t), "=x"(u) : "x"(x), "x"(y)); \\
        t = _mm256_madd_epi16(_mm256_add_epi16(t, u), x); \\
        a = _mm256_add_epi32(a, t); \\
    } while (0)
#else
#define KIND "vectors of 16 bytes"
#define LANES 4
typedef int32_t V __attribute__((vector_size(16)));
#define STEP(a) a += a * y
#endif
#if defined(__AVX512F__)
#define FLOAT_KIND "AVX-512"
#define FLOATS 16
typedef __m512 F;
#define FLOAT_STEP(a) a = _mm512_fmadd_ps(a, x, y)
#elif defined(__FMA__)
#define FLOAT_KIND "FMA"
#define FLOATS 8
typedef __m256 F;
#define FLOAT_STEP(a) a = _mm256_fmadd_ps(a, x, y)
#else
#define FLOAT_KIND "vectors of 16 bytes"
#define FLOATS 4
typedef float F __attribute__((vector_size(16)));
#define FLOAT_STEP(a) a = a * x + y
#endif
const char *kind(void) { return KIND; }
const char *float_kind(void) { return FLOAT_KIND; }
volatile int32_t sink;
#if defined(__AVX512F__)
#define REGISTER "v"
#elif defined(__x86_64__)
#define REGISTER "x"
#else
#define REGISTER "w"
#endif
double peak(void) {
    union { int32_t n[16]; V v; } u = {{1, 2, 3, 4}};
    V x = u.v, y = u.v, a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x;
    /* The compiler must not see that the chains are alike. */
    __asm__ volatile("" : "+" REGISTER(a), "+" REGISTER(b), "+" REGISTER(c), "+" REGISTER(d), "+" REGISTER(e));
    __asm__ volatile("" : "+" REGISTER(f), "+" REGISTER(g), "+" REGISTER(h), "+" REGISTER(i), "+" REGISTER(j));
    const int64_t turns = 20000000;
    const double start = now();
    for (int64_t t = 0; t < turns; ++t) {
        STEP(a); STEP(b); STEP(c); STEP(d); STEP(e); STEP(f); STEP(g); STEP(h); STEP(i); STEP(j);
        __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y));
    }
    const double spent = now() - start;
    union { int32_t n[16]; V v; } r;
    r.v = a; sink = r.n[0]; r.v = b; sink = r.n[0]; r.v = c; sink = r.n[0]; r.v = d; sink = r.n[0];
    r.v = e; sink = r.n[0]; r.v = f; sink = r.n[0]; r.v = g; sink = r.n[0]; r.v = h; sink = r.n[0];
    r.v = i; sink = r.n[0]; r.v = j; sink = r.n[0];
    return 10.0 * LANES * (double)turns / spent;
}
double float_peak(void) {
    union { float n[16]; F v; } u = {{0.5f, 0.25f}};
    F x = u.v, y = u.v, a = x, b = x, c = x, d = x, e = x, f = x, g = x, h = x, i = x, j = x;
    __asm__ volatile("" : "+" REGISTER(a), "+" REGISTER(b), "+" REGISTER(c), "+" REGISTER(d), "+" REGISTER(e));
    __asm__ volatile("" : "+" REGISTER(f), "+" REGISTER(g), "+" REGISTER(h), "+" REGISTER(i), "+" REGISTER(j));
    const int64_t turns = 20000000;
    const double start = now();
    for (int64_t t = 0; t < turns; ++t) {
        FLOAT_STEP(a); FLOAT_STEP(b); FLOAT_STEP(c); FLOAT_STEP(d); FLOAT_STEP(e);
        FLOAT_STEP(f); FLOAT_STEP(g); FLOAT_STEP(h); FLOAT_STEP(i); FLOAT_STEP(j);
        __asm__ volatile("" : "+" REGISTER(x), "+" REGISTER(y));
    }
    const double spent = now() - start;
    u.v = a + b + c + d + e + f + g + h + i + j;
    sink = (int32_t)u.n[0];
    return 10.0 * FLOATS * (double)turns / spent;
}
double bandwidth(const int64_t *data, int64_t bytes) {
    const int64_t turns = 400000000 / bytes + 1;
    int64_t s0 = 0, s1 = 0, s2 = 0, s3 = 0, s4 = 0, s5 = 0, s6 = 0, s7 = 0;
    const double start = now();
    for (int64_t t = 0; t < turns; ++t) {
        for (int64_t k = 0; k + 8 <= bytes / 8; k += 8) {
            s0 ^= data[k]; s1 ^= data[k + 1]; s2 ^= data[k + 2]; s3 ^= data[k + 3];
            s4 ^= data[k + 4]; s5 ^= data[k + 5]; s6 ^= data[k + 6]; s7 ^= data[k + 7];
        }
        __asm__ volatile("" : : "r"(data) : "memory");
    }
    const double spent = now() - start;
    sink = (int32_t)(s0 ^ s1 ^ s2 ^ s3 ^ s4 ^ s5 ^ s6 ^ s7);
    return (double)turns * (double)bytes / spent;
}
"""


class Core:
    """
    Peak rates of one core of this machine, per second: multiply-accumulates of bytes, `peak`, and of floats,
    `float_peak`; `bandwidth(bytes)`. Measured by C that these flags compile.
    """

    def __init__(self, folder: Path, flags: Sequence[str] = FLAGS):
        source = folder / "peak.c"
        source.write_text(PEAK)
        library = ctypes.CDLL(str(compile_shared([source], ["-std=gnu11", *flags])))
        library.peak.restype = library.float_peak.restype = library.bandwidth.restype = ctypes.c_double
        library.kind.restype = library.float_kind.restype = ctypes.c_char_p
        self.kind, self.float_kind = library.kind().decode(), library.float_kind().decode()
        self.peak, self.float_peak = (max(run() for _ in range(5)) for run in (library.peak, library.float_peak))
        self._bandwidth = library.bandwidth

    def bandwidth(self, size: int) -> float:
        """Return the bytes a second at which a buffer of `size` bytes is read again and again."""
        data = np.ones(max(size, 4096) // 64 * 8, np.int64)
        address = data.ctypes.data_as(ctypes.c_void_p)
        return max(self._bandwidth(address, ctypes.c_int64(data.nbytes)) for _ in range(3))
