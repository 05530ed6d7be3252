#include "core/shape.h"

#include <algorithm>
#include <cstring>

namespace tandem {

Shape::Shape(std::span<const int64_t> dims) {
  if (dims.size() > kMaxRank) {
    rank_ = -1;
    return;
  }
  rank_ = static_cast<int>(dims.size());
  if (rank_ > kInline) heap_ = new int64_t[rank_];
  std::transform(dims.begin(), dims.end(), data(), [](int64_t d) { return d < 0 ? kUnknownDim : d; });
}

Shape Shape::Unknown() {
  Shape s;
  s.rank_ = -1;
  return s;
}

void Shape::CopyFrom(const Shape& other) {
  rank_ = other.rank_;
  if (rank_ > kInline) heap_ = new int64_t[rank_];
  if (rank_ > 0) std::memcpy(data(), other.data(), sizeof(int64_t) * rank_);
}

void Shape::Steal(Shape& other) noexcept {
  rank_ = other.rank_;
  if (rank_ > kInline) heap_ = other.heap_;
  else if (rank_ > 0) std::memcpy(inline_, other.inline_, sizeof(int64_t) * rank_);
  other.rank_ = 0;
}

Shape& Shape::operator=(const Shape& other) {
  if (this == &other) return *this;
  Release();
  CopyFrom(other);
  return *this;
}

Shape& Shape::operator=(Shape&& other) noexcept {
  if (this == &other) return *this;
  Release();
  Steal(other);
  return *this;
}

void Shape::push_back(int64_t dim) {
  if (rank_ < 0) return;
  if (rank_ == kMaxRank) {
    *this = Unknown();
    return;
  }
  if (rank_ >= kInline) {
    int64_t* grown = new int64_t[rank_ + 1];
    std::memcpy(grown, data(), sizeof(int64_t) * rank_);
    Release();
    heap_ = grown;
  }
  ++rank_;
  data()[rank_ - 1] = dim < 0 ? kUnknownDim : dim;
}

bool Shape::fully_known() const {
  return rank_ >= 0 && std::none_of(begin(), end(), [](int64_t d) { return d < 0; });
}

std::optional<int64_t> Shape::num_elements() const {
  if (rank_ < 0) return std::nullopt;
  return CheckedNumElements(dims());
}

bool Shape::CompatibleWith(const Shape& other) const {
  if (rank_ < 0 || other.rank_ < 0) return true;
  if (rank_ != other.rank_) return false;
  for (int i = 0; i < rank_; ++i)
    if ((*this)[i] >= 0 && other[i] >= 0 && (*this)[i] != other[i]) return false;
  return true;
}

std::optional<Shape> Shape::MergedWith(const Shape& other) const {
  if (!CompatibleWith(other)) return std::nullopt;
  if (rank_ < 0) return other;
  Shape merged = *this;
  if (other.rank_ < 0) return merged;
  for (int i = 0; i < rank_; ++i)
    if (merged[i] < 0) merged[i] = other[i];
  return merged;
}

namespace {

std::string Join(std::span<const int64_t> dims, std::string_view separator, std::string_view unknown) {
  std::string text;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) text += separator;
    if (dims[i] < 0) text += unknown;
    else text += std::to_string(dims[i]);
  }
  return text;
}

}  // namespace

std::string DimsToString(std::span<const int64_t> dims) { return "[" + Join(dims, ",", "?") + "]"; }

std::string Shape::ToString() const { return rank_ < 0 ? "<unknown>" : DimsToString(dims()); }

std::string Shape::ToTuple() const {
  if (rank_ < 0) return "<unknown>";
  return "(" + Join(dims(), ", ", "None") + (rank_ == 1 ? ",)" : ")");
}

bool operator==(const Shape& a, const Shape& b) {
  return a.rank_ == b.rank_ && std::equal(a.begin(), a.end(), b.begin());
}

std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

std::optional<int64_t> CheckedNumElements(std::span<const int64_t> dims) {
  std::optional<int64_t> product = 1;
  bool zero = false;
  for (int64_t d : dims) {
    if (d < 0) return std::nullopt;
    zero |= d == 0;
    if (product && d != 0) product = CheckedMultiply(*product, d);
  }
  return zero ? 0 : product;
}

}  // namespace tandem
