// Where elements come from: tensors, functions, files. Paths may be one or many, whose elements follow each other.
//
//   data::FromTensorSlices({images, labels})        // pairs of rows
//   data::Range(5)                                  // 0 1 2 3 4
//   data::FromGenerator([i = 0]() mutable { return i < 3 ? std::optional<Tensor>(i++) : std::nullopt; })
//   data::TFRecord({"a.tfrecord.gz"}, {.compression = "GZIP"})
//   data::Csv("iris.csv", {kFloat32, kFloat32, kFloat32, kFloat32, kInt32}, {.header = true})
//   data::Mnist("data")                             // float32 [784] in [0, 1], int32 []
//
// Errors of files name file, record (or line) and offset: NOT_FOUND, PERMISSION_DENIED, DATA_LOSS, INVALID_ARGUMENT. They
// come when the element is asked for; after one, the next file is read.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/export.h"
#include "eager/data/dataset.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

// One path or many.
class Paths {
 public:
  Paths(const char* path) : paths_{path} {}
  Paths(std::string path) : paths_{std::move(path)} {}
  Paths(std::initializer_list<std::string> paths) : paths_(paths) {}
  Paths(std::vector<std::string> paths) : paths_(std::move(paths)) {}
  std::vector<std::string> take() { return std::move(paths_); }

 private:
  std::vector<std::string> paths_;
};

// Rows of tensors with equal first dimensions; elements share the tensors' memory. INVALID_ARGUMENT: a scalar, first
// dimensions that differ, a tensor without a value.
inline Dataset<1> FromTensorSlices(const Tensor& tensor) { return Dataset<1>(internal::TensorSlices({tensor})); }
template <size_t N>
Dataset<N> FromTensorSlices(const Tensor (&tensors)[N]) {
  return Dataset<N>(internal::TensorSlices(Tensors(tensors, tensors + N)));
}
// One element.
inline Dataset<1> FromTensors(const Tensor& tensor) { return Dataset<1>(internal::OneElement({tensor})); }
template <size_t N>
Dataset<N> FromTensors(const Tensor (&tensors)[N]) {
  return Dataset<N>(internal::OneElement(Tensors(tensors, tensors + N)));
}
// int64 scalars, stop excluded.
inline Dataset<1> Range(int64_t stop) { return Dataset<1>(internal::Range(0, stop, 1)); }
inline Dataset<1> Range(int64_t start, int64_t stop, int64_t step = 1) { return Dataset<1>(internal::Range(start, stop, step)); }

// What `next`, copied for each pass, gives until it gives nothing: an optional Tensor, or pair, tuple or array of them. When
// it throws, its pass is over. Where it gives optional<Tensors>: FromGenerator<3>(next).
template <size_t M = 0, class F>
auto FromGenerator(F next) {
  using Result = typename std::invoke_result_t<F&>::value_type;
  constexpr size_t deduced = internal::ArityOf<Result>(), arity = M == 0 ? deduced : M;
  static_assert(arity > 0, "FromGenerator: the function gives Tensors; say how many: FromGenerator<3>(next)");
  return Dataset<arity>(internal::FromGenerator([next = std::move(next)](Tensors& out) mutable {
    auto element = next();
    if (!element) return false;
    internal::Store(*std::move(element), out);
    return true;
  }));
}

// Elements of all, side by side, as long as each has one.
template <size_t... N>
Dataset<(N + ...)> Zip(const Dataset<N>&... datasets) {
  return Dataset<(N + ...)>(internal::Zip({datasets.node()...}));
}

// Lines without their ends ("\n" or "\r\n"), as string scalars.
inline Dataset<1> TextLine(Paths paths, FileOptions options = {}) { return Dataset<1>(internal::TextLine(paths.take(), options)); }
// Records with checksums (core/record_io.h), as string scalars.
inline Dataset<1> TFRecord(Paths paths, FileOptions options = {}) { return Dataset<1>(internal::TFRecord(paths.take(), options)); }
// Records of record_bytes between a header and a footer. INVALID_ARGUMENT when the rest of a file is no multiple of it.
inline Dataset<1> FixedLengthRecord(Paths paths, int64_t record_bytes, FixedLengthOptions options = {}) {
  return Dataset<1>(internal::FixedLengthRecord(paths.take(), record_bytes, options));
}

// A column of a CSV file: its dtype, or the value of missing fields. With a dtype alone a field must be there.
struct CsvField {
  CsvField(DType dtype) : dtype(dtype) {}
  template <Leaf T>
  CsvField(const T& value) : CsvField(Tensor(value)) {}
  CsvField(const Tensor& value) : dtype(value.dtype()), missing(value) {}
  DType dtype;      // float32, float64, int32, int64 or string
  Tensor missing;   // undefined: none
};
// A scalar for each column, by RFC 4180. Errors name file, line and column.
template <size_t N>
Dataset<N> Csv(Paths paths, const CsvField (&columns)[N], CsvOptions options = {}) {
  return Dataset<N>(internal::Csv(paths.take(), {columns, columns + N}, options));
}

// The array in an IDX file, gzip-compressed or not: uint8, int8, int16, int32, float32 or float64. DATA_LOSS names the file.
Tensor LoadIdx(const std::string& path);
// Handwritten digits: images float32 in [0, 1] and labels int32, as rows of tensors. The folder holds MNIST's four files
// (train-images-idx3-ubyte, t10k-labels-idx1-ubyte, …) or a subset's (mnist5k-train-images-idx3-ubyte, …), each with .gz or
// without. NOT_FOUND names folder and split.
Dataset<2> Mnist(const std::string& folder, MnistOptions options = {});

}  // namespace tandem::data
TANDEM_EXPORT_END
