#include "eager/train/checkpoint.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/output_file.h"
#include "tests/compare.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem::train {
namespace {

// An object that is filled from outside.
class Holder : public Trackable {
 public:
  Holder() = default;
  explicit Holder(std::initializer_list<CheckpointItem> items) {
    for (const CheckpointItem& item : items) item.AddTo(*state());
  }
};

Variable Named(std::string name, const Tensor& value) { return Variable(value, {.name = std::move(name)}); }

std::vector<std::string> Keys(const std::string& prefix) {
  std::vector<std::string> keys;
  const auto reader = ValueOrThrow(BundleReader::Open(prefix));
  for (const BundleEntry& entry : reader->entries()) keys.push_back(entry.key);
  return keys;
}

// What TensorFlow's object_momentum_slots fixture describes: two dense layers, a momentum optimizer, a step.
struct Fixture {
  Variable w0 = Named("w0", Zeros({3, 4})), b0 = Named("b0", Zeros({4})), w1 = Named("w1", Zeros({4, 2})), b1 = Named("b1", Zeros({2}));
  Variable numbers = Named("Variable", Zeros({2})), step = Named("step", Tensor(int64_t{0}));
  Variable iter = Named("SGD/iter", Tensor(int64_t{0})), decay = Named("SGD/decay", 0.f), rate = Named("SGD/learning_rate", 0.f), momentum = Named("SGD/momentum", 0.f);
  Variable m0 = Named("SGD/w0/momentum", Zeros({3, 4})), mb0 = Named("SGD/b0/momentum", Zeros({4})), m1 = Named("SGD/w1/momentum", Zeros({4, 2})),
           mb1 = Named("SGD/b1/momentum", Zeros({2}));
  Holder head{{"w", w1}, {"b", b1}};
  Holder model{{"layers", std::vector<std::vector<Variable>>{{w0, b0}}}, {"head", head}};
  Holder optimizer{{"iter", iter}, {"decay", decay}, {"learning_rate", rate}, {"momentum", momentum}};

  void AddSlots() {
    optimizer.state()->AddSlot(w1, "momentum", m1);
    optimizer.state()->AddSlot(b1, "momentum", mb1);
    optimizer.state()->AddSlot(w0, "momentum", m0);
    optimizer.state()->AddSlot(b0, "momentum", mb0);
  }
  Checkpoint Root() { return Checkpoint({{"model", model}, {"numbers", numbers}, {"optimizer", optimizer}, {"step", step}}); }
};

const std::string kObjectGraph = "_CHECKPOINTABLE_OBJECT_GRAPH";
const std::string kMomentum = "tests/data/fixtures/checkpoints/object_momentum_slots/ckpt-6";

}  // namespace

TEST_CASE("the guide's listing") {
  const TemporaryFolder folder;
  Variable x(10.);
  Checkpoint checkpoint({{"x", x}});
  x.Assign(2.);
  const std::string path = checkpoint.Save(folder / "ckpt/");
  CHECK(path == folder / "ckpt/-1");
  x.Assign(11.);
  checkpoint.Restore(path).AssertConsumed();
  CHECK(x.item<float>() == 2);
  CHECK(LatestCheckpoint(folder / "ckpt") == path);
}

TEST_CASE("TensorFlow's checkpoint is restored and written again byte for byte") {
  const TemporaryFolder folder;
  Fixture f;
  f.AddSlots();
  Checkpoint root = f.Root();
  root.Restore(kMomentum).AssertConsumed().AssertExistingObjectsMatched();
  CHECK(f.step.item<int64_t>() == 6);
  CHECK(f.m0.Read().ToVector<float>()[0] == 0.06355920433998108f);
  root.Write(folder / "again");
  CHECK(*ReadWholeFile(folder / "again.index") == *ReadWholeFile(kMomentum + ".index"));
  CHECK(*ReadWholeFile(folder / "again.data-00000-of-00001") == *ReadWholeFile(kMomentum + ".data-00000-of-00001"));
}

