#include "core/element_format.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/decimal.h"
#include "core/print.h"
#include "core/resource.h"
#include "core/variant.h"
#include "core/visit.h"

namespace tandem {
namespace {

constexpr int kPrecision = 8;

// A number rounded as its dtype stores it: NumPy compares magnitudes in the array's own arithmetic.
double Stored(double value, DType dtype) {
  if (dtype == kFloat16) return static_cast<float>(Half(static_cast<float>(value)));
  if (dtype == kFloat32) return static_cast<float>(value);
  return value;
}

std::string Sign(const Decimal& d, bool plus) { return d.negative ? "-" : plus ? "+" : ""; }

// numpy/_core/arrayprint.py, FloatingFormat.
class FloatFormat {
 public:
  FloatFormat(std::span<const double> values, DType dtype, bool plus) : dtype_(dtype), plus_(plus) {
    double largest = 0, smallest = HUGE_VAL;
    bool all_finite = true, negative_infinity = false;
    std::vector<double> finite;
    for (double v : values) {
      if (!std::isfinite(v)) {
        all_finite = false;
        negative_infinity |= v < 0;
        continue;
      }
      finite.push_back(v);
      if (v == 0) continue;
      largest = std::max(largest, std::abs(v));
      smallest = std::min(smallest, std::abs(v));
    }
    const double limit = std::min(1e8, ScalarExponentLimit(dtype));
    exponent_ = largest > 0 && (largest >= limit || smallest < Stored(0.0001, dtype) || Stored(largest / smallest, dtype) > 1000);
    size_t integer = 0, fraction = 0, exponent = 0;
    for (double v : finite) {
      const Decimal d = exponent_ ? Scientific(v, dtype, kPrecision) : Positional(v, dtype, kPrecision);
      integer = std::max(integer, Sign(d, plus).size() + d.integer.size());
      fraction = std::max(fraction, d.fraction.size());
      if (exponent_) exponent = std::max(exponent, ExponentText(d.exponent).size() - 2);
    }
    left_ = integer;
    precision_ = fraction;
    exponent_digits_ = exponent;
    right_ = exponent_ ? exponent + 2 + fraction : fraction;
    if (!all_finite) {
      const auto least = [&](size_t length) { return length > right_ + 1 ? length - right_ - 1 : 0; };
      left_ = std::max({left_, least(3), least(3 + (plus || negative_infinity))});
    }
  }

  std::string operator()(double v) const {
    if (!std::isfinite(v)) {
      std::string text = std::isnan(v) ? (plus_ ? "+nan" : "nan") : v < 0 ? "-inf" : plus_ ? "+inf" : "inf";
      const size_t width = left_ + right_ + 1;
      return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
    }
    const Decimal d = exponent_ ? ScientificExact(v, static_cast<int>(precision_)) : Positional(v, dtype_, kPrecision);
    const std::string head = Sign(d, plus_) + d.integer;
    std::string text(left_ - std::min(left_, head.size()), ' ');
    text += head + "." + d.fraction;
    if (exponent_) return text + ExponentText(d.exponent, static_cast<int>(exponent_digits_));
    return text + std::string(right_ - d.fraction.size(), ' ');
  }

