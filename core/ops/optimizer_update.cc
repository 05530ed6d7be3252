// The steps of optimizers as ops on variables. Each updates var and its slots in one go; kernels/vector/updates.inc has the
// formulas.
#include "core/infer.h"
#include "core/op.h"

namespace tandem {
namespace {

constexpr char kT[] = "T:type{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}";

absl::Status CheckVariable(const InferContext& c, int i, DType dtype) {
  if (c.rank(i) > 0) return c.Error(c.InputName(i), " must be a scalar handle, is ", c.input(i).ToString());
  if (c.handle(i) && c.handle(i)->dtype != dtype)
    return c.Error(c.InputName(i), " is a variable of ", std::string(DTypeName(c.handle(i)->dtype)), ", the gradient is ", std::string(DTypeName(dtype)));
  return absl::OkStatus();
}

// Gradient g, [R, D...] against a variable of [V, D...]: one row for each of the R indices.
absl::Status CheckRows(const InferContext& c, int g, int variable, const Shape& shape) {
  const Shape gradient = c.input(g);
  if (!shape.known_rank() || !gradient.known_rank()) return absl::OkStatus();
  if (shape.rank() == 0) return c.Error(c.InputName(variable), " is a scalar variable, needs rank 1 or more");
  Shape want = {c.rank(g + 1) < 0 ? kUnknownDim : c.dim(g + 1, 0)};
  for (int k = 1; k < shape.rank(); ++k) want.push_back(shape[k]);
  if (!want.CompatibleWith(gradient))
    return c.Error(c.Describe(g), ", must be ", want.ToString(), ": ", c.Describe(g + 1), ", ", c.InputName(variable), " is a variable of ", shape.ToString());
  return absl::OkStatus();
}

absl::Status InferUpdate(InferContext& c) {
  const auto& args = c.schema().inputs();
  int g = 0;
  while (args[g].name != "grad" && args[g].name != "delta") ++g;
  const bool sparse = c.schema().name().starts_with("ResourceSparse");
  if (sparse) RETURN_IF_ERROR(c.InputOfRank(g + 1, 1).status());
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (c.dtype(i) == kResource) {
      RETURN_IF_ERROR(CheckVariable(c, i, c.dtype(g)));
      if (!c.handle(i)) continue;
      const Shape& shape = c.handle(i)->shape;
      if (sparse) RETURN_IF_ERROR(CheckRows(c, g, i, shape));
      else if (!shape.CompatibleWith(c.input(g))) return c.Error(c.InputName(i), " is a variable of ", shape.ToString(), ", ", c.Describe(g));
    } else if (i != g && !(sparse && i == g + 1)) {
      RETURN_IF_ERROR(c.InputOfRank(i, 0).status());
    }
  }
  return absl::OkStatus();
}

// args: each variable's handles (var, then its slots), the scalars, the gradients.
absl::Status InferFused(InferContext& c) {
  const DType dtype = c.attr<DType>("T");
  const auto n = c.attr<int64_t>("num_updates");
  int handles = 0;
  while (handles < c.num_inputs() && c.dtype(handles) == kResource) ++handles;
  const int64_t first = c.num_inputs() - n;
  if (handles == 0 || handles % n != 0 || first < handles) return c.Error(handles, " handles and ", c.num_inputs() - handles, " other arguments for ", n, " updates");
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (i < handles) {
      const auto g = static_cast<int>(first + i / (handles / n));
      RETURN_IF_ERROR(CheckVariable(c, i, dtype));
      if (c.handle(i) && !c.handle(i)->shape.CompatibleWith(c.input(g)))
        return c.Error(c.InputName(i), " is a variable of ", c.handle(i)->shape.ToString(), ", ", c.Describe(g));
      continue;
    }
    if (c.dtype(i) != dtype) return c.Error(c.InputName(i), " is ", std::string(DTypeName(c.dtype(i))), ", must be ", std::string(DTypeName(dtype)));
    if (i < first) RETURN_IF_ERROR(c.InputOfRank(i, 0).status());
  }
  return absl::OkStatus();
}