TEST_CASE("variables made later are restored when they are made") {
  Fixture f;
  Holder late_head, late_optimizer;
  Holder model{{"head", late_head}};
  Checkpoint root({{"model", model}, {"optimizer", late_optimizer}});
  const RestoreStatus status = root.Restore(kMomentum);
  CHECK_THROWS_AS(status.AssertConsumed(), Error);
  status.AssertExistingObjectsMatched();

  late_optimizer.state()->AddSlot(f.w1, "momentum", f.m1);  // its variable is not known yet
  CHECK(f.m1.Read().ToVector<float>()[0] == 0);
  late_head.state()->Add("w", f.w1);
  CHECK(f.w1.Read().ToVector<float>()[0] == 0.8611449003219604f);
  CHECK(f.m1.Read().ToVector<float>()[0] == -0.025092443451285362f);
  f.w1.Assign(Zeros({4, 2}));
  late_head.state()->Add("b", f.b1);  // what was restored before stays as it is now
  late_optimizer.state()->AddSlot(f.b1, "momentum", f.mb1);
  CHECK(f.mb1.Read().ToVector<float>()[0] == 0.10563315451145172f);
  CHECK(f.w1.Read().ToVector<float>()[0] == 0);
  root.state()->Add("step", f.step);
  model.state()->Add("layers", CheckpointItem("", std::vector<std::vector<Variable>>{{f.w0, f.b0}}).object());
  CHECK(f.step.item<int64_t>() == 6);
  CHECK(f.b0.Read().ToVector<float>()[3] == 0.27177438139915466f);
  CHECK(Thrown([&] { root.state()->Add("numbers", Variable(Zeros({3}), {.name = "n"})); }) ==
        "INVALID_ARGUMENT Restore: " + kMomentum + ": \"numbers/.ATTRIBUTES/VARIABLE_VALUE\" is float32[2], variable \"n\" is float32[3]");
}

TEST_CASE("what is missing and what is unused is named") {
  const TemporaryFolder folder;
  Variable a(1.), b(2.), c(3.);
  Checkpoint({{"a", a}, {"b", b}}).Write(folder / "c");
  Checkpoint other({{"a", c}, {"d", c}, {"e", b}});
  const RestoreStatus status = other.Restore(folder / "c").ExpectPartial().AssertNontrivialMatch();
  CHECK(status.unused() == std::vector<std::string>{"b/.ATTRIBUTES/VARIABLE_VALUE"});
  CHECK(status.missing() == std::vector<std::string>{std::string("e/.ATTRIBUTES/VARIABLE_VALUE"), "save_counter/.ATTRIBUTES/VARIABLE_VALUE"});
  CHECK(Thrown([&] { status.AssertConsumed(); }) ==
        "FAILED_PRECONDITION Restore: " + folder / "c; no object takes: b/.ATTRIBUTES/VARIABLE_VALUE; not in the checkpoint: "
        "e/.ATTRIBUTES/VARIABLE_VALUE, save_counter/.ATTRIBUTES/VARIABLE_VALUE");
  CHECK(c.item<float>() == 1);
  const RestoreStatus none = other.Restore(LatestCheckpoint(folder.path()));
  CHECK_THROWS_AS(none.AssertConsumed(), Error);
  CHECK_THROWS_AS(none.AssertNontrivialMatch(), Error);
}

TEST_CASE("shared objects are saved once, under the shortest way to them") {
  const TemporaryFolder folder;
  Variable v(1.);
  Holder deep{{"v", v}}, outer{{"deep", deep}};
  Checkpoint root({{"a", outer}, {"b", deep}, {"c/d.e", v}});
  root.Write(folder / "c");
  root.Read(folder / "c").AssertConsumed();
  CHECK(Keys(folder / "c") == std::vector<std::string>{kObjectGraph, "c.Sd..e/.ATTRIBUTES/VARIABLE_VALUE"});
  v.Assign(5.);
  root.Restore(folder / "c").AssertNontrivialMatch();
  CHECK(v.item<float>() == 1);
}

TEST_CASE("values that are no variables") {
  const TemporaryFolder folder;
  int64_t position = 42;
  Holder iterator;
  iterator.state()->AddValue({"position", [&] { return Tensor(position); }, [&](const Tensor& t) { position = t.item<int64_t>(); }});
  Checkpoint root({{"iterator", iterator}});
  const std::string path = root.Save(folder / "c");
  position = 0;
  root.Restore(path).AssertConsumed();
  CHECK(position == 42);
}

