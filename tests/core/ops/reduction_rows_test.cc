// Rows of reductions, searches, scans, softmax, losses and biases: each runs eagerly and in sessions, over known and
// unknown shapes, with its gradient where it has one; the text of an error must be the same wherever it is found out.
#include <catch2/catch.hpp>
#include <limits>

#include "tandem.h"
#include "tests/op_case.h"

namespace tandem {
namespace {

using namespace op_case;

Tensor Scalar(int32_t v) { return Tensor(v); }
Expected Invalid(std::string message) { return op_case::Error(kInvalidArgument, std::move(message)); }
const Tensor kMatrix = F64({1, -2, 3.5, 4, 5, -6}, {2, 3});
const Tensor kEmpty = ZerosOf({0, 3});

}  // namespace

TEST_CASE("rows of reductions") {
  const OpCase rows[] = {
      {"columns", "Sum", {kMatrix, I32({0})}, Want(F64({5, 3, -2.5}))},
      {"kept", "Sum", {kMatrix, I64({-1})}, {{"keep_dims", true}}, Want(F64({2.5, 3}, {2, 1}))},
      {"scalar axis", "Sum", {kMatrix, Scalar(1)}, Want(F64({2.5, 3}))},
      {"no axis", "Sum", {kMatrix, I32({})}, Want(kMatrix)},
      {"nothing", "Sum", {kEmpty, I32({0})}, Want(F32({0, 0, 0}))},
      {"range", "Sum", {kMatrix, I32({2})}, Invalid("Sum: reduction_indices[0] is 2, must be in [-2, 2) for an input [2,3]")},
      {"twice", "Sum", {kMatrix, I32({0, -2})}, Invalid("Sum: reduction_indices has axis 0 twice, for an input [2,3]")},
      {"rows", "Mean", {kMatrix, I32({1})}, Agree()},
      {"all", "Prod", {kMatrix, I32({0, 1})}, Agree()},
      {"rows", "Max", {kMatrix, I32({1})}, Want(F64({3.5, 5}))},
      {"ties", "Max", {I32({2, 2}), I32({0})}, Want(Scalar(2))},
      {"columns", "Min", {kMatrix, I32({0})}, Want(F64({1, -2, -6}))},
      {"nothing", "Max", {Tensor(std::vector<int32_t>{}), I32({0})}, Want(Scalar(std::numeric_limits<int32_t>::min()))},
      {"both", "All", {Tensor({true, false}), I32({0})}, Want(Tensor(false))},
      {"either", "Any", {Tensor({true, false}), I32({0})}, Want(Tensor(true))},
      {"range", "All", {Tensor({true, false}), I32({1})}, Invalid("All: reduction_indices[0] is 1, must be in [-1, 1) for an input [2]")},
      {"squares", "L2Loss", {F64({3, 4})}, Want(F64({12.5}, {}))},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of searches and scans") {
  const OpCase rows[] = {
      {"last axis", "ArgMax", {kMatrix, Scalar(-1)}, Want(I64({2, 1}))},
      {"int32", "ArgMin", {kMatrix, Scalar(0)}, {{"output_type", kInt32}}, Want(I32({0, 0, 1}))},
      {"range", "ArgMax", {kMatrix, Scalar(2)}, Invalid("ArgMax: dimension is 2, must be in [-2, 2)")},
      {"nothing", "ArgMax", {kEmpty, Scalar(0)}, Invalid("ArgMax: dimension 0 has no elements: input is [0,3]")},
      {"two", "TopKV2", {kMatrix, Scalar(2)}, Want({F64({3.5, 1, 5, 4}, {2, 2}), Tensor({{2, 0}, {1, 0}})}, {0, 0})},
      {"negative", "TopKV2", {kMatrix, Scalar(-1)}, Invalid("TopKV2: k is -1, must not be negative")},
      {"too many", "TopKV2", {kMatrix, Scalar(4)}, Invalid("TopKV2: k is 4, the last dimension of input has only 3: input is [2,3]")},
      {"columns", "Cumsum", {kMatrix, Scalar(0)}, Want(F64({1, -2, 3.5, 5, 3, -2.5}, {2, 3}))},
      {"from the end", "Cumsum", {kMatrix, Scalar(1)}, {{"reverse", true}, {"exclusive", true}}, Want(F64({1.5, 3.5, 0, -1, -6, 0}, {2, 3}))},
      {"rows", "Cumprod", {kMatrix, Scalar(1)}, Want(F64({1, -2, -7, 4, 20, -120}, {2, 3}))},
      {"range", "Cumprod", {kMatrix, Scalar(-3)}, Invalid("Cumprod: axis is -3, must be in [-2, 2)")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of softmax, losses and biases") {
  const Tensor labels = F64({0.2, 0.3, 0.5, 0.1, 0.6, 0.3}, {2, 3});
  const OpCase rows[] = {
      {"rows", "Softmax", {kMatrix}, Agree()},
      {"scalar", "Softmax", {Tensor(1.f)}, Invalid("Softmax: logits must have rank 1 or more, is []")},
      {"rows", "LogSoftmax", {kMatrix}, Agree()},
      {"distributions", "SoftmaxCrossEntropyWithLogits", {kMatrix, labels}, Agree()},
      {"vector", "SoftmaxCrossEntropyWithLogits", {kMatrix, F64({1, 0})}, Invalid("SoftmaxCrossEntropyWithLogits: labels must be a matrix, is [2]")},
      {"classes", "SparseSoftmaxCrossEntropyWithLogits", {kMatrix, I32({2, 0})}, Agree()},
      {"range", "SparseSoftmaxCrossEntropyWithLogits", {kMatrix, I64({2, 3})}, Invalid("SparseSoftmaxCrossEntropyWithLogits: labels[1] = 3, must be in [0, 3)")},
      {"last", "BiasAdd", {kMatrix, F64({1, 2, 3})}, Want(F64({2, 0, 6.5, 5, 7, -3}, {2, 3}))},
      {"first", "BiasAdd", {F64({1, 2, 3, 4}, {1, 2, 2}), F64({10, 20})}, {{"data_format", "NCHW"}}, Want(F64({11, 12, 23, 24}, {1, 2, 2}))},
      {"channels", "BiasAdd", {kMatrix, F64({1, 2})}, Invalid("BiasAdd: channels differ: value is [2,3] (dim 1 = 3), bias is [2] (dim 0 = 2)")},
      {"channels", "BiasAddGrad", {kMatrix}, Want(F64({5, 3, -2.5}))},
      {"vector", "BiasAddGrad", {F64({1, 2})}, Invalid("BiasAddGrad: out_backprop must have rank 2 or more, is [2]")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of random ops") {
  const Tensor key = Tensor(std::vector<uint64_t>{5}), counter = Tensor(std::vector<uint64_t>{0, 7});
  const OpCase rows[] = {
      {"seeds", "StatelessRandomGetKeyCounter", {I32({1, 2})},
       Want({Tensor(std::vector<uint64_t>{10413732777507651514u}), Tensor(std::vector<uint64_t>{0, 17830669156045600267u})}, {0, 0})},
      {"three seeds", "StatelessRandomGetKeyCounter", {I32({1, 2, 3})}, Invalid("StatelessRandomGetKeyCounter: seed must have 2 elements, is [3]")},
      {"numbers", "StatelessRandomUniformV2", {I32({2, 3}), key, counter, Scalar(1)}, Agree()},
      {"numbers", "StatelessRandomNormalV2", {I32({5}), key, counter, Scalar(3)}, Agree()},
      {"algorithm", "StatelessRandomUniformV2", {I32({2}), key, counter, Scalar(2)},
       Invalid("StatelessRandomUniformV2: alg is 2, must be 1 (Philox) or 3 (chosen here)")},
      {"shape", "StatelessRandomNormalV2", {I32({-2}), key, counter, Scalar(1)}, Invalid("StatelessRandomNormalV2: shape[0] is -2, must be at least 0")},
  };
  CheckOpCases(rows);
}

}  // namespace tandem
