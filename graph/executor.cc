#include "graph/executor.h"

#include <algorithm>
#include <new>

#include "core/context.h"
#include "core/device_memory.h"
#include "core/nan_hook.h"

namespace tandem {

std::unique_ptr<Frame> Frame::Make(const Plan& plan) {
  auto frame = std::unique_ptr<Frame>(new Frame);
  frame->reps_.resize(plan.slots.size(), nullptr);
  frame->states_.resize(plan.steps.size());
  int32_t most = 0;
  for (const Step& step : plan.steps) most = std::max(most, step.num_inputs);
  frame->inputs_.resize(most);
  if (plan.arena_bytes > 0) {
    frame->arena_class_ = SizeClass(static_cast<size_t>(plan.arena_bytes));
    frame->arena_ = frame->arena_class_ == kNoSizeClass ? nullptr : AllocateBlock(frame->arena_class_);
    if (!frame->arena_) return nullptr;
  }
  const auto has_header = [](const Slot& s) { return s.kind == SlotKind::kArena || s.kind == SlotKind::kHeader; };
  frame->num_headers_ = static_cast<int32_t>(std::count_if(plan.slots.begin(), plan.slots.end(), has_header));
  frame->headers_ = new TensorRep[frame->num_headers_];
  int32_t next = 0;
  for (size_t i = 0; i < plan.slots.size(); ++i) {
    const Slot& slot = plan.slots[i];
    if (slot.kind == SlotKind::kConstant) frame->reps_[i] = slot.constant.rep();
    if (!has_header(slot)) continue;
    TensorRep& header = frame->headers_[next++];
    header.refs.store(1, std::memory_order_relaxed);
    header.dtype = slot.dtype;
    header.rank = static_cast<uint8_t>(slot.shape.rank());
    header.storage = Storage::kArena;
    header.size_class = 0;
    header.count = slot.count;
    header.owner = nullptr;
    header.tape_mark = 0;
    header.data = slot.kind == SlotKind::kArena && slot.count > 0 ? static_cast<char*>(frame->arena_) + slot.offset : EmptySentinel();
    if (header.rank <= 3) std::copy(slot.shape.begin(), slot.shape.end(), header.inline_dims);
    else header.far_dims = const_cast<int64_t*>(slot.shape.begin());  // kernels read dims, never write them
    frame->reps_[i] = &header;
  }
  return frame;
}

Frame::~Frame() {
  delete[] headers_;
  if (arena_) FreeBlock(arena_, arena_class_);
}

absl::Status RunControl::Check() const {
  if (cancellation && cancellation->cancelled()) return absl::CancelledError("Run: cancelled");
  if (deadline != std::chrono::steady_clock::time_point::max() && std::chrono::steady_clock::now() >= deadline)
    return absl::DeadlineExceededError("Run: the timeout passed");
  return absl::OkStatus();
}

class Executor {
 public:
  Executor(const NodeGraph& graph, const Plan& plan, Frame& frame, RunEnv& env)
      : graph_(graph), plan_(plan), reps_(frame.reps_.data()), frame_(frame), env_(env), control_(env.control), trace_(env.trace) {}

  absl::Status Run(std::span<TensorRep* const> feeds, std::span<TensorRep*> fetches) {
    for (size_t i = 0; i < feeds.size(); ++i) reps_[plan_.feed_slots[i]] = feeds[i];
    absl::Status status = control_.checks() || trace_ || nan_hook_ ? Steps<true>() : Steps<false>();
    if (status.ok()) {
      for (size_t i = 0; i < fetches.size(); ++i) {
        Ref(reps_[plan_.fetch_slots[i]]);
        fetches[i] = reps_[plan_.fetch_slots[i]];
      }
    }
    for (int32_t s : plan_.owned_slots)
      if (reps_[s]) Unref(std::exchange(reps_[s], nullptr));
    return status;
  }

