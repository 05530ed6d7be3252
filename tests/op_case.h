// Tables of op calls. One row drives inference (static and unknown shapes), eager execution, a plain and an optimised
// Session, the equality of their bits, finite differences in double, and the exact text of an error.
//
//   const OpCase kMatMul[] = {
//       {"square",   "MatMul", {F32({{1, 2}, {3, 4}}), F32({{1, 0}, {0, 1}})}, Want(F32({{1, 2}, {3, 4}}))},
//       {"transposed", "MatMul", {F32({{1, 2}}), F32({{3, 4}})}, {{"transpose_b", true}}, Want(F32({{11}}))},
//       {"mismatch", "MatMul", {Zeros({2, 3}), Zeros({4, 5})},
//                    Error(kInvalidArgument, "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)")},
//   };
//   TEST_CASE("MatMul") { CheckOpCases(kMatMul); }
#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/attr.h"
#include "core/status.h"
#include "core/tensor.h"
#include "tests/compare.h"

namespace tandem::op_case {

// Literals of a dtype: F32({{1, 2}, {3, 4}}), F64({1.5}), I32({1, 2}), I64(3), Bools({true}).
class F32 : public Tensor {
 public:
  F32(double v) : Tensor(v) {}
  F32(std::initializer_list<double> v) : Tensor(v) {}
  F32(std::initializer_list<std::initializer_list<double>> v) : Tensor(v) {}
  F32(std::initializer_list<std::initializer_list<std::initializer_list<double>>> v) : Tensor(v) {}
};
Tensor F64(std::vector<double> v, const Shape& shape);
Tensor F64(std::vector<double> v);
Tensor I32(std::vector<int32_t> v);
Tensor I64(std::vector<int64_t> v);
Tensor ZerosOf(const Shape& shape, DType dtype = kFloat32);

inline constexpr absl::StatusCode kInvalidArgument = absl::StatusCode::kInvalidArgument;

struct Expected {
  Tensors want;
  std::optional<Tolerance> tolerance;       // the dtype's default when not given
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string message;                      // exact; in a graph `; node "…"` follows
};
Expected Want(Tensor one);
Expected Want(Tensors all, Tolerance tolerance);
Expected Error(absl::StatusCode code, std::string message);
// Any value: the modes must agree, and the gradient must be right.
Expected Agree();

struct OpCase {
  using Attrs = std::vector<std::pair<std::string, AttrValue>>;
  OpCase(std::string name, std::string op, Tensors inputs, Expected expected)
      : name(std::move(name)), op(std::move(op)), inputs(std::move(inputs)), expected(std::move(expected)) {}
  struct Attr {
    template <class T>
    Attr(std::string name, T value) : name(std::move(name)), value(AttrRef(value)) {}
    std::string name;
    AttrValue value;
  };
  OpCase(std::string name, std::string op, Tensors inputs, std::vector<Attr> attrs, Expected expected)
      : name(std::move(name)), op(std::move(op)), inputs(std::move(inputs)), attrs(std::move(attrs)), expected(std::move(expected)) {}

  std::string name, op;
  Tensors inputs;
  std::vector<Attr> attrs;  // others at their default
  Expected expected;
};

// Everything that is wrong with a row, one a line, "" when nothing is.
std::string CheckOpCase(const OpCase& c);
// As Catch2 checks.
void CheckOpCases(std::span<const OpCase> cases);

// The gradients of an op by its gradient function and by central differences, in double: "" when they agree within
// 1e-5 relative. Inputs that are not float64 are held fixed.
std::string CheckGradient(const OpCase& c);

}  // namespace tandem::op_case
