// The shape of a tensor: dimensions, each known or not, or not even the rank.
//
//   Shape s = {2, 3};                // known
//   Shape batch = {-1, 784};         // [?,784]
//   Shape any = Shape::Unknown();    // <unknown>
//   s.num_elements();                // 6
//
// A Shape is a value; up to six dimensions live in it without a heap allocation.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "core/export.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

inline constexpr int kMaxRank = 254;
inline constexpr int64_t kUnknownDim = -1;

class Shape {
 public:
  Shape() = default;  // a scalar
  Shape(std::initializer_list<int64_t> dims) : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  // Every negative dimension reads as unknown. More than kMaxRank dimensions give a shape of unknown rank: whoever
  // takes dimensions from a file checks their number first.
  explicit Shape(std::span<const int64_t> dims);
  static Shape Unknown();

  Shape(const Shape& other) { CopyFrom(other); }
  Shape(Shape&& other) noexcept { Steal(other); }
  Shape& operator=(const Shape& other);
  Shape& operator=(Shape&& other) noexcept;
  ~Shape() { Release(); }

  bool known_rank() const { return rank_ >= 0; }
  int rank() const { return rank_; }  // -1 when unknown
  int64_t operator[](int axis) const { return data()[axis]; }
  int64_t& operator[](int axis) { return data()[axis]; }
  int64_t back() const { return data()[rank_ - 1]; }
  std::span<const int64_t> dims() const { return {data(), static_cast<size_t>(rank_ < 0 ? 0 : rank_)}; }
  const int64_t* begin() const { return data(); }
  const int64_t* end() const { return data() + (rank_ < 0 ? 0 : rank_); }
  void push_back(int64_t dim);

  bool fully_known() const;
  // The product of the dimensions; nothing when one is unknown or the product exceeds 2^63 - 1 (a zero wins over both
  // overflow and large factors).
  std::optional<int64_t> num_elements() const;

  // Whether one shape can describe the same tensor as the other: ranks and known dimensions agree.
  bool CompatibleWith(const Shape& other) const;
  // The most that both say together; nothing when they contradict.
  std::optional<Shape> MergedWith(const Shape& other) const;

  // "[2,3]", "[?,784]", "[]", "<unknown>".
  std::string ToString() const;
  // Python's spelling, "(2, 3)", "(3,)", "()", "(None, 784)", "<unknown>", as tensors print it.
  std::string ToTuple() const;

  friend bool operator==(const Shape& a, const Shape& b);

 private:
  static constexpr int kInline = 6;
  int64_t* data() { return rank_ <= kInline ? inline_ : heap_; }
  const int64_t* data() const { return rank_ <= kInline ? inline_ : heap_; }
  void CopyFrom(const Shape& other);
  void Steal(Shape& other) noexcept;
  void Release() {
    if (rank_ > kInline) delete[] heap_;
  }

  int rank_ = 0;
  union {
    int64_t inline_[kInline];
    int64_t* heap_;
  };
};

// a * b, or nothing past 2^63 - 1. Both factors must be non-negative.
std::optional<int64_t> CheckedMultiply(int64_t a, int64_t b);
// The same product over dimensions; nothing on a negative one. Zero wins over overflow.
std::optional<int64_t> CheckedNumElements(std::span<const int64_t> dims);
std::string DimsToString(std::span<const int64_t> dims);

}  // namespace tandem
TANDEM_EXPORT_END
