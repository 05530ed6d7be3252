// An op, declared once: signature, inference, gradient, traits, documentation. One family is one file in core/ops/.
//
//   OpSchema AddV2Schema() {
//     return OpSchema("AddV2", "The sum of x and y, element by element, with broadcasting.")
//         .Signature("x:T, y:T", "z:T", "T:type{float,double,int32}")
//         .Traits(kElementwise | kCommutative)
//         .Infer(InferBroadcast).Gradient(AddGradient);
//   }
//
// The signature is written as TensorFlow's registry prints it: arguments `name:type` with type a dtype, a type attr,
// `N*T` (N of them), `list(Ts)` (one for each dtype of Ts) or `Ref(T)`; attributes `name:type>=minimum=default{allowed}`.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/attr.h"

namespace tandem {

// Dense: the built-in ops sorted by name, then those that users register. The id of a built-in op is Op<"MatMul">():
// no header lists the ops, so that adding one recompiles two files and not the project.
enum class OpId : uint16_t { kInvalid = 0xffff };

class InferContext;
class Recorded;
using InferFn = absl::Status (*)(InferContext&);
using GradientFn = Tensors (*)(const Recorded& op, std::span<const Tensor> dy);
using SingleGradientFn = Tensors (*)(const Recorded& op, const Tensor& dy);

// Facts about an op, used by every pass.
enum OpTrait : uint32_t {
  kStateful = 1 << 0,       // reads or writes state: never merged, folded or reordered across control edges
  kRandom = 1 << 1,         // a different value each time
  kSideEffect = 1 << 2,     // runs even when nobody reads it (prints, asserts, assignments)
  kCommutative = 1 << 3,    // swapping the first two inputs changes nothing
  kElementwise = 1 << 4,    // each output element depends on the input elements at its (broadcast) place
  kMayFail = 1 << 5,        // can fail on values, not only on shapes: integer division, gather, …
  kView = 1 << 6,           // output 0 is input 0's elements under the inferred shape
  kSameShape = 1 << 7,      // inputs of one dtype and shape give output 0 of that shape: inference may be skipped
  kKernelAllocates = 1 << 8,  // the output's shape depends on values: the kernel makes the outputs
  kReadsShapes = 1 << 10,   // reads its inputs' shapes, never their elements (Shape, Size, Rank)
  kForwards = 1 << 11,      // hands tensors on and never reads their elements: runs wherever those lie
  kAlias = 1 << 9,          // an output may be an input's or a variable's own tensor (Identity, ReadVariableOp): the kernel sets it
};

struct OpArg {
  std::string name;
  DType dtype = DType::kInvalid;  // when fixed
  int type_attr = -1;             // else the attr that says it
  int number_attr = -1;           // N*T
  int type_list_attr = -1;        // list(Ts)
  bool is_ref = false;
  bool is_list() const { return number_attr >= 0 || type_list_attr >= 0; }
};

struct OpAttr {
  std::string name;
  uint32_t hash = 0;
  AttrKind kind = AttrKind::kNone;
  bool has_default = false;
  AttrValue default_value;
  bool has_minimum = false;
  int64_t minimum = 0;
  uint64_t allowed_types = ~uint64_t{0};  // bit per DType
  bool any_type = true;                   // no list of allowed types was given
  std::vector<std::string> allowed_strings;
  // Position among the attributes that a call passes; -1 when inputs say it (a type attr of an input, the N of a list).
  int explicit_index = -1;
};

class OpSchema {
 public:
  OpSchema(std::string name, std::string documentation);
  OpSchema&& Signature(std::string_view inputs, std::string_view outputs, std::string_view attrs = "") &&;
  OpSchema&& Traits(uint32_t traits) && { traits_ |= traits; return std::move(*this); }
  OpSchema&& Infer(InferFn fn) && { infer_ = fn; return std::move(*this); }
  OpSchema&& Gradient(GradientFn fn) && { gradient_ = fn; return std::move(*this); }
  OpSchema&& Gradient(SingleGradientFn fn) && { single_gradient_ = fn; return std::move(*this); }
  // Why there is none: "values are integers", "the derivative is zero almost everywhere", …
  OpSchema&& NotDifferentiable(std::string why) && { not_differentiable_ = std::move(why); return std::move(*this); }
  // The tensors whose values the gradient reads, by argument name: "x, y", "" for none. Of the others a tape keeps
  // shape and dtype only. Without this call it keeps all.
  OpSchema&& GradientReads(std::string_view args) &&;
  // Which type attr selects the kernel, when it is not the first input's.
  OpSchema&& KernelType(std::string_view attr) &&;

