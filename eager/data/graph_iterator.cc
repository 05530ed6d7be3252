#include "eager/data/graph_iterator.h"

#include <atomic>

#include "core/context.h"
#include "core/iterator.h"
#include "core/ops/host_function.h"
#include "eager/data/node.h"

namespace tandem::data::internal {
namespace {

class Walk : public ElementSource {
 public:
  explicit Walk(NodePtr node) : cursor_(MakeCursor(std::move(node), 0)) {}
  absl::StatusOr<bool> Next(Tensors* element) override {
    try {
      return cursor_->Next(*element);
    } catch (...) {
      return StatusFromException(std::current_exception());
    }
  }

 private:
  std::shared_ptr<Cursor> cursor_;
};

class OwnedDataset : public DatasetVariant {
 public:
  explicit OwnedDataset(NodePtr node) : node_(std::move(node)) {}
  absl::StatusOr<std::unique_ptr<ElementSource>> MakeIterator() const override { return std::make_unique<Walk>(node_); }

 private:
  NodePtr node_;
};

Tensor VariantOf(const NodePtr& node) {
  Tensor dataset = NewTensor("MakeInitializableIterator", kVariant, {});
  *dataset.rep()->as<Variant>() = std::make_shared<OwnedDataset>(node);
  return dataset;
}

void Describe(const Node& node, size_t components, GraphIteratorOptions& options) {
  const auto known = node.components();
  if (options.output_types.empty()) {
    if (known) {
      for (const Component& c : *known) options.output_types.push_back(c.dtype);
    } else {
      ContextScope eager(nullptr);
      Tensors first;
      if (!node.MakeIterator({})->Next(first))
        ThrowError(InvalidArgument("MakeInitializableIterator: the dataset is empty and its dtypes are not known: give output_types"));
      for (const Tensor& t : first) options.output_types.push_back(t.dtype());
    }
  }
  const auto check = [&](const char* what, size_t given) {
    if (given != components) ThrowError(InvalidArgument("MakeInitializableIterator: elements have ", components, components == 1 ? " tensor, " : " tensors, ", what, " ", given, given == 1 ? " entry" : " entries"));
  };
  check("output_types has", options.output_types.size());
  if (options.output_shapes.empty())
    for (size_t i = 0; i < components; ++i) options.output_shapes.push_back(known ? (*known)[i].shape : Shape::Unknown());
  check("output_shapes has", options.output_shapes.size());
}

}  // namespace

GraphHandle MakeGraphIterator(const NodePtr& node, size_t components, GraphIteratorOptions options) {
  if (ExecutingEagerly())
    ThrowError(absl::FailedPreconditionError("MakeInitializableIterator: needs a GraphScope; eagerly, loop over the dataset or use MakeIterator"));
  Describe(*node, components, options);
  static std::atomic<int64_t> number = 0;
  const std::string name = absl::StrCat("iterator_", number.fetch_add(1));
  GraphHandle out{{}, {}, std::move(options.output_types), std::move(options.output_shapes)};
  out.handle = RunMany(Op<"IteratorV2">(), {}, {name, "", out.types, out.shapes}, {}, name)[0];
  const Tensor dataset = EagerFunc(name + "_dataset", [node] { return VariantOf(node); }, {}, kVariant);
  RunMany(Op<"MakeIterator">(), Tensors{dataset, out.handle}, {}, {}, name + "_initializer");
  const std::string handle = out.handle.name();  // with the prefixes of name scopes
  out.initializer = handle.substr(0, handle.find(':')) + "_initializer";
  return out;
}

Tensors GraphNext(const GraphHandle& handle) {
  return RunMany(Op<"IteratorGetNext">(), Tensors{handle.handle}, {handle.types, handle.shapes});
}

}  // namespace tandem::data::internal
