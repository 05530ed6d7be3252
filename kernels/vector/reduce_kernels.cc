#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vector/reduce_kernels.cc"
#include "hwy/foreach_target.h"  // must come before what is compiled for each target
#include "kernels/vector/reduce-inl.h"
#include "kernels/vector/reduce_table.h"

HWY_BEFORE_NAMESPACE();
namespace tandem::vec {
namespace HWY_NAMESPACE {
namespace {

template <typename Step, typename T>
void Row(const void* x, void* y, int64_t n) {
  *static_cast<T*>(y) = ReduceRow<Step>(static_cast<const T*>(x), n);
}
template <typename Step, typename T>
void Columns(const void* x, void* y, int64_t n, int64_t inner, int64_t begin, int64_t end) {
  ReduceColumns<Step>(static_cast<const T*>(x), static_cast<T*>(y), n, inner, begin, end);
}
template <typename Step, typename T>
void Combine(const void* partial, void* y, int64_t blocks) {
  *static_cast<T*>(y) = CombineInOrder<Step>(static_cast<const T*>(partial), blocks);
}

template <typename Step, typename T>
void Set(ReduceTable& table, ReduceOp op, VecType type) {
  const int o = static_cast<int>(op), t = static_cast<int>(type);
  table.row[o][t] = &Row<Step, T>;
  table.columns[o][t] = &Columns<Step, T>;
  table.combine[o][t] = &Combine<Step, T>;
}

template <typename Step>
void SetAll(ReduceTable& table, ReduceOp op) {
  Set<Step, float>(table, op, VecType::kF32);
  Set<Step, double>(table, op, VecType::kF64);
  Set<Step, int32_t>(table, op, VecType::kI32);
  Set<Step, int64_t>(table, op, VecType::kI64);
}

}  // namespace

void FillReductions(ReduceTable& table) {
  SetAll<SumStep>(table, ReduceOp::kSum);
  SetAll<ProdStep>(table, ReduceOp::kProd);
  SetAll<MaxStep>(table, ReduceOp::kMax);
  SetAll<MinStep>(table, ReduceOp::kMin);
  SetAll<SumSquaresStep>(table, ReduceOp::kSumSquares);
}

}  // namespace HWY_NAMESPACE
}  // namespace tandem::vec
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem::vec {
HWY_EXPORT(FillReductions);
void AddReductions(ReduceTable& table) { HWY_DYNAMIC_DISPATCH(FillReductions)(table); }
}  // namespace tandem::vec
#endif
