#include "tests/json_tensor.h"

#include <fstream>

namespace tandem {
namespace {

template <class T>
Tensor Of(const Shape& shape, const std::vector<double>& data) {
  const std::vector<T> elements(data.begin(), data.end());
  return Tensor::FromData(shape, std::span<const T>(elements));
}

}  // namespace

nlohmann::json ReadJsonFile(const std::string& path) {
  std::ifstream in(path);
  if (!in) throw std::runtime_error("no file " + path);
  return nlohmann::json::parse(in);
}

Tensor JsonTensor(const nlohmann::json& json) {
  const auto dims = json["shape"].get<std::vector<int64_t>>();
  const Shape shape{std::span<const int64_t>(dims)};
  const auto dtype = json["dtype"].get<std::string>();
  const auto data = json["data"].get<std::vector<double>>();
  if (dtype == "float32") return Of<float>(shape, data);
  if (dtype == "float64") return Of<double>(shape, data);
  if (dtype == "int32") return Of<int32_t>(shape, data);
  if (dtype == "int64") return Of<int64_t>(shape, data);
  throw std::runtime_error("JsonTensor: dtype " + dtype);
}

}  // namespace tandem