 private:
  template <bool kWatched>
  absl::Status Steps() {
    int64_t until_check = 0;
    for (size_t i = 0; i < plan_.steps.size(); ++i) {
      const Step& step = plan_.steps[i];
      [[maybe_unused]] std::chrono::steady_clock::time_point begin;
      if constexpr (kWatched) {
        if (control_.checks() && (step.heavy || --until_check < 0)) {
          until_check = 32;
          if (absl::Status status = control_.Check(); !status.ok()) [[unlikely]] return InNode(std::move(status), step);
        }
        if (trace_) begin = std::chrono::steady_clock::now();
      }
      if (step.kind == StepKind::kDense) [[likely]] {
        const int32_t* in = &plan_.input_slots[step.first_input];
        const void *a = reps_[in[0]]->data, *b = reps_[in[step.num_inputs - 1]]->data;
        TensorRep*& out = reps_[step.first_output];
        if (plan_.slots[step.first_output].kind == SlotKind::kOwned) {
          out = NewOutput(step.first_output);
          if (!out) [[unlikely]] return OutOfMemory(i, step.first_output);
        }
        step.dense(a, b, out->data, step.n);
      } else {
        absl::Status status = step.kind == StepKind::kView ? View(i) : step.kind == StepKind::kCopy ? Copy(i) : Kernel(i);
        if (!status.ok()) [[unlikely]] return InNode(std::move(status), step);
      }
      if constexpr (kWatched) {
        if (trace_) Record(step, begin);
        if (nan_hook_) RETURN_IF_ERROR(LookForNan(step));
      }
      for (int32_t r = 0; r < step.num_releases; ++r) {
        TensorRep*& rep = reps_[plan_.releases[step.first_release + r]];
        if (rep) Unref(std::exchange(rep, nullptr));
      }
    }
    return absl::OkStatus();
  }

  // Nodes of functions go by the call in front of them.
  [[gnu::cold]] absl::Status InNode(absl::Status status, const Step& step) {
    return WithNode(std::move(status), absl::StrCat(Absl(env_.path), Absl(UserName(graph_.node(step.node)))));
  }

  TensorRep* NewOutput(int32_t s) {
    const Slot& slot = plan_.slots[s];
    return NewRep(slot.dtype, slot.shape.dims(), slot.count);
  }
  absl::Status OutOfMemory(size_t i, int32_t s) {
    return InNode(OutOfMemoryError(plan_.calls[i].schema->name(), plan_.slots[s].dtype, plan_.slots[s].shape.dims()), plan_.steps[i]);
  }

  absl::Status View(size_t i) {
    const Step& step = plan_.steps[i];
    TensorRep& base = *reps_[plan_.input_slots[step.first_input]];
    const Slot& slot = plan_.slots[step.first_output];
    TensorRep*& out = reps_[step.first_output];
    if (slot.kind == SlotKind::kHeader) {
      out->data = base.data;
      return absl::OkStatus();
    }
    Shape shape = slot.shape;
    // What is stated of a shape (EnsureShape, Reshape to constants) holds only if the tensor that comes has it.
    if (slot.count < 0 || plan_.slots[plan_.input_slots[step.first_input]].count < 0) {
      ASSIGN_OR_RETURN(shape, InferView(i));
    }
    if (shape == base.shape()) {
      Ref(&base);
      out = &base;
      return absl::OkStatus();
    }
    out = NewView(base, base.dtype, shape.dims(), base.count, base.data);
    if (!out) return OutOfMemoryError(plan_.calls[i].schema->name(), base.dtype, shape.dims());
    return absl::OkStatus();
  }

  absl::StatusOr<Shape> InferView(size_t i) {
    const Step& step = plan_.steps[i];
    absl::InlinedVector<InferInput, 4> inputs;
    for (int32_t k = 0; k < step.num_inputs; ++k) inputs.push_back(InferInput::Of(*reps_[plan_.input_slots[step.first_input + k]]));
    InferContext infer(*plan_.calls[i].schema, inputs, plan_.calls[i].attrs);
    RETURN_IF_ERROR(infer.Run());
    return infer.outputs()[0].shape;
  }

  absl::Status Copy(size_t i) {
    const Step& step = plan_.steps[i];
    ASSIGN_OR_RETURN(Tensor copy, ToPlace(Tensor::Share(reps_[plan_.input_slots[step.first_input]]), plan_.slots[step.first_output].place));
    reps_[step.first_output] = copy.release();
    return absl::OkStatus();
  }

