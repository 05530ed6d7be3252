// The harness itself: rows that are right pass, and each kind of wrong is seen.
#include "tests/op_case.h"

#include <catch2/catch.hpp>

namespace tandem::op_case {

TEST_CASE("rows that are right") {
  const OpCase kRows[] = {
      {"square", "MatMul", {F32({{1, 2}, {3, 4}}), F32({{1, 0}, {0, 1}})}, Want(F32({{1, 2}, {3, 4}}))},
      {"transposed", "MatMul", {F32({{1, 2, 3}}), F32({{4, 5, 6}})}, {{"transpose_b", true}}, Want(Tensor({{32.}}))},
      {"in double", "MatMul", {F64({1, 2, 3, 4, 5, 6}, {2, 3}), F64({1, -1, 2, 0.5, 0, 3}, {3, 2})}, Agree()},
      {"empty inner", "MatMul", {ZerosOf({2, 0}), ZerosOf({0, 3})}, Want(ZerosOf({2, 3}))},
      {"mismatch", "MatMul", {ZerosOf({2, 3}), ZerosOf({4, 5})},
       Error(kInvalidArgument, "MatMul: inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)")},
  };
  CheckOpCases(kRows);
}

TEST_CASE("wrong rows are seen") {
  CHECK(CheckOpCase({"value", "MatMul", {Tensor({{1.}}), Tensor({{2.}})}, Want(Tensor({{3.}}))}).find("element 0 is 2, want 3") != std::string::npos);
  CHECK(CheckOpCase({"text", "MatMul", {ZerosOf({2, 3}), ZerosOf({4, 5})}, Error(kInvalidArgument, "MatMul: no")}) != "");
  CHECK(CheckOpCase({"no error", "MatMul", {Tensor({{1.}}), Tensor({{2.}})}, Error(kInvalidArgument, "MatMul: no")}).find("ran, want an error") != std::string::npos);
  CHECK(CheckOpCase({"unknown", "Frobnicate", {F32(1)}, Agree()}) != "");
}

}  // namespace tandem::op_case
