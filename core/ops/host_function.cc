#include "core/ops/host_function.h"

#include "core/context.h"
#include "core/gradient.h"
#include "core/host_function.h"

namespace tandem {
namespace {

// Runs the function's derivative: a host function of the inputs and of the outputs' gradients.
Tensors EagerPyFuncGradient(const Recorded& op, std::span<const Tensor> dy) {
  Tensors in(op.inputs().begin(), op.inputs().end()), dx(op.num_inputs());
  std::vector<DType> out;
  std::vector<int> position;
  for (int i = 0; i < op.num_inputs(); ++i)
    if (IsDifferentiable(op.input_dtype(i))) {
      position.push_back(i);
      out.push_back(op.input_dtype(i));
    }
  // Outputs without gradients (integers) have a place in the list all the same.
  for (const Tensor& t : dy) in.push_back(t.defined() ? t : Tensor(0));
  if (out.empty()) return dx;
  const std::string token = GradientToken(op.attr<std::string_view>("token"), op.num_inputs());
  Tensors gradients = RunMany(Op<"EagerPyFunc">(), in, {std::string_view(token), false, std::span<const DType>(out)}, op.origin());
  for (size_t k = 0; k < position.size(); ++k) dx[position[k]] = std::move(gradients[k]);
  return dx;
}

Tensors CallNode(const std::string& token, std::string_view name, const Tensors& inputs, const std::vector<DType>& Tout, Origin origin) {
  return RunMany(Op<"EagerPyFunc">(), inputs, {std::string_view(token), false, std::span<const DType>(Tout)}, origin, name);
}

}  // namespace

OpSchema EagerPyFuncSchema() {
  return OpSchema("EagerPyFunc", "Calls a host function, known by its token, on the thread of the Run.")
      .Signature("input:list(Tin)", "output:list(Tout)", "token:string; is_async:bool=false; Tin:list(type)>=0; Tout:list(type)>=0")
      .Traits(kStateful | kKernelAllocates | kMayFail)
      .Infer(InferUnknown).Gradient(EagerPyFuncGradient).GradientReads("input");
}

void RegisterHostFunction(std::string_view name, std::string_view version, HostFunction function) {
  ThrowIfError(AddHostFunction(HostFunctionToken(name, version), std::move(function)));
}

Tensors CallHostFunction(std::string_view name, std::string_view version, const Tensors& inputs, const std::vector<DType>& Tout, Origin origin) {
  return CallNode(HostFunctionToken(name, version), name, inputs, Tout, origin);
}

namespace host_function {

void ThrowArity(size_t given) {
  ThrowError(InvalidArgument("the function cannot be called with ", given, given == 1 ? " tensor" : " tensors"));
}

Tensors Call(std::string_view name, HostFunction function, const Tensors& inputs, const std::vector<DType>& Tout, Origin origin) {
  if (ExecutingEagerly()) {
    Tensors out = function(inputs);
    ThrowIfError(CheckHostResults(name, out, Tout));
    return out;
  }
  auto* owner = dynamic_cast<HostFunctionOwner*>(&CurrentContext().base());
  if (!owner) ThrowError(absl::UnimplementedError("EagerFunc: the current context cannot own functions"));
  return CallNode(ValueOrThrow(owner->OwnHostFunction(name, std::move(function))), name, inputs, Tout, origin);
}

}  // namespace host_function

}  // namespace tandem
