#include "core/ops/functional.h"

#include <algorithm>
#include <complex>

#include "core/context.h"
#include "core/function_gradient.h"
#include "core/infer.h"

namespace tandem {
namespace {

absl::Status CheckOutputShapes(InferContext& c) {
  const auto shapes = c.attr<std::span<const Shape>>("output_shapes");
  if (!shapes.empty() && static_cast<int>(shapes.size()) != c.num_outputs())
    return c.Error("output_shapes has ", shapes.size(), " shapes, there are ", c.num_outputs(), c.num_outputs() == 1 ? " output" : " outputs");
  return absl::OkStatus();
}

// What branches give is known to the library alone, which refines this (graph/function_library.h).
absl::Status InferBranches(InferContext& c) {
  RETURN_IF_ERROR(CheckOutputShapes(c));
  return InferUnknown(c);
}

absl::Status InferCase(InferContext& c) {
  if (c.rank(0) > 0) return c.Error("branch_index must be a scalar, ", c.Describe(0));
  return InferBranches(c);
}

// A loop that changes no shape keeps them; whether it does, the library knows.
absl::Status InferLoop(InferContext& c) {
  RETURN_IF_ERROR(CheckOutputShapes(c));
  for (int i = 0; i < c.num_outputs(); ++i)
    if (c.handle(i)) c.SetHandle(i, *c.handle(i));
  return InferUnknown(c);
}

absl::Status InferArg(InferContext& c) { return InferUnknown(c); }
absl::Status InferRetval(InferContext&) { return absl::OkStatus(); }

constexpr std::string_view kArgs = "Tin:list(type)>=0; Tout:list(type)>=0; ";

OpSchema Call(std::string name, std::string documentation, uint32_t traits) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("args:list(Tin)", "output:list(Tout)", std::string(kArgs) + "f:func; config:string=\"\"; config_proto:string=\"\"; executor_type:string=\"\"")
      .Traits(kAlias | kKernelAllocates | kMayFail | traits)
      .Infer(InferUnknown).Gradient(GradientOfCall);
}
OpSchema Branch(std::string name, std::string documentation, uint32_t traits) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("cond:Tcond, input:list(Tin)", "output:list(Tout)",
                 "Tcond:type; " + std::string(kArgs) + "then_branch:func; else_branch:func; output_shapes:list(shape)=[]")
      .Traits(kAlias | kKernelAllocates | kMayFail | traits)
      .Infer(InferBranches).Gradient(GradientOfCall);
}
OpSchema Choice(std::string name, std::string documentation, uint32_t traits) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("branch_index:int32, input:list(Tin)", "output:list(Tout)",
                 std::string(kArgs) + "branches:list(func)>=1; output_shapes:list(shape)=[]")
      .Traits(kAlias | kKernelAllocates | kMayFail | traits)
      .Infer(InferCase).Gradient(GradientOfCall);
}
OpSchema Loop(std::string name, std::string documentation, uint32_t traits) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("input:list(T)", "output:list(T)", "T:list(type)>=0; cond:func; body:func; output_shapes:list(shape)=[]; parallel_iterations:int=10")
      .Traits(kAlias | kKernelAllocates | kMayFail | traits)
      .Infer(InferLoop).Gradient(GradientOfCall);
}

}  // namespace

OpSchema _ArgSchema() {
  return OpSchema("_Arg", "Argument `index` of the function whose body this node belongs to.")
      .Signature("", "output:T", "T:type; index:int>=0")
      .Traits(kStateful | kAlias).Infer(InferArg).NotDifferentiable("it has no input");
}
OpSchema _RetvalSchema() {
  return OpSchema("_Retval", "Result `index` of the function whose body this node belongs to.")
      .Signature("input:T", "", "T:type; index:int>=0")
      .Traits(kStateful | kAlias).Infer(InferRetval).NotDifferentiable("it has no output");
}
OpSchema PartitionedCallSchema() { return Call("PartitionedCall", "Calls f, a function without state.", 0); }
OpSchema StatefulPartitionedCallSchema() {
  return Call("StatefulPartitionedCall", "Calls f, which may have state and side effects.", kStateful | kSideEffect);
}
OpSchema IfSchema() { return Branch("If", "Calls then_branch or else_branch, which may have state.", kStateful | kSideEffect); }
OpSchema StatelessIfSchema() { return Branch("StatelessIf", "Calls then_branch or else_branch, neither with state.", 0); }
OpSchema CaseSchema() {
  return Choice("Case", "Calls the branch of that index, the last one when there is no such; branches may have state.", kStateful | kSideEffect);
}
OpSchema StatelessCaseSchema() {
  return Choice("StatelessCase", "Calls the branch of that index, the last one when there is no such; none has state.", 0);
}
OpSchema WhileSchema() { return Loop("While", "Calls body as long as cond is true; both may have state.", kStateful | kSideEffect); }
OpSchema StatelessWhileSchema() { return Loop("StatelessWhile", "Calls body as long as cond is true; neither has state.", 0); }

bool IsTrue(const TensorRep& condition, bool* truth) {
  if (condition.rank > 0) {
    *truth = condition.count > 0;
    return true;
  }
  switch (condition.dtype) {
    case kString: *truth = !condition.as<std::string>()->empty(); return true;
    case kResource:
    case kVariant: return false;
    case kBool: *truth = *condition.as<bool>(); return true;
    case kFloat32: *truth = *condition.as<float>() != 0; return true;
    case kFloat64: *truth = *condition.as<double>() != 0; return true;
    case kFloat16: *truth = float(*condition.as<Half>()) != 0; return true;
    case kBFloat16: *truth = float(*condition.as<BFloat16>()) != 0; return true;
    case kComplex64: *truth = *condition.as<std::complex<float>>() != std::complex<float>(); return true;
    case kComplex128: *truth = *condition.as<std::complex<double>>() != std::complex<double>(); return true;
    default: {  // integers: some byte is not zero
      const auto* bytes = condition.as<unsigned char>();
      *truth = std::any_of(bytes, bytes + DTypeSize(condition.dtype), [](unsigned char b) { return b != 0; });
      return true;
    }
  }
}

Tensors CallFunction(const FuncAttr& function, const Tensors& args, const std::vector<DType>& results, bool stateful, Origin origin) {
  const std::string_view none = "";
  return RunMany(stateful ? Op<"StatefulPartitionedCall">() : Op<"PartitionedCall">(), args,
                 {std::span<const DType>(results), function, none, none, none}, origin);
}

}  // namespace tandem
