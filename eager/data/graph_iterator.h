// Datasets in graphs: each Run that needs the next element takes it.
//
//   GraphScope scope(graph);
//   auto iterator = data::MakeInitializableIterator(data::Range(100).Batch(10));
//   auto [x] = iterator.GetNext();                  // symbolic
//   Tensor y = Identity(x * 2, "y");
//   …
//   session.Run({}, {}, {iterator.initializer()});  // at the first element; again: from there
//   session.Run({}, "y:0");                         // OUT_OF_RANGE behind the last element
//
// The graph owns the dataset; each Session has an iterator of its own. Each start gives the same elements again, shuffles
// with their seed's first order, as in TensorFlow; the passes of a Repeat differ. A saved graph names the dataset's host function,
// which must be registered again where the graph is loaded.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "core/export.h"
#include "eager/data/dataset.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

struct GraphIteratorOptions {
  // Dtypes and shapes of an element's tensors. None: from the pipeline where it knows them; behind functions, dtypes of its
  // first element, which is made for it, and unknown shapes.
  std::vector<DType> output_types = {};
  std::vector<Shape> output_shapes = {};
};

namespace internal {
struct GraphHandle {
  Tensor handle;
  std::string initializer;
  std::vector<DType> types;
  std::vector<Shape> shapes;
};
GraphHandle MakeGraphIterator(const NodePtr& node, size_t components, GraphIteratorOptions options);
Tensors GraphNext(const GraphHandle& handle);
}  // namespace internal

template <size_t N>
class GraphIterator {
 public:
  explicit GraphIterator(internal::GraphHandle handle) : handle_(std::move(handle)) {}
  // The node that (re)starts it, a target for Run.
  const std::string& initializer() const { return handle_.initializer; }
  // A node that takes the next element in each Run that needs it: make it once, and use its tensors as often as needed.
  Element<N> GetNext() const {
    Tensors next = internal::GraphNext(handle_);
    Element<N> element;
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((get<I>(element) = std::move(next[I])), ...);
    }(std::make_index_sequence<N>());
    return element;
  }

 private:
  internal::GraphHandle handle_;
};

// FAILED_PRECONDITION outside a GraphScope: eagerly, loop over the dataset. INVALID_ARGUMENT when dtypes cannot be told,
// the dataset being empty.
template <size_t N>
GraphIterator<N> MakeInitializableIterator(const Dataset<N>& dataset, GraphIteratorOptions options = {}) {
  return GraphIterator<N>(internal::MakeGraphIterator(dataset.node(), N, std::move(options)));
}

}  // namespace tandem::data
TANDEM_EXPORT_END
