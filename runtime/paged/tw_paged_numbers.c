#include "tilewright_paged.h"

#include "tw_paged_numbers.h"

/*
 * The vector extensions of GCC and Clang compute what the loops below them compute, at every level of optimisation.
 * -DTW_PAGED_PLAIN leaves them out.
 */
#if !defined(TW_PAGED_PLAIN) && defined(__has_builtin)
#if __has_builtin(__builtin_shufflevector) && __has_builtin(__builtin_convertvector)
#define TW_PAGED_VECTORS
#endif
#endif

static inline float element_at(const void *data, uint32_t element, size_t index)
{
    return element == TW_PAGED_BF16 ? tw_paged_widen(((const uint16_t *)data)[index]) : ((const float *)data)[index];
}

static inline void dots_plain(float *scores, size_t stride, const float *queries, uint32_t heads, const void *keys,
                              uint32_t element, uint32_t first, uint32_t tokens, uint32_t dim, float scale)
{
    for (uint32_t t = first; t < tokens; ++t) {
        for (uint32_t h = 0; h < heads; ++h) {
            const float *q = queries + (size_t)h * dim;
            float lanes[TW_PAGED_LANES];
            for (uint32_t j = 0; j < TW_PAGED_LANES; ++j)
                lanes[j] = q[j] * element_at(keys, element, (size_t)t * dim + j);
            for (uint32_t i = TW_PAGED_LANES; i < dim; i += TW_PAGED_LANES)
                for (uint32_t j = 0; j < TW_PAGED_LANES; ++j)
                    lanes[j] += q[i + j] * element_at(keys, element, (size_t)t * dim + i + j);
            scores[h * stride + t] = tw_paged_fold(lanes) * scale;
        }
    }
}

static inline void bounds_plain(float *scores, size_t stride, const float *queries, uint32_t heads,
                                const unsigned char *digests, size_t bytes, uint32_t type, const uint32_t *rows,
                                uint32_t first, uint32_t blocks, uint32_t dim)
{
    for (uint32_t b = first; b < blocks; ++b) {
        const void *row = digests + rows[b] * bytes;
        for (uint32_t h = 0; h < heads; ++h) {
            const float *q = queries + (size_t)h * dim;
            float lanes[TW_PAGED_LANES];
            for (uint32_t i = 0; i < dim; ++i) {
                const float upper = q[i] * element_at(row, type, i);
                const float bound = tw_paged_max(upper, q[i] * element_at(row, type, (size_t)dim + i));
                lanes[i % TW_PAGED_LANES] = i < TW_PAGED_LANES ? bound : lanes[i % TW_PAGED_LANES] + bound;
            }
            scores[h * stride + b] = tw_paged_fold(lanes);
        }
    }
}

static inline void weigh_plain(float *sums, const float *weights, size_t stride, uint32_t heads, const void *values,
                               uint32_t element, uint32_t tokens, uint32_t first, uint32_t dim)
{
    for (uint32_t h = 0; h < heads; ++h)
        for (uint32_t t = 0; t < tokens; ++t)
            for (uint32_t d = first; d < dim; ++d)
                sums[h * (size_t)dim + d] += weights[h * stride + t] * element_at(values, element, (size_t)t * dim + d);
}

#ifdef TW_PAGED_VECTORS

typedef float vector __attribute__((vector_size(32)));
typedef float quad __attribute__((vector_size(16)));
typedef int32_t integers __attribute__((vector_size(32)));
typedef uint32_t words __attribute__((vector_size(32)));
/* As they lie in memory, aligned to an element. */
typedef float vector_at __attribute__((vector_size(32), aligned(4), may_alias));
typedef float quad_at __attribute__((vector_size(16), aligned(4), may_alias));
typedef uint16_t halves_at __attribute__((vector_size(16), aligned(2), may_alias));

