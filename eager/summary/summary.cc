#include "eager/summary/summary.h"

#include "core/device_memory.h"
#include "core/histogram.h"
#include "core/symbolic.h"
#include "core/tensor_proto.h"
#include "eager/summary/destination.h"
#include "proto/event.pb.h"

namespace tandem::summary {

void Scalar(std::string_view tag, const Tensor& value, SummaryOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  if (value.symbolic()) ThrowError(NoValueError("Scalar", tag, *value.rep()));
  if (value.size() != 1 || IsComplex(value.dtype()) || DTypeSize(value.dtype()) == 0)
    ThrowError(InvalidArgument("Scalar: \"", Absl(tag), "\" is ", Absl(DTypeName(value.dtype())), value.shape().ToString(), ", one real number is wanted"));
  ThrowIfError(to.queue->PushScalar(tag, value.item<float>(), to.step));
}

void Histogram(std::string_view tag, const Tensor& values, SummaryOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  if (values.symbolic()) ThrowError(NoValueError("Histogram", tag, *values.rep()));
  (void)values.shape();  // throws when undefined
  tandem::Histogram histogram;
  const Tensor host = OnHost(values);
  if (const absl::Status status = histogram.Add(*host.rep()); !status.ok())
    ThrowError(InvalidArgument("Histogram: \"", Absl(tag), "\": ", status.message()));
  proto::Event event;
  event.set_step(to.step);
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(std::string(tag));
  histogram.ToProto(value->mutable_histo());
  ThrowIfError(to.queue->Push(event));
}

void Text(std::string_view tag, const Tensor& text, SummaryOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  if (text.dtype() != kString)
    ThrowError(InvalidArgument("Text: \"", Absl(tag), "\" is ", Absl(DTypeName(text.dtype())), ", strings are wanted"));
  proto::Event event;
  event.set_step(to.step);
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(std::string(tag));
  value->mutable_metadata()->mutable_plugin_data()->set_plugin_name("text");
  ThrowIfError(TensorToProto(text, value->mutable_tensor()));
  ThrowIfError(to.queue->Push(event));
}

void GraphBytes(std::string serialized) {
  const Destination to = FindDestination(0);
  if (!to) return;
  proto::Event event;
  event.set_graph_def(std::move(serialized));
  ThrowIfError(to.queue->Push(event));
}

void RunMetadataBytes(std::string_view tag, std::string serialized, SummaryOptions options) {
  const Destination to = FindDestination(options.step);
  if (!to) return;
  proto::Event event;
  event.set_step(to.step);
  event.mutable_tagged_run_metadata()->set_tag(std::string(tag));
  event.mutable_tagged_run_metadata()->set_run_metadata(std::move(serialized));
  ThrowIfError(to.queue->Push(event));
}

}  // namespace tandem::summary
