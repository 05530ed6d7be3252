#include "core/histogram.h"
#include "core/kernel.h"
#include "core/visit.h"
#include "proto/summary.pb.h"

namespace tandem {
namespace {

absl::Status Give(KernelCall& call, const proto::Summary& summary) {
  *call.output().as<std::string>() = summary.SerializeAsString();
  return absl::OkStatus();
}

template <class T>
absl::Status Scalars(KernelCall& call) {
  const TensorRep &tags = call.input(0), &values = call.input(1);
  proto::Summary summary;
  for (int64_t i = 0; i < values.count; ++i) {
    auto* value = summary.add_value();
    value->set_tag(tags.as<std::string>()[i]);
    value->set_simple_value(static_cast<float>(values.as<T>()[i]));
  }
  return Give(call, summary);
}

absl::Status HistogramOf(KernelCall& call) {
  const std::string& tag = *call.input(0).as<std::string>();
  Histogram histogram;
  if (const absl::Status status = histogram.Add(call.input(1)); !status.ok()) return call.Error("\"", tag, "\": ", std::string(status.message()));
  proto::Summary summary;
  auto* value = summary.add_value();
  value->set_tag(tag);
  histogram.ToProto(value->mutable_histo());
  return Give(call, summary);
}

absl::Status Merge(KernelCall& call) {
  proto::Summary merged;
  std::vector<std::string> tags;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const TensorRep& input = call.input(static_cast<int>(i));
    for (int64_t k = 0; k < input.count; ++k) {
      proto::Summary part;
      if (!part.ParseFromString(input.as<std::string>()[k])) return call.Error("inputs[", i, "] holds bytes that are no summary");
      for (const auto& value : part.value()) {
        if (std::find(tags.begin(), tags.end(), value.tag()) != tags.end()) return call.Error("the tag \"", value.tag(), "\" comes twice");
        tags.push_back(value.tag());
        *merged.add_value() = value;
      }
    }
  }
  return Give(call, merged);
}

}  // namespace

void ScalarSummaryCpu(CpuKernel& k) {
  for (int d = 0; d < kNumDTypes; ++d)
    if (!IsComplex(static_cast<DType>(d))) VisitNumeric(static_cast<DType>(d), [&]<class T>(T) {
      if constexpr (!requires(T t) { t.real(); }) k.Set(static_cast<DType>(d), Scalars<T>);
    });
}
void HistogramSummaryCpu(CpuKernel& k) {
  for (int d = 0; d < kNumDTypes; ++d)
    if (!IsComplex(static_cast<DType>(d))) VisitNumeric(static_cast<DType>(d), [&](auto) { k.Set(static_cast<DType>(d), HistogramOf); });
}
void MergeSummaryCpu(CpuKernel& k) { k.SetAll(Merge); }

}  // namespace tandem
