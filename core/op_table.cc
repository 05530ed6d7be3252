#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "core/op.h"
#include "core/status.h"

namespace tandem {

#define TANDEM_OP(name) OpSchema name##Schema();
#include "core/ops/op_list.inc"
#undef TANDEM_OP

namespace {

constexpr int kMaxOps = 4096;

constexpr std::string_view kBuiltinNames[] = {
#define TANDEM_OP(name) #name,
#include "core/ops/op_list.inc"
#undef TANDEM_OP
};
static_assert(std::is_sorted(std::begin(kBuiltinNames), std::end(kBuiltinNames)), "op_list.inc is sorted by name");

constexpr int kBuiltin = static_cast<int>(std::size(kBuiltinNames));

using SchemaMaker = OpSchema (*)();
constexpr SchemaMaker kBuiltinSchemas[] = {
#define TANDEM_OP(name) name##Schema,
#include "core/ops/op_list.inc"
#undef TANDEM_OP
};

// Schemas are made at the first question, so that a process pays for the ops it uses. Never destroyed.
struct Table {
  std::array<std::atomic<const OpSchema*>, kMaxOps> schemas = {};
  std::atomic<int> size = kBuiltin;
  std::mutex mutex;  // registration
  std::unordered_map<std::string, OpId> registered;
};
Table& table() {
  static Table* t = new Table;
  return *t;
}

}  // namespace

int NumBuiltinOps() { return kBuiltin; }

int NumOps() { return table().size.load(std::memory_order_acquire); }

const OpSchema& GetOp(OpId id) {
  static Table& t = table();
  auto& slot = t.schemas[static_cast<int>(id)];
  if (const OpSchema* schema = slot.load(std::memory_order_acquire)) [[likely]] return *schema;
  auto made = std::make_unique<OpSchema>(kBuiltinSchemas[static_cast<int>(id)]());
  const OpSchema* expected = nullptr;
  if (slot.compare_exchange_strong(expected, made.get(), std::memory_order_acq_rel)) return *made.release();
  return *expected;
}

std::string_view OpName(OpId id) {
  const auto i = static_cast<int>(id);
  if (i < kBuiltin) return kBuiltinNames[i];
  return i < NumOps() ? std::string_view(GetOp(id).name()) : "invalid";
}

OpId FindOp(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(kBuiltinNames), std::end(kBuiltinNames), name);
  if (found != std::end(kBuiltinNames) && *found == name) return static_cast<OpId>(found - std::begin(kBuiltinNames));
  Table& t = table();
  if (NumOps() == kBuiltin) return OpId::kInvalid;
  std::lock_guard lock(t.mutex);
  const auto it = t.registered.find(std::string(name));
  return it == t.registered.end() ? OpId::kInvalid : it->second;
}

absl::StatusOr<OpId> RegisterOp(OpSchema schema) {
  if (!schema.declaration_error().empty()) return InvalidArgument(schema.name(), ": ", schema.declaration_error());
  if (FindOp(schema.name()) != OpId::kInvalid) return absl::AlreadyExistsError(absl::StrCat(schema.name(), ": the op is registered already"));
  Table& t = table();
  std::lock_guard lock(t.mutex);
  const int id = t.size.load(std::memory_order_relaxed);
  if (id == kMaxOps) return absl::ResourceExhaustedError("the op table is full");
  if (t.registered.contains(schema.name())) return absl::AlreadyExistsError(absl::StrCat(schema.name(), ": the op is registered already"));
  const std::string name = schema.name();
  t.schemas[id].store(new OpSchema(std::move(schema)), std::memory_order_release);
  t.registered[name] = static_cast<OpId>(id);
  t.size.store(id + 1, std::memory_order_release);
  return static_cast<OpId>(id);
}

}  // namespace tandem
