// What elementwise functions and operators give, by eager calls: semantics that are easy to get wrong, and error texts.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "core/context.h"
#include "tandem.h"
#include "tests/compare.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity(), kNan = std::numeric_limits<float>::quiet_NaN();

Tensor F32(std::initializer_list<float> v) { return Tensor(std::vector<float>(v)); }
Tensor I32(std::initializer_list<int32_t> v) { return Tensor(std::vector<int32_t>(v)); }
Tensor Bools(std::initializer_list<bool> v) { return Tensor(std::vector<bool>(v)); }

// Zeros of different sign differ, NaNs do not.
#define CHECK_SAME(got, want) CHECK(DifferentBits(got, want) == "")

TEST_CASE("integer division rounds as the op says") {
  const Tensor x = I32({7, -7, 7, -7}), y = I32({2, 2, -2, -2});
  CHECK_SAME(FloorDiv(x, y), I32({3, -4, -4, 3}));
  CHECK_SAME(x % y, I32({1, 1, -1, -1}));
  CHECK_SAME(Div(x, y), I32({3, -3, -3, 3}));
  CHECK_SAME(FloorDiv(I32({-7, 7, -7, 7, -9, 9}), I32({5, -5, -5, 5, 3, -3})), I32({-2, -2, 1, 1, -3, -3}));
  CHECK_SAME(I32({-7, 7, -7, 7, -9, 9}) % I32({5, -5, -5, 5, 3, -3}), I32({3, -3, -2, 2, 0, 0}));
  CHECK_SAME(-FloorDiv(-I32({3, 7, 10}), 3), I32({1, 3, 4}));
}

TEST_CASE("the least integer over -1 wraps, and 0 as a divisor names its place") {
  const auto check = [&]<class T>(T least) {
    const Tensor x = Tensor(std::vector<T>{least}), minus = Tensor(std::vector<T>{T(-1)});
    CHECK_SAME(FloorDiv(x, minus), x);
    CHECK_SAME(Div(x, minus), x);
    CHECK_SAME(x % minus, ZerosLike(x));
    CHECK_SAME(-x, x);
    CHECK_SAME(Abs(x), x);
  };
  check(std::numeric_limits<int8_t>::min());
  check(std::numeric_limits<int16_t>::min());
  check(std::numeric_limits<int32_t>::min());
  check(std::numeric_limits<int64_t>::min());
  CHECK(Thrown([] { FloorDiv(I32({4, 4}), I32({2, 0})); }) == "INVALID_ARGUMENT FloorDiv: integer division by zero: y[1] is 0");
  CHECK(Thrown([] { I32({4, 4}) % 0; }) == "INVALID_ARGUMENT FloorMod: integer division by zero: y is 0");
  CHECK(Thrown([] { Div(Tensor({{1, 2}}), Tensor({{1}, {0}})); }) == "INVALID_ARGUMENT Div: integer division by zero: y[1,0] is 0");
  for (DType d : {kInt8, kUint8, kInt16, kUint16, kUint32, kInt64, kUint64})
    CHECK(Thrown([&] { FloorMod(Cast(I32({1, 1, 1}), d), Cast(I32({1, 1, 0}), d)); }) ==
          "INVALID_ARGUMENT FloorMod: integer division by zero: y[2] is 0");
  CHECK(FloorDiv(Zeros({0}, kInt32), 0).size() == 0);  // nothing is divided
  CHECK(Thrown([] { Pow(I32({2, 2}), I32({1, -1})); }) == "INVALID_ARGUMENT Pow: integers have no negative powers: y[1] is negative");
  CHECK_SAME(Pow(I32({0, 3, 2}), I32({0, 4, 32})), I32({1, 81, 0}));
}

TEST_CASE("division of floats follows IEEE") {
  CHECK_SAME(F32({1, -1, 0}) / 0, F32({kInf, -kInf, kNan}));
  CHECK_SAME(F32({5, -5, -0.0f, 5}) % F32({kInf, kInf, 3, 0}), F32({5, kInf, -0.0f, kNan}));
  CHECK_SAME(F32({-7.5f}) % 2, F32({0.5f}));
  CHECK_SAME(FloorDiv(F32({-7.5f, 1e-38f}), F32({2, -2})), F32({-4, -1}));
  CHECK_SAME(DivNoNan(F32({1, kNan, kInf, 1}), F32({0, 0, -0.0f, 2})), F32({0, 0, 0, 0.5f}));
  CHECK((I32({1, 2}) / 2).dtype() == kFloat64);
  CHECK_SAME(I32({1, 3}) / I32({2, 2}), Tensor(std::vector<double>{0.5, 1.5}));
  CHECK((Cast(I32({1, 2}), kInt8) / 2).dtype() == kFloat32);
}

