// Reverse-mode differentiation over recorded ops, wherever they were recorded: a tape and a graph share this walk.
//
//   class TapeRecords : public GradientRecords { … };
//   absl::StatusOr<Tensors> dx = WalkGradients(records, {{y_value, dy}}, {x_value});
//
// Records are numbered so that whoever makes a value comes before whoever reads it. Values are numbered too: those that
// the walk starts from (watched tensors, placeholders) and the outputs of records. The walk visits each record at most
// twice and never recurses; only records between a source and a seed are differentiated.
#pragma once
#include <cstdint>
#include <span>

#include "core/context.h"
#include "core/status.h"
#include "core/unconnected_gradients.h"

namespace tandem {

class GradientRecords {
 public:
  virtual ~GradientRecords() = default;
  virtual int num_records() const = 0;
  virtual int num_values() const = 0;
  // The value behind each input; negative where no gradient can flow (a constant, a tensor nobody watched).
  virtual std::span<const int32_t> inputs(int record) const = 0;
  // Outputs are consecutive values.
  virtual int32_t first_output(int record) const = 0;
  virtual int num_outputs(int record) const = 0;
  // dx of every input. dy holds one tensor for each output, undefined where no gradient arrived, at least one defined.
  // needed says for which inputs anyone will ask: the others may stay undefined.
  virtual absl::StatusOr<Tensors> Backward(int record, std::span<const Tensor> dy, std::span<const bool> needed) = 0;
  // Input i was needed, and Backward gave nothing for it: the path ends here.
  virtual void Blocked(int record, int input) {}
  // The walk will not come back to this record.
  virtual void Done(int record) {}
};

struct GradientSeed {
  int32_t value;   // negative: depends on nothing, the seed is ignored
  Tensor gradient;
};

// The gradients of the sources (values; negative ones are unconnected): undefined where no path leads to a seed. Ops
// that compute them are dispatched to the current context, so an outer tape records them. Exceptions of public functions
// that Backward calls come back as their status.
absl::StatusOr<Tensors> WalkGradients(GradientRecords& records, std::span<const GradientSeed> seeds,
                                      std::span<const int32_t> sources);

// The sum of several gradients of one value, added in the order in which they came: the same bits in both modes.
Tensor SumGradients(std::span<Tensor> parts);

}  // namespace tandem
