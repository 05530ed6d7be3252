#include "graph/plan.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "core/context.h"
#include "core/scopes.h"
#include "core/variable_storage.h"
#include "graph/arena_plan.h"
#include "graph/function_library.h"
#include "graph/placement.h"

namespace tandem {
namespace {

// Small tensors that shapes and constants alone decide are computed when the plan is made: the shape arithmetic of a
// reshape, then, is known to everything behind it.
constexpr int64_t kPlanTimeBytes = 1024;
// The dense functions run on the calling thread: beyond this many elements the kernel, which may use more, is better.
constexpr int64_t kDenseLimit = 16 << 10;
constexpr int64_t kHeavyElements = 4 << 10;

class PlanMaker {
 public:
  PlanMaker(const NodeGraph& graph, std::span<const int32_t> order, const GraphRoots& roots,
            std::span<const FeedInfo> feeds, bool owns_feeds, PlanEnv& env)
      : graph_(graph), order_(order), roots_(roots), feeds_(feeds), owns_feeds_(owns_feeds), env_(env), plan_(std::make_unique<Plan>()) {}

  absl::StatusOr<std::unique_ptr<Plan>> Make() {
    MakeSlots();
    for (size_t i = 0; i < roots_.feeds.size(); ++i) SetFeed(i);
    for (int32_t id : order_) RETURN_IF_ERROR(AddNode(id));
    for (TensorId t : roots_.fetches) {
      ASSIGN_OR_RETURN(const int32_t s, SlotAt(SlotOf(t), nullptr, t.node));
      plan_->fetch_slots.push_back(s);
    }
    FindLastUses();
    AssignBuffers();
    for (size_t s = 0; s < plan_->slots.size(); ++s)
      if (plan_->slots[s].kind == SlotKind::kOwned || IsOwnFeed(plan_->slots[s])) plan_->owned_slots.push_back(static_cast<int32_t>(s));
    return std::move(plan_);
  }

 private:
  int32_t SlotOf(TensorId t) const { return plan_->first_slot[t.node] + t.output; }
  Slot& slot(int32_t s) { return plan_->slots[s]; }
  bool IsOwnFeed(const Slot& s) const { return owns_feeds_ && s.kind == SlotKind::kFeed; }

  void MakeSlots() {
    plan_->first_slot.resize(graph_.size() + 1);
    int32_t next = 0;
    for (int32_t id = 0; id < graph_.size(); ++id) {
      plan_->first_slot[id] = next;
      next += static_cast<int32_t>(graph_.node(id).outputs.size());
    }
    plan_->first_slot[graph_.size()] = next;
    plan_->slots.resize(next);
    for (int32_t s = 0; s < next; ++s) slot(s).root = s;
    handles_.resize(next);
    is_feed_.resize(graph_.size());
    for (int32_t id : roots_.feeds) is_feed_[id] = true;
  }

  void SetFeed(size_t i) {
    const int32_t s = plan_->first_slot[roots_.feeds[i]];
    Slot& feed = slot(s);
    feed.kind = SlotKind::kFeed;
    feed.dtype = graph_.node(roots_.feeds[i]).outputs[0].dtype;
    feed.shape = feeds_[i].shape;
    feed.count = feed.shape.fully_known() ? feed.shape.num_elements().value_or(-1) : -1;
    handles_[s] = feeds_[i].handle;
    plan_->feed_slots.push_back(s);
  }

  void SetConstant(int32_t s, Tensor value) {
    Slot& c = slot(s);
    c.kind = SlotKind::kConstant;
    c.dtype = value.dtype();
    c.shape = value.shape();
    c.count = value.size();
    c.constant = std::move(value);
  }

