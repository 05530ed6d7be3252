#include "core/example.h"

#include <catch2/catch.hpp>

#include "proto/example.pb.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

std::string Example(std::initializer_list<int64_t> ints, std::initializer_list<float> floats, std::initializer_list<const char*> strings) {
  proto::Example example;
  auto& features = *example.mutable_features()->mutable_feature();
  for (int64_t v : ints) features["i"].mutable_int64_list()->add_value(v);
  for (float v : floats) features["f"].mutable_float_list()->add_value(v);
  for (const char* v : strings) features["s"].mutable_bytes_list()->add_value(v);
  features["unset"];
  return example.SerializeAsString();
}

std::string Parsed(const Tensor& serialized, const std::vector<ExampleFeature>& features) {
  std::string text;
  const std::string error = Thrown([&] {
    for (const Tensor& t : ParseExample(serialized, features)) text += (text.empty() ? "" : " | ") + t.ToString();
  });
  return error == "no error" ? text : error;
}

}  // namespace

TEST_CASE("features of Examples") {
  const Tensor one = Example({7}, {1, 2}, {"a"}), two = std::vector<std::string>{Example({7}, {1, 2}, {"a"}), Example({8}, {}, {"b", "c"})};
  struct Row {
    const char* name;
    std::string got, want;
  };
  const Row rows[] = {
      {"fixed", Parsed(one, {FixedLen("i", kInt64), FixedLen("f", kFloat32, {2}), FixedLen("s", kString)}), "7 | [1. 2.] | b'a'"},
      {"fixed with dimensions", Parsed(one, {FixedLen("f", kFloat32, {2, 1})}), "[[1.]\n [2.]]"},
      {"fixed, many", Parsed(two, {FixedLen("i", kInt64), FixedLen("i", kInt64, {1})}), "[7 8] | [[7]\n [8]]"},
      {"default", Parsed(two, {FixedLen("f", kFloat32, {2}, Tensor{5., 6.}), FixedLen("none", kInt64, {2}, Tensor(int64_t{3}))}), "[[1. 2.]\n [5. 6.]] | [[3 3]\n [3 3]]"},
      {"unset is missing", Parsed(one, {FixedLen("unset", kInt64, {}, Tensor(int64_t{9}))}), "9"},
      {"any number", Parsed(one, {VarLen("f", kFloat32), VarLen("none", kString)}), "[1. 2.] | []"},
      {"any number, many", Parsed(two, {VarLen("f", kFloat32, Tensor(-1.)), VarLen("s", kString)}), "[[ 1.  2.]\n [-1. -1.]] | [[b'a' b'']\n [b'b' b'c']]"},
      {"none at all", Parsed(Tensor(std::vector<std::string>()), {FixedLen("f", kFloat32, {2}), VarLen("s", kString)}), "[] | []"},
      {"missing", Parsed(two, {FixedLen("f", kFloat32, {2})}), "INVALID_ARGUMENT ParseExample: Example 1, feature \"f\": is missing and has no default"},
      {"wrong kind", Parsed(one, {FixedLen("f", kInt64)}), "INVALID_ARGUMENT ParseExample: Example 0, feature \"f\": is a float_list, int64 needs a int64_list"},
      {"wrong count", Parsed(one, {FixedLen("i", kInt64, {2})}), "INVALID_ARGUMENT ParseExample: Example 0, feature \"i\": has 1 value, [2] needs 2"},
      {"no Example", Parsed(Tensor("text"), {FixedLen("i", kInt64)}), "INVALID_ARGUMENT ParseExample: Example 0: its 4 bytes are no Example"},
      {"no strings", Parsed(Tensor(1), {}), "INVALID_ARGUMENT ParseExample: serialized must be a string scalar or vector with values, is int32[]"},
      {"dtype", Parsed(one, {FixedLen("i", kInt32)}), "INVALID_ARGUMENT ParseExample: feature \"i\": dtype is int32, must be float32, int64 or string"},
      {"unknown shape", Parsed(one, {FixedLen("i", kInt64, {-1})}), "INVALID_ARGUMENT ParseExample: feature \"i\": shape [?] must be known"},
      {"default's dtype", Parsed(one, {FixedLen("i", kInt64, {}, Tensor(1.))}), "INVALID_ARGUMENT ParseExample: feature \"i\": the default is float32, must be int64"},
      {"default's shape", Parsed(one, {FixedLen("f", kFloat32, {3}, Tensor{1., 2.})}), "INVALID_ARGUMENT ParseExample: feature \"f\": the default is [2], must have one element or be [3]"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.got == row.want);
  }
}

}  // namespace tandem
