// Tensors in JSON: {"dtype": "float32", "shape": [2], "data": [1, 2]}, as the scripts in tools/interop write them.
//
//   for (const nlohmann::json& c : ReadJsonFile("tests/data/losses.json")) JsonTensor(c["labels"]);
#pragma once
#include <string>

#include "core/tensor.h"
#include "nlohmann/json.hpp"

namespace tandem {

// Throws std::runtime_error when the file is not there or is no JSON.
nlohmann::json ReadJsonFile(const std::string& path);
// dtypes: float32, float64, int32, int64, bool.
Tensor JsonTensor(const nlohmann::json& json);

}  // namespace tandem
