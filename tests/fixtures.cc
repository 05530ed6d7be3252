#include "tests/fixtures.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/npy.h"
#include "core/op.h"
#include "core/ops/concat.h"
#include "tandem.h"
#include "tests/checkpoint_fixtures.h"
#include "tests/compare.h"
#include "tests/fixture_events.h"
#include "tests/fixture_records.h"

namespace tandem {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

Json ReadJson(const std::string& path) {
  std::ifstream in(path);
  return in ? Json::parse(in, nullptr, false) : Json();
}

std::string Missing(const Json& spec) {
  if (spec.contains("ops") && spec.value("kind", "") != "savedmodel")  // a model's ops for saving are not needed
    for (const auto& [op, count] : spec["ops"].items())
      if (FindOp(op) == OpId::kInvalid) return op;
  return "";
}

// Sets of feeds and fetches: the case's own, then those in "also".
std::string RunSet(Session& session, const Fixture& f, const Json& set, const Json& spec) {
  std::vector<Feed> feeds;
  const Json fed = set.value("feeds", Json::object());
  for (const auto& [name, file] : fed.items()) feeds.push_back({name, LoadNpy(f.folder + "/" + file.get<std::string>())});
  std::vector<TensorName> fetches, targets;
  std::vector<std::string> files;
  const Json& wanted = set["fetches"];
  for (const auto& [key, value] : wanted.items()) {
    fetches.emplace_back(wanted.is_object() ? key : value.get<std::string>());
    files.push_back(wanted.is_object() ? value.get<std::string>() : "");
  }
  for (const auto& t : spec.value("run_targets", Json::array())) targets.emplace_back(t.get<std::string>());
  const int repeat = spec.value("repeat", 1);
  std::vector<Tensors> runs;
  for (int i = 0; i < repeat; ++i) runs.push_back(session.RunAll(feeds, fetches, targets, {}));
  for (size_t k = 0; k < fetches.size(); ++k) {
    if (files[k].empty()) continue;
    Tensors values;
    for (const Tensors& run : runs) values.push_back(run[k]);
    const Tensor got = spec.contains("repeat") ? Stack(values) : values[0];
    const Tensor want = LoadNpy(f.folder + "/" + files[k]);
    Tolerance tolerance = DefaultTolerance(want.dtype());
    if (IsDifferentiable(want.dtype())) tolerance = {spec.value("rtol", 1e-5), spec.value("atol", 1e-6)};
    if (spec.contains("tolerances") && spec["tolerances"].contains(fetches[k].text())) {
      const Json& own = spec["tolerances"][fetches[k].text()];
      tolerance = {own[0].get<double>(), own[1].get<double>()};
    }
    if (const std::string wrong = Difference(got, want, tolerance); !wrong.empty()) return fetches[k].text() + ": " + wrong;
  }
  return "";
}

std::string RunModel(const Fixture& f, OptLevel level) {
  LoadedModel model = LoadModel(f.folder + "/saved_model", {.session = {.level = level}});
  if (std::string wrong = RunSet(model.session(), f, f.spec, f.spec); !wrong.empty()) return wrong;
  for (const Json& set : f.spec.value("also", Json::array()))
    if (std::string wrong = RunSet(model.session(), f, set, f.spec); !wrong.empty()) return "another set: " + wrong;
  return "";
}

std::string RunGraph(const Fixture& f, OptLevel level) {
  const Json& spec = f.spec;
  if (!f.broken && spec.value("kind", "") == "savedmodel") return RunModel(f, level);
  const std::string file = spec.contains("file") ? spec["file"].get<std::string>() : spec.value("kind", "") == "metagraph" ? "meta.pb" : "graph.pb";
  const Graph graph = Graph::Load(f.folder + "/" + file);
  Session session(graph, {.level = level});
  for (const auto& t : spec.value("targets", Json::array())) session.RunAll({}, {}, {TensorName(t.get<std::string>())}, {});
  if (std::string wrong = RunSet(session, f, spec, spec); !wrong.empty()) return wrong;
  int k = 0;
  for (const Json& set : spec.value("also", Json::array())) {
    ++k;
    if (std::string wrong = RunSet(session, f, set, spec); !wrong.empty()) return "set " + std::to_string(k) + ": " + wrong;
  }
  if (spec.contains("final")) {
    Json last = spec;
    last.erase("repeat");
    last.erase("run_targets");
    if (std::string wrong = RunSet(session, f, {{"fetches", spec["final"]}}, last); !wrong.empty()) return "final: " + wrong;
  }
  return "";
}

std::string CheckError(const Error& e, const std::string& code, const Json& names) {
  if (code != CodeName(e.code())) return std::string("got ") + CodeName(e.code()) + " (" + e.message() + "), want " + code;
  for (const auto& name : names)
    if (e.message().find(name.get<std::string>()) == std::string::npos) return "the error does not name \"" + name.get<std::string>() + "\": " + e.message();
  return "";
}

}  // namespace

