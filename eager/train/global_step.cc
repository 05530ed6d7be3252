#include "eager/train/global_step.h"

#include "core/context.h"

namespace tandem::train {

Variable GetOrCreateGlobalStep() {
  static Variable* step = [] {
    ContextScope eager(nullptr);  // whatever graph is being recorded
    return new Variable(int64_t{0}, {.name = "global_step", .trainable = false});
  }();
  return *step;
}

}  // namespace tandem::train
