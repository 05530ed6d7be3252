// Attributes between NodeDef messages and calls: defaults filled in, kinds checked, what inputs imply compared.
//
//   ASSIGN_OR_RETURN(auto attrs, AttrsFromNode(schema, node_def));    // the explicit ones, in schema order
//   InferContext infer(schema, inputs, refs_of(attrs));
//   RETURN_IF_ERROR(infer.Resolve());
//   RETURN_IF_ERROR(CheckImpliedAttrs(infer, node_def));              // T, N say what the inputs say
#pragma once
#include "absl/container/inlined_vector.h"
#include "core/attr.h"
#include "core/infer.h"

namespace tandem::proto {
class NodeDef;
}

namespace tandem {

using NodeAttrs = absl::InlinedVector<AttrValue, 1>;

// The explicit attributes of a node, missing ones at their default. INVALID_ARGUMENT "OP: attribute A …": missing without
// a default (an implied one too: nothing is inferred when a file is read), of another kind, no dtype, a bad tensor.
absl::StatusOr<NodeAttrs> AttrsFromNode(const OpSchema& schema, const proto::NodeDef& node);
// Borrowed while attrs stay.
absl::InlinedVector<AttrRef, 4> RefsOf(std::span<const AttrValue> attrs);

// After infer.Resolve() or Run(): each attribute that the inputs imply has on the node (or by default) the value that
// they imply. INVALID_ARGUMENT "OP: attribute T is int64, x is float32".
absl::Status CheckImpliedAttrs(const InferContext& infer, const proto::NodeDef& node);

// Writes all attributes of a call: explicit ones, and those that inputs imply from its signature. Attributes at their
// default are written too, as TensorFlow does. inputs: the dtypes of the flat inputs.
absl::Status AttrsToNode(const OpSchema& schema, std::span<const AttrRef> attrs, std::span<const InferInput> inputs,
                         proto::NodeDef* node);

}  // namespace tandem