  // Runs the node's kernel now, on constants.
  absl::StatusOr<Tensors> Evaluate(const Node& node, const InferContext& infer, std::span<const AttrRef> attrs) {
    absl::InlinedVector<TensorRep*, 4> inputs;
    for (const TensorId& t : node.inputs) inputs.push_back(slot(SlotOf(t)).constant.rep());
    absl::InlinedVector<TensorRep*, 2> outputs(node.outputs.size(), nullptr);
    ContextScope eager(nullptr);
    DeviceScope host("/cpu:0");
    RETURN_IF_ERROR(CurrentContext().Dispatch({node.op, inputs, attrs, node.origin, {}}, {outputs.data(), outputs.size()}));
    Tensors values;
    for (TensorRep* rep : outputs) values.push_back(Tensor::Adopt(rep));
    return values;
  }

  absl::Status AddHandle(const Node& node, int32_t id) {
    if (node.extra && node.extra->captured.defined()) {
      SetConstant(plan_->first_slot[id], node.extra->captured);
    } else {
      const auto attrs = node.attr_refs();
      TensorRep* out = nullptr;
      CallSignature signature;
      KernelCall call(node.schema(), {}, {&out, 1}, attrs, &signature, &env_.kernel_env());
      RETURN_IF_ERROR(WithNode(GetCpuKernel(node.op).find(DType::kInvalid)(call), node.name));
      SetConstant(plan_->first_slot[id], Tensor::Adopt(out));
      if (Device* place = DeviceOfNode(node)) {
        ASSIGN_OR_RETURN(VariableStorage * variable, GetVariable(*out, node.schema().name()));
        if (variable->place() != place) RETURN_IF_ERROR(WithNode(variable->SetPlace(place), node.name));
      }
    }
    handles_[plan_->first_slot[id]] = {node.attr("dtype").get<DType>(), node.attr("shape").get<Shape>()};
    return absl::OkStatus();
  }

