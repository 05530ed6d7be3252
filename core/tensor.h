// Tensor: a value. Cheap to copy, its contents never change. Eagerly it owns a buffer (or shares one: views); inside a
// graph it names a node's output and what is known of its shape.
//
//   Tensor a = {{1, 2}, {3, 4}};               // int32[2,2]
//   Tensor b = a + 1;                          // a scalar is weak: it takes the dtype of the tensor it meets
//   std::span<const int32_t> host = b.data<int32_t>();
//   b.item<int>();                             // Error: b has 4 elements
//   std::cout << b << '\n';                    // tandem.Tensor([[2 3]
//                                              //  [4 5]], shape=(2, 2), dtype=int32)
//
// Threads: distinct Tensor objects may be used from distinct threads even when they share a buffer, as shared_ptr.
#pragma once
#include <complex>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/dtype.h"
#include "core/error.h"
#include "core/export.h"
#include "core/origin.h"
#include "core/shape.h"
#include "core/tensor_rep.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

template <class T>
concept CharacterLike = std::same_as<T, char> || std::same_as<T, wchar_t> || std::same_as<T, char8_t> ||
                        std::same_as<T, char16_t> || std::same_as<T, char32_t>;
template <class T>
concept StringLike = std::convertible_to<const T&, std::string_view> && !std::same_as<T, std::nullptr_t>;
template <class T>
concept NumberLike = (std::is_arithmetic_v<T> && !CharacterLike<T>) || std::same_as<T, Half> || std::same_as<T, BFloat16> ||
                     std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <class T>
concept Leaf = NumberLike<T> || StringLike<T>;

struct IndexItem;
class Tensor;
using Tensors = std::vector<Tensor>;

class Tensor {
 public:
  Tensor() = default;  // undefined: no shape, no value; using it is an Error
  Tensor(const Tensor& other) : rep_(other.rep_) {
    if (rep_) Ref(rep_);
  }
  Tensor(Tensor&& other) noexcept : rep_(std::exchange(other.rep_, nullptr)) {}
  Tensor& operator=(const Tensor& other) {
    Tensor(other).swap(*this);
    return *this;
  }
  Tensor& operator=(Tensor&& other) noexcept {
    Tensor(std::move(other)).swap(*this);
    return *this;
  }
  ~Tensor() {
    if (rep_) Unref(rep_);
  }
  void swap(Tensor& other) noexcept { std::swap(rep_, other.rep_); }

  // Literals, typed as a Python literal is: int -> int32, int64_t -> int64, double and float -> float32, bool, string;
  // other element types keep theirs. Ragged braces are INVALID_ARGUMENT.
  template <Leaf T>
  Tensor(const T& scalar) : Tensor(FromLiteral<T>({}, &scalar, 1)) {}
  template <Leaf T>
  Tensor(std::initializer_list<T> v) : Tensor(FromLiteral<T>({static_cast<int64_t>(v.size())}, v.begin(), v.size())) {}
  template <Leaf T>
  Tensor(std::initializer_list<std::initializer_list<T>> v) : Tensor(FromNested<T>(v, 2)) {}
  template <Leaf T>
  Tensor(std::initializer_list<std::initializer_list<std::initializer_list<T>>> v) : Tensor(FromNested<T>(v, 3)) {}
  template <Leaf T>
  Tensor(std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>> v)
      : Tensor(FromNested<T>(v, 4)) {}
  // Containers keep their element type, as a NumPy array does. The elements are copied.
  template <Leaf T>
  Tensor(const std::vector<T>& v) : Tensor(FromVector(v)) {}
  template <class T>
    requires Leaf<std::remove_const_t<T>>
  Tensor(std::span<T> v) : Tensor(FromElements<std::remove_const_t<T>>({static_cast<int64_t>(v.size())}, v.data(), v.size())) {}

  // Elements in row-major order under a shape. INVALID_ARGUMENT when their number is not the shape's.
  template <Leaf T>
  static Tensor FromData(const Shape& shape, std::span<const T> elements) {
    return FromElements<T>(shape, elements.data(), elements.size());
  }

  bool defined() const { return rep_ != nullptr; }
  bool symbolic() const { return rep_ && rep_->symbolic(); }
  DType dtype() const { return rep_ ? rep_->dtype : DType::kInvalid; }
  // Error FAILED_PRECONDITION when undefined. Dimensions may be unknown in a symbolic tensor.
  Shape shape() const { return checked()->shape(); }
  int rank() const { return checked()->rank == kUnknownRank ? -1 : rep_->rank; }
  int64_t dim(int axis) const;  // negative axes count from the end; INVALID_ARGUMENT out of range
  int64_t size() const { return checked()->count; }  // elements; -1 when unknown

  // Where the elements lie, "/job:localhost/replica:0/task:0/device:CPU:0"; of a symbolic tensor, the device its node asks
  // for ("" for none).
  std::string device() const;
  // The same value in the memory of a device; in a graph, a node placed there. Gradients flow back. NOT_FOUND when there
  // is no such device.
  Tensor Gpu(int index = 0) const;
  Tensor Cpu() const;

