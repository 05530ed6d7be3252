#include "core/context.h"

#include <atomic>

#include "absl/container/inlined_vector.h"
#include "core/executing_eagerly.h"
#include "core/infer.h"
#include "core/variable_storage.h"

namespace tandem {
namespace {

std::atomic<Context*> default_context = nullptr;
Context* placing_context = nullptr;

constexpr size_t kInline = 8;
using Reps = absl::InlinedVector<TensorRep*, kInline>;

[[gnu::cold]] absl::Status UndefinedInput(const OpSchema& schema, size_t i) {
  const std::string name = schema.plain() && i < schema.inputs().size() ? schema.inputs()[i].name : absl::StrCat("input ", i);
  return absl::FailedPreconditionError(absl::StrCat(
      schema.name(), ": ", name, " is an undefined tensor (never assigned, or the gradient of something unconnected)"));
}

// A scalar as a tensor; the error says whose argument it was.
Tensor ScalarToTensor(const OpSchema& schema, size_t i, const Operand& scalar, DType like) {
  try {
    return ToTensor(scalar, like);
  } catch (const Error&) {
    const absl::Status status = StatusFromException(std::current_exception());
    const std::string name = schema.plain() && i < schema.inputs().size() ? schema.inputs()[i].name : absl::StrCat("input ", i);
    ThrowError(absl::Status(status.code(), absl::StrCat(schema.name(), ": ", name, ": ", status.message())));
  }
}

bool IsScalar(const Operand& operand) { return operand.kind() >= Operand::Kind::kInt32; }

// x + 2: the scalar takes the tensor's dtype, and nothing else is in the way of the context.
[[gnu::noinline]] Tensor RunTensorWithScalar(OpId op, const OpSchema& schema, const Operand* in, std::span<const AttrRef> attrs,
                                             Origin origin) {
  const int k = IsScalar(in[1]) ? 1 : 0;
  const Tensor scalar = ScalarToTensor(schema, k, in[k], in[1 - k].rep()->dtype);
  TensorRep* reps[2];
  reps[k] = scalar.rep();
  reps[1 - k] = in[1 - k].rep();
  TensorRep* out = nullptr;
  ThrowIfError(CurrentContext().Dispatch({op, reps, attrs, origin, {}}, {&out, 1}));
  return Tensor::Adopt(out);
}

// Whether this is a call for RunTensorWithScalar: two arguments of one dtype, one of them a tensor.
bool IsTensorWithScalar(const OpSchema& schema, const Operand* in, size_t n) {
  if (n != 2 || IsScalar(in[0]) == IsScalar(in[1])) return false;
  const Operand& tensor = in[IsScalar(in[0])];
  return tensor.kind() == Operand::Kind::kTensor && tensor.rep() && schema.plain() && schema.inputs().size() == 2 &&
         schema.inputs()[0].type_attr >= 0 && schema.inputs()[0].type_attr == schema.inputs()[1].type_attr;
}

// Reads variables and gives scalars a dtype: out of line, so that the hot path holds no vector.
[[gnu::noinline]] Tensor RunPinned(OpId op, std::span<const Operand> inputs, std::span<const AttrRef> attrs, Origin origin,
                                   std::string_view name) {
  const OpSchema& schema = GetOp(op);
  absl::InlinedVector<Tensor, 4> pinned(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!IsScalar(inputs[i])) pinned[i] = ToTensor(inputs[i]);
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!IsScalar(inputs[i])) continue;
    // The dtype of a tensor with the same type attr, or the argument's fixed one.
    DType like = DType::kInvalid;
    if (schema.plain() && i < schema.inputs().size()) {
      const OpArg& arg = schema.inputs()[i];
      like = arg.dtype;
      for (size_t k = 0; k < inputs.size() && k < schema.inputs().size() && arg.type_attr >= 0; ++k)
        if (!IsScalar(inputs[k]) && schema.inputs()[k].type_attr == arg.type_attr) like = pinned[k].dtype();
      // Among scalars only, the widest kind decides: 1 + 2.5 is float32, int64_t{1} + 1 is int64.
      if (like == DType::kInvalid && arg.type_attr >= 0)
        for (size_t k = 0; k < inputs.size() && like != kFloat32; ++k) {
          if (!IsScalar(inputs[k]) || schema.inputs()[k].type_attr != arg.type_attr) continue;
          if (inputs[k].kind() == Operand::Kind::kFloat) like = kFloat32;
          else if (inputs[k].kind() == Operand::Kind::kInt64 && inputs[i].kind() == Operand::Kind::kInt32) like = kInt64;
        }
    }
    pinned[i] = ScalarToTensor(schema, i, inputs[i], like);
  }
  absl::InlinedVector<TensorRep*, 4> reps;
  for (const Tensor& t : pinned) reps.push_back(t.rep());
  for (size_t i = 0; i < reps.size(); ++i)
    if (!reps[i]) ThrowError(UndefinedInput(schema, i));
  TensorRep* out = nullptr;
  ThrowIfError(CurrentContext().Dispatch({op, reps, attrs, origin, name}, {&out, 1}));
  return Tensor::Adopt(out);
}

}  // namespace