TEST_CASE("scalars are weak") {
  const Tensor i = I32({1, 2}), f = F32({1, 2});
  CHECK_SAME(i + 1, I32({2, 3}));
  CHECK_SAME(1 - f, F32({0, -1}));
  CHECK_SAME(f * 2.5, F32({2.5f, 5}));
  CHECK((Cast(f, kFloat16) + 1).dtype() == kFloat16);
  CHECK((Tensor(std::vector<int64_t>{1}) + 1).dtype() == kInt64);
  CHECK(Thrown([&] { i + 2.5; }).find("2.5") != std::string::npos);
  CHECK(Thrown([&] { i / 2.5; }).find("2.5") != std::string::npos);
  CHECK(Thrown([&] { Cast(i, kUint8) + 300; }).find("300") != std::string::npos);
  Variable v({1., 2.});
  CHECK_SAME(v * v + 1, F32({2, 5}));
  Tensor counter = 0;
  const Tensor before = counter;
  counter += 1;
  counter *= 5;
  counter -= 2;
  CHECK(counter.item<int>() == 3);
  CHECK(before.item<int>() == 0);
  counter /= 2;
  CHECK(counter.item<double>() == 1.5);
}

TEST_CASE("comparisons give bool tensors that are conditions") {
  const Tensor x = F32({1, kNan, 3}), y = F32({1, kNan, 2});
  CHECK_SAME(x == y, Bools({true, false, false}));
  CHECK_SAME(x != y, Bools({false, true, true}));
  CHECK_SAME(x < y, Bools({false, false, false}));
  CHECK_SAME(x >= 3, Bools({false, false, true}));
  CHECK_SAME(x <= y, Bools({true, false, false}));
  CHECK_SAME(2 > x, Bools({true, false, false}));
  const Tensor num = 15;
  CHECK((num % 3 == 0 && num % 5 == 0));
  CHECK(!(num == 14));
  CHECK_SAME(Tensor({"a", "b"}) == Tensor("b"), Bools({false, true}));
  CHECK_SAME(LogicalAnd(Bools({true, true}), Bools({true, false})), Bools({true, false}));
  CHECK_SAME(LogicalOr(Bools({false, true}), false), Bools({false, true}));
  CHECK_SAME(LogicalNot(Bools({false, true})), Bools({true, false}));
  CHECK_SAME(IsNan(x), Bools({false, true, false}));
  CHECK_SAME(IsInf(F32({-kInf, 1})), Bools({true, false}));
  CHECK_SAME(IsFinite(F32({-kInf, 1})), Bools({false, true}));
}

TEST_CASE("Equal of shapes that do not broadcast") {
  CHECK_SAME(Run(Op<"Equal">(), {F32({1, 2}), F32({1, 2, 3})}, {false}), Tensor(false));
  CHECK_SAME(Run(Op<"NotEqual">(), {F32({1, 2}), F32({1, 2, 3})}, {false}), Tensor(true));
  CHECK_SAME(Run(Op<"Equal">(), {F32({1, 2}), F32({1})}, {false}), Bools({true, false}));
  CHECK(Thrown([] { Equal(F32({1, 2}), F32({1, 2, 3})); }) == "INVALID_ARGUMENT Equal: shapes do not broadcast: x is [2], y is [3]");
}

TEST_CASE("NaN, infinities and the sign of zero") {
  CHECK_SAME(Maximum(F32({-0.0f, 0.0f, kNan, 1}), F32({0.0f, -0.0f, 1, kNan})), F32({-0.0f, 0.0f, kNan, kNan}));
  CHECK_SAME(Minimum(F32({-0.0f, 0.0f, kNan, 1}), F32({0.0f, -0.0f, 1, kNan})), F32({-0.0f, 0.0f, kNan, kNan}));
  CHECK_SAME(Sign(F32({-0.0f, kNan, -kInf, 3})), F32({0, kNan, -1, 1}));
  CHECK_SAME(Relu(F32({kNan, -0.0f, -1, 2})), F32({kNan, -0.0f, 0, 2}));
  CHECK_SAME(Relu6(F32({-1, 3, 7, kNan})), F32({0, 3, 6, kNan}));
  CHECK_SAME(LeakyRelu(F32({-5, 5})), F32({-1, 5}));
  CHECK_SAME(LeakyRelu(F32({-1, 1}), {.alpha = 2}), F32({-2, 1}));
  CHECK_SAME(ClipByValue(F32({-1, 5, kNan, 2}), 0, 3), F32({0, 3, kNan, 2}));
  CHECK_SAME(ClipByValue(F32({2}), 3, 1), F32({3}));
  CHECK_SAME(Round(F32({0.5f, 1.5f, -2.5f, -0.4f})), F32({0, 2, -2, -0.0f}));
  CHECK_SAME(Round(I32({7, -3})), I32({7, -3}));
  CHECK_SAME(Pow(F32({1, kNan, -8}), F32({kNan, 0, 1.0f / 3})), F32({1, 1, kNan}));
  const Tensor x = F32({1, kNan, kInf, -kInf, 0, -1});
  CHECK_SAME(x * 0, F32({0, kNan, kNan, kNan, 0, -0.0f}));
  CHECK_SAME(x - x, F32({0, kNan, kNan, kNan, 0, 0}));
  CHECK_SAME(x / x, F32({1, kNan, kNan, kNan, kNan, 1}));
  CHECK_SAME(0 / x, F32({0, kNan, 0, -0.0f, kNan, -0.0f}));
}

