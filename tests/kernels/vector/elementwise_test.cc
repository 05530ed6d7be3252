// The loops around each elementwise function, and what the functions give for values that have a rule of their own.
#include "kernels/vector/elementwise.h"

#include <catch2/catch.hpp>

#include "tests/kernels/vector/test_loops.h"

namespace tandem {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

// What the kernel gives element by element, each in a call of its own.
template <typename T>
std::vector<uint8_t> OneByOne(ElementwiseFn fn, VecOp op, const std::vector<std::vector<T>>& args, const std::vector<uint8_t>& condition, size_t n,
                              const float* params) {
  const size_t bytes = ReturnsBool(op) ? 1 : sizeof(T);
  std::vector<uint8_t> out(n * bytes);
  for (size_t i = 0; i < n; ++i) {
    Operand2D in[3];
    for (int k = 0; k < NumInputs(op); ++k) {
      const bool is_condition = op == VecOp::kSelect && k == 0;
      in[k] = {is_condition ? static_cast<const void*>(&condition[i]) : &args[k][i], 0, 1};
    }
    fn(in, &out[i * bytes], 1, 1, params);
  }
  return out;
}

template <typename T>
bool SameResults(const uint8_t* got, const uint8_t* want, size_t n, bool returns_bool) {
  if (returns_bool) return std::memcmp(got, want, n) == 0;
  for (size_t i = 0; i < n; ++i) {
    T a, b;
    std::memcpy(&a, got + i * sizeof(T), sizeof(T));
    std::memcpy(&b, want + i * sizeof(T), sizeof(T));
    if (!SameBits(a, b)) return false;
  }
  return true;
}

// Sizes, misalignment, in place, broadcast rows and scalars: the same bits as one element at a time.
template <typename T>
void CheckLoops(vec::Isa isa) {
  const float params[1] = {0.25f};
  constexpr size_t kMax = 68;
  for (int o = 0; o < kVecOps - 1; ++o) {
    const VecOp op = static_cast<VecOp>(o);
    const ElementwiseFn fn = vec::KernelsFor(isa).elementwise[o][static_cast<int>(kVecTypeOf<T>)];
    if (fn == nullptr) continue;
    const int inputs = NumInputs(op);
    const size_t out_bytes = ReturnsBool(op) ? 1 : sizeof(T);
    const std::vector<std::vector<T>> args = {Values<T>(kMax, 1 + o), Values<T>(kMax, 100 + o), Values<T>(kMax, 200 + o)};
    const std::vector<uint8_t> condition = Values<uint8_t>(kMax, 300 + o);
    const std::vector<uint8_t> want = OneByOne(fn, op, args, condition, kMax, params);
    INFO(Name(op) << " of " << Name(kVecTypeOf<T>) << ", vector unit " << static_cast<int>(isa));
    for (size_t n = 0; n < kMax; ++n) {
      for (size_t shift : {0, 1}) {  // elements from an aligned address
        std::vector<std::vector<uint8_t>> memory(3, std::vector<uint8_t>((kMax + 1) * sizeof(T)));
        Operand2D in[3];
        for (int k = 0; k < inputs; ++k) {
          const bool is_condition = op == VecOp::kSelect && k == 0;
          const size_t bytes = is_condition ? 1 : sizeof(T);
          std::memcpy(memory[k].data() + shift * bytes, is_condition ? static_cast<const void*>(condition.data()) : args[k].data(), n * bytes);
          in[k] = {memory[k].data() + shift * bytes, 0, 1};
        }
        std::vector<uint8_t> out((n + shift) * out_bytes + 64, 0xAB);
        uint8_t* to = out.data() + shift * out_bytes;
        fn(in, to, 1, n, params);
        bool same = SameResults<T>(to, want.data(), n, ReturnsBool(op));
        same = same && std::all_of(out.data(), to, [](uint8_t v) { return v == 0xAB; }) && std::all_of(out.end() - 64, out.end(), [](uint8_t v) { return v == 0xAB; });
        if (const DenseFn dense = vec::KernelsFor(isa).dense[o][static_cast<int>(kVecTypeOf<T>)]; dense != nullptr) {
          std::vector<uint8_t> again((n + shift) * out_bytes);
          dense(in[0].data, inputs > 1 ? in[1].data : nullptr, again.data() + shift * out_bytes, n);
          same = same && SameResults<T>(again.data() + shift * out_bytes, want.data(), n, ReturnsBool(op));
        }
        if (!ReturnsBool(op)) {
          void* data = const_cast<void*>(in[inputs - 1].data);
          fn(in, data, 1, n, params);
          same = same && SameResults<T>(static_cast<uint8_t*>(data), want.data(), n, false);
        }
        if (!same) FAIL("n = " << n << ", shift = " << shift);
      }
    }
    // [3, 21] with each operand dense, one row, one column, one scalar, in turn.
    constexpr int64_t kRows = 3, kCols = 21;
    constexpr int64_t kStrides[4][2] = {{kCols, 1}, {0, 1}, {1, 0}, {0, 0}};
    for (int kinds = 0; kinds < 1 << 2 * inputs; ++kinds) {
      Operand2D in[3];
      std::vector<std::vector<T>> gathered = args;
      std::vector<uint8_t> gathered_condition = condition;
      for (int k = 0; k < inputs; ++k) {
        const int64_t* stride = kStrides[kinds >> 2 * k & 3];
        const bool is_condition = op == VecOp::kSelect && k == 0;
        in[k] = {is_condition ? static_cast<const void*>(condition.data()) : args[k].data(), stride[0], static_cast<int>(stride[1])};
        for (int64_t i = 0; i < kRows * kCols; ++i) {
          const int64_t at = i / kCols * stride[0] + i % kCols * stride[1];
          gathered[k][i] = args[k][at];
          if (is_condition) gathered_condition[i] = condition[at];
        }
      }
      std::vector<uint8_t> out(kRows * kCols * out_bytes);
      fn(in, out.data(), kRows, kCols, params);
      const std::vector<uint8_t> expected = OneByOne(fn, op, gathered, gathered_condition, kRows * kCols, params);
      if (!SameResults<T>(out.data(), expected.data(), kRows * kCols, ReturnsBool(op))) FAIL("operand kinds " << kinds);
    }
  }
  SUCCEED();
}

TEST_CASE("elementwise loops agree with one element at a time: float") { for (auto isa : Isas()) CheckLoops<float>(isa); }
TEST_CASE("elementwise loops agree with one element at a time: double") { for (auto isa : Isas()) CheckLoops<double>(isa); }
TEST_CASE("elementwise loops agree with one element at a time: int32") { for (auto isa : Isas()) CheckLoops<int32_t>(isa); }
TEST_CASE("elementwise loops agree with one element at a time: int64") { for (auto isa : Isas()) CheckLoops<int64_t>(isa); }
TEST_CASE("elementwise loops agree with one element at a time: bool") { for (auto isa : Isas()) CheckLoops<uint8_t>(isa); }

struct FloatRow {
  VecOp op;
  float a, b, want;
};
const FloatRow kFloatRows[] = {
    {VecOp::kSign, -0.0f, 0, 0.0f}, {VecOp::kSign, kNan, 0, kNan}, {VecOp::kSign, -3, 0, -1}, {VecOp::kSign, kInf, 0, 1},
    {VecOp::kAbs, -0.0f, 0, 0.0f}, {VecOp::kNeg, 0.0f, 0, -0.0f}, {VecOp::kRound, 0.5f, 0, 0.0f}, {VecOp::kRound, 1.5f, 0, 2},
    {VecOp::kRound, -2.5f, 0, -2}, {VecOp::kRound, 8388609.0f, 0, 8388609.0f}, {VecOp::kFloor, -0.5f, 0, -1}, {VecOp::kCeil, -0.5f, 0, -0.0f},
    {VecOp::kMaximum, -0.0f, 0.0f, -0.0f}, {VecOp::kMaximum, 0.0f, -0.0f, 0.0f}, {VecOp::kMaximum, kNan, 1, kNan}, {VecOp::kMaximum, 1, kNan, kNan},
    {VecOp::kMinimum, kNan, 1, kNan}, {VecOp::kMinimum, 1, kNan, kNan}, {VecOp::kMinimum, -0.0f, 0.0f, -0.0f}, {VecOp::kMinimum, 2, 1, 1},
    {VecOp::kDivNoNan, kNan, 0, 0}, {VecOp::kDivNoNan, 1, -0.0f, 0}, {VecOp::kDivNoNan, 6, 3, 2}, {VecOp::kMulNoNan, kInf, 0, 0}, {VecOp::kMulNoNan, 0, kInf, kNan},
    {VecOp::kXdivy, 0, 0, 0}, {VecOp::kXlogy, 0, 0, 0}, {VecOp::kXlogy, 0, kNan, 0}, {VecOp::kXlogy, 2, 1, 0},
    {VecOp::kFloorDiv, -7, 2, -4}, {VecOp::kFloorDiv, 1, 0, kInf}, {VecOp::kFloorMod, 7, -2, -1}, {VecOp::kFloorMod, 5, 0, kNan}, {VecOp::kFloorMod, 5, kInf, 5},
    {VecOp::kFloorMod, -5, kInf, kInf}, {VecOp::kFloorMod, -0.0f, 3, -0.0f}, {VecOp::kFloorMod, 1e30f, 7, std::fmod(1e30f, 7.0f)},
    {VecOp::kPow, 1, kNan, 1}, {VecOp::kPow, kNan, 0, 1}, {VecOp::kPow, -8, 1.0f / 3, kNan}, {VecOp::kPow, -2, 3, -8}, {VecOp::kPow, -2, 4, 16}, {VecOp::kPow, -1, kInf, 1},
    {VecOp::kPow, -0.0f, -1, -kInf}, {VecOp::kPow, -0.0f, 3, -0.0f}, {VecOp::kPow, 0, 0, 1}, {VecOp::kPow, -kInf, -3, -0.0f}, {VecOp::kPow, -kInf, 0.5f, kInf}, {VecOp::kPow, 2, -149, 0x1p-149f},
    {VecOp::kPow, 0.5f, kInf, 0}, {VecOp::kPow, 2, kNan, kNan}, {VecOp::kPow, 10, 39, kInf}, {VecOp::kPow, -1, 16777216, 1},
    {VecOp::kRelu, kNan, 0, kNan}, {VecOp::kRelu, -0.0f, 0, -0.0f}, {VecOp::kRelu, -2, 0, 0}, {VecOp::kRelu6, 7, 0, 6}, {VecOp::kRelu6, kNan, 0, kNan},
    {VecOp::kReluGrad, 2, 0, 0}, {VecOp::kReluGrad, 2, kNan, 0}, {VecOp::kReluGrad, 2, 1, 2}, {VecOp::kRelu6Grad, 2, 6, 0}, {VecOp::kRelu6Grad, 2, 5, 2}, {VecOp::kRelu6Grad, 2, 0, 0},
    {VecOp::kSqrtGrad, 4, 1, 0.125f}, {VecOp::kRsqrtGrad, 2, 1, -4}, {VecOp::kReciprocalGrad, 2, 1, -4}, {VecOp::kTanhGrad, 0.5f, 2, 1.5f}, {VecOp::kSigmoidGrad, 0.5f, 2, 0.5f},
    {VecOp::kEluGrad, 2, -0.5f, 1}, {VecOp::kEluGrad, 2, 0.5f, 2}, {VecOp::kSoftsign, -1, 0, -0.5f}, {VecOp::kSoftsign, kInf, 0, kNan}, {VecOp::kSoftsignGrad, 4, 1, 1}, {VecOp::kSoftplusGrad, 4, 0, 2},
    {VecOp::kExp, -kInf, 0, 0}, {VecOp::kExp, kInf, 0, kInf}, {VecOp::kExp, kNan, 0, kNan}, {VecOp::kExp, 0, 0, 1}, {VecOp::kExp, -103, 0, 0x1p-149f}, {VecOp::kExp, -104.5f, 0, 0}, {VecOp::kExp, 89, 0, kInf},
    {VecOp::kExpm1, -0.0f, 0, -0.0f}, {VecOp::kExpm1, -kInf, 0, -1}, {VecOp::kExpm1, 89, 0, kInf}, {VecOp::kExpm1, 0x1p-149f, 0, 0x1p-149f}, {VecOp::kExpm1, kNan, 0, kNan},
    {VecOp::kLog, 0, 0, -kInf}, {VecOp::kLog, -0.0f, 0, -kInf}, {VecOp::kLog, -1, 0, kNan}, {VecOp::kLog, kInf, 0, kInf}, {VecOp::kLog, 1, 0, 0}, {VecOp::kLog, kNan, 0, kNan},
    {VecOp::kLog1p, -1, 0, -kInf}, {VecOp::kLog1p, -2, 0, kNan}, {VecOp::kLog1p, kInf, 0, kInf}, {VecOp::kLog1p, -0.0f, 0, -0.0f}, {VecOp::kLog1p, 0x1p-149f, 0, 0x1p-149f},
    {VecOp::kTanh, kInf, 0, 1}, {VecOp::kTanh, -kInf, 0, -1}, {VecOp::kTanh, -0.0f, 0, -0.0f}, {VecOp::kTanh, kNan, 0, kNan}, {VecOp::kErf, -kInf, 0, -1}, {VecOp::kErf, kNan, 0, kNan}, {VecOp::kErfc, kInf, 0, 0},
    {VecOp::kSin, kInf, 0, kNan}, {VecOp::kCos, kNan, 0, kNan}, {VecOp::kSin, -0.0f, 0, -0.0f}, {VecOp::kCos, 0, 0, 1}, {VecOp::kSigmoid, -kInf, 0, 0}, {VecOp::kSigmoid, kInf, 0, 1}, {VecOp::kSigmoid, 0, 0, 0.5f},
    {VecOp::kSoftplus, -kInf, 0, 0}, {VecOp::kSoftplus, kInf, 0, kInf}, {VecOp::kElu, -kInf, 0, -1}, {VecOp::kElu, 2, 0, 2}, {VecOp::kSelu, 1, 0, 1.05070098f}, {VecOp::kRsqrt, 0, 0, kInf}, {VecOp::kSqrt, -1, 0, kNan},
};

TEST_CASE("elementwise functions of floats at the values that have a rule") {
  for (vec::Isa isa : Isas()) {
    for (const FloatRow& row : kFloatRows) {
      const auto check = [&](auto a, auto b, auto want) {
        using T = decltype(a);
        const Operand2D in[2] = {{&a, 0, 1}, {&b, 0, 1}};
        T got;
        vec::KernelsFor(isa).elementwise[static_cast<int>(row.op)][static_cast<int>(kVecTypeOf<T>)](in, &got, 1, 1, nullptr);
        INFO(Name(row.op) << '(' << a << ", " << b << ") is " << got << ", want " << want << ", vector unit " << static_cast<int>(isa) << ", " << sizeof(T) << " bytes");
        CHECK(SameBits(got, want));
      };
      check(row.a, row.b, row.want);
      const bool exact_in_double = row.op != VecOp::kExp && row.op != VecOp::kExpm1 && row.op != VecOp::kSelu && row.op != VecOp::kFloorMod && row.want != kInf && row.a != -1;
      if (exact_in_double) check(double{row.a}, double{row.b}, double{row.want});
    }
  }
}

struct IntRow {
  VecOp op;
  int64_t a, b, want;  // kMin and kMax stand for the type's bounds
};
constexpr int64_t kMin = std::numeric_limits<int64_t>::min(), kMax = std::numeric_limits<int64_t>::max();
const IntRow kIntRows[] = {
    {VecOp::kFloorDiv, 7, 2, 3}, {VecOp::kFloorDiv, -7, 2, -4}, {VecOp::kFloorDiv, 7, -2, -4}, {VecOp::kFloorDiv, -7, -2, 3}, {VecOp::kFloorDiv, kMin, -1, kMin}, {VecOp::kFloorDiv, 5, 0, 0}, {VecOp::kFloorDiv, kMin, 1, kMin}, {VecOp::kFloorDiv, kMax, kMin, -1},
    {VecOp::kFloorMod, 7, 2, 1}, {VecOp::kFloorMod, -7, 2, 1}, {VecOp::kFloorMod, 7, -2, -1}, {VecOp::kFloorMod, -7, -2, -1}, {VecOp::kFloorMod, kMin, -1, 0}, {VecOp::kFloorMod, 5, 0, 0},
    {VecOp::kTruncateDiv, 7, 2, 3}, {VecOp::kTruncateDiv, -7, 2, -3}, {VecOp::kTruncateDiv, 7, -2, -3}, {VecOp::kTruncateDiv, -7, -2, 3}, {VecOp::kTruncateDiv, kMin, -1, kMin}, {VecOp::kTruncateDiv, 5, 0, 0}, {VecOp::kTruncateDiv, kMax, kMax, 1},
    {VecOp::kTruncateMod, 7, 2, 1}, {VecOp::kTruncateMod, -7, 2, -1}, {VecOp::kTruncateMod, 7, -2, 1}, {VecOp::kTruncateMod, kMin, -1, 0}, {VecOp::kTruncateMod, 5, 0, 0},
    {VecOp::kAdd, kMax, 1, kMin}, {VecOp::kSub, kMin, 1, kMax}, {VecOp::kMul, kMin, -1, kMin}, {VecOp::kMul, 3, -5, -15}, {VecOp::kAbs, kMin, 0, kMin}, {VecOp::kAbs, -5, 0, 5}, {VecOp::kNeg, kMin, 0, kMin}, {VecOp::kSign, -9, 0, -1}, {VecOp::kSign, 0, 0, 0}, {VecOp::kSquare, -4, 0, 16},
    {VecOp::kSquaredDifference, 3, 7, 16}, {VecOp::kMaximum, kMin, 4, 4}, {VecOp::kMinimum, kMin, 4, kMin}, {VecOp::kPow, 0, 0, 1}, {VecOp::kPow, -3, 3, -27}, {VecOp::kPow, 2, -1, 0}, {VecOp::kRelu, -3, 0, 0}, {VecOp::kRelu6, 9, 0, 6},
};

TEST_CASE("elementwise functions of integers: rounding, wrapping, no trap") {
  for (vec::Isa isa : Isas()) {
    for (const IntRow& row : kIntRows) {
      const auto check = [&](auto zero) {
        using T = decltype(zero);
        const auto narrow = [](int64_t v) { return v == kMin ? std::numeric_limits<T>::min() : v == kMax ? std::numeric_limits<T>::max() : static_cast<T>(v); };
        const T a = narrow(row.a), b = narrow(row.b);
        const Operand2D in[2] = {{&a, 0, 1}, {&b, 0, 1}};
        T got;
        vec::KernelsFor(isa).elementwise[static_cast<int>(row.op)][static_cast<int>(kVecTypeOf<T>)](in, &got, 1, 1, nullptr);
        INFO(Name(row.op) << '(' << a << ", " << b << "), vector unit " << static_cast<int>(isa));
        CHECK(got == narrow(row.want));
      };
      check(int32_t{});
      check(int64_t{});
    }
  }
}

TEST_CASE("FindZero and FindNegative give the first row-major index") {
  std::vector<int64_t> x(63, 5);
  const Operand2D dense = {x.data(), 21, 1}, row = {x.data(), 0, 1}, column = {x.data(), 1, 0};
  CHECK(FindZero(VecType::kI64, dense, 3, 21) == -1);
  x[45] = 0;
  x[60] = 0;
  CHECK(FindZero(VecType::kI64, dense, 3, 21) == 45);
  CHECK(FindNegative(VecType::kI64, dense, 3, 21) == -1);
  x[2] = 0;
  CHECK(FindZero(VecType::kI64, row, 3, 21) == 2);
  CHECK(FindZero(VecType::kI64, column, 3, 21) == 42);
  x[20] = -1;
  CHECK(FindNegative(VecType::kI64, dense, 3, 21) == 20);
  CHECK(FindZero(VecType::kI64, dense, 0, 21) == -1);
  CHECK(FindZero(VecType::kI64, dense, 3, 0) == -1);
  const int32_t scalar = 0;
  CHECK(FindZero(VecType::kI32, {&scalar, 0, 0}, 3, 21) == 0);
}

TEST_CASE("leaky rectifiers take alpha, greater than one as well") {
  const float x[3] = {-2, 0, 3}, dy[3] = {1, 1, 1}, alpha[1] = {2};
  float y[3];
  const Operand2D unary[1] = {{x, 3, 1}}, binary[2] = {{dy, 3, 1}, {x, 3, 1}};
  FindElementwise(VecOp::kLeakyRelu, VecType::kF32)(unary, y, 1, 3, alpha);
  CHECK((y[0] == -4 && y[1] == 0 && y[2] == 3));
  FindElementwise(VecOp::kLeakyReluGrad, VecType::kF32)(binary, y, 1, 3, alpha);
  CHECK((y[0] == 2 && y[1] == 2 && y[2] == 1));
}

TEST_CASE("ClipByValue: low beats high, NaN stays") {
  const float x[4] = {-5, 0.5f, 5, kNan}, low = 1, high = -1;
  float y[4];
  const Operand2D in[3] = {{x, 4, 1}, {&low, 0, 0}, {&high, 0, 0}};
  FindElementwise(VecOp::kClipByValue, VecType::kF32)(in, y, 1, 4, nullptr);
  CHECK((y[0] == 1 && y[1] == 1 && y[2] == 1 && std::isnan(y[3])));
}

// A product must not fuse with the sum it feeds: SquaredDifference would show it, and TanhGrad in its 1 - y * y.
TEST_CASE("no kernel contracts a product and a sum") {
  const std::vector<float> y = Values<float>(4096, 9), dy = Values<float>(4096, 10);
  std::vector<float> out(4096);
  int fused_differs = 0;
  for (vec::Isa isa : Isas()) {
    vec::KernelsFor(isa).dense[static_cast<int>(VecOp::kTanhGrad)][static_cast<int>(VecType::kF32)](y.data(), dy.data(), out.data(), 4096);
    for (int i = 0; i < 4096; ++i) {
      const volatile float square = y[i] * y[i];
      const volatile float rest = 1 - square;
      const volatile float want = dy[i] * rest;
      const float fused = dy[i] * std::fma(-y[i], y[i], 1.0f), plain = want;
      fused_differs += !SameBits(fused, plain);
      if (!SameBits(out[i], plain)) FAIL("at " << y[i]);
    }
  }
  CHECK(fused_differs > 100);  // else the test could not fail
}

}  // namespace
}  // namespace tandem
