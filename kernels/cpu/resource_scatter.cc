#include <algorithm>
#include <type_traits>

#include "core/int_values.h"
#include "core/variable_storage.h"
#include "core/visit.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/nd_offsets.h"
#include "kernels/cpu/storage.h"
#include "kernels/cpu/strided_copy.h"
#include "kernels/cpu/strided_walk.h"

namespace tandem {
namespace {

enum class Combine : uint8_t { kAdd, kSub, kMul, kDiv, kMin, kMax, kUpdate };

// Integers wrap; half types are computed in float32 and rounded once.
template <Combine kind, class T>
T Combined(T a, T b) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) {
    return T(Combined<kind>(static_cast<float>(a), static_cast<float>(b)));
  } else if constexpr (kind == Combine::kMin) {
    return b < a || b != b ? b : a;
  } else if constexpr (kind == Combine::kMax) {
    return a < b || b != b ? b : a;
  } else if constexpr (kind == Combine::kDiv) {
    if constexpr (std::is_signed_v<T> && std::integral<T>)
      if (b == -1) return static_cast<T>(0 - static_cast<std::make_unsigned_t<T>>(a));
    return static_cast<T>(a / b);
  } else {
    using W = typename std::conditional_t<std::integral<T>, std::make_unsigned<T>, std::type_identity<T>>::type;
    // 16-bit operands would be promoted to int, whose product may overflow.
    using U = std::conditional_t<std::integral<T> && sizeof(T) < 4, uint32_t, W>;
    const U u = static_cast<U>(a), v = static_cast<U>(b);
    if constexpr (kind == Combine::kAdd) return static_cast<T>(u + v);
    else if constexpr (kind == Combine::kSub) return static_cast<T>(u - v);
    else return static_cast<T>(u * v);
  }
}

// Rows of `width` elements: row at(i) of out takes row i of x, or the one number *x. In order, so that the result does not
// depend on threads; negative rows are passed over.
template <Combine kind, class T, class At>
void ScatterRows(T* out, const T* x, bool one, int64_t rows, int64_t width, At&& at) {
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = at(i);
    if (row < 0) continue;
    T* to = out + row * width;
    if (one) for (int64_t k = 0; k < width; ++k) to[k] = Combined<kind>(to[k], *x);
    else for (int64_t k = 0; k < width; ++k) to[k] = Combined<kind>(to[k], x[i * width + k]);
  }
}

template <class At>
void CopyRows(DType dtype, void* out, const void* x, bool one, int64_t rows, int64_t width, At&& at) {
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t row = at(i);
    if (row < 0) continue;
    void* to = ElementAt(out, dtype, row * width);
    if (one) FillElements(dtype, x, to, width);
    else CopyElements(dtype, ElementAt(x, dtype, i * width), to, width);
  }
}

absl::StatusOr<VariableStorage*> VariableOf(const KernelCall& call, DType dtype) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  if (variable->dtype() == dtype) return variable;
  return call.Error("variable \"", variable->name(), "\" is ", std::string(DTypeName(variable->dtype())), ", the value is ", std::string(DTypeName(dtype)));
}

template <class T>
absl::Status CheckDivisors(const KernelCall& call, const TensorRep& updates) {
  if constexpr (std::integral<T>)
    for (int64_t i = 0; i < updates.count; ++i)
      if (updates.as<T>()[i] == 0) return call.Error("updates", Position(updates.dims_span(), i), " = 0: division by zero");
  return absl::OkStatus();
}

// T is void where elements are only moved.
template <Combine kind, class T>
absl::Status Scatter(KernelCall& call) {
  const TensorRep &indices = call.input(1), &updates = call.input(2);
  ASSIGN_OR_RETURN(VariableStorage * variable, VariableOf(call, updates.dtype));
  return variable->Update([&](Tensor& value) -> absl::Status {
    TensorRep& v = *value.rep();
    if (v.rank == 0) return call.Error("the variable is a scalar, needs rank 1 or more");
    Shape want = indices.shape();
    int64_t width = 1;
    for (int i = 1; i < v.rank; ++i) {
      want.push_back(v.dims()[i]);
      width *= v.dims()[i];
    }
    const bool one = updates.rank == 0;
    if (!one && want != updates.shape())
      return call.Error("updates must be ", want.ToString(), " (indices' shape, then the variable's but dim 0), is ", DimsToString(updates.dims_span()));
    RETURN_IF_ERROR(indices.dtype == kInt32 ? CheckIndices<int32_t>(call, "indices", indices, v.dims()[0])
                                            : CheckIndices<int64_t>(call, "indices", indices, v.dims()[0]));
    const auto at = [&](int64_t i) { return IntValue(indices, i); };
    if constexpr (kind == Combine::kUpdate) {
      CopyRows(v.dtype, v.data, updates.data, one, indices.count, width, at);
    } else {
      if constexpr (kind == Combine::kDiv) RETURN_IF_ERROR(CheckDivisors<T>(call, updates));
      ScatterRows<kind>(v.as<T>(), updates.as<T>(), one, indices.count, width, at);
    }
    return absl::OkStatus();
  });
}

