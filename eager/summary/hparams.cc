#include "eager/summary/hparams.h"

#include <chrono>

#include "eager/summary/destination.h"
#include "proto/event.pb.h"
#include "proto/plugin_data.pb.h"

namespace tandem::summary {
namespace {

double Now() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

// The data lies in the metadata; the value is a float tensor without elements.
void Push(const Destination& to, const char* tag, const proto::tensorboard::HParamsPluginData& data) {
  proto::Event event;
  auto* value = event.mutable_summary()->add_value();
  value->set_tag(tag);
  auto* plugin = value->mutable_metadata()->mutable_plugin_data();
  plugin->set_plugin_name("hparams");
  plugin->set_content(data.SerializeAsString());
  value->mutable_tensor()->set_dtype(proto::DT_FLOAT);
  value->mutable_tensor()->mutable_tensor_shape()->add_dim()->set_size(0);
  ThrowIfError(to.queue->Push(event));
}

}  // namespace

void HParams(const std::vector<NamedHParam>& params, std::string_view group) {
  const Destination to = FindDestination(0);
  if (!to) return;
  proto::tensorboard::HParamsPluginData data;
  auto* start = data.mutable_session_start_info();
  start->set_start_time_secs(Now());
  start->set_group_name(std::string(group));
  for (const NamedHParam& p : params) {
    if (start->hparams().contains(p.name)) ThrowError(InvalidArgument("HParams: \"", p.name, "\" comes twice"));
    auto& value = (*start->mutable_hparams())[p.name];
    if (const auto* number = std::get_if<double>(&p.value)) value.set_number_value(*number);
    else if (const auto* truth = std::get_if<bool>(&p.value)) value.set_bool_value(*truth);
    else value.set_string_value(std::get<std::string>(p.value));
  }
  Push(to, "_hparams_/session_start_info", data);
}

void EndSession(SessionStatus status) {
  const Destination to = FindDestination(0);
  if (!to) return;
  proto::tensorboard::HParamsPluginData data;
  data.mutable_session_end_info()->set_status(static_cast<proto::tensorboard::Status>(status));
  data.mutable_session_end_info()->set_end_time_secs(Now());
  Push(to, "_hparams_/session_end_info", data);
}

}  // namespace tandem::summary
