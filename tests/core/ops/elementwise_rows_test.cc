// Elementwise ops in every mode: eager, plain and optimised sessions, shapes known and unknown, gradients against finite
// differences in double.
#include <catch2/catch.hpp>

#include "core/ops/reshape.h"
#include "tests/op_case.h"

namespace tandem::op_case {
namespace {

const Tensor kX = F64({-1.3, -0.4, 0.7, 2.1, 0.2, -2.2}, {2, 3}), kPositive = F64({0.3, 0.9, 1.7, 6.2, 2.3, 0.1}, {2, 3});
const Tensor kY = F64({1.9, -0.8, 0.6, 1.1, -1.4, 3.3}, {2, 3});

TEST_CASE("functions of one number, in every mode") {
  std::vector<OpCase> rows;
  for (const char* op : {"Neg", "Abs", "Sign", "Square", "Reciprocal", "Exp", "Expm1", "Sin", "Cos", "Tanh", "Sigmoid", "Erf", "Erfc",
                         "Floor", "Ceil", "Round", "IsNan", "IsInf", "IsFinite", "Relu", "Relu6", "LeakyRelu", "Elu", "Softplus",
                         "ZerosLike", "OnesLike"}) {
    rows.emplace_back("ordinary values", op, Tensors{kX}, Agree());
    rows.emplace_back("nothing", op, Tensors{ZerosOf({0, 3}, kFloat64)}, Agree());
    rows.emplace_back("float32", op, Tensors{F32({{-1.5, 0.25, 3}, {7, -0.5, 2}})}, Agree());
  }
  for (const char* op : {"Sqrt", "Rsqrt", "Log", "Log1p"}) rows.emplace_back("positive values", op, Tensors{kPositive}, Agree());
  CheckOpCases(rows);
}

TEST_CASE("functions of two numbers broadcast in every mode, and their gradients come back") {
  std::vector<OpCase> rows;
  for (const char* op : {"AddV2", "Sub", "Mul", "RealDiv", "Div", "DivNoNan", "Maximum", "Minimum", "SquaredDifference", "FloorMod",
                         "FloorDiv", "Less", "Equal", "GreaterEqual", "Pow"}) {
    const Tensor& x = std::string(op) == "Pow" || std::string(op) == "FloorMod" ? kPositive : kX;
    rows.emplace_back("same shape", op, Tensors{x, kY}, Agree());
    rows.emplace_back("a row", op, Tensors{x, F64({1.9, -0.8, 0.6})}, Agree());
    rows.emplace_back("a column and a row", op, Tensors{F64({0.4, 1.7}, {2, 1}), F64({1.9, -0.8, 0.6})}, Agree());
    rows.emplace_back("a scalar", op, Tensors{F64({1.45}, {}), kY}, Agree());
    rows.emplace_back("a size that is one in both", op, Tensors{F64({0.4, 1.6}, {2, 1}), F64({1.9}, {1, 1})}, Agree());
    rows.emplace_back("nothing", op, Tensors{ZerosOf({0, 1}, kFloat64), ZerosOf({1, 3}, kFloat64)}, Agree());
  }
  CheckOpCases(rows);
}

TEST_CASE("gradient ops in every mode, and gradients of gradients") {
  std::vector<OpCase> rows;
  for (const char* op : {"SqrtGrad", "RsqrtGrad", "TanhGrad", "SigmoidGrad", "ReluGrad", "Relu6Grad", "EluGrad", "SoftplusGrad", "LeakyReluGrad"}) {
    rows.emplace_back("ordinary values", op, Tensors{kX, kY}, Agree());
    const std::string first = std::string(op).starts_with("Relu") || op[0] == 'E' || op[0] == 'L' || std::string(op) == "SoftplusGrad" ? "gradients" : "y";
    const std::string second = first == "y" ? "dy" : std::string(op) == "EluGrad" ? "outputs" : "features";
    for (const Shape& shape : {Shape{0}, Shape{1}, Shape{3}, Shape{2, 1}, Shape{}})
      rows.emplace_back("no broadcasting", op, Tensors{kX, ZerosOf(shape, kFloat64)},
                        Error(kInvalidArgument, std::string(op) + ": shapes differ: " + first + " is [2,3], " + second + " is " + shape.ToString()));
  }
  CheckOpCases(rows);
}

TEST_CASE("choice, bounds and sums in every mode") {
  const Tensor condition = Tensor(std::vector<bool>{true, false, true});
  const OpCase rows[] = {
      {"choice", "SelectV2", {condition, kX, kY}, Agree()},
      {"choice broadcasts", "SelectV2", {condition, F64({0.4, 1.6}, {2, 1}), F64({2.5}, {})}, Agree()},
      {"bounds", "ClipByValue", {kX, F64({-1}, {}), F64({1}, {})}, Agree()},
      {"bounds broadcast", "ClipByValue", {kX, F64({-1, -2, 0}), F64({1.5, 0.5}, {2, 1})}, Agree()},
      {"bounds are not broadcast to", "ClipByValue", {F64({1}), F64({-1, -2}), F64({1}, {})},
       Error(kInvalidArgument, "ClipByValue: the bounds do not broadcast to t: t is [1], clip_value_min is [2], clip_value_max is []")},
      {"three addends", "AddN", {kX, kY, kPositive}, Agree()},
      {"one addend", "AddN", {kX}, Agree()},
      {"addends differ", "AddN", {kX, F64({1})}, Error(kInvalidArgument, "AddN: shapes differ: inputs[0] is [2,3], inputs[1] is [1]")},
      {"strings", "Add", {Tensor({"a", "b"}), Tensor("c")}, Want(Tensor({"ac", "bc"}))},
      {"cast", "Cast", {kX}, {{"DstT", kFloat32}}, Agree()},
      {"cast to integers", "Cast", {F32({-1.5, 2.5, 3e9})}, {{"DstT", kInt32}}, Want(I32({-1, 2, INT32_MIN}))},
  };
  CheckOpCases(rows);
}

TEST_CASE("the same words for the same fault in every mode") {
  const OpCase rows[] = {
      {"shapes", "AddV2", {F32({1, 2}), F32({1, 2, 3})}, Error(kInvalidArgument, "AddV2: shapes do not broadcast: x is [2], y is [3]")},
      {"division by zero", "FloorDiv", {I32({4, 4}), I32({2, 0})}, Error(kInvalidArgument, "FloorDiv: integer division by zero: y[1] is 0")},
      {"modulo zero", "FloorMod", {I64({4, 4}), I64({0})}, Error(kInvalidArgument, "FloorMod: integer division by zero: y[0] is 0")},
      {"Div by zero", "Div", {I32({4, 4}), I32({2, 0})}, Error(kInvalidArgument, "Div: integer division by zero: y[1] is 0")},
      {"the least integer", "FloorDiv", {I32({INT32_MIN, -7}), I32({-1, 2})}, Want(I32({INT32_MIN, -4}))},
      {"negative power", "Pow", {I32({2, 2}), I32({1, -1})}, Error(kInvalidArgument, "Pow: integers have no negative powers: y[1] is negative")},
      {"floats over zero", "FloorMod", {F32({5, -5}), F32({0, INFINITY})}, Want(F32({NAN, INFINITY}))},
      {"BroadcastGradientArgs", "BroadcastGradientArgs", {I64({2, 3}), I64({2})},
       Error(kInvalidArgument, "BroadcastGradientArgs: shapes do not broadcast: s0 is [2,3], s1 is [2]")},
      {"BroadcastGradientArgs of large dims", "BroadcastGradientArgs", {I64({3000000000}), I64({1})},
       Want({I64(std::vector<int64_t>{}), I64({0})}, {})},
  };
  CheckOpCases(rows);
}

}  // namespace
}  // namespace tandem::op_case
