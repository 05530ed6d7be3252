// Event files: what is written, when it is, what readers make of damaged ones, and what happens at the end.
#include "eager/summary/summary.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include "core/event_reader.h"
#include "eager/train/global_step.h"
#include "proto/event.pb.h"
#include "proto/plugin_data.pb.h"
#include "tandem.h"
#include "tests/temp_file.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::vector<proto::Event> Read(const std::string& path) {
  std::vector<proto::Event> events(1);
  const auto reader = ValueOrThrow(EventReader::Open(path));
  while (ValueOrThrow(reader->Next(&events.back()))) events.emplace_back();
  events.pop_back();
  return events;
}
// "step tag value" of every scalar.
std::vector<std::string> Scalars(const std::string& path) {
  std::vector<std::string> lines;
  for (const auto& event : Read(path))
    for (const auto& value : event.summary().value()) lines.push_back(absl::StrCat(event.step(), " ", value.tag(), " ", value.simple_value()));
  return lines;
}

}  // namespace

TEST_CASE("each kind of summary is what TensorBoard reads") {
  const TemporaryFolder folder;
  summary::FileWriter writer(folder / "run");
  const auto scope = writer.AsDefault();
  Graph graph;
  {
    GraphScope record(graph);
    Identity(Constant({1., 2.}), "y");
  }
  RunTrace trace;
  Session(graph).Run({}, {"y"}, {}, {.trace = &trace});
  summary::Scalar("loss", 0.5, {.step = 3});
  summary::Histogram("weights", {-1., 0., 1.}, {.step = 4});
  summary::Text("notes", "# a heading", {.step = 5});
  summary::Image("pixels", Tensor::FromData<uint8_t>({2, 1, 2, 3}, std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), {.step = 6});
  summary::Image("grey", Reshape(Tensor({0., 0.5, 1., 2.}), {1, 2, 2, 1}), {.step = 6});
  summary::Audio("tone", Reshape(Tensor({0., 1., -1., 0.5}), {1, 4, 1}), 8000, {.step = 7});
  summary::Graph(graph);
  summary::RunMetadata("step 8", trace, {.step = 8});
  summary::HParams({{"rate", 0.1}, {"units", 3}, {"name", "adam"}, {"dropout", true}});
  summary::EndSession(summary::SessionStatus::kSuccess);
  writer.Flush();
  CHECK(fs::path(writer.path()).filename().string().starts_with("events.out.tfevents."));
  const auto events = Read(writer.path());
  REQUIRE(events.size() == 11);
  CHECK(events[0].file_version() == "brain.Event:2");
  for (size_t i = 1; i < events.size(); ++i) CHECK(events[i].wall_time() >= events[0].wall_time());
  const auto value = [&](size_t i) -> const proto::Summary::Value& { return events[i].summary().value(0); };
  CHECK(events[1].step() == 3);
  CHECK(value(1).tag() == "loss");
  CHECK(value(1).simple_value() == 0.5f);
  CHECK(value(2).histo().num() == 3);
  CHECK(value(3).metadata().plugin_data().plugin_name() == "text");
  CHECK(value(3).tensor().string_val(0) == "# a heading");
  REQUIRE(events[4].summary().value_size() == 2);
  CHECK(events[4].summary().value(1).tag() == "pixels/image/1");
  CHECK(value(4).image().width() == 2);
  CHECK(value(4).image().height() == 1);
  CHECK(value(4).image().colorspace() == 3);
  CHECK(value(4).image().encoded_image_string().starts_with("\x89PNG\r\n\x1a\n"));
  CHECK(value(5).tag() == "grey/image");
  CHECK(value(6).tag() == "tone/audio");
  CHECK(value(6).audio().sample_rate() == 8000);
  CHECK(value(6).audio().length_frames() == 4);
  const std::string& wav = value(6).audio().encoded_audio_string();
  CHECK(wav.size() == 52);
  CHECK(wav.substr(44) == std::string("\0\0\xff\x7f\x01\x80\0\x40", 8));
  CHECK(events[7].graph_def() == graph.Serialize());
  CHECK(events[8].tagged_run_metadata().tag() == "step 8");
  proto::tensorboard::HParamsPluginData hparams;
  CHECK(value(9).tag() == "_hparams_/session_start_info");
  REQUIRE(hparams.ParseFromString(value(9).metadata().plugin_data().content()));
  CHECK(hparams.session_start_info().hparams().at("rate").number_value() == 0.1);
  CHECK(hparams.session_start_info().hparams().at("name").string_value() == "adam");
  CHECK(hparams.session_start_info().hparams().at("dropout").bool_value());
  REQUIRE(hparams.ParseFromString(value(10).metadata().plugin_data().content()));
  CHECK(hparams.session_end_info().status() == proto::tensorboard::STATUS_SUCCESS);
}

