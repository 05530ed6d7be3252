#include "core/epilogues.h"

#include <atomic>

namespace tandem {
namespace {

std::atomic<EpilogueQuery> epilogue_query = nullptr;

}  // namespace

void SetEpilogueQuery(EpilogueQuery query) { epilogue_query.store(query, std::memory_order_release); }

bool EpilogueIsExact(Contraction contraction, std::string_view op, DType dtype) {
  const EpilogueQuery query = epilogue_query.load(std::memory_order_acquire);
  return query && query(contraction, op, dtype);
}

}  // namespace tandem