  absl::Status AddNode(int32_t id) {
    const Node& node = graph_.node(id);
    if (is_feed_[id]) return absl::OkStatus();
    if (node.op == Op<"Const">()) {
      SetConstant(plan_->first_slot[id], node.attrs[0].ref().get<Tensor>());
      return absl::OkStatus();
    }
    if (node.op == Op<"VarHandleOp">()) return AddHandle(node, id);

    const OpSchema& schema = node.schema();
    StepCall call;
    call.schema = &schema;
    for (const AttrValue& a : node.attrs) call.attrs.push_back(a.ref());
    absl::InlinedVector<InferInput, 4> inputs;
    bool constant_inputs = true, known_inputs = true;
    for (const TensorId& t : node.inputs) {
      const Slot& in = slot(SlotOf(t));
      const HandleInfo& handle = handles_[SlotOf(t)];
      inputs.push_back({in.shape.begin(), in.shape.rank(), in.dtype, in.constant.rep(),
                        handle.dtype != DType::kInvalid ? &handle : nullptr});
      constant_inputs &= in.kind == SlotKind::kConstant;
      known_inputs &= in.count >= 0;
    }
    InferContext infer(schema, inputs, call.attrs);
    RETURN_IF_ERROR(WithNode(infer.Run(), UserName(node)));
    const bool calls = CallsFunctions(schema);
    if (calls) RETURN_IF_ERROR(WithNode(InferCall(graph_.library(), infer), UserName(node)));
    if (infer.num_outputs() != static_cast<int>(node.outputs.size()))
      return absl::InternalError(absl::StrCat(schema.name(), ": ", infer.num_outputs(), " outputs at run time, ",
                                              node.outputs.size(), " in the graph; node \"", std::string(node.name), "\""));
    call.signature = infer.signature();

    bool known = known_inputs;
    int64_t bytes = 0, elements = 0;
    for (int i = 0; i < infer.num_outputs(); ++i) {
      Slot& out = slot(plan_->first_slot[id] + i);
      out.dtype = infer.outputs()[i].dtype;
      out.shape = infer.outputs()[i].shape;
      out.count = out.shape.fully_known() ? out.shape.num_elements().value_or(-2) : -1;
      if (out.count == -2) return WithNode(OutOfMemoryError(schema.name(), out.dtype, out.shape.dims()), node.name);
      known &= out.count >= 0;
      if (out.count > 0) {
        elements += out.count;
        bytes += CheckedMultiply(out.count, static_cast<int64_t>(std::max<size_t>(DTypeSize(out.dtype), 1))).value_or(INT64_MAX / 4);
      }
    }
    for (int i = 0; i < infer.num_outputs(); ++i)
      if (infer.outputs()[i].handle) handles_[plan_->first_slot[id] + i] = *infer.outputs()[i].handle;
    const bool pure = !calls && !(schema.traits() & (kStateful | kSideEffect | kRandom));
    if (pure && node.controls.empty() && !node.outputs.empty() && bytes <= kPlanTimeBytes && known) {
      const bool shape_only = schema.has(kReadsShapes);
      if (constant_inputs || shape_only) {
        if (shape_only && !constant_inputs) RETURN_IF_ERROR(EvaluateShape(node, id, call));
        else if (auto values = Evaluate(node, infer, call.attrs); values.ok())
          for (size_t i = 0; i < values->size(); ++i) SetConstant(plan_->first_slot[id] + static_cast<int32_t>(i), (*values)[i]);
        if (slot(plan_->first_slot[id]).kind == SlotKind::kConstant) return absl::OkStatus();
        // A failing evaluation is left to the run, which fails with the node's name.
      }
    }

    Step step{};
    step.node = id;
    absl::InlinedVector<int32_t, 4> slots;
    for (const TensorId& t : node.inputs) slots.push_back(SlotOf(t));
    if (AnyDevices()) RETURN_IF_ERROR(WithNode(PlaceStep(node, id, call, step, slots), UserName(node)));
    step.first_input = static_cast<int32_t>(plan_->input_slots.size());
    step.num_inputs = static_cast<int32_t>(node.inputs.size());
    for (int32_t s : slots) plan_->input_slots.push_back(s);
    step.first_output = plan_->first_slot[id];
    step.num_outputs = static_cast<int32_t>(node.outputs.size());
    if (schema.has(kStateful)) call.state = env_.NodeState(node.name);

    if (schema.has(kView)) {
      step.kind = StepKind::kView;
    } else if (step.row) {
      step.kind = StepKind::kDevice;
    } else {
      const CpuKernel& kernels = GetCpuKernel(node.op);
      step.kernel = FindKernel(node.op, call.signature);
      step.kind = known ? StepKind::kKernel : StepKind::kDynamic;
      step.dense = known ? FindDense(kernels, step) : nullptr;
      if (step.dense) {
        step.kind = StepKind::kDense;
        step.n = slot(step.first_output).count;
      } else if (!step.kernel) {
        const int attr = schema.kernel_type_attr();
        return WithNode(NoKernelError(schema, attr < 0 ? DType::kInvalid : call.signature.types[attr]), node.name);
      }
    }
    step.calls = calls;
    step.heavy = elements > kHeavyElements || step.kind == StepKind::kDynamic || schema.has(kSideEffect);
    plan_->heavy |= step.heavy;
    plan_->steps.push_back(step);
    plan_->calls.push_back(std::move(call));
    return absl::OkStatus();
  }

