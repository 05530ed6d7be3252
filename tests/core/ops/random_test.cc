// Random numbers against TensorFlow's: values for given seeds, how seeds combine, streams that go on.
#include <catch2/catch.hpp>
#include <cmath>

#include "core/context.h"
#include "core/parallel.h"
#include "core/random_seed.h"
#include "tandem.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

// The first numbers of an op with these attributes, from a stream that starts over.
Tensor First(OpId op, int64_t seed, int64_t seed2, DType dtype = kFloat32) {
  SetRandomSeed(1);  // eager streams start over
  return Run(op, {Tensor(std::vector<int32_t>{4})}, {seed, seed2, dtype});
}

bool Near(const Tensor& got, const std::vector<double>& want, double tolerance) {
  const auto g = got.ToVector<double>();
  for (size_t i = 0; i < want.size(); ++i)
    if (!(std::abs(g[i] - want[i]) <= tolerance * std::max(1.0, std::abs(want[i])))) return false;
  return g.size() >= want.size();
}

}  // namespace

TEST_CASE("stateful ops give TensorFlow's numbers") {
  struct Row {
    int64_t seed, seed2;
    std::vector<double> uniform, normal;
  };
  const Row rows[] = {
      {87654321, 1, {0.239037395, 0.920399547, 0.0505124331, 0.495744467}, {-0.811318219, 1.48459876, 0.0653293729, -2.4427042}},
      {1, 2, {0.406396747, 0.857599616, 0.0553958416, 0.0858722925}, {-1.04677927, 0.839704573, 1.23583639, 2.06378531}},
      {5, 0, {0.182864785, 0.689989567, 0.673224807, 0.452223778}, {-1.71387851, -0.678702295, 0.263047487, -0.849798799}},
      {0, 7, {0.971553445, 0.719886899, 0.748594642, 0.471944928}, {-0.235958233, -0.0451852269, 0.133451104, -0.749203622}},
  };
  for (const Row& r : rows) {
    CAPTURE(r.seed, r.seed2);
    CHECK(Near(First(Op<"RandomUniform">(), r.seed, r.seed2), r.uniform, 1e-9));
    CHECK(Near(First(Op<"RandomStandardNormal">(), r.seed, r.seed2), r.normal, 1e-6));
  }
  CHECK(Near(First(Op<"TruncatedNormal">(), 87654321, 1), {-0.8113182, 1.4845988, 0.06532937, 0.0992484}, 1e-6));
  CHECK(Near(First(Op<"RandomUniform">(), 1, 2, kFloat64), {0.25117449808418678, 0.44316677020093853}, 1e-16));
}

TEST_CASE("random integers") {
  SetRandomSeed(1);
  const Tensor shape = std::vector<int32_t>{4};
  CHECK(Run(Op<"RandomUniformInt">(), {shape, 0, 100}, {int64_t{87654321}, int64_t{1}}).ToVector<int>() == std::vector<int>{27, 59, 93, 22});
  const Tensor wide = Run(Op<"RandomUniformInt">(), {shape, Tensor(int64_t{-3}), Tensor(int64_t{1000000000000})}, {int64_t{1}, int64_t{2}});
  CHECK(wide.ToVector<int64_t>()[0] == 248667588866);
  CHECK(wide.ToVector<int64_t>()[1] == 816831243956);
  CHECK(Thrown([] { RandomUniformInt({1}, 5, 5); }) == "INVALID_ARGUMENT RandomUniformInt: minval is 5, maxval is 5: minval must be below maxval");
}

TEST_CASE("stateless ops are functions of their seed") {
  struct Row {
    int64_t a, b;
    uint64_t key, counter;
    std::vector<double> uniform, normal;
  };
  const Row rows[] = {
      {1, 2, 10413732777507651514u, 17830669156045600267u, {0.844060421, 0.192045331, 0.996223211, 0.160387397}, {0.544110119, 0.20738031, 0.0735643208, 0.0464345515}},
      {0, 0, 16103252647613272195u, 18388005586443337812u, {0.211015463, 0.706009984, 0.800063372, 0.770792246}, {-1.697034, -0.481376708, -0.662236929, 0.0870111883}},
      {42, 7, 15208881249751095731u, 3409447488647257430u, {0.612388849, 0.929063797, 0.833555698, 0.696920395}, {-0.426930457, 0.893591642, -0.570166409, -0.197534293}},
  };
  for (const Row& r : rows) {
    const Tensor seed = {r.a, r.b};
    const Tensors key = RunMany(Op<"StatelessRandomGetKeyCounter">(), {&seed, 1});
    CHECK(key[0].data<uint64_t>()[0] == r.key);
    CHECK(key[1].data<uint64_t>()[0] == 0);
    CHECK(key[1].data<uint64_t>()[1] == r.counter);
    CHECK(Near(StatelessRandomUniform({4}, seed), r.uniform, 1e-9));
    CHECK(Near(StatelessRandomNormal({4}, seed), r.normal, 1e-6));
  }
}

