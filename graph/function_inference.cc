// What calls give: dtypes by the functions' signatures, shapes by their bodies.
#include <algorithm>

#include "graph/function_library.h"

namespace tandem {
namespace {

// Calls nest deeper than this in recursion mostly; beyond it shapes stay unknown.
constexpr int kMaxInferenceDepth = 6;
constexpr int kMaxLoopSteps = 4;

std::string TypesText(std::span<const DType> types) {
  std::string text;
  for (DType d : types) absl::StrAppend(&text, text.empty() ? "" : ", ", std::string(DTypeName(d)));
  return absl::StrCat("(", text, ")");
}

bool Same(std::span<const DType> a, std::span<const DType> b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

// What both say: known dimensions where they agree.
Shape Common(const Shape& a, const Shape& b) {
  if (!a.known_rank() || !b.known_rank() || a.rank() != b.rank()) return Shape::Unknown();
  Shape common = a;
  for (int i = 0; i < a.rank(); ++i)
    if (a[i] != b[i]) common[i] = kUnknownDim;
  return common;
}

bool SameShape(const Shape& a, const Shape& b) {
  if (a.known_rank() != b.known_rank()) return false;
  return !a.known_rank() || a == b;
}

// Wraps one op's functions: each by the attribute that names it.
class CallInference {
 public:
  CallInference(const FunctionLibrary* library, InferContext& c, int depth) : library_(library), c_(c), depth_(depth) {
    for (const InferOutput& out : c.outputs()) outputs_.push_back(out.dtype);
  }

  absl::Status Run() {
    if (c_.schema().FindAttr("f") >= 0) {
      ASSIGN_OR_RETURN(const auto f, Find("f", c_.attr<FuncAttr>("f")));
      RETURN_IF_ERROR(Takes(*f, "f", 0));
      RETURN_IF_ERROR(Gives(*f, "f", outputs_));
      Merge(InferResults(*f, Args(0), depth_ + 1), true);
    } else if (c_.schema().FindAttr("then_branch") >= 0) {
      ASSIGN_OR_RETURN(const auto then, Find("then_branch", c_.attr<FuncAttr>("then_branch")));
      ASSIGN_OR_RETURN(const auto otherwise, Find("else_branch", c_.attr<FuncAttr>("else_branch")));
      RETURN_IF_ERROR(Agree(*then, *otherwise, "then_branch", "else_branch"));
      RETURN_IF_ERROR(Takes(*then, "then_branch", 1));
      RETURN_IF_ERROR(Takes(*otherwise, "else_branch", 1));
      RETURN_IF_ERROR(Gives(*then, "then_branch", outputs_));
      Merge(InferResults(*then, Args(1), depth_ + 1), true);
      Merge(InferResults(*otherwise, Args(1), depth_ + 1), false);
    } else if (c_.schema().FindAttr("branches") >= 0) {
      const auto branches = c_.attr<std::span<const FuncAttr>>("branches");
      for (size_t i = 0; i < branches.size(); ++i) {
        const std::string what = absl::StrCat("branches[", i, "]");
        ASSIGN_OR_RETURN(const auto f, Find(what, branches[i]));
        RETURN_IF_ERROR(Takes(*f, what, 1));
        RETURN_IF_ERROR(Gives(*f, what, outputs_));
        Merge(InferResults(*f, Args(1), depth_ + 1), i == 0);
      }
    } else if (c_.schema().FindAttr("body") >= 0 && c_.schema().FindAttr("cond") >= 0) {
      return Loop();
    }
    return absl::OkStatus();
  }

 private:
  absl::StatusOr<std::shared_ptr<const GraphFunction>> Find(std::string_view what, const FuncAttr& name) {
    auto function = library_ ? library_->Get(name.name) : absl::NotFoundError(absl::StrCat("there is no function \"", name.name, "\""));
    if (!function.ok()) return absl::Status(function.status().code(), absl::StrCat(c_.schema().name(), ": ", Absl(what), ": ", function.status().message()));
    return function;
  }
  std::vector<InferInput> Args(int first) {
    std::vector<InferInput> args;
    for (int i = first; i < c_.num_inputs(); ++i) {
      const std::span<const int64_t> dims = c_.dims(i);
      args.push_back({dims.data(), c_.rank(i), c_.dtype(i), nullptr, c_.handle(i)});
    }
    return args;
  }
  std::vector<DType> InputTypes(int first) {
    std::vector<DType> types;
    for (int i = first; i < c_.num_inputs(); ++i) types.push_back(c_.dtype(i));
    return types;
  }
  absl::Status Takes(const GraphFunction& f, std::string_view what, int first) {
    const std::vector<DType> inputs = InputTypes(first);
    if (Same(f.arg_types, inputs)) return absl::OkStatus();
    return c_.Error(Absl(what), " \"", f.name, "\" takes ", TypesText(f.arg_types), ", it is passed ", TypesText(inputs));
  }
  absl::Status Gives(const GraphFunction& f, std::string_view what, std::span<const DType> wanted) {
    if (Same(f.result_types, wanted)) return absl::OkStatus();
    return c_.Error(Absl(what), " \"", f.name, "\" gives ", TypesText(f.result_types), ", the op says ", TypesText(wanted));
  }
  absl::Status Agree(const GraphFunction& a, const GraphFunction& b, std::string_view what_a, std::string_view what_b) {
    if (Same(a.result_types, b.result_types)) return absl::OkStatus();
    return c_.Error("the branches disagree: ", Absl(what_a), " \"", a.name, "\" gives ", TypesText(a.result_types), ", ", Absl(what_b), " \"", b.name,
                    "\" gives ", TypesText(b.result_types));
  }
  void Merge(const std::vector<InferOutput>& results, bool first) {
    for (int i = 0; i < c_.num_outputs() && i < static_cast<int>(results.size()); ++i) {
      InferOutput& out = c_.outputs()[i];
      out.shape = first ? results[i].shape : Common(out.shape, results[i].shape);
      if (first) out.handle = results[i].handle;
      else if (out.handle && (!results[i].handle || results[i].handle->dtype != out.handle->dtype)) out.handle.reset();
    }
  }

  absl::Status Loop() {
    ASSIGN_OR_RETURN(const auto cond, Find("cond", c_.attr<FuncAttr>("cond")));
    ASSIGN_OR_RETURN(const auto body, Find("body", c_.attr<FuncAttr>("body")));
    RETURN_IF_ERROR(Takes(*cond, "cond", 0));
    RETURN_IF_ERROR(Takes(*body, "body", 0));
    if (cond->result_types.size() != 1)
      return c_.Error("cond \"", cond->name, "\" gives ", cond->result_types.size(), " tensors, a condition is one");
    const std::vector<DType> vars = InputTypes(0);
    if (body->result_types.size() != vars.size())
      return c_.Error("body \"", body->name, "\" gives ", body->result_types.size(), body->result_types.size() == 1 ? " tensor" : " tensors", ", the loop has ",
                      vars.size(), vars.size() == 1 ? " variable" : " variables");
    for (size_t i = 0; i < vars.size(); ++i)
      if (body->result_types[i] != vars[i])
        return c_.Error("loop variable ", i, " is ", std::string(DTypeName(vars[i])), ", body \"", body->name, "\" gives ", std::string(DTypeName(body->result_types[i])));
    // What is true of the variables before every iteration: what they start with, as far as the body keeps it.
    std::vector<Shape> shapes;
    for (int i = 0; i < c_.num_inputs(); ++i) shapes.push_back(c_.input(i));
    for (int step = 0;; ++step) {
      if (step == kMaxLoopSteps) {
        shapes.assign(shapes.size(), Shape::Unknown());
        break;
      }
      std::vector<InferInput> args = Args(0);
      for (size_t i = 0; i < args.size(); ++i) {
        args[i].dims = shapes[i].begin();
        args[i].rank = shapes[i].rank();
      }
      const std::vector<InferOutput> results = InferResults(*body, args, depth_ + 1);
      bool stable = true;
      for (size_t i = 0; i < shapes.size(); ++i) {
        Shape common = Common(shapes[i], results[i].shape);
        stable &= SameShape(common, shapes[i]);
        shapes[i] = std::move(common);
      }
      if (stable) break;
    }
    for (size_t i = 0; i < shapes.size(); ++i) c_.outputs()[i].shape = shapes[i];
    return absl::OkStatus();
  }

  const FunctionLibrary* library_;
  InferContext& c_;
  const int depth_;
  std::vector<DType> outputs_;
};

}  // namespace

std::vector<InferOutput> InferResults(const GraphFunction& f, std::span<const InferInput> args, int depth) {
  std::vector<InferOutput> results(f.result_types.size());
  const auto unknown = [&] {
    for (size_t i = 0; i < results.size(); ++i) results[i] = {Shape::Unknown(), f.result_types[i], std::nullopt};
    return results;
  };
  if (depth > kMaxInferenceDepth || args.size() != f.args.size() || f.order.empty() || f.results.size() != results.size()) return unknown();  // not read yet, too
  NodeGraph body = f.body;
  std::vector<bool> is_arg(body.size(), false);
  for (size_t i = 0; i < args.size(); ++i) {
    Node& node = body.node(f.args[i]);
    is_arg[f.args[i]] = true;
    Shape shape = args[i].rank < 0 ? Shape::Unknown() : Shape({args[i].dims, static_cast<size_t>(args[i].rank)});
    if (const auto merged = shape.MergedWith(node.outputs[0].shape)) shape = *merged;
    node.outputs[0].shape = shape;
    if (args[i].handle) {
      auto extra = node.extra ? std::make_shared<NodeExtra>(*node.extra) : std::make_shared<NodeExtra>();
      extra->handles = {*args[i].handle};
      node.extra = std::move(extra);
    }
  }
  for (int32_t id : f.order)
    if (!is_arg[id] && !body.node(id).inputs.empty()) body.Infer(body.node(id), depth).IgnoreError();  // the error is the run's, should it come there
  for (size_t i = 0; i < results.size(); ++i) {
    const TensorId t = f.results[i];
    const NodeOutput& out = body.output(t);
    results[i] = {out.shape, f.result_types[i], std::nullopt};
    const Node& from = body.node(t.node);
    if (from.extra && static_cast<size_t>(t.output) < from.extra->handles.size() && from.extra->handles[t.output].dtype != DType::kInvalid)
      results[i].handle = from.extra->handles[t.output];
  }
  return results;
}

absl::Status InferCall(const FunctionLibrary* library, InferContext& inferred, int depth) {
  return CallsFunctions(inferred.schema()) ? CallInference(library, inferred, depth).Run() : absl::OkStatus();
}

}  // namespace tandem
