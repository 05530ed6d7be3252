#include "core/tensor_bytes.h"

#include "core/tensor_proto.h"
#include "proto/tensor.pb.h"

namespace tandem {

absl::StatusOr<std::string> SerializeTensor(const Tensor& tensor) {
  proto::TensorProto message;
  RETURN_IF_ERROR(TensorToProto(tensor, &message));
  if (message.ByteSizeLong() > INT32_MAX) return InvalidArgument("a tensor of ", message.ByteSizeLong(), " bytes is too large for a message");
  return message.SerializeAsString();
}

absl::StatusOr<Tensor> ParseTensor(std::string_view bytes) {
  proto::TensorProto message;
  if (bytes.size() > INT32_MAX || !message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::DataLossError("no TensorProto");
  return TensorFromProto(message);
}

}  // namespace tandem
