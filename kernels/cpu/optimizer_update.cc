#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/parallel.h"
#include "kernels/cpu/check_indices.h"
#include "kernels/cpu/update_together.h"
#include "kernels/vector/updates.h"

namespace tandem {
namespace {

// ResourceApplyNAME and ResourceSparseApplyNAME: var and slots come first; then scalars, with the gradient (and the
// indices) behind `before_gradient` of them.
struct UpdateOp {
  std::string_view name;
  int before_gradient;
  std::string_view flag;        // the attribute that chooses the rule; "": there is one
  UpdateRule off, on;
};
constexpr UpdateOp kUpdateOps[] = {
    {"AdaMax", 5, "", UpdateRule::kAdaMax, UpdateRule::kAdaMax},
    {"Adadelta", 3, "", UpdateRule::kAdadelta, UpdateRule::kAdadelta},
    {"Adagrad", 1, "update_slots", UpdateRule::kFrozenAdagrad, UpdateRule::kAdagrad},
    {"AdagradV2", 2, "update_slots", UpdateRule::kFrozenAdagradV2, UpdateRule::kAdagradV2},
    {"Adam", 6, "use_nesterov", UpdateRule::kAdam, UpdateRule::kNesterovAdam},
    {"AdamWithAmsgrad", 6, "", UpdateRule::kAdamWithAmsgrad, UpdateRule::kAdamWithAmsgrad},
    {"CenteredRMSProp", 4, "", UpdateRule::kCenteredRMSProp, UpdateRule::kCenteredRMSProp},
    {"Ftrl", 0, "multiply_linear_by_lr", UpdateRule::kFtrl, UpdateRule::kMultipliedFtrl},
    {"FtrlV2", 0, "multiply_linear_by_lr", UpdateRule::kFtrlV2, UpdateRule::kMultipliedFtrlV2},
    {"GradientDescent", 1, "", UpdateRule::kGradientDescent, UpdateRule::kGradientDescent},
    {"KerasMomentum", 1, "use_nesterov", UpdateRule::kKerasMomentum, UpdateRule::kNesterovKerasMomentum},
    {"Momentum", 1, "use_nesterov", UpdateRule::kMomentum, UpdateRule::kNesterovMomentum},
    {"RMSProp", 4, "", UpdateRule::kRMSProp, UpdateRule::kRMSProp},
};
consteval int Row(std::string_view name) {
  int i = 0;
  while (kUpdateOps[i].name != name) ++i;
  return i;
}

constexpr int64_t kGrain = 16 << 10;
constexpr int kMaxVariables = kMaxUpdateSlots + 1;
static_assert(kMaxVariables == kMaxTogether);

struct Scalars {
  alignas(8) char data[kMaxUpdateScalars * sizeof(double)];
  int size = 0;
  void Add(const TensorRep& scalar) {
    const size_t bytes = DTypeSize(scalar.dtype);
    std::memcpy(data + bytes * size++, scalar.data, bytes);
  }
};

absl::StatusOr<VariableStorage*> VariableOf(const KernelCall& call, const TensorRep& handle, const TensorRep& gradient) {
  ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(handle, call.schema.name()));
  if (variable->dtype() != gradient.dtype)
    return call.Error("variable \"", variable->name(), "\" is ", std::string(DTypeName(variable->dtype())), ", the gradient is ", std::string(DTypeName(gradient.dtype)));
  return variable;
}

// One dense step: variables are var and its slots.
absl::Status Step(const KernelCall& call, UpdateFn update, std::span<VariableStorage* const> variables, const TensorRep& gradient, const Scalars& scalars) {
  return UpdateTogether(call, variables, [&](std::span<TensorRep* const> values) -> absl::Status {
    for (size_t i = 0; i < values.size(); ++i)
      if (!values[i]->SameShape(gradient)) [[unlikely]]
        return call.Error("variable \"", variables[i]->name(), "\" is ", DimsToString(values[i]->dims_span()), ", the gradient is ", DimsToString(gradient.dims_span()));
    const auto size = static_cast<int64_t>(DTypeSize(gradient.dtype));
    ParallelFor(gradient.count, kGrain, [&](int64_t begin, int64_t end) {
      void* slots[kMaxUpdateSlots] = {};
      for (size_t i = 1; i < values.size(); ++i) slots[i - 1] = values[i]->as<char>() + begin * size;
      update(values[0]->as<char>() + begin * size, slots, gradient.as<char>() + begin * size, scalars.data, end - begin);
    });
    return absl::OkStatus();
  });
}

// Row i of the gradient steps row indices[i]; duplicates step one after another, in order.
template <class Index>
absl::Status SparseStep(const KernelCall& call, UpdateFn update, std::span<VariableStorage* const> variables, const TensorRep& gradient,
                        const TensorRep& indices, const Scalars& scalars) {
  return UpdateTogether(call, variables, [&](std::span<TensorRep* const> values) -> absl::Status {
    const TensorRep& var = *values[0];
    bool fits = var.rank >= 1 && gradient.rank == var.rank && gradient.dims()[0] == indices.count;
    for (int k = 1; fits && k < var.rank; ++k) fits = var.dims()[k] == gradient.dims()[k];
    for (const TensorRep* value : values) fits &= value->SameShape(var);
    if (!fits)
      return call.Error("variable \"", variables[0]->name(), "\" is ", DimsToString(var.dims_span()), ", the gradient is ", DimsToString(gradient.dims_span()), " for ",
                        indices.count, " indices");
    RETURN_IF_ERROR(CheckIndices<Index>(call, "indices", indices, var.dims()[0]));
    if (gradient.count == 0) return absl::OkStatus();
    const int64_t width = gradient.count / indices.count, bytes = width * static_cast<int64_t>(DTypeSize(gradient.dtype));
    for (int64_t i = 0; i < indices.count; ++i) {
      const int64_t at = indices.as<Index>()[i] * bytes;
      void* slots[kMaxUpdateSlots] = {};
      for (size_t k = 1; k < values.size(); ++k) slots[k - 1] = values[k]->as<char>() + at;
      update(values[0]->as<char>() + at, slots, gradient.as<char>() + i * bytes, scalars.data, width);
    }
    return absl::OkStatus();
  });
}

UpdateRule RuleOf(const KernelCall& call, const UpdateOp& op) {
  return !op.flag.empty() && call.attr<bool>(AttrName(op.flag)) ? op.on : op.off;
}

template <int row, bool kSparse>
absl::Status Update(KernelCall& call) {
  constexpr UpdateOp kOp = kUpdateOps[row];
  constexpr int kVariables = 1 + UpdateSlots(kOp.off), kGradient = kVariables + kOp.before_gradient;
  const TensorRep& gradient = call.input(kGradient);
  VariableStorage* variables[kVariables];
  for (int i = 0; i < kVariables; ++i) {
    ASSIGN_OR_RETURN(variables[i], VariableOf(call, call.input(i), gradient));
  }
  Scalars scalars;
  for (int i = kVariables; i < static_cast<int>(call.inputs.size()); ++i)
    if (i != kGradient && !(kSparse && i == kGradient + 1)) scalars.Add(call.input(i));
  const UpdateFn update = FindUpdate(RuleOf(call, kOp), gradient.dtype);
  if constexpr (kSparse) {
    const TensorRep& indices = call.input(kGradient + 1);
    return indices.dtype == kInt32 ? SparseStep<int32_t>(call, update, variables, gradient, indices, scalars)
                                   : SparseStep<int64_t>(call, update, variables, gradient, indices, scalars);
  } else {
    return Step(call, update, variables, gradient, scalars);
  }
}

const UpdateOp* FindUpdateOp(std::string_view name) {
  constexpr std::string_view kPrefix = "ResourceApply";
  if (!name.starts_with(kPrefix)) return nullptr;
  name.remove_prefix(kPrefix.size());
  const auto* op = std::find_if(std::begin(kUpdateOps), std::end(kUpdateOps), [&](const UpdateOp& o) { return o.name == name; });
  return op == std::end(kUpdateOps) ? nullptr : op;
}

absl::Status FusedUpdate(KernelCall& call) {
  const auto name = call.attr<std::string_view>("op");
  const UpdateOp* op = FindUpdateOp(name);
  if (!op) return call.Error("\"", std::string(name), "\" is no update of an optimizer");
  const UpdateRule rule = call.attr<bool>("flag") ? op->on : op->off;
  const auto n = call.attr<int>("num_updates");
  const int each = 1 + UpdateSlots(rule), handles = n * each, first = handles + UpdateScalars(rule), given = static_cast<int>(call.inputs.size());
  if (given != first + n || call.input(handles - 1).dtype != kResource || call.input(handles).dtype == kResource)
    return call.Error(n, " updates by ", std::string(name), " take ", handles, " handles, ", UpdateScalars(rule), " scalars and ", n, " gradients, not ", given, " arguments");
  Scalars scalars;
  for (int i = handles; i < first; ++i) scalars.Add(call.input(i));
  const UpdateFn update = FindUpdate(rule, call.input(first).dtype);
  int64_t total = 0;
  for (int k = 0; k < n; ++k) total += call.input(first + k).count;

  std::mutex mutex;
  absl::Status failed;
  const auto steps = [&](int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; ++k) {
      const TensorRep& gradient = call.input(first + static_cast<int>(k));
      VariableStorage* variables[kMaxVariables];
      absl::Status status;
      for (int i = 0; i < each && status.ok(); ++i) {
        auto variable = VariableOf(call, call.input(static_cast<int>(k) * each + i), gradient);
        if (variable.ok()) variables[i] = *variable;
        else status = variable.status();
      }
      if (status.ok()) status = Step(call, update, {variables, static_cast<size_t>(each)}, gradient, scalars);
      if (status.ok()) [[likely]] continue;
      const std::lock_guard lock(mutex);
      if (failed.ok()) failed = status;
      return;
    }
  };
  // Large tensors are cut, small ones dealt out.
  if (total / n >= kGrain) steps(0, n);
  else ParallelFor(n, std::max<int64_t>(kGrain * n / std::max<int64_t>(total, 1), 1), steps);
  return failed;
}

