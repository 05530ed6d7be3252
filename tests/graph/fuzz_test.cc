// The one law on random graphs: eager, plain and after every pass prefix the same bits. Ops come from the op table, by
// their traits, beside those that move data or contract it, conditions, loops and gradients. `fuzz_test . SECONDS [SEED]` goes on for so long.
#include <catch2/catch.hpp>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <sstream>

#include "core/context.h"
#include "graph/checker.h"
#include "tandem.h"
#include "tests/catch/program.h"

namespace tandem {
namespace {

// Elementwise ops whose inputs all are float32 of one type attr and whose other attributes have defaults.
const std::vector<OpId>& ElementwiseOps() {
  static const std::vector<OpId> ops = [] {
    std::vector<OpId> found;
    for (int i = 0; i < NumBuiltinOps(); ++i) {
      const auto id = static_cast<OpId>(i);
      const OpSchema& op = GetOp(id);
      if (!op.has(kElementwise) || !op.plain() || op.outputs().size() != 1 || op.inputs().empty() || op.inputs().size() > 3) continue;
      if (op.traits() & (kStateful | kSideEffect | kRandom)) continue;
      bool fits = true;
      for (const OpArg& arg : op.inputs()) fits &= arg.type_attr >= 0 && arg.type_attr == op.inputs()[0].type_attr && !arg.is_ref;
      for (const OpAttr& attr : op.attrs()) fits &= attr.explicit_index < 0 || attr.has_default;
      if (fits && (op.attrs()[op.inputs()[0].type_attr].allowed_types >> static_cast<int>(kFloat32) & 1)) found.push_back(id);
    }
    return found;
  }();
  return ops;
}

class RandomGraph {
 public:
  explicit RandomGraph(uint64_t seed) : random_(seed) {
    GraphScope scope(graph_);
    for (int i = 0; i < 3; ++i) {
      const Shape shape = RandomShape();
      const std::string name = "x" + std::to_string(i);
      tensors_.push_back(Placeholder(kFloat32, Chance(3) ? Shape::Unknown() : shape, name));
      feeds_.push_back({name, Values(shape)});
    }
    tensors_.push_back(Constant(Values(RandomShape())));
    for (int n = 5 + static_cast<int>(random_() % 30); n > 0; --n) AddNode();
  }

  CheckReport Run() {
    std::vector<TensorName> fetches;
    for (int i = 0; i < 3; ++i) fetches.emplace_back(tensors_[tensors_.size() - 1 - random_() % std::min<size_t>(tensors_.size(), 8)]);
    return Check(graph_, feeds_, fetches);
  }
  const Graph& graph() const { return graph_; }

 private:
  bool Chance(int one_in) { return random_() % one_in == 0; }
  int64_t Dim() { return std::array<int64_t, 6>{1, 2, 3, 4, 8, 0}[random_() % (Chance(8) ? 6 : 5)]; }
  Shape RandomShape() {
    Shape shape;
    for (int rank = static_cast<int>(random_() % 4); rank > 0; --rank) shape.push_back(Dim());
    return shape;
  }
  Tensor Values(const Shape& shape) {
    static constexpr float kSpecial[] = {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, INFINITY, -INFINITY, NAN, 1e-40f, 1e30f, 0.5f};
    std::vector<float> v(*shape.num_elements());
    for (float& x : v) x = Chance(4) ? kSpecial[random_() % std::size(kSpecial)] : std::uniform_real_distribution<float>(-3, 3)(random_);
    return Tensor::FromData<float>(shape, v);
  }
  const Tensor& Any() { return tensors_[random_() % tensors_.size()]; }

