// Rows of the array ops: each runs eagerly and in sessions, over known and unknown shapes, with its gradient where it has
// one. The bad ones are inputs that crashed other runtimes: the text must be the same wherever they are found out.
#include <catch2/catch.hpp>

#include "tandem.h"
#include "tests/op_case.h"

namespace tandem {
namespace {

using namespace op_case;

Tensor Ints32(std::vector<int32_t> v, const Shape& shape) { return Tensor::FromData<int32_t>(shape, std::span<const int32_t>(v)); }
Tensor Scalar(int32_t v) { return Tensor(v); }
Expected Invalid(std::string message) { return op_case::Error(kInvalidArgument, std::move(message)); }
const Tensor kMatrix = F64({1, 2, 3, 4, 5, 6}, {2, 3});

TEST_CASE("rows of plumbing and shape ops") {
  const OpCase rows[] = {
      {"same", "Identity", {kMatrix}, Want(kMatrix)},
      {"two", "IdentityN", {kMatrix, I32({7})}, Want({kMatrix, I32({7})}, {0, 0})},
      {"same", "StopGradient", {kMatrix}, Want(kMatrix)},
      {"fits", "EnsureShape", {kMatrix}, {{"shape", Shape{-1, 3}}}, Want(kMatrix)},
      {"does not fit", "EnsureShape", {kMatrix}, {{"shape", Shape{3, -1}}}, Invalid("EnsureShape: input is [2,3], must fit [3,?]")},
      {"default", "PlaceholderWithDefault", {kMatrix}, {{"shape", Shape{-1, 3}}}, Want(kMatrix)},
      {"int64", "Shape", {kMatrix}, {{"out_type", kInt64}}, Want(I64({2, 3}))},
      {"elements", "Size", {kMatrix}, Want(Scalar(6))},
      {"axes", "Rank", {kMatrix}, Want(Scalar(2))},
      {"with -1", "Reshape", {kMatrix, I32({3, -1})}, Want(F64({1, 2, 3, 4, 5, 6}, {3, 2}))},
      {"nothing", "Reshape", {ZerosOf({0, 3}), I32({0, -1})}, Want(ZerosOf({0, 0}))},
      {"count", "Reshape", {kMatrix, I32({4, 2})}, Invalid("Reshape: tensor is [2,3] with 6 elements, does not fit the shape [4,2]")},
      {"two -1", "Reshape", {kMatrix, I32({-1, -1})}, Invalid("Reshape: shape has -1 twice: at 0 and 1")},
      {"-2", "Reshape", {kMatrix, I32({-2})}, Invalid("Reshape: shape[0] is -2, must be at least -1")},
      {"rank 255", "Reshape", {kMatrix, I64(std::vector<int64_t>(255, 1))}, Invalid("Reshape: shape has 255 elements, the largest rank is 254")},
      {"last", "ExpandDims", {kMatrix, Scalar(-1)}, Want(F64({1, 2, 3, 4, 5, 6}, {2, 3, 1}))},
      {"too far", "ExpandDims", {kMatrix, Scalar(3)}, Invalid("ExpandDims: dim is 3, must be in [-3, 3)")},
      {"all", "Squeeze", {F64({1, 2}, {1, 2, 1})}, Want(F64({1, 2}))},
      {"not 1", "Squeeze", {kMatrix}, {{"squeeze_dims", std::vector<int64_t>{1}}}, Invalid("Squeeze: cannot drop dimension 1, which is not 1: input is [2,3] (dim 1 = 3)")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of transposes, fills and tiles") {
  const OpCase rows[] = {
      {"negative axes", "Transpose", {kMatrix, I32({-1, 0})}, Want(F64({1, 4, 2, 5, 3, 6}, {3, 2}))},
      {"out of range", "Transpose", {I32({1, 2, 3, 4}), I32({-10})}, Invalid("Transpose: perm[0] is -10, must be in [-1, 1)")},
      {"one past", "Transpose", {I32({1, 2, 3, 4}), I32({1})}, Invalid("Transpose: perm[0] is 1, must be in [-1, 1)")},
      {"repeated", "Transpose", {kMatrix, I32({0, 0})}, Invalid("Transpose: perm has axis 0 twice: [0,0]")},
      {"too long", "Transpose", {kMatrix, I32({0, 1, 2})}, Invalid("Transpose: perm has 3 elements, x is [2,3]")},
      {"inverse", "InvertPermutation", {I32({2, 0, 1})}, Want(I32({1, 2, 0}))},
      {"repeated", "InvertPermutation", {I32({0, 0})}, Invalid("InvertPermutation: x has 0 twice: at 0 and 1")},
      {"last axis", "ReverseV2", {kMatrix, I32({-1})}, Want(F64({3, 2, 1, 6, 5, 4}, {2, 3}))},
      {"nothing", "ReverseV2", {ZerosOf({0, 1, 1}, kInt32), I32({1})}, Want(ZerosOf({0, 1, 1}, kInt32))},
      {"repeated", "ReverseV2", {ZerosOf({0, 1, 1}, kInt32), I32({1, 1})}, Invalid("ReverseV2: axis has 1 twice: [1,1]")},
      {"out of range", "ReverseV2", {ZerosOf({0, 1, 1}, kInt32), I32({3})}, Invalid("ReverseV2: axis[0] is 3, must be in [-3, 3)")},
      {"matrix", "Fill", {I32({2, 3}), Tensor(F64({2}, {}))}, Want(F64({2, 2, 2, 2, 2, 2}, {2, 3}))},
      {"negative", "Fill", {I32({-1}), Scalar(0)}, Invalid("Fill: dims[0] is -1, must be at least 0")},
      {"no scalar", "Fill", {I32({2}), I32({0, 1})}, Invalid("Fill: value must be a scalar, is [2]")},
      {"down", "Range", {Scalar(3), Scalar(0), Scalar(-1)}, Want(I32({3, 2, 1}))},
      {"wrong way", "Range", {Scalar(0), Scalar(3), Scalar(-1)}, Invalid("Range: delta leads away from limit: start is 0, limit is 3, delta is -1")},
      {"no step", "Range", {Scalar(0), Scalar(3), Scalar(0)}, Invalid("Range: delta must not be 0: start is 0, limit is 3, delta is 0")},
      {"last axis", "OneHot", {I32({0, 2, 5}), Scalar(3), Scalar(1), Scalar(0)}, Want(Ints32({1, 0, 0, 0, 0, 1, 0, 0, 0}, {3, 3}))},
      {"nothing", "OneHot", {ZerosOf({0, 3}, kInt32), Scalar(4), Scalar(1), Scalar(0)}, {{"axis", int64_t{0}}}, Want(ZerosOf({4, 0, 3}, kInt32))},
      {"depth", "OneHot", {I32({1}), Scalar(-1), Scalar(1), Scalar(0)}, Invalid("OneHot: depth is -1, must not be negative")},
      {"axis", "OneHot", {I32({1}), Scalar(3), Scalar(1), Scalar(0)}, {{"axis", int64_t{856}}}, Invalid("OneHot: axis is 856, must be in [-1, 1]: indices is [1]")},
      {"rows", "BroadcastTo", {F64({1, 2, 3}), I32({2, 3})}, Want(F64({1, 2, 3, 1, 2, 3}, {2, 3}))},
      {"does not fit", "BroadcastTo", {F64({1, 2}), I32({3})}, Invalid("BroadcastTo: input is [2], does not broadcast to [3]")},
      {"both axes", "Tile", {F64({1, 2}, {2, 1}), I32({1, 2})}, Want(F64({1, 1, 2, 2}, {2, 2}))},
      {"int64", "Tile", {F64({1, 2}), I64({2})}, Want(F64({1, 2, 1, 2}))},
      {"huge", "Tile", {ZerosOf({1, 1, 1}), I32({100000000, 100000000, 100000000})},
       Invalid("Tile: the output [100000000,100000000,100000000] would have more than 2^63 - 1 elements")},
      {"negative", "Tile", {ZerosOf({1, 1, 1}), I32({-1, 1, 1})}, Invalid("Tile: multiples[0] is -1, must not be negative")},
      {"length", "Tile", {ZerosOf({1, 1, 1}), I32({1, 1})}, Invalid("Tile: multiples has 2 elements, input is [1,1,1]")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of concatenation and splitting") {
  const OpCase rows[] = {
      {"columns", "ConcatV2", {kMatrix, F64({7, 8}, {2, 1}), Scalar(-1)}, Want(F64({1, 2, 3, 7, 4, 5, 6, 8}, {2, 4}))},
      {"wild axis", "ConcatV2", {I32({1, 2, 3}), I32({4, 5, 6}), Scalar(-1258291109)}, Invalid("ConcatV2: axis is -1258291109, must be in [-1, 1)")},
      {"least axis", "ConcatV2", {I32({1, 2, 3}), I32({4, 5, 6}), Scalar(INT32_MIN)}, Invalid("ConcatV2: axis is -2147483648, must be in [-1, 1)")},
      {"vector axis", "ConcatV2", {I32({1, 2, 3}), I32({4, 5, 6}), I32({0, 0})}, Invalid("ConcatV2: axis must be a scalar, is [2]")},
      {"ranks", "ConcatV2", {kMatrix, F64({1}), Scalar(0)}, Invalid("ConcatV2: ranks differ: values[0] is [2,3], values[1] is [1]")},
      {"offsets", "ConcatOffset", {Scalar(1), I32({2, 3}), I32({2, 4})}, Want({I32({0, 0}), I32({0, 3})}, {0, 0})},
      {"differ", "ConcatOffset", {Scalar(0), I32({2, 3}), I32({2, 4})}, Invalid("ConcatOffset: shapes differ beside concat_dim 0: shape[0][1] = 3, shape[1][1] = 4")},
      {"middle axis", "Pack", {F64({1, 2}), F64({3, 4})}, {{"axis", int64_t{1}}}, Want(F64({1, 3, 2, 4}, {2, 2}))},
      {"shapes", "Pack", {F64({1, 2}), F64({3})}, Invalid("Pack: shapes differ: values[0] is [2], values[1] is [1]")},
      {"axis", "Pack", {F64({1, 2}), F64({3, 4})}, {{"axis", int64_t{2}}}, Invalid("Pack: axis is 2, must be in [-2, 2)")},
      {"rows", "Unpack", {kMatrix}, {{"num", int64_t{2}}}, Want({F64({1, 2, 3}), F64({4, 5, 6})}, {0, 0})},
      {"num", "Unpack", {kMatrix}, {{"num", int64_t{3}}}, Invalid("Unpack: num is 3, value is [2,3] (dim 0 = 2)")},
      {"scalar", "Unpack", {Scalar(1)}, {{"num", int64_t{1}}}, Invalid("Unpack: value must have rank 1 or more, is []")},
      {"halves", "Split", {Scalar(0), F64({1, 2, 3, 4})}, {{"num_split", int64_t{2}}}, Want({F64({1, 2}), F64({3, 4})}, {0, 0})},
      {"uneven", "Split", {Scalar(0), F64({1, 2, 3})}, {{"num_split", int64_t{2}}}, Invalid("Split: num_split is 2, does not divide value is [3] (dim 0 = 3)")},
      {"none", "Split", {Scalar(0), F64({1, 2, 3})}, {{"num_split", int64_t{0}}}, Invalid("Split: attribute num_split is 0, must be at least 1")},
      {"rest", "SplitV", {F64({1, 2, 3}), I32({1, -1}), Scalar(0)}, {{"num_split", int64_t{2}}}, Want({F64({1}), F64({2, 3})}, {0, 0})},
      {"-2", "SplitV", {ZerosOf({0}), I32({-1, -2}), Scalar(0)}, {{"num_split", int64_t{2}}}, Invalid("SplitV: size_splits[1] is -2, must be at least -1")},
      {"two -1", "SplitV", {F64({1, 2, 3}), I32({-1, -1}), Scalar(0)}, {{"num_split", int64_t{2}}},
       Invalid("SplitV: size_splits[0] and [1] are both -1, only one can be")},
      {"sum", "SplitV", {F64({1, 2, 3}), I32({2, 2}), Scalar(0)}, {{"num_split", int64_t{2}}},
       Invalid("SplitV: size_splits [2,2] add up to 4, value is [3] (dim 0 = 3)")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of slices") {
  const OpCase::Attr shrink = {"shrink_axis_mask", int64_t{1}};
  const OpCase rows[] = {
      {"middle", "Slice", {kMatrix, I32({0, 1}), I32({-1, 2})}, Want(F64({2, 3, 5, 6}, {2, 2}))},
      {"row", "Slice", {kMatrix, I32({1, 0}), I32({1, 3})}, Want(F64({4, 5, 6}, {1, 3}))},
      {"size", "Slice", {I32({1, 2, 3}), I64({2}), I64({INT64_MAX})},
       Invalid("Slice: size[0] is 9223372036854775807, but 1 elements follow begin[0] = 2: input is [3]")},
      {"-2", "Slice", {I32({1, 2, 3}), I32({0}), I32({-2})}, Invalid("Slice: size[0] is -2, must be at least -1")},
      {"begin", "Slice", {I32({1, 2, 3}), I32({-1}), I32({1})}, Invalid("Slice: begin[0] is -1, must be in [0, 3]: input is [3]")},
      {"last row", "StridedSlice", {kMatrix, I32({-1}), I32({0}), I32({5})}, {shrink}, Want(F64({4, 5, 6}))},
      {"backward", "StridedSlice", {F64({0, 1, 2, 3}), I32({10}), I32({-10}), I32({-2})}, Want(F64({3, 1}))},
      {"least stride", "StridedSlice", {I32({0, 1, 2, 3, 4, 5, 6, 7}), I64({7}), I64({-9}), I64({INT64_MIN})}, Want(I32({7}))},
      {"index", "StridedSlice", {kMatrix, I32({5}), I32({6}), I32({1})}, {shrink},
       Invalid("StridedSlice: index 5 is out of range on axis 0, must be in [-2, 2): the input is [2,3]")},
      {"stride 0", "StridedSlice", {kMatrix, I32({0}), I32({1}), I32({0})}, Invalid("StridedSlice: strides[0] must not be 0")},
      {"two ellipses", "StridedSlice", {kMatrix, I32({0, 0}), I32({1, 1}), I32({1, 1})}, {{"ellipsis_mask", int64_t{3}}},
       Invalid("StridedSlice: entries 0 and 1 are both an ellipsis, at most one can be")},
      {"too many", "StridedSlice", {kMatrix, I32({0, 0, 0}), I32({1, 1, 1}), I32({1, 1, 1})}, Invalid("StridedSlice: slices 3 axes of an input [2,3] with 2")},
      {"column", "StridedSliceGrad", {I32({2, 3}), I32({0, 1}), I32({2, 2}), I32({1, 1}), F64({7, 8}, {2, 1})}, Want(F64({0, 7, 0, 0, 8, 0}, {2, 3}))},
      {"dy", "StridedSliceGrad", {I32({2, 3}), I32({0}), I32({1}), I32({1}), kMatrix}, Invalid("StridedSliceGrad: dy is [2,3], must be [1,3], the slice of [2,3]")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of pads") {
  const OpCase::Attr reflect = {"mode", "REFLECT"}, symmetric = {"mode", "SYMMETRIC"};
  const Tensor wild = Ints32({125106557, 1415887920, 747509374, 2136925906, 413308538, 904601717, 1900762018, 831358864}, {4, 2});
  const OpCase rows[] = {
      {"both sides", "Pad", {F64({1, 2}), Ints32({1, 2}, {1, 2})}, Want(F64({0, 1, 2, 0, 0}))},
      {"wild", "Pad", {ZerosOf({1, 32, 32, 3}), wild},
       Invalid("Pad: the output [1540994478,2884435312,1317910287,2732120885] would have more than 2^63 - 1 elements")},
      {"negative", "Pad", {F64({1, 2, 3}), Ints32({-1, 0}, {1, 2})}, Invalid("Pad: paddings[0,0] is -1, must not be negative")},
      {"three", "Pad", {F64({1, 2, 3}), Ints32({1, 2, 3}, {1, 3})}, Invalid("Pad: paddings must be [rank, 2], is [1,3]")},
      {"no scalar", "PadV2", {F64({1, 2}), Ints32({1, 2}, {1, 2}), F64({1, 2})}, Invalid("PadV2: constant_values must be a scalar, is [2]")},
      {"reflect", "MirrorPad", {F64({1, 2, 3}), Ints32({2, 1}, {1, 2})}, {reflect}, Want(F64({3, 2, 1, 2, 3, 2}))},
      {"symmetric", "MirrorPad", {F64({1, 2, 3}), Ints32({2, 3}, {1, 2})}, {symmetric}, Want(F64({2, 1, 1, 2, 3, 3, 2, 1}))},
      {"too much", "MirrorPad", {F64({1, 2}), Ints32({2, 0}, {1, 2})}, {reflect},
       Invalid("MirrorPad: paddings[0,0] is 2, must be at most 1 in mode REFLECT on a dimension of 2")},
      {"folded back", "MirrorPadGrad", {F64({1, 10, 100, 1000, 10000, 100000}), Ints32({2, 1}, {1, 2})}, {reflect}, Want(F64({100, 101010, 10001}))},
      {"wild", "MirrorPadGrad", {F64({1}), Ints32({2012217344, 167772160}, {1, 2})}, {reflect},
       Invalid("MirrorPadGrad: paddings[0] are 2012217344 and 167772160, more than the whole of input is [1] (dim 0 = 1)")},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of gathers and scatters") {
  const OpCase rows[] = {
      {"rows", "GatherV2", {kMatrix, I32({1, 0, 1}), Scalar(0)}, Want(F64({4, 5, 6, 1, 2, 3, 4, 5, 6}, {3, 3}))},
      {"columns", "GatherV2", {kMatrix, I32({2}), Scalar(-1)}, Want(F64({3, 6}, {2, 1}))},
      {"batches", "GatherV2", {kMatrix, Ints32({2, 0}, {2, 1}), Scalar(1)}, {{"batch_dims", int64_t{1}}}, Want(F64({3, 4}, {2, 1}))},
      {"nothing", "GatherV2", {ZerosOf({0, 4}), I32({}), Scalar(0)}, Want(ZerosOf({0, 4}))},
      {"past the end", "GatherV2", {F64({1, 2, 3}), I32({0, 3}), Scalar(0)}, Invalid("GatherV2: indices[1] = 3, must be in [0, 3)")},
      {"negative", "GatherV2", {F64({1, 2, 3}), I32({-1}), Scalar(0)}, Invalid("GatherV2: indices[0] = -1, must be in [0, 3)")},
      {"batch_dims", "GatherV2", {kMatrix, I32({0}), Scalar(0)}, {{"batch_dims", int64_t{10}}},
       Invalid("GatherV2: batch_dims is 10, must be in [-1, 1]: indices is [1], params is [2,3]")},
      {"empty batch", "GatherV2", {ZerosOf({0, 1}), I32({0}), Scalar(1)}, {{"batch_dims", int64_t{1}}},
       Invalid("GatherV2: batch dimensions 0 differ: params is [0,1] (dim 0 = 0), indices is [1] (dim 0 = 1)")},
      {"axis before batch", "GatherV2", {kMatrix, I32({0, 0}), Scalar(0)}, {{"batch_dims", int64_t{1}}},
       Invalid("GatherV2: axis is 0, must be at least batch_dims, which is 1")},
      {"elements", "GatherNd", {kMatrix, Ints32({0, 2, 1, 0}, {2, 2})}, Want(F64({3, 4}))},
      {"all twice", "GatherNd", {ZerosOf({5, 5, 5}), ZerosOf({2, 0}, kInt32)}, Want(ZerosOf({2, 5, 5, 5}))},
      {"flat in range", "GatherNd", {ZerosOf({5, 5, 5}), Ints32({0, 0, 5}, {1, 3})},
       Invalid("GatherNd: indices[0] = [0,0,5] does not index into params, which is [5,5,5]")},
      {"negative", "GatherNd", {ZerosOf({5, 5, 5}), Ints32({-1, 0, 0}, {1, 3})},
       Invalid("GatherNd: indices[0] = [-1,0,0] does not index into params, which is [5,5,5]")},
      {"empty params", "GatherNd", {ZerosOf({0, 3}), Ints32({0}, {1, 1})}, Invalid("GatherNd: indices[0] = [0] does not index into params, which is [0,3]")},
      {"too deep", "GatherNd", {ZerosOf({5, 5, 5}), ZerosOf({2, 4}, kInt32)},
       Invalid("GatherNd: indices is [2,4] (dim 1 = 4) indexes 4 axes, but params is [5,5,5] with 3")},
      {"adds", "ScatterNd", {Ints32({1, 3, 1}, {3, 1}), F64({10, 20, 30}), I32({5})}, Want(F64({0, 40, 0, 20, 0}))},
      {"out of range", "ScatterNd", {Ints32({5}, {1, 1}), F64({1}), I32({5})}, Invalid("ScatterNd: indices[0] = [5] does not index into shape, which is [5]")},
      {"updates", "ScatterNd", {Ints32({1}, {1, 1}), F64({1, 2}), I32({5})}, Invalid("ScatterNd: updates is [2], must be [1]: indices is [1,1], shape is [5]")},
      {"puts", "TensorScatterUpdate", {F64({1, 2, 3}), Ints32({1}, {1, 1}), F64({7})}, Want(F64({1, 7, 3}))},
      {"out of range", "TensorScatterUpdate", {F64({1, 2, 3}), Ints32({3}, {1, 1}), F64({7})},
       Invalid("TensorScatterUpdate: indices[0] = [3] does not index into tensor, which is [3]")},
      {"drops negative ids", "UnsortedSegmentSum", {F64({1, 2, 3}), I32({0, -1, 0}), Scalar(2)}, Want(F64({4, 0}))},
      {"id", "UnsortedSegmentSum", {F64({1, 2, 3}), I32({0, 2, 0}), Scalar(2)},
       Invalid("UnsortedSegmentSum: segment_ids[1] = 2, must be less than num_segments, which is 2")},
      {"ids", "UnsortedSegmentSum", {F64({1, 2, 3}), I32({0, 1}), Scalar(2)},
       Invalid("UnsortedSegmentSum: data must begin with the shape of segment_ids: data is [3], segment_ids is [2]")},
      {"coordinates", "Where", {F64({0, 1, 2, 0}, {2, 2})}, Want(Tensor::FromData<int64_t>({2, 2}, std::vector<int64_t>{0, 1, 1, 0}))},
  };
  CheckOpCases(rows);
}

TEST_CASE("rows of checks and texts") {
  const OpCase rows[] = {
      {"finite", "CheckNumerics", {kMatrix}, {{"message", "m"}}, Want(kMatrix)},
      {"NaN", "CheckNumerics", {F64({1, NAN})}, {{"message", "loss"}}, Invalid("CheckNumerics: loss : tensor had NaN values")},
      {"text", "StringFormat", {kMatrix}, Want(Tensor("[[1 2 3]\n [4 5 6]]"))},
      {"places", "StringFormat", {kMatrix}, {{"template", "none"}}, Invalid("StringFormat: the template has 0 placeholders, for 1 inputs")},
  };
  CheckOpCases(rows);
}

TEST_CASE("integer scalars meet at the wider one") {
  CHECK(Range(int64_t{3}).dtype() == kInt64);
  CHECK(Add(int64_t{1}, 1).dtype() == kInt64);
  CHECK(Add(1, 1).dtype() == kInt32);
}

}  // namespace
}  // namespace tandem
