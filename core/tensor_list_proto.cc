#include "core/tensor_list_proto.h"

#include "core/tensor_proto.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"

namespace tandem {
namespace {

// What a file may claim: an unset item costs nothing here, but whoever stacks the list pays for it.
constexpr uint64_t kMaxItems = INT32_MAX;

void AppendVarint(uint64_t v, std::string* out) {
  for (; v >= 128; v >>= 7) out->push_back(static_cast<char>(v | 128));
  out->push_back(static_cast<char>(v));
}

bool ReadVarint(std::string_view* in, uint64_t* v) {
  *v = 0;
  for (int shift = 0; shift < 64 && !in->empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(in->front());
    in->remove_prefix(1);
    *v |= static_cast<uint64_t>(byte & 127) << shift;
    if (byte < 128) return true;
  }
  return false;
}

}  // namespace

absl::Status ListToProto(const TensorList& list, proto::VariantTensorDataProto* m, int depth) {
  if (depth > kMaxListDepth) return InvalidArgument("TensorList: lists nested more than ", kMaxListDepth, " deep are not written");
  m->set_type_name(std::string(list.type_name()));
  std::string indices, *metadata = m->mutable_metadata();
  uint64_t unset = 0;
  for (int64_t i = 0; i < list.size(); ++i) {
    const Tensor item = list.item(i);
    if (!item.defined()) {
      ++unset;
      AppendVarint(static_cast<uint64_t>(i), &indices);
    } else {
      RETURN_IF_ERROR(TensorToProtoIn(depth + 1, item, m->add_tensors()));
    }
  }
  AppendVarint(unset, metadata);
  *metadata += indices;
  AppendVarint(static_cast<uint64_t>(list.dtype()), metadata);
  AppendVarint(static_cast<uint64_t>(list.max_num_elements()), metadata);
  proto::TensorShapeProto shape;
  ShapeToProto(list.element_shape(), &shape);
  *metadata += shape.SerializeAsString();
  return absl::OkStatus();
}

absl::StatusOr<TensorList> ListFromProto(const proto::VariantTensorDataProto& m, int depth) {
  if (depth > kMaxListDepth) return InvalidArgument("TensorList: lists nested more than ", kMaxListDepth, " deep are not read");
  const auto bad = [](std::string_view what) { return InvalidArgument("TensorList: ", Absl(what)); };
  std::string_view rest = m.metadata();
  uint64_t unset, number, limit;
  if (!ReadVarint(&rest, &unset) || unset > kMaxItems - static_cast<uint64_t>(m.tensors_size())) return bad("metadata has no sensible number of unset items");
  const auto size = static_cast<int64_t>(unset) + m.tensors_size();
  std::vector<int64_t> indices;
  for (uint64_t k = 0, i; k < unset; ++k) {
    if (!ReadVarint(&rest, &i) || i >= static_cast<uint64_t>(size) || (!indices.empty() && static_cast<int64_t>(i) <= indices.back()))
      return bad("metadata has an index of an unset item that is out of order or out of range");
    indices.push_back(static_cast<int64_t>(i));
  }
  if (!ReadVarint(&rest, &number) || number > kNumDTypes) return bad("metadata has no dtype");
  ASSIGN_OR_RETURN(const DType dtype, DTypeFromProto(static_cast<int>(number)));
  if (!ReadVarint(&rest, &limit)) return bad("metadata has no max_num_elements");
  proto::TensorShapeProto shape_proto;
  if (!shape_proto.ParseFromArray(rest.data(), static_cast<int>(rest.size()))) return bad("metadata does not end in a shape");
  ASSIGN_OR_RETURN(Shape element, ShapeFromProto(shape_proto));
  TensorList list = TensorList(dtype, std::move(element), static_cast<int64_t>(limit)).Resize(size);
  std::vector<TensorList::Change> items;
  size_t next_unset = 0;
  int next = 0;
  for (int64_t i = 0; i < size; ++i) {
    if (next_unset < indices.size() && indices[next_unset] == i) {
      ++next_unset;
      continue;
    }
    ASSIGN_OR_RETURN(Tensor item, TensorFromProtoIn(depth + 1, m.tensors(next++)));
    if (item.dtype() != dtype) return bad(absl::StrCat("item ", i, " is ", std::string(DTypeName(item.dtype())), ", the list holds ", std::string(DTypeName(dtype))));
    if (!list.element_shape().CompatibleWith(item.shape())) return bad(absl::StrCat("item ", i, " is ", item.shape().ToString(), ", element_shape is ", list.element_shape().ToString()));
    items.push_back({i, std::move(item)});
  }
  return list.SetItems(items);
}

}  // namespace tandem