 private:
  DType dtype_;
  bool plus_, exponent_ = false;
  size_t left_ = 0, right_ = 0, precision_ = 0, exponent_digits_ = 0;
};

template <class T>
std::vector<double> Gather(const TensorRep& rep, std::span<const int64_t> shown, auto&& part) {
  std::vector<double> out;
  out.reserve(shown.size());
  for (int64_t i : shown) out.push_back(part(rep.as<T>()[i]));
  return out;
}

template <class T>
ElementFormat Floats(const TensorRep& rep, std::span<const int64_t> shown) {
  const auto value = [](const T& v) { return static_cast<double>(static_cast<std::conditional_t<std::same_as<T, double>, double, float>>(v)); };
  return [format = FloatFormat(Gather<T>(rep, shown, value), rep.dtype, false), &rep, value](int64_t i) { return format(value(rep.as<T>()[i])); };
}

template <class R>
ElementFormat Complexes(const TensorRep& rep, std::span<const int64_t> shown) {
  using C = std::complex<R>;
  const DType part = sizeof(R) == 4 ? kFloat32 : kFloat64;
  const auto re = [](const C& c) { return static_cast<double>(c.real()); };
  const auto im = [](const C& c) { return static_cast<double>(c.imag()); };
  return [real = FloatFormat(Gather<C>(rep, shown, re), part, false), imaginary = FloatFormat(Gather<C>(rep, shown, im), part, true),
          &rep, re, im](int64_t i) {
    const C& c = rep.as<C>()[i];
    std::string text = imaginary(im(c));
    text.insert(text.find_last_not_of(' ') + 1, "j");  // before the padding
    return real(re(c)) + text;
  };
}

std::string ObjectText(const TensorRep& rep, int64_t i) {
  if (rep.dtype == kString) return BytesRepr(rep.as<std::string>()[i]);
  if (rep.dtype == kVariant) {
    const Variant& v = rep.as<Variant>()[i];
    if (!v) return "<Invalid>";
    std::string_view name = v->type_name();
    if (const size_t colon = name.rfind("::"); colon != name.npos) name.remove_prefix(colon + 2);
    return "<" + std::string(name) + ">";
  }
  const ResourceBase* r = rep.as<ResourceBase*>()[i];
  return "<" + (r ? std::string(r->kind()) : "no") + " resource>";
}

template <class T>
std::string ComplexText(const T& c, DType part) {
  const double re = c.real(), im = c.imag();
  if (re == 0 && !std::signbit(re)) return ComplexPartText(im, part, false) + "j";
  return "(" + ComplexPartText(re, part, false) + ComplexPartText(im, part, true) + "j)";
}

}  // namespace

ElementFormat MakeElementFormat(const TensorRep& rep, std::span<const int64_t> shown) {
  switch (rep.dtype) {
    case kFloat16: return Floats<Half>(rep, shown);
    case kFloat32: return Floats<float>(rep, shown);
    case kFloat64: return Floats<double>(rep, shown);
    case kComplex64: return Complexes<float>(rep, shown);
    case kComplex128: return Complexes<double>(rep, shown);
    case kBool: return [&rep](int64_t i) -> std::string { return rep.as<bool>()[i] ? " True" : "False"; };
    case kBFloat16:  // to NumPy a foreign type, whose elements are not aligned
      return [&rep](int64_t i) { return ScalarText(static_cast<float>(rep.as<BFloat16>()[i]), kBFloat16); };
    default: break;
  }
  if (!IsInteger(rep.dtype)) return [&rep](int64_t i) { return ObjectText(rep, i); };
  ElementFormat format;
  VisitNumeric(rep.dtype, [&]<class T>(T) {
    if constexpr (std::integral<T>) {
      size_t width = 0;
      for (int64_t i : shown) width = std::max(width, std::to_string(rep.as<T>()[i]).size());
      format = [&rep, width](int64_t i) {
        std::string text = std::to_string(rep.as<T>()[i]);
        return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
      };
    }
  });
  return format;
}

std::string ScalarElementText(const TensorRep& rep) {
  if (rep.dtype == kBool) return *rep.as<bool>() ? "True" : "False";
  if (rep.dtype == kComplex64) return ComplexText(*rep.as<std::complex<float>>(), kFloat32);
  if (rep.dtype == kComplex128) return ComplexText(*rep.as<std::complex<double>>(), kFloat64);
  if (IsFloating(rep.dtype)) {
    double value = 0;
    VisitNumeric(rep.dtype, [&]<class T>(T) {
      if constexpr (std::same_as<T, double>) value = *rep.as<T>();
      else if constexpr (!requires { std::declval<T>().real(); }) value = static_cast<float>(*rep.as<T>());
    });
    return ScalarText(value, rep.dtype);
  }
  const int64_t only[] = {0};
  return MakeElementFormat(rep, only)(0);
}

}  // namespace tandem
