#include "core/tensor_list.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>
#include <vector>

#include "core/tensor_rep.h"

namespace tandem {
namespace {

constexpr int64_t kBlockItems = 64;

}  // namespace

struct TensorList::Block {
  std::array<Tensor, kBlockItems> items;
  Block() = default;
  Block(const Block&) = default;

  // Items that are lists are freed here one after another, however deep they hold each other.
  ~Block() {
    thread_local std::vector<Tensor>* pending = nullptr;
    if (std::none_of(items.begin(), items.end(), [](const Tensor& t) { return t.dtype() == kVariant; })) return;
    std::vector<Tensor> own;
    const bool outermost = !pending;
    if (outermost) pending = &own;
    for (Tensor& t : items)
      if (t.dtype() == kVariant) pending->push_back(std::move(t));
    if (!outermost) return;
    while (!own.empty()) {
      const Tensor last = std::move(own.back());
      own.pop_back();
    }
    pending = nullptr;
  }
};

// The last, partly filled block belongs to one store; full blocks are shared and never written again.
struct TensorList::Store {
  std::mutex mutex;
  int64_t used = 0;  // the longest list that lies here
  std::vector<std::shared_ptr<Block>> blocks;  // null, or not there: unset items

  Block& BlockOf(int64_t i) {
    const auto b = static_cast<size_t>(i / kBlockItems);
    if (b >= blocks.size()) blocks.resize(b + 1);
    if (!blocks[b]) blocks[b] = std::make_shared<Block>();
    return *blocks[b];
  }
};

Tensor TensorList::item(int64_t i) const {
  if (!store_) return Tensor();
  std::lock_guard lock(store_->mutex);
  const auto b = static_cast<size_t>(i / kBlockItems);
  return b < store_->blocks.size() && store_->blocks[b] ? store_->blocks[b]->items[i % kBlockItems] : Tensor();
}

bool TensorList::UnsetAround(int64_t i, int64_t* next) const {
  *next = std::min(size_, (i / kBlockItems + 1) * kBlockItems);
  if (!store_) return true;
  std::lock_guard lock(store_->mutex);
  const auto b = static_cast<size_t>(i / kBlockItems);
  return b >= store_->blocks.size() || !store_->blocks[b];
}

// A store of its own with the first `size` items.
std::shared_ptr<TensorList::Store> TensorList::Fork(int64_t size) const {
  auto store = std::make_shared<Store>();
  store->used = size;
  if (!store_) return store;
  std::lock_guard lock(store_->mutex);
  const auto full = static_cast<size_t>(size / kBlockItems);
  store->blocks.assign(store_->blocks.begin(), store_->blocks.begin() + static_cast<int64_t>(std::min(full, store_->blocks.size())));
  if (full < store_->blocks.size() && store_->blocks[full] && size % kBlockItems) {
    auto last = std::make_shared<Block>(*store_->blocks[full]);
    std::fill(last->items.begin() + size % kBlockItems, last->items.end(), Tensor());
    store->blocks.push_back(std::move(last));
  }
  return store;
}

TensorList TensorList::PushBack(Tensor item) const {
  TensorList next = *this;
  ++next.size_;
  // An empty list may be a constant of a plan: its store must not keep what one Run appends.
  if (store_ && size_ > 0) {
    std::lock_guard lock(store_->mutex);
    if (store_->used == size_) {
      store_->BlockOf(size_).items[size_ % kBlockItems] = std::move(item);
      ++store_->used;
      return next;
    }
  }
  next.store_ = Fork(size_);
  next.store_->BlockOf(size_).items[size_ % kBlockItems] = std::move(item);
  next.store_->used = next.size_;
  return next;
}

TensorList TensorList::PopBack() const {
  TensorList next = *this;
  if (--next.size_ == 0) next.store_ = nullptr;
  return next;
}

TensorList TensorList::SetItems(std::span<Change> changes) const {
  TensorList next = *this;
  next.store_ = Fork(size_);
  auto& blocks = next.store_->blocks;
  for (Change& change : changes) {
    const auto b = static_cast<size_t>(change.index / kBlockItems);
    if (b < blocks.size() && blocks[b] && blocks[b].use_count() > 1) blocks[b] = std::make_shared<Block>(*blocks[b]);
    next.store_->BlockOf(change.index).items[change.index % kBlockItems] = std::move(change.item);
  }
  return next;
}

TensorList TensorList::SetItem(int64_t i, Tensor item) const {
  Change change{i, std::move(item)};
  return SetItems({&change, 1});
}

TensorList TensorList::Resize(int64_t size) const {
  TensorList next = *this;
  next.size_ = size;
  if (size == 0) next.store_ = nullptr;
  else if (store_ && size != size_) (next.store_ = Fork(std::min(size, size_)))->used = size;
  return next;
}

Tensor MakeListHandle(TensorList list) {
  TensorRep* rep = NewRep(kVariant, {}, 1);
  if (!rep) throw std::bad_alloc();
  Tensor handle = Tensor::Adopt(rep);
  *rep->as<Variant>() = std::make_shared<const TensorList>(std::move(list));
  return handle;
}

absl::StatusOr<const TensorList*> GetTensorList(const TensorRep& handle, std::string_view op, std::string_view argument) {
  const VariantValue* value = handle.count == 1 ? handle.as<Variant>()->get() : nullptr;
  const auto* list = dynamic_cast<const TensorList*>(value);
  if (list) return list;
  const std::string head = absl::StrCat(std::string(op), ": ", std::string(argument), " must be a TensorList, ");
  if (handle.count != 1) return InvalidArgument(head, "has shape ", handle.shape().ToString());
  if (!value) return InvalidArgument(head, "the variant is empty");
  return InvalidArgument(head, "the variant holds a ", std::string(value->type_name()));
}

}  // namespace tandem
