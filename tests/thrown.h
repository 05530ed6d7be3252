// The error of a call as text: "INVALID_ARGUMENT Reshape: …"; "no error" when it returned.
//
//   CHECK(Thrown([] { Reshape(x, {-2}); }) == "INVALID_ARGUMENT Reshape: shape[0] is -2, must be at least -1");
#pragma once
#include <string>

#include "tandem.h"

namespace tandem {

template <class F>
std::string Thrown(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return std::string(CodeName(e.code())) + " " + e.what();
  }
  return "no error";
}

}  // namespace tandem