template <Combine kind, class T>
absl::Status ScatterNd(KernelCall& call) {
  const TensorRep &indices = call.input(1), &updates = call.input(2);
  ASSIGN_OR_RETURN(VariableStorage * variable, VariableOf(call, updates.dtype));
  return variable->Update([&](Tensor& value) -> absl::Status {
    TensorRep& v = *value.rep();
    const int64_t depth = indices.dims()[indices.rank - 1];
    Shape want;
    for (int k = 0; k + 1 < indices.rank; ++k) want.push_back(indices.dims()[k]);
    for (auto k = static_cast<int>(depth); k < v.rank; ++k) want.push_back(v.dims()[k]);
    if (depth > v.rank || want != updates.shape())
      return call.Error("updates is ", DimsToString(updates.dims_span()), ": indices is ", DimsToString(indices.dims_span()), ", the variable is ", DimsToString(v.dims_span()));
    NdOffsets offsets;
    RETURN_IF_ERROR(offsets.Compute(call, indices, "indices", v.dims_span(), "the variable"));
    const auto at = [&](int64_t i) { return offsets.data()[i]; };
    if constexpr (kind == Combine::kUpdate) CopyRows(v.dtype, v.data, updates.data, false, offsets.size(), offsets.slice(), at);
    else ScatterRows<kind>(v.as<T>(), updates.as<T>(), false, offsets.size(), offsets.slice(), at);
    return absl::OkStatus();
  });
}

absl::Status StridedSliceAssign(KernelCall& call) {
  const TensorRep& x = call.input(4);
  ASSIGN_OR_RETURN(VariableStorage * variable, VariableOf(call, x.dtype));
  return variable->Update([&](Tensor& value) -> absl::Status {
    TensorRep& v = *value.rep();
    const IntVector begin = IntValues(call.input(1)), end = IntValues(call.input(2)), strides = IntValues(call.input(3));
    if (begin.size() != end.size() || begin.size() != strides.size()) return call.Error("begin, end and strides differ in length: ", begin.size(), ", ", end.size(), ", ", strides.size());
    ASSIGN_OR_RETURN(const StridedSliceSpec spec,
                     DecodeStridedSlice(call.schema.name(), value.shape(), static_cast<int64_t>(begin.size()), begin.data(), end.data(), strides.data(), MasksOf(call)));
    if (spec.output != x.shape()) return call.Error("value is ", DimsToString(x.dims_span()), ", must be ", spec.output.ToString(), ", the slice of ", value.shape().ToString());
    if (x.count == 0) return absl::OkStatus();
    const StridedWalk walk(v.dims_span(), spec);
    CopyStrided(v.dtype, spec.size, x.data, DenseStrides(spec.size), ElementAt(v.data, v.dtype, walk.offset), walk.strides);
    return absl::OkStatus();
  });
}

// The arithmetic kernels of one kind, by dtype. Complex numbers have no order.
template <Combine kind, bool kNd>
void SetScatter(CpuKernel& k) {
  for (int d = 1; d < kNumDTypes; ++d)
    VisitNumeric(static_cast<DType>(d), [&]<class T>(T) {
      constexpr bool kComplex = requires { typename T::value_type; }, kOrders = kind == Combine::kMin || kind == Combine::kMax;
      if constexpr (!std::same_as<T, bool> && !(kComplex && kOrders)) k.Set(DTypeOf<T>(), kNd ? ScatterNd<kind, T> : Scatter<kind, T>);
    });
}

}  // namespace

void ResourceScatterAddCpu(CpuKernel& k) { SetScatter<Combine::kAdd, false>(k); }
void ResourceScatterSubCpu(CpuKernel& k) { SetScatter<Combine::kSub, false>(k); }
void ResourceScatterMulCpu(CpuKernel& k) { SetScatter<Combine::kMul, false>(k); }
void ResourceScatterDivCpu(CpuKernel& k) { SetScatter<Combine::kDiv, false>(k); }
void ResourceScatterMinCpu(CpuKernel& k) { SetScatter<Combine::kMin, false>(k); }
void ResourceScatterMaxCpu(CpuKernel& k) { SetScatter<Combine::kMax, false>(k); }
void ResourceScatterUpdateCpu(CpuKernel& k) { k.SetAll(Scatter<Combine::kUpdate, void>); }
void ResourceScatterNdAddCpu(CpuKernel& k) { SetScatter<Combine::kAdd, true>(k); }
void ResourceScatterNdSubCpu(CpuKernel& k) { SetScatter<Combine::kSub, true>(k); }
void ResourceScatterNdMinCpu(CpuKernel& k) { SetScatter<Combine::kMin, true>(k); }
void ResourceScatterNdMaxCpu(CpuKernel& k) { SetScatter<Combine::kMax, true>(k); }
void ResourceScatterNdUpdateCpu(CpuKernel& k) { k.SetAll(ScatterNd<Combine::kUpdate, void>); }
void ResourceStridedSliceAssignCpu(CpuKernel& k) { k.SetAll(StridedSliceAssign); }

}  // namespace tandem
