#include "core/attr.h"

#include <bit>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/device_memory.h"
#include "core/variant.h"

namespace tandem {

std::string_view AttrKindName(AttrKind kind) {
  static constexpr std::string_view kNames[] = {
      "none",      "int",         "float",      "bool",       "type",         "string",      "shape",        "tensor",    "func",
      "list(int)", "list(float)", "list(bool)", "list(type)", "list(string)", "list(shape)", "list(tensor)", "list(func)"};
  return kNames[static_cast<int>(kind)];
}

bool FuncAttr::operator==(const FuncAttr& other) const {
  if (name != other.name || attrs.size() != other.attrs.size()) return false;
  for (size_t i = 0; i < attrs.size(); ++i)
    if (attrs[i].first != other.attrs[i].first || !SameAttr(attrs[i].second.ref(), other.attrs[i].second.ref())) return false;
  return true;
}

namespace {

template <class T>
std::vector<T> Copy(AttrRef ref) {
  const auto s = ref.get<std::span<const T>>();
  return std::vector<T>(s.begin(), s.end());
}

}  // namespace

AttrValue::AttrValue(AttrRef ref) {
  switch (ref.kind()) {
    case AttrKind::kNone: break;
    case AttrKind::kInt: v_ = ref.get<int64_t>(); break;
    case AttrKind::kFloat: v_ = ref.get<float>(); break;
    case AttrKind::kBool: v_ = ref.get<bool>(); break;
    case AttrKind::kType: v_ = ref.get<DType>(); break;
    case AttrKind::kString: v_ = std::string(ref.get<std::string_view>()); break;
    case AttrKind::kShape: v_ = ref.get<Shape>(); break;
    case AttrKind::kTensor: v_ = OnHost(ref.get<Tensor>()); break;
    case AttrKind::kFunc: v_ = ref.get<FuncAttr>(); break;
    case AttrKind::kIntList: v_ = Copy<int64_t>(ref); break;
    case AttrKind::kFloatList: v_ = Copy<float>(ref); break;
    case AttrKind::kBoolList: {
      const auto s = ref.get<std::span<const bool>>();
      v_ = BoolList{std::vector<char>(s.begin(), s.end())};
      break;
    }
    case AttrKind::kTypeList: v_ = Copy<DType>(ref); break;
    case AttrKind::kStringList: v_ = Copy<std::string>(ref); break;
    case AttrKind::kShapeList: v_ = Copy<Shape>(ref); break;
    case AttrKind::kTensorList: {
      std::vector<Tensor> tensors = Copy<Tensor>(ref);
      for (Tensor& t : tensors) t = OnHost(t);
      v_ = std::move(tensors);
      break;
    }
    case AttrKind::kFuncList: v_ = Copy<FuncAttr>(ref); break;
  }
}

AttrKind AttrValue::kind() const {
  static constexpr AttrKind kKinds[] = {AttrKind::kNone,      AttrKind::kInt,       AttrKind::kFloat,      AttrKind::kBool,
                                        AttrKind::kType,      AttrKind::kString,    AttrKind::kShape,      AttrKind::kTensor,
                                        AttrKind::kFunc,      AttrKind::kIntList,   AttrKind::kFloatList,  AttrKind::kBoolList,
                                        AttrKind::kTypeList,  AttrKind::kStringList, AttrKind::kShapeList, AttrKind::kTensorList,
                                        AttrKind::kFuncList};
  return kKinds[v_.index()];
}

AttrRef AttrValue::ref() const {
  return std::visit(
      [](const auto& v) -> AttrRef {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::same_as<T, std::monostate>) return AttrRef();
        else if constexpr (std::same_as<T, BoolList>)
          return std::span<const bool>(reinterpret_cast<const bool*>(v.values.data()), v.values.size());
        else if constexpr (requires { typename T::value_type; } && !std::same_as<T, std::string>)
          return std::span<const typename T::value_type>(v);
        else return v;
      },
      v_);
}

namespace {

std::string Text(int64_t v) { return std::to_string(v); }
std::string Text(float v) {
  std::string s = absl::StrCat(v);  // six digits; more when that does not read back
  if (std::strtof(s.c_str(), nullptr) != v && v == v) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", v);
    s = buffer;
  }
  return s;
}
std::string Text(bool v) { return v ? "true" : "false"; }
std::string Text(DType v) { return std::string(DTypeName(v)); }
std::string Text(const std::string& v) { return absl::StrCat("\"", absl::CEscape(v), "\""); }
std::string Text(const Shape& v) { return v.ToString(); }
std::string Text(const Tensor& v) {
  return absl::StrCat("<", std::string(DTypeName(v.dtype())), v.defined() ? v.shape().ToString() : "", ">");
}
std::string Text(const FuncAttr& v) { return v.name; }

}  // namespace