  // Says where the step runs, and takes its inputs from where they are wanted: copies go in front of it.
  absl::Status PlaceStep(const Node& node, int32_t id, const StepCall& call, Step& step, absl::InlinedVector<int32_t, 4>& slots) {
    const OpSchema& schema = *call.schema;
    const auto out = [&](size_t i) -> Slot& { return slot(plan_->first_slot[id] + static_cast<int32_t>(i)); };
    if (schema.has(kReadsShapes)) return absl::OkStatus();
    if (schema.traits() & (kView | kForwards)) {
      for (size_t i = 0; i < slots.size(); ++i) {
        const bool elements = !schema.has(kView) || i == 0;
        if (slot(slots[i]).dtype == kResource) {
          // A variable's value lies where the variable lives; of one known in the Run only, on the host.
          const Tensor& handle = slot(slots[i]).constant;
          const auto variable = handle.defined() ? GetVariable(*handle.rep(), schema.name()) : absl::StatusOr<VariableStorage*>(nullptr);
          if (schema.has(kAlias) && i < node.outputs.size() && variable.ok() && *variable) out(i).place = (*variable)->place();
        } else if (!elements || WishesPlace(node)) {
          ASSIGN_OR_RETURN(slots[i], SlotAt(slots[i], elements ? DeviceOfNode(node) : nullptr, id));
        }
        if (elements && i < node.outputs.size() && slot(slots[i]).dtype != kResource) out(i).place = slot(slots[i]).place;
      }
      return absl::OkStatus();
    }
    Device* device = DeviceOfNode(node);
    const TandemKernelRow* row = device ? device->FindKernel(node.op, call.signature) : nullptr;
    for (size_t i = 0; i < slots.size(); ++i) {
      ASSIGN_OR_RETURN(slots[i], SlotAt(slots[i], row && !OnHostMask(row->host_inputs, i) ? device : nullptr, id));
    }
    if (!row) return absl::OkStatus();
    step.device = device;
    step.row = row;
    for (size_t i = 0; i < node.outputs.size(); ++i) out(i).place = OnHostMask(row->host_outputs, i) ? nullptr : device;
    return absl::OkStatus();
  }

  // The slot of the same elements at a place: s itself, or that of a copy, made once. reader: the node that asks.
  absl::StatusOr<int32_t> SlotAt(int32_t s, Device* place, int32_t reader) {
    if (slot(s).place == place || !FitsOnDevices(slot(s).dtype)) return s;
    const auto [it, added] = copies_.try_emplace({s, place}, static_cast<int32_t>(plan_->slots.size()));
    if (!added) return it->second;
    const int32_t copy = it->second;
    Slot made = slot(s);
    made.place = place;
    made.root = copy;
    if (made.kind == SlotKind::kConstant) {
      ASSIGN_OR_RETURN(made.constant, ToPlace(made.constant, place));
    } else {
      made.kind = SlotKind::kOwned;
      Step step{};
      step.kind = StepKind::kCopy;
      step.node = reader;
      step.first_input = static_cast<int32_t>(plan_->input_slots.size());
      step.num_inputs = 1;
      plan_->input_slots.push_back(s);
      step.first_output = copy;
      step.num_outputs = 1;
      plan_->steps.push_back(step);
      plan_->calls.emplace_back().schema = &GetOp(Op<"Identity">());
    }
    plan_->slots.push_back(std::move(made));
    handles_.emplace_back();
    return copy;
  }

  // Shape, Size and Rank read no elements: their kernels run on an empty header with the planned dimensions.
  absl::Status EvaluateShape(const Node& node, int32_t id, const StepCall& call) {
    absl::InlinedVector<TensorRep, 2> headers(node.inputs.size());
    absl::InlinedVector<TensorRep*, 2> inputs;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Slot& in = slot(SlotOf(node.inputs[i]));
      FillHeader(headers[i], in);
      headers[i].data = EmptySentinel();
      inputs.push_back(&headers[i]);
    }
    absl::InlinedVector<TensorRep*, 2> outputs;
    Tensors values;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Slot& out = slot(plan_->first_slot[id] + static_cast<int32_t>(i));
      TensorRep* rep = NewRep(out.dtype, out.shape.dims(), out.count);
      if (!rep) return OutOfMemoryError(call.schema->name(), out.dtype, out.shape.dims());
      values.push_back(Tensor::Adopt(rep));
      outputs.push_back(rep);
    }
    KernelFn kernel = FindKernel(node.op, call.signature);
    if (!kernel) return absl::OkStatus();
    KernelCall run(*call.schema, inputs, {outputs.data(), outputs.size()}, call.attrs, &call.signature, &env_.kernel_env());
    RETURN_IF_ERROR(WithNode(kernel(run), node.name));
    for (size_t i = 0; i < values.size(); ++i) SetConstant(plan_->first_slot[id] + static_cast<int32_t>(i), values[i]);
    return absl::OkStatus();
  }

