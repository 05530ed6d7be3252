// All dense updates of a step as one call of FusedResourceApply's kernel. What the call needs is kept from step to step: a
// warm one allocates nothing.
//
//   FusedUpdate fused;
//   fused.Begin("ResourceApplyAdam", false, kFloat32);
//   for (…) fused.Add(variable_handle, slot_handles, gradient);
//   RETURN_IF_ERROR(fused.Run(scalars));
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/infer.h"
#include "core/tensor.h"
#include "core/variable.h"

namespace tandem::train {

class FusedUpdate {
 public:
  void Begin(std::string_view op, bool flag, DType dtype);
  // Borrows all until Run.
  void Add(const Variable& variable, std::span<const Variable> slots, const Tensor& gradient);
  // Forgets what was added and not run.
  void Clear() { gradients_.clear(); }
  bool empty() const { return gradients_.empty(); }
  // As dispatching the ops one after another; INVALID_ARGUMENT, FAILED_PRECONDITION likewise.
  absl::Status Run(std::span<const Tensor> scalars);

 private:
  absl::Status Check(std::span<const AttrRef> attrs);

  std::string op_;
  bool flag_ = false, changed_ = true;  // since inference ran
  DType dtype_ = DType::kInvalid;
  size_t num_handles_ = 0;
  std::vector<TensorRep*> args_;        // handles; then, while Run runs, scalars and gradients
  std::vector<TensorRep*> gradients_;
  CallSignature signature_;
};

}  // namespace tandem::train
