#include "tests/compare.h"

#include <cmath>
#include <complex>

#include "absl/strings/str_cat.h"
#include "core/visit.h"

namespace tandem {
namespace {

bool Close(double got, double want, double tolerance) {
  if (std::isnan(got) || std::isnan(want)) return std::isnan(got) && std::isnan(want);
  if (std::isinf(got) || std::isinf(want)) return got == want;
  return got == want || std::abs(got - want) <= tolerance;  // a complex number with a NaN has no tolerance
}

template <class T>
double AsDouble(T v) {
  if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return static_cast<float>(v);
  else return static_cast<double>(v);
}

template <class T>
bool Right(T got, T want, Tolerance t) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    // Each part within the tolerance of the whole number.
    const double allowed = t.atol + t.rtol * std::hypot(static_cast<double>(want.real()), static_cast<double>(want.imag()));
    return Close(got.real(), want.real(), allowed) && Close(got.imag(), want.imag(), allowed);
  } else if constexpr (std::is_integral_v<T>) {
    return got == want;
  } else {
    return Close(AsDouble(got), AsDouble(want), t.atol + t.rtol * std::abs(AsDouble(want)));
  }
}

template <class T>
std::string Text(T v) {
  char buffer[64];
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>)
    std::snprintf(buffer, sizeof buffer, "%.17g%+.17gi", static_cast<double>(v.real()), static_cast<double>(v.imag()));
  else if constexpr (std::is_integral_v<T>) return std::to_string(v);
  else std::snprintf(buffer, sizeof buffer, "%.9g", AsDouble(v));
  return buffer;
}

}  // namespace

Tolerance DefaultTolerance(DType dtype) {
  switch (dtype) {
    case kFloat16: return {1e-2, 1e-2};
    case kBFloat16: return {2e-2, 2e-2};
    case kFloat32:
    case kComplex64: return {1e-5, 1e-6};
    case kFloat64:
    case kComplex128: return {1e-12, 1e-12};
    default: return {};
  }
}

std::string Difference(const Tensor& got, const Tensor& want, Tolerance tolerance) {
  if (!got.defined() || !want.defined()) return got.defined() == want.defined() ? "" : got.defined() ? "got a tensor, want none" : "got no tensor";
  if (got.dtype() != want.dtype())
    return absl::StrCat("dtype is ", std::string(DTypeName(got.dtype())), ", want ", std::string(DTypeName(want.dtype())));
  if (!(got.shape() == want.shape())) return absl::StrCat("shape is ", got.shape().ToString(), ", want ", want.shape().ToString());
  std::string difference;
  if (got.dtype() == kString) {
    for (int64_t i = 0; i < got.size() && difference.empty(); ++i)
      if (got.data<std::string>()[i] != want.data<std::string>()[i])
        difference = absl::StrCat("element ", i, " is \"", got.data<std::string>()[i], "\", want \"", want.data<std::string>()[i], "\"");
    return difference;
  }
  int64_t wrong = 0;
  VisitNumeric(got.dtype(), [&]<class T>(T) {
    const auto g = got.data<T>(), w = want.data<T>();
    for (size_t i = 0; i < g.size(); ++i) {
      if (Right(g[i], w[i], tolerance)) continue;
      if (wrong++ == 0) difference = absl::StrCat("element ", i, " is ", Text(g[i]), ", want ", Text(w[i]));
    }
  });
  if (wrong > 1) absl::StrAppend(&difference, " (and ", wrong - 1, " more of ", got.size(), ")");
  return difference;
}

}  // namespace tandem
