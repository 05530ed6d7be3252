// Ops that give serialized Summary messages, for graphs: fetch one and hand it to summary::FileWriter::AddSummary.
//
//   Tensor s = MergeSummary({ScalarSummary("loss", loss), HistogramSummary("weights", w)});
//   writer.AddSummary(session.Run({}, s), step);
//
// Eager code writes directly (eager/summary/summary.h).
#pragma once
#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// tags: string, values: real numbers, of one shape -> a string scalar. INVALID_ARGUMENT when the shapes differ.
Tensor ScalarSummary(const Tensor& tags, const Tensor& values, Origin origin = Here());
// tag: a string scalar, values: real numbers of any shape. INVALID_ARGUMENT for NaN and infinity.
Tensor HistogramSummary(const Tensor& tag, const Tensor& values, Origin origin = Here());
// Strings of any shapes that hold summaries -> one summary with the values of all. INVALID_ARGUMENT for bytes that are no
// summary, and for a tag that comes twice.
Tensor MergeSummary(const Tensors& inputs, Origin origin = Here());

}  // namespace tandem
TANDEM_EXPORT_END
