#include "kernels/cpu/onednn_cache.h"

#include "core/parallel.h"
#include "kernels/cpu/scratch.h"

namespace tandem {
namespace {

constexpr size_t kAlignment = 64;

// Two-way buckets: of two entries the one used longer ago makes place.
struct Entry {
  PrimitiveKey key{PrimitiveKind::kNumKinds, 0};
  std::unique_ptr<OnednnPrimitive> primitive;
};
constexpr size_t kBuckets = 128;
struct Table {
  Entry entries[kBuckets][2];
};
Table& ThreadTable() {
  static thread_local Table table;
  return table;
}

class PlannedPrimitive : public KernelState {
 public:
  PlannedPrimitive(const PrimitiveKey& key, std::unique_ptr<OnednnPrimitive> p) : entry{key, std::move(p)} {}
  Entry entry;
};

// A stream belongs to a thread; on CPUs it has no state worth sharing.
const dnnl::stream& ThreadStream() {
  static thread_local const dnnl::stream stream(OnednnEngine());
  return stream;
}

dnnl::reorder MakeReorder(const dnnl::memory& from, const dnnl::memory& to) {
  dnnl::primitive_attr attr;
  attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  const dnnl::reorder::primitive_desc desc(from, to, attr);
  if (desc.scratchpad_desc().get_size()) throw dnnl::error(dnnl_unimplemented, "a reorder wants working memory");
  return dnnl::reorder(desc);
}

void Check(dnnl_status_t status, const char* what) {
  if (status != dnnl_success) throw dnnl::error(status, what);
}

}  // namespace

const dnnl::engine& OnednnEngine() {
  static const dnnl::engine* engine = new dnnl::engine(dnnl::engine::kind::cpu, 0);
  return *engine;
}

absl::Status OnednnError(std::string_view op, const dnnl::error& error) {
  const std::string text = absl::StrCat(std::string(op), ": oneDNN: ", error.message);
  switch (error.status) {
    case dnnl_out_of_memory: return absl::ResourceExhaustedError(text);
    case dnnl_unimplemented: return absl::UnimplementedError(text);
    default: return absl::InternalError(text);
  }
}

int OnednnThreads(SumSplit split) { return split == SumSplit::kByThreads ? ProcessThreads() : NumThreads(); }

uint64_t PrimitiveKey::Hash() const {
  uint64_t h = 0x9e3779b97f4a7c15;
  for (int i = 0; i < size_; ++i) h = (h ^ static_cast<uint64_t>(words_[i])) * 0xff51afd7ed558ccd, h ^= h >> 32;
  return h;
}

OnednnPrimitive::OnednnPrimitive(const dnnl::primitive_desc_base& desc, const dnnl::primitive& primitive,
                                 std::vector<OnednnArgument> args)
    : primitive_(primitive), threads_(NumThreads()) {
  const dnnl::engine& engine = OnednnEngine();
  size_t bytes = 0;
  const auto reserve = [&](size_t n) {
    const size_t offset = bytes;
    bytes += (n + kAlignment - 1) / kAlignment * kAlignment;
    return offset;
  };
  for (const OnednnArgument& arg : args) {
    Slot slot;
    slot.output = arg.output;
    slot.user = dnnl::memory(arg.desc, engine, nullptr);
    const dnnl::memory::desc wanted = arg.as_is ? arg.desc : desc.query_md(dnnl::query::exec_arg_md, arg.index);
    if (wanted == arg.desc) {
      slot.wanted = slot.user;
    } else {
      slot.reordered = true;
      slot.wanted = dnnl::memory(wanted, engine, nullptr);
      slot.offset = reserve(wanted.get_size());
      slot.reorder = arg.output ? MakeReorder(slot.wanted, slot.user) : MakeReorder(slot.user, slot.wanted);
    }
    exec_args_.push_back({arg.index, slot.wanted.get()});
    slots_.push_back(std::move(slot));
  }
  const dnnl::memory::desc scratchpad = desc.scratchpad_desc();
  if (const size_t n = scratchpad.get_size()) {
    scratchpad_ = dnnl::memory(scratchpad, engine, nullptr);
    exec_args_.push_back({DNNL_ARG_SCRATCHPAD, scratchpad_.get()});
    scratchpad_offset_ = reserve(n);
  }
  working_bytes_ = bytes;
}

absl::Status OnednnPrimitive::Run(std::string_view op, std::span<const void* const> data) {
  Scratch<char> working;
  if (working_bytes_) RETURN_IF_ERROR(working.Reserve(op, static_cast<int64_t>(working_bytes_)));
  const dnnl::stream& stream = ThreadStream();
  const auto point = [](const dnnl::memory& memory, const void* p) {
    Check(dnnl_memory_set_data_handle(memory.get(), const_cast<void*>(p)), "could not set a pointer");
  };
  const auto reorder = [&](const Slot& slot) {
    const dnnl_exec_arg_t args[2] = {{DNNL_ARG_FROM, (slot.output ? slot.wanted : slot.user).get()},
                                     {DNNL_ARG_TO, (slot.output ? slot.user : slot.wanted).get()}};
    Check(dnnl_primitive_execute(slot.reorder.get(), stream.get(), 2, args), "could not reorder an argument");
  };
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    point(slot.user, data[i]);
    if (!slot.reordered) continue;
    point(slot.wanted, working.data() + slot.offset);
    if (!slot.output) reorder(slot);
  }
  if (scratchpad_) point(scratchpad_, working.data() + scratchpad_offset_);
  Check(dnnl_primitive_execute(primitive_.get(), stream.get(), static_cast<int>(exec_args_.size()), exec_args_.data()),
        "could not execute");
  for (const Slot& slot : slots_)
    if (slot.reordered && slot.output) reorder(slot);
  return absl::OkStatus();
}

