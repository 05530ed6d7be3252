// More elements around a tensor. paddings is [rank, 2]: how many before and after, for each axis.
//
//   Pad(x, {{1, 1}, {0, 2}});                    // [m, n] -> [m + 2, n + 2], zeros around
//   MirrorPad({1, 2, 3}, {{2, 0}}, "REFLECT");   // [3 2 1 2 3]
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// INVALID_ARGUMENT names a negative entry, or paddings whose shape is not [rank, 2].
Tensor Pad(const Tensor& x, const Tensor& paddings, Origin origin = Here());
// The same around with a value of x's dtype.
Tensor PadV2(const Tensor& x, const Tensor& paddings, Operand value, Origin origin = Here());
// mode "REFLECT": mirrored about the edge element, at most n - 1 elements; "SYMMETRIC": about the edge itself, at most n.
Tensor MirrorPad(const Tensor& x, const Tensor& paddings, std::string_view mode, Origin origin = Here());
// Its gradient: of the padded dy, every element added to the one it was copied from.
Tensor MirrorPadGrad(const Tensor& dy, const Tensor& paddings, std::string_view mode, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
