// How NumPy writes the elements of one array: a format common to all elements that are shown.
#pragma once
#include <functional>
#include <span>
#include <string>

#include "core/tensor_rep.h"

namespace tandem {

// The text of element i, padded to the width that the shown elements share. Borrows rep.
using ElementFormat = std::function<std::string(int64_t i)>;
ElementFormat MakeElementFormat(const TensorRep& rep, std::span<const int64_t> shown);
// The text of an element that stands alone: a scalar's str().
std::string ScalarElementText(const TensorRep& rep);

}  // namespace tandem