  // What an op handed on lies where its variable does: where the plan could not know the variable, it counted on the host.
  [[gnu::noinline]] absl::Status MoveToPlan(const Step& step) {
    for (int32_t k = 0; k < step.num_outputs; ++k) {
      TensorRep*& rep = reps_[step.first_output + k];
      if (!rep || DeviceOf(*rep) == plan_.slots[step.first_output + k].place) continue;
      ASSIGN_OR_RETURN(Tensor moved, ToPlace(Tensor::Adopt(std::exchange(rep, nullptr)), plan_.slots[step.first_output + k].place));
      rep = moved.release();
    }
    return absl::OkStatus();
  }

  absl::Status DeviceKernel(size_t i, std::span<TensorRep* const> inputs, std::span<TensorRep*> outputs) {
    const Step& step = plan_.steps[i];
    const StepCall& call = plan_.calls[i];
    for (TensorRep*& rep : outputs) rep = nullptr;
    absl::InlinedVector<Shape, 2> shapes;
    for (int32_t k = 0; k < step.num_outputs; ++k) shapes.push_back(plan_.slots[step.first_output + k].shape);
    if (std::any_of(shapes.begin(), shapes.end(), [](const Shape& s) { return !s.fully_known(); })) {
      // Integers that shapes depend on are read on the host.
      Tensors held;
      absl::InlinedVector<InferInput, 4> concrete;
      for (TensorRep* rep : inputs) {
        if (!rep->on_host() && IsInteger(rep->dtype)) {
          ASSIGN_OR_RETURN(Tensor host, ToHost(Tensor::Share(rep)));
          held.push_back(std::move(host));
          rep = held.back().rep();
        }
        concrete.push_back(InferInput::Of(*rep));
      }
      InferContext infer(*call.schema, concrete, call.attrs);
      RETURN_IF_ERROR(infer.Run());
      for (int32_t k = 0; k < step.num_outputs; ++k) shapes[k] = infer.outputs()[k].shape;
    }
    for (int32_t k = 0; k < step.num_outputs; ++k) {
      const Slot& slot = plan_.slots[step.first_output + k];
      ASSIGN_OR_RETURN(outputs[k], NewPlacedRep(*call.schema, slot.dtype, shapes[k], slot.place));
    }
    KernelCall run(*call.schema, inputs, outputs, call.attrs, &call.signature, &env_);
    run.node_state = call.state;
    return step.device->Run(*step.row, run);
  }

  absl::Status Kernel(size_t i) {
    const Step& step = plan_.steps[i];
    const StepCall& call = plan_.calls[i];
    const std::span<TensorRep*> inputs(frame_.inputs_.data(), static_cast<size_t>(step.num_inputs));
    for (int32_t k = 0; k < step.num_inputs; ++k) inputs[k] = reps_[plan_.input_slots[step.first_input + k]];
    const std::span<TensorRep*> outputs(reps_ + step.first_output, step.num_outputs);
    if (step.kind == StepKind::kDevice) return DeviceKernel(i, inputs, outputs);
    if (step.kind == StepKind::kDynamic) {
      RETURN_IF_ERROR(InferAndAllocate(call, inputs, outputs));
    } else {
      for (int32_t k = 0; k < step.num_outputs; ++k) {
        if (plan_.slots[step.first_output + k].kind != SlotKind::kOwned) continue;
        outputs[k] = nullptr;
        if (call.schema->traits() & (kAlias | kKernelAllocates)) continue;
        if (!(outputs[k] = NewOutput(step.first_output + k))) return OutOfMemory(i, step.first_output + k);
      }
    }
    KernelCall run(*call.schema, inputs, outputs, call.attrs, &call.signature, &env_);
    run.node_state = call.state;
    run.plan_state = &frame_.states_[i];
    run.dying_inputs = step.dying;
    if (step.calls) {
      env_.node = UserName(graph_.node(step.node));
      env_.plain_call = call.schema->FindAttr("f") >= 0;
    }
    try {
      RETURN_IF_ERROR(step.kernel(run));
    } catch (...) {
      return StatusFromException(std::current_exception());
    }
    if (step.calls) return CheckShapes(step, call);
    return call.schema->has(kForwards) && call.schema->has(kAlias) ? MoveToPlan(step) : absl::OkStatus();
  }