std::vector<Fixture> LoadFixtures(const std::string& folder) {
  std::vector<Fixture> fixtures;
  std::vector<fs::path> cases;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder + "/graphs", ignored)) cases.push_back(entry.path());
  std::sort(cases.begin(), cases.end());
  for (const fs::path& path : cases) {
    Json spec = ReadJson((path / "case.json").string());
    if (!spec.is_object()) continue;
    const std::string missing = Missing(spec);
    fixtures.push_back({path.filename().string(), path.string(), std::move(spec), false, missing});
  }
  const Json broken = ReadJson(folder + "/broken/index.json");
  for (const Json& entry : broken.is_object() ? broken["entries"] : Json::array()) {
    const std::string kind = entry["kind"].get<std::string>();
    const std::string file = entry.value("file", "?");
    if (!fs::exists(folder + "/broken/" + (kind == "checkpoint" ? fs::path(file).parent_path().string() : file))) continue;
    fixtures.push_back({entry["name"].get<std::string>(), folder + "/broken", entry, true,
                        kind == "graphdef" || kind == "metagraph" || kind == "npy" || kind == "tfrecord" || kind == "checkpoint" || kind == "savedmodel" ? "" : kind});
  }
  const Json index = ReadJson(folder + "/tfrecord/index.json");
  const Json files = index.is_object() ? index["files"] : Json::object();
  for (const auto& [file, entry] : files.items()) {
    if (!fs::exists(folder + "/tfrecord/" + file)) continue;
    fixtures.push_back({file, folder + "/tfrecord",
                        {{"kind", "records"}, {"file", file}, {"compression", entry["compression"]}, {"records", index["records"][entry["records"].get<std::string>()]}}});
  }
  std::vector<fs::path> checkpoints;
  for (const auto& entry : fs::directory_iterator(folder + "/checkpoints", ignored)) checkpoints.push_back(entry.path());
  std::sort(checkpoints.begin(), checkpoints.end());
  for (const fs::path& path : checkpoints) {
    Json values = ReadJson((path / "values.json").string());
    if (!values.is_object()) continue;
    const bool bundle = values.value("kind", "") == "bundle";
    fixtures.push_back({path.filename().string(), path.string(), std::move(values), false, bundle ? "" : "the checkpoint format before bundles"});
  }
  std::vector<fs::path> events;
  for (const auto& entry : fs::directory_iterator(folder + "/events", ignored))
    if (entry.path().extension() == ".json") events.push_back(entry.path());
  std::sort(events.begin(), events.end());
  for (const fs::path& path : events) {
    Json spec = ReadJson(path.string());
    if (!spec.is_object() || !spec.contains("events")) continue;
    spec["kind"] = "events";
    fixtures.push_back({"events/" + path.stem().string(), folder + "/events", std::move(spec), false, ""});
  }
  return fixtures;
}

std::string CheckFixture(const Fixture& f, OptLevel level) {
  std::string code, wrong;
  Json names = Json::array();
  bool may_run = false;
  if (f.broken) {
    const Json& want = f.spec["want"];
    if (!want["code"].is_null()) code = want["code"].get<std::string>();
    names = want.value("names", Json::array());
    may_run = want.value("or_ok", false);
  } else if (f.spec.contains("expect_error")) {
    code = f.spec["expect_error"]["code"].get<std::string>();
  }
  const std::string kind = f.spec.value("kind", "");
  try {
    const std::string file = f.folder + "/" + f.spec.value("file", "");
    if (kind == "npy") LoadNpy(file);
    else if (kind == "tfrecord") for ([[maybe_unused]] auto& record : data::TFRecord(file, {.compression = file.ends_with(".gz") ? "GZIP" : ""})) {}
    else if (kind == "records") wrong = CheckRecordFile(file, f.spec["compression"], f.spec["records"]);
    else if (kind == "checkpoint") ReadWholeCheckpoint(file);
    else if (kind == "savedmodel" && f.broken) LoadModel(file);
    else if (kind == "bundle") wrong = CheckCheckpointValues(f.folder, f.spec);
    else if (kind == "events") wrong = CheckEvents(f.folder, f.spec);
    else wrong = RunGraph(f, level);
  } catch (const Error& e) {
    const std::string& message = e.message();
    const size_t op = message.find("there is no op \"");
    if ((f.broken || kind == "savedmodel") && op != std::string::npos && std::none_of(names.begin(), names.end(), [&](const Json& n) { return message.find("no op \"" + n.get<std::string>()) != std::string::npos; }))
      return "skipped: " + message.substr(op);
    return code.empty() ? std::string("got ") + CodeName(e.code()) + ": " + e.message() : CheckError(e, code, names);
  }
  if (!wrong.empty()) return wrong;
  if (f.broken && f.name == "text") return "skipped: text";
  return code.empty() || may_run ? "" : "ran, want " + code;
}

}  // namespace tandem
