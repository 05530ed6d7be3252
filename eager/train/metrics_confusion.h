// Metrics over a confusion matrix: how often each class was predicted as each other.
//
//   metrics::MeanIoU iou(num_classes);
//   iou(labels, ArgMax(logits, -1));
//
// labels, predictions: class numbers, int32 or int64, of one shape. INVALID_ARGUMENT names one outside [0, num_classes).
#pragma once
#include "eager/train/metric.h"

TANDEM_EXPORT_BEGIN
namespace tandem::metrics {

// The matrix itself, [num_classes, num_classes]: labels are rows, predictions columns.
class ConfusionMatrix : public Metric {
 public:
  // num_classes: at most 32768.
  explicit ConfusionMatrix(int64_t num_classes, std::string name = "confusion_matrix");
  Tensor operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override { return sums[0]; }
  int64_t num_classes() const { return num_classes_; }

 private:
  int64_t num_classes_;
};

// The mean over classes of intersection by union: true positives by all samples that are, or are predicted as, the class.
// A class that never occurred does not count.
class MeanIoU : public ConfusionMatrix {
 public:
  explicit MeanIoU(int64_t num_classes, std::string name = "mean_iou") : ConfusionMatrix(num_classes, std::move(name)) {}

 protected:
  Tensor ResultOf(const Tensors& sums) const override;
};

}  // namespace tandem::metrics
TANDEM_EXPORT_END
