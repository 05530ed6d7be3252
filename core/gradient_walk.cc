#include "core/gradient_walk.h"

#include <vector>

#include "absl/container/inlined_vector.h"
#include "core/indexed_slices.h"
#include "core/ops/math.h"

namespace tandem {
namespace {

// A value with many readers does not keep one gradient for each of them until it is reached.
constexpr size_t kMaxParts = 8;

using Parts = absl::InlinedVector<Tensor, 1>;

void Collect(Parts& parts, Tensor gradient) {
  if (parts.size() == kMaxParts) {
    Tensor sum = SumGradients({parts.data(), parts.size()});
    parts.clear();
    parts.push_back(std::move(sum));
  }
  parts.push_back(std::move(gradient));
}

// All that arrived at a value, as one tensor; undefined when nothing did. Empties parts.
Tensor Total(Parts& parts) {
  if (parts.empty()) return Tensor();
  Tensor sum = parts.size() == 1 ? std::move(parts[0]) : SumGradients({parts.data(), parts.size()});
  parts.clear();
  return sum;
}

enum Flag : uint8_t { kNeeded = 1, kSource = 2 };

class Walk {
 public:
  Walk(GradientRecords& records, int32_t num_values) : records_(records), flags_(num_values), parts_(num_values) {}

  void AddSource(int32_t value) { flags_[value] |= kNeeded | kSource; }
  void AddSeed(const GradientSeed& seed) { Collect(parts_[seed.value], seed.gradient); }
  Tensor Gradient(int32_t value) {
    Tensor total = Total(parts_[value]);
    if (total.defined()) parts_[value].push_back(total);  // it may be asked for again
    return total;
  }

  // Which values depend on a source: the others need no gradient.
  void MarkNeeded(int end) {
    for (int r = 0; r < end; ++r) {
      bool any = false;
      for (int32_t value : records_.inputs(r)) any |= Needed(value);
      if (!any) continue;
      const int32_t first = records_.first_output(r);
      for (int i = records_.num_outputs(r); i-- > 0;) flags_[first + i] |= kNeeded;
    }
  }

  absl::Status Visit(int r) {
    const int32_t first = records_.first_output(r);
    const int n = records_.num_outputs(r);
    bool arrived = false;
    for (int i = 0; i < n; ++i) arrived |= !parts_[first + i].empty();
    if (!arrived) return absl::OkStatus();
    const std::span<const int32_t> inputs = records_.inputs(r);
    absl::InlinedVector<bool, 8> needed(inputs.size());
    bool any = false;
    for (size_t i = 0; i < inputs.size(); ++i) any |= needed[i] = Needed(inputs[i]);
    if (!any) return absl::OkStatus();

    // Mostly there is one output.
    Tensor one;
    Tensors several;
    std::span<Tensor> dy(&one, 1);
    if (n != 1) {
      several.resize(n);
      dy = several;
    }
    for (int i = 0; i < n; ++i) {
      dy[i] = Total(parts_[first + i]);
      if (dy[i].defined() && (flags_[first + i] & kSource)) parts_[first + i].push_back(dy[i]);
    }
    ASSIGN_OR_RETURN(Tensors dx, records_.Backward(r, dy, {needed.data(), needed.size()}));
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (!needed[i]) continue;
      if (dx[i].defined()) Collect(parts_[inputs[i]], std::move(dx[i]));
      else records_.Blocked(r, static_cast<int>(i));
    }
    return absl::OkStatus();
  }

 private:
  bool Needed(int32_t value) const { return value >= 0 && (flags_[value] & kNeeded); }

  GradientRecords& records_;
  std::vector<uint8_t> flags_;
  std::vector<Parts> parts_;
};

}  // namespace

Tensor SumGradients(std::span<Tensor> parts) {
  if (Tensor sum = SumOfSlices(parts); sum.defined()) return sum;
  Tensor sum = std::move(parts[0]);
  if (sum.dtype() == kVariant && parts.size() > 1) {  // lists of tensors, which AddN adds
    parts[0] = std::move(sum);
    return AddN(parts);
  }
  for (size_t i = 1; i < parts.size(); ++i) sum = Add(sum, std::exchange(parts[i], Tensor()));
  return sum;
}

absl::StatusOr<Tensors> WalkGradients(GradientRecords& records, std::span<const GradientSeed> seeds,
                                      std::span<const int32_t> sources) try {
  Tensors gradients(sources.size());
  // A persistent tape may grow while it is walked: later records and values take no part.
  const int end = records.num_records();
  const int32_t num_values = records.num_values();
  Walk walk(records, num_values);
  bool any = false;
  for (int32_t source : sources) {
    if (source < 0 || source >= num_values) continue;
    any = true;
    walk.AddSource(source);
  }
  if (!any) return gradients;
  for (const GradientSeed& seed : seeds)
    if (seed.value >= 0 && seed.value < num_values) walk.AddSeed(seed);
  walk.MarkNeeded(end);
  for (int r = end - 1; r >= 0; --r) {
    RETURN_IF_ERROR(walk.Visit(r));
    records.Done(r);
  }
  for (size_t i = 0; i < sources.size(); ++i)
    if (sources[i] >= 0 && sources[i] < num_values) gradients[i] = walk.Gradient(sources[i]);
  return gradients;
} catch (...) {
  return StatusFromException(std::current_exception());
}

}  // namespace tandem
