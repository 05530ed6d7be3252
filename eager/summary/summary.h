// Summaries: values of a training run for TensorBoard, written to the thread's default writer (eager/summary/recording.h).
//
//   summary::Scalar("loss", loss);
//   summary::Histogram("dense/kernel", kernel, {.step = 7});
//   summary::Text("notes", "# a heading");
//   summary::Graph(graph);
//
// Eagerly. A symbolic tensor is FAILED_PRECONDITION: a graph has the ops of core/ops/summary.h. The event of a scalar
// costs its caller less than 2 µs: messages are made and written elsewhere.
#pragma once
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem::summary {

struct SummaryOptions {
  std::optional<int64_t> step;  // the global step unless given
};

// value: one real number. INVALID_ARGUMENT names the tag.
void Scalar(std::string_view tag, const Tensor& value, SummaryOptions options = {});
// values: real numbers of any shape, counted in TensorFlow's exponential buckets. INVALID_ARGUMENT for NaN and infinity.
void Histogram(std::string_view tag, const Tensor& values, SummaryOptions options = {});
// text: strings of any shape, Markdown.
void Text(std::string_view tag, const Tensor& text, SummaryOptions options = {});
// A serialized GraphDef.
void GraphBytes(std::string serialized);
// A serialized RunMetadata, under a tag as "step 7".
void RunMetadataBytes(std::string_view tag, std::string serialized, SummaryOptions options = {});

// A Graph.
template <class G>
  requires requires(const G& g) { { g.Serialize() } -> std::convertible_to<std::string>; }
void Graph(const G& graph) {
  GraphBytes(graph.Serialize());
}
// A RunTrace.
template <class T>
  requires requires(const T& t) { { t.ToRunMetadata() } -> std::convertible_to<std::string>; }
void RunMetadata(std::string_view tag, const T& trace, SummaryOptions options = {}) {
  RunMetadataBytes(tag, trace.ToRunMetadata(), options);
}

}  // namespace tandem::summary
TANDEM_EXPORT_END
