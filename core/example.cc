#include "core/example.h"

#include <algorithm>

#include "core/context.h"
#include "core/status.h"
#include "proto/example.pb.h"

namespace tandem {
namespace {

template <class... Args>
[[noreturn, gnu::cold]] void Throw(int64_t example, const std::string& key, const Args&... args) {
  ThrowError(InvalidArgument("ParseExample: Example ", example, ", feature \"", key, "\": ", args...));
}

const char* KindName(proto::Feature::KindCase kind) {
  switch (kind) {
    case proto::Feature::kBytesList: return "bytes_list";
    case proto::Feature::kFloatList: return "float_list";
    case proto::Feature::kInt64List: return "int64_list";
    default: return "empty";
  }
}

proto::Feature::KindCase KindOf(DType dtype) {
  return dtype == kString ? proto::Feature::kBytesList : dtype == kFloat32 ? proto::Feature::kFloatList : proto::Feature::kInt64List;
}

int Count(const proto::Feature& feature) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList: return feature.bytes_list().value_size();
    case proto::Feature::kFloatList: return feature.float_list().value_size();
    case proto::Feature::kInt64List: return feature.int64_list().value_size();
    default: return 0;
  }
}

// Copies a list's values to element `at` and behind.
void Copy(const proto::Feature& feature, TensorRep& out, int64_t at) {
  switch (feature.kind_case()) {
    case proto::Feature::kBytesList: std::copy(feature.bytes_list().value().begin(), feature.bytes_list().value().end(), out.as<std::string>() + at); break;
    case proto::Feature::kFloatList: std::copy(feature.float_list().value().begin(), feature.float_list().value().end(), out.as<float>() + at); break;
    default: std::copy(feature.int64_list().value().begin(), feature.int64_list().value().end(), out.as<int64_t>() + at);
  }
}

// Elements [at, at + n) from a tensor of one element or of n; zeros where it is undefined.
void FillFrom(const Tensor& value, TensorRep& out, int64_t at, int64_t n) {
  const auto fill = [&]<class T>(T zero) {
    for (int64_t i = 0; i < n; ++i) out.as<T>()[at + i] = value.defined() ? value.rep()->as<T>()[value.size() == 1 ? 0 : i] : zero;
  };
  if (out.dtype == kString) fill(std::string());
  else if (out.dtype == kFloat32) fill(0.f);
  else fill(int64_t{0});
}

void Check(const ExampleFeature& f) {
  const auto fail = [&](const auto&... args) { ThrowError(InvalidArgument("ParseExample: feature \"", f.key, "\": ", args...)); };
  if (f.dtype != kString && f.dtype != kFloat32 && f.dtype != kInt64) fail("dtype is ", Absl(DTypeName(f.dtype)), ", must be float32, int64 or string");
  if (!f.shape.fully_known()) fail("shape ", f.shape.ToString(), " must be known");
  if (!f.default_value.defined()) return;
  if (f.default_value.symbolic() || f.default_value.dtype() != f.dtype) fail("the default is ", Absl(DTypeName(f.default_value.dtype())), ", must be ", Absl(DTypeName(f.dtype)));
  if (f.default_value.size() != 1 && (!f.fixed || !(f.default_value.shape() == f.shape)))
    fail("the default is ", f.default_value.shape().ToString(), ", must have one element", f.fixed ? absl::StrCat(" or be ", f.shape.ToString()) : "");
}

Tensor Allocate(DType dtype, const Shape& shape) {
  const auto count = shape.num_elements();
  TensorRep* rep = count ? NewRep(dtype, shape.dims(), *count) : nullptr;
  if (!rep) ThrowError(absl::ResourceExhaustedError(absl::StrCat("ParseExample: no memory for ", Absl(DTypeName(dtype)), shape.ToString())));
  return Tensor::Adopt(rep);
}

// One feature of all Examples. lists: null where the key is missing.
Tensor Collect(const ExampleFeature& f, const std::vector<const proto::Feature*>& lists, bool batched) {
  const int64_t fixed = f.shape.num_elements().value_or(0);
  int64_t width = f.fixed ? fixed : 0;
  for (size_t i = 0; i < lists.size(); ++i) {
    const auto n = static_cast<int64_t>(i);
    if (!lists[i]) {
      if (f.fixed && !f.default_value.defined()) Throw(n, f.key, "is missing and has no default");
      continue;
    }
    if (lists[i]->kind_case() != KindOf(f.dtype)) Throw(n, f.key, "is a ", KindName(lists[i]->kind_case()), ", ", Absl(DTypeName(f.dtype)), " needs a ", KindName(KindOf(f.dtype)));
    const int64_t count = Count(*lists[i]);
    if (f.fixed && count != fixed) Throw(n, f.key, "has ", count, count == 1 ? " value, " : " values, ", f.shape.ToString(), " needs ", fixed);
    width = std::max(width, count);
  }
  Shape shape;
  if (batched) shape.push_back(static_cast<int64_t>(lists.size()));
  if (!f.fixed) shape.push_back(width);
  else for (const int64_t d : f.shape) shape.push_back(d);
  Tensor out = Allocate(f.dtype, shape);
  for (size_t i = 0; i < lists.size(); ++i) {
    const int64_t count = lists[i] ? Count(*lists[i]) : 0, at = static_cast<int64_t>(i) * width;
    if (lists[i]) Copy(*lists[i], *out.rep(), at);
    if (count < width) FillFrom(f.default_value, *out.rep(), at + count, width - count);
  }
  return out;
}

}  // namespace

Tensors ParseExample(const Tensor& serialized, const std::vector<ExampleFeature>& features) {
  for (const ExampleFeature& f : features) Check(f);
  if (!serialized.defined() || serialized.symbolic() || serialized.dtype() != kString || serialized.rank() > 1)
    ThrowError(InvalidArgument("ParseExample: serialized must be a string scalar or vector with values",
                               serialized.defined() ? absl::StrCat(", is ", Absl(DTypeName(serialized.dtype())), serialized.shape().ToString()) : ""));
  google::protobuf::Arena arena;
  std::vector<std::vector<const proto::Feature*>> lists(features.size());
  int64_t number = 0;
  for (const std::string& bytes : serialized.data<std::string>()) {
    auto* example = google::protobuf::Arena::CreateMessage<proto::Example>(&arena);
    if (bytes.size() > INT32_MAX || !example->ParseFromString(bytes)) ThrowError(InvalidArgument("ParseExample: Example ", number, ": its ", bytes.size(), " bytes are no Example"));
    const auto& found = example->features().feature();
    for (size_t k = 0; k < features.size(); ++k) {
      const auto it = found.find(features[k].key);
      lists[k].push_back(it == found.end() || it->second.kind_case() == proto::Feature::KIND_NOT_SET ? nullptr : &it->second);
    }
    ++number;
  }
  Tensors out;
  for (size_t k = 0; k < features.size(); ++k) out.push_back(Collect(features[k], lists[k], serialized.rank() == 1));
  return out;
}

}  // namespace tandem
