// Metrics of binary decisions: a prediction above a threshold is a positive one.
//
//   metrics::AUC auc;
//   auc(labels, probabilities);
//   metrics::Precision precision("precision", {.3, .5, .7});     // a result for each threshold
//
// labels: anything but 0 is positive; predictions: of the same shape, as a rule in [0, 1]. Definitions are Keras's.
#pragma once
#include "eager/train/metric.h"

TANDEM_EXPORT_BEGIN
namespace tandem::metrics {

// True positives by all positive predictions. A scalar for one threshold, else a vector.
class Precision : public Metric {
 public:
  explicit Precision(std::string name = "precision", std::vector<double> thresholds = {.5});
  Tensor operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override;

 private:
  std::vector<double> thresholds_;
};

// True positives by all positive labels.
class Recall : public Metric {
 public:
  explicit Recall(std::string name = "recall", std::vector<double> thresholds = {.5});
  Tensor operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override;

 private:
  std::vector<double> thresholds_;
};

enum class AUCCurve { kROC, kPR };
enum class AUCSummation {
  kInterpolation,  // trapezoids; for PR the interpolation of Davis and Goadrich (ICML 2006)
  kMinoring,       // the lower of two neighbours' heights
  kMajoring,
};
struct AUCOptions {
  int64_t num_thresholds = 200;  // evenly spread over [0, 1]; at least 2
  AUCCurve curve = AUCCurve::kROC;
  AUCSummation summation_method = AUCSummation::kInterpolation;
};

// The area under a curve of true against false positives (ROC), or of precision against recall (PR). Predictions are
// cut to [0, 1].
class AUC : public Metric {
 public:
  explicit AUC(std::string name = "auc", AUCOptions options = {});
  Tensor operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override;

 private:
  AUCOptions options_;
};

}  // namespace tandem::metrics
TANDEM_EXPORT_END