  static void FillHeader(TensorRep& header, const Slot& from) {
    header.refs.store(1, std::memory_order_relaxed);
    header.dtype = from.dtype;
    header.rank = static_cast<uint8_t>(from.shape.rank());
    header.storage = Storage::kArena;
    header.count = from.count;
    header.tape_mark = 0;
    if (header.rank <= 3) std::copy(from.shape.begin(), from.shape.end(), header.inline_dims);
    else header.far_dims = const_cast<int64_t*>(from.shape.begin());
  }

  // The dense function, when all inputs have the output's shape and one dtype.
  DenseFn FindDense(const CpuKernel& kernels, const Step& step) {
    if (kernels.dense_inputs == 0 || step.num_inputs != kernels.dense_inputs || step.num_outputs != 1) return nullptr;
    const Slot& first = slot(plan_->input_slots[step.first_input]);
    const Slot& last = slot(plan_->input_slots[step.first_input + step.num_inputs - 1]);
    const bool same = first.dtype == last.dtype && first.shape == last.shape && slot(step.first_output).shape == first.shape;
    return same && first.count <= kDenseLimit ? kernels.dense[static_cast<uint8_t>(first.dtype)] : nullptr;
  }

  // Which step reads each slot's elements last, through views too, and which slots must be tensors of their own because
  // something may keep them: fetches, and inputs of ops that hand tensors on or keep them.
  void FindLastUses() {
    const size_t n = plan_->slots.size();
    fetched_.assign(n, false);
    escapes_.assign(n, false);
    last_use_.assign(n, -1);
    for (int32_t s : plan_->fetch_slots) fetched_[s] = escapes_[s] = true;
    // Views first, backwards: a base escapes when a view of it does.
    for (size_t i = plan_->steps.size(); i-- > 0;) {
      const Step& step = plan_->steps[i];
      const OpSchema& schema = *plan_->calls[i].schema;
      const bool keeps = schema.traits() & (kAlias | kStateful | kSideEffect);
      for (int32_t k = 0; k < step.num_inputs; ++k) {
        const int32_t s = plan_->input_slots[step.first_input + k];
        // A view of unknown shape is made in the Run: its base's buffer must live as long as it does.
        const bool viewed = step.kind == StepKind::kView && k == 0 && (escapes_[step.first_output] || slot(step.first_output).count < 0);
        if (keeps || viewed) escapes_[s] = true;
      }
    }
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      const Step& step = plan_->steps[i];
      if (step.kind != StepKind::kView) continue;
      const int32_t base = plan_->input_slots[step.first_input], out = step.first_output;
      // A view that does not escape, of known shape, is a header over its base; else it is a tensor that holds a
      // reference, and the base's own life may end.
      if (!escapes_[out] && slot(out).count >= 0 && slot(base).count >= 0 && !slot(base).place) {
        slot(out).kind = SlotKind::kHeader;
        slot(out).root = slot(base).root;
      }
    }
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      const Step& step = plan_->steps[i];
      for (int32_t k = 0; k < step.num_inputs; ++k)
        last_use_[slot(plan_->input_slots[step.first_input + k]).root] = static_cast<int32_t>(i);
      for (int32_t k = 0; k < step.num_outputs; ++k) {
        int32_t& last = last_use_[slot(step.first_output + k).root];
        last = std::max(last, static_cast<int32_t>(i));
      }
    }
  }

  void AssignBuffers() {
    ArenaPlan arena;
    // Roots by the step after which their buffer is free.
    std::vector<std::vector<int32_t>> ends(plan_->steps.size());
    if (owns_feeds_)
      for (int32_t s : plan_->feed_slots)
        if (last_use_[s] >= 0) ends[last_use_[s]].push_back(s);
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      Step& step = plan_->steps[i];
      const OpSchema& schema = *plan_->calls[i].schema;
      int32_t reused = -1;
      for (int32_t k = 0; k < step.num_outputs; ++k) {
        const int32_t s = step.first_output + k;
        Slot& out = slot(s);
        if (out.kind == SlotKind::kHeader) continue;
        const bool in_arena = (step.kind == StepKind::kDense || step.kind == StepKind::kKernel) && !escapes_[s] && out.count >= 0 &&
                              DTypeSize(out.dtype) > 0 && !schema.has(kAlias) && !schema.has(kKernelAllocates);
        if (in_arena) {
          out.kind = SlotKind::kArena;
          const int64_t bytes = out.count * static_cast<int64_t>(DTypeSize(out.dtype));
          reused = step.num_outputs == 1 && schema.has(kElementwise) ? InPlaceInput(step, static_cast<int32_t>(i)) : -1;
          out.offset = reused >= 0 ? slot(reused).offset : arena.Take(bytes);
        } else {
          out.kind = SlotKind::kOwned;
        }
        if (last_use_[s] >= 0) ends[last_use_[s]].push_back(s);
      }
      step.first_release = static_cast<int32_t>(plan_->releases.size());
      for (int32_t s : ends[i]) {
        if (slot(s).kind == SlotKind::kArena && s != reused) arena.Give(slot(s).offset);
        if ((slot(s).kind == SlotKind::kOwned || IsOwnFeed(slot(s))) && !fetched_[s]) plan_->releases.push_back(s);
      }
      step.num_releases = static_cast<int32_t>(plan_->releases.size()) - step.first_release;
      MarkDying(step);
    }
    plan_->arena_bytes = arena.size();
  }

  // Inputs that this step lets go of. Those read twice are not: a kernel would write one and read the other.
  void MarkDying(Step& step) {
    const std::span<const int32_t> released(plan_->releases.data() + step.first_release, step.num_releases);
    const std::span<const int32_t> inputs(plan_->input_slots.data() + step.first_input, step.num_inputs);
    for (size_t k = 0; k < inputs.size() && k < 64 && !released.empty(); ++k)
      if (std::find(released.begin(), released.end(), inputs[k]) != released.end() && std::count(inputs.begin(), inputs.end(), inputs[k]) == 1)
        step.dying |= uint64_t{1} << k;
  }

  // An input whose buffer the output may take over: its last reader is this step, its elements lie one for one where the
  // output's do, and no other input reads the same buffer in another shape.
  int32_t InPlaceInput(const Step& step, int32_t index) {
    const Slot& out = slot(step.first_output);
    for (int32_t k = 0; k < step.num_inputs; ++k) {
      const int32_t s = plan_->input_slots[step.first_input + k], root = slot(s).root;
      const Slot& in = slot(s);
      if (slot(root).kind != SlotKind::kArena || last_use_[root] != index || in.shape != out.shape ||
          slot(root).count != out.count || DTypeSize(in.dtype) != DTypeSize(out.dtype) ||
          DTypeSize(slot(root).dtype) != DTypeSize(out.dtype))
        continue;
      bool alone = true;
      for (int32_t m = 0; m < step.num_inputs; ++m) {
        const int32_t other = plan_->input_slots[step.first_input + m];
        alone &= slot(other).root != root || slot(other).shape == out.shape;
      }
      if (alone) return root;
    }
    return -1;
  }

  const NodeGraph& graph_;
  std::span<const int32_t> order_;
  const GraphRoots& roots_;
  std::span<const FeedInfo> feeds_;
  const bool owns_feeds_;
  PlanEnv& env_;
  std::unique_ptr<Plan> plan_;
  std::vector<HandleInfo> handles_;  // by slot
  absl::flat_hash_map<std::pair<int32_t, Device*>, int32_t> copies_;  // slot and place -> slot
  std::vector<bool> is_feed_;             // by node
  std::vector<bool> fetched_, escapes_;  // by slot
  std::vector<int32_t> last_use_;    // by slot: of roots
};

}  // namespace

std::string_view UserName(const Node& node) {
  return node.extra && !node.extra->sources.empty() ? std::string_view(node.extra->sources.front()) : node.name;
}

absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const NodeGraph& graph, std::span<const int32_t> order, const GraphRoots& roots,
                                               std::span<const FeedInfo> feeds, bool owns_feeds, PlanEnv& env) {
  return PlanMaker(graph, order, roots, feeds, owns_feeds, env).Make();
}

}  // namespace tandem