TEST_CASE("global and op seeds combine as TensorFlow's do") {
  RandomSeeds graph(RandomSeeds::Mode::kGraph);
  const auto next = [&](std::optional<int64_t> s) {
    const OpSeeds seeds = graph.Next(s);
    return std::pair(seeds.seed, seeds.seed2);
  };
  CHECK(next({}) == std::pair<int64_t, int64_t>(0, 0));
  CHECK(next(5) == std::pair<int64_t, int64_t>(87654321, 5));
  CHECK(next((int64_t{1} << 31) + 5) == std::pair<int64_t, int64_t>(87654321, 6));
  CHECK(next(-1) == std::pair<int64_t, int64_t>(87654321, 2147483646));
  graph.Set(9);
  CHECK(next(5) == std::pair<int64_t, int64_t>(9, 5));
  CHECK(next({}) == std::pair<int64_t, int64_t>(9, 0));
  CHECK(next({}) == std::pair<int64_t, int64_t>(9, 1));
  graph.Set(0);
  CHECK(next({}) == std::pair<int64_t, int64_t>(0, 2147483647));
}

TEST_CASE("a global seed restarts eager streams") {
  SetRandomSeed(42);
  const Tensor first = RandomUniform({3}), second = RandomUniform({3});
  CHECK(Near(first, {0.6645621, 0.44100678, 0.3528825}, 1e-7));
  CHECK(first.ToVector<float>() != second.ToVector<float>());
  SetRandomSeed(42);
  CHECK(RandomUniform({3}).ToVector<float>() == first.ToVector<float>());
  CHECK(RandomUniform({3}).ToVector<float>() == second.ToVector<float>());
}

TEST_CASE("a stream goes on from call to call by 256 blocks an element") {
  const auto run = [](int n) { return Run(Op<"RandomUniform">(), {Tensor(std::vector<int32_t>{n})}, {int64_t{3}, int64_t{4}, kFloat32}); };
  SetRandomSeed(1);
  run(2);  // moves on by 512 blocks: 2048 words
  const auto later = run(4).ToVector<float>();
  SetRandomSeed(1);
  const auto all = run(2052).ToVector<float>();
  CHECK(std::vector<float>(all.begin() + 2048, all.end()) == later);
}

TEST_CASE("numbers do not depend on threads") {
  for (OpId op : {Op<"RandomUniform">(), Op<"RandomStandardNormal">(), Op<"TruncatedNormal">()})
    for (DType dtype : {kFloat32, kFloat64, kBFloat16}) {
      const auto numbers = [&](int threads) {
        SetNumThreads(threads);
        SetRandomSeed(1);
        return Run(op, {Tensor(std::vector<int32_t>{40001})}, {int64_t{3}, int64_t{4}, dtype}).ToVector<double>();
      };
      CHECK(numbers(1) == numbers(7));
      SetNumThreads(0);
    }
}

TEST_CASE("without seeds every stream differs") {
  const auto a = RandomUniform({4}).ToVector<float>(), b = RandomUniform({4}).ToVector<float>();
  CHECK(a != b);
}

TEST_CASE("bounds, mean and deviation") {
  for (float x : RandomUniform({1000}, -2, 3, {.seed = 1}).ToVector<float>()) CHECK((x >= -2 && x < 3));
  const Tensor normal = RandomNormal({100000}, 5., 2., {.seed = 1});
  CHECK(std::abs(Mean(normal).item<double>() - 5) < 0.05);
  CHECK(std::abs(Mean((normal - 5.) * (normal - 5.)).item<double>() - 4) < 0.1);
  for (double x : TruncatedNormal({1000}, {.dtype = kFloat64, .seed = 1}).ToVector<double>()) CHECK(std::abs(x) < 2);
  CHECK(RandomUniform({0, 3}).shape() == Shape{0, 3});
  CHECK(RandomUniform(std::vector<int64_t>{2, 3}).shape() == Shape{2, 3});
}

TEST_CASE("what random ops refuse") {
  CHECK(Thrown([] { RandomUniform({-1}); }) == "INVALID_ARGUMENT RandomUniform: shape[0] is -1, must be at least 0");
  CHECK(Thrown([] { RandomUniform({1}, {.dtype = kString}); }).starts_with("INVALID_ARGUMENT RandomUniform: attribute dtype is string, must be one of "));
  CHECK(Thrown([] { TruncatedNormal({1}, {.dtype = kResource}); }).starts_with("INVALID_ARGUMENT TruncatedNormal: attribute dtype is resource"));
  const Tensor shape = std::vector<int32_t>{1}, key = std::vector<uint64_t>{1}, counter = std::vector<uint64_t>{0, 0};
  CHECK(Thrown([&] { Run(Op<"StatelessRandomUniformV2">(), {shape, key, counter, 7}, {kFloat32}); }) ==
        "INVALID_ARGUMENT StatelessRandomUniformV2: alg is 7, must be 1 (Philox) or 3 (chosen here)");
  CHECK(Thrown([&] { Run(Op<"StatelessRandomUniformV2">(), {shape, counter, counter, 1}, {kFloat32}); }) ==
        "INVALID_ARGUMENT StatelessRandomUniformV2: key must have 1 element, is [2]");
}

}  // namespace tandem
