// Summary ops: the bytes, the histogram's buckets (TensorFlow's for the same values), what they refuse; in graphs too.
#include "core/ops/summary.h"

#include <catch2/catch.hpp>
#include <cmath>

#include "proto/summary.pb.h"
#include "tandem.h"
#include "tests/op_case.h"

namespace tandem {
namespace {

using namespace op_case;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

std::string Bytes(std::initializer_list<std::pair<const char*, float>> scalars) {
  proto::Summary summary;
  for (const auto& [tag, value] : scalars) {
    summary.add_value()->set_tag(tag);
    summary.mutable_value(summary.value_size() - 1)->set_simple_value(value);
  }
  return summary.SerializeAsString();
}

Tensor Text(const std::string& s) { return Tensor(s); }

const OpCase kRows[] = {
    {"scalar", "ScalarSummary", {Text("loss"), F32(0.5)}, Want(Text(std::string("\x0a\x0b\x0a\x04loss\x15\0\0\0\x3f", 13)))},
    {"integers", "ScalarSummary", {Tensor({std::string("a"), std::string("b")}), I64({1, -2})}, Want(Text(Bytes({{"a", 1.f}, {"b", -2.f}})))},
    {"none", "ScalarSummary", {Tensor::FromData<std::string>({0}, {}), F32(std::initializer_list<double>{})}, Want(Text(""))},
    {"shapes", "ScalarSummary", {Text("a"), F32({1, 2})},
     op_case::Error(kInvalid, "ScalarSummary: tags and values differ in shape: tags is [], values is [2]")},
    {"tag", "HistogramSummary", {Tensor({std::string("a")}), F32({1, 2})}, op_case::Error(kInvalid, "HistogramSummary: tag must be a scalar, is [1]")},
    {"nan", "HistogramSummary", {Text("w"), F32({1, std::nan("")})}, op_case::Error(kInvalid, "HistogramSummary: \"w\": element 1 is nan")},
    {"infinity", "HistogramSummary", {Text("w"), F32({-HUGE_VAL})}, op_case::Error(kInvalid, "HistogramSummary: \"w\": element 0 is -inf")},
    {"two", "MergeSummary", {Text(Bytes({{"a", 1.f}})), Tensor({Bytes({{"b", 2.f}}), Bytes({{"c", 3.f}})})}, Want(Text(Bytes({{"a", 1.f}, {"b", 2.f}, {"c", 3.f}})))},
    {"twice", "MergeSummary", {Text(Bytes({{"a", 1.f}})), Text(Bytes({{"a", 2.f}}))}, op_case::Error(kInvalid, "MergeSummary: the tag \"a\" comes twice")},
    {"no summary", "MergeSummary", {Text("\x0a\xff")}, op_case::Error(kInvalid, "MergeSummary: inputs[0] holds bytes that are no summary")},
};

struct Buckets {
  std::vector<double> values, limits, counts;
  double min, max, sum_squares;
};
constexpr double kLargest = 1.7976931348623157e308;
// What TensorFlow 2.21 gives.
const Buckets kBuckets[] = {
    {{-1.5, 0, 0.25, 0.25, 3, 1e21, -1e30},
     {-kLargest, -9.920775621859783e+19, -1.624957930213695, -1.47723448201245, 0, 1e-12, 0.24153964213356663, 0.2656936063469233,
      2.8787120958073054, 3.1665833053880363, 9.920775621859783e+19, kLargest},
     {0, 1, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1}, -1e30, 1e21, 1.0000000000000001e60},
    {{}, {kLargest}, {0}, kLargest, -kLargest, 0},
    {{0, 0}, {0, 1e-12, kLargest}, {0, 2, 0}, 0, 0, 0},
};

}  // namespace

TEST_CASE("summary ops") { CheckOpCases(kRows); }

TEST_CASE("histograms have TensorFlow's buckets") {
  for (const Buckets& b : kBuckets) {
    proto::Summary summary;
    REQUIRE(summary.ParseFromString(HistogramSummary("h", Tensor(b.values)).item<std::string>()));
    const auto& h = summary.value(0).histo();
    CHECK(summary.value(0).tag() == "h");
    CHECK(std::vector<double>(h.bucket_limit().begin(), h.bucket_limit().end()) == b.limits);
    CHECK(std::vector<double>(h.bucket().begin(), h.bucket().end()) == b.counts);
    CHECK(h.min() == b.min);
    CHECK(h.max() == b.max);
    CHECK(h.num() == static_cast<double>(b.values.size()));
    CHECK(h.sum_squares() == b.sum_squares);
  }
}

}  // namespace tandem
