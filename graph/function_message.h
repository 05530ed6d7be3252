// Functions between FunctionDef messages and bodies.
//
// In a message, a body's inputs read "argument" or "node:OUTPUT:k", by the name of the producer's output argument.
#pragma once
#include <memory>
#include <vector>

#include "graph/function_library.h"

namespace tandem::proto {
class FunctionDef;
class FunctionDefLibrary;
}  // namespace tandem::proto

namespace tandem {

// The functions of a message, validated whole: those that `library` has already, the same, are left out. They join
// `library`, which the caller drops when it keeps nothing. A function with an op that is not here, or generic (its types
// are attributes), is kept and saved again: its problem is the error of whoever calls it. INVALID_ARGUMENT names function,
// node and input; ALREADY_EXISTS.
absl::StatusOr<std::vector<std::shared_ptr<GraphFunction>>> ReadFunctions(const proto::FunctionDefLibrary& message, FunctionLibrary& library);

// As it was read, or as a message of its own.
absl::StatusOr<proto::FunctionDef> FunctionToProto(const GraphFunction& function);

}  // namespace tandem