  // What a call gives was inferred from the function's body; who reads it trusts that.
  absl::Status CheckShapes(const Step& step, const StepCall& call) {
    for (int32_t k = 0; k < step.num_outputs; ++k) {
      const Slot& slot = plan_.slots[step.first_output + k];
      const TensorRep& rep = *reps_[step.first_output + k];
      if (slot.count >= 0 && rep.shape() != slot.shape)
        return absl::InternalError(absl::StrCat(call.schema->name(), ": output ", k, " is ", rep.shape().ToString(), ", ", slot.shape.ToString(), " was inferred"));
    }
    return absl::OkStatus();
  }

  absl::Status InferAndAllocate(const StepCall& call, std::span<TensorRep* const> inputs, std::span<TensorRep*> outputs) {
    absl::InlinedVector<InferInput, 4> concrete;
    for (const TensorRep* rep : inputs) concrete.push_back(InferInput::Of(*rep));
    InferContext infer(*call.schema, concrete, call.attrs);
    RETURN_IF_ERROR(infer.Run());
    for (size_t k = 0; k < outputs.size(); ++k) {
      outputs[k] = nullptr;
      if (call.schema->traits() & (kAlias | kKernelAllocates)) continue;
      const InferOutput& out = infer.outputs()[k];
      const auto count = out.shape.num_elements();
      outputs[k] = count ? NewRep(out.dtype, out.shape.dims(), *count) : nullptr;
      if (!outputs[k]) return OutOfMemoryError(call.schema->name(), out.dtype, out.shape.dims());
    }
    return absl::OkStatus();
  }

  // An input may have been overwritten in place by now; fed ones never are.
  [[gnu::noinline]] absl::Status LookForNan(const Step& step) {
    const Node& node = graph_.node(step.node);
    absl::InlinedVector<TensorRep*, 4> fed(step.num_inputs, nullptr);
    for (int32_t k = 0; k < step.num_inputs; ++k) {
      const int32_t slot = plan_.input_slots[step.first_input + k];
      if (std::find(plan_.feed_slots.begin(), plan_.feed_slots.end(), slot) != plan_.feed_slots.end()) fed[k] = reps_[slot];
    }
    const Origin origin = node.extra && !node.extra->forward.empty() ? node.extra->forward.front() : node.origin;
    try {
      nan_hook_->Check({OpName(node.op), UserName(node), origin, fed, {reps_ + step.first_output, static_cast<size_t>(step.num_outputs)}});
    } catch (...) {
      return StatusFromException(std::current_exception());
    }
    return absl::OkStatus();
  }

  [[gnu::noinline]] void Record(const Step& step, std::chrono::steady_clock::time_point begin) {
    const auto end = std::chrono::steady_clock::now();
    const Node& node = graph_.node(step.node);
    RunTrace::Event event;
    event.node = absl::StrCat(Absl(env_.path), Absl(node.name));
    event.op = OpName(node.op);
    for (const TensorId& t : node.inputs) absl::StrAppend(&event.inputs, event.inputs.empty() ? "" : ", ", graph_.TensorName(t));
    event.start_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(begin - env_.begin).count();
    event.duration_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count();
    for (int32_t k = 0; k < step.num_outputs; ++k) {
      const TensorRep* rep = reps_[step.first_output + k];
      if (!rep) continue;
      event.output_bytes += rep->bytes();
      event.outputs.push_back(std::string(DTypeName(rep->dtype)) + rep->shape().ToString());
    }
    trace_->events.push_back(std::move(event));
  }

  const NodeGraph& graph_;
  const Plan& plan_;
  TensorRep** reps_;
  Frame& frame_;
  RunEnv& env_;
  const RunControl& control_;
  RunTrace* trace_;
  NanHook* const nan_hook_ = NanHook::Active();
};

absl::Status Execute(const NodeGraph& graph, const Plan& plan, Frame& frame, std::span<TensorRep* const> feeds,
                     std::span<TensorRep*> fetches, RunEnv& env) {
  return Executor(graph, plan, frame, env).Run(feeds, fetches);
}

}  // namespace tandem