TEST_CASE("scopes say what is recorded and where") {
  const TemporaryFolder folder;
  Variable step = train::GetOrCreateGlobalStep();
  summary::Scalar("nowhere", 1.);  // no writer: nothing happens
  CHECK(!summary::ShouldRecord());
  summary::FileWriter outer(folder.path()), inner(folder.path());
  {
    const auto scope = outer.AsDefault();
    const summary::RecordEveryNGlobalSteps every(2);
    for (int i = 0; i < 4; ++i) {
      step.Assign(int64_t{i});
      summary::Scalar("loss", i);
      CHECK(summary::ShouldRecord() == (i % 2 == 0));
      const summary::AlwaysRecord always;
      summary::Scalar("always", i);
      const summary::NeverRecord never;
      summary::Scalar("never", i);
    }
    {
      const auto other = inner.AsDefault();
      summary::Scalar("inner", 1.5, {.step = 8});
    }
    std::thread([] { summary::Scalar("other thread", 1.); }).join();  // scopes are their thread's
  }
  step.Assign(int64_t{0});
  outer.Close();
  inner.Close();
  CHECK(Scalars(outer.path()) == std::vector<std::string>{"0 loss 0", "0 always 0", "1 always 1", "2 loss 2", "2 always 2", "3 always 3"});
  CHECK(Scalars(inner.path()) == std::vector<std::string>{"8 inner 1.5"});
  CHECK(ValueOrThrow(FindEventFiles(folder.path())).size() == 2);
}

TEST_CASE("what graphs compute is added as it is") {
  const TemporaryFolder folder;
  Graph graph;
  {
    GraphScope record(graph);
    const Tensor x = Placeholder(kFloat32, {}, "x");
    Identity(MergeSummary({ScalarSummary("loss", x), HistogramSummary("x", x)}), "merged");
    summary::FileWriter writer(folder.path());
    const auto scope = writer.AsDefault();
    summary::Scalar("eager", 1.);  // what has a value is written, under the step that is
    CHECK(Thrown([&] { summary::Scalar("loss", x, {.step = 1}); }).starts_with("FAILED_PRECONDITION Scalar: loss is the symbolic tensor \"x:0\""));
  }
  summary::FileWriter writer(folder / "graph");
  writer.AddSummary(Session(graph).Run({{"x", 2.}}, "merged"), 7);
  CHECK(Thrown([&] { writer.AddSummary("\x0a\xff", 1); }) == "INVALID_ARGUMENT AddSummary: the string holds no summary");
  writer.Close();
  const auto events = Read(writer.path());
  REQUIRE(events.size() == 2);
  CHECK(events[1].step() == 7);
  CHECK(events[1].summary().value(0).simple_value() == 2);
  CHECK(events[1].summary().value(1).histo().num() == 1);
}

