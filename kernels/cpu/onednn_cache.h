// oneDNN primitives that are made once and run many times on the caller's pointers.
//
//   PrimitiveKey key(PrimitiveKind::kMatMul, threads);
//   key.Add(m, k, n, transpose_a, transpose_b);
//   ASSIGN_OR_RETURN(OnednnPrimitive * p, CachedPrimitive(call, key, [&] { return MakeMatMul(…); }));
//   return p->Execute(call.schema.name(), {a, b, product});
//
// Each thread keeps a bounded table of prepared primitives; a node of a plan keeps its own in KernelCall::plan_state.
// What is dear, the generated code, is shared through oneDNN's process-wide cache, which is bounded and thread-safe. A
// warm Execute sets pointers and calls: working memory comes from the tensor allocator, since oneDNN's own scratchpads
// belong to the thread that made the primitive.
//
// Errors: UNIMPLEMENTED where oneDNN has no implementation, RESOURCE_EXHAUSTED, INTERNAL. Dimensions of size 0 never come here.
#pragma once
#include <array>
#include <cstring>
#include <memory>
#include <oneapi/dnnl/dnnl.hpp>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/kernel.h"

namespace tandem {

enum class PrimitiveKind : int64_t {
  kMatMul, kMatMulAdd, kConvolution, kConvolutionAdd, kConvolutionInput, kConvolutionFilter, kNumKinds,
};

// How many threads a primitive may use. A sum that threads share depends in its last bits on their number: such
// primitives run with the process's number whatever the Run's budget is, so that every mode gives the same bits.
enum class SumSplit { kNever, kByThreads };
int OnednnThreads(SumSplit split);

class PrimitiveKey {
 public:
  PrimitiveKey(PrimitiveKind kind, int threads) { Add(static_cast<int64_t>(kind), threads); }
  template <class... Ints>
  void Add(Ints... values) {
    ((words_[size_++] = static_cast<int64_t>(values)), ...);
  }
  int threads() const { return static_cast<int>(words_[1]); }
  uint64_t Hash() const;
  bool operator==(const PrimitiveKey& other) const {
    return size_ == other.size_ && std::memcmp(words_.data(), other.words_.data(), size_ * sizeof words_[0]) == 0;
  }

 private:
  static constexpr int kMaxWords = 48;
  int size_ = 0;
  std::array<int64_t, kMaxWords> words_;
};

// One argument as the caller holds it; where the primitive wants another layout, Execute reorders.
struct OnednnArgument {
  int index;                 // DNNL_ARG_…
  dnnl::memory::desc desc;
  bool output = false;
  bool as_is = false;        // the tensor of a binary post-op: always taken as the caller holds it
};

class OnednnPrimitive {
 public:
  // Runs with the threads of the calling thread's budget. Throws dnnl::error.
  OnednnPrimitive(const dnnl::primitive_desc_base& desc, const dnnl::primitive& primitive, std::vector<OnednnArgument> args);
  // One pointer for each argument, in their order.
  absl::Status Execute(std::string_view op, std::initializer_list<const void*> data);
  absl::Status Execute(std::string_view op, std::span<const void* const> data);

 private:
  struct Slot {
    dnnl::memory user, wanted;  // the same object unless the layouts differ
    dnnl::reorder reorder;
    bool reordered = false, output = false;
    size_t offset = 0;          // of wanted, in the working memory
  };
  absl::Status Run(std::string_view op, std::span<const void* const> data);

  dnnl::primitive primitive_;
  std::vector<Slot> slots_;
  std::vector<dnnl_exec_arg_t> exec_args_;
  dnnl::memory scratchpad_;
  size_t working_bytes_ = 0, scratchpad_offset_ = 0;
  int threads_ = 1;
};

// The primitive under `key`, made by `make` (which may throw dnnl::error) if there is none; null, and remembered so, where
// `make` gave null. Valid until this thread's next call.
absl::StatusOr<OnednnPrimitive*> CachedPrimitive(KernelCall& call, const PrimitiveKey& key,
                                                 absl::FunctionRef<std::unique_ptr<OnednnPrimitive>()> make);

// The CPU engine of the process.
const dnnl::engine& OnednnEngine();
absl::Status OnednnError(std::string_view op, const dnnl::error& error);

}  // namespace tandem
