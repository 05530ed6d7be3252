#include "core/histogram.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/visit.h"
#include "proto/summary.pb.h"

namespace tandem {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();

const std::vector<double>& Limits() {
  static const std::vector<double> limits = [] {
    std::vector<double> up, all;
    for (double v = 1e-12; v < 1e20; v *= 1.1) up.push_back(v);
    up.push_back(kLargest);
    for (auto it = up.rbegin(); it != up.rend(); ++it) all.push_back(-*it);
    all.push_back(0);
    all.insert(all.end(), up.begin(), up.end());
    return all;
  }();
  return limits;
}

// Element i as a double; complex numbers have no order.
template <class T>
double AsDouble(T v) {
  if constexpr (requires { v.real(); }) return 0;
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return static_cast<float>(v);
  else return static_cast<double>(v);
}

}  // namespace

Histogram::Histogram() : counts_(Limits().size()), min_(kLargest), max_(-kLargest) {}

void Histogram::Add(double value) {
  const size_t bucket = std::upper_bound(Limits().begin(), Limits().end(), value) - Limits().begin();
  counts_[std::min(bucket, counts_.size() - 1)] += 1;
  min_ = std::min(min_, value);
  max_ = std::max(max_, value);
  num_ += 1;
  sum_ += value;
  sum_squares_ += value * value;
}

absl::Status Histogram::Add(const TensorRep& values) {
  absl::Status status;
  const bool number = !IsComplex(values.dtype) && VisitNumeric(values.dtype, [&]<class T>(T) {
    const T* x = values.as<T>();
    for (int64_t i = 0; i < values.count && status.ok(); ++i)
      if (const double v = AsDouble(x[i]); !std::isfinite(v)) status = InvalidArgument("element ", i, " is ", std::isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
    if (status.ok())
      for (int64_t i = 0; i < values.count; ++i) Add(AsDouble(x[i]));
  });
  if (!number) return InvalidArgument("values are ", Absl(DTypeName(values.dtype)), ", no real numbers");
  return status;
}

void Histogram::ToProto(proto::HistogramProto* out) const {
  out->set_min(min_);
  out->set_max(max_);
  out->set_num(num_);
  out->set_sum(sum_);
  out->set_sum_squares(sum_squares_);
  const std::vector<double>& limits = Limits();
  for (size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0)
      while (i + 1 < counts_.size() && counts_[i + 1] == 0) ++i;
    out->add_bucket_limit(limits[i]);
    out->add_bucket(counts_[i]);
  }
}

}  // namespace tandem
