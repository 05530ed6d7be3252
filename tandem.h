// Tandem: a tensor runtime with two modes over one op layer.
//
//   tandem::Tensor x = {{2.}};
//   std::cout << tandem::MatMul(x, x);            // runs at once
//
// This header includes the whole public API.
#pragma once
#include "core/allocator.h"
#include "core/error.h"
#include "core/executing_eagerly.h"
#include "core/ops/fill.h"
#include "core/ops/activations.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/comparison.h"
#include "core/ops/likeness.h"
#include "core/ops/math.h"
#include "core/ops/matmul.h"
#include "core/ops/reduction.h"
#include "core/ops/plumbing.h"
#include "core/ops/reshape.h"
#include "core/ops/tile.h"
#include "core/ops/transpose.h"
#include "core/ops/convolution.h"
#include "core/ops/math.h"
#include "core/ops/matmul.h"
#include "core/ops/pooling.h"
#include "core/scopes.h"
#include "core/tensor.h"
#include "core/variable.h"
#include "eager/gradient_tape.h"
#include "graph/capture.h"
#include "graph/graph.h"
#include "graph/session.h"
