#include <algorithm>
#include <cstring>
#include <utility>

#include "core/parallel.h"
#include "core/variable_storage.h"
#include "kernels/cpu/accumulate.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/nd_offsets.h"
#include "kernels/cpu/storage.h"

namespace tandem {
namespace {

// Eagerly an empty shared_name makes a variable of its own: handles, not names, are how eager code shares one.
absl::Status VarHandle(KernelCall& call) {
  const auto make = [&] {
    const auto name = call.attr<std::string_view>("shared_name");
    return RefPtr<ResourceBase>(new VariableStorage(std::string(name), call.attr<DType>("dtype"), call.attr<Shape>("shape")));
  };
  const auto name = call.attr<std::string_view>("shared_name");
  if (call.env->anonymous_variables()) {
    call.SetOutput(0, MakeHandle(make()));
    return absl::OkStatus();
  }
  call.SetOutput(0, MakeHandle(call.env->resources().LookupOrCreate(call.attr<std::string_view>("container"), name, make)));
  return absl::OkStatus();
}

absl::Status ReadVariable(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  ASSIGN_OR_RETURN(Tensor value, variable->Value());
  call.SetOutput(0, std::move(value));
  return absl::OkStatus();
}

absl::Status AssignVariable(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  return variable->Assign(call.owned_input(1));
}

absl::Status IsInitialized(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  *call.output().as<bool>() = variable->initialized();
  return absl::OkStatus();
}

absl::Status CheckDType(const KernelCall& call, const VariableStorage& variable, DType dtype) {
  if (variable.dtype() == dtype) return absl::OkStatus();
  return call.Error("variable \"", variable.name(), "\" is ", std::string(DTypeName(variable.dtype())), ", the value is ", std::string(DTypeName(dtype)));
}

template <Accumulation kind>
absl::Status AssignAccumulate(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  const TensorRep& x = call.input(1);
  RETURN_IF_ERROR(CheckDType(call, *variable, x.dtype));
  const AccumulateFn accumulate = FindAccumulate(kind, x.dtype);
  const auto size = static_cast<int64_t>(DTypeSize(x.dtype));
  return variable->Update([&](Tensor& value) {
    TensorRep& v = *value.rep();
    if (!v.SameShape(x))
      return call.Error("variable \"", variable->name(), "\" is ", DimsToString(v.dims_span()), ", the value is ",
                        DimsToString(x.dims_span()), ": the shapes must be equal");
    ParallelFor(x.count, kAccumulateGrain, [&](int64_t begin, int64_t end) {
      accumulate(v.as<char>() + begin * size, x.as<char>() + begin * size, end - begin);
    });
    return absl::OkStatus();
  });
}

// Slices [batch, index] of the variable as it was when the call began: reading takes a reference, updates then copy.
template <class Index>
absl::Status Gather(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  ASSIGN_OR_RETURN(const Tensor value, variable->Read());
  RETURN_IF_ERROR(CheckDType(call, *variable, call.attr<DType>("dtype")));
  const TensorRep &params = *value.rep(), &indices = call.input(1);
  const int64_t batch_dims = call.attr<int64_t>("batch_dims");
  const auto b = static_cast<int>(batch_dims < 0 ? batch_dims + indices.rank : batch_dims);
  if (b >= params.rank) return call.Error("batch_dims is ", batch_dims, ", must be below the rank of the variable, which is ", DimsToString(params.dims_span()));
  Shape shape;
  int64_t batches = 1, slice = 1;
  for (int i = 0; i < b; ++i) {
    if (params.dims()[i] != indices.dims()[i])
      return call.Error("batch dimensions differ: the variable is ", DimsToString(params.dims_span()), " (dim ", i, " = ", params.dims()[i],
                        "), indices is ", DimsToString(indices.dims_span()), " (dim ", i, " = ", indices.dims()[i], ")");
    shape.push_back(params.dims()[i]);
    batches *= params.dims()[i];
  }
  for (int i = b; i < indices.rank; ++i) shape.push_back(indices.dims()[i]);
  for (int i = b + 1; i < params.rank; ++i) {
    shape.push_back(params.dims()[i]);
    slice *= params.dims()[i];
  }
  const int64_t limit = params.dims()[b];
  RETURN_IF_ERROR(CheckIndices<Index>(call, "indices", indices, limit));
  RETURN_IF_ERROR(call.Allocate(0, shape, params.dtype));
  if (call.output().count == 0) return absl::OkStatus();

  const auto size = static_cast<int64_t>(DTypeSize(params.dtype));
  const int64_t each = indices.count / batches;
  ParallelFor(indices.count, std::max<int64_t>((16 << 10) / slice, 1), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t from = (i / each * limit + indices.as<Index>()[i]) * slice;
      if (size) {
        std::memcpy(call.output().as<char>() + i * slice * size, params.as<char>() + from * size, slice * size);
      } else {
        std::copy_n(params.as<std::string>() + from, slice, call.output().as<std::string>() + i * slice);
      }
    }
  });
  return absl::OkStatus();
}

