#include "eager/train/saver.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem::train {
namespace {

Variable Named(std::string name, const Tensor& value) { return Variable(value, {.name = std::move(name)}); }

}  // namespace

TEST_CASE("variables by name") {
  const TemporaryFolder folder;
  Variable w = Named("w", {1., 2.}), b = Named("b", 3.f);
  Saver saver({w, b}, {.max_to_keep = 1});
  const std::string first = saver.Save(folder / "m", 1), second = saver.Save(folder / "m", 2);
  CHECK(second == folder / "m-2");
  CHECK(!std::filesystem::exists(first + ".index"));
  CHECK(LatestCheckpoint(folder.path()) == second);
  w.Assign({7., 7.});
  b.Assign(7.);
  saver.Restore(second);
  CHECK(w.ToString() == "[1. 2.]");
  CHECK(b.item<float>() == 3);

  Saver renamed(Saver::NamedVariables{{"w", w}, {"c", b}});
  b.Assign(5.);
  w.Assign({5., 5.});
  CHECK(Thrown([&] { renamed.Restore(second); }) == "NOT_FOUND Saver: " + second + ".index: there is no entry \"c\"");
  CHECK(w.ToString() == "[5. 5.]");
  CHECK(Thrown([&] { Saver(Saver::NamedVariables{{"w", b}}).Restore(second); }) ==
        "INVALID_ARGUMENT Saver: " + second + ": \"w\" is float32[2], the variable is float32[]");
}

TEST_CASE("a Session saves and restores") {
  const TemporaryFolder folder;
  Graph graph;
  std::string initializer;
  std::vector<Saver> savers;
  {
    GraphScope scope(graph);
    Variable v = Named("v", {1., 2.});
    Identity(v.AssignAdd({10., 10.}), "more");
    Identity(v, "now");
    savers.emplace_back(std::vector<Variable>{v});
    savers.emplace_back(std::vector<Variable>{v});
    initializer = graph.Initializer();
  }
  CHECK(savers[0].filename() == "save/Const:0");
  CHECK(savers[1].filename() == "save/Const_1:0");
  for (size_t i = 0; i < 2; ++i) {
    const Saver& saver = savers[i];
    const Tensor path = folder / "s" + std::to_string(i);
    {
      Session session(graph);
      session.Run({}, {}, {initializer});
      session.Run({}, "more:0");
      CHECK(session.Run({{saver.filename(), path}}, saver.save_tensor()).ToString() == path.ToString());
    }
    Session session(graph);
    session.Run({{saver.filename(), path}}, {}, {saver.restore_op()});
    CHECK(session.Run({}, "now:0").ToString() == "[11. 12.]");
  }
  CHECK(Thrown([&] { savers[0].Save("x"); }) == "FAILED_PRECONDITION Saver: it is a graph's: a Session that fetches save_tensor() saves");
}

TEST_CASE("what cannot be a Saver") {
  Variable w(1.), v(1.);
  CHECK(Thrown([&] { Saver(std::vector<Variable>()); }) == "INVALID_ARGUMENT Saver: there is no variable to save");
  CHECK(Thrown([&] { Saver(std::vector<Variable>{w, v}); }) == "INVALID_ARGUMENT Saver: two variables are called \"Variable\"");
}

}  // namespace tandem::train
