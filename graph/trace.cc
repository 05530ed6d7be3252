// RunTrace's two written forms: the Chrome trace format (JSON array of complete events, microseconds) and TensorFlow's
// RunMetadata.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "graph/json_text.h"
#include "graph/session.h"
#include "proto/run_metadata.pb.h"
#include "proto/step_stats.pb.h"

namespace tandem {
std::string RunTrace::ToChromeTrace() const {
  std::string out = "{\"traceEvents\":[\n";
  absl::StrAppend(&out, R"({"ph":"M","pid":0,"name":"process_name","args":{"name":"/cpu:0"}})");
  if (plan_ns > 0) absl::StrAppend(&out, ",\n", R"({"ph":"X","pid":0,"tid":0,"name":"optimise and plan","ts":)", -plan_ns / 1e3, ",\"dur\":", plan_ns / 1e3, "}");
  for (const Event& e : events) {
    absl::StrAppend(&out, ",\n{\"ph\":\"X\",\"pid\":0,\"tid\":0,\"name\":", JsonText(e.op), ",\"cat\":\"op\",\"ts\":", e.start_ns / 1e3,
                    ",\"dur\":", e.duration_ns / 1e3, ",\"args\":{\"node\":", JsonText(e.node), ",\"inputs\":", JsonText(e.inputs),
                    ",\"outputs\":", JsonText(absl::StrJoin(e.outputs, ", ")), ",\"bytes\":", e.output_bytes, "}}");
  }
  return out + "\n]}\n";
}

std::string RunTrace::ToRunMetadata() const {
  proto::RunMetadata metadata;
  proto::DeviceStepStats* device = metadata.mutable_step_stats()->add_dev_stats();
  device->set_device("/job:localhost/replica:0/task:0/device:CPU:0");
  for (const Event& e : events) {
    proto::NodeExecStats* stats = device->add_node_stats();
    stats->set_node_name(e.node);
    stats->set_timeline_label(absl::StrCat(e.node, " = ", e.op, "(", e.inputs, ")"));
    const int64_t start = wall_start_us * 1000 + e.start_ns;
    stats->set_all_start_micros(start / 1000);
    stats->set_all_start_nanos(start);
    stats->set_op_end_rel_micros(std::max<int64_t>(e.duration_ns / 1000, 1));
    stats->set_all_end_rel_micros(std::max<int64_t>(e.duration_ns / 1000, 1));
    stats->set_op_end_rel_nanos(e.duration_ns);
    stats->set_all_end_rel_nanos(e.duration_ns);
    proto::AllocatorMemoryUsed* memory = stats->add_memory();
    memory->set_allocator_name("cpu");
    memory->set_total_bytes(e.output_bytes);
  }
  return metadata.SerializeAsString();
}

}  // namespace tandem
