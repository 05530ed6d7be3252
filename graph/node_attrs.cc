#include "graph/node_attrs.h"

#include "core/attr_proto.h"
#include "proto/node_def.pb.h"

namespace tandem {
namespace {

const proto::AttrValue* FindAttr(const proto::NodeDef& node, const std::string& name) {
  const auto it = node.attr().find(name);
  return it == node.attr().end() ? nullptr : &it->second;
}

[[gnu::cold]] absl::Status Prefixed(const OpSchema& schema, const OpAttr& attr, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat(schema.name(), ": attribute ", attr.name, " ", status.message()));
}

// What the inputs say an implied attribute is.
AttrValue Implied(const InferContext& infer, int i) {
  const OpAttr& attr = infer.schema().attrs()[i];
  if (attr.kind == AttrKind::kType) return AttrValue(AttrRef(infer.signature().types[i]));
  if (attr.kind == AttrKind::kInt) return AttrValue(AttrRef(int64_t{infer.signature().numbers[i]}));
  std::vector<DType> types;
  for (int k = 0; k < infer.signature().numbers[i]; ++k) types.push_back(infer.dtype(infer.signature().list_start[i] + k));
  return AttrValue(AttrValue::Variant(std::move(types)));
}

// The input that first says it, for the error.
std::string WhoSays(const InferContext& infer, int i, const AttrValue& implied) {
  int position = 0;
  for (const OpArg& arg : infer.schema().inputs()) {
    const int list = arg.number_attr >= 0 ? arg.number_attr : arg.type_list_attr;
    if (list == i) return absl::StrCat(arg.name, " has ", infer.signature().numbers[i], " tensors", arg.type_list_attr == i ? absl::StrCat(": ", implied.ToString()) : "");
    if (arg.type_attr == i) return absl::StrCat(position < infer.num_inputs() ? infer.InputName(position) : arg.name, " is ", implied.ToString());
    position += list >= 0 ? infer.signature().numbers[list] : 1;
  }
  return "";
}

}  // namespace

absl::InlinedVector<AttrRef, 4> RefsOf(std::span<const AttrValue> attrs) {
  absl::InlinedVector<AttrRef, 4> refs;
  refs.reserve(attrs.size());
  for (const AttrValue& a : attrs) refs.push_back(a.ref());
  return refs;
}

absl::StatusOr<NodeAttrs> AttrsFromNode(const OpSchema& schema, const proto::NodeDef& node) {
  NodeAttrs attrs;
  attrs.reserve(schema.num_explicit_attrs());
  for (const OpAttr& attr : schema.attrs()) {
    const proto::AttrValue* message = FindAttr(node, attr.name);
    if (!message) {
      if (!attr.has_default) return InvalidArgument(schema.name(), ": attribute ", attr.name, " is missing and has no default");
      if (attr.explicit_index >= 0) attrs.push_back(attr.default_value);
      continue;
    }
    if (attr.explicit_index < 0) {
      if (attr.kind == AttrKind::kType && message->value_case() == proto::AttrValue::kType) continue;  // compared with the inputs later
      if (attr.kind == AttrKind::kInt && message->value_case() == proto::AttrValue::kI) continue;
    }
    auto value = AttrFromProto(*message, attr.kind);
    if (!value.ok()) return Prefixed(schema, attr, value.status());
    if (attr.explicit_index >= 0) attrs.push_back(*std::move(value));
  }
  return attrs;
}

absl::Status CheckImpliedAttrs(const InferContext& infer, const proto::NodeDef& node) {
  const auto& attrs = infer.schema().attrs();
  for (size_t i = 0; i < attrs.size(); ++i) {
    const OpAttr& attr = attrs[i];
    if (attr.explicit_index >= 0) continue;
    const proto::AttrValue* message = FindAttr(node, attr.name);
    const int k = static_cast<int>(i);
    if (message && attr.kind == AttrKind::kType && message->type() == static_cast<int>(infer.signature().types[i])) continue;
    AttrValue given = attr.default_value;
    if (message) {
      auto value = AttrFromProto(*message, attr.kind);
      if (!value.ok()) return Prefixed(infer.schema(), attr, value.status());
      given = *std::move(value);
    }
    const AttrValue implied = Implied(infer, k);
    // A type attr of an empty N*T list: no input says anything, so the node does.
    if (attr.kind == AttrKind::kType && infer.signature().types[i] == DType::kInvalid) continue;
    if (!SameAttr(given.ref(), implied.ref()))
      return infer.Error("attribute ", attr.name, " is ", given.ToString(), ", ", WhoSays(infer, k, implied));
  }
  return absl::OkStatus();
}

absl::Status AttrsToNode(const OpSchema& schema, std::span<const AttrRef> attrs, std::span<const InferInput> inputs,
                         proto::NodeDef* node) {
  InferContext infer(schema, inputs, attrs);
  RETURN_IF_ERROR(infer.Resolve());
  for (size_t i = 0; i < schema.attrs().size(); ++i) {
    const OpAttr& attr = schema.attrs()[i];
    proto::AttrValue* out = &(*node->mutable_attr())[attr.name];
    if (attr.explicit_index >= 0) RETURN_IF_ERROR(AttrToProto(attrs[attr.explicit_index], out));
    else RETURN_IF_ERROR(AttrToProto(Implied(infer, static_cast<int>(i)).ref(), out));
  }
  return absl::OkStatus();
}

}  // namespace tandem
