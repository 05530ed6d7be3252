// A table of function pointers for each vector unit this machine has, filled through Highway's dispatch.
//
//   static IsaTables<ReduceTable> tables(AddReductions);   // AddReductions: HWY_DYNAMIC_DISPATCH inside
//   tables[isa].row[...]
#pragma once
#include <mutex>

#include "hwy/targets.h"
#include "kernels/vector/kernel_table.h"

namespace tandem::vec {

// Highway's dispatch goes by a process-wide choice of target, held down while a table is filled.
inline std::mutex& DispatchMutex() {
  static std::mutex mutex;
  return mutex;
}

template <typename Table>
class IsaTables {
 public:
  explicit IsaTables(void (*fill)(Table&)) : fill_(fill) {}

  // isa must not exceed what the machine has. Filled at the first use.
  const Table& operator[](Isa isa) {
    const int i = static_cast<int>(isa);
    std::call_once(filled_[i], [&] {
      const std::lock_guard<std::mutex> lock(DispatchMutex());
      const int64_t avx2 = HWY_AVX2 | HWY_SCALAR, avx512 = HWY_AVX3 | avx2;
      hwy::GetChosenTarget().Update(isa == Isa::kAvx512 ? avx512 : isa == Isa::kAvx2 ? avx2 : HWY_SCALAR);
      fill_(tables_[i]);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    });
    return tables_[i];
  }

 private:
  void (*fill_)(Table&);
  std::once_flag filled_[3];
  Table tables_[3];
};

}  // namespace tandem::vec
