// TensorFlow's histograms of event files: counts in exponential buckets around zero.
//
//   Histogram h;
//   RETURN_IF_ERROR(h.Add(values));
//   h.ToProto(summary.add_value()->mutable_histo());
//
// Limits are ±1e-12 * 1.1^i below 1e20, 0 and ±DBL_MAX; a value falls into the first bucket whose limit is above it.
// Follows tensorflow/core/lib/histogram/histogram.cc.
#pragma once
#include <vector>

#include "core/status.h"
#include "core/tensor_rep.h"

namespace tandem::proto {
class HistogramProto;
}

namespace tandem {

class Histogram {
 public:
  Histogram();
  // All elements of a tensor of numbers on the host. INVALID_ARGUMENT for NaN and infinity ("element 3 is nan") and for
  // dtypes that are no real numbers; nothing is added then.
  absl::Status Add(const TensorRep& values);
  // Runs of empty buckets become one.
  void ToProto(proto::HistogramProto* out) const;

 private:
  void Add(double value);
  std::vector<double> counts_;
  double min_, max_, num_ = 0, sum_ = 0, sum_squares_ = 0;
};

}  // namespace tandem
