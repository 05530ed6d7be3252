// Lists in TensorProto messages, as TensorFlow writes them: type_name "tensorflow::TensorList"; metadata is, in varints,
// the number of unset items, their indices, the dtype, max_num_elements (all ones for no limit), then the serialized
// TensorShapeProto of element_shape; tensors are the items that are set, in order.
#pragma once
#include "core/status.h"
#include "core/tensor_list.h"

namespace tandem::proto {
class TensorProto;
class VariantTensorDataProto;
}

namespace tandem {

// Lists in lists take a level each. INVALID_ARGUMENT beyond kMaxListDepth, or for an item that no message holds.
inline constexpr int kMaxListDepth = 32;
absl::Status ListToProto(const TensorList& list, proto::VariantTensorDataProto* m, int depth = 0);
absl::StatusOr<TensorList> ListFromProto(const proto::VariantTensorDataProto& m, int depth = 0);

// TensorFromProto and TensorToProto for a tensor that lies in so many lists.
absl::StatusOr<Tensor> TensorFromProtoIn(int depth, const proto::TensorProto& m);
absl::Status TensorToProtoIn(int depth, const Tensor& tensor, proto::TensorProto* m);

}  // namespace tandem
