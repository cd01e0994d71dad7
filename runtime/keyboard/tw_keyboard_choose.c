/* Choice of the next token from a model's scores. All is rounded after each operation, so that a seed is reproducible. */
#include "tilewright_keyboard.h"

#include <string.h>

/* e^x of x <= 0 in float32, 0 below -87: the one of docs/paged.md. */
static float exponential(float x)
{
    static const float coefficients[] = {1.3981999507e-3f, 8.3334519073e-3f, 4.1665795894e-2f, 1.6666665459e-1f,
                                         5.0000001201e-1f};
    if (!(x >= -87.0f))
        return 0.0f;
    const float scaled = x * 1.44269502f;
    int32_t n = (int32_t)scaled;
    const float rest = scaled - (float)n; /* in (-1, 0]; half to even */
    if (rest < -0.5f || (rest == -0.5f && (n & 1) != 0))
        --n;
    const float high = (float)n * 0.693359375f, low = (float)n * -2.12194440e-4f;
    float r = x - high;
    r = r - low;
    float p = 1.9875691500e-4f;
    for (uint32_t k = 0; k < sizeof coefficients / sizeof *coefficients; ++k) {
        p = p * r;
        p = p + coefficients[k];
    }
    float y = r * r;
    y = p * y;
    y = y + r;
    y = y + 1.0f;
    const uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return y * power;
}

/* SplitMix64: Steele, Lea, Flood, Fast splittable pseudorandom number generators, OOPSLA 2014. */
static uint64_t drawn(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* The candidates are the bytes, then `begin`. */
static int32_t token_of(int32_t candidate, int32_t begin)
{
    return candidate < 256 ? candidate : begin;
}

int32_t tw_keyboard_choose(const float *scores, int32_t begin, float temperature, uint64_t *random)
{
    const int32_t candidates = begin >= 0 ? 257 : 256;
    int32_t best = 0;
    float weights[257];
    double sum = 0.0;
    for (int32_t k = 0; k < candidates; ++k) {
        const float score = scores[token_of(k, begin)];
        if (score != score)
            return -1;
        if (score > scores[token_of(best, begin)])
            best = k;
    }
    const float most = scores[token_of(best, begin)];
    if (most - most != 0.0f)
        return -1;
    if (!(temperature > 0.0f))
        return token_of(best, begin);
    for (int32_t k = 0; k < candidates; ++k) {
        const float below = scores[token_of(k, begin)] - most;
        weights[k] = exponential(below / temperature);
        sum += (double)weights[k];
    }
    const double threshold = (double)(drawn(random) >> 11) * 0x1p-53 * sum;
    double before = 0.0;
    for (int32_t k = 0; k < candidates; ++k) {
        before += (double)weights[k];
        if (threshold < before)
            return token_of(k, begin);
    }
    return token_of(best, begin);
}
