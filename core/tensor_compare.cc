#include "core/tensor_compare.h"

#include <cmath>
#include <cstring>

#include "core/device_memory.h"
#include "core/status.h"
#include "core/visit.h"

namespace tandem {
namespace {

template <class T>
bool SameBits(const T& a, const T& b) {
  if constexpr (requires { a.real(); }) return SameBits(a.real(), b.real()) && SameBits(a.imag(), b.imag());
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return a.bits == b.bits || (std::isnan(float(a)) && std::isnan(float(b)));
  else {
    if constexpr (std::floating_point<T>)
      if (std::isnan(a) && std::isnan(b)) return true;
    return std::memcmp(&a, &b, sizeof(T)) == 0;
  }
}

template <class T>
std::string Text(const T& v) {
  if constexpr (requires { v.real(); }) return absl::StrCat(Text(v.real()), "+", Text(v.imag()), "j");
  else if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) return absl::StrCat(float(v));
  else if constexpr (std::floating_point<T>) {
    char buffer[40];
    std::snprintf(buffer, sizeof buffer, "%.17g", static_cast<double>(v));
    return buffer;
  } else if constexpr (std::same_as<T, bool>) return v ? "true" : "false";
  else return std::to_string(v);
}

std::string Position(const TensorRep& rep, int64_t flat) {
  std::vector<int64_t> at(rep.rank);
  for (int k = rep.rank; k-- > 0;) {
    at[k] = flat % rep.dims()[k];
    flat /= rep.dims()[k];
  }
  return DimsToString(at);
}

}  // namespace

std::string DifferentBits(const Tensor& a, const Tensor& b) {
  if (!a.defined() || !b.defined()) return a.defined() == b.defined() ? "" : "one is undefined";
  const Tensor on_host[] = {OnHost(a), OnHost(b)};
  const TensorRep &x = *on_host[0].rep(), &y = *on_host[1].rep();
  if (x.dtype != y.dtype) return absl::StrCat("dtypes are ", std::string(DTypeName(x.dtype)), " and ", std::string(DTypeName(y.dtype)));
  if (!x.SameShape(y)) return absl::StrCat("shapes are ", x.shape().ToString(), " and ", y.shape().ToString());
  int64_t count = 0, first = -1;
  std::string was, is;
  const auto differ = [&](int64_t i, auto text_a, auto text_b) {
    if (count++ > 0) return;
    first = i;
    was = text_a();
    is = text_b();
  };
  if (x.dtype == kString) {
    for (int64_t i = 0; i < x.count; ++i) {
      const std::string &s = x.as<std::string>()[i], &t = y.as<std::string>()[i];
      if (s != t) differ(i, [&] { return s; }, [&] { return t; });
    }
  } else {
    VisitNumeric(x.dtype, [&]<class T>(T) {
      for (int64_t i = 0; i < x.count; ++i)
        if (!SameBits(x.as<T>()[i], y.as<T>()[i])) differ(i, [&] { return Text(x.as<T>()[i]); }, [&] { return Text(y.as<T>()[i]); });
    });
  }
  if (count == 0) return "";
  return absl::StrCat("element ", Position(x, first), " is ", was, " and ", is, " (", count, " of ", x.count, " differ)");
}

}  // namespace tandem
