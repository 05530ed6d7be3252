#include "eager/eager_context.h"

#include <algorithm>
#include <cstring>

#include "core/symbolic.h"
#include "eager/eager_call.h"

namespace tandem {
namespace {

// Above this many elements a loop may be worth several threads, so the general path with its kernel is taken.
constexpr int64_t kDenseLimit = 16 << 10;

// One operand is a single element: spread over a tile on the stack it meets the other's elements in the dense function.
// Null when the shape is not the larger operand's, or memory is short: the general path knows.
[[gnu::noinline]] TensorRep* DenseWithScalar(DenseFn dense, const TensorRep& a, const TensorRep& b, DType dtype) {
  constexpr int64_t kTile = 128;  // elements, of at most 8 bytes
  const bool a_is_scalar = a.count == 1 && a.rank <= b.rank;
  const TensorRep &scalar = a_is_scalar ? a : b, &other = a_is_scalar ? b : a;
  if (scalar.count != 1 || scalar.rank > other.rank) return nullptr;
  TensorRep* out = NewRepLike(other, dtype);
  if (!out) return nullptr;
  alignas(64) unsigned char tile[kTile * 8];
  const auto size = static_cast<int64_t>(DTypeSize(scalar.dtype)), out_size = static_cast<int64_t>(DTypeSize(dtype));
  const int64_t step = std::min(other.count, kTile);
  if (size == 4) std::fill_n(reinterpret_cast<uint32_t*>(tile), step, *scalar.as<uint32_t>());
  else if (size == 8) std::fill_n(reinterpret_cast<uint64_t*>(tile), step, *scalar.as<uint64_t>());
  else for (int64_t i = 0; i < step; ++i) std::memcpy(tile + i * size, scalar.data, size);
  for (int64_t i = 0; i < other.count; i += step) {
    const void* part = other.as<unsigned char>() + i * size;
    dense(a_is_scalar ? tile : part, a_is_scalar ? part : tile, out->as<unsigned char>() + i * out_size, std::min(step, other.count - i));
  }
  return out;
}

}  // namespace

EagerContext& DefaultEagerContext() {
  static EagerContext* context = new EagerContext;
  return *context;
}

absl::Status EagerContext::Dispatch(const OpCall& call, std::span<TensorRep*> outputs) {
  const CpuKernel& kernel = GetCpuKernel(call.op);
  if (kernel.dense_inputs != 0 && kernel.dense_inputs == call.inputs.size()) {
    const TensorRep& a = *call.inputs.front();
    const TensorRep& b = *call.inputs.back();
    const DenseFn dense = kernel.dense[static_cast<uint8_t>(a.dtype)];
    if (dense && a.dtype == b.dtype && a.count <= kDenseLimit && b.count <= kDenseLimit && a.on_host() && b.on_host()) {
      const DType dtype = kernel.dense_output == DType::kInvalid ? a.dtype : kernel.dense_output;
      if (a.SameShape(b)) [[likely]] {
        if (TensorRep* out = NewRepLike(a, dtype)) [[likely]] {
          dense(a.data, b.data, out->data, a.count);
          outputs[0] = out;
          return absl::OkStatus();
        }
      } else if (kernel.dense_broadcasts && (a.count == 1 || b.count == 1)) {
        if ((outputs[0] = DenseWithScalar(dense, a, b, dtype))) return absl::OkStatus();
      }
    }
  }
  return DispatchGeneral(call, outputs);
}

absl::Status EagerContext::DispatchGeneral(const OpCall& call, std::span<TensorRep*> outputs) {
  for (const TensorRep* rep : call.inputs)
    if (rep->storage == Storage::kDevice) [[unlikely]] return DispatchPlaced(call, outputs);
  return DispatchHere(call, outputs);
}

absl::Status EagerContext::DispatchHere(const OpCall& call, std::span<TensorRep*> outputs) {
  const OpSchema& schema = GetOp(call.op);
  absl::InlinedVector<InferInput, 4> inputs;
  RETURN_IF_ERROR(EagerInferInputs(call, &inputs));
  InferContext infer(schema, inputs, call.attrs);
  RETURN_IF_ERROR(infer.Run());
  if (outputs.size() != static_cast<size_t>(infer.num_outputs()))
    return absl::InternalError(absl::StrCat(schema.name(), ": has ", infer.num_outputs(), " outputs, the caller expects ", outputs.size()));
  OutputReleaser releaser{outputs};

  if (schema.has(kView)) {
    TensorRep& base = *call.inputs[0];
    const Shape& shape = infer.outputs()[0].shape;
    if (shape == base.shape()) {  // the tensor itself
      Ref(&base);
      outputs[0] = &base;
    } else {
      outputs[0] = NewView(base, base.dtype, shape.dims(), base.count, base.data);
      if (!outputs[0]) return OutOfMemoryError(schema.name(), base.dtype, shape.dims());
    }
    releaser.armed = false;
    return absl::OkStatus();
  }

  const KernelFn kernel = FindKernel(call.op, infer.signature());
  if (!kernel) {
    const int attr = schema.kernel_type_attr();
    return NoKernelError(schema, attr < 0 ? DType::kInvalid : infer.signature().types[attr]);
  }
  if (!schema.has(kKernelAllocates) && !schema.has(kAlias)) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      const InferOutput& out = infer.outputs()[i];
      const auto count = out.shape.num_elements();
      outputs[i] = count ? NewRep(out.dtype, out.shape.dims(), *count) : nullptr;
      if (!outputs[i]) return OutOfMemoryError(schema.name(), out.dtype, out.shape.dims());
    }
  }
  KernelCall run(schema, call.inputs, outputs, call.attrs, &infer.signature(), &EagerKernelEnv());
  if (schema.has(kRandom)) run.node_state = &State(call);
  try {
    RETURN_IF_ERROR(kernel(run));
  } catch (...) {
    return StatusFromException(std::current_exception());
  }
  releaser.armed = false;
  return absl::OkStatus();
}

StateSlot& EagerContext::State(const OpCall& call) {
  std::string key(reinterpret_cast<const char*>(&call.op), sizeof call.op);
  absl::StrAppend(&key, EagerRandomSeeds().epoch(), ";");
  for (const AttrRef& attr : call.attrs) AppendAttrKey(attr, key);
  {
    std::shared_lock lock(mutex_);
    if (const auto it = states_.find(key); it != states_.end()) return *it->second;
  }
  std::unique_lock lock(mutex_);
  auto& slot = states_[key];
  if (!slot) slot = std::make_unique<StateSlot>();
  return *slot;
}

}  // namespace tandem
