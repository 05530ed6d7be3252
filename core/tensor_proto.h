// Tensors and shapes as wire messages.
//
//   ASSIGN_OR_RETURN(Tensor t, TensorFromProto(message));
//   RETURN_IF_ERROR(TensorToProto(t, &message));
//
// Reading follows TensorFlow: tensor_content wins over the lists; a list shorter than the shape repeats its last
// element, a longer one is cut, an empty one means zeros; values in another dtype's list are not seen.
#pragma once
#include "core/status.h"
#include "core/tensor.h"

namespace tandem::proto {
class TensorProto;
class TensorShapeProto;
}  // namespace tandem::proto

namespace tandem {

// A message of a few bytes may ask for any number of repeated elements; more bytes than this are refused.
inline constexpr int64_t kMaxRepeatedBytes = int64_t{1} << 30;

// Errors name dtype, dimensions and bytes, without an op in front. INVALID_ARGUMENT: a dtype that is none, a negative
// dimension, a product past 2^63 - 1, content that does not fit the shape; all before anything is allocated.
// RESOURCE_EXHAUSTED: more memory than there is, or than kMaxRepeatedBytes for repeated elements. UNIMPLEMENTED: dtypes
// that only TensorFlow has, and values of resources and variants.
absl::StatusOr<Tensor> TensorFromProto(const proto::TensorProto& message);
// Writes what TensorFlow writes: the lists for strings and where all elements are equal (once), tensor_content else.
// INVALID_ARGUMENT for resources, variants and tensors without a value.
absl::Status TensorToProto(const Tensor& tensor, proto::TensorProto* message);

// Dimensions of -1 are unknown; below, and beyond 254 of them, INVALID_ARGUMENT.
absl::StatusOr<Shape> ShapeFromProto(const proto::TensorShapeProto& message);
void ShapeToProto(const Shape& shape, proto::TensorShapeProto* message);

// The dtype of a wire number. INVALID_ARGUMENT for a number that is no dtype, UNIMPLEMENTED for one of TensorFlow's that
// is not here (float8, int4).
absl::StatusOr<DType> DTypeFromProto(int number);

}  // namespace tandem
