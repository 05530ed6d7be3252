#include "core/ops/summary.h"

#include "core/context.h"
#include "core/infer.h"

namespace tandem {
namespace {

absl::Status InferScalarSummary(InferContext& c) {
  if (!c.input(0).CompatibleWith(c.input(1))) return c.Error("tags and values differ in shape: ", c.Describe(0), ", ", c.Describe(1));
  return c.Output({});
}

absl::Status InferHistogramSummary(InferContext& c) {
  if (c.rank(0) > 0) return c.Error("tag must be a scalar, is ", c.input(0).ToString());
  return c.Output({});
}

constexpr const char* kText = "its output is text";

}  // namespace

OpSchema ScalarSummarySchema() {
  return OpSchema("ScalarSummary", "A serialized Summary of one scalar for each tag.")
      .Signature("tags:string, values:T", "summary:string", "T:type{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}")
      .KernelType("T").Infer(InferScalarSummary).NotDifferentiable(kText);
}
OpSchema HistogramSummarySchema() {
  return OpSchema("HistogramSummary", "A serialized Summary of the values' histogram.")
      .Signature("tag:string, values:T", "summary:string", "T:type=float{float,double,int32,uint8,int16,int8,int64,bfloat16,uint16,half,uint32,uint64}")
      .Traits(kMayFail).KernelType("T").Infer(InferHistogramSummary).NotDifferentiable(kText);
}
OpSchema MergeSummarySchema() {
  return OpSchema("MergeSummary", "One serialized Summary with the values of all inputs, whose tags must differ.")
      .Signature("inputs:N*string", "summary:string", "N:int>=1")
      .Traits(kMayFail).Infer(InferScalar).NotDifferentiable(kText);
}

Tensor ScalarSummary(const Tensor& tags, const Tensor& values, Origin origin) { return Run(Op<"ScalarSummary">(), {tags, values}, {}, origin); }
Tensor HistogramSummary(const Tensor& tag, const Tensor& values, Origin origin) { return Run(Op<"HistogramSummary">(), {tag, values}, {}, origin); }
Tensor MergeSummary(const Tensors& inputs, Origin origin) { return RunList(Op<"MergeSummary">(), inputs, {}, origin); }

}  // namespace tandem
