// Ops that call functions. What a kernel found of its functions stays with the plan's step, so a warm call looks nothing
// up: a loop's iteration costs two calls and what its bodies do.
#include "core/ops/functional.h"

#include "core/function.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

using Instance = std::unique_ptr<FunctionInstance>;

struct Instances : KernelState {
  absl::InlinedVector<Instance, 2> list;  // by position among the op's functions; null: not called yet
};

// The instances that belong to this step; made anew where there is no plan.
class Called {
 public:
  Called(KernelCall& call, size_t count) : call_(call) {
    if (call.plan_state) {
      if (!*call.plan_state) *call.plan_state = std::make_unique<Instances>();
      state_ = static_cast<Instances*>(call.plan_state->get());
    }
    if (state_->list.size() < count) state_->list.resize(count);
  }
  // name(): the FuncAttr, asked for at the first call alone.
  template <class Name>
  absl::StatusOr<FunctionInstance*> Find(size_t i, Name name, Passing passing, size_t num_args, size_t num_results) {
    Instance& instance = state_->list[i];
    if (!instance) {
      const FuncAttr function = name();
      FunctionRunner* runner = call_.env->functions();
      if (!runner) return absl::NotFoundError(absl::StrCat(call_.schema.name(), ": there is no function \"", function.name, "\": no graph's library is at hand"));
      auto found = runner->Find(function, passing);
      if (!found.ok()) return absl::Status(found.status().code(), absl::StrCat(call_.schema.name(), ": ", found.status().message()));
      const auto args = static_cast<size_t>((*found)->num_args()), results = static_cast<size_t>((*found)->num_results());
      if (args != num_args || results != num_results)
        return call_.Error("function \"", function.name, "\" takes ", args, " and gives ", results, " tensors, the op passes ", num_args, " and wants ", num_results);
      instance = *std::move(found);
    }
    return instance.get();
  }

 private:
  KernelCall& call_;
  Instances own_;
  Instances* state_ = &own_;
};

// References to tensors, dropped unless handed on.
class Reps {
 public:
  explicit Reps(size_t n) : reps_(n, nullptr) {}
  ~Reps() {
    for (TensorRep* rep : reps_)
      if (rep) Unref(rep);
  }
  std::span<TensorRep*> span() { return {reps_.data(), reps_.size()}; }
  TensorRep*& operator[](size_t i) { return reps_[i]; }
  void swap(Reps& other) { reps_.swap(other.reps_); }

 private:
  absl::InlinedVector<TensorRep*, 8> reps_;
};

// The dtypes that the op states are what its readers rely on.
absl::Status CheckResults(KernelCall& call, Reps& results, std::span<const DType> dtypes) {
  for (size_t i = 0; i < dtypes.size(); ++i)
    if (results[i]->dtype != dtypes[i])
      return call.Error("the function's result ", i, " is ", std::string(DTypeName(results[i]->dtype)), ", the op says ", std::string(DTypeName(dtypes[i])));
  return absl::OkStatus();
}

void HandOn(KernelCall& call, Reps& results) {
  for (size_t i = 0; i < call.outputs.size(); ++i) call.SetOutput(static_cast<int>(i), Tensor::Adopt(std::exchange(results[i], nullptr)));
}

// Calls function `position` of the op's `count` on the inputs from `first_input` on.
template <class Name>
absl::Status CallOne(KernelCall& call, Name name, size_t position, size_t count, size_t first_input) {
  const size_t n = call.inputs.size() - first_input;
  Called called(call, count);
  ASSIGN_OR_RETURN(FunctionInstance* const instance, called.Find(position, name, Passing::kBorrow, n, call.outputs.size()));
  absl::InlinedVector<TensorRep*, 8> args(call.inputs.begin() + static_cast<ptrdiff_t>(first_input), call.inputs.end());
  Reps results(call.outputs.size());
  RETURN_IF_ERROR(instance->Call(*call.env, {args.data(), n}, results.span()));
  RETURN_IF_ERROR(CheckResults(call, results, call.attr<std::span<const DType>>("Tout")));
  HandOn(call, results);
  return absl::OkStatus();
}