void SetDefaultContext(Context* eager) { default_context.store(eager, std::memory_order_relaxed); }
void SetPlacingContext(Context* placing) { placing_context = placing; }
void UsePlacingContext() {
  if (placing_context) default_context.store(placing_context, std::memory_order_release);
}

Context& CurrentContext() {
  Context* c = thread_state.context;
  return c ? *c : *default_context.load(std::memory_order_acquire);
}

bool ExecutingEagerly() { return CurrentContext().executing_eagerly(); }

Tensor Run(OpId op, std::initializer_list<Operand> inputs, std::initializer_list<AttrRef> attrs, Origin origin, std::string_view name) {
  TensorRep* reps[kInline];
  const size_t n = inputs.size();
  const Operand* in = inputs.begin();
  bool plain = n <= kInline;
  for (size_t i = 0; plain && i < n; ++i) {
    reps[i] = in[i].rep();
    plain = in[i].kind() == Operand::Kind::kTensor && reps[i];
  }
  const std::span<const AttrRef> attr_span(attrs.begin(), attrs.size());
  if (!plain) [[unlikely]] {
    if (const OpSchema& schema = GetOp(op); name.empty() && IsTensorWithScalar(schema, in, n))
      return RunTensorWithScalar(op, schema, in, attr_span, origin);
    return RunPinned(op, {in, n}, attr_span, origin, name);
  }
  TensorRep* out = nullptr;
  ThrowIfError(CurrentContext().Dispatch({op, {reps, n}, attr_span, origin, name}, {&out, 1}));
  return Tensor::Adopt(out);
}

absl::StatusOr<int> NumOutputs(const OpSchema& schema, int num_inputs, std::span<const AttrRef> attrs) {
  if (schema.plain()) return static_cast<int>(schema.outputs().size());
  int total = 0;
  for (const OpArg& out : schema.outputs()) {
    const int attr = out.number_attr >= 0 ? out.number_attr : out.type_list_attr;
    if (attr < 0) {
      ++total;
      continue;
    }
    const OpAttr& def = schema.attrs()[attr];
    int64_t length;
    if (def.explicit_index >= 0) {
      if (static_cast<size_t>(def.explicit_index) >= attrs.size()) return InvalidArgument(schema.name(), ": attribute ", def.name, " is missing");
      const AttrRef& value = attrs[def.explicit_index];
      if (value.kind() != def.kind) return InvalidArgument(schema.name(), ": attribute ", def.name, " is of another type");
      length = def.kind == AttrKind::kInt ? value.get<int64_t>() : static_cast<int64_t>(value.get<std::span<const DType>>().size());
    } else {
      int lists = 0, fixed = 0;
      for (const OpArg& in : schema.inputs()) {
        const int a = in.number_attr >= 0 ? in.number_attr : in.type_list_attr;
        if (a < 0) ++fixed;
        else if (schema.attrs()[a].explicit_index >= 0) {
          const AttrRef& value = attrs[schema.attrs()[a].explicit_index];
          fixed += static_cast<int>(value.kind() == AttrKind::kInt ? value.get<int64_t>() : static_cast<int64_t>(value.get<std::span<const DType>>().size()));
        } else ++lists;
      }
      length = lists ? std::max(num_inputs - fixed, 0) / lists : 0;
    }
    // A file may claim any number; this many outputs are refused before anything is allocated for them.
    if (length < 0 || length > (1 << 20)) return InvalidArgument(schema.name(), ": attribute ", def.name, " is ", length, ", must be in [0, 1048576]");
    total += static_cast<int>(length);
  }
  return total;
}

absl::Status DispatchCall(const OpCall& call, std::span<TensorRep*> outputs) {
  for (size_t i = 0; i < call.inputs.size(); ++i)
    if (!call.inputs[i]) return UndefinedInput(GetOp(call.op), i);
  return CurrentContext().Dispatch(call, outputs);
}

Tensors RunMany(OpId op, std::span<const Tensor> inputs, std::initializer_list<AttrRef> attrs, Origin origin, std::string_view name) {
  const std::span<const AttrRef> attr_span(attrs.begin(), attrs.size());
  Reps reps;
  for (const Tensor& t : inputs) reps.push_back(t.rep());
  const int n = ValueOrThrow(NumOutputs(GetOp(op), static_cast<int>(inputs.size()), attr_span));
  Reps out(n, nullptr);
  ThrowIfError(DispatchCall({op, reps, attr_span, origin, name}, {out.data(), out.size()}));
  Tensors result(n);
  for (int i = 0; i < n; ++i) result[i] = Tensor::Adopt(out[i]);
  return result;
}

Tensor RunList(OpId op, std::span<const Tensor> inputs, std::initializer_list<AttrRef> attrs, Origin origin) {
  Reps reps;
  for (const Tensor& t : inputs) reps.push_back(t.rep());
  TensorRep* out = nullptr;
  ThrowIfError(DispatchCall({op, reps, {attrs.begin(), attrs.size()}, origin, {}}, {&out, 1}));
  return Tensor::Adopt(out);
}

}  // namespace tandem
