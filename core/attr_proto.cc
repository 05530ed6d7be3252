#include "core/attr_proto.h"

#include <algorithm>

#include "core/tensor_proto.h"
#include "proto/attr_value.pb.h"

namespace tandem {
namespace {

using V = AttrValue::Variant;

absl::StatusOr<FuncAttr> FuncFromProto(const proto::NameAttrList& m) {
  FuncAttr func;
  func.name = m.name();
  for (const auto& [name, value] : m.attr()) {
    AttrKind kind = KindOfProto(value);
    if (kind == AttrKind::kNone && value.has_list()) kind = AttrKind::kIntList;  // empty: of every kind
    if (kind == AttrKind::kNone) return InvalidArgument("is a function whose attribute ", name, " has no value");
    ASSIGN_OR_RETURN(AttrValue v, AttrFromProto(value, kind));
    func.attrs.emplace_back(name, std::move(v));
  }
  std::sort(func.attrs.begin(), func.attrs.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return func;
}

absl::StatusOr<AttrValue> ListFromProto(const proto::AttrValue::ListValue& m, AttrKind kind) {
  const auto each = [](const auto& from, auto convert) -> absl::StatusOr<AttrValue> {
    std::vector<std::remove_cvref_t<decltype(*convert(*from.begin()))>> list;
    list.reserve(from.size());
    for (const auto& item : from) {
      auto one = convert(item);
      if (!one.ok()) return one.status();
      list.push_back(*std::move(one));
    }
    return AttrValue(V(std::move(list)));
  };
  switch (kind) {
    case AttrKind::kIntList: return AttrValue(V(std::vector<int64_t>(m.i().begin(), m.i().end())));
    case AttrKind::kFloatList: return AttrValue(V(std::vector<float>(m.f().begin(), m.f().end())));
    case AttrKind::kBoolList: return AttrValue(V(AttrValue::BoolList{std::vector<char>(m.b().begin(), m.b().end())}));
    case AttrKind::kStringList: return AttrValue(V(std::vector<std::string>(m.s().begin(), m.s().end())));
    case AttrKind::kTypeList: return each(m.type(), DTypeFromProto);
    case AttrKind::kShapeList: return each(m.shape(), ShapeFromProto);
    case AttrKind::kTensorList: return each(m.tensor(), TensorFromProto);
    default: return each(m.func(), FuncFromProto);
  }
}

}  // namespace

AttrKind KindOfProto(const proto::AttrValue& m) {
  switch (m.value_case()) {
    case proto::AttrValue::kS: return AttrKind::kString;
    case proto::AttrValue::kI: return AttrKind::kInt;
    case proto::AttrValue::kF: return AttrKind::kFloat;
    case proto::AttrValue::kB: return AttrKind::kBool;
    case proto::AttrValue::kType: return AttrKind::kType;
    case proto::AttrValue::kShape: return AttrKind::kShape;
    case proto::AttrValue::kTensor: return AttrKind::kTensor;
    case proto::AttrValue::kFunc: return AttrKind::kFunc;
    case proto::AttrValue::kList: {
      const auto& l = m.list();
      if (l.i_size()) return AttrKind::kIntList;
      if (l.s_size()) return AttrKind::kStringList;
      if (l.f_size()) return AttrKind::kFloatList;
      if (l.b_size()) return AttrKind::kBoolList;
      if (l.type_size()) return AttrKind::kTypeList;
      if (l.shape_size()) return AttrKind::kShapeList;
      if (l.tensor_size()) return AttrKind::kTensorList;
      if (l.func_size()) return AttrKind::kFuncList;
      return AttrKind::kNone;
    }
    default: return AttrKind::kNone;
  }
}

absl::StatusOr<AttrValue> AttrFromProto(const proto::AttrValue& m, AttrKind kind) {
  const AttrKind given = KindOfProto(m);
  const bool empty_list = given == AttrKind::kNone && m.has_list() && kind >= AttrKind::kIntList;
  if (given != kind && !empty_list) {
    if (m.value_case() == proto::AttrValue::kPlaceholder)
      return InvalidArgument("is the placeholder \"", m.placeholder(), "\", which only a function body may have");
    return InvalidArgument("is ", given == AttrKind::kNone ? m.has_list() ? "an empty list" : "empty" : std::string(AttrKindName(given)),
                           ", must be ", std::string(AttrKindName(kind)));
  }
  const auto wrap = [](auto one) -> absl::StatusOr<AttrValue> {
    if (!one.ok()) return one.status();
    return AttrValue(V(*std::move(one)));
  };
  switch (kind) {
    case AttrKind::kInt: return AttrValue(V(m.i()));
    case AttrKind::kFloat: return AttrValue(V(m.f()));
    case AttrKind::kBool: return AttrValue(V(m.b()));
    case AttrKind::kString: return AttrValue(V(m.s()));
    case AttrKind::kType: return wrap(DTypeFromProto(m.type()));
    case AttrKind::kShape: return wrap(ShapeFromProto(m.shape()));
    case AttrKind::kTensor: return wrap(TensorFromProto(m.tensor()));
    case AttrKind::kFunc: return wrap(FuncFromProto(m.func()));
    case AttrKind::kNone: return AttrValue();
    default: return ListFromProto(m.list(), kind);
  }
}

namespace {

absl::Status FuncToProto(const FuncAttr& func, proto::NameAttrList* m) {
  m->set_name(func.name);
  for (const auto& [name, value] : func.attrs) RETURN_IF_ERROR(AttrToProto(value.ref(), &(*m->mutable_attr())[name]));
  return absl::OkStatus();
}

}  // namespace

absl::Status AttrToProto(AttrRef a, proto::AttrValue* m) {
  switch (a.kind()) {
    case AttrKind::kNone: return InvalidArgument("an attribute has no value to write");
    case AttrKind::kInt: m->set_i(a.get<int64_t>()); break;
    case AttrKind::kFloat: m->set_f(a.get<float>()); break;
    case AttrKind::kBool: m->set_b(a.get<bool>()); break;
    case AttrKind::kType: m->set_type(static_cast<proto::DataType>(a.get<DType>())); break;
    case AttrKind::kString: {
      const auto s = a.get<std::string_view>();
      m->set_s(s.data(), s.size());
      break;
    }
    case AttrKind::kShape: ShapeToProto(a.get<Shape>(), m->mutable_shape()); break;
    case AttrKind::kTensor: return TensorToProto(a.get<Tensor>(), m->mutable_tensor());
    case AttrKind::kFunc: return FuncToProto(a.get<FuncAttr>(), m->mutable_func());
    default: break;
  }
  if (a.kind() < AttrKind::kIntList) return absl::OkStatus();
  auto* list = m->mutable_list();
  switch (a.kind()) {
    case AttrKind::kIntList:
      for (int64_t v : a.get<std::span<const int64_t>>()) list->add_i(v);
      break;
    case AttrKind::kFloatList:
      for (float v : a.get<std::span<const float>>()) list->add_f(v);
      break;
    case AttrKind::kBoolList:
      for (bool v : a.get<std::span<const bool>>()) list->add_b(v);
      break;
    case AttrKind::kTypeList:
      for (DType v : a.get<std::span<const DType>>()) list->add_type(static_cast<proto::DataType>(v));
      break;
    case AttrKind::kStringList:
      for (const std::string& v : a.get<std::span<const std::string>>()) list->add_s(v);
      break;
    case AttrKind::kShapeList:
      for (const Shape& v : a.get<std::span<const Shape>>()) ShapeToProto(v, list->add_shape());
      break;
    case AttrKind::kTensorList:
      for (const Tensor& v : a.get<std::span<const Tensor>>()) RETURN_IF_ERROR(TensorToProto(v, list->add_tensor()));
      break;
    default:
      for (const FuncAttr& v : a.get<std::span<const FuncAttr>>()) RETURN_IF_ERROR(FuncToProto(v, list->add_func()));
  }
  return absl::OkStatus();
}

}  // namespace tandem