#define CACHE_LINE 64
#define DIGESTS_AHEAD 8
/* Data `ahead` bytes behind an address; an integer, for it is of another page. */
#define FETCH(address, ahead) __builtin_prefetch((const void *)((uintptr_t)(address) + (ahead)))

#define LOAD_F32(p) (*(const vector_at *)(p))
#define LOAD_BF16(p) ((vector)(__builtin_convertvector(*(const halves_at *)(p), words) << 16))
#define LOW(v) __builtin_shufflevector(v, v, 0, 1, 2, 3)
#define HIGH(v) __builtin_shufflevector(v, v, 4, 5, 6, 7)
/* Fold the lanes of four vectors to a quad: (((l0+l4)+(l2+l6)) + ((l1+l5)+(l3+l7))) of each. */
#define FOLD(quad_out, a, b, c, d)                                                                                     \
    do {                                                                                                               \
        const quad fa = LOW(a) + HIGH(a), fb = LOW(b) + HIGH(b), fc = LOW(c) + HIGH(c), fd = LOW(d) + HIGH(d);         \
        const quad ab = __builtin_shufflevector(fa, fb, 0, 1, 4, 5) + __builtin_shufflevector(fa, fb, 2, 3, 6, 7);     \
        const quad cd = __builtin_shufflevector(fc, fd, 0, 1, 4, 5) + __builtin_shufflevector(fc, fd, 2, 3, 6, 7);     \
        quad_out = __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);          \
    } while (0)
/* y where y > x, else x: what the instruction of AVX does. */
#ifdef __AVX__
#define MAXIMUM(x, y) __builtin_ia32_maxps256(y, x)
#else
#define MAXIMUM(x, y) ((vector)((((y) > (x)) & (integers)(y)) | (~((y) > (x)) & (integers)(x))))
#endif
#define BOUND(out, q, upper, lower)                                                                                    \
    do {                                                                                                               \
        const vector above = (q) * (upper), below = (q) * (lower);                                                     \
        out = MAXIMUM(above, below);                                                                                   \
    } while (0)

