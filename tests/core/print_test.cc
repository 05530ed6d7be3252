#include "core/print.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tandem.h"

namespace tandem {
namespace {

std::string Printed(const auto& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

std::string FromHex(const std::string& hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) out += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return out;
}

Tensor FromRow(const nlohmann::json& row) {
  const auto dims = row["shape"].get<std::vector<int64_t>>();
  const DType dtype = DTypeFromName(row["dtype"].get<std::string>());
  const Shape shape{std::span<const int64_t>(dims)};
  TensorRep* rep = NewRep(dtype, dims, *shape.num_elements());
  if (dtype == kString) {
    for (size_t i = 0; i < row["data"].size(); ++i) rep->as<std::string>()[i] = FromHex(row["data"][i]);
  } else {
    const std::string bytes = FromHex(row["data"]);
    std::memcpy(rep->data, bytes.data(), rep->count ? bytes.size() : 0);
  }
  return Tensor::Adopt(rep);
}

}  // namespace

TEST_CASE("values print as NumPy 2.4 prints them") {
  std::ifstream in("tests/data/numpy_print.json");
  REQUIRE(in);
  const auto rows = nlohmann::json::parse(in);
  REQUIRE(rows.size() > 100);
  for (const auto& row : rows) {
    const Tensor t = FromRow(row);
    INFO(row["dtype"] << " " << t.shape().ToString());
    CHECK(t.ToString() == row["str"].get<std::string>());
    if (row["repr"] != "") CHECK(NumpyRepr(t) == row["repr"].get<std::string>());
  }
}

TEST_CASE("tensors print with shape and dtype") {
  CHECK(Printed(Tensor{{1, 2}, {3, 4}}) == "tandem.Tensor([[1 2]\n [3 4]], shape=(2, 2), dtype=int32)");
  CHECK(Printed(Tensor(2.)) == "tandem.Tensor(2.0, shape=(), dtype=float32)");
  CHECK(Printed(Tensor({1., 2.5, -3.})) == "tandem.Tensor([ 1.   2.5 -3. ], shape=(3,), dtype=float32)");
  CHECK(Printed(Tensor("hi")) == "tandem.Tensor(b'hi', shape=(), dtype=string)");
  CHECK(Printed(Tensor()) == "tandem.Tensor(<undefined>)");
  CHECK(Tensor({{2.}}).ToString() == "[[2.]]");
}

TEST_CASE("variables print name and value") {
  CHECK(Printed(Variable({1., 2.}, {.name = "v"})) ==
        "<tandem.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>");
  CHECK(Printed(Variable(3, {.name = "step"})) == "<tandem.Variable 'step:0' shape=() dtype=int32, numpy=3>");
  CHECK(Printed(Variable()) == "<tandem.Variable undefined>");
}

TEST_CASE("a symbolic tensor prints what is known") {
  TensorRep* stub = NewSymbolic(kFloat32, Shape{-1, 784}, {nullptr, 0, 0});
  CHECK(Printed(Tensor::Adopt(stub)) == "Tensor(\"\", shape=(None, 784), dtype=float32)");
}

}  // namespace tandem
