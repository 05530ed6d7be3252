// Metrics that are a mean or a sum: of values, of matches between labels and predictions, of errors.
//
//   metrics::SparseCategoricalAccuracy accuracy;
//   accuracy(labels, logits);                                   // int[batch], float[batch, classes]
//   accuracy(labels, logits, {.sample_weight = weights});
//   accuracy.Result();
//
// Every call gives the result after it. Definitions are Keras's.
#pragma once
#include "eager/train/metric.h"

TANDEM_EXPORT_BEGIN
namespace tandem::metrics {

class Mean : public Metric {
 public:
  explicit Mean(std::string name = "mean");
  // values: any shape, any numeric dtype or bool.
  Tensor operator()(const Tensor& values, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override;
};

class Sum : public Metric {
 public:
  explicit Sum(std::string name = "sum");
  Tensor operator()(const Tensor& values, const WeightOptions& options = {});

 protected:
  Tensor ResultOf(const Tensors& sums) const override;
};

// The mean of a function of labels and predictions; one's own metrics derive from it too.
class MeanOfPairs : public Mean {
 public:
  Tensor operator()(const Tensor& labels, const Tensor& predictions, const WeightOptions& options = {});

 protected:
  using Mean::Mean;
  virtual Tensor Values(const Tensor& labels, const Tensor& predictions) const = 0;
};

// How often predictions equal labels.
class Accuracy : public MeanOfPairs {
 public:
  explicit Accuracy(std::string name = "accuracy") : MeanOfPairs(std::move(name)) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;
};

// How often a prediction above the threshold goes with a label of 1, and one not above with 0.
class BinaryAccuracy : public MeanOfPairs {
 public:
  explicit BinaryAccuracy(std::string name = "binary_accuracy", double threshold = .5) : MeanOfPairs(std::move(name)), threshold_(threshold) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;

 private:
  double threshold_;
};

// How often the greatest prediction is at the greatest label: both [..., classes].
class CategoricalAccuracy : public MeanOfPairs {
 public:
  explicit CategoricalAccuracy(std::string name = "categorical_accuracy") : MeanOfPairs(std::move(name)) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;
};

// The same for labels that are class numbers, [...] or [..., 1], of any dtype.
class SparseCategoricalAccuracy : public MeanOfPairs {
 public:
  explicit SparseCategoricalAccuracy(std::string name = "sparse_categorical_accuracy") : MeanOfPairs(std::move(name)) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;
};

// How often the label's class is among the k with the greatest predictions: fewer than k are greater. A prediction that
// is not finite is among none.
class TopKCategoricalAccuracy : public MeanOfPairs {
 public:
  explicit TopKCategoricalAccuracy(int64_t k = 5, std::string name = "top_k_categorical_accuracy") : MeanOfPairs(std::move(name)), k_(k) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;

 private:
  int64_t k_;
};

// labels: int32 or int64 [batch], predictions: [batch, classes]. INVALID_ARGUMENT names a label that is no class.
class SparseTopKCategoricalAccuracy : public MeanOfPairs {
 public:
  explicit SparseTopKCategoricalAccuracy(int64_t k = 5, std::string name = "sparse_top_k_categorical_accuracy")
      : MeanOfPairs(std::move(name)), k_(k) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;

 private:
  int64_t k_;
};

class MeanSquaredError : public MeanOfPairs {
 public:
  explicit MeanSquaredError(std::string name = "mean_squared_error") : MeanOfPairs(std::move(name)) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;
};

class RootMeanSquaredError : public MeanSquaredError {
 public:
  explicit RootMeanSquaredError(std::string name = "root_mean_squared_error") : MeanSquaredError(std::move(name)) {}

 protected:
  Tensor ResultOf(const Tensors& sums) const override;
};

class MeanAbsoluteError : public MeanOfPairs {
 public:
  explicit MeanAbsoluteError(std::string name = "mean_absolute_error") : MeanOfPairs(std::move(name)) {}

 protected:
  Tensor Values(const Tensor& labels, const Tensor& predictions) const override;
};

}  // namespace tandem::metrics
TANDEM_EXPORT_END