absl::Status RunCall(KernelCall& call) {
  return CallOne(call, [&] { return call.attr<FuncAttr>("f"); }, 0, 1, 0);
}

absl::Status NoTruth(KernelCall& call, const TensorRep& condition) {
  return call.Error("cond is ", std::string(DTypeName(condition.dtype)), "[], which is neither true nor false");
}

absl::Status RunIf(KernelCall& call) {
  bool truth;
  if (!IsTrue(call.input(0), &truth)) return NoTruth(call, call.input(0));
  if (truth) return CallOne(call, [&] { return call.attr<FuncAttr>("then_branch"); }, 0, 2, 1);
  return CallOne(call, [&] { return call.attr<FuncAttr>("else_branch"); }, 1, 2, 1);
}

absl::Status RunCase(KernelCall& call) {
  const auto branches = call.attr<std::span<const FuncAttr>>("branches");
  const int32_t index = *call.input(0).as<int32_t>();
  const size_t chosen = index < 0 || static_cast<size_t>(index) >= branches.size() ? branches.size() - 1 : static_cast<size_t>(index);
  return CallOne(call, [&] { return branches[chosen]; }, chosen, branches.size(), 1);
}

absl::Status RunWhile(KernelCall& call) {
  const size_t n = call.inputs.size();
  Called called(call, 2);
  ASSIGN_OR_RETURN(FunctionInstance* const cond, called.Find(0, [&] { return call.attr<FuncAttr>("cond"); }, Passing::kBorrow, n, 1));
  ASSIGN_OR_RETURN(FunctionInstance* const body, called.Find(1, [&] { return call.attr<FuncAttr>("body"); }, Passing::kTake, n, n));
  Reps vars(n), next(n);
  for (size_t i = 0; i < n; ++i) {
    Ref(call.inputs[i]);
    vars[i] = call.inputs[i];
  }
  for (bool first = true;; first = false) {
    TensorRep* condition = nullptr;
    RETURN_IF_ERROR(cond->Call(*call.env, vars.span(), {&condition, 1}));
    const Tensor held = Tensor::Adopt(condition);
    bool truth;
    if (!IsTrue(*condition, &truth)) return NoTruth(call, *condition);
    if (!truth) break;
    RETURN_IF_ERROR(body->Call(*call.env, vars.span(), next.span()));
    // A body's dtypes do not change from call to call.
    if (first)
      for (size_t i = 0; i < n; ++i)
        if (next[i]->dtype != call.inputs[i]->dtype)
          return call.Error("loop variable ", i, " is ", std::string(DTypeName(call.inputs[i]->dtype)), ", the body gives ", std::string(DTypeName(next[i]->dtype)));
    vars.swap(next);
  }
  HandOn(call, vars);
  return absl::OkStatus();
}

// The nodes of a function's body: whoever runs the body sets the one and reads what the other reads.
absl::Status OutsideOfFunction(KernelCall& call) { return call.Error("runs in the body of a function only"); }

}  // namespace

void PartitionedCallCpu(CpuKernel& k) { k.SetAll(RunCall); }
void StatefulPartitionedCallCpu(CpuKernel& k) { k.SetAll(RunCall); }
void IfCpu(CpuKernel& k) { k.SetAll(RunIf); }
void StatelessIfCpu(CpuKernel& k) { k.SetAll(RunIf); }
void CaseCpu(CpuKernel& k) { k.SetAll(RunCase); }
void StatelessCaseCpu(CpuKernel& k) { k.SetAll(RunCase); }
void WhileCpu(CpuKernel& k) { k.SetAll(RunWhile); }
void StatelessWhileCpu(CpuKernel& k) { k.SetAll(RunWhile); }
void _ArgCpu(CpuKernel& k) { k.SetAll(OutsideOfFunction); }
void _RetvalCpu(CpuKernel& k) { k.SetAll(OutsideOfFunction); }

}  // namespace tandem
