// Walks over a dataset, element by element, and can be saved in the middle.
//
//   auto it = dataset.MakeIterator();
//   while (auto batch = it.Next()) { auto& [images, labels] = *batch; … }
//
//   train::Checkpoint checkpoint({{"iterator", it}, {"model", model}});   // the position is saved with the model
//
// The position is kept as the seeds of the shuffles and the number of elements given: a restored iterator passes over as
// many, without calling map functions or reading rows where it can. So it goes on with the same elements if the pipeline
// gives the same ones each time: not behind functions with state, nor a Map that is not deterministic.
#pragma once
#include <optional>
#include <utility>

#include "core/export.h"
#include "eager/data/element.h"
#include "eager/data/stages.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

// Threads and files of the pipeline are released with the iterator, however far it came. One thread at a time.
template <size_t N>
class Iterator : public Trackable {
 public:
  explicit Iterator(internal::NodePtr node) : cursor_(internal::MakeCursor(std::move(node))) { internal::AddTo(*state(), cursor_); }

  // The next element, nothing at the end. Throws what a function of the pipeline threw, or an Error that names stage and
  // element; the next call goes on behind that element.
  std::optional<Element<N>> Next() {
    std::optional<Element<N>> element(std::in_place);
    if (!Next(*element)) element.reset();
    return element;
  }
  bool Next(Element<N>& element) {
    if (!cursor_->Next(scratch_)) return false;
    if (scratch_.size() != N) internal::ThrowArity(scratch_.size(), N);
    [&]<size_t... I>(std::index_sequence<I...>) {
      ((get<I>(element) = std::move(scratch_[I])), ...);
    }(std::make_index_sequence<N>());
    return true;
  }

  // Where it stands: int64 [n]. INVALID_ARGUMENT for the state of another pipeline.
  Tensor Save() const { return cursor_->Save(); }
  void Restore(const Tensor& state) { cursor_->Restore(state); }

 private:
  std::shared_ptr<internal::Cursor> cursor_;
  Tensors scratch_;
};

}  // namespace tandem::data
TANDEM_EXPORT_END