template <int row, bool kSparse>
void Set(CpuKernel& k) {
  k.Set({kFloat16, kBFloat16, kFloat32, kFloat64}, Update<row, kSparse>);
}

}  // namespace

#define TANDEM_DENSE_UPDATE(name) \
  void ResourceApply##name##Cpu(CpuKernel& k) { Set<Row(#name), false>(k); }
#define TANDEM_SPARSE_UPDATE(name) \
  void ResourceSparseApply##name##Cpu(CpuKernel& k) { Set<Row(#name), true>(k); }
TANDEM_DENSE_UPDATE(AdaMax)
TANDEM_DENSE_UPDATE(Adadelta)
TANDEM_DENSE_UPDATE(Adagrad)
TANDEM_DENSE_UPDATE(AdagradV2)
TANDEM_DENSE_UPDATE(Adam)
TANDEM_DENSE_UPDATE(AdamWithAmsgrad)
TANDEM_DENSE_UPDATE(CenteredRMSProp)
TANDEM_DENSE_UPDATE(Ftrl)
TANDEM_DENSE_UPDATE(FtrlV2)
TANDEM_DENSE_UPDATE(GradientDescent)
TANDEM_DENSE_UPDATE(KerasMomentum)
TANDEM_DENSE_UPDATE(Momentum)
TANDEM_DENSE_UPDATE(RMSProp)
TANDEM_SPARSE_UPDATE(Adadelta)
TANDEM_SPARSE_UPDATE(Adagrad)
TANDEM_SPARSE_UPDATE(AdagradV2)
TANDEM_SPARSE_UPDATE(CenteredRMSProp)
TANDEM_SPARSE_UPDATE(Ftrl)
TANDEM_SPARSE_UPDATE(FtrlV2)
TANDEM_SPARSE_UPDATE(KerasMomentum)
TANDEM_SPARSE_UPDATE(Momentum)
TANDEM_SPARSE_UPDATE(RMSProp)
#undef TANDEM_DENSE_UPDATE
#undef TANDEM_SPARSE_UPDATE

void FusedResourceApplyCpu(CpuKernel& k) { k.Set({kFloat16, kBFloat16, kFloat32, kFloat64}, FusedUpdate); }

}  // namespace tandem
