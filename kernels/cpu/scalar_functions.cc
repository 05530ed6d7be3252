#include "kernels/cpu/scalar_functions.h"

#include <algorithm>
#include <cmath>
#include <complex>

namespace tandem {
namespace {

template <class T, class R, class F>
void Unary(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float*) {
  R* y = static_cast<R*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    const T* a = static_cast<const T*>(in[0].data) + r * in[0].row_stride;
    for (int64_t c = 0; c < cols; ++c) *y++ = F()(a[c * in[0].col_stride]);
  }
}
template <class T, class R, class F>
void Binary(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float*) {
  R* y = static_cast<R*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    const T* a = static_cast<const T*>(in[0].data) + r * in[0].row_stride;
    const T* b = static_cast<const T*>(in[1].data) + r * in[1].row_stride;
    for (int64_t c = 0; c < cols; ++c) *y++ = F()(a[c * in[0].col_stride], b[c * in[1].col_stride]);
  }
}
template <class T>
void Clip(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float*) {
  T* y = static_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    const T* at[3];
    for (int k = 0; k < 3; ++k) at[k] = static_cast<const T*>(in[k].data) + r * in[k].row_stride;
    for (int64_t c = 0; c < cols; ++c)
      *y++ = std::max(std::min(at[0][c * in[0].col_stride], at[2][c * in[2].col_stride]), at[1][c * in[1].col_stride]);
  }
}

// F is a captureless lambda, so that a row of the switches below is a formula.
template <class T, class F>
ElementwiseFn One(F) {
  return Unary<T, T, F>;
}
template <class T, class F>
ElementwiseFn Two(F) {
  return Binary<T, T, F>;
}
template <class T, class F>
ElementwiseFn Test(F) {
  return Binary<T, bool, F>;
}

ElementwiseFn FindUint64(VecOp op) {
  using T = uint64_t;
  switch (op) {
    case VecOp::kAdd: return Two<T>([](T a, T b) { return a + b; });
    case VecOp::kSub: return Two<T>([](T a, T b) { return a - b; });
    case VecOp::kMul: return Two<T>([](T a, T b) { return a * b; });
    case VecOp::kTruncateDiv:
    case VecOp::kFloorDiv: return Two<T>([](T a, T b) { return b == 0 ? 0 : a / b; });
    case VecOp::kTruncateMod:
    case VecOp::kFloorMod: return Two<T>([](T a, T b) { return b == 0 ? 0 : a % b; });
    case VecOp::kMaximum: return Two<T>([](T a, T b) { return std::max(a, b); });
    case VecOp::kMinimum: return Two<T>([](T a, T b) { return std::min(a, b); });
    case VecOp::kSquare: return One<T>([](T a) { return a * a; });
    case VecOp::kRelu: return One<T>([](T a) { return a; });
    case VecOp::kRelu6: return One<T>([](T a) { return std::min<T>(a, 6); });
    case VecOp::kReluGrad: return Two<T>([](T dy, T x) { return x > 0 ? dy : 0; });
    case VecOp::kRelu6Grad: return Two<T>([](T dy, T x) { return x > 0 && x < 6 ? dy : 0; });
    case VecOp::kEqual: return Test<T>([](T a, T b) { return a == b; });
    case VecOp::kNotEqual: return Test<T>([](T a, T b) { return a != b; });
    case VecOp::kLess: return Test<T>([](T a, T b) { return a < b; });
    case VecOp::kLessEqual: return Test<T>([](T a, T b) { return a <= b; });
    case VecOp::kGreater: return Test<T>([](T a, T b) { return a > b; });
    case VecOp::kGreaterEqual: return Test<T>([](T a, T b) { return a >= b; });
    case VecOp::kClipByValue: return Clip<T>;
    default: return nullptr;
  }
}

