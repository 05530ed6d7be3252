#include "core/tensor_proto.h"

#include <cstring>

#include "core/device_memory.h"
#include "core/kernel.h"
#include "core/tensor_list_proto.h"
#include "core/visit.h"
#include "proto/tensor.pb.h"
#include "proto/tensor_shape.pb.h"

namespace tandem {
namespace {

std::string NameOf(DType dtype) { return std::string(DTypeName(dtype)); }

// The list that holds elements of T.
template <class T, class Message>
auto* ListOf(Message& m) {
  if constexpr (std::same_as<T, float>) return &m.float_val();
  else if constexpr (std::same_as<T, double>) return &m.double_val();
  else if constexpr (std::same_as<T, int64_t>) return &m.int64_val();
  else if constexpr (std::same_as<T, uint32_t>) return &m.uint32_val();
  else if constexpr (std::same_as<T, uint64_t>) return &m.uint64_val();
  else if constexpr (std::same_as<T, bool>) return &m.bool_val();
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return &m.half_val();
  else if constexpr (std::same_as<T, std::complex<float>>) return &m.scomplex_val();
  else if constexpr (std::same_as<T, std::complex<double>>) return &m.dcomplex_val();
  else return &m.int_val();
}

template <class T>
inline constexpr bool kIsPair = std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;

template <class T>
int64_t ListSize(const proto::TensorProto& m) {
  return ListOf<T>(m)->size() / (kIsPair<T> ? 2 : 1);  // an odd last part is dropped
}

template <class T>
T ListElement(const proto::TensorProto& m, int i) {
  const auto& list = *ListOf<T>(m);
  if constexpr (kIsPair<T>) return T(list.Get(2 * i), list.Get(2 * i + 1));
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return T::FromBits(static_cast<uint16_t>(list.Get(i)));
  else return static_cast<T>(list.Get(i));  // narrower integers wrap
}

template <class T>
void AddElement(T value, proto::TensorProto* m) {
  if constexpr (std::same_as<T, float>) m->add_float_val(value);
  else if constexpr (std::same_as<T, double>) m->add_double_val(value);
  else if constexpr (std::same_as<T, int64_t>) m->add_int64_val(value);
  else if constexpr (std::same_as<T, uint32_t>) m->add_uint32_val(value);
  else if constexpr (std::same_as<T, uint64_t>) m->add_uint64_val(value);
  else if constexpr (std::same_as<T, bool>) m->add_bool_val(value);
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) m->add_half_val(value.bits);
  else if constexpr (std::same_as<T, std::complex<float>>) m->add_scomplex_val(value.real()), m->add_scomplex_val(value.imag());
  else if constexpr (std::same_as<T, std::complex<double>>) m->add_dcomplex_val(value.real()), m->add_dcomplex_val(value.imag());
  else m->add_int_val(value);
}

absl::StatusOr<Tensor> Allocate(DType dtype, const Shape& shape, int64_t count) {
  TensorRep* rep = NewRep(dtype, shape.dims(), count);
  if (!rep) return OutOfMemoryError("tensor", dtype, shape.dims());
  return Tensor::Adopt(rep);
}

absl::Status CheckRepeated(DType dtype, const Shape& shape, int64_t count, int64_t given, int64_t element_bytes) {
  const auto bytes = CheckedMultiply(count, element_bytes);
  if (given >= count || (bytes && *bytes <= kMaxRepeatedBytes)) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat("tensor: ", NameOf(dtype), shape.ToString(), " from ", given,
                                                   " elements, more than the ", kMaxRepeatedBytes, " bytes that repeated elements may take"));
}

absl::StatusOr<Tensor> FromContent(const proto::TensorProto& m, DType dtype, const Shape& shape, int64_t count) {
  const std::string& content = m.tensor_content();
  const auto bytes = CheckedMultiply(count, static_cast<int64_t>(DTypeSize(dtype)));
  if (!bytes || *bytes != static_cast<int64_t>(content.size()))
    return InvalidArgument("tensor: ", NameOf(dtype), shape.ToString(), " needs ", bytes ? std::to_string(*bytes) : "more than 2^63 - 1",
                           " bytes, tensor_content has ", content.size());
  if (dtype == kBool)
    for (char c : content)
      if (c & ~1) return InvalidArgument("tensor: bool", shape.ToString(), " has a byte of value ", static_cast<unsigned char>(c), " in tensor_content");
  ASSIGN_OR_RETURN(Tensor t, Allocate(dtype, shape, count));
  if (*bytes) std::memcpy(t.rep()->data, content.data(), content.size());
  return t;
}

