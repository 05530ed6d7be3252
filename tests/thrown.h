// The error of a call.
//
//   CHECK(Thrown([] { Reshape(x, {-2}); }) == "INVALID_ARGUMENT Reshape: shape[0] is -2, must be at least -1");
#pragma once
#include <catch2/catch.hpp>
#include <string>

#include "tandem.h"

namespace tandem {

// As text: "INVALID_ARGUMENT Reshape: …"; "no error" when the call returned.
template <class F>
std::string Thrown(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return std::string(CodeName(e.code())) + " " + e.what();
  }
  return "no error";
}

// The text of an error without its code; "no error".
template <class F>
std::string ErrorOf(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// The error itself; the test fails when there is none.
template <class F>
Error Caught(F&& call) {
  try {
    call();
  } catch (const Error& e) {
    return e;
  }
  FAIL("no error was thrown");
  return Error(Code::kOk, "");
}

}  // namespace tandem
