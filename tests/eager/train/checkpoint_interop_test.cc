// The half of tools/interop/check_checkpoints.py that is Tandem's: `checkpoint_interop_test FOLDER` writes ours-1,
// ours-again, named and every into FOLDER, or reads what TensorFlow put there, when it has theirs-1.index.
#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>

#include "core/bundle/bundle_reader.h"
#include "tandem.h"
#include "tests/catch/program.h"
#include "tests/compare.h"
#include "tests/temporary.h"

namespace tandem {
namespace {

class Holder : public Trackable {
 public:
  Holder(std::initializer_list<train::CheckpointItem> items) {
    for (const train::CheckpointItem& item : items) item.AddTo(*state());
  }
};

Variable Named(std::string name, const Tensor& value) { return Variable(value, {.name = std::move(name)}); }

// A model of two layers with momentum slots; every value is `base` and its place.
struct Run {
  explicit Run(double base)
      : w(Named("w", Tensor({{base, base + 1}, {base + 2, base + 3}}))), b(Named("b", Tensor({base + 4, base + 5}))),
        m(Named("w/momentum", Tensor({{base + 6, base + 7}, {base + 8, base + 9}}))), step(Named("step", Tensor(static_cast<int64_t>(base)))) {}
  Variable w, b, m, step;
  Holder layer{{"w", w}, {"b", b}};
  Holder model{{"layers", std::vector<std::shared_ptr<ObjectState>>{layer.state()}}, {"tied", w}};
  Holder optimizer{{"iter", step}};
  train::Checkpoint Root() {
    optimizer.state()->AddSlot(w, "momentum", m);
    return train::Checkpoint({{"model", model}, {"optimizer", optimizer}, {"step", step}});
  }
};

void WriteOurs(const std::string& folder) {
  Run run(10);
  train::Checkpoint root = run.Root();
  root.Save(folder + "/ours");
  root.Write(folder + "/ours-again");
  root.Write(folder + "/ours-again");  // replaced: its data file has the second name
  train::Saver({run.w, run.b}).Save(folder + "/named", 7);
  std::vector<std::string> names;
  Tensors values;
  for (const DType dtype : {kFloat32, kFloat64, kFloat16, kBFloat16, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kBool, kComplex64, kComplex128}) {
    names.emplace_back(DTypeName(dtype));
    values.push_back(Cast(Tensor({1, 0, 3}), dtype));
  }
  names.insert(names.end(), {"string", "part"});
  values.insert(values.end(), {Tensor({"one", "", "three"}), Tensor({7., 8.})});
  std::vector<std::string> slices(names.size());
  slices.back() = "4 2,2";
  names.emplace_back("part");
  values.push_back(Tensor({5., 6.}));
  slices.emplace_back("4 0,2");
  SaveV2(folder + "/every", names, slices, values);
}

// "" when TensorFlow's checkpoint restores: the values count from 20.
std::string ReadTheirs(const std::string& folder) {
  Run run(0);
  const Run want(20);
  train::Checkpoint root = run.Root();
  root.Restore(train::LatestCheckpoint(folder)).AssertConsumed();
  for (const auto& [got, wanted] : {std::pair(run.w, want.w), {run.b, want.b}, {run.m, want.m}, {run.step, want.step}})
    if (const std::string wrong = DifferentBits(got.Read(), wanted.Read()); !wrong.empty()) return wanted.name() + ": " + wrong;
  return "";
}

}  // namespace

int RunProgram(int, char** argv) {
  const std::string folder = argv[1];
  if (!std::filesystem::exists(folder + "/theirs-1.index")) return WriteOurs(folder), 0;
  const std::string wrong = ReadTheirs(folder);
  std::printf("%s\n", wrong.empty() ? "TensorFlow's checkpoint restores" : wrong.c_str());
  return wrong.empty() ? 0 : 1;
}

TEST_CASE("what the other side is asked to read is whole") {
  const TemporaryFolder folder;
  WriteOurs(folder.path());
  Run run(0);
  train::Checkpoint root = run.Root();
  for (const char* name : {"/ours-1", "/ours-again"}) {
    root.Restore(folder.path() + name).AssertConsumed();
    CHECK(run.m.Read().ToVector<float>() == std::vector<float>{16, 17, 18, 19});
  }
  CHECK(ValueOrThrow(ValueOrThrow(BundleReader::Open(folder / "every"))->Read("part")).ToString() == "[5. 6. 7. 8.]");
}

}  // namespace tandem