TEST_CASE("a checkpoint without an object graph goes by the variables' names") {
  Variable w = Named("net/w", Zeros({5, 4})), b = Named("net/b", Zeros({4}));
  Checkpoint root({{"anything", std::vector<Variable>{w, b}}});
  const RestoreStatus status = root.Restore("tests/data/fixtures/checkpoints/tf1_saver/model.ckpt-7");
  CHECK(b.Read().ToVector<float>()[0] != 0);
  CHECK(status.unused().size() == 3);
}

TEST_CASE("nothing changes when a restore fails") {
  const TemporaryFolder folder;
  Variable a = Named("a", 1.f), b = Named("b", {1., 2.});
  Checkpoint root({{"a", a}, {"b", b}});
  const std::string path = root.Save(folder / "c");
  a.Assign(7.);
  b.Assign({7., 7.});
  CHECK(Thrown([&] { root.Restore(folder / "d"); }) == "NOT_FOUND Restore: " + folder / "d.index: cannot be opened: No such file or directory");
  std::string bytes = *ReadWholeFile(path + ".data-00000-of-00001");
  bytes[4] = static_cast<char>(bytes[4] ^ 1);  // b is read after a
  std::ofstream(path + ".data-00000-of-00001", std::ios::binary) << bytes;
  CHECK(Thrown([&] { root.Restore(path); }) ==
        "DATA_LOSS " + path + ".data-00000-of-00001: entry \"b/.ATTRIBUTES/VARIABLE_VALUE\" at offset 4 (8 bytes): its checksum is wrong");
  CHECK(a.item<float>() == 7);
  Variable wide = Named("b", {1., 2., 3.});
  Checkpoint other({{"a", a}, {"b", wide}});
  CHECK(Thrown([&] { other.Restore(path); }) ==
        "INVALID_ARGUMENT Restore: " + path + ": \"b/.ATTRIBUTES/VARIABLE_VALUE\" is float32[2], variable \"b\" is float32[3]");
  CHECK(a.item<float>() == 7);
}

TEST_CASE("a failed save is not counted, and works under a graph scope as outside") {
  const TemporaryFolder folder;
  Variable a(1.);
  Checkpoint root({{"a", a}});
  std::ofstream(folder / "file") << "x";
  CHECK_THROWS_AS(root.Save(folder / "file/c"), Error);
  CHECK(root.save_counter().item<int64_t>() == 0);
  Graph graph;
  {
    GraphScope scope(graph);
    CHECK(root.Save(folder / "c") == folder / "c-1");
    a.Read();
  }
  a.Assign(2.);
  {
    GraphScope scope(graph);
    root.Restore(folder / "c-1").AssertConsumed();
    Checkpoint inside({{"v", Variable(1., {.name = "v"})}});
    CHECK(Thrown([&] { inside.Write(folder / "v"); }) ==
          "FAILED_PRECONDITION Checkpoint: variable \"v\" belongs to a graph: its value lives in a Session, which train::Saver saves");
  }
  CHECK(a.item<float>() == 1);
}

TEST_CASE("objects that are gone leave nothing to restore into") {
  const TemporaryFolder folder;
  Variable a(1.), b(1.);
  const std::string path = Checkpoint({{"a", a}, {"b", b}}).Write(folder / "c");
  Variable late(0.);
  {
    Holder object;
    auto root = std::make_unique<Checkpoint>(Checkpoint({{"o", object}}));
    root->Restore(path);
    root.reset();
    object.state()->Add("a", late);  // no listener throws, none is told twice
  }
  CHECK(late.item<float>() == 0);
}

TEST_CASE("the checkpoint file") {
  const TemporaryFolder folder;
  CHECK(LatestCheckpoint(folder.path()) == "");
  CHECK(LatestCheckpoint("tests/data/fixtures/checkpoints/object_adam") == "tests/data/fixtures/checkpoints/object_adam/ckpt-6");
  std::ofstream(folder / "checkpoint") << "model_checkpoint_path: \"gone-1\"\nsomething_new: 5\n";
  CHECK(LatestCheckpoint(folder.path()) == "");
  std::ofstream(folder / "checkpoint") << "model_checkpoint_path: oops";
  CHECK(Thrown([&] { LatestCheckpoint(folder.path()); }).starts_with("DATA_LOSS LatestCheckpoint: " + folder / "checkpoint: line 1, column 24: "));
}

}  // namespace tandem::train
