// Calls of functions that a graph's library holds. Cond, While and Case (core/control_flow.h) and CapturedFunction
// (graph/capture.h) are what users call; these make the nodes.
#pragma once
#include "core/attr.h"
#include "core/origin.h"
#include "core/tensor.h"

namespace tandem {

// What a condition is worth: a bool is itself, a number is true unless 0, a string unless empty, a tensor of rank > 0
// when it has elements. INVALID_ARGUMENT for a resource or variant scalar.
bool IsTrue(const TensorRep& condition, bool* truth);

// results: their dtypes. Stateful: StatefulPartitionedCall, which no pass drops or merges.
Tensors CallFunction(const FuncAttr& function, const Tensors& args, const std::vector<DType>& results, bool stateful, Origin origin = {});

}  // namespace tandem