// count lengths as varints, then the bytes of all.
absl::StatusOr<Tensor> StringsFromContent(const proto::TensorProto& m, const Shape& shape, int64_t count) {
  const std::string& content = m.tensor_content();
  const auto bad = [&] { return InvalidArgument("tensor: string", shape.ToString(), ": tensor_content of ", content.size(), " bytes does not hold ", count, " strings"); };
  if (count > static_cast<int64_t>(content.size())) return bad();  // a length takes a byte at least
  std::vector<uint64_t> lengths(count);
  size_t at = 0;
  uint64_t total = 0;
  for (uint64_t& length : lengths) {
    length = 0;
    for (int shift = 0;; shift += 7) {
      if (at == content.size() || shift > 28) return bad();
      const auto byte = static_cast<unsigned char>(content[at++]);
      length |= static_cast<uint64_t>(byte & 127) << shift;
      if (byte < 128) break;
    }
    total += length;
  }
  if (total != content.size() - at) return bad();
  ASSIGN_OR_RETURN(Tensor t, Allocate(kString, shape, count));
  for (int64_t i = 0; i < count; ++i) {
    t.rep()->as<std::string>()[i].assign(content, at, lengths[i]);
    at += lengths[i];
  }
  return t;
}

absl::StatusOr<Tensor> StringsFromList(const proto::TensorProto& m, const Shape& shape, int64_t count) {
  const int64_t given = m.string_val_size();
  const int64_t last = given ? static_cast<int64_t>(m.string_val(static_cast<int>(given) - 1).size()) : 0;
  RETURN_IF_ERROR(CheckRepeated(kString, shape, count, given, sizeof(std::string) + last));
  ASSIGN_OR_RETURN(Tensor t, Allocate(kString, shape, count));
  for (int64_t i = 0; i < count && given; ++i) t.rep()->as<std::string>()[i] = m.string_val(static_cast<int>(std::min(i, given - 1)));
  return t;
}

template <class T>
absl::StatusOr<Tensor> FromList(const proto::TensorProto& m, DType dtype, const Shape& shape, int64_t count) {
  const int64_t given = ListSize<T>(m);
  RETURN_IF_ERROR(CheckRepeated(dtype, shape, count, given, sizeof(T)));
  ASSIGN_OR_RETURN(Tensor t, Allocate(dtype, shape, count));
  T* out = t.rep()->as<T>();
  const int64_t n = std::min(given, count);
  for (int64_t i = 0; i < n; ++i) out[i] = ListElement<T>(m, static_cast<int>(i));
  std::fill(out + n, out + count, n ? out[n - 1] : T{});
  return t;
}

absl::StatusOr<Tensor> VariantsFromList(const proto::TensorProto& m, const Shape& shape, int64_t count, int depth) {
  if (m.variant_val_size() != count)
    return InvalidArgument("tensor: variant", shape.ToString(), " needs ", count, " values, variant_val has ", m.variant_val_size());
  ASSIGN_OR_RETURN(Tensor t, Allocate(kVariant, shape, count));
  for (int64_t i = 0; i < count; ++i) {
    const auto& value = m.variant_val(static_cast<int>(i));
    if (value.type_name() != "tensorflow::TensorList")
      return absl::UnimplementedError(absl::StrCat("tensor: a variant that holds \"", value.type_name(), "\" is not read from a message"));
    ASSIGN_OR_RETURN(TensorList list, ListFromProto(value, depth));
    t.rep()->as<Variant>()[i] = std::make_shared<const TensorList>(std::move(list));
  }
  return t;
}

