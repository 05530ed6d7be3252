// Tensors as TensorFlow's Print, Assert and tf.print write them: neither is NumPy's text (core prints that).
//
//   SummarizeFlat(x, 3);      // "[1 2 3...": rows in brackets but for the outermost, the first `limit` elements
//   SummarizeNested(x, 3);    // "[[1 2]\n [3 4]]": `ends` elements at either end of an axis, -1 for all
#pragma once
#include <string>

#include "core/tensor_rep.h"

namespace tandem {

std::string SummarizeFlat(const TensorRep& x, int64_t limit);
std::string SummarizeNested(const TensorRep& x, int64_t ends);

}  // namespace tandem