std::string AttrValue::ToString() const {
  return std::visit(
      [](const auto& v) -> std::string {
        using T = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::same_as<T, std::monostate>) return "none";
        else if constexpr (std::same_as<T, BoolList>)
          return absl::StrCat("[", absl::StrJoin(v.values, ",", [](std::string* out, char b) { *out += Text(b != 0); }), "]");
        else if constexpr (requires { typename T::value_type; } && !std::same_as<T, std::string>)
          return absl::StrCat("[", absl::StrJoin(v, ",", [](std::string* out, const auto& x) { *out += Text(x); }), "]");
        else return Text(v);
      },
      v_);
}

namespace {

template <class T>
void AppendRaw(const T& value, std::string& key) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}
// Lengths go in front of all that varies in size, so that ["a","b"] and ["ab",""] differ.
void AppendText(std::string_view text, std::string& key) {
  AppendRaw(text.size(), key);
  key.append(text);
}
void AppendShape(const Shape& shape, std::string& key) {
  AppendRaw(shape.rank(), key);
  for (int64_t d : shape.dims()) AppendRaw(d, key);
}
void AppendFunc(const FuncAttr& func, std::string& key) {
  AppendText(func.name, key);
  AppendRaw(func.attrs.size(), key);
  for (const auto& [name, value] : func.attrs) {
    AppendText(name, key);
    AppendAttrKey(value.ref(), key);
  }
}
template <class T, class F>
void AppendList(AttrRef attr, std::string& key, F append) {
  const auto list = attr.get<std::span<const T>>();
  AppendRaw(list.size(), key);
  for (const T& item : list) append(item, key);
}

}  // namespace

void AppendTensorKey(const Tensor& tensor, std::string& key) {
  AppendRaw(tensor.dtype(), key);
  if (!tensor.defined()) return;
  AppendShape(tensor.shape(), key);
  const Tensor host = OnHost(tensor);
  const TensorRep& rep = *host.rep();
  if (rep.symbolic()) {
    AppendRaw(rep.symbol(), key);
  } else if (rep.dtype == kString) {
    for (int64_t i = 0; i < rep.count; ++i) AppendText(rep.as<std::string>()[i], key);
  } else if (DTypeSize(rep.dtype)) {
    key.append(rep.as<char>(), rep.bytes());
  } else {
    AppendRaw(&rep, key);
  }
}

void AppendAttrKey(AttrRef attr, std::string& key) {
  key.push_back(static_cast<char>(attr.kind()));
  const auto raw = [](const auto& v, std::string& k) { AppendRaw(v, k); };
  switch (attr.kind()) {
    case AttrKind::kNone: break;
    case AttrKind::kInt: AppendRaw(attr.get<int64_t>(), key); break;
    case AttrKind::kFloat: AppendRaw(attr.get<float>(), key); break;
    case AttrKind::kBool: AppendRaw(attr.get<bool>(), key); break;
    case AttrKind::kType: AppendRaw(attr.get<DType>(), key); break;
    case AttrKind::kString: AppendText(attr.get<std::string_view>(), key); break;
    case AttrKind::kShape: AppendShape(attr.get<Shape>(), key); break;
    case AttrKind::kTensor: AppendTensorKey(attr.get<Tensor>(), key); break;
    case AttrKind::kFunc: AppendFunc(attr.get<FuncAttr>(), key); break;
    case AttrKind::kIntList: AppendList<int64_t>(attr, key, raw); break;
    case AttrKind::kFloatList: AppendList<float>(attr, key, raw); break;
    case AttrKind::kBoolList: AppendList<bool>(attr, key, raw); break;
    case AttrKind::kTypeList: AppendList<DType>(attr, key, raw); break;
    case AttrKind::kStringList: AppendList<std::string>(attr, key, [](const std::string& s, std::string& k) { AppendText(s, k); }); break;
    case AttrKind::kShapeList: AppendList<Shape>(attr, key, AppendShape); break;
    case AttrKind::kTensorList: AppendList<Tensor>(attr, key, AppendTensorKey); break;
    case AttrKind::kFuncList: AppendList<FuncAttr>(attr, key, AppendFunc); break;
  }
}

bool SameAttr(AttrRef a, AttrRef b) {
  if (a.kind() != b.kind()) return false;
  std::string ka, kb;
  AppendAttrKey(a, ka);
  AppendAttrKey(b, kb);
  return ka == kb;
}

}  // namespace tandem
