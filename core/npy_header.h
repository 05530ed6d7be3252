// The header of an .npy file: a Python dict of three entries.
#pragma once
#include <string>
#include <string_view>

#include "core/shape.h"
#include "core/status.h"

namespace tandem {

struct NpyHeader {
  std::string descr;            // "<f4", "|S5"
  bool fortran_order = false;
  Shape shape;                  // fully known
};

// "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"; nothing is evaluated. INVALID_ARGUMENT says what is
// wrong with it.
absl::StatusOr<NpyHeader> ParseNpyHeader(std::string_view text);

}  // namespace tandem
