// Integer functions without a vector body: 64-bit division, powers, and the checks that go before them.
#include <limits>
#include <type_traits>

#include "kernels/vector/kernel_table.h"

namespace tandem::vec {
namespace {

template <typename T>
T TruncateDiv(T a, T b) {
  using U = std::make_unsigned_t<T>;
  if (b == 0) return 0;
  return b == -1 ? static_cast<T>(U{0} - static_cast<U>(a)) : a / b;  // the minimum over -1 traps in hardware
}
template <typename T>
T TruncateMod(T a, T b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
template <typename T>
T FloorDiv(T a, T b) {
  const T r = TruncateMod(a, b);
  return TruncateDiv(a, b) - (r != 0 && (r < 0) != (b < 0) ? 1 : 0);
}
template <typename T>
T FloorMod(T a, T b) {
  const T r = TruncateMod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
// Wraps; 0^0 is 1.
template <typename T>
T Pow(T base, T exponent) {
  using U = std::make_unsigned_t<T>;
  if (exponent < 0) return 0;
  U result = 1, square = static_cast<U>(base);
  for (U e = static_cast<U>(exponent); e != 0; e >>= 1, square *= square) {
    if (e & 1) result *= square;
  }
  return static_cast<T>(result);
}

template <typename T, T (*F)(T, T)>
void Loop2D(const Operand2D* in, void* out, int64_t rows, int64_t cols, const float*) {
  T* y = static_cast<T*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    const T* a = static_cast<const T*>(in[0].data) + r * in[0].row_stride;
    const T* b = static_cast<const T*>(in[1].data) + r * in[1].row_stride;
    for (int64_t c = 0; c < cols; ++c) *y++ = F(a[c * in[0].col_stride], b[c * in[1].col_stride]);
  }
}

template <typename T, T (*F)(T, T)>
void Dense(const void* a, const void* b, void* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = F(static_cast<const T*>(a)[i], static_cast<const T*>(b)[i]);
}

template <typename T, T (*F)(T, T)>
void Register(KernelTable& table, VecOp op, VecType type) {
  table.Set(op, type, &Loop2D<T, F>, &Dense<T, F>);
}

template <typename T, typename Predicate>
int64_t Find(const Operand2D& x, int64_t rows, int64_t cols, Predicate predicate) {
  if (cols <= 0) return -1;
  if (x.row_stride == 0 && rows > 1) rows = 1;
  for (int64_t r = 0; r < rows; ++r) {
    const T* row = static_cast<const T*>(x.data) + r * x.row_stride;
    if (x.col_stride == 0) {
      if (predicate(*row)) return r * cols;
      continue;
    }
    T any = 0;  // no branch in the loop: nearly always nothing is found
    for (int64_t c = 0; c < cols; ++c) any |= static_cast<T>(predicate(row[c]));
    if (!any) continue;
    for (int64_t c = 0; c < cols; ++c) {
      if (predicate(row[c])) return r * cols + c;
    }
  }
  return -1;
}

}  // namespace

void AddIntegers(KernelTable& table) {
  Register<int64_t, TruncateDiv<int64_t>>(table, VecOp::kTruncateDiv, VecType::kI64);
  Register<int64_t, TruncateMod<int64_t>>(table, VecOp::kTruncateMod, VecType::kI64);
  Register<int64_t, FloorDiv<int64_t>>(table, VecOp::kFloorDiv, VecType::kI64);
  Register<int64_t, FloorMod<int64_t>>(table, VecOp::kFloorMod, VecType::kI64);
  Register<int32_t, Pow<int32_t>>(table, VecOp::kPow, VecType::kI32);
  Register<int64_t, Pow<int64_t>>(table, VecOp::kPow, VecType::kI64);
}

}  // namespace tandem::vec

namespace tandem {

int64_t FindZero(VecType type, const Operand2D& x, int64_t rows, int64_t cols) {
  if (type == VecType::kI32) return vec::Find<int32_t>(x, rows, cols, [](int32_t v) { return v == 0; });
  if (type == VecType::kI64) return vec::Find<int64_t>(x, rows, cols, [](int64_t v) { return v == 0; });
  return -1;
}

int64_t FindNegative(VecType type, const Operand2D& x, int64_t rows, int64_t cols) {
  if (type == VecType::kI32) return vec::Find<int32_t>(x, rows, cols, [](int32_t v) { return v < 0; });
  if (type == VecType::kI64) return vec::Find<int64_t>(x, rows, cols, [](int64_t v) { return v < 0; });
  return -1;
}

}  // namespace tandem