  const std::string& name() const { return name_; }
  const std::string& documentation() const { return documentation_; }
  const std::vector<OpArg>& inputs() const { return inputs_; }
  const std::vector<OpArg>& outputs() const { return outputs_; }
  const std::vector<OpAttr>& attrs() const { return attrs_; }
  int num_explicit_attrs() const { return num_explicit_; }
  uint32_t traits() const { return traits_; }
  bool has(OpTrait trait) const { return traits_ & trait; }
  InferFn infer() const { return infer_; }
  bool differentiable() const { return gradient_ || single_gradient_; }
  GradientFn gradient() const { return gradient_; }
  SingleGradientFn single_gradient() const { return single_gradient_; }
  const std::string& not_differentiable() const { return not_differentiable_; }
  bool gradient_reads_input(int arg) const { return grad_inputs_ >> arg & 1; }    // by argument, not by flat input
  bool gradient_reads_output(int arg) const { return grad_outputs_ >> arg & 1; }
  int kernel_type_attr() const { return kernel_type_attr_; }  // -1: one kernel for all
  // Exactly one tensor each: no list arguments, so flat positions are argument positions.
  bool plain() const { return plain_; }

  int FindAttr(uint32_t hash) const {
    for (size_t i = 0; i < attrs_.size(); ++i)
      if (attrs_[i].hash == hash) return static_cast<int>(i);
    return -1;
  }
  int FindAttr(std::string_view name) const { return FindAttr(AttrName::Hash(name)); }
  // "AddV2(x:T, y:T) -> (z:T)  T:type{…}", for people.
  std::string SignatureText() const;
  // The texts that Signature() got.
  const std::string& attrs_text() const { return attrs_text_; }
  const std::string& inputs_text() const { return inputs_text_; }
  const std::string& outputs_text() const { return outputs_text_; }
  // What was wrong with the declaration, for ops registered at run time; empty when fine.
  const std::string& declaration_error() const { return error_; }

 private:
  void ParseArgs(std::string_view text, std::vector<OpArg>& args);
  void ParseAttrs(std::string_view text);

  std::string name_, documentation_, inputs_text_, outputs_text_, attrs_text_, error_;
  std::vector<OpArg> inputs_, outputs_;
  std::vector<OpAttr> attrs_;
  int num_explicit_ = 0;
  uint32_t traits_ = 0;
  InferFn infer_ = nullptr;
  GradientFn gradient_ = nullptr;
  SingleGradientFn single_gradient_ = nullptr;
  std::string not_differentiable_;
  uint64_t grad_inputs_ = ~uint64_t{0}, grad_outputs_ = ~uint64_t{0};
  int kernel_type_attr_ = -1;
  bool plain_ = true;
};

// The op table.
int NumBuiltinOps();
int NumOps();
std::string_view OpName(OpId id);
const OpSchema& GetOp(OpId id);       // built at the first question; id must be valid
OpId FindOp(std::string_view name);   // kInvalid when there is none

template <size_t N>
struct OpNameLiteral {
  char text[N];
  consteval OpNameLiteral(const char (&name)[N]) {
    for (size_t i = 0; i < N; ++i) text[i] = name[i];
  }
};
// The id of the op of that name, looked up at the first call. kInvalid for a name that is no op: a test calls them all.
template <OpNameLiteral name>
inline OpId Op() {
  static const OpId id = FindOp(name.text);
  return id;
}

// Adds an op at run time; its kernel is added through core/kernel.h. ALREADY_EXISTS, INVALID_ARGUMENT (signature).
absl::StatusOr<OpId> RegisterOp(OpSchema schema);

}  // namespace tandem