absl::Status VariantsToList(const TensorRep& rep, proto::TensorProto* m, int depth) {
  for (int64_t i = 0; i < rep.count; ++i) {
    const auto* list = dynamic_cast<const TensorList*>(rep.as<Variant>()[i].get());
    if (!list) return InvalidArgument("tensor: a variant belongs to its process and is not written to a message, unless it holds a TensorList");
    RETURN_IF_ERROR(ListToProto(*list, m->add_variant_val(), depth));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DType> DTypeFromProto(int number) {
  if (number > 0 && number < kNumDTypes) return static_cast<DType>(number);
  if (!proto::DataType_IsValid(number) || number == 0) return InvalidArgument("type number ", number, " is no dtype");
  if (number > 100) return InvalidArgument(proto::DataType_Name(static_cast<proto::DataType>(number)), " is a reference, which is no dtype of a value");
  return absl::UnimplementedError(absl::StrCat(proto::DataType_Name(static_cast<proto::DataType>(number)), " is not among the dtypes here"));
}

absl::StatusOr<Shape> ShapeFromProto(const proto::TensorShapeProto& m) {
  if (m.unknown_rank()) return Shape::Unknown();
  if (m.dim_size() > kMaxRank) return InvalidArgument("a shape of ", m.dim_size(), " dimensions, at most ", kMaxRank, " can be");
  Shape shape;
  for (const auto& dim : m.dim()) {
    if (dim.size() < -1) return InvalidArgument("a shape with dimension ", dim.size(), ", must be at least 0, or -1 for unknown");
    shape.push_back(dim.size());
  }
  return shape;
}

void ShapeToProto(const Shape& shape, proto::TensorShapeProto* m) {
  if (!shape.known_rank()) m->set_unknown_rank(true);
  for (int64_t d : shape.dims()) m->add_dim()->set_size(d);
}

absl::StatusOr<Tensor> TensorFromProto(const proto::TensorProto& m) { return TensorFromProtoIn(0, m); }

absl::StatusOr<Tensor> TensorFromProtoIn(int depth, const proto::TensorProto& m) {
  auto dtype_or = DTypeFromProto(m.dtype());
  if (!dtype_or.ok()) return absl::Status(dtype_or.status().code(), absl::StrCat("tensor: ", dtype_or.status().message()));
  const DType dtype = *dtype_or;
  Shape shape;
  if (!m.tensor_shape().unknown_rank()) {
    auto read = ShapeFromProto(m.tensor_shape());
    if (!read.ok()) return InvalidArgument("tensor: ", read.status().message());
    shape = *std::move(read);
  }
  const auto count = shape.num_elements();
  if (!count) {
    if (!shape.fully_known()) return InvalidArgument("tensor: shape ", shape.ToString(), " has a negative dimension");
    return InvalidArgument("tensor: shape ", shape.ToString(), " has more than 2^63 - 1 elements");
  }
  if (dtype == kVariant) return VariantsFromList(m, shape, *count, depth);
  if (dtype == kResource)
    return absl::UnimplementedError(absl::StrCat("tensor: a ", NameOf(dtype), " belongs to its process and is not read from a message"));
  if (!m.tensor_content().empty()) return dtype == kString ? StringsFromContent(m, shape, *count) : FromContent(m, dtype, shape, *count);
  if (dtype == kString) return StringsFromList(m, shape, *count);
  absl::StatusOr<Tensor> result = absl::UnimplementedError(absl::StrCat("tensor: ", NameOf(dtype), " is not among the dtypes that have values here"));
  VisitNumeric(dtype, [&]<class T>(T) { result = FromList<T>(m, dtype, shape, *count); });
  return result;
}

absl::Status TensorToProto(const Tensor& tensor, proto::TensorProto* m) { return TensorToProtoIn(0, tensor, m); }

absl::Status TensorToProtoIn(int depth, const Tensor& tensor, proto::TensorProto* m) {
  if (!tensor.defined() || tensor.symbolic()) return InvalidArgument("tensor: has no value to write");
  ASSIGN_OR_RETURN(const Tensor host, ToHost(tensor));
  const TensorRep& rep = *host.rep();
  m->set_dtype(static_cast<proto::DataType>(rep.dtype));
  ShapeToProto(rep.shape(), m->mutable_tensor_shape());
  if (rep.dtype == kString) {
    for (int64_t i = 0; i < rep.count; ++i) m->add_string_val(rep.as<std::string>()[i]);
    return absl::OkStatus();
  }
  if (rep.dtype == kVariant) return VariantsToList(rep, m, depth);
  const bool number = VisitNumeric(rep.dtype, [&]<class T>(T) {
    if (rep.count == 0) return;
    const T* data = rep.as<T>();
    // Equal bit for bit: every element is the one before it.
    if (rep.count == 1 || std::memcmp(data, data + 1, (rep.count - 1) * sizeof(T)) == 0) AddElement(data[0], m);
    else m->set_tensor_content(data, rep.count * sizeof(T));
  });
  if (!number) return InvalidArgument("tensor: a ", NameOf(rep.dtype), " belongs to its process and is not written to a message");
  return absl::OkStatus();
}

}  // namespace tandem