absl::Status GatherNd(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  ASSIGN_OR_RETURN(const Tensor value, variable->Read());
  RETURN_IF_ERROR(CheckDType(call, *variable, call.attr<DType>("dtype")));
  const TensorRep &params = *value.rep(), &indices = call.input(1);
  const int64_t depth = indices.dims()[indices.rank - 1];
  if (depth > params.rank) return call.Error("indices index ", depth, " axes, but the variable is ", DimsToString(params.dims_span()));
  NdOffsets offsets;
  RETURN_IF_ERROR(offsets.Compute(call, indices, "indices", params.dims_span(), "the variable"));
  Shape shape;
  for (int k = 0; k + 1 < indices.rank; ++k) shape.push_back(indices.dims()[k]);
  for (auto k = static_cast<int>(depth); k < params.rank; ++k) shape.push_back(params.dims()[k]);
  RETURN_IF_ERROR(call.Allocate(0, shape, params.dtype));
  for (int64_t i = 0; i < offsets.size(); ++i)
    CopyElements(params.dtype, ElementAt(params.data, params.dtype, offsets.data()[i] * offsets.slice()),
                 ElementAt(call.output().data, params.dtype, i * offsets.slice()), offsets.slice());
  return absl::OkStatus();
}

template <class Int>
absl::Status VariableShape(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  ASSIGN_OR_RETURN(const Tensor value, variable->Read());
  RETURN_IF_ERROR(call.Allocate(0, {value.rank()}, call.attr<DType>("out_type")));
  for (int k = 0; k < value.rank(); ++k) {
    if (!std::in_range<Int>(value.dim(k))) return call.Error("dimension ", k, " is ", value.dim(k), ", which out_type int32 cannot hold");
    call.output().as<Int>()[k] = static_cast<Int>(value.dim(k));
  }
  return absl::OkStatus();
}

template <class Int>
absl::Status CountUpTo(KernelCall& call) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(call.input(0), call.schema.name()));
  RETURN_IF_ERROR(CheckDType(call, *variable, call.attr<DType>("T")));
  const int64_t limit = call.attr<int64_t>("limit");
  return variable->Update([&](Tensor& value) -> absl::Status {
    if (value.size() != 1) return call.Error("variable \"", variable->name(), "\" must be a scalar, is ", value.shape().ToString());
    Int& count = *value.rep()->as<Int>();
    if (count >= limit) return absl::OutOfRangeError(absl::StrCat("ResourceCountUpTo: variable \"", variable->name(), "\" has reached the limit ", limit));
    *call.output().as<Int>() = count++;
    return absl::OkStatus();
  });
}

absl::Status Destroy(KernelCall& call) {
  const TensorRep& handle = call.input(0);
  ResourceBase* resource = handle.count == 1 ? handle.as<ResourceBase*>()[0] : nullptr;
  if (!resource) return call.Error("the resource handle is empty");
  auto* variable = dynamic_cast<VariableStorage*>(resource);
  const bool killed = variable && variable->Kill("was destroyed");
  const bool erased = call.env->resources().Erase(resource).ok();
  if (killed || erased || call.attr<bool>("ignore_lookup_error")) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("DestroyResourceOp: the ", std::string(resource->kind()),
                                          variable ? absl::StrCat(" \"", variable->name(), "\"") : "", " was destroyed before"));
}

}  // namespace

void VarHandleOpCpu(CpuKernel& k) { k.SetAll(VarHandle); }
void ReadVariableOpCpu(CpuKernel& k) { k.SetAll(ReadVariable); }
void AssignVariableOpCpu(CpuKernel& k) { k.SetAll(AssignVariable); }
void VarIsInitializedOpCpu(CpuKernel& k) { k.SetAll(IsInitialized); }
void DestroyResourceOpCpu(CpuKernel& k) { k.SetAll(Destroy); }
void ResourceGatherCpu(CpuKernel& k) {
  k.Set(kInt32, Gather<int32_t>);
  k.Set(kInt64, Gather<int64_t>);
}
void ResourceGatherNdCpu(CpuKernel& k) { k.SetAll(GatherNd); }
void VariableShapeCpu(CpuKernel& k) {
  k.Set(kInt32, VariableShape<int32_t>);
  k.Set(kInt64, VariableShape<int64_t>);
}
void ResourceCountUpToCpu(CpuKernel& k) {
  k.Set(kInt32, CountUpTo<int32_t>);
  k.Set(kInt64, CountUpTo<int64_t>);
}
void AssignAddVariableOpCpu(CpuKernel& k) {
  for (int d = 0; d < kNumDTypes; ++d)
    if (FindAccumulate(Accumulation::kAdd, static_cast<DType>(d))) k.Set(static_cast<DType>(d), AssignAccumulate<Accumulation::kAdd>);
}
void AssignSubVariableOpCpu(CpuKernel& k) {
  for (int d = 0; d < kNumDTypes; ++d)
    if (FindAccumulate(Accumulation::kSub, static_cast<DType>(d))) k.Set(static_cast<DType>(d), AssignAccumulate<Accumulation::kSub>);
}

}  // namespace tandem
