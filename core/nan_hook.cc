#include "core/nan_hook.h"

#include <cmath>

#include "core/context.h"
#include "core/visit.h"

namespace tandem {
namespace {

constinit thread_local NanHook* innermost = nullptr;

template <class T>
bool IsBad(const T& v, bool infinities) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>) {
    return IsBad(v.real(), infinities) || IsBad(v.imag(), infinities);
  } else {
    const auto d = static_cast<double>(static_cast<std::conditional_t<std::same_as<T, double>, double, float>>(v));
    return std::isnan(d) || (infinities && std::isinf(d));
  }
}

const char* NameOf(double v) { return std::isnan(v) ? "nan" : v > 0 ? "inf" : "-inf"; }
template <class T>
std::string Text(const T& v) {
  if constexpr (std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>)
    return absl::StrCat("(", v.real(), ", ", v.imag(), ")");
  else return NameOf(static_cast<float>(v));
}

struct Bad {
  int64_t element = -1;
  std::string value;
};
Bad FindBad(TensorRep& rep, bool infinities) {
  Bad bad;
  if (rep.symbolic() || !IsDifferentiable(rep.dtype)) return bad;
  const Tensor tensor = Tensor::Share(&rep);  // whose data() a device's tensor is copied for
  VisitNumeric(rep.dtype, [&]<class T>(T) {
    if constexpr (std::is_floating_point_v<T> || std::same_as<T, Half> || std::same_as<T, BFloat16> || !std::is_integral_v<T>) {
      const std::span<const T> data = tensor.data<T>();
      for (size_t i = 0; i < data.size() && bad.element < 0; ++i)
        if (IsBad(data[i], infinities)) bad = {static_cast<int64_t>(i), Text(data[i])};
    }
  });
  return bad;
}

}  // namespace

// Lies in the stack of contexts, below the tapes and above the context that was current.
class NanHook::Watch final : public Context {
 public:
  explicit Watch(NanHook& hook) : hook_(hook), below_(CurrentContext()), scope_(this) {}

  absl::Status Dispatch(const OpCall& call, std::span<TensorRep*> outputs) override {
    RETURN_IF_ERROR(below_.Dispatch(call, outputs));
    try {
      hook_.Check({OpName(call.op), {}, call.origin, call.inputs, outputs});
    } catch (...) {
      for (TensorRep*& rep : outputs)
        if (rep) Unref(std::exchange(rep, nullptr));
      return StatusFromException(std::current_exception());
    }
    return absl::OkStatus();
  }
  bool executing_eagerly() const override { return below_.executing_eagerly(); }
  Context& base() override { return below_.base(); }
  RandomSeeds& random_seeds() override { return below_.random_seeds(); }
  absl::Status RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward, Origin origin) override {
    return below_.RecordCustom(name, inputs, outputs, std::move(backward), origin);
  }

 private:
  NanHook& hook_;
  Context& below_;
  ContextScope scope_;
};

std::atomic<int> NanHook::count_ = 0;

NanHook* NanHook::Innermost() { return innermost; }

NanHook::NanHook(NanHookOptions options) : options_(std::move(options)), outer_(innermost), watch_(std::make_unique<Watch>(*this)) {
  innermost = this;
  count_.fetch_add(1, std::memory_order_relaxed);
}

NanHook::~NanHook() {
  innermost = outer_;
  count_.fetch_sub(1, std::memory_order_relaxed);
}

void NanHook::Check(const Call& call) {
  if (found_ && options_.report) return;
  for (size_t i = 0; i < call.outputs.size(); ++i) {
    if (!call.outputs[i]) continue;
    const Bad bad = FindBad(*call.outputs[i], options_.infinities);
    if (bad.element < 0) continue;
    found_ = true;
    const bool backward = !forward_op_.empty();
    const std::string where = (backward ? forward_ : call.origin).ToString();
    std::string text = absl::StrCat("NanHook: ", Absl(call.op), " gave ", bad.value);
    if (backward) absl::StrAppend(&text, " in the gradient of ", Absl(forward_op_));
    absl::StrAppend(&text, where.empty() ? "" : " at ", where, ": element ", bad.element, " of ");
    if (call.outputs.size() > 1) absl::StrAppend(&text, "output ", i, ", ");
    absl::StrAppend(&text, Absl(DTypeName(call.outputs[i]->dtype)), call.outputs[i]->shape().ToString());
    for (size_t k = 0; k < call.inputs.size(); ++k)
      if (const Bad input = call.inputs[k] ? FindBad(*call.inputs[k], options_.infinities) : Bad(); input.element >= 0) {
        absl::StrAppend(&text, "; its input ", k, " has ", input.value, " already");
        break;
      }
    absl::Status status = absl::InvalidArgumentError(text);
    if (!call.node.empty()) status = WithNode(std::move(status), call.node);
    if (!options_.report) ThrowError(status);
    options_.report({std::string(call.op), std::string(call.node), where, std::string(status.message())});
    return;
  }
}

NanHook::GradientOf::GradientOf(std::string_view op, Origin origin) : hook_(Active()) {
  if (!hook_) return;
  op_ = std::exchange(hook_->forward_op_, op);
  origin_ = std::exchange(hook_->forward_, origin);
}
NanHook::GradientOf::~GradientOf() {
  if (!hook_) return;
  hook_->forward_op_ = op_;
  hook_->forward_ = origin_;
}

}  // namespace tandem
