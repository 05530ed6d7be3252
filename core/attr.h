// Values of op attributes: AttrValue owns one, AttrRef borrows one for the length of a call.
//
//   Run(Op<"MatMul">(), {a, b}, {options.transpose_a, options.transpose_b});   // AttrRefs, in schema order
//
// AttrRef is trivially copyable and never allocates; whoever keeps it past the call (tape, graph) makes an AttrValue.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/dtype.h"
#include "core/shape.h"
#include "core/tensor.h"

namespace tandem {

enum class AttrKind : uint8_t {
  kNone, kInt, kFloat, kBool, kType, kString, kShape, kTensor, kFunc,
  kIntList, kFloatList, kBoolList, kTypeList, kStringList, kShapeList, kTensorList, kFuncList,
};
// "int", "list(int)", …: TensorFlow's names.
std::string_view AttrKindName(AttrKind kind);

class AttrValue;

// A function by name, with attributes of its own.
struct FuncAttr {
  std::string name;
  std::vector<std::pair<std::string, AttrValue>> attrs;
  bool operator==(const FuncAttr&) const;
};

class AttrRef {
 public:
  AttrRef() : kind_(AttrKind::kNone), i_(0) {}
  AttrRef(bool v) : kind_(AttrKind::kBool), i_(v) {}
  AttrRef(int v) : kind_(AttrKind::kInt), i_(v) {}
  AttrRef(int64_t v) : kind_(AttrKind::kInt), i_(v) {}
  AttrRef(float v) : kind_(AttrKind::kFloat), f_(v) {}
  AttrRef(double v) : kind_(AttrKind::kFloat), f_(static_cast<float>(v)) {}
  AttrRef(DType v) : kind_(AttrKind::kType), i_(static_cast<int64_t>(v)) {}
  AttrRef(std::string_view v) : kind_(AttrKind::kString), n_(v.size()), p_(v.data()) {}
  AttrRef(const std::string& v) : AttrRef(std::string_view(v)) {}
  AttrRef(const char* v) : AttrRef(std::string_view(v)) {}
  AttrRef(const Shape& v) : kind_(AttrKind::kShape), p_(&v) {}
  AttrRef(const Tensor& v) : kind_(AttrKind::kTensor), p_(&v) {}
  AttrRef(const FuncAttr& v) : kind_(AttrKind::kFunc), p_(&v) {}
  AttrRef(std::span<const int64_t> v) : AttrRef(AttrKind::kIntList, v) {}
  AttrRef(const std::vector<int64_t>& v) : AttrRef(std::span<const int64_t>(v)) {}
  AttrRef(std::span<const float> v) : AttrRef(AttrKind::kFloatList, v) {}
  AttrRef(std::span<const bool> v) : AttrRef(AttrKind::kBoolList, v) {}
  AttrRef(std::span<const DType> v) : AttrRef(AttrKind::kTypeList, v) {}
  AttrRef(const std::vector<DType>& v) : AttrRef(std::span<const DType>(v)) {}
  AttrRef(std::span<const std::string> v) : AttrRef(AttrKind::kStringList, v) {}
  AttrRef(const std::vector<std::string>& v) : AttrRef(std::span<const std::string>(v)) {}
  AttrRef(std::span<const Shape> v) : AttrRef(AttrKind::kShapeList, v) {}
  AttrRef(const std::vector<Shape>& v) : AttrRef(std::span<const Shape>(v)) {}
  AttrRef(std::span<const Tensor> v) : AttrRef(AttrKind::kTensorList, v) {}
  AttrRef(std::span<const FuncAttr> v) : AttrRef(AttrKind::kFuncList, v) {}

  AttrKind kind() const { return kind_; }
  // T: bool, int64_t, int, float, DType, std::string_view, Shape, Tensor, FuncAttr, or std::span<const X> of a list.
  // The kind must be T's: schemas are checked before anyone reads.
  template <class T>
  T get() const {
    if constexpr (std::same_as<T, bool>) return i_ != 0;
    else if constexpr (std::same_as<T, int64_t> || std::same_as<T, int>) return static_cast<T>(i_);
    else if constexpr (std::same_as<T, float>) return f_;
    else if constexpr (std::same_as<T, DType>) return static_cast<DType>(i_);
    else if constexpr (std::same_as<T, std::string_view>) return {static_cast<const char*>(p_), n_};
    else if constexpr (std::same_as<T, Shape> || std::same_as<T, Tensor> || std::same_as<T, FuncAttr>) return *static_cast<const T*>(p_);
    else return T(static_cast<typename T::pointer>(p_), n_);
  }

 private:
  template <class T>
  AttrRef(AttrKind kind, std::span<const T> v) : kind_(kind), n_(v.size()), p_(v.data()) {}

  AttrKind kind_;
  size_t n_ = 0;
  union {
    int64_t i_;
    float f_;
    const void* p_;
  };
};

class AttrValue {
 public:
  // bools of a list as bytes, since vector<bool> has no data().
  struct BoolList {
    std::vector<char> values;
    bool operator==(const BoolList&) const = default;
  };
  using Variant = std::variant<std::monostate, int64_t, float, bool, DType, std::string, Shape, Tensor, FuncAttr,
                               std::vector<int64_t>, std::vector<float>, BoolList, std::vector<DType>,
                               std::vector<std::string>, std::vector<Shape>, std::vector<Tensor>, std::vector<FuncAttr>>;
  AttrValue() = default;
  explicit AttrValue(AttrRef ref);  // copies what ref borrows
  explicit AttrValue(Variant v) : v_(std::move(v)) {}

  AttrKind kind() const;
  AttrRef ref() const;  // valid while this value is
  const Variant& variant() const { return v_; }
  // As a signature or the text form of a graph spells it: 3, 0.5, true, float32, "SAME", [2,?], [1,2,2,1].
  std::string ToString() const;

 private:
  Variant v_;
};

// Equal bit for bit: floats by their bits (-0 and 0 differ, NaN equals the same NaN), tensors by dtype, shape, bytes.
bool SameAttr(AttrRef a, AttrRef b);
// Appends an encoding that is equal exactly when SameAttr says so; for hashing.
void AppendAttrKey(AttrRef attr, std::string& key);
// The same of a tensor's dtype, shape and elements. Resources and variants: by identity.
void AppendTensorKey(const Tensor& tensor, std::string& key);

// The hash of an attribute's name, made by the compiler where the name is a literal: looking an attribute up compares
// 32-bit numbers.
struct AttrName {
  uint32_t hash;
  template <size_t N>
  consteval AttrName(const char (&name)[N]) : hash(Hash({name, N - 1})) {}
  explicit AttrName(std::string_view name) : hash(Hash(name)) {}
  static constexpr uint32_t Hash(std::string_view name) {
    uint32_t h = 2166136261u;
    for (char c : name) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
  }
};

}  // namespace tandem