// log(1 + z) and exp(z) - 1 without the cancellation near 0.
template <class R>
std::complex<R> Log1p(std::complex<R> z) {
  const R x = z.real(), y = z.imag();
  if (std::abs(x) < R(0.5) && std::abs(y) < R(0.5))  // |1 + z|² = 1 + x (2 + x) + y²
    return {std::log1p(x * (2 + x) + y * y) / 2, std::atan2(y, 1 + x)};
  return std::log(R(1) + z);
}
template <class R>
std::complex<R> Expm1(std::complex<R> z) {
  // e^x cos y - 1 = expm1(x) cos y - 2 sin²(y/2)
  const R x = z.real(), y = z.imag(), s = std::sin(y / 2), e = std::exp(x);
  return {std::expm1(x) * std::cos(y) - 2 * s * s, e * std::sin(y)};
}

template <class R>
ElementwiseFn FindComplex(VecOp op) {
  using T = std::complex<R>;
  switch (op) {
    case VecOp::kAdd: return Two<T>([](T a, T b) { return a + b; });
    case VecOp::kSub: return Two<T>([](T a, T b) { return a - b; });
    case VecOp::kMul: return Two<T>([](T a, T b) { return a * b; });
    case VecOp::kDiv: return Two<T>([](T a, T b) { return a / b; });
    case VecOp::kDivNoNan: return Two<T>([](T a, T b) { return b == T(0) ? T(0) : a / b; });
    case VecOp::kPow: return Two<T>([](T a, T b) { return b == T(0) ? T(1) : std::pow(a, b); });
    case VecOp::kSquaredDifference: return Two<T>([](T a, T b) { return T(std::norm(a - b)); });
    case VecOp::kEqual: return Test<T>([](T a, T b) { return a == b; });
    case VecOp::kNotEqual: return Test<T>([](T a, T b) { return a != b; });
    case VecOp::kNeg: return One<T>([](T a) { return -a; });
    case VecOp::kSign: return One<T>([](T a) { return a == T(0) ? T(0) : a / std::abs(a); });
    case VecOp::kSquare: return One<T>([](T a) { return a * a; });
    case VecOp::kSqrt: return One<T>([](T a) { return std::sqrt(a); });
    case VecOp::kRsqrt: return One<T>([](T a) { return T(1) / std::sqrt(a); });
    case VecOp::kReciprocal: return One<T>([](T a) { return T(1) / a; });
    case VecOp::kExp: return One<T>([](T a) { return std::exp(a); });
    case VecOp::kExpm1: return One<T>([](T a) { return Expm1<R>(a); });
    case VecOp::kLog: return One<T>([](T a) { return std::log(a); });
    case VecOp::kLog1p: return One<T>([](T a) { return Log1p<R>(a); });
    case VecOp::kSin: return One<T>([](T a) { return std::sin(a); });
    case VecOp::kCos: return One<T>([](T a) { return std::cos(a); });
    case VecOp::kTanh: return One<T>([](T a) { return std::tanh(a); });
    case VecOp::kSigmoid: return One<T>([](T a) { return T(1) / (T(1) + std::exp(-a)); });
    case VecOp::kSqrtGrad: return Two<T>([](T y, T dy) { return dy * R(0.5) / std::conj(y); });
    case VecOp::kRsqrtGrad: return Two<T>([](T y, T dy) { return R(-0.5) * dy * std::conj(y * y * y); });
    case VecOp::kTanhGrad: return Two<T>([](T y, T dy) { return dy * (T(1) - y * y); });
    case VecOp::kSigmoidGrad: return Two<T>([](T y, T dy) { return dy * y * (T(1) - y); });
    default: return nullptr;
  }
}

}  // namespace

ElementwiseFn FindScalarKernel(VecOp op, DType dtype) {
  switch (dtype) {
    case kUint64: return FindUint64(op);
    case kComplex64: return FindComplex<float>(op);
    case kComplex128: return FindComplex<double>(op);
    default: return nullptr;
  }
}

}  // namespace tandem
