#include "core/ops/likeness.h"

#include "core/context.h"
#include "core/infer.h"

namespace tandem {

OpSchema ZerosLikeSchema() {
  return OpSchema("ZerosLike", "Zeros of x's shape and dtype.")
      .Signature("x:T", "y:T", "T:type").Traits(kSameShape).Infer(InferSameAsInput).NotDifferentiable("the value is constant");
}
OpSchema OnesLikeSchema() {
  return OpSchema("OnesLike", "Ones of x's shape and dtype.")
      .Signature("x:T", "y:T",
                 "T:type{bfloat16,half,float,double,int8,uint8,int16,uint16,int32,uint32,int64,uint64,complex64,complex128,bool}")
      .Traits(kSameShape).Infer(InferSameAsInput).NotDifferentiable("the value is constant");
}

Tensor ZerosLike(Operand x) { return Run(Op<"ZerosLike">(), {x}, {}, x.origin()); }
Tensor OnesLike(Operand x) { return Run(Op<"OnesLike">(), {x}, {}, x.origin()); }

}  // namespace tandem
