#include "tests/gradient_check.h"

#include <cmath>

namespace tandem {
namespace {

// Weights that no symmetry of f cancels.
Tensor Weighted(const Tensor& y) {
  std::vector<double> w(static_cast<size_t>(y.size()));
  for (size_t i = 0; i < w.size(); ++i) w[i] = 1.0 + 0.5 * std::sin(1.7 * static_cast<double>(i) + 0.3);
  return Sum(y * Tensor::FromData<double>(y.shape(), w));
}

Tensors Gradients(const TensorFunction& f, const Tensors& x) {
  GradientTape tape;
  const Sources sources(x);
  tape.Watch(sources);
  const Tensor y = Weighted(f(x));
  return tape.Gradient(y, sources, {.unconnected = UnconnectedGradients::kZero});
}

std::string Compare(const Tensors& got, const std::function<double(const Tensors&)>& value, const Tensors& x, double tolerance) {
  for (size_t k = 0; k < x.size(); ++k) {
    const auto at = x[k].ToVector<double>(), g = got[k].ToVector<double>();
    for (size_t i = 0; i < at.size(); ++i) {
      const double h = 1e-5;
      const auto moved = [&](double by) {
        auto v = at;
        v[i] += by;
        Tensors m = x;
        m[k] = Tensor::FromData<double>(x[k].shape(), v);
        return value(m);
      };
      const double want = (moved(h) - moved(-h)) / (2 * h);
      if (!(std::abs(g[i] - want) <= tolerance * (1 + std::abs(want))))
        return "input " + std::to_string(k) + " element " + std::to_string(i) + ": gradient " + std::to_string(g[i]) + ", differences say " + std::to_string(want);
    }
  }
  return "";
}

}  // namespace

std::string GradientDifference(const TensorFunction& f, const Tensors& x, double tolerance) {
  return Compare(Gradients(f, x), [&](const Tensors& at) { return Weighted(f(at)).item<double>(); }, x, tolerance);
}

std::string SecondGradientDifference(const TensorFunction& f, const Tensors& x, double tolerance) {
  const TensorFunction first = [&](const Tensors& at) {
    Tensor sum = Tensor::FromData<double>({}, std::vector<double>{0});
    for (const Tensor& g : Gradients(f, at)) sum = sum + Weighted(g);
    return sum;
  };
  return GradientDifference(first, x, tolerance);
}

}  // namespace tandem