OpSchema Update(std::string name, std::string documentation, std::string_view inputs, std::string_view flag) {
  const bool sparse = name.starts_with("ResourceSparse");
  return OpSchema(std::move(name), std::move(documentation))
      .Signature(inputs, "", absl::StrCat(kT, sparse ? "; Tindices:type{int32,int64}" : "", "; use_locking:bool=false", Absl(flag)))
      .Traits(kStateful | kSideEffect | (sparse ? uint32_t{kMayFail} : 0u))
      .KernelType("T")
      .Infer(InferUpdate).NotDifferentiable("an assignment has no output");
}

}  // namespace

OpSchema FusedResourceApplySchema() {
  return OpSchema("FusedResourceApply",
                  "num_updates updates by one ResourceApply* op, `op`, with the same scalars, in one call. args: the handles of var and slots of the first "
                  "update, of the second, …; the scalars in the op's order; the gradients. flag is the op's own (use_nesterov, update_slots, "
                  "multiply_linear_by_lr).")
      .Signature("args:list(Targs)", "", "Targs:list(type)>=2; T:type{bfloat16,half,float,double}; num_updates:int>=1; op:string; flag:bool=false")
      .Traits(kStateful | kSideEffect)
      .KernelType("T")
      .Infer(InferFused).NotDifferentiable("made by a pass or an optimizer, after differentiation");
}
OpSchema ResourceApplyAdaMaxSchema() {
  return Update("ResourceApplyAdaMax", "AdaMax: m and v are the gradient's running mean and largest magnitude; the variable moves by lr / (1 - beta1^t) * m / (v + epsilon).",
                "var:resource, m:resource, v:resource, beta1_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "");
}
OpSchema ResourceApplyAdadeltaSchema() {
  return Update("ResourceApplyAdadelta", "Adadelta: steps are scaled by the ratio of the running means of squared updates and squared gradients.",
                "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T", "");
}
OpSchema ResourceSparseApplyAdadeltaSchema() {
  return Update("ResourceSparseApplyAdadelta", "Adadelta: steps are scaled by the ratio of the running means of squared updates and squared gradients. Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, accum_update:resource, lr:T, rho:T, epsilon:T, grad:T, indices:Tindices", "");
}
OpSchema ResourceApplyAdagradSchema() {
  return Update("ResourceApplyAdagrad", "Adagrad: accum sums up squared gradients (unless update_slots is false); the variable moves by lr * grad / sqrt(accum).",
                "var:resource, accum:resource, lr:T, grad:T", "; update_slots:bool=true");
}
OpSchema ResourceSparseApplyAdagradSchema() {
  return Update("ResourceSparseApplyAdagrad", "Adagrad: accum sums up squared gradients (unless update_slots is false); the variable moves by lr * grad / sqrt(accum). Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, lr:T, grad:T, indices:Tindices", "; update_slots:bool=true");
}
OpSchema ResourceApplyAdagradV2Schema() {
  return Update("ResourceApplyAdagradV2", "Adagrad with epsilon: the variable moves by lr * grad / (sqrt(accum) + epsilon).",
                "var:resource, accum:resource, lr:T, epsilon:T, grad:T", "; update_slots:bool=true");
}
OpSchema ResourceSparseApplyAdagradV2Schema() {
  return Update("ResourceSparseApplyAdagradV2", "Adagrad with epsilon: the variable moves by lr * grad / (sqrt(accum) + epsilon). Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, lr:T, epsilon:T, grad:T, indices:Tindices", "; update_slots:bool=true");
}
OpSchema ResourceApplyAdamSchema() {
  return Update("ResourceApplyAdam", "Adam: m and v are running means of the gradient and its square; the variable moves by alpha * m / (sqrt(v) + epsilon), alpha = lr * sqrt(1 - beta2^t) / (1 - beta1^t).",
                "var:resource, m:resource, v:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "; use_nesterov:bool=false");
}
OpSchema ResourceApplyAdamWithAmsgradSchema() {
  return Update("ResourceApplyAdamWithAmsgrad", "Adam with the largest v so far, vhat, in place of v.",
                "var:resource, m:resource, v:resource, vhat:resource, beta1_power:T, beta2_power:T, lr:T, beta1:T, beta2:T, epsilon:T, grad:T", "");
}
OpSchema ResourceApplyCenteredRMSPropSchema() {
  return Update("ResourceApplyCenteredRMSProp", "RMSProp with the variance of the gradient, ms - mg^2, in place of its mean square.",
                "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T", "");
}
OpSchema ResourceSparseApplyCenteredRMSPropSchema() {
  return Update("ResourceSparseApplyCenteredRMSProp", "RMSProp with the variance of the gradient, ms - mg^2, in place of its mean square. Row i of grad updates row indices[i] alone.",
                "var:resource, mg:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices", "");
}
OpSchema ResourceApplyFtrlSchema() {
  return Update("ResourceApplyFtrl", "Follow the regularised leader, with penalties l1 and l2.",
                "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, lr_power:T", "; multiply_linear_by_lr:bool=false");
}
OpSchema ResourceSparseApplyFtrlSchema() {
  return Update("ResourceSparseApplyFtrl", "Follow the regularised leader, with penalties l1 and l2. Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, lr_power:T", "; multiply_linear_by_lr:bool=false");
}
OpSchema ResourceApplyFtrlV2Schema() {
  return Update("ResourceApplyFtrlV2", "Follow the regularised leader, with penalties l1, l2 and l2_shrinkage.",
                "var:resource, accum:resource, linear:resource, grad:T, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T", "; multiply_linear_by_lr:bool=false");
}
OpSchema ResourceSparseApplyFtrlV2Schema() {
  return Update("ResourceSparseApplyFtrlV2", "Follow the regularised leader, with penalties l1, l2 and l2_shrinkage. Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, linear:resource, grad:T, indices:Tindices, lr:T, l1:T, l2:T, l2_shrinkage:T, lr_power:T", "; multiply_linear_by_lr:bool=false");
}
OpSchema ResourceApplyGradientDescentSchema() {
  return Update("ResourceApplyGradientDescent", "Gradient descent: the variable moves by alpha * delta.",
                "var:resource, alpha:T, delta:T", "");
}
OpSchema ResourceApplyKerasMomentumSchema() {
  return Update("ResourceApplyKerasMomentum", "Momentum as Keras has it: accum = accum * momentum - lr * grad is added to the variable; Nesterov's form looks ahead.",
                "var:resource, accum:resource, lr:T, grad:T, momentum:T", "; use_nesterov:bool=false");
}
OpSchema ResourceSparseApplyKerasMomentumSchema() {
  return Update("ResourceSparseApplyKerasMomentum", "Momentum as Keras has it: accum = accum * momentum - lr * grad is added to the variable; Nesterov's form looks ahead. Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "; use_nesterov:bool=false");
}
OpSchema ResourceApplyMomentumSchema() {
  return Update("ResourceApplyMomentum", "Momentum: accum = accum * momentum + grad; the variable moves by lr * accum; Nesterov's form looks ahead.",
                "var:resource, accum:resource, lr:T, grad:T, momentum:T", "; use_nesterov:bool=false");
}
OpSchema ResourceSparseApplyMomentumSchema() {
  return Update("ResourceSparseApplyMomentum", "Momentum: accum = accum * momentum + grad; the variable moves by lr * accum; Nesterov's form looks ahead. Row i of grad updates row indices[i] alone.",
                "var:resource, accum:resource, lr:T, grad:T, indices:Tindices, momentum:T", "; use_nesterov:bool=false");
}
OpSchema ResourceApplyRMSPropSchema() {
  return Update("ResourceApplyRMSProp", "RMSProp: ms is a running mean of the squared gradient; mom = momentum * mom + lr * grad / sqrt(ms + epsilon) is taken from the variable.",
                "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T", "");
}
OpSchema ResourceSparseApplyRMSPropSchema() {
  return Update("ResourceSparseApplyRMSProp", "RMSProp: ms is a running mean of the squared gradient; mom = momentum * mom + lr * grad / sqrt(ms + epsilon) is taken from the variable. Row i of grad updates row indices[i] alone.",
                "var:resource, ms:resource, mom:resource, lr:T, rho:T, momentum:T, epsilon:T, grad:T, indices:Tindices", "");
}

}  // namespace tandem
