// Checks and prints that work in both modes: in a graph they run when the node does.
//
//   Assert(all_positive, {x});                        // INVALID_ARGUMENT with x's first elements when false
//   y = CheckNumerics(y, "after the loss");
//   PrintV2(StringFormat("x = %s", {x}));             // tf.print
#pragma once
#include "core/export.h"
#include "core/operand.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

struct SummarizeOptions {
  int64_t summarize = 3;  // elements that are printed of a tensor
};
// condition: a bool scalar. When false, INVALID_ARGUMENT "assertion failed: [1 2 3...] [text]" with each of data.
void Assert(const Tensor& condition, const Tensors& data, SummarizeOptions options = {}, Origin origin = Here());

// x; INVALID_ARGUMENT with the message when an element is NaN or infinite.
Tensor CheckNumerics(const Tensor& x, std::string_view message, Origin origin = Here());

struct StringFormatOptions {
  std::string placeholder = "%s";
  int64_t summarize = 3;  // elements at either end of an axis; -1: all
};
// The text with each placeholder replaced by an input, as tf.print shows it. INVALID_ARGUMENT when their numbers differ.
Tensor StringFormat(std::string_view text, const Tensors& inputs, const StringFormatOptions& options = {}, Origin origin = Here());

struct PrintV2Options {
  std::string output_stream = "stderr";  // or stdout, log(info), log(warning), log(error), file://PATH (appended)
  std::string end = "\n";
};
// Writes a string scalar.
void PrintV2(const Tensor& text, const PrintV2Options& options = {}, Origin origin = Here());

struct PrintOptions {
  std::string message;
  int64_t first_n = -1;   // prints only the first n times; -1: always
  int64_t summarize = 3;  // elements of each tensor
};
// TensorFlow 1's Print: input itself; writes message and data to stderr.
Tensor Print(const Tensor& input, const Tensors& data, const PrintOptions& options = {}, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
