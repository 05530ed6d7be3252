// Registers for straight-line code by furthest next use, for one class of registers.
//
// A value is a number. The caller lists each value's uses by position beforehand, asks for registers as it emits, and is
// called back to store and load. Positions only grow.
#pragma once
#include <cstdint>
#include <vector>

namespace tandem::vec {

// Uses of all values in one body, by position.
class Uses {
 public:
  static constexpr int kNever = 1 << 30;

  explicit Uses(int values) : first_(values + 1, 0), cursor_(values, 0) {}
  // Two passes over the same uses in the order of positions: Count all, Seal, then Add all.
  void Count(int value) { ++first_[value + 1]; }
  void Seal() {
    for (size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
    positions_.resize(first_.back());
    for (size_t v = 0; v < cursor_.size(); ++v) cursor_[v] = first_[v];
  }
  void Add(int value, int position) { positions_[cursor_[value]++] = position; }
  void Rewind() {
    for (size_t v = 0; v < cursor_.size(); ++v) cursor_[v] = first_[v];
  }

  // The first use after `position`.
  int After(int value, int position) {
    int& at = cursor_[value];
    while (at < first_[value + 1] && positions_[at] <= position) ++at;
    return at < first_[value + 1] ? positions_[at] : kNever;
  }

 private:
  std::vector<int> first_, cursor_, positions_;
};

// The registers of one class. `reg` numbers are the machine's.
class RegisterFile {
 public:
  RegisterFile(int first, int count) : first_(first), value_(count, kFree) {}

  int size() const { return static_cast<int>(value_.size()); }
  int ValueIn(int reg) const { return value_[reg - first_]; }
  void Put(int reg, int value) { value_[reg - first_] = value; }
  void Free(int reg) { value_[reg - first_] = kFree; }
  void Reserve(int reg) { value_[reg - first_] = kReserved; }
  int first() const { return first_; }

  // A free register, or -1.
  int FindFree() const {
    for (int i = 0; i < size(); ++i) {
      if (value_[i] == kFree) return first_ + i;
    }
    return -1;
  }

  // The register whose value is needed last, among those `allowed(value)`; -1 if there is none.
  template <typename NextUse, typename Allowed>
  int FindVictim(NextUse next_use, Allowed allowed) const {
    int best = -1, best_use = -1;
    for (int i = 0; i < size(); ++i) {
      if (value_[i] < 0 || !allowed(value_[i])) continue;
      const int use = next_use(value_[i]);
      if (use > best_use) {
        best_use = use;
        best = first_ + i;
      }
    }
    return best;
  }

 private:
  static constexpr int kFree = -1, kReserved = -2;
  const int first_;
  std::vector<int> value_;
};

}  // namespace tandem::vec