/* Four heads share a pass over the keys, two tokens at once: eight independent chains of additions. */
#define DOTS_OF_FOUR_HEADS(name, type, load)                                                                           \
    static void name(float *scores, size_t stride, const float *queries, const type *keys, uint32_t tokens,           \
                     uint32_t dim, float scale, uintptr_t ahead)                                                       \
    {                                                                                                                  \
        for (uint32_t t = 0; t + 2 <= tokens; t += 2) {                                                                \
            const type *k = keys + (size_t)t * dim, *l = k + dim;                                                      \
            for (size_t byte = 0; byte < 2 * dim * sizeof(type); byte += CACHE_LINE)                                   \
                FETCH((const char *)k + byte, ahead);                                                                  \
            const float *q = queries, *r = q + dim, *u = r + dim, *v = u + dim;                                        \
            vector x = load(k), y = load(l);                                                                           \
            vector a = LOAD_F32(q) * x, b = LOAD_F32(r) * x, c = LOAD_F32(u) * x, d = LOAD_F32(v) * x;                 \
            vector e = LOAD_F32(q) * y, f = LOAD_F32(r) * y, g = LOAD_F32(u) * y, h = LOAD_F32(v) * y;                 \
            for (uint32_t i = TW_PAGED_LANES; i < dim; i += TW_PAGED_LANES) {                                          \
                x = load(k + i), y = load(l + i);                                                                      \
                a += LOAD_F32(q + i) * x, b += LOAD_F32(r + i) * x, c += LOAD_F32(u + i) * x;                          \
                d += LOAD_F32(v + i) * x, e += LOAD_F32(q + i) * y, f += LOAD_F32(r + i) * y;                          \
                g += LOAD_F32(u + i) * y, h += LOAD_F32(v + i) * y;                                                    \
            }                                                                                                          \
            quad one, two;                                                                                             \
            FOLD(one, a, b, c, d);                                                                                     \
            FOLD(two, e, f, g, h);                                                                                     \
            one *= scale, two *= scale;                                                                                \
            for (uint32_t n = 0; n < 4; ++n) {                                                                         \
                scores[n * stride + t] = one[n];                                                                       \
                scores[n * stride + t + 1] = two[n];                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }
DOTS_OF_FOUR_HEADS(dots_four_f32, float, LOAD_F32)
DOTS_OF_FOUR_HEADS(dots_four_bf16, uint16_t, LOAD_BF16)

/* One head: four tokens at once. */
#define DOTS_OF_ONE_HEAD(name, type, load)                                                                             \
    static void name(float *scores, const float *queries, const type *keys, uint32_t tokens, uint32_t dim,            \
                     float scale, uintptr_t ahead)                                                                     \
    {                                                                                                                  \
        for (uint32_t t = 0; t + 4 <= tokens; t += 4) {                                                                \
            const type *k = keys + (size_t)t * dim, *l = k + dim, *m = l + dim, *n = m + dim;                          \
            for (size_t byte = 0; byte < 4 * dim * sizeof(type); byte += CACHE_LINE)                                   \
                FETCH((const char *)k + byte, ahead);                                                                  \
            vector q = LOAD_F32(queries);                                                                              \
            vector a = q * load(k), b = q * load(l), c = q * load(m), d = q * load(n);                                 \
            for (uint32_t i = TW_PAGED_LANES; i < dim; i += TW_PAGED_LANES) {                                          \
                q = LOAD_F32(queries + i);                                                                             \
                a += q * load(k + i), b += q * load(l + i), c += q * load(m + i), d += q * load(n + i);                \
            }                                                                                                          \
            quad folded;                                                                                               \
            FOLD(folded, a, b, c, d);                                                                                  \
            *(quad_at *)(scores + t) = folded * scale;                                                                 \
        }                                                                                                              \
    }
DOTS_OF_ONE_HEAD(dots_one_f32, float, LOAD_F32)
DOTS_OF_ONE_HEAD(dots_one_bf16, uint16_t, LOAD_BF16)

#define BOUNDS_OF_FOUR_HEADS(name, type, load)                                                                         \
    static void name(float *scores, size_t stride, const float *queries, const unsigned char *digests, size_t bytes,  \
                     const uint32_t *rows, uint32_t blocks, uint32_t dim)                                              \
    {                                                                                                                  \
        for (uint32_t s = 0; s < blocks; ++s) {                                                                        \
            const type *upper = (const type *)(const void *)(digests + rows[s] * bytes), *lower = upper + dim;         \
            const float *q = queries, *r = q + dim, *u = r + dim, *v = u + dim;                                        \
            vector x = load(upper), y = load(lower), a, b, c, d, more;                                                 \
            for (size_t byte = 0; byte < bytes && s + DIGESTS_AHEAD < blocks; byte += CACHE_LINE)                      \
                FETCH(digests + rows[s + DIGESTS_AHEAD] * bytes + byte, 0);                                            \
            BOUND(a, LOAD_F32(q), x, y);                                                                               \
            BOUND(b, LOAD_F32(r), x, y);                                                                               \
            BOUND(c, LOAD_F32(u), x, y);                                                                               \
            BOUND(d, LOAD_F32(v), x, y);                                                                               \
            for (uint32_t i = TW_PAGED_LANES; i < dim; i += TW_PAGED_LANES) {                                          \
                x = load(upper + i), y = load(lower + i);                                                              \
                BOUND(more, LOAD_F32(q + i), x, y);                                                                    \
                a += more;                                                                                             \
                BOUND(more, LOAD_F32(r + i), x, y);                                                                    \
                b += more;                                                                                             \
                BOUND(more, LOAD_F32(u + i), x, y);                                                                    \
                c += more;                                                                                             \
                BOUND(more, LOAD_F32(v + i), x, y);                                                                    \
                d += more;                                                                                             \
            }                                                                                                          \
            quad folded;                                                                                               \
            FOLD(folded, a, b, c, d);                                                                                  \
            for (uint32_t n = 0; n < 4; ++n)                                                                           \
                scores[n * stride + s] = folded[n];                                                                    \
        }                                                                                                              \
    }
BOUNDS_OF_FOUR_HEADS(bounds_four_f32, float, LOAD_F32)
BOUNDS_OF_FOUR_HEADS(bounds_four_bf16, uint16_t, LOAD_BF16)

#define BOUNDS_OF_ONE_HEAD(name, type, load)                                                                           \
    static void name(float *scores, const float *queries, const unsigned char *digests, size_t bytes,                 \
                     const uint32_t *rows, uint32_t blocks, uint32_t dim)                                              \
    {                                                                                                                  \
        for (uint32_t s = 0; s + 4 <= blocks; s += 4) {                                                                \
            const type *p[4];                                                                                          \
            for (uint32_t n = 0; n < 4; ++n)                                                                           \
                p[n] = (const type *)(const void *)(digests + rows[s + n] * bytes);                                    \
            vector q = LOAD_F32(queries), a, b, c, d, more;                                                            \
            BOUND(a, q, load(p[0]), load(p[0] + dim));                                                                 \
            BOUND(b, q, load(p[1]), load(p[1] + dim));                                                                 \
            BOUND(c, q, load(p[2]), load(p[2] + dim));                                                                 \
            BOUND(d, q, load(p[3]), load(p[3] + dim));                                                                 \
            for (uint32_t i = TW_PAGED_LANES; i < dim; i += TW_PAGED_LANES) {                                          \
                q = LOAD_F32(queries + i);                                                                             \
                BOUND(more, q, load(p[0] + i), load(p[0] + dim + i));                                                  \
                a += more;                                                                                             \
                BOUND(more, q, load(p[1] + i), load(p[1] + dim + i));                                                  \
                b += more;                                                                                             \
                BOUND(more, q, load(p[2] + i), load(p[2] + dim + i));                                                  \
                c += more;                                                                                             \
                BOUND(more, q, load(p[3] + i), load(p[3] + dim + i));                                                  \
                d += more;                                                                                             \
            }                                                                                                          \
            quad folded;                                                                                               \
            FOLD(folded, a, b, c, d);                                                                                  \
            *(quad_at *)(scores + s) = folded;                                                                         \
        }                                                                                                              \
    }
BOUNDS_OF_ONE_HEAD(bounds_one_f32, float, LOAD_F32)
BOUNDS_OF_ONE_HEAD(bounds_one_bf16, uint16_t, LOAD_BF16)

/* Four heads share a pass over the values of sixteen dimensions. */
#define WEIGH_FOR_FOUR_HEADS(name, type, load)                                                                         \
    static void name(float *sums, const float *weights, size_t stride, const type *values, uint32_t tokens,           \
                     uint32_t dim, uintptr_t ahead)                                                                    \
    {                                                                                                                  \
        for (uint32_t i = 0; i + 16 <= dim; i += 16) {                                                                 \
            const bool is_line = i * sizeof(type) % CACHE_LINE == 0;                                                   \
            float *p = sums + i, *q = p + dim, *r = q + dim, *s = r + dim;                                             \
            vector a = LOAD_F32(p), b = LOAD_F32(q), c = LOAD_F32(r), d = LOAD_F32(s);                                 \
            vector e = LOAD_F32(p + 8), f = LOAD_F32(q + 8), g = LOAD_F32(r + 8), h = LOAD_F32(s + 8);                 \
            for (uint32_t t = 0; t < tokens; ++t) {                                                                    \
                const vector x = load(values + (size_t)t * dim + i), y = load(values + (size_t)t * dim + i + 8);       \
                const float *w = weights + t;                                                                          \
                if (is_line)                                                                                           \
                    FETCH(values + (size_t)t * dim + i, ahead);                                                        \
                a += w[0] * x, b += w[stride] * x, c += w[2 * stride] * x, d += w[3 * stride] * x;                     \
                e += w[0] * y, f += w[stride] * y, g += w[2 * stride] * y, h += w[3 * stride] * y;                     \
            }                                                                                                          \
            *(vector_at *)p = a, *(vector_at *)q = b, *(vector_at *)r = c, *(vector_at *)s = d;                        \
            *(vector_at *)(p + 8) = e, *(vector_at *)(q + 8) = f, *(vector_at *)(r + 8) = g;                           \
            *(vector_at *)(s + 8) = h;                                                                                 \
        }                                                                                                              \
    }
WEIGH_FOR_FOUR_HEADS(weigh_four_f32, float, LOAD_F32)
WEIGH_FOR_FOUR_HEADS(weigh_four_bf16, uint16_t, LOAD_BF16)

#define WEIGH_FOR_ONE_HEAD(name, type, load)                                                                           \
    static void name(float *sums, const float *weights, const type *values, uint32_t tokens, uint32_t dim,            \
                     uintptr_t ahead)                                                                                  \
    {                                                                                                                  \
        for (uint32_t i = 0; i + 16 <= dim; i += 16) {                                                                 \
            const bool is_line = i * sizeof(type) % CACHE_LINE == 0;                                                   \
            vector a = LOAD_F32(sums + i), b = LOAD_F32(sums + i + 8);                                                 \
            for (uint32_t t = 0; t < tokens; ++t) {                                                                    \
                if (is_line)                                                                                           \
                    FETCH(values + (size_t)t * dim + i, ahead);                                                        \
                a += weights[t] * load(values + (size_t)t * dim + i);                                                  \
                b += weights[t] * load(values + (size_t)t * dim + i + 8);                                              \
            }                                                                                                          \
            *(vector_at *)(sums + i) = a, *(vector_at *)(sums + i + 8) = b;                                            \
        }                                                                                                              \
    }
WEIGH_FOR_ONE_HEAD(weigh_one_f32, float, LOAD_F32)
WEIGH_FOR_ONE_HEAD(weigh_one_bf16, uint16_t, LOAD_BF16)

void tw_paged_dots(float *scores, size_t stride, const float *queries, uint32_t heads, const void *keys,
                   uint32_t element, uint32_t tokens, uint32_t dim, float scale, const void *next)
{
    const uintptr_t ahead = next == NULL ? 0 : (uintptr_t)next - (uintptr_t)keys;
    const bool is_bf16 = element == TW_PAGED_BF16;
    const uint32_t vectored = heads == 4 ? tokens & ~1u : tokens & ~3u;
    if (heads == 4) {
        if (is_bf16)
            dots_four_bf16(scores, stride, queries, keys, vectored, dim, scale, ahead);
        else
            dots_four_f32(scores, stride, queries, keys, vectored, dim, scale, ahead);
    }
    for (uint32_t h = 0; h < heads && heads != 4; ++h) {
        if (is_bf16)
            dots_one_bf16(scores + h * stride, queries + (size_t)h * dim, keys, vectored, dim, scale, ahead);
        else
            dots_one_f32(scores + h * stride, queries + (size_t)h * dim, keys, vectored, dim, scale, ahead);
    }
    dots_plain(scores, stride, queries, heads, keys, element, vectored, tokens, dim, scale);
}

void tw_paged_bounds(float *scores, size_t stride, const float *queries, uint32_t heads, const unsigned char *digests,
                     size_t bytes, uint32_t type, const uint32_t *rows, uint32_t blocks, uint32_t dim)
{
    const bool is_bf16 = type == TW_PAGED_BF16;
    const uint32_t vectored = heads == 4 ? blocks : blocks & ~3u;
    if (heads == 4) {
        if (is_bf16)
            bounds_four_bf16(scores, stride, queries, digests, bytes, rows, vectored, dim);
        else
            bounds_four_f32(scores, stride, queries, digests, bytes, rows, vectored, dim);
    }
    for (uint32_t h = 0; h < heads && heads != 4; ++h) {
        if (is_bf16)
            bounds_one_bf16(scores + h * stride, queries + (size_t)h * dim, digests, bytes, rows, vectored, dim);
        else
            bounds_one_f32(scores + h * stride, queries + (size_t)h * dim, digests, bytes, rows, vectored, dim);
    }
    bounds_plain(scores, stride, queries, heads, digests, bytes, type, rows, vectored, blocks, dim);
}

void tw_paged_weigh(float *sums, const float *weights, size_t stride, uint32_t heads, const void *values,
                    uint32_t element, uint32_t tokens, uint32_t dim, const void *next)
{
    const uintptr_t ahead = next == NULL ? 0 : (uintptr_t)next - (uintptr_t)values;
    const bool is_bf16 = element == TW_PAGED_BF16;
    if (heads == 4) {
        if (is_bf16)
            weigh_four_bf16(sums, weights, stride, values, tokens, dim, ahead);
        else
            weigh_four_f32(sums, weights, stride, values, tokens, dim, ahead);
    }
    for (uint32_t h = 0; h < heads && heads != 4; ++h) {
        if (is_bf16)
            weigh_one_bf16(sums + (size_t)h * dim, weights + h * stride, values, tokens, dim, ahead);
        else
            weigh_one_f32(sums + (size_t)h * dim, weights + h * stride, values, tokens, dim, ahead);
    }
    weigh_plain(sums, weights, stride, heads, values, element, tokens, dim & ~15u, dim);
}

/* tw_paged_exp of eight. */
static inline void exp_lanes(float *s, float most, float *lanes)
{
    const float magic = 12582912.0f;
    const vector x = LOAD_F32(s) - most;
    const vector shifted = x * 1.44269502f + magic;
    const vector n = shifted - magic;
    const vector r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
    vector p = r * 1.9875691500e-4f;
    p = (p + 1.3981999507e-3f) * r;
    p = (p + 8.3334519073e-3f) * r;
    p = (p + 4.1665795894e-2f) * r;
    p = (p + 1.6666665459e-1f) * r;
    p = p + 5.0000001201e-1f;
    const vector y = ((p * (r * r)) + r) + 1.0f;
    const vector power = (vector)(((words)shifted - tw_paged_bits(magic) + 127u) << 23);
    const vector e = (vector)((integers)(y * power) & ~(x < -87.0f));
    *(vector_at *)s = e;
    *(vector_at *)lanes += e;
}

/* Fold eight numbers at once to a maximum and the greatest magnitude; return how many were folded. */
static inline uint32_t maximum_lanes(const float *s, uint32_t count, float *most, uint32_t *magnitude)
{
    if (count < TW_PAGED_LANES)
        return 0;
    vector greatest = LOAD_F32(s);
    integers magnitudes = (integers)greatest & 0x7fffffff;
    uint32_t t = TW_PAGED_LANES;
    for (; t + TW_PAGED_LANES <= count; t += TW_PAGED_LANES) {
        const vector more = LOAD_F32(s + t);
        const integers bits = (integers)more & 0x7fffffff, is_more = bits > magnitudes;
        greatest = MAXIMUM(greatest, more);
        magnitudes = (is_more & bits) | (~is_more & magnitudes);
    }
    for (uint32_t j = 0; j < TW_PAGED_LANES; ++j) {
        *most = tw_paged_max(*most, greatest[j]);
        *magnitude = (uint32_t)magnitudes[j] > *magnitude ? (uint32_t)magnitudes[j] : *magnitude;
    }
    return t;
}

#else

void tw_paged_dots(float *scores, size_t stride, const float *queries, uint32_t heads, const void *keys,
                   uint32_t element, uint32_t tokens, uint32_t dim, float scale, const void *next)
{
    (void)next;
    dots_plain(scores, stride, queries, heads, keys, element, 0, tokens, dim, scale);
}

void tw_paged_bounds(float *scores, size_t stride, const float *queries, uint32_t heads, const unsigned char *digests,
                     size_t bytes, uint32_t type, const uint32_t *rows, uint32_t blocks, uint32_t dim)
{
    bounds_plain(scores, stride, queries, heads, digests, bytes, type, rows, 0, blocks, dim);
}

void tw_paged_weigh(float *sums, const float *weights, size_t stride, uint32_t heads, const void *values,
                    uint32_t element, uint32_t tokens, uint32_t dim, const void *next)
{
    (void)next;
    weigh_plain(sums, weights, stride, heads, values, element, tokens, 0, dim);
}

static inline uint32_t maximum_lanes(const float *s, uint32_t count, float *most, uint32_t *magnitude)
{
    (void)s, (void)count, (void)most, (void)magnitude;
    return 0;
}

static inline void exp_lanes(float *s, float most, float *lanes)
{
    for (uint32_t j = 0; j < TW_PAGED_LANES; ++j) {
        s[j] = tw_paged_exp(s[j] - most);
        lanes[j] += s[j];
    }
}

#endif

void tw_paged_exponentials(float *s, uint32_t first, uint32_t tokens, float most, float *lanes)
{
    uint32_t t = 0;
    while (t < tokens) {
        if ((first + t) % TW_PAGED_LANES == 0 && tokens - t >= TW_PAGED_LANES) {
            exp_lanes(s + t, most, lanes);
            t += TW_PAGED_LANES;
            continue;
        }
        s[t] = tw_paged_exp(s[t] - most);
        lanes[(first + t) % TW_PAGED_LANES] += s[t];
        ++t;
    }
}

bool tw_paged_maximum(const float *s, uint32_t count, float *most)
{
    /* The bits of magnitudes are ordered as they are; infinities and NaN come last. */
    uint32_t magnitude = 0;
    float greatest = *most;
    for (uint32_t t = maximum_lanes(s, count, &greatest, &magnitude); t < count; ++t) {
        const uint32_t bits = tw_paged_bits(s[t]) & 0x7fffffffu;
        magnitude = bits > magnitude ? bits : magnitude;
        greatest = tw_paged_max(greatest, s[t]);
    }
    *most = greatest;
    return magnitude < 0x7f800000u;
}

bool tw_paged_numbers_are_exact(void)
{
    /* (1 + 2^-12)^2 - 1 - 2^-11 is 0 where the product is rounded, 2^-24 where it is not. */
    enum { DIM = 2 * TW_PAGED_LANES };
    volatile float x = 1.000244140625f, y = -1.00048828125f, least = 0x1p-140f;
    float query[DIM] = {1.0f}, key[DIM] = {y}, sums[DIM] = {y}, dot = 1.0f;
    query[TW_PAGED_LANES] = key[TW_PAGED_LANES] = x;
    tw_paged_dots(&dot, 1, query, 1, key, TW_PAGED_F32, 1, DIM, 1.0f, NULL);
    key[0] = x;
    tw_paged_weigh(sums, key, 1, 1, key, TW_PAGED_F32, 1, DIM, NULL);
    float s[TW_PAGED_LANES] = {0.0f, -1.0f, -20.453125f, -23.84375f, -34.234375f, -86.5f, -87.5f, -1e30f}, lanes[TW_PAGED_LANES] = {0};
    const uint32_t expected[TW_PAGED_LANES] = {0x3f800000u, 0x3ebc5ab2u, 0x30b410c4u, 0x2e421c7cu, 0x26c364aeu, 0x113bc74u, 0, 0};
    tw_paged_exponentials(s, 0, TW_PAGED_LANES, 0.0f, lanes);
    bool is_exact = dot == 0 && sums[0] == 0 && least * 0.5f == 0x1p-141f;
    for (uint32_t j = 0; j < TW_PAGED_LANES; ++j)
        is_exact = is_exact && tw_paged_bits(s[j]) == expected[j] && s[j] == lanes[j];
    return is_exact;
}
