// What inference sees: dtypes, shapes as far as known, constant values, attributes; and the outputs it states.
//
//   absl::Status InferMatMul(InferContext& c) {
//     ASSIGN_OR_RETURN(Shape a, c.InputOfRank(0, 2)); …
//     if (!Compatible(a_cols, b_rows)) return c.Error("inner dimensions differ: ", c.Describe(0), …);
//     return c.Output({a[0], b[1]});
//   }
//
// The same function runs on a call, at plan time and before a kernel behind data-dependent shapes, so its text is the
// text everywhere. With all input shapes known, and values where it asks for them, it must give known output shapes, or
// the op has the trait kKernelAllocates.
#pragma once
#include <optional>

#include "absl/container/inlined_vector.h"
#include "core/op.h"
#include "core/status.h"
#include "core/tensor_rep.h"

namespace tandem {

// What a resource handle is known to hold.
struct HandleInfo {
  DType dtype = DType::kInvalid;
  Shape shape = Shape::Unknown();
};

struct InferInput {
  const int64_t* dims = nullptr;
  int rank = -1;  // -1 unknown
  DType dtype = DType::kInvalid;
  const TensorRep* value = nullptr;     // when known: eagerly always, in a graph for constants
  const HandleInfo* handle = nullptr;   // of a resource, when known

  static InferInput Of(const TensorRep& rep) {
    return {rep.dims(), rep.rank == kUnknownRank ? -1 : rep.rank, rep.dtype, rep.on_host() ? &rep : nullptr, nullptr};
  }
};

inline constexpr int kMaxAttrs = 24;

// The dtypes and list lengths of one call: attrs that inputs imply, filled in by Resolve.
struct CallSignature {
  DType types[kMaxAttrs] = {};     // by attr, type attrs
  int32_t numbers[kMaxAttrs] = {};  // by attr: N of N*T, the length of list(Ts)
  int32_t list_start[kMaxAttrs] = {};  // by attr: first flat input of an inferred list(Ts)
};

struct InferOutput {
  Shape shape = Shape::Unknown();
  DType dtype = DType::kInvalid;
  std::optional<HandleInfo> handle;
};

class InferContext {
 public:
  // Borrow all four for their own life.
  InferContext(const OpSchema& schema, std::span<const InferInput> inputs, std::span<const AttrRef> attrs)
      : schema_(schema), inputs_(inputs), attrs_(attrs) {}

  // Checks number and dtypes of inputs, resolves attrs, prepares the outputs, then runs the op's inference.
  // INVALID_ARGUMENT with the op's name in front.
  absl::Status Run();
  // Only the first half: outputs have dtypes and unknown shapes.
  absl::Status Resolve();

  const OpSchema& schema() const { return schema_; }
  int num_inputs() const { return static_cast<int>(inputs_.size()); }
  int num_outputs() const { return static_cast<int>(outputs_.size()); }
  Shape input(int i) const { return inputs_[i].rank < 0 ? Shape::Unknown() : Shape({inputs_[i].dims, static_cast<size_t>(inputs_[i].rank)}); }
  int rank(int i) const { return inputs_[i].rank; }                         // -1 unknown
  int64_t dim(int i, int axis) const { return inputs_[i].rank < 0 ? kUnknownDim : inputs_[i].dims[axis]; }
  std::span<const int64_t> dims(int i) const { return {inputs_[i].dims, static_cast<size_t>(std::max(inputs_[i].rank, 0))}; }
  DType dtype(int i) const { return inputs_[i].dtype; }
  const HandleInfo* handle(int i) const { return inputs_[i].handle; }
  // The constant value of an input; null when unknown.
  const TensorRep* value(int i) const { return inputs_[i].value; }
  // Integers of an input of any integer dtype whose value is known; nothing when unknown.
  std::optional<absl::InlinedVector<int64_t, 8>> IntValues(int i) const;
  // One integer; INVALID_ARGUMENT when the input cannot be a scalar (or a one-element vector, when allowed).
  absl::StatusOr<std::optional<int64_t>> ScalarInt(int i) const;

  // bool, int64_t, float, DType, std::string_view, Shape, std::span<const int64_t>, … ; also type attrs that inputs imply
  // (DType) and N (int64_t).
  template <class T>
  T attr(AttrName name) const {
    const int i = schema_.FindAttr(name.hash);
    const OpAttr& def = schema_.attrs()[i];
    if (def.explicit_index >= 0) return attrs_[def.explicit_index].template get<T>();
    if constexpr (std::same_as<T, DType>) return signature_.types[i];
    else if constexpr (std::same_as<T, int64_t> || std::same_as<T, int>) return signature_.numbers[i];
    else return T{};
  }
  const CallSignature& signature() const { return signature_; }

  // States output 0's (or i's) shape; always OK, to be returned.
  absl::Status Output(Shape shape) { return Output(0, std::move(shape)); }
  absl::Status Output(int i, Shape shape) {
    outputs_[i].shape = std::move(shape);
    return absl::OkStatus();
  }
  void SetHandle(int i, HandleInfo info) { outputs_[i].handle = std::move(info); }
  std::span<InferOutput> outputs() { return {outputs_.data(), outputs_.size()}; }

  // "OP: message", INVALID_ARGUMENT.
  template <class... Args>
  [[gnu::cold]] absl::Status Error(const Args&... args) const {
    return InvalidArgument(schema_.name(), ": ", args...);
  }
  // "a is [2,3]": argument name (values[1] in a list) and shape.
  std::string Describe(int i) const;
  // "a is [2,3] (dim 1 = 3)".
  std::string Describe(int i, int axis) const;
  // "inner dimensions differ: a is [2,3] (dim 1 = 3), b is [4,5] (dim 0 = 4)".
  absl::Status Differ(std::string_view what, int a, int a_axis, int b, int b_axis) const;
  // The argument's name: "x", "values[1]".
  std::string InputName(int i) const;

  // Fails with "x must be a matrix, is [2,3,4]" and the like; unknown rank passes and gives a shape of unknown dimensions.
  absl::StatusOr<Shape> InputOfRank(int i, int rank) const;
  absl::StatusOr<Shape> InputOfRankAtLeast(int i, int rank) const;
  // An axis in [-rank, rank) as [0, rank); the error names value and range.
  absl::StatusOr<int> Axis(int64_t axis, int rank, std::string_view name = "axis") const;

 private:
  friend class KernelCall;
  const OpSchema& schema_;
  std::span<const InferInput> inputs_;
  std::span<const AttrRef> attrs_;
  CallSignature signature_;
  absl::InlinedVector<InferOutput, 1> outputs_;
};

// Dimensions that are equal or unknown.
inline bool Compatible(int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; }

// Shapes shared by many ops.
absl::Status InferSameAsInput(InferContext& c);   // output 0 has input 0's shape
absl::Status InferBroadcast(InferContext& c);     // all inputs broadcast together, as NumPy does
absl::Status InferScalar(InferContext& c);        // every output is a scalar
absl::Status InferUnknown(InferContext& c);       // nothing is known before the kernel ran
// a and b broadcast together; nothing when they do not.
std::optional<Shape> BroadcastShapes(const Shape& a, const Shape& b);
// All inputs must have one shape (unknown parts merge): gradient ops do not broadcast.
absl::Status InferAllSame(InferContext& c);

}  // namespace tandem
