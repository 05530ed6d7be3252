#include "eager/tape_context.h"

#include <algorithm>
#include <atomic>
#include <mutex>

#include "core/kernel.h"

namespace tandem {
namespace {

// The serials of living tapes. A mark older than all of them belongs to nobody and may be overwritten.
struct LiveTapes {
  std::mutex mutex;
  std::vector<uint32_t> serials;  // ascending
  uint32_t next = 1;
};
LiveTapes& live_tapes() {
  static LiveTapes* tapes = new LiveTapes;
  return *tapes;
}
std::atomic<uint32_t> oldest_live = 1;

uint32_t NewSerial() {
  LiveTapes& tapes = live_tapes();
  std::lock_guard lock(tapes.mutex);
  if (tapes.next == 0) tapes.next = 1;  // 0 marks trainable variables
  tapes.serials.push_back(tapes.next);
  oldest_live.store(tapes.serials.front(), std::memory_order_relaxed);
  return tapes.next++;
}

void EndSerial(uint32_t serial) {
  LiveTapes& tapes = live_tapes();
  std::lock_guard lock(tapes.mutex);
  tapes.serials.erase(std::find(tapes.serials.begin(), tapes.serials.end(), serial));
  oldest_live.store(tapes.serials.empty() ? tapes.next : tapes.serials.front(), std::memory_order_relaxed);
}

bool IsLive(uint64_t mark) {
  const auto serial = static_cast<uint32_t>(mark >> 32);
  return serial != 0 && static_cast<int32_t>(serial - oldest_live.load(std::memory_order_relaxed)) >= 0;
}

uint64_t LoadMark(TensorRep& rep) { return std::atomic_ref(rep.tape_mark).load(std::memory_order_relaxed); }

// Whether nobody else can have seen the tensor, nor any tape.
bool IsFresh(const TensorRep& rep) { return rep.tape_mark == 0 && rep.refs.load(std::memory_order_relaxed) == 1; }

absl::Status NoMemory() { return absl::ResourceExhaustedError("GradientTape: out of memory while recording"); }

bool CarriesGradient(DType dtype) {
  constexpr auto bit = [](DType d) { return uint32_t{1} << static_cast<int>(d); };
  constexpr uint32_t kCarry = bit(kFloat32) | bit(kFloat64) | bit(kFloat16) | bit(kBFloat16) | bit(kComplex64) | bit(kComplex128) | bit(kVariant);
  return kCarry >> static_cast<int>(dtype) & 1;
}

// Which argument each flat input or output belongs to.
absl::InlinedVector<int, 8> ArgumentOf(const OpSchema& schema, const std::vector<OpArg>& args, int n, std::span<const AttrRef> attrs) {
  absl::InlinedVector<int, 8> out(n);
  absl::InlinedVector<int, 8> length(args.size(), 1);
  int known = 0, open = 0;
  for (size_t a = 0; a < args.size(); ++a) {
    if (args[a].is_list()) {
      const OpAttr& attr = schema.attrs()[args[a].number_attr >= 0 ? args[a].number_attr : args[a].type_list_attr];
      if (attr.explicit_index < 0) {
        length[a] = -1;
        ++open;
        continue;
      }
      const AttrRef& value = attrs[attr.explicit_index];
      length[a] = static_cast<int>(value.kind() == AttrKind::kInt ? value.get<int64_t>() : static_cast<int64_t>(value.get<std::span<const DType>>().size()));
    }
    known += length[a];
  }
  int i = 0;
  for (size_t a = 0; a < args.size(); ++a)
    for (int k = length[a] < 0 ? (n - known) / open : length[a]; k > 0 && i < n; --k) out[i++] = static_cast<int>(a);
  return out;
}

// The values whose tensors a gradient does not read are kept as dtype and shape.
[[gnu::always_inline]] inline TensorInfo InfoOf(const TensorRep& rep, TapeArena& arena, const TensorInfo& same) {
  TensorInfo info{nullptr, rep.dtype, rep.rank};
  if (rep.rank == 0 || rep.rank == kUnknownRank) return info;
  // Loops: a call to memcmp costs more than two or three dims do.
  const int64_t* dims = rep.dims();
  bool equal = same.rank == rep.rank;
  for (int i = 0; equal && i < rep.rank; ++i) equal = same.dims[i] == dims[i];
  if (equal) {
    info.dims = same.dims;
  } else if (auto* copy = static_cast<int64_t*>(arena.Allocate(rep.rank * sizeof(int64_t)))) {
    for (int i = 0; i < rep.rank; ++i) copy[i] = dims[i];
    info.dims = copy;
  }
  return info;
}

}  // namespace

TapeContext::TapeContext(bool watch_accessed_variables)
    : serial_(NewSerial()), below_(&CurrentContext()), home_(&thread_state), watch_variables_(watch_accessed_variables) {
  thread_state.context = this;
}

TapeContext::~TapeContext() {
  if (!released_)
    for (TapeRecord* r = last_; r; r = r->previous) r->Release();
  EndSerial(serial_);
}

bool TapeContext::Stop(bool disown) {
  recording_ = false;
  if (below_ && OnOwnThread() && thread_state.context == this) {
    thread_state.context = below_;
    in_stack_ = false;
  }
  if (!in_stack_ || !disown) return false;
  orphan_ = true;
  return true;
}

absl::Status TapeContext::Dispatch(const OpCall& call, std::span<TensorRep*> outputs) {
  absl::Status status = below_->Dispatch(call, outputs);
  if (!recording_ || paused_ || !status.ok()) [[unlikely]] {
    if (orphan_ && thread_state.context == this) {
      thread_state.context = below_;
      delete this;
    }
    return status;
  }
  // A mark that is not ours (often a tape's that is gone) matters only where the side map may know the tensor.
  bool known = false;
  for (TensorRep* in : call.inputs) {
    const uint64_t mark = LoadMark(*in);
    known |= mark != 0 && (mark >> 32 == serial_ || mark == kTrainableMark || !side_.empty());
  }
  if (!known) return status;
  const GradientOverrideFn* gradient = GradientOverride::Find(call.op);
  status = gradient ? RecordOverride(call, outputs, *gradient) : Record(call, outputs);
  if (!status.ok()) [[unlikely]]
    for (TensorRep*& rep : outputs)
      if (rep) Unref(std::exchange(rep, nullptr));
  return status;
}

int32_t TapeContext::ValueOf(const TensorRep& rep) const {
  const uint64_t mark = LoadMark(const_cast<TensorRep&>(rep));
  if (mark >> 32 == serial_) return static_cast<int32_t>(mark);
  if (mark == 0 || side_.empty()) return kNoValue;
  const auto it = side_.find(&rep);
  return it == side_.end() ? kNoValue : it->second;
}

int32_t TapeContext::InputValue(TensorRep& rep, bool differentiable) {
  const int32_t value = ValueOf(rep);
  if (value != kNoValue || !differentiable || !watch_variables_ || LoadMark(rep) != kTrainableMark) return value;
  return WatchHandle(rep);
}

int32_t TapeContext::WatchHandle(TensorRep& handle) {
  const int32_t value = next_value_++;
  if (LoadMark(handle) == kTrainableMark) side_.emplace(&handle, value);  // pinned by handles_
  else SetMark(handle, value);
  handles_.push_back(Tensor::Share(&handle));
  return value;
}

void TapeContext::Watch(const Tensor& t) {
  TensorRep& rep = *t.rep();
  if (ValueOf(rep) >= 0) return;
  if (rep.dtype == kResource) WatchHandle(rep);
  else if (CarriesGradient(rep.dtype)) SetMark(rep, next_value_++);
}

void TapeContext::SetMark(TensorRep& rep, int32_t value) {
  const uint64_t mine = uint64_t{serial_} << 32 | static_cast<uint32_t>(value);
  std::atomic_ref mark(rep.tape_mark);
  uint64_t old = mark.load(std::memory_order_relaxed);
  while (old != kTrainableMark && (!IsLive(old) || old >> 32 == serial_))
    if (mark.compare_exchange_weak(old, mine, std::memory_order_relaxed)) return;
  if (side_.insert_or_assign(&rep, value).second) pinned_.push_back(Tensor::Share(&rep));
}

inline void TapeContext::MarkOutput(TensorRep& rep, int32_t value) {
  // A fresh tensor is nobody else's: its mark needs no atomic exchange.
  if (IsFresh(rep)) rep.tape_mark = uint64_t{serial_} << 32 | static_cast<uint32_t>(value);
  else SetMark(rep, value);
}

// An output may be an input's or a variable's own tensor. As a value of its own it needs a header of its own, unless a
// tape below has already given it one in this call (then it carries that tape's mark and is no input).
absl::Status TapeContext::MakeFresh(TensorRep*& rep, std::span<TensorRep* const> inputs) const {
  const bool known = ValueOf(*rep) != kNoValue || std::find(inputs.begin(), inputs.end(), rep) != inputs.end();
  if (!known && (rep->refs.load(std::memory_order_relaxed) == 1 || IsLive(LoadMark(*rep)))) return absl::OkStatus();
  TensorRep* fresh = rep->symbolic() ? NewSymbolic(rep->dtype, rep->shape(), rep->symbol())
                                     : NewView(*rep, rep->dtype, rep->dims_span(), rep->count, rep->data);
  if (!fresh) return NoMemory();
  Unref(std::exchange(rep, fresh));
  return absl::OkStatus();
}

inline TapeRecord* TapeContext::NewRecord(OpId op, int num_inputs, int num_outputs, Origin origin) {
  void* memory = arena_.Allocate(TapeRecord::Bytes(num_inputs, num_outputs));
  if (!memory) return nullptr;
  auto* r = new (memory) TapeRecord{last_, op, false, 0, num_inputs, num_outputs, next_value_, -1, 0, origin, nullptr};
  last_ = r;
  ++num_records_;
  next_value_ += num_outputs;
  for (int i = 0; i < r->size(); ++i) new (r->tensors() + i) Tensor();
  return r;
}

absl::Status TapeContext::Record(const OpCall& call, std::span<TensorRep*> outputs) {
  const OpSchema& schema = GetOp(call.op);
  const bool differentiable = schema.differentiable();
  const int n = static_cast<int>(call.inputs.size()), m = static_cast<int>(outputs.size());
  int32_t few[8];
  std::vector<int32_t> many;
  int32_t* values = few;
  if (n > 8) [[unlikely]] {
    many.resize(n);
    values = many.data();
  }
  bool tracked = false;
  int32_t cut = kNoValue;
  for (int i = 0; i < n; ++i) {
    const uint64_t mark = LoadMark(*call.inputs[i]);
    values[i] = mark == 0 ? kNoValue : mark >> 32 == serial_ ? static_cast<int32_t>(mark) : InputValue(*call.inputs[i], differentiable);
    if (values[i] >= 0) tracked = true;
    else if (values[i] != kNoValue) cut = values[i];
  }
  if (m == 0) return absl::OkStatus();
  if (!tracked) {
    if (cut != kNoValue) PassCut(outputs, cut);
    return absl::OkStatus();
  }

  bool any_output = false;
  for (int i = 0; i < m; ++i) {
    if (!IsFresh(*outputs[i])) RETURN_IF_ERROR(MakeFresh(outputs[i], call.inputs));
    any_output |= CarriesGradient(outputs[i]->dtype);
  }
  TapeRecord* r = NewRecord(call.op, n, m, call.origin);
  if (!r) return NoMemory();
  for (int i = 0; i < n; ++i) r->input_values()[i] = values[i];
  r->cut = !differentiable || !any_output;
  for (int i = 0; i < m; ++i) {
    if (outputs[i]->dtype == kResource) continue;
    const int32_t value = r->first_output + i;
    MarkOutput(*outputs[i], r->cut || !CarriesGradient(outputs[i]->dtype) ? value | static_cast<int32_t>(kCutBit) : value);
  }
  if (r->cut) {
    for (int i = 0; i < m; ++i) r->infos()[n + i] = {nullptr, outputs[i]->dtype, 0};
  } else {
    if (!call.attrs.empty()) {
      r->attrs = arena_.Copy(call.attrs);
      if (!r->attrs) return NoMemory();
      r->num_attrs = static_cast<int32_t>(call.attrs.size());
    }
    // Dims are often those of a tensor that is kept, or of one before: then they are not copied.
    TensorInfo same;
    const auto keep = [&](int slot, TensorRep& rep, bool read) {
      if (!read && !rep.symbolic() && rep.dtype != kVariant) {
        const TensorInfo info = InfoOf(rep, arena_, same);
        if (info.dims || rep.rank == 0) {
          r->infos()[slot] = same = info;
          return;
        }
      }
      r->tensors()[slot] = Tensor::Share(&rep);
      if (!rep.symbolic()) same = {rep.dims(), rep.dtype, rep.rank};
    };
    if (schema.plain()) {
      for (int i = 0; i < n; ++i) keep(i, *call.inputs[i], schema.gradient_reads_input(i));
      for (int i = 0; i < m; ++i) keep(n + i, *outputs[i], schema.gradient_reads_output(i));
    } else {
      const auto in = ArgumentOf(schema, schema.inputs(), n, call.attrs), out = ArgumentOf(schema, schema.outputs(), m, call.attrs);
      for (int i = 0; i < n; ++i) keep(i, *call.inputs[i], schema.gradient_reads_input(in[i]));
      for (int i = 0; i < m; ++i) keep(n + i, *outputs[i], schema.gradient_reads_output(out[i]));
    }
  }
  return absl::OkStatus();
}

// What depends on a cut value only: it is remembered on fresh outputs, no record is made.
void TapeContext::PassCut(std::span<TensorRep*> outputs, int32_t cut) {
  for (TensorRep* rep : outputs)
    if (IsFresh(*rep)) MarkOutput(*rep, cut);
}

absl::StatusOr<TapeRecord*> TapeContext::NewCustomRecord(std::string_view name, std::span<TensorRep* const> inputs,
                                                         std::span<TensorRep*> outputs, Origin origin) {
  const int n = static_cast<int>(inputs.size()), m = static_cast<int>(outputs.size());
  absl::InlinedVector<int32_t, 4> values;
  bool tracked = false;
  for (TensorRep* in : inputs) {
    values.push_back(InputValue(*in, true));
    tracked |= values.back() >= 0;
  }
  if (!tracked) return static_cast<TapeRecord*>(nullptr);
  Custom custom{std::string(name), nullptr, {}};
  for (TensorRep*& out : outputs) {
    if (const int32_t value = ValueOf(*out); value != kNoValue) custom.hidden.push_back(value);
    RETURN_IF_ERROR(MakeFresh(out, inputs));
  }
  TapeRecord* r = NewRecord(OpId::kInvalid, n, m, origin);
  if (!r) return NoMemory();
  r->custom = static_cast<int32_t>(customs_.size());
  customs_.push_back(std::move(custom));
  for (int i = 0; i < n + m; ++i) {
    TensorRep& rep = *(i < n ? inputs[i] : outputs[i - n]);
    if (i < n) r->input_values()[i] = values[i];
    else MarkOutput(rep, CarriesGradient(rep.dtype) ? r->first_output + i - n : (r->first_output + i - n) | static_cast<int32_t>(kCutBit));
    r->infos()[i] = InfoOf(rep, arena_, {});
    if (rep.rank != 0 && rep.rank != kUnknownRank && !r->infos()[i].dims) return NoMemory();
  }
  return r;
}

absl::Status TapeContext::RecordCustom(std::string_view name, const Tensors& inputs, Tensors& outputs, BackwardFn backward, Origin origin) {
  RETURN_IF_ERROR(below_->RecordCustom(name, inputs, outputs, backward, origin));
  if (!recording_ || paused_) return absl::OkStatus();
  absl::InlinedVector<TensorRep*, 4> in, out;
  for (const Tensor& t : inputs) in.push_back(t.rep());
  for (Tensor& t : outputs) out.push_back(t.release());
  const absl::StatusOr<TapeRecord*> r = NewCustomRecord(name, in, {out.data(), out.size()}, origin);
  for (size_t i = 0; i < out.size(); ++i) outputs[i] = Tensor::Adopt(out[i]);
  if (r.ok() && *r) customs_.back().backward = std::move(backward);
  return r.status();
}

// The derivative keeps the call's tensors, as values of this tape: what it computes from them is differentiable again.
absl::Status TapeContext::RecordOverride(const OpCall& call, std::span<TensorRep*> outputs, const GradientOverrideFn& gradient) {
  ASSIGN_OR_RETURN(TapeRecord* const r, NewCustomRecord(OpName(call.op), call.inputs, outputs, call.origin));
  if (!r) return absl::OkStatus();
  Tensors in, out;
  for (TensorRep* rep : call.inputs) in.push_back(Tensor::Share(rep));
  for (TensorRep* rep : outputs) out.push_back(Tensor::Share(rep));
  customs_.back().backward = GradientOverride::Bind(call.op, gradient, std::move(in), std::move(out));
  return absl::OkStatus();
}

std::vector<TapeRecord*> TapeContext::Records() const {
  std::vector<TapeRecord*> records(num_records_);
  size_t i = records.size();
  for (TapeRecord* r = last_; r; r = r->previous) records[--i] = r;
  return records;
}

void TapeContext::ReleaseTensors() {
  released_ = true;
  for (TapeRecord* r = last_; r; r = r->previous) r->Release();
  for (Custom& custom : customs_) custom.backward = nullptr;
  for (const Tensor& t : pinned_) side_.erase(t.rep());
  pinned_.clear();
}

}  // namespace tandem