  // The elements, row-major, without a copy where they are in the host's memory, else of a copy made once; they live as
  // long as any tensor that shares them. INVALID_ARGUMENT when T is not the element type, FAILED_PRECONDITION for a
  // symbolic tensor. Strings: std::string.
  template <class T>
  std::span<const T> data() const& {
    return {static_cast<const T*>(CheckedData(DTypeOf<T>())), static_cast<size_t>(rep_->count)};
  }
  template <class T>
  std::span<const T> data() && = delete;
  // The one element, converted; INVALID_ARGUMENT unless there is exactly one. T: any arithmetic type or std::string.
  template <class T>
  T item() const;
  // A copy of all elements, converted to arithmetic T.
  template <class T>
  std::vector<T> ToVector() const;
  // The truth of the one element, for conditions. A symbolic tensor has none: the error says to use Cond.
  explicit operator bool() const;

  // NumPy's indexing: t[i] drops axis 0; t.Index({Ellipsis, Slice(0, 1), NewAxis}); t.Index({mask}), t.Index({indices}).
  Tensor operator[](int64_t i) const;
  Tensor Index(std::initializer_list<IndexItem> items) const;

  Tensor& operator+=(const struct Operand& other);
  Tensor& operator-=(const struct Operand& other);
  Tensor& operator*=(const struct Operand& other);
  Tensor& operator/=(const struct Operand& other);

  // NumPy's text of the value: "[[1. 2.]\n [3. 4.]]".
  std::string ToString() const;
  // For a symbolic tensor, "name:output"; "" otherwise.
  std::string name() const;

  TensorRep* rep() const { return rep_; }  // internal; borrowed
  static Tensor Adopt(TensorRep* rep) {    // internal: takes over one reference
    Tensor t;
    t.rep_ = rep;
    return t;
  }
  static Tensor Share(TensorRep* rep) {  // internal: adds a reference
    if (rep) Ref(rep);
    return Adopt(rep);
  }
  TensorRep* release() { return std::exchange(rep_, nullptr); }

 private:
  // double is the type of C++'s unsuffixed literals, as float32 is that of Python's in TensorFlow.
  template <class T>
  static constexpr DType kLiteral = std::same_as<T, double> ? kFloat32 : StringLike<T> ? kString : DTypeOf<T>();
  template <class T>
  static Tensor FromLiteral(const Shape& shape, const T* elements, size_t n) {
    if constexpr (StringLike<T>) {
      std::vector<std::string> strings;
      strings.reserve(n);
      for (size_t i = 0; i < n; ++i) strings.emplace_back(std::string_view(elements[i]));
      return FromStrings(shape, std::move(strings));
    } else if constexpr (std::same_as<T, double>) {
      return FromDoubles(shape, elements, n);
    } else {
      return FromBytes(DTypeOf<T>(), shape, elements, n);
    }
  }
  template <class T>
  static Tensor FromElements(const Shape& shape, const T* elements, size_t n) {
    if constexpr (StringLike<T>) return FromLiteral(shape, elements, n);
    else return FromBytes(DTypeOf<T>(), shape, elements, n);
  }
  template <class T>
  static Tensor FromVector(const std::vector<T>& v) {
    const Shape shape = {static_cast<int64_t>(v.size())};
    if constexpr (std::same_as<T, bool>) {
      std::vector<uint8_t> bytes(v.begin(), v.end());
      return FromBytes(kBool, shape, bytes.data(), bytes.size());
    } else {
      return FromElements(shape, v.data(), v.size());
    }
  }
  // vector<bool> has no data(): bools are gathered as bytes.
  template <class T>
  using Gathered = std::conditional_t<StringLike<T>, std::string, std::conditional_t<std::same_as<T, bool>, uint8_t, T>>;
  template <class T, class List>
  static void Flatten(const List& list, Shape& shape, int depth, std::vector<Gathered<T>>& out) {
    const auto n = static_cast<int64_t>(list.size());
    if (depth == shape.rank()) shape.push_back(n);
    else if (shape[depth] != n) ThrowRagged(depth, shape[depth], n);
    for (const auto& item : list) {
      if constexpr (std::same_as<std::remove_cvref_t<decltype(item)>, T>) {
        if constexpr (StringLike<T>) out.emplace_back(std::string_view(item));
        else out.push_back(item);
      } else {
        Flatten<T>(item, shape, depth + 1, out);
      }
    }
  }
  template <class T, class List>
  static Tensor FromNested(const List& list, int depth) {
    Shape shape;
    std::vector<Gathered<T>> elements;
    Flatten<T>(list, shape, 0, elements);
    while (shape.rank() < depth) shape.push_back(0);  // {{}, {}}: the inner axis was never seen
    if constexpr (StringLike<T>) return FromStrings(shape, std::move(elements));
    else if constexpr (std::same_as<T, bool>) return FromBytes(kBool, shape, elements.data(), elements.size());
    else return FromLiteral(shape, elements.data(), elements.size());
  }
  // Each is INVALID_ARGUMENT when n is not the shape's number of elements, RESOURCE_EXHAUSTED without memory.
  static Tensor FromBytes(DType dtype, const Shape& shape, const void* elements, size_t n);
  static Tensor FromDoubles(const Shape& shape, const double* elements, size_t n);
  static Tensor FromStrings(const Shape& shape, std::vector<std::string> elements);
  [[noreturn]] static void ThrowRagged(int depth, int64_t expected, int64_t got);

  TensorRep* checked() const {
    if (!rep_) [[unlikely]] ThrowUndefined();
    return rep_;
  }
  [[noreturn]] void ThrowUndefined() const;
  const void* CheckedData(DType want) const;

  TensorRep* rep_ = nullptr;
};

template <>
std::string Tensor::item<std::string>() const;
bool operator==(const std::vector<Tensor>&, const std::vector<Tensor>&) = delete;  // elementwise == has no truth here

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);

}  // namespace tandem
TANDEM_EXPORT_END
