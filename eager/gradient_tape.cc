#include "eager/gradient_tape.h"

#include <algorithm>

#include "core/gradient.h"
#include "core/gradient_walk.h"
#include "core/nan_hook.h"
#include "core/ops/likeness.h"
#include "core/visit.h"
#include "eager/tape_context.h"
#include "eager/tape_explain.h"

namespace tandem {
namespace {

// The tape's records up to a value, as the walk sees them.
class TapeRecords : public GradientRecords {
 public:
  // consume: a record's tensors go as soon as its gradient is computed.
  TapeRecords(TapeContext& tape, int32_t last_value, bool consume) : tape_(tape), records_(tape.Records()), num_values_(tape.num_values()), consume_(consume) {
    while (!records_.empty() && records_.back()->first_output > last_value) records_.pop_back();
  }

  int num_records() const override { return static_cast<int>(records_.size()); }
  int num_values() const override { return num_values_; }
  std::span<const int32_t> inputs(int r) const override {
    return records_[r]->cut ? std::span<const int32_t>() : records_[r]->values();
  }
  int32_t first_output(int r) const override { return records_[r]->first_output; }
  int num_outputs(int r) const override { return records_[r]->num_outputs; }
  void Blocked(int r, int input) override { records_[r]->blocked |= TapeRecord::InputBit(input); }
  void Done(int r) override {
    if (consume_) records_[r]->Release();
  }

  absl::StatusOr<Tensors> Backward(int i, std::span<const Tensor> dy, std::span<const bool> needed) override {
    const TapeRecord& r = *records_[i];
    const NanHook::GradientOf forward(r.custom >= 0 ? tape_.custom_name(r.custom) : OpName(r.op), r.origin);
    if (r.custom >= 0) return Custom(r, dy);
    const Recorded op(GetOp(r.op), r.inputs(), r.outputs(), {r.attrs, static_cast<size_t>(r.num_attrs)}, r.origin, r.infos(), needed.data());
    return CallGradient(op, dy);
  }

 private:
  absl::StatusOr<Tensors> Custom(const TapeRecord& r, std::span<const Tensor> dy) {
    const std::string name(tape_.custom_name(r.custom));
    const std::string at = r.origin.ToString();
    const std::string where = absl::StrCat(" (in the custom gradient ", name, at.empty() ? "" : " at ", at, ")");
    Tensors dx;
    try {
      dx = tape_.custom(r.custom)(Tensors(dy.begin(), dy.end()));
    } catch (...) {
      const absl::Status status = StatusFromException(std::current_exception());
      return absl::Status(status.code(), absl::StrCat(status.message(), where));
    }
    if (dx.size() != static_cast<size_t>(r.num_inputs))
      return InvalidArgument(name, ": the backward function gave ", dx.size(), " gradients for ", r.num_inputs,
                             r.num_inputs == 1 ? " input" : " inputs", where);
    return dx;
  }

