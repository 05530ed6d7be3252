// Graph plumbing: constants, placeholders, identities.
//
//   Tensor x = Placeholder(kFloat32, {-1, 784}, "x");     // in a graph; eagerly it is an error to have no value
//   Tensor y = Identity(x, "logits");
//   Tensor c = Constant({1, 2, 3}, "c");
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// The value itself; in a graph a Const node, with a name if one is given.
Tensor Constant(const Tensor& value, std::string_view name = {}, Origin origin = Here());
// A value that every Run must feed. Eagerly: INVALID_ARGUMENT. Without a shape, any is accepted.
Tensor Placeholder(DType dtype, const Shape& shape, std::string_view name = {}, Origin origin = Here());
template <StringLike T>
Tensor Placeholder(DType dtype, const T& name, Origin origin = Here()) {
  return Placeholder(dtype, Shape::Unknown(), name, origin);
}
// The input, unless a Run feeds another value that fits shape.
Tensor PlaceholderWithDefault(const Tensor& input, const Shape& shape, std::string_view name = {}, Origin origin = Here());

// The same tensor; in a graph a node of its own, with a name if one is given.
Tensor Identity(Operand x, std::string_view name = {});
// All of them, through one node: each output is there when every input is.
Tensors IdentityN(const Tensors& inputs, std::string_view name = {}, Origin origin = Here());
// Does nothing; in a graph a node to hang control dependencies on.
void NoOp(std::string_view name = {}, Origin origin = Here());
// x, a constant to differentiation.
Tensor StopGradient(const Tensor& x, Origin origin = Here());
// x, whose shape must fit: INVALID_ARGUMENT names both shapes. The result is known to have it.
Tensor EnsureShape(const Tensor& x, const Shape& shape, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
