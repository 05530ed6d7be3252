#include "core/variable_storage.h"

#include "core/device_memory.h"
#include "core/kernel.h"

#include <atomic>
#include <cstring>

namespace tandem {
namespace {

std::atomic<int64_t> live_variables = 0;


// The same elements in memory of their own.
absl::StatusOr<Tensor> Copy(const Tensor& t) {
  const TensorRep& from = *t.rep();
  TensorRep* to = NewRepLike(from, from.dtype);
  if (!to) return OutOfMemoryError("variable update", from.dtype, from.dims_span());
  if (from.dtype == kString) std::copy_n(from.as<std::string>(), from.count, to->as<std::string>());
  else if (from.bytes()) std::memcpy(to->data, from.data, from.bytes());
  return Tensor::Adopt(to);
}

}  // namespace

VariableStorage::VariableStorage(std::string name, DType dtype, Shape shape)
    : name_(std::move(name)), info_{dtype, std::move(shape)} {
  live_variables.fetch_add(1, std::memory_order_relaxed);
}
VariableStorage::~VariableStorage() { live_variables.fetch_sub(1, std::memory_order_relaxed); }
int64_t VariableStorage::live() { return live_variables.load(std::memory_order_relaxed); }

absl::Status VariableStorage::CheckAlive() const {
  if (!dead_.empty()) return absl::FailedPreconditionError(absl::StrCat("variable \"", name_, "\" ", dead_));
  return absl::OkStatus();
}

bool VariableStorage::initialized() const {
  std::lock_guard lock(mutex_);
  return value_.defined();
}

Device* VariableStorage::place() const {
  std::lock_guard lock(mutex_);
  return place_;
}

absl::Status VariableStorage::SetPlace(Device* place) {
  std::lock_guard lock(mutex_);
  ASSIGN_OR_RETURN(Tensor moved, ToPlace(value_, place));
  value_ = std::move(moved);
  place_ = place;
  return absl::OkStatus();
}

absl::StatusOr<Tensor> VariableStorage::Read() const {
  ASSIGN_OR_RETURN(const Tensor value, Value());
  return ToHost(value);
}

absl::StatusOr<Tensor> VariableStorage::Value() const {
  std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(CheckAlive());
  if (!value_.defined())
    return absl::FailedPreconditionError(absl::StrCat("variable \"", name_, "\" is read before it was initialized"));
  return value_;
}

absl::Status VariableStorage::Assign(Tensor value) {
  if (value.dtype() != info_.dtype)
    return InvalidArgument("variable \"", name_, "\" is ", Absl(DTypeName(info_.dtype)), ", the value is ", Absl(DTypeName(value.dtype())));
  if (!info_.shape.CompatibleWith(value.shape()))
    return InvalidArgument("variable \"", name_, "\" is ", info_.shape.ToString(), ", the value is ", value.shape().ToString());
  std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(CheckAlive());
  if (place_ != DeviceOf(value)) [[unlikely]] {
    ASSIGN_OR_RETURN(value, ToPlace(value, place_));
  }
  value_.swap(value);  // the old tensor goes after the lock
  return absl::OkStatus();
}

absl::Status VariableStorage::Update(absl::FunctionRef<absl::Status(Tensor&)> update) {
  std::lock_guard lock(mutex_);
  RETURN_IF_ERROR(CheckAlive());
  if (!value_.defined())
    return absl::FailedPreconditionError(absl::StrCat("variable \"", name_, "\" is updated before it was initialized"));
  if (DeviceOf(value_)) [[unlikely]] {
    ASSIGN_OR_RETURN(Tensor host, ToHost(value_));
    RETURN_IF_ERROR(update(host));
    ASSIGN_OR_RETURN(value_, ToPlace(host, place_));
    return absl::OkStatus();
  }
  if (!IsSoleOwner(*value_.rep())) {
    ASSIGN_OR_RETURN(Tensor copy, Copy(value_));
    value_ = std::move(copy);
  }
  return update(value_);
}

bool VariableStorage::Kill(std::string_view why) {
  Tensor last;
  std::lock_guard lock(mutex_);
  if (!dead_.empty()) return false;
  dead_ = why;
  last.swap(value_);
  return true;
}

absl::StatusOr<VariableStorage*> GetVariable(const TensorRep& handle, std::string_view op) {
  ResourceBase* resource = handle.dtype == kResource && handle.count >= 1 && !handle.symbolic() ? handle.as<ResourceBase*>()[0] : nullptr;
  if (!resource) return InvalidArgument(Absl(op), ": the resource handle is empty");
  auto* variable = dynamic_cast<VariableStorage*>(resource);
  if (!variable) return InvalidArgument(Absl(op), ": the resource handle holds a ", Absl(resource->kind()), ", not a variable");
  return variable;
}

Tensor MakeHandle(RefPtr<ResourceBase> resource) {
  TensorRep* rep = NewRep(kResource, {}, 1);
  if (!rep) ThrowError(absl::ResourceExhaustedError("out of memory"));
  rep->as<ResourceBase*>()[0] = resource.release();
  return Tensor::Adopt(rep);
}

RefPtr<ResourceBase> ResourceManager::LookupOrCreate(std::string_view container, std::string_view name,
                                                     absl::FunctionRef<RefPtr<ResourceBase>()> make) {
  std::lock_guard lock(mutex_);
  auto& slot = resources_[{std::string(container), std::string(name)}];
  if (!slot) slot = make();
  return slot;
}

absl::Status ResourceManager::Erase(const ResourceBase* resource) {
  std::lock_guard lock(mutex_);
  for (auto it = resources_.begin(); it != resources_.end(); ++it) {
    if (it->second.get() != resource) continue;
    resources_.erase(it);
    return absl::OkStatus();
  }
  return absl::NotFoundError("no such resource");
}

void ResourceManager::Clear() {
  std::lock_guard lock(mutex_);
  for (auto& [key, resource] : resources_)
    if (auto* variable = dynamic_cast<VariableStorage*>(resource.get())) variable->Kill("belonged to a Session that has ended");
  resources_.clear();
}

}  // namespace tandem
