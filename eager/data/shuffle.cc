#include <algorithm>
#include <random>

#include "core/random_seed.h"
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

// A buffer from which elements are drawn, each replaced by the next of the input. T: an element, or a row number.
template <class T>
class Buffer {
 public:
  Buffer(int64_t size, uint64_t seed) : size_(size), random_(seed) {}
  // fill(n, items) appends up to n of the input's items, fewer at its end alone. False when nothing is left.
  template <class Fill>
  bool Draw(Fill&& fill, T& out) {
    if (!ended_ && static_cast<int64_t>(items_.size()) < size_) {
      const int64_t missing = size_ - static_cast<int64_t>(items_.size());
      const size_t before = items_.size();
      fill(missing, items_);
      ended_ = static_cast<int64_t>(items_.size() - before) < missing;
    }
    if (items_.empty()) return false;
    const uint64_t at = random_.Below(items_.size());
    std::swap(out, items_[at]);
    if (at + 1 != items_.size()) std::swap(items_[at], items_.back());
    items_.pop_back();
    return true;
  }

 private:
  const int64_t size_;
  SplitMix64 random_;
  std::vector<T> items_;
  bool ended_ = false;
};

class ShuffleIterator : public ElementIterator {
 public:
  ShuffleIterator(IteratorPtr input, int64_t size, uint64_t seed) : input_(std::move(input)), elements_(size, seed), rows_(size, seed) {}

  const Tensors* table() const override { return input_->table(); }
  int64_t NextRows(std::span<int64_t> rows) override {
    int64_t n = 0;
    while (n < static_cast<int64_t>(rows.size()) && rows_.Draw([&](int64_t missing, std::vector<int64_t>& items) { FillRows(missing, items); }, rows[n])) ++n;
    return n;
  }

  bool Next(Tensors& out) override {
    if (const Tensors* table = input_->table()) {
      int64_t row;
      if (NextRows({&row, 1}) == 0) return false;
      out.resize(table->size());
      for (size_t c = 0; c < out.size(); ++c) out[c] = Row((*table)[c], row);
      return true;
    }
    return elements_.Draw([&](int64_t missing, std::vector<Tensors>& items) {
      for (Tensors element; missing > 0 && input_->Next(element); --missing) items.push_back(std::move(element));
    }, out);
  }

  int64_t Skip(int64_t n) override {
    if (!input_->table()) return ElementIterator::Skip(n);
    int64_t rows[256], done = 0;
    while (done < n) {
      const int64_t part = NextRows(std::span(rows).first(std::min<int64_t>(n - done, 256)));
      if (part == 0) break;
      done += part;
    }
    return done;
  }

 private:
  void FillRows(int64_t missing, std::vector<int64_t>& items) {
    constexpr int64_t kStep = 4096;  // a buffer may be said to be far larger than the input is
    while (missing > 0) {
      const size_t before = items.size();
      const int64_t part = std::min(missing, kStep);
      items.resize(before + part);
      const int64_t got = input_->NextRows(std::span(items).subspan(before));
      items.resize(before + got);
      missing -= got;
      if (got < part) return;
    }
  }

  IteratorPtr input_;
  Buffer<Tensors> elements_;
  Buffer<int64_t> rows_;
};

class ShuffleNode : public Node {
 public:
  ShuffleNode(NodePtr input, int64_t buffer_size, ShuffleOptions options)
      : Node("Shuffle", {std::move(input)}), buffer_size_(buffer_size), reshuffle_(options.reshuffle_each_iteration) {
    CheckAtLeast(name(), "buffer_size", buffer_size, 1);
    if (options.seed) {
      seed_ = *options.seed;
    } else {
      const OpSeeds seeds = EagerRandomSeeds().Next(std::nullopt);
      if (seeds.seed != 0 || seeds.seed2 != 0) seed_ = seeds.seed << 32 | seeds.seed2;
      else seed_ = static_cast<int64_t>(uint64_t{std::random_device()()} << 32 | std::random_device()());
    }
  }
  IteratorPtr MakeIterator(const PassContext& context) const override {
    int64_t seed = seed_;
    if (context.seeds)
      if (const auto it = context.seeds->find(this); it != context.seeds->end()) seed = it->second;
    uint64_t mixed = SplitMix64::Mix(static_cast<uint64_t>(seed) + 0x632be59bd9b4e019);
    if (reshuffle_) mixed = SplitMix64::Mix(mixed ^ SplitMix64::Mix(static_cast<uint64_t>(context.generation) + 1) ^ context.pass);
    return std::make_unique<ShuffleIterator>(input()->MakeIterator(context), buffer_size_, mixed);
  }
  std::optional<Components> components() const override { return input()->components(); }
  std::optional<int64_t> seed() const override { return seed_; }

 private:
  int64_t buffer_size_;
  bool reshuffle_;
  int64_t seed_;
};

}  // namespace

NodePtr Shuffle(NodePtr input, int64_t buffer_size, ShuffleOptions options) {
  return std::make_shared<ShuffleNode>(std::move(input), buffer_size, options);
}

}  // namespace tandem::data::internal