TEST_CASE("rounding is not undone") {
  CHECK_SAME(Reciprocal(Reciprocal(F32({7, 13, 14}))), F32({6.9999995f, 12.999999f, 13.999999f}));
  CHECK_SAME(Sqrt(Square(F32({-3}))), F32({3}));
  CHECK((-Log((1 - F32({1})) + 1e-9)).item<float>() == Approx(20.723267));
  CHECK_SAME(F32({1e-40f}) * 1, F32({1e-40f}));  // denormals stay
  CHECK(Exp(F32({-87.5f})).item<float>() == Approx(9.9829e-39f).epsilon(1e-4).scale(0));
  CHECK_SAME(AddN(std::vector<Tensor>{F32({1e8f}), F32({-1e8f}), F32({1})}), F32({1}));  // left to right
}

TEST_CASE("integers wrap, halves round once") {
  CHECK_SAME(Tensor(std::vector<uint8_t>{250}) + 10, Tensor(std::vector<uint8_t>{4}));
  CHECK_SAME(Tensor(std::vector<int8_t>{100}) * 3, Tensor(std::vector<int8_t>{44}));
  CHECK_SAME(Tensor(std::vector<uint32_t>{0}) - 1, Tensor(std::vector<uint32_t>{4294967295u}));
  CHECK_SAME(Tensor(std::vector<uint64_t>{0}) - 1, Tensor(std::vector<uint64_t>{~uint64_t{0}}));
  CHECK_SAME(Tensor(std::vector<uint64_t>{~uint64_t{0}}) > 1, Bools({true}));
  CHECK_SAME(Cast(F32({65519, 65520, 1e-8f}), kFloat16), Tensor(std::vector<Half>{Half(65504.0f), Half(kInf), Half(0.0f)}));
  std::vector<Half> ones(1000, Half(1.0f));
  CHECK_SAME(Tensor(ones) + Tensor(ones), Tensor(std::vector<Half>(1000, Half(2.0f))));
}

TEST_CASE("casts are x86's") {
  CHECK_SAME(Cast(F32({3e9f, kNan, -kInf, 1.9f, -1.9f}), kInt32), I32({INT32_MIN, INT32_MIN, INT32_MIN, 1, -1}));
  CHECK_SAME(Cast(F32({3e9f, kNan, 255.9f}), kInt8), Tensor(std::vector<int8_t>{0, 0, -1}));
  CHECK_SAME(Cast(F32({-1.9f, kNan, 3e9f}), kUint32), Tensor(std::vector<uint32_t>{4294967295u, 1u << 31, 3000000000u}));
  CHECK_SAME(Cast(F32({kNan, kInf, 1e19f}), kUint64), Tensor(std::vector<uint64_t>{1ull << 63, 1ull << 63, static_cast<uint64_t>(1e19f)}));
  CHECK_SAME(Cast(I32({300, -1}), kInt8), Tensor(std::vector<int8_t>{44, -1}));
  CHECK_SAME(Cast(I32({-1}), kUint64), Tensor(std::vector<uint64_t>{~uint64_t{0}}));
  CHECK_SAME(Cast(Tensor(std::vector<uint64_t>{~uint64_t{0}}), kFloat32), F32({18446744073709551616.0f}));
  CHECK_SAME(Cast(F32({0, -0.0f, kNan, 0.1f}), kBool), Bools({false, false, true, true}));
  CHECK_SAME(Cast(Tensor(std::vector<double>{1e300}), kFloat32), F32({kInf}));
  CHECK_SAME(Cast(Tensor(std::vector<std::complex<float>>{{2, 3}}), kFloat32), F32({2}));
  const Tensor x = F32({1});
  CHECK(Cast(x, kFloat32).rep() == x.rep());
  CHECK_SAME(Run(Op<"Cast">(), {F32({1.0078125f - 0x1p-20f})}, {kBFloat16, true}), Tensor(std::vector<BFloat16>{BFloat16(1.0f)}));
  CHECK(Thrown([] { Cast(Tensor("a"), kInt32); }) == "UNIMPLEMENTED Cast: no kernel for string on cpu:0");
}