TEST_CASE("wrong values are named, and nothing is written of them") {
  const TemporaryFolder folder;
  const summary::FileWriter writer(folder.path());
  const auto scope = writer.AsDefault();
  const summary::SummaryOptions at{.step = 0};
  CHECK(Thrown([&] { summary::Scalar("loss", {1., 2.}, at); }) == "INVALID_ARGUMENT Scalar: \"loss\" is float32[2], one real number is wanted");
  CHECK(Thrown([&] { summary::Scalar("loss", "text", at); }) == "INVALID_ARGUMENT Scalar: \"loss\" is string[], one real number is wanted");
  CHECK(Thrown([&] { summary::Histogram("w", {1., std::nan("")}, at); }) == "INVALID_ARGUMENT Histogram: \"w\": element 1 is nan");
  CHECK(Thrown([&] { summary::Text("t", 1., at); }) == "INVALID_ARGUMENT Text: \"t\" is float32, strings are wanted");
  CHECK(Thrown([&] { summary::Image("i", {1., 2.}, {.step = 0}); }) ==
        "INVALID_ARGUMENT Image: \"i\" is float32[2], uint8 or floats of [n, height, width, 1 to 4] are wanted");
  CHECK(Thrown([&] { summary::Audio("a", {1., 2.}, 8000, {.step = 0}); }) == "INVALID_ARGUMENT Audio: \"a\" is float32[2], float32 of [n, frames, 1 to 255] is wanted");
  CHECK(Thrown([&] { summary::HParams({{"a", 1}, {"a", 2}}); }) == "INVALID_ARGUMENT HParams: \"a\" comes twice");
  CHECK(Thrown([] { summary::RecordEveryNGlobalSteps every(0); }) == "INVALID_ARGUMENT RecordEveryNGlobalSteps: n is 0, must be at least 1");
  CHECK(Thrown([&] { summary::FileWriter(folder.path(), {.max_queue = 0}); }) == "INVALID_ARGUMENT FileWriter: max_queue is 0, must be at least 1");
  writer.Close();
  CHECK(Read(writer.path()).size() == 1);
  CHECK(Thrown([&] { summary::Scalar("late", 1., at); }) == "FAILED_PRECONDITION FileWriter: " + writer.path() + " was closed");
  CHECK(Thrown([&] { summary::FileWriter(writer.path() + "/below"); }).find(writer.path()) != std::string::npos);  // a file is no folder
}

TEST_CASE("a full queue makes the caller wait, threads share a writer, nothing is lost") {
  const TemporaryFolder folder;
  const summary::FileWriter writer(folder.path(), {.max_queue = 3});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto scope = writer.AsDefault();
      for (int i = 0; i < 200; ++i) summary::Scalar(std::to_string(t), i, {.step = i});
      writer.Flush();
    });
  for (std::thread& t : threads) t.join();
  const auto events = Read(writer.path());
  CHECK(events.size() == 801);
  std::map<std::string, int64_t> next;
  for (const auto& event : events)
    for (const auto& value : event.summary().value()) CHECK(event.step() == next[value.tag()]++);  // in the order of each thread
}

TEST_CASE("the end of the process flushes") {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    auto* kept = new summary::FileWriter(folder.path());  // never destroyed
    const auto scope = kept->AsDefault();
    summary::Scalar("last", 1., {.step = 1});
    std::exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(Scalars(ValueOrThrow(FindEventFiles(folder.path()))[0]) == std::vector<std::string>{"1 last 1"});
}

TEST_CASE("a disk that is full is an error of Flush and of what follows") {
  const TemporaryFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const summary::FileWriter writer(folder.path());
    writer.Flush();
    const rlimit none{fs::file_size(writer.path()), RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &none);
    const auto scope = writer.AsDefault();
    summary::Scalar("lost", 1., {.step = 1});
    const bool flush = Thrown([&] { writer.Flush(); }).find(writer.path()) != std::string::npos;
    const bool later = Thrown([&] { summary::Scalar("later", 1., {.step = 1}); }) != "no error";
    _exit(flush && later ? 0 : 1);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("each byte of a file flipped: an error that names file, record and offset") {
  const TemporaryFolder folder;
  const summary::FileWriter writer(folder.path());
  {
    const auto scope = writer.AsDefault();
    summary::Scalar("loss", 0.5, {.step = 3});
    writer.Close();
  }
  const std::string bytes = ReadBytes(writer.path()), damaged = folder / "damaged";
  const auto read = [&](const std::string& content) {
    std::ofstream(damaged, std::ios::binary | std::ios::trunc) << content;
    return Thrown([&] { Read(damaged); });
  };
  REQUIRE(read(bytes) == "no error");
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    const std::string error = read(changed);
    INFO("byte " << i << ": " << error);
    CHECK(error.starts_with("DATA_LOSS " + damaged + ": record "));
    CHECK(error.find("offset") != std::string::npos);
  }
  CHECK(read(bytes.substr(0, bytes.size() - 3)).starts_with("DATA_LOSS " + damaged + ": record 1"));
  CHECK(Thrown([&] { ValueOrThrow(FindEventFiles(folder / "none")); }) == "NOT_FOUND " + folder / "none: there is no such folder");
}

}  // namespace tandem
