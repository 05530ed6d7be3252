#include "core/tensor.h"

#include <cmath>
#include <cstring>

#include "core/device_memory.h"
#include "core/kernel.h"
#include "core/status.h"
#include "core/symbolic.h"
#include "core/visit.h"

namespace tandem {
namespace {

Tensor NewChecked(DType dtype, const Shape& shape, size_t n) {
  const auto count = shape.num_elements();
  if (!count || static_cast<size_t>(*count) != n)
    ThrowError(InvalidArgument("Tensor: ", n, " elements do not fill the shape ", shape.ToString()));
  TensorRep* rep = NewRep(dtype, shape.dims(), *count);
  if (!rep) ThrowError(OutOfMemoryError("Tensor", dtype, shape.dims()));
  return Tensor::Adopt(rep);
}

}  // namespace

absl::Status NoValueError(std::string_view op, std::string_view argument, const TensorRep& rep) {
  const auto* graph = static_cast<const SymbolicGraph*>(rep.symbol().graph);
  const std::string name = graph ? graph->TensorName(rep.symbol().node, rep.symbol().output) : "";
  return absl::FailedPreconditionError(
      absl::StrCat(Absl(op), ": ", Absl(argument), " is the symbolic tensor \"", name,
                   "\", which has no value while the graph is built: fetch it with a Session, use Cond or While, or EagerFunc"));
}

Tensor Tensor::FromBytes(DType dtype, const Shape& shape, const void* elements, size_t n) {
  Tensor t = NewChecked(dtype, shape, n);
  if (n) std::memcpy(t.rep_->data, elements, n * DTypeSize(dtype));
  return t;
}

Tensor Tensor::FromDoubles(const Shape& shape, const double* elements, size_t n) {
  Tensor t = NewChecked(kFloat32, shape, n);
  float* out = t.rep_->as<float>();
  for (size_t i = 0; i < n; ++i) out[i] = static_cast<float>(elements[i]);
  return t;
}

Tensor Tensor::FromStrings(const Shape& shape, std::vector<std::string> elements) {
  Tensor t = NewChecked(kString, shape, elements.size());
  for (size_t i = 0; i < elements.size(); ++i) t.rep_->as<std::string>()[i] = std::move(elements[i]);
  return t;
}

void Tensor::ThrowRagged(int depth, int64_t expected, int64_t got) {
  ThrowError(InvalidArgument("Tensor: ragged braces: a list of ", got, " elements at depth ", depth, " beside one of ", expected));
}

void Tensor::ThrowUndefined() const {
  ThrowError(absl::FailedPreconditionError("Tensor: undefined (never assigned, or the gradient of something unconnected)"));
}

int64_t Tensor::dim(int axis) const {
  const TensorRep& rep = *checked();
  if (rep.rank == kUnknownRank) return kUnknownDim;
  if (axis < -rep.rank || axis >= rep.rank)
    ThrowError(InvalidArgument("dim: axis is ", axis, ", must be in [", -int{rep.rank}, ", ", int{rep.rank}, ")"));
  return rep.dims()[axis < 0 ? axis + rep.rank : axis];
}

const void* Tensor::CheckedData(DType want) const {
  const TensorRep& rep = *checked();
  if (rep.symbolic()) ThrowError(NoValueError("data", "this", rep));
  if (rep.dtype != want)
    ThrowError(InvalidArgument("data: the tensor is ", Absl(DTypeName(rep.dtype)), ", asked for ", Absl(DTypeName(want))));
  if (!rep.on_host()) [[unlikely]] return ValueOrThrow(HostElements(rep));
  return rep.data;
}

namespace {

// The tensor on the host, when it has one element.
Tensor OneElement(const Tensor& t, std::string_view what) {
  if (!t.defined()) (void)t.shape();  // throws
  const TensorRep& rep = *t.rep();
  if (rep.symbolic()) ThrowError(NoValueError(what, "this", rep));
  if (rep.count != 1)
    ThrowError(InvalidArgument(Absl(what), ": needs a tensor with one element, is ", Absl(DTypeName(rep.dtype)), rep.shape().ToString()));
  return OnHost(t);
}

// Element i as T. Complex numbers give their real part, as Cast does.
template <class T>
T Element(const TensorRep& rep, int64_t i) {
  T value{};
  const bool numeric = VisitNumeric(rep.dtype, [&]<class E>(E) {
    const E& e = rep.as<E>()[i];
    if constexpr (requires { e.real(); }) value = static_cast<T>(e.real());
    else if constexpr (std::same_as<E, Half> || std::same_as<E, BFloat16>) value = static_cast<T>(static_cast<float>(e));
    else value = static_cast<T>(e);
  });
  if (!numeric) ThrowError(InvalidArgument("item: a ", Absl(DTypeName(rep.dtype)), " is no number"));
  return value;
}

}  // namespace

template <class T>
T Tensor::item() const {
  return Element<T>(*OneElement(*this, "item").rep(), 0);
}

template <>
std::string Tensor::item<std::string>() const {
  const Tensor one = OneElement(*this, "item");
  const TensorRep& rep = *one.rep();
  if (rep.dtype != kString) ThrowError(InvalidArgument("item: the tensor is ", Absl(DTypeName(rep.dtype)), ", asked for string"));
  return rep.as<std::string>()[0];
}

template <class T>
std::vector<T> Tensor::ToVector() const {
  if (checked()->symbolic()) ThrowError(NoValueError("ToVector", "this", *rep_));
  const Tensor host = OnHost(*this);
  const TensorRep& rep = *host.rep();
  std::vector<T> out(static_cast<size_t>(rep.count));
  for (int64_t i = 0; i < rep.count; ++i) out[i] = Element<T>(rep, i);
  return out;
}

#define TANDEM_INSTANTIATE(T)              \
  template T Tensor::item<T>() const;      \
  template std::vector<T> Tensor::ToVector<T>() const;
TANDEM_INSTANTIATE(bool)
TANDEM_INSTANTIATE(int8_t)
TANDEM_INSTANTIATE(int16_t)
TANDEM_INSTANTIATE(int32_t)
TANDEM_INSTANTIATE(int64_t)
TANDEM_INSTANTIATE(uint8_t)
TANDEM_INSTANTIATE(uint16_t)
TANDEM_INSTANTIATE(uint32_t)
TANDEM_INSTANTIATE(uint64_t)
TANDEM_INSTANTIATE(long long)
TANDEM_INSTANTIATE(unsigned long long)
TANDEM_INSTANTIATE(float)
TANDEM_INSTANTIATE(double)
#undef TANDEM_INSTANTIATE

Tensor::operator bool() const {
  if (dtype() == kString) return !OneElement(*this, "condition").rep()->as<std::string>()[0].empty();
  return Element<bool>(*OneElement(*this, "condition").rep(), 0);
}

std::string Tensor::name() const {
  const SymbolicGraph* graph = GraphOf(*this);
  return graph ? graph->TensorName(rep_->symbol().node, rep_->symbol().output) : "";
}

}  // namespace tandem
