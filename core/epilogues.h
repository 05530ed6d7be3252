// Which elementwise ops may close a contraction (MatMul, Conv2D) inside one fused node with the bits of the op run by
// itself. Passes ask here and need not know the kernels.
//
//   if (EpilogueIsExact(Contraction::kMatMul, "Relu", kFloat32)) …   // MatMul + BiasAdd + Relu -> FusedMatMul
#pragma once
#include <string_view>

#include "core/dtype.h"

namespace tandem {

enum class Contraction { kMatMul, kConv2D };

// op: "BiasAdd" (a vector along the channels), "Add" (a residual of the output's shape), or the name of an op of one
// input: Relu, Relu6, Elu, LeakyRelu (its alpha is the node's leakyrelu_alpha), Tanh, Sigmoid, … False for what the
// fused kernels do not know or cannot do bit for bit, and where there are none (no wiring).
bool EpilogueIsExact(Contraction contraction, std::string_view op, DType dtype);

// Wiring (tandem.cc): the CPU kernels' answer.
using EpilogueQuery = bool (*)(Contraction contraction, std::string_view op, DType dtype);
void SetEpilogueQuery(EpilogueQuery query);

}  // namespace tandem