TEST_CASE("shapes and dtypes that do not fit are named") {
  CHECK(Thrown([] { F32({1, 2}) + F32({1, 2, 3}); }) == "INVALID_ARGUMENT AddV2: shapes do not broadcast: x is [2], y is [3]");
  CHECK(Thrown([] { F32({1}) * I32({1}); }) == "INVALID_ARGUMENT Mul: dtypes differ: x is float32, y is int32");
  CHECK(Thrown([] { F32({1}) / I32({1}); }) == "INVALID_ARGUMENT RealDiv: dtypes differ: x is float32, y is int32");
  CHECK(Thrown([] { I32({1}) / F32({1}); }) == "INVALID_ARGUMENT RealDiv: dtypes differ: x is int32, y is float32");
  CHECK(Thrown([] { AddN(std::vector<Tensor>{F32({1, 2}), F32({1})}); }) ==
        "INVALID_ARGUMENT AddN: shapes differ: inputs[0] is [2], inputs[1] is [1]");
  CHECK(Thrown([] { Sqrt(I32({1})); }).starts_with("INVALID_ARGUMENT Sqrt: x is int32, must be one of "));
  CHECK(Thrown([] { ClipByValue(F32({1}), F32({1, 2}), 3); }) ==
        "INVALID_ARGUMENT ClipByValue: the bounds do not broadcast to t: t is [1], clip_value_min is [2], clip_value_max is []");
  CHECK(Thrown([] { Tensor() + 1; }).starts_with("FAILED_PRECONDITION AddV2: x is an undefined tensor"));
}

TEST_CASE("gradient ops do not broadcast") {
  const Tensor y = Zeros({4, 16}), alpha = Zeros({2, 1});
  for (const Shape& shape : {Shape{0}, Shape{1}, Shape{3}, Shape{2, 1}, Shape{}}) {
    const Tensor dy = Zeros(shape);
    for (OpId op : {Op<"SqrtGrad">(), Op<"RsqrtGrad">(), Op<"TanhGrad">(), Op<"SigmoidGrad">()})
      CHECK(Thrown([&] { Run(op, {y, dy}); }) ==
            "INVALID_ARGUMENT " + std::string(OpName(op)) + ": shapes differ: y is [4,16], dy is " + shape.ToString());
    for (OpId op : {Op<"ReluGrad">(), Op<"Relu6Grad">(), Op<"SoftplusGrad">()})
      CHECK(Thrown([&] { Run(op, {dy, y}); }) ==
            "INVALID_ARGUMENT " + std::string(OpName(op)) + ": shapes differ: gradients is " + shape.ToString() + ", features is [4,16]");
    CHECK(Thrown([&] { Run(Op<"EluGrad">(), {dy, y}); }).starts_with("INVALID_ARGUMENT EluGrad: shapes differ"));
    CHECK(Thrown([&] { Run(Op<"LeakyReluGrad">(), {dy, y}, {0.2f}); }).starts_with("INVALID_ARGUMENT LeakyReluGrad: shapes differ"));
  }
}

TEST_CASE("broadcast gradient args") {
  const auto axes = [](const std::vector<int64_t>& a, const std::vector<int64_t>& b) {
    const Tensor in[] = {Tensor(a), Tensor(b)};
    const Tensors out = RunMany(Op<"BroadcastGradientArgs">(), in);
    return std::pair(out[0].ToVector<int64_t>(), out[1].ToVector<int64_t>());
  };
  using V = std::vector<int64_t>;
  CHECK(axes({2, 3}, {2, 3}) == std::pair(V{}, V{}));
  CHECK(axes({1, 2}, {2}) == std::pair(V{0}, V{0}));
  CHECK(axes({2, 3, 4}, {3, 1}) == std::pair(V{}, V{0, 2}));
  CHECK(axes({3000000000}, {1}) == std::pair(V{}, V{0}));
  CHECK(Thrown([&] { axes({2, 3}, {2}); }) == "INVALID_ARGUMENT BroadcastGradientArgs: shapes do not broadcast: s0 is [2,3], s1 is [2]");
}

}  // namespace
}  // namespace tandem
