#include "graph/function_registry.h"

#include <map>
#include <mutex>

#include "core/status.h"
#include "graph/capture.h"

namespace tandem {
namespace {

struct Registry final : FunctionRunner {
  class Instance final : public FunctionInstance {
   public:
    Instance(CapturedFunction function, Passing passing) : function_(std::move(function)), passing_(passing) {}
    int num_args() const override { return static_cast<int>(function_.input_names().size()); }
    int num_results() const override { return static_cast<int>(function_.output_names().size()); }
    absl::Status Call(KernelEnv&, std::span<TensorRep*> args, std::span<TensorRep*> results) override {
      Tensors in;
      for (TensorRep*& rep : args) in.push_back(passing_ == Passing::kTake ? Tensor::Adopt(std::exchange(rep, nullptr)) : Tensor::Share(rep));
      try {
        Tensors out = function_.Call(in);
        for (size_t i = 0; i < results.size(); ++i) results[i] = out[i].release();
        return absl::OkStatus();
      } catch (...) {
        return StatusFromException(std::current_exception());
      }
    }

   private:
    const CapturedFunction function_;
    const Passing passing_;
  };

  absl::StatusOr<std::unique_ptr<FunctionInstance>> Find(const FuncAttr& name, Passing passing) override {
    std::lock_guard lock(mutex);
    const auto it = functions.find(name.name);
    if (it == functions.end())
      return absl::NotFoundError(absl::StrCat("there is no function \"", name.name, "\" in this process: call RegisterFunction first"));
    return std::make_unique<Instance>(it->second, passing);
  }

  std::mutex mutex;
  std::map<std::string, CapturedFunction> functions;
};

Registry& registry() {
  static Registry* r = new Registry;
  return *r;
}

}  // namespace

FunctionRunner& RegisteredFunctions() { return registry(); }

void RegisterFunction(const std::string& name, const CapturedFunction& function) {
  Registry& r = registry();
  std::lock_guard lock(r.mutex);
  if (!r.functions.try_emplace(name, function).second) ThrowError(absl::AlreadyExistsError(absl::StrCat("function \"", name, "\" is registered already")));
}

}  // namespace tandem
