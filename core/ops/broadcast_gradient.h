// Gradients of ops whose operands broadcast.
//
//   Tensors MulGradient(const Recorded& op, const Tensor& dy) {
//     return {BroadcastGradient(op, 0, [&] { return dy * op.input(1); }), BroadcastGradient(op, 1, [&] { return dy * op.input(0); })};
//   }
#pragma once
#include "core/gradient.h"

namespace tandem {

// make() summed back to the shape of input i; undefined, and nothing computed, where nobody will use it.
template <class F>
Tensor BroadcastGradient(const Recorded& op, int i, F make) {
  return op.needs(i) ? ReduceToInput(op, i, make()) : Tensor();
}

// The axes over which a gradient of the shape dy is summed for an operand of the shape s: those along which it was
// broadcast. Shapes are int32 or int64 vectors, as ShapeOf gives them.
Tensor ReductionAxes(const Tensor& s, const Tensor& dy);

}  // namespace tandem
