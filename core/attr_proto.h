// Attribute values as wire messages.
//
//   ASSIGN_OR_RETURN(AttrValue v, AttrFromProto(node.attr().at("strides"), AttrKind::kIntList));
//   RETURN_IF_ERROR(AttrToProto(v.ref(), &message));
#pragma once
#include "core/attr.h"
#include "core/status.h"

namespace tandem::proto {
class AttrValue;
}

namespace tandem {

// The kind of the value that is set; kNone for nothing, an empty list and a function's placeholder.
AttrKind KindOfProto(const proto::AttrValue& message);
// An attribute of the asked kind (an empty list is of every list kind). INVALID_ARGUMENT "is string, must be type", and
// what TensorFromProto says; the caller puts the attribute's name in front.
absl::StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& message, AttrKind kind);
// INVALID_ARGUMENT for tensors that no message can hold.
absl::Status AttrToProto(AttrRef attr, proto::AttrValue* message);

}  // namespace tandem
