// The value behind a resource variable: what a handle tensor refers to. Goes with its last handle.
//
// A tensor's value never changes: Read shares the stored tensor, and an update writes in place only where the variable
// holds the sole reference; else it makes a new one. Each operation is atomic under the variable's mutex.
#pragma once
#include <map>
#include <mutex>
#include <string>

#include "absl/functional/function_ref.h"
#include "core/infer.h"
#include "core/resource.h"
#include "core/tensor.h"

namespace tandem {

class Device;

class VariableStorage : public ResourceBase {
 public:
  VariableStorage(std::string name, DType dtype, Shape shape);
  ~VariableStorage() override;
  std::string_view kind() const override { return "variable"; }

  const std::string& name() const { return name_; }
  DType dtype() const { return info_.dtype; }
  const HandleInfo& info() const { return info_; }  // the declared shape, unknown dimensions possible

  bool initialized() const;
  // The value for the host to read: a copy when the variable lives on a device. FAILED_PRECONDITION before the first
  // Assign.
  absl::StatusOr<Tensor> Read() const;
  // The value where the variable lives.
  absl::StatusOr<Tensor> Value() const;
  // Where it lives: null for the host. Values that are assigned are copied there.
  Device* place() const;
  absl::Status SetPlace(Device* place);
  // INVALID_ARGUMENT when the dtype is not the variable's, or the shape does not fit the declared one.
  absl::Status Assign(Tensor value);
  // Runs update(value) under the mutex, where value is the stored tensor with the sole reference to its elements: a copy
  // was made if anyone else held one. update always sees it on the host. update may write the elements and may replace the tensor.
  absl::Status Update(absl::FunctionRef<absl::Status(Tensor& value)> update);
  // Drops the value for good: later use is FAILED_PRECONDITION, saying why ("was destroyed"). False when it was dead.
  bool Kill(std::string_view why);

  // Variables alive in the process, for leak tests.
  static int64_t live();

 private:
  absl::Status CheckAlive() const;
  const std::string name_;
  const HandleInfo info_;
  mutable std::mutex mutex_;
  Tensor value_;
  Device* place_ = nullptr;
  std::string dead_;  // why, when it is
};

// The variable behind a resource tensor. INVALID_ARGUMENT (naming op and what it is) when it holds none.
absl::StatusOr<VariableStorage*> GetVariable(const TensorRep& handle, std::string_view op);
// A scalar resource tensor that holds a reference.
Tensor MakeHandle(RefPtr<ResourceBase> resource);

// The named resources of a process (eagerly) or a Session.
class ResourceManager {
 public:
  // The resource under container and name, made by `make` if there is none.
  RefPtr<ResourceBase> LookupOrCreate(std::string_view container, std::string_view name,
                                      absl::FunctionRef<RefPtr<ResourceBase>()> make);
  // NOT_FOUND when there is none.
  absl::Status Erase(const ResourceBase* resource);
  // Kills all variables: handles that outlive the Session say so.
  void Clear();
  ~ResourceManager() { Clear(); }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, std::string>, RefPtr<ResourceBase>, std::less<>> resources_;
};

}  // namespace tandem
