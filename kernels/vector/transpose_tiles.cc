#include "kernels/vector/transpose_tiles.h"

#include <immintrin.h>

#include <cstring>

namespace tandem::vec {
namespace {

template <typename T>
void Plain(const T* x, T* y, const int64_t* in, const int64_t* out, int a0, int a1, int b0, int b1) {
  for (int a = a0; a < a1; ++a) {
    T* to = y + out[a];
    for (int b = b0; b < b1; ++b) std::memcpy(to + b, x + in[b] + a, sizeof(T));  // elements may be enlarged ones: no alignment
  }
}

// Square blocks in registers: kSide rows from x + in[b..], kSide rows to y + out[a..].
template <typename T> struct Block;

template <>
struct Block<uint32_t> {
  static constexpr int kSide = 8;
  __attribute__((target("avx2"))) static void Run(const uint32_t* x, uint32_t* y, const int64_t* in, const int64_t* out) {
    __m256 r[8], s[8];
    for (int i = 0; i < 4; ++i) {  // 128-bit halves: rows i and i + 4
      const auto row = [&](int j, int half) { return _mm_loadu_ps(reinterpret_cast<const float*>(x + in[j] + 4 * half)); };
      r[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(row(i, 0)), row(i + 4, 0), 1);
      r[i + 4] = _mm256_insertf128_ps(_mm256_castps128_ps256(row(i, 1)), row(i + 4, 1), 1);
    }
    for (int h = 0; h < 8; h += 4) {
      const __m256 t0 = _mm256_unpacklo_ps(r[h], r[h + 1]), t1 = _mm256_unpackhi_ps(r[h], r[h + 1]);
      const __m256 t2 = _mm256_unpacklo_ps(r[h + 2], r[h + 3]), t3 = _mm256_unpackhi_ps(r[h + 2], r[h + 3]);
      s[h] = _mm256_shuffle_ps(t0, t2, 0x44);
      s[h + 1] = _mm256_shuffle_ps(t0, t2, 0xEE);
      s[h + 2] = _mm256_shuffle_ps(t1, t3, 0x44);
      s[h + 3] = _mm256_shuffle_ps(t1, t3, 0xEE);
    }
    for (int i = 0; i < 8; ++i) _mm256_storeu_ps(reinterpret_cast<float*>(y + out[i]), s[i]);
  }
};

template <>
struct Block<uint64_t> {
  static constexpr int kSide = 4;
  __attribute__((target("avx2"))) static void Run(const uint64_t* x, uint64_t* y, const int64_t* in, const int64_t* out) {
    __m256d r[4];
    for (int i = 0; i < 4; ++i) r[i] = _mm256_loadu_pd(reinterpret_cast<const double*>(x + in[i]));
    const __m256d t0 = _mm256_unpacklo_pd(r[0], r[1]), t1 = _mm256_unpackhi_pd(r[0], r[1]);
    const __m256d t2 = _mm256_unpacklo_pd(r[2], r[3]), t3 = _mm256_unpackhi_pd(r[2], r[3]);
    const __m256d s[4] = {_mm256_permute2f128_pd(t0, t2, 0x20), _mm256_permute2f128_pd(t1, t3, 0x20),
                          _mm256_permute2f128_pd(t0, t2, 0x31), _mm256_permute2f128_pd(t1, t3, 0x31)};
    for (int i = 0; i < 4; ++i) _mm256_storeu_pd(reinterpret_cast<double*>(y + out[i]), s[i]);
  }
};

template <>
struct Block<uint16_t> {
  static constexpr int kSide = 8;
  static void Run(const uint16_t* x, uint16_t* y, const int64_t* in, const int64_t* out) {
    __m128i r[8], s[8];
    for (int i = 0; i < 8; ++i) r[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(x + in[i]));
    for (int i = 0; i < 4; ++i) {
      s[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
      s[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
      r[2 * i] = _mm_unpacklo_epi16(s[i], s[i + 4]);
      r[2 * i + 1] = _mm_unpackhi_epi16(s[i], s[i + 4]);
    }
    for (int i = 0; i < 4; ++i) {
      s[2 * i] = _mm_unpacklo_epi16(r[i], r[i + 4]);
      s[2 * i + 1] = _mm_unpackhi_epi16(r[i], r[i + 4]);
    }
    for (int i = 0; i < 8; ++i) _mm_storeu_si128(reinterpret_cast<__m128i*>(y + out[i]), s[i]);
  }
};

template <>
struct Block<uint8_t> {
  static constexpr int kSide = 8;
  static void Run(const uint8_t* x, uint8_t* y, const int64_t* in, const int64_t* out) {
    __m128i r[8];
    for (int i = 0; i < 8; ++i) r[i] = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(x + in[i]));
    // Three perfect shuffles of rows i and i + 4; then each register holds two rows of the result.
    __m128i s[4], t[4], u[4];
    for (int i = 0; i < 4; ++i) s[i] = _mm_unpacklo_epi8(r[i], r[i + 4]);
    t[0] = _mm_unpacklo_epi8(s[0], s[2]), t[1] = _mm_unpackhi_epi8(s[0], s[2]);
    t[2] = _mm_unpacklo_epi8(s[1], s[3]), t[3] = _mm_unpackhi_epi8(s[1], s[3]);
    u[0] = _mm_unpacklo_epi8(t[0], t[2]), u[1] = _mm_unpackhi_epi8(t[0], t[2]);
    u[2] = _mm_unpacklo_epi8(t[1], t[3]), u[3] = _mm_unpackhi_epi8(t[1], t[3]);
    for (int i = 0; i < 4; ++i) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(y + out[2 * i]), u[i]);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(y + out[2 * i + 1]), _mm_unpackhi_epi64(u[i], u[i]));
    }
  }
};

bool HasAvx2() {
  static const bool has = __builtin_cpu_supports("avx2");
  return has;
}

}  // namespace

template <typename T>
void TransposeTile(const T* x, T* y, const int64_t* in, const int64_t* out, int na, int nb) {
  constexpr int kSide = Block<T>::kSide;
  if (sizeof(T) >= 4 && !HasAvx2()) return Plain(x, y, in, out, 0, na, 0, nb);
  const int a1 = na / kSide * kSide, b1 = nb / kSide * kSide;
  for (int a = 0; a < a1; a += kSide) {
    for (int b = 0; b < b1; b += kSide) Block<T>::Run(x + a, y + b, in + b, out + a);
  }
  Plain(x, y, in, out, 0, a1, b1, nb);
  Plain(x, y, in, out, a1, na, 0, nb);
}

template <>
void TransposeTile(const Element16* x, Element16* y, const int64_t* in, const int64_t* out, int na, int nb) {
  Plain(x, y, in, out, 0, na, 0, nb);
}

template void TransposeTile(const uint8_t*, uint8_t*, const int64_t*, const int64_t*, int, int);
template void TransposeTile(const uint16_t*, uint16_t*, const int64_t*, const int64_t*, int, int);
template void TransposeTile(const uint32_t*, uint32_t*, const int64_t*, const int64_t*, int, int);
template void TransposeTile(const uint64_t*, uint64_t*, const int64_t*, const int64_t*, int, int);

}  // namespace tandem::vec
