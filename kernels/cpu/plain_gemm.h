// Matrix product by plain loops, for element types oneDNN does not take and for products too small to call it.
//
//   PlainGemm<double>({.m = 2, .k = 3, .n = 4}, a, b, c);    // c: [2,4] = a: [2,3] b: [3,4]
//
// Each element of c is ((0 + a0*b0) + a1*b1) + …, in this order, transposed or not and on any number of threads.
#pragma once
#include <complex>
#include <cstdint>

#include "core/parallel.h"
#include "core/status.h"
#include "kernels/cpu/scratch.h"

namespace tandem {

struct GemmShape {
  int64_t m = 0, k = 0, n = 0;
  bool transpose_a = false, transpose_b = false;  // a is stored [k,m], b [n,k]
  bool conj_a = false, conj_b = false;            // complex element types only
};

namespace plain_gemm {

// Integers wrap: their arithmetic is unsigned, and at least as wide as int so that promotion cannot overflow.
template <class T>
inline T MultiplyAdd(T sum, T a, T b) {
  if constexpr (std::is_integral_v<T>) {
    using U = std::common_type_t<std::make_unsigned_t<T>, unsigned>;
    return static_cast<T>(static_cast<U>(sum) + static_cast<U>(a) * static_cast<U>(b));
  } else if constexpr (std::is_floating_point_v<T>) {
    return sum + a * b;
  } else {  // the schoolbook product, without std::complex's repair of NaN
    return {sum.real() + (a.real() * b.real() - a.imag() * b.imag()), sum.imag() + (a.real() * b.imag() + a.imag() * b.real())};
  }
}

template <class T>
inline T MaybeConj(T x, bool conj) {
  if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) return conj ? std::conj(x) : x;
  else return x;
}

// row += four rows of b, each times its factor, one after the other. A function of its own so that it vectorizes.
template <class T>
[[gnu::optimize("O3"), gnu::noinline]] void AddFourRows(T* __restrict row, const T* __restrict b, int64_t stride, const T (&x)[4], int64_t n) {
  const T x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  const T *b0 = b, *b1 = b + stride, *b2 = b1 + stride, *b3 = b2 + stride;
  for (int64_t j = 0; j < n; ++j) row[j] = MultiplyAdd(MultiplyAdd(MultiplyAdd(MultiplyAdd(row[j], x0, b0[j]), x1, b1[j]), x2, b2[j]), x3, b3[j]);
}

// Rows [begin, end) of c, where b is stored [k,n].
template <class T>
void Rows(const GemmShape& s, const T* a, const T* b, T* c, int64_t begin, int64_t end) {
  constexpr int64_t kColumns = 1024 / sizeof(T) * 4, kDepth = 128;
  const auto element = [&](int64_t i, int64_t p) { return MaybeConj(s.transpose_a ? a[p * s.m + i] : a[i * s.k + p], s.conj_a); };
  for (int64_t j0 = 0; j0 < s.n; j0 += kColumns) {
    const int64_t width = std::min(kColumns, s.n - j0);
    for (int64_t i = begin; i < end; ++i) std::fill_n(c + i * s.n + j0, width, T{});
    for (int64_t p0 = 0; p0 < s.k; p0 += kDepth) {
      const int64_t p1 = std::min(s.k, p0 + kDepth);
      for (int64_t i = begin; i < end; ++i) {
        T* __restrict row = c + i * s.n + j0;
        int64_t p = p0;
        for (; p + 4 <= p1; p += 4) {
          const T x[4] = {element(i, p), element(i, p + 1), element(i, p + 2), element(i, p + 3)};
          AddFourRows(row, b + p * s.n + j0, s.n, x, width);
        }
        for (; p < p1; ++p) {
          const T a0 = element(i, p);
          const T* b0 = b + p * s.n + j0;
          for (int64_t j = 0; j < width; ++j) row[j] = MultiplyAdd(row[j], a0, b0[j]);
        }
      }
    }
  }
}

// c of a product too small to be worth packing or threads; four sums side by side hide the latency of one.
template <class T>
void Small(const GemmShape& s, const T* a, const T* b, T* c) {
  const int64_t a_row = s.transpose_a ? 1 : s.k, a_column = s.transpose_a ? s.m : 1;
  const int64_t b_row = s.transpose_b ? 1 : s.n, b_column = s.transpose_b ? s.k : 1;
  for (int64_t i = 0; i < s.m; ++i) {
    const T* row = a + i * a_row;
    T* out = c + i * s.n;
    int64_t j = 0;
    for (; j + 4 <= s.n; j += 4) {
      T s0{}, s1{}, s2{}, s3{};
      const T* column = b + j * b_column;
      for (int64_t p = 0; p < s.k; ++p) {
        const T x = MaybeConj(row[p * a_column], s.conj_a);
        const T* y = column + p * b_row;
        s0 = MultiplyAdd(s0, x, MaybeConj(y[0], s.conj_b));
        s1 = MultiplyAdd(s1, x, MaybeConj(y[b_column], s.conj_b));
        s2 = MultiplyAdd(s2, x, MaybeConj(y[2 * b_column], s.conj_b));
        s3 = MultiplyAdd(s3, x, MaybeConj(y[3 * b_column], s.conj_b));
      }
      out[j] = s0, out[j + 1] = s1, out[j + 2] = s2, out[j + 3] = s3;
    }
    for (; j < s.n; ++j) {
      T sum{};
      for (int64_t p = 0; p < s.k; ++p)
        sum = MultiplyAdd(sum, MaybeConj(row[p * a_column], s.conj_a), MaybeConj(b[p * b_row + j * b_column], s.conj_b));
      out[j] = sum;
    }
  }
}

}  // namespace plain_gemm

// Whether the product is so small that a call of oneDNN costs more than the arithmetic. By shape alone, so that every
// mode takes the same way and gives the same bits.
inline bool IsSmallGemm(const GemmShape& s) { return s.m <= 64 && s.n <= 64 && s.k <= 64 && s.m * s.n * s.k <= 512; }

template <class T>
absl::Status PlainGemm(std::string_view op, const GemmShape& s, const T* a, const T* b, T* c) {
  if (IsSmallGemm(s)) {
    plain_gemm::Small(s, a, b, c);
    return absl::OkStatus();
  }
  Scratch<T> packed;
  if (s.transpose_b || s.conj_b) {
    RETURN_IF_ERROR(packed.Reserve(op, s.k * s.n));
    constexpr int64_t kTile = 32;
    for (int64_t p0 = 0; p0 < s.k; p0 += kTile)
      for (int64_t j = 0; j < s.n; ++j)
        for (int64_t p = p0; p < std::min(s.k, p0 + kTile); ++p)
          packed.data()[p * s.n + j] = plain_gemm::MaybeConj(s.transpose_b ? b[j * s.k + p] : b[p * s.n + j], s.conj_b);
    b = packed.data();
  }
  const int64_t grain = std::max<int64_t>(1, (1 << 16) / std::max<int64_t>(s.k, 1) / std::max<int64_t>(s.n, 1));
  ParallelFor(s.m, grain, [&](int64_t begin, int64_t end) { plain_gemm::Rows(s, a, b, c, begin, end); });
  return absl::OkStatus();
}

}  // namespace tandem
