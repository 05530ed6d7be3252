// Elements picked by index.
//
//   Gather(table, {0, 2, 0});                  // rows 0, 2, 0: [v, d], [3] -> [3, d]
//   GatherNd(x, {{0, 1}, {2, 2}});             // x[0,1], x[2,2]
//   Where(x);                                  // coordinates of what is not zero: [n, rank]
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct GatherOptions {
  int64_t batch_dims = 0;  // leading axes that params and indices share; at most axis
};
// params: [P...], indices: [I...] -> [P before axis, I after the batch axes, P after axis]. INVALID_ARGUMENT names an
// index that is negative or too large, its position and the range.
Tensor Gather(const Tensor& params, const Tensor& indices, Operand axis = 0, GatherOptions options = {}, Origin origin = Here());

// indices: [I..., k], whose last axis indexes the first k axes of params -> [I..., params' other axes].
Tensor GatherNd(const Tensor& params, const Tensor& indices, Origin origin = Here());

// The coordinates, row-major int64, of the elements that are true, or not zero.
Tensor Where(const Tensor& condition, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
