// What a kernel sees, and the table of CPU kernels.
//
//   absl::Status Fill(KernelCall& call) { … call.input(0) … call.output(0)->as<float>() … }
//   void FillCpu(CpuKernel& k) { k.SetAll(Fill); }
//
// A kernel runs only after inference succeeded on the concrete shapes: it trusts shapes, and checks what depends on
// values. Outputs are allocated before it runs, except for ops with the traits kKernelAllocates and kAlias.
#pragma once
#include <atomic>
#include <functional>
#include <memory>

#include "core/infer.h"

namespace tandem {

class KernelState {
 public:
  virtual ~KernelState() = default;
};

// State that belongs to one graph node in one Session (a random op's counter), or eagerly to one op with its
// attributes. Made at the first use, by whoever comes first; the state itself must be safe to share.
class StateSlot {
 public:
  StateSlot() = default;
  StateSlot(const StateSlot&) = delete;
  ~StateSlot() { delete state_.load(std::memory_order_acquire); }
  template <class T, class... Args>
  T& Get(Args&&... args) {
    if (KernelState* s = state_.load(std::memory_order_acquire)) return static_cast<T&>(*s);
    auto made = std::make_unique<T>(std::forward<Args>(args)...);
    KernelState* expected = nullptr;
    if (state_.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
    return static_cast<T&>(*expected);
  }

 private:
  std::atomic<KernelState*> state_ = nullptr;
};

class FunctionRunner;
class ResourceManager;

// Where a kernel runs: the process (eagerly) or a Session's Run.
class KernelEnv {
 public:
  virtual ~KernelEnv() = default;
  virtual ResourceManager& resources() = 0;               // named variables
  // Whether VarHandleOp makes a new variable each time, as eagerly, rather than look shared_name up.
  virtual bool anonymous_variables() const { return false; }
  virtual bool cancelled() const { return false; }        // long kernels ask now and then and return CANCELLED
  // Runs a host function by its token with tensors in, tensors out (EagerPyFunc). NOT_FOUND when unknown.
  virtual absl::Status CallHostFunction(std::string_view token, std::span<const Tensor> inputs, Tensors* outputs) = 0;
  // Runs functions of the graph's library, for ops that have functions as attributes (core/function.h); null where there
  // is no library.
  virtual FunctionRunner* functions() { return nullptr; }
};

class KernelCall {
 public:
  KernelCall(const OpSchema& schema, std::span<TensorRep* const> inputs, std::span<TensorRep*> outputs,
             std::span<const AttrRef> attrs, const CallSignature* signature, KernelEnv* env)
      : schema(schema), inputs(inputs), outputs(outputs), attrs(attrs), signature(signature), env(env) {}

  const OpSchema& schema;
  std::span<TensorRep* const> inputs;
  std::span<TensorRep*> outputs;  // owned by the caller; null where the kernel makes them
  std::span<const AttrRef> attrs;
  const CallSignature* signature;
  KernelEnv* env;
  StateSlot* node_state = nullptr;                       // for random ops
  std::unique_ptr<KernelState>* plan_state = nullptr;    // of one frame of a plan: prepared primitives; null eagerly
  uint64_t dying_inputs = 0;  // bit i: whoever calls drops input i after the call

  // Whether input i may be overwritten, or handed on, as if it were the kernel's own: nobody else will see it.
  bool may_reuse(int i) const { return i < 64 && (dying_inputs >> i & 1) && IsSoleOwner(*inputs[i]); }
  const TensorRep& input(int i) const { return *inputs[i]; }
  // Input i as a tensor that may outlive the Run: what lies in an executor's arena is copied. Null (undefined) when
  // there is no memory for it.
  Tensor owned_input(int i) const;
  TensorRep& output(int i = 0) const { return *outputs[i]; }
  template <class T>
  T attr(AttrName name) const {
    const int i = schema.FindAttr(name.hash);
    const OpAttr& def = schema.attrs()[i];
    if (def.explicit_index >= 0) return attrs[def.explicit_index].template get<T>();
    if constexpr (std::same_as<T, DType>) return signature->types[i];
    else if constexpr (std::same_as<T, int64_t> || std::same_as<T, int>) return signature->numbers[i];
    else return T{};
  }
  // Makes output i, for ops whose kernel does. RESOURCE_EXHAUSTED names op, dtype, shape and bytes.
  absl::Status Allocate(int i, const Shape& shape, DType dtype);
  // Output i is this tensor.
  void SetOutput(int i, Tensor tensor) {
    if (outputs[i]) Unref(outputs[i]);
    outputs[i] = tensor.release();
  }
  template <class... Args>
  [[gnu::cold]] absl::Status Error(const Args&... args) const {
    return InvalidArgument(schema.name(), ": ", args...);
  }
};

using KernelFn = absl::Status (*)(KernelCall&);
// The bare computation of an elementwise op of one or two inputs that cannot fail, on n contiguous elements each: what
// the eager same-shape path and the executor call directly for small tensors. The output may be an input; b is unused by
// functions of one input.
using DenseFn = void (*)(const void* a, const void* b, void* output, int64_t n);

// The kernels of one op, by the dtype of its kernel type attr (kInvalid's row when it has none).
struct CpuKernel {
  KernelFn by_type[kNumDTypes] = {};
  DenseFn dense[kNumDTypes] = {};
  uint8_t dense_inputs = 0;              // of the dense functions: 1 or 2
  bool dense_broadcasts = false;         // the op broadcasts: one element may meet many (gradient ops refuse that)
  DType dense_output = DType::kInvalid;  // of the dense functions; kInvalid: the inputs' dtype (comparisons: bool)

  // For fused loops: the function of kernels/vector (its VecOp) and the dtypes for which the op is that function and
  // nothing else; -1: it never joins a loop.
  int16_t loop_op = -1;
  uint32_t loop_types = 0;  // bit per DType

  bool fusable(DType dtype) const { return loop_types >> static_cast<int>(dtype) & 1; }
  KernelFn find(DType dtype) const { return by_type[static_cast<uint8_t>(dtype)]; }
  void Set(DType dtype, KernelFn fn, DenseFn dense_fn = nullptr) {
    by_type[static_cast<uint8_t>(dtype)] = fn;
    dense[static_cast<uint8_t>(dtype)] = dense_fn;
  }
  void Set(std::initializer_list<DType> dtypes, KernelFn fn) {
    for (DType d : dtypes) Set(d, fn);
  }
  void SetAll(KernelFn fn) {
    for (KernelFn& f : by_type) f = fn;
  }
};

// The table, filled by tandem.cc (built-in ops) and AddKernel (ops registered at run time). Built at first use, op by op.
const CpuKernel& GetCpuKernel(OpId op);
// Null when the op has no kernel for this call's dtype; UNIMPLEMENTED is the caller's to say (NoKernelError).
KernelFn FindKernel(OpId op, const CallSignature& signature);
[[gnu::cold]] absl::Status NoKernelError(const OpSchema& schema, DType dtype);
absl::Status AddKernel(OpId op, const CpuKernel& kernel);

// Wiring (tandem.cc): fills row `op` of the table.
using KernelProvider = void (*)(OpId op, CpuKernel& kernel);
void SetKernelProvider(KernelProvider provider);

// RESOURCE_EXHAUSTED: "AddV2: float32[2,1,2500000000] needs 20000000000 bytes, more than can be had".
[[gnu::cold]] absl::Status OutOfMemoryError(std::string_view op, DType dtype, std::span<const int64_t> dims);

}  // namespace tandem
