// Shapes without values: while a ShapeTrace is in scope, a call that reads a stub is inferred, not run, and gives stubs.
// Calls that read none go to the context below, so constants and new variables are real.
//
//   ShapeTrace trace;
//   Tensor y = layer(trace.Stub(kFloat32, {-1, 784}));
//   y.shape();                                          // [?,10]
//
// An op with a side effect that reads a stub is left out. Belongs to the thread that made it.
#pragma once
#include "core/context.h"

namespace tandem::nn {

class ShapeTrace final : public Context {
 public:
  ShapeTrace() : below_(&CurrentContext()), scope_(this) {}
  Tensor Stub(DType dtype, const Shape& shape) const;

  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override;
  bool executing_eagerly() const override { return below_->executing_eagerly(); }
  Context& base() override { return below_->base(); }
  RandomSeeds& random_seeds() override { return below_->random_seeds(); }
  absl::Status RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward, Origin origin) override {
    return absl::OkStatus();
  }

 private:
  Context* below_;
  ContextScope scope_;
};

}  // namespace tandem::nn
