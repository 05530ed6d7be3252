#include "eager/nn/layer.h"

#include <algorithm>
#include <atomic>

#include "core/executing_eagerly.h"
#include "core/scopes.h"
#include "core/status.h"
#include "eager/nn/initializers.h"
#include "eager/nn/layer_names.h"
#include "eager/nn/shape_trace.h"

namespace tandem::nn {
namespace {

// The calls that are running on this thread, innermost first. Constant-initialised: reading it costs no guard.
struct CallFrame {
  const CallFrame* outer;
  const CallOptions* options;
  bool training;
};
constinit thread_local const CallFrame* innermost = nullptr;

struct FrameScope {
  explicit FrameScope(const CallOptions& options)
      : frame{innermost, &options, options.training.value_or(innermost && innermost->training)} {
    innermost = &frame;
  }
  ~FrameScope() { innermost = frame.outer; }
  CallFrame frame;
};

std::atomic<uint64_t> structure_epoch = 1;
void NewEpoch() { structure_epoch.fetch_add(1, std::memory_order_relaxed); }

bool Contains(const std::vector<Variable>& list, const Variable& v) {
  return std::ranges::any_of(list, [&](const Variable& w) { return w.handle().rep() == v.handle().rep(); });
}

}  // namespace

Layer::Layer(LayerOptions options) : options_(std::move(options)), name_(options_.name) {
  if (!name_.empty() && !IsNodeName(name_)) ThrowError(InvalidArgument("Layer: \"", name_, "\" cannot name a layer: letters, digits, '_', '.', '-'"));
}

const std::string& Layer::name() const {
  if (name_.empty()) name_ = UniqueName(class_name());
  return name_;
}
std::string Layer::class_name() const { return ClassName(typeid(*this)); }

void Layer::Fail(const std::string& message) const { ThrowError(InvalidArgument(class_name(), ": ", message)); }

void Layer::Rethrow(const Error& error) const {
  if (error.message().find("; layer \"") != std::string::npos) throw error;
  throw Error(error.code(), error.message() + "; layer \"" + name() + "\"", error.node());
}

int64_t Layer::KnownDim(const Shape& input, int axis) const {
  const int at = axis < 0 ? axis + input.rank() : axis;
  if (!input.known_rank() || at < 0 || at >= input.rank() || input[at] < 0)
    Fail(absl::StrCat("input is ", input.ToString(), ", dim ", axis, " must be known to build variables"));
  return input[at];
}

void Layer::CheckInput(const Tensor& input) const {
  const int rank = input.rank();
  if (rank < 0) {
    if (spec_.min_rank > 0 || spec_.rank >= 0) Fail("the rank of the input must be known");
    return;
  }
  if (spec_.rank >= 0 && rank != spec_.rank) [[unlikely]]
    Fail(absl::StrCat("input must have rank ", spec_.rank, ", is ", input.shape().ToString()));
  if (rank < spec_.min_rank) [[unlikely]]
    Fail(absl::StrCat("input must have rank ", spec_.min_rank, " or more, is ", input.shape().ToString()));
  if (spec_.size < 0) return;
  const int axis = spec_.axis < 0 ? spec_.axis + rank : spec_.axis;
  if (const int64_t size = input.rep()->dims()[axis]; size >= 0 && size != spec_.size) [[unlikely]]
    Fail(absl::StrCat("input is ", input.shape().ToString(), " (dim ", axis, " = ", size, "), the layer was built for ", spec_.size, " there"));
}

void Layer::BuildOnce(std::span<const Tensor> inputs) {
  name();  // made here, so that later calls, from several threads maybe, only read it
  if (inputs.empty()) Fail("takes at least one input");
  if (inputs.size() == 1) CheckInput(inputs[0]);
  std::vector<Shape> shapes;
  for (const Tensor& t : inputs) shapes.push_back(t.shape());
  const size_t before = weights_.size();
  building_ = true;
  try {
    BuildList(shapes);
  } catch (...) {
    building_ = false;
    weights_.resize(before);  // a failed build leaves nothing, another may follow
    NewEpoch();
    throw;
  }
  building_ = false;
  built_ = true;
  for (size_t i = before; i < weights_.size(); ++i) state()->Add(weights_[i].name, weights_[i].variable);
}

void Layer::InvokeErased(std::span<const Tensor> inputs, const CallOptions& options, void (*body)(void*), void* context) {
  const FrameScope frame(options);
  try {
    if (!built_) [[unlikely]] BuildOnce(inputs);
    else if (inputs.size() == 1) CheckInput(inputs[0]);
    if (ExecutingEagerly()) return body(context);
    const NameScope scope(name());
    body(context);
  } catch (const Error& error) {
    Rethrow(error);
  }
}

Tensor Layer::Remember(Tensor y) {
  if (!output_shape_ && y.defined()) [[unlikely]] output_shape_ = y.shape();
  return y;
}

Tensor Layer::operator()(const Tensor& input, const CallOptions& options) {
  return Remember(Invoke({&input, 1}, options, [&] { return Call(input); }));
}

Tensor Layer::CallMany(const Tensors& inputs, const CallOptions& options) {
  return Remember(Invoke(inputs, options, [&] { return CallList(inputs); }));
}

Tensor Layer::Call(const Tensor& input) { Fail("Call is not written, or the layer takes several inputs: layer(Tensors{a, b})"); }

Tensor Layer::CallList(const Tensors& inputs) {
  if (inputs.size() != 1) Fail(absl::StrCat("takes one input, got ", inputs.size()));
  return Call(inputs[0]);
}

Shape Layer::OutputShape(const Shape& input, DType dtype) {
  const ShapeTrace trace;
  return (*this)(trace.Stub(dtype, input), {.training = false}).shape();
}

bool Layer::training() const { return innermost && innermost->training; }

const Tensor& Layer::mask() const {
  static const Tensor* none = new Tensor;
  return innermost ? innermost->options->mask : *none;
}

Variable Layer::AddVariable(std::string_view name, const Shape& shape, const AddVariableOptions& options) {
  for (const Weight& w : weights_)
    if (w.name == name) ThrowError(absl::AlreadyExistsError(absl::StrCat(class_name(), ": there is another variable \"", Absl(name), "\"")));
  if (!shape.fully_known()) Fail(absl::StrCat("variable ", Absl(name), " would be ", shape.ToString(), ": its shape must be known"));
  if (!shape.num_elements()) Fail(absl::StrCat("variable ", Absl(name), " would be ", shape.ToString(), ", more than 2^63 - 1 elements"));
  const DType dtype = options.dtype == DType::kInvalid ? options_.dtype : options.dtype;
  const Tensor initial = options.initializer ? options.initializer(shape, dtype) : initializers::GlorotUniform()(shape, dtype);
  if (!initial.defined() || !initial.shape().CompatibleWith(shape))
    Fail(absl::StrCat("the initializer of ", Absl(name), " gave ", initial.defined() ? initial.shape().ToString() : "nothing", ", must be ", shape.ToString()));
  weights_.push_back({std::string(name), Variable(initial, {.name = absl::StrCat(this->name(), "/", Absl(name)), .trainable = options.trainable}),
                      options.regularizer});
  if (!building_) state()->Add(name, weights_.back().variable);
  NewEpoch();
  return weights_.back().variable;
}

void Layer::TrackLayer(std::string_view name, std::shared_ptr<Layer> layer) {
  if (!layer) Fail(absl::StrCat("Track: ", Absl(name), " is null"));
  layer->name();  // names count in the order of tracking
  state()->Add(name, layer->state());
  layers_.push_back(std::move(layer));
  NewEpoch();
}

void Layer::set_trainable(bool trainable) {
  options_.trainable = trainable;
  for (const auto& layer : layers_) layer->set_trainable(trainable);
  NewEpoch();
}

const Layer::Variables& Layer::Collected() const {
  const uint64_t epoch = structure_epoch.load(std::memory_order_relaxed);
  if (collected_.epoch == epoch) return collected_;
  Variables fresh{.epoch = epoch};
  const auto add = [&](const Variable& v, bool trainable) {
    if (Contains(fresh.all, v)) return;
    fresh.all.push_back(v);
    (trainable ? fresh.trainable : fresh.frozen).push_back(v);
  };
  for (const Weight& w : weights_) add(w.variable, options_.trainable && w.variable.trainable());
  for (const auto& layer : layers_) {
    const Variables& inner = layer->Collected();
    for (const Variable& v : inner.all) add(v, options_.trainable && Contains(inner.trainable, v));
  }
  return collected_ = std::move(fresh);
}

Tensors Layer::losses() const {
  Tensors out;
  std::vector<const Layer*> seen;
  const auto visit = [&](const auto& self, const Layer& layer) -> void {
    if (std::ranges::find(seen, &layer) != seen.end()) return;
    seen.push_back(&layer);
    for (const Weight& w : layer.weights_)
      if (w.regularizer && layer.options_.trainable && w.variable.trainable()) out.push_back(w.regularizer(w.variable));
    for (const auto& inner : layer.layers_) self(self, *inner);
  };
  visit(visit, *this);
  return out;
}

}  // namespace tandem::nn
