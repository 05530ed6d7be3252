// IDX files: a magic number (0, 0, type, rank), big-endian dimensions, big-endian elements (LeCun's MNIST page).
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "core/byte_source.h"
#include "core/context.h"
#include "core/ops/arithmetic.h"
#include "core/ops/cast.h"
#include "core/ops/reshape.h"
#include "eager/data/node.h"
#include "eager/data/sources.h"

namespace tandem::data {
namespace {

struct IdxType {
  int code;
  DType dtype;
};
constexpr IdxType kTypes[] = {{0x08, kUint8}, {0x09, kInt8}, {0x0b, kInt16}, {0x0c, kInt32}, {0x0d, kFloat32}, {0x0e, kFloat64}};

void SwapBytes(char* data, int64_t count, size_t size) {
  for (int64_t i = 0; i < count; ++i, data += size) std::reverse(data, data + size);
}

absl::StatusOr<Tensor> ReadIdx(const std::string& path) {
  ASSIGN_OR_RETURN(auto source, ByteSource::Open(path, Compression::kDetect));
  unsigned char magic[4] = {};  // a shorter file leaves the rest
  ASSIGN_OR_RETURN(const int64_t got, source->Read(reinterpret_cast<char*>(magic), 4));
  const IdxType* type = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const IdxType& t) { return t.code == magic[2]; });
  if (got < 4 || magic[0] != 0 || magic[1] != 0 || type == std::end(kTypes)) return absl::DataLossError(absl::StrCat(path, ": no IDX file"));
  Shape shape;
  for (int axis = 0; axis < magic[3]; ++axis) {
    unsigned char dim[4];
    ASSIGN_OR_RETURN(const int64_t bytes, source->Read(reinterpret_cast<char*>(dim), 4));
    if (bytes < 4) return absl::DataLossError(absl::StrCat(path, ": the file ends inside its header"));
    shape.push_back(int64_t{dim[0]} << 24 | dim[1] << 16 | dim[2] << 8 | dim[3]);
  }
  const auto count = shape.num_elements();
  const size_t size = DTypeSize(type->dtype);
  if (!count || *count > (int64_t{1} << 60)) return absl::DataLossError(absl::StrCat(path, ": dimensions ", shape.ToString(), " are more than can be"));
  // Grows with what is there: a wrong dimension takes no memory.
  std::string bytes;
  ASSIGN_OR_RETURN(const int64_t there, source->Append(&bytes, *count * size));
  if (there < *count * static_cast<int64_t>(size))
    return absl::DataLossError(absl::StrCat(path, ": ", Absl(DTypeName(type->dtype)), shape.ToString(), " needs ", *count * size, " bytes, ", there, " are there"));
  char more;
  ASSIGN_OR_RETURN(const int64_t rest, source->Read(&more, 1));
  if (rest > 0) return absl::DataLossError(absl::StrCat(path, ": there are bytes behind its ", Absl(DTypeName(type->dtype)), shape.ToString()));
  Tensor out = internal::NewTensor("LoadIdx", type->dtype, shape);
  if constexpr (std::endian::native == std::endian::little)
    if (size > 1) SwapBytes(bytes.data(), *count, size);
  std::memcpy(out.rep()->data, bytes.data(), bytes.size());
  return out;
}

// The file by one of its names, with .gz or without.
std::string FindFile(const std::string& folder, const std::string& split, const std::string& what) {
  const std::string full = split == "train" ? "train" : "t10k";
  for (const std::string& stem : {full + "-" + what, "mnist5k-" + split + "-" + what})
    for (const char* ending : {"", ".gz"})
      if (const std::string path = folder + "/" + stem + ending; access(path.c_str(), F_OK) == 0) return path;
  ThrowError(absl::NotFoundError(absl::StrCat("Mnist: \"", folder, "\" has neither ", full, "-", what, " nor mnist5k-", split, "-", what, ", with .gz or without")));
}

}  // namespace

Tensor LoadIdx(const std::string& path) { return ValueOrThrow(ReadIdx(path)); }

Dataset<2> Mnist(const std::string& folder, MnistOptions options) {
  if (options.split != "train" && options.split != "test") ThrowError(InvalidArgument("Mnist: split is \"", options.split, "\", must be \"train\" or \"test\""));
  ContextScope eager(nullptr);  // values, also where a graph is being recorded
  const Tensor pixels = LoadIdx(FindFile(folder, options.split, "images-idx3-ubyte"));
  const Tensor labels = LoadIdx(FindFile(folder, options.split, "labels-idx1-ubyte"));
  Shape shape = {pixels.dim(0)};
  for (const int64_t d : options.image_shape) shape.push_back(d);
  return FromTensorSlices({Reshape(Cast(pixels, kFloat32) / 255., Ints(shape)), Cast(labels, kInt32)});
}

}  // namespace tandem::data
