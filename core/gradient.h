// What a gradient function sees of the call it differentiates: the same on the tape and in a graph.
//
//   Tensors MulGradient(const Recorded& op, const Tensor& dy) {
//     return {ReduceToShapeOf(op, 0, dy * op.input(1)), ReduceToShapeOf(op, 1, dy * op.input(0))};
//   }
//
// A gradient returns one tensor for each flat input, undefined where none flows. It calls the same public functions as
// users do, so higher orders and both modes come for free.
#pragma once
#include "core/context.h"
#include "core/infer.h"
#include "core/op.h"

namespace tandem {

class Recorded {
 public:
  Recorded(const OpSchema& schema, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::span<const AttrRef> attrs, Origin origin)
      : schema_(schema), inputs_(inputs), outputs_(outputs), attrs_(attrs), origin_(origin) {}

  const OpSchema& schema() const { return schema_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // Values exist only for what GradientReads names; of others, dtype and shape.
  const Tensor& input(int i) const { return inputs_[i]; }
  const Tensor& output(int i) const { return outputs_[i]; }
  std::span<const Tensor> inputs() const { return inputs_; }
  // Its static shape; unknown dimensions are possible in graphs.
  Shape input_shape(int i) const { return inputs_[i].shape(); }
  DType input_dtype(int i) const { return inputs_[i].dtype(); }
  template <class T>
  T attr(AttrName name) const {
    const int i = schema_.FindAttr(name.hash);
    return attrs_[schema_.attrs()[i].explicit_index].template get<T>();  // explicit attributes only: dtypes are the inputs'
  }
  Origin origin() const { return origin_; }

 private:
  const OpSchema& schema_;
  std::span<const Tensor> inputs_, outputs_;
  std::span<const AttrRef> attrs_;
  Origin origin_;
};

// Runs the op's gradient function. An error names the op.
absl::StatusOr<Tensors> CallGradient(const Recorded& op, std::span<const Tensor> dy);

// dy summed back to the shape of input i, over the axes along which that input was broadcast. Static shapes decide where
// they are known; else the graph computes the axes (BroadcastGradientArgs).
Tensor ReduceToInput(const Recorded& op, int i, const Tensor& dy);

}  // namespace tandem
