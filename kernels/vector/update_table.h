// The update rules of one vector unit by rule and type (float, double).
#pragma once
#include "kernels/vector/kernel_table.h"
#include "kernels/vector/updates.h"

namespace tandem::vec {

struct UpdateTable {
  UpdateFn step[static_cast<int>(UpdateRule::kCount)][2] = {};
};

const UpdateTable& UpdatesFor(Isa isa);

}  // namespace tandem::vec
