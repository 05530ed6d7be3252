// What GatherNd, ScatterNd and their relatives share: indices [I..., k], whose last axis indexes the first k axes.
#pragma once
#include "core/infer.h"

namespace tandem {

// The shape [I..., shape after its first k axes]; nothing when too little is known. INVALID_ARGUMENT when input
// `indices` is a scalar or k exceeds the rank of shape, which errors call `name`.
absl::StatusOr<std::optional<Shape>> NdTail(const InferContext& c, const Shape& shape, std::string_view name, int indices);

// INVALID_ARGUMENT when input `updates` does not fit NdTail, or bad_indices_policy is none.
absl::Status CheckNdUpdates(const InferContext& c, const Shape& shape, std::string_view name, int indices, int updates);

// "", "DEFAULT" and "ERROR" refuse an index out of range, "IGNORE" passes over it.
absl::Status CheckBadIndicesPolicy(const InferContext& c);

// indices in a dtype that all of these ops take; int16 and uint16 become int32.
Tensor NdIndices(const Tensor& indices);

}  // namespace tandem