  TapeContext& tape_;
  std::vector<TapeRecord*> records_;
  const int32_t num_values_;
  const bool consume_;
};

std::string Name(const Tensor& t) { return absl::StrCat(std::string(DTypeName(t.dtype())), t.shape().ToString()); }

Tensor Ones(const Tensor& y) {
  const Shape shape = y.shape();
  if (!shape.fully_known()) return OnesLike(y);  // a graph's tensor: the run makes them
  const Tensor ones = ZerosOfShape(y.dtype(), shape);
  VisitNumeric(y.dtype(), [&]<class T>(T) {
    T* out = ones.rep()->as<T>();
    if constexpr (std::same_as<T, Half> || std::same_as<T, BFloat16>) std::fill_n(out, ones.size(), T(1.0f));
    else std::fill_n(out, ones.size(), T(1));
  });
  return ones;
}

Tensor Zeros(const Source& source) {
  const Shape shape = source.variable ? source.shape : source.tensor.shape();
  return shape.fully_known() || source.variable ? ZerosOfShape(source.dtype, shape) : ZerosLike(source.tensor);
}

Tensor Seed(const Tensor& y, const GradientOptions& options, size_t i) {
  if (i >= options.output_gradients.size() || !options.output_gradients[i].defined()) return Ones(y);
  const Tensor& dy = options.output_gradients[i];
  if (dy.dtype() != y.dtype() || !dy.shape().CompatibleWith(y.shape()))
    ThrowError(InvalidArgument("Gradient: output_gradients[", i, "] is ", Name(dy), ", y is ", Name(y)));
  return dy;
}

}  // namespace

GradientTape::GradientTape(GradientTapeOptions options)
    : options_(options), tape_(std::make_unique<TapeContext>(options.watch_accessed_variables)) {}

GradientTape::~GradientTape() {
  if (tape_->Stop(/*disown=*/true)) tape_.release();  // the stack deletes it when it is on top again
}

void GradientTape::CheckUsable(const char* what) const {
  if (!tape_->OnOwnThread())
    ThrowError(absl::FailedPreconditionError(absl::StrCat("GradientTape: ", what, " on another thread than the tape's own")));
}

void GradientTape::Watch(const Source& source) {
  CheckUsable("Watch");
  if (!source.tensor.defined()) ThrowError(absl::FailedPreconditionError("GradientTape: Watch of an undefined tensor"));
  if (!tape_->recording()) ThrowError(absl::FailedPreconditionError("GradientTape: Watch after the tape has ended with Gradient"));
  tape_->Watch(source.tensor);
}

void GradientTape::Watch(const Sources& sources) {
  for (const Source& source : sources) Watch(source);
}

GradientTape::Use::Use(GradientTape& tape, const char* what, const Tensors& ys, const Sources& sources) : tape_(tape) {
  tape.CheckUsable(what);
  if (tape.used_ && !tape.options_.persistent)
    ThrowError(absl::FailedPreconditionError(
        "GradientTape: Gradient was called before, and this tape serves one call: make it with {.persistent = true}"));
  for (const Tensor& y : ys)
    if (!y.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(what, ": y is an undefined tensor")));
  for (const Source& x : sources)
    if (!x.tensor.defined()) ThrowError(absl::FailedPreconditionError(absl::StrCat(what, ": a source is undefined")));
  tape.used_ = true;
  if (!tape.options_.persistent) tape.tape_->Stop(/*disown=*/false);
}

GradientTape::Use::~Use() {
  if (!tape_.options_.persistent) tape_.tape_->ReleaseTensors();
}

Tensors GradientTape::Use::Walk(const Tensors& ys, const Sources& sources, const GradientOptions& options, bool consume) {
  TapeContext& tape = *tape_.tape_;
  absl::InlinedVector<GradientSeed, 1> seeds;
  int32_t last = -1;
  for (size_t i = 0; i < ys.size(); ++i) {
    const int32_t value = tape.ValueOf(*ys[i].rep());
    if (value < 0) continue;
    seeds.push_back({value, Seed(ys[i], options, i)});
    last = std::max(last, value);
  }
  absl::InlinedVector<int32_t, 8> values;
  for (const Source& x : sources) values.push_back(tape.ValueOf(*x.tensor.rep()));

  Tensors gradients(sources.size());
  if (last >= 0) {
    TapeRecords records(tape, last, consume);
    gradients = ValueOrThrow(WalkGradients(records, {seeds.data(), seeds.size()}, {values.data(), values.size()}));
  }
  if (options.unconnected == UnconnectedGradients::kZero)
    for (size_t i = 0; i < gradients.size(); ++i)
      if (!gradients[i].defined()) gradients[i] = Zeros(sources[i]);
  return gradients;
}

Tensors GradientTape::Gradient(const Tensors& ys, const Sources& sources, const GradientOptions& options) {
  if (options.output_gradients.size() > ys.size())
    ThrowError(InvalidArgument("Gradient: ", options.output_gradients.size(), " output_gradients for ", ys.size(), " targets"));
  return Use(*this, "Gradient", ys, sources).Walk(ys, sources, options, /*consume=*/!options_.persistent);
}

std::string GradientTape::Explain(const Tensor& y, const Source& x) const { return ExplainPath(*tape_, y, x); }

const Tensors& GradientTape::watched_handles() const { return tape_->watched_handles(); }

GradientTape::Pause::Pause(TapeContext* tape) : tape_(tape) { tape_->Pause(); }
GradientTape::Pause::~Pause() { tape_->Resume(); }

}  // namespace tandem
