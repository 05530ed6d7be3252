#include "core/context.h"
#include "core/gradient.h"

namespace tandem {
namespace {

absl::Status CheckLists(const InferContext& c) {
  const size_t types = c.attr<std::span<const DType>>("output_types").size(), shapes = c.attr<std::span<const Shape>>("output_shapes").size();
  if (types != shapes) return c.Error("output_types has ", types, " entries, output_shapes ", shapes);
  return absl::OkStatus();
}

absl::Status InferIterator(InferContext& c) {
  RETURN_IF_ERROR(CheckLists(c));
  return c.Output({});
}

absl::Status InferMakeIterator(InferContext& c) {
  for (int i = 0; i < 2; ++i)
    if (c.rank(i) > 0) return c.Error(c.InputName(i), " must be a scalar, is ", c.input(i).ToString());
  return absl::OkStatus();
}

absl::Status InferGetNext(InferContext& c) {
  RETURN_IF_ERROR(CheckLists(c));
  if (c.rank(0) > 0) return c.Error("iterator must be a scalar, is ", c.input(0).ToString());
  const auto shapes = c.attr<std::span<const Shape>>("output_shapes");
  for (size_t i = 0; i < shapes.size(); ++i) RETURN_IF_ERROR(c.Output(static_cast<int>(i), shapes[i]));
  return absl::OkStatus();
}

}  // namespace

OpSchema IteratorV2Schema() {
  return OpSchema("IteratorV2", "A handle to the iterator under container and shared_name, made if there is none.")
      .Signature("", "handle:resource", "shared_name:string; container:string; output_types:list(type)>=1; output_shapes:list(shape)>=1")
      .Traits(kStateful | kAlias)
      .Infer(InferIterator).NotDifferentiable("a handle is no number");
}
OpSchema MakeIteratorSchema() {
  return OpSchema("MakeIterator", "Starts the iterator at the dataset's first element.")
      .Signature("dataset:variant, iterator:resource", "")
      .Traits(kStateful | kSideEffect | kMayFail)
      .Infer(InferMakeIterator).NotDifferentiable("it has no output");
}
OpSchema IteratorGetNextSchema() {
  return OpSchema("IteratorGetNext", "The iterator's next element; OUT_OF_RANGE behind the last one.")
      .Signature("iterator:resource", "components:list(output_types)", "output_types:list(type)>=1; output_shapes:list(shape)>=1")
      .Traits(kStateful | kKernelAllocates | kMayFail)
      .Infer(InferGetNext).NotDifferentiable("elements are data");
}

}  // namespace tandem