absl::Status OnednnPrimitive::Execute(std::string_view op, std::span<const void* const> data) {
  const ThreadBudget threads(threads_);
  try {
    return Run(op, data);
  } catch (const dnnl::error& error) {
    return OnednnError(op, error);
  }
}

absl::Status OnednnPrimitive::Execute(std::string_view op, std::initializer_list<const void*> data) {
  return Execute(op, std::span<const void* const>(data.begin(), data.size()));
}

absl::StatusOr<OnednnPrimitive*> CachedPrimitive(KernelCall& call, const PrimitiveKey& key,
                                                 absl::FunctionRef<std::unique_ptr<OnednnPrimitive>()> make) {
  const auto build = [&]() -> absl::StatusOr<std::unique_ptr<OnednnPrimitive>> {
    const ThreadBudget threads(key.threads());
    try {
      return make();
    } catch (const dnnl::error& error) {
      return OnednnError(call.schema.name(), error);
    }
  };
  if (call.plan_state) {
    if (!*call.plan_state) {
      ASSIGN_OR_RETURN(std::unique_ptr<OnednnPrimitive> made, build());
      *call.plan_state = std::make_unique<PlannedPrimitive>(key, std::move(made));
    }
    Entry& entry = static_cast<PlannedPrimitive&>(**call.plan_state).entry;
    if (entry.key == key) return entry.primitive.get();
    // Another budget of threads than when the plan was made: this thread's table has, or gets, that one.
  }
  Entry(&bucket)[2] = ThreadTable().entries[key.Hash() % kBuckets];
  if (bucket[0].key == key) return bucket[0].primitive.get();
  if (!(bucket[1].key == key)) {
    ASSIGN_OR_RETURN(std::unique_ptr<OnednnPrimitive> made, build());
    bucket[1] = Entry{key, std::move(made)};
  }
  std::swap(bucket[0], bucket[1]);  // the most recent first
  return bucket[0].primitive.get();
}

}  // namespace tandem
