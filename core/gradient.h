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

// What is left of a tensor whose value a tape did not keep. The dims are borrowed.
struct TensorInfo {
  const int64_t* dims = nullptr;
  DType dtype = DType::kInvalid;
  uint8_t rank = 0;
};

class Recorded {
 public:
  // A tape passes infos, one for each input and then each output, for the tensors that are undefined because their value
  // was not kept; asked for, such a slot is filled with a stub. It passes needed to say for which inputs a gradient
  // will be used; without it that is all of them.
  Recorded(const OpSchema& schema, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
           std::span<const AttrRef> attrs, Origin origin, const TensorInfo* infos = nullptr, const bool* needed = nullptr)
      : schema_(schema), inputs_(inputs), outputs_(outputs), attrs_(attrs), origin_(origin), infos_(infos), needed_(needed) {}

  const OpSchema& schema() const { return schema_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  // Values exist only for what GradientReads names; of others, dtype and shape.
  const Tensor& input(int i) const { return inputs_[i].defined() || !infos_ ? inputs_[i] : FillStub(inputs_[i], infos_[i]); }
  const Tensor& output(int i) const {
    return outputs_[i].defined() || !infos_ ? outputs_[i] : FillStub(outputs_[i], infos_[inputs_.size() + i]);
  }
  std::span<const Tensor> inputs() const {
    for (int i = 0; i < num_inputs(); ++i) input(i);
    return inputs_;
  }
  // Its static shape; unknown dimensions are possible in graphs.
  Shape input_shape(int i) const {
    return inputs_[i].defined() || !infos_ ? inputs_[i].shape() : Shape({infos_[i].dims, infos_[i].rank});
  }
  DType input_dtype(int i) const { return inputs_[i].defined() || !infos_ ? inputs_[i].dtype() : infos_[i].dtype; }
  // Whether anyone will use the gradient of input i. Where it costs, a gradient function asks, and leaves it undefined:
  // the data gradient of a network's first layer, the weights of a frozen one.
  bool needs(int i) const { return !needed_ || needed_[i]; }
  // Whether a gradient of output i arrived: where not, dy[i] is zeros, and what multiplies it may be left out.
  bool arrived(int i) const { return arrived_.empty() || arrived_[i].defined(); }
  template <class T>
  T attr(AttrName name) const {
    const int i = schema_.FindAttr(name.hash);
    return attrs_[schema_.attrs()[i].explicit_index].template get<T>();  // explicit attributes only: dtypes are the inputs'
  }
  Origin origin() const { return origin_; }

 private:
  // The slots are the tape's own, which hands them out as const.
  static const Tensor& FillStub(const Tensor& slot, const TensorInfo& info);

  const OpSchema& schema_;
  std::span<const Tensor> inputs_, outputs_;
  std::span<const AttrRef> attrs_;
  Origin origin_;
  const TensorInfo* infos_;
  const bool* needed_;
  std::span<const Tensor> arrived_;  // dy before zeros were filled in; empty when all of it arrived
  friend absl::StatusOr<Tensors> CallGradient(const Recorded& op, std::span<const Tensor> dy);
};

// Runs the op's gradient function. Of several outputs, those where no gradient arrived (undefined) get zeros when their
// dtype has gradients. An error names the op and where it was called.
absl::StatusOr<Tensors> CallGradient(const Recorded& op, std::span<const Tensor> dy);

// Zeros; the shape must be fully known. Error INVALID_ARGUMENT, RESOURCE_EXHAUSTED.
Tensor ZerosOfShape(DType dtype, const Shape& shape);

// dy summed back to the shape of input i, over the axes along which that input was broadcast. Static shapes decide where
// they are known; else the graph computes the axes (BroadcastGradientArgs).
Tensor ReduceToInput(const Recorded& op, int i, const Tensor& dy);

}  // namespace tandem
