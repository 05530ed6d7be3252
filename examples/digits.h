// Reads handwritten digits in the IDX format, gzip-compressed or not.
#pragma once
#include <zlib.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "tandem.h"

// The elements of an IDX file of bytes: [n, 28, 28] for images, [n] for labels.
inline tandem::Tensor LoadIdx(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");  // reads plain files too
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  std::vector<uint8_t> bytes(1 << 16);
  size_t size = 0;
  for (int n; (n = gzread(file, bytes.data() + size, static_cast<unsigned>(bytes.size() - size))) > 0;) {
    size += n;
    if (size == bytes.size()) bytes.resize(2 * size);
  }
  gzclose(file);
  const auto number = [&](size_t at) { return int64_t{bytes[at]} << 24 | bytes[at + 1] << 16 | bytes[at + 2] << 8 | bytes[at + 3]; };
  if (size < 8 || bytes[2] != 8 || size < 4 + 4 * size_t{bytes[3]}) throw std::runtime_error(path + ": no IDX file of bytes");
  tandem::Shape shape;
  for (int axis = 0; axis < bytes[3]; ++axis) shape.push_back(number(4 + 4 * axis));
  const size_t header = 4 + 4 * size_t{bytes[3]};
  return tandem::Tensor::FromData<uint8_t>(shape, {bytes.data() + header, size - header});
}

struct Digits {
  tandem::Tensor images;  // float32 [n, 28, 28, 1] in [0, 1]
  tandem::Tensor labels;  // int32 [n]
};
// kind: "train" or "test".
inline Digits LoadDigits(const std::string& folder, const std::string& kind) {
  const tandem::Tensor pixels = LoadIdx(folder + "/mnist5k-" + kind + "-images-idx3-ubyte.gz");
  const tandem::Tensor labels = LoadIdx(folder + "/mnist5k-" + kind + "-labels-idx1-ubyte.gz");
  return {tandem::Reshape(tandem::Cast(pixels, tandem::kFloat32) / 255., {-1, 28, 28, 1}), tandem::Cast(labels, tandem::kInt32)};
}