  // A node that inference refuses is left out: the next one is tried.
  void AddNode() {
    try {
      tensors_.push_back(Node());
    } catch (const Error&) {
    }
  }
  Tensor Node() {
    GraphScope scope(graph_);
    switch (random_() % 16) {
      case 0: return MatMul(Any(), Any(), {.transpose_a = Chance(2), .transpose_b = Chance(2)});
      case 1: return Sum(Any(), Tensor(-1), {.keep_dims = Chance(2)});
      case 2: return Max(Any(), Tensor(0), {.keep_dims = Chance(2)});
      case 3: return Transpose(Transpose(Any(), {1, 0}), {1, 0});
      case 4: return Reshape(Any(), {-1});
      case 5: return Softmax(Any());
      case 6: return Any() * (Chance(2) ? 1. : 0.);
      case 7: return Identity(Any());
      case 8: return Cond(Sum(Any()) > 0., [&] { return Body(Any()); }, [&] { return Body(Any()); });
      case 9: return Loop(Any());
      case 10: return Gradient();
      default: return Elementwise(Any());
    }
  }
  Tensor Loop(const Tensor& v) {
    const int n = static_cast<int>(random_() % 4);
    return While([&](const Tensor& i, const Tensor&) { return i < n; }, [&](const Tensor& i, const Tensor& u) { return Tensors{i + 1, Body(u)}; }, {Tensor(0), v})[1];
  }
  // A few ops on v, and on what lies outside of the function that they are in.
  Tensor Body(Tensor v) {
    for (int n = 1 + static_cast<int>(random_() % 3); n > 0; --n)
      v = Chance(8) ? Cond(Sum(v) > 1., [&] { return Elementwise(v); }, [&] { return v * 0.5; }) : Chance(12) ? Loop(v) : Elementwise(v);
    return v;
  }
  Tensor Gradient() {
    const Tensor dx = Gradients(Any(), Any());
    if (!dx.defined()) ThrowError(InvalidArgument("not connected"));
    return Identity(dx);  // which may be a constant
  }
  // A random op of v and others.
  Tensor Elementwise(const Tensor& v) {
    const OpId id = ElementwiseOps()[random_() % ElementwiseOps().size()];
    const OpSchema& op = GetOp(id);
    std::vector<Tensor> inputs;
    for (size_t i = 0; i < op.inputs().size(); ++i) inputs.push_back(Chance(2) ? v : Any());
    std::vector<TensorRep*> reps;
    for (const Tensor& t : inputs) reps.push_back(t.rep());
    std::vector<AttrRef> attrs;
    for (const OpAttr& attr : op.attrs())
      if (attr.explicit_index >= 0) attrs.push_back(attr.default_value.ref());
    TensorRep* out = nullptr;
    ThrowIfError(DispatchCall({id, reps, attrs, Origin(), {}}, {&out, 1}));
    const Tensor made = Tensor::Adopt(out);
    return made.dtype() == kFloat32 ? made : Cast(made, kFloat32);
  }

  std::mt19937_64 random_;
  Graph graph_;
  std::vector<Tensor> tensors_;
  std::vector<Feed> feeds_;
};

// A loop variable or an argument of a branch that nobody needs goes, and with it what fails in computing it.
bool OnlyPruned(const std::string& report) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("DIFFERS") && (line.find(": one says \"\", the other") == std::string::npos || line.find("no passes") != std::string::npos)) return false;
  return true;
}

// "" or what differs.
std::string Wrong(uint64_t seed) {
  RandomGraph random(seed);
  const CheckReport report = random.Run();
  return report.equal || OnlyPruned(report.text) ? "" : "seed " + std::to_string(seed) + "\n" + report.text + random.graph().ToString();
}

}  // namespace

int RunProgram(int argc, char** argv) {
  const double seconds = argc > 2 ? std::atof(argv[2]) : 60;
  const uint64_t first = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::random_device()();
  const auto begin = std::chrono::steady_clock::now();
  uint64_t seed = first, wrong = 0;
  for (; std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() < seconds; ++seed) {
    const std::string difference = Wrong(seed);
    if (difference.empty()) continue;
    ++wrong;
    std::printf("%s\n", difference.c_str());
  }
  std::printf("fuzz: %llu graphs from seed %llu, %llu differ\n", static_cast<unsigned long long>(seed - first),
              static_cast<unsigned long long>(first), static_cast<unsigned long long>(wrong));
  return wrong == 0 ? 0 : 1;
}

TEST_CASE("random graphs give the same bits in every mode") {
  REQUIRE(ElementwiseOps().size() > 30);
  for (uint64_t seed = 1; seed <= 60; ++seed) CHECK(Wrong(seed) == "");
}

}  // namespace tandem
