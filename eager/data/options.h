// Options of datasets' sources and transformations.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem::data {

inline constexpr int kAutotune = -1;  // as many as there are cores

struct MapOptions {
  int num_parallel_calls = 1;  // above 1, or kAutotune: on threads of its own
  bool deterministic = true;   // elements keep their order; false: whichever is done first
};

struct InterleaveOptions {
  int64_t cycle_length = 4;    // datasets that are read in turn
  int64_t block_length = 1;    // elements from one before the next has its turn
  int num_parallel_calls = 1;  // above 1, or kAutotune: each dataset of the cycle is read ahead on a thread; the order stays
};

struct ShuffleOptions {
  std::optional<int64_t> seed = std::nullopt;  // none: drawn when the dataset is made, as SetRandomSeed says
  bool reshuffle_each_iteration = true;        // another order in each pass of a Repeat and each loop over the dataset
};

struct BatchOptions {
  bool drop_remainder = false;  // leave out a last batch that is not full
};

struct PaddedBatchOptions {
  std::vector<Shape> padded_shapes = {};  // one a component, -1 = as large as the batch needs; none: all dimensions so
  Tensors padding_values = {};            // one scalar a component; none: 0, false, ""
  bool drop_remainder = false;
};

struct WindowOptions {
  int64_t shift = 0;   // from the start of one window to the next; 0: size
  int64_t stride = 1;  // between the elements of a window
  bool drop_remainder = false;
};

struct FileOptions {
  std::string compression = "";  // "", "GZIP", "ZLIB"
  int64_t buffer_bytes = 128 << 10;
};

struct FixedLengthOptions {
  int64_t header_bytes = 0;
  int64_t footer_bytes = 0;
  std::string compression = "";
};

struct CsvOptions {
  bool header = false;                   // the first line of each file names columns
  char delimiter = ',';
  bool quotes = true;                    // "a ""quoted"" field, in two
                                         // lines"
  std::string na_value = "";             // a field that counts as missing, as an empty one does
  std::vector<int64_t> select_columns = {};  // which of the file's columns, ascending; none: all
  std::string compression = "";
};

struct MnistOptions {
  std::string split = "train";    // or "test"
  Shape image_shape = {784};      // of an image: {28, 28}, {28, 28, 1}, …
};

}  // namespace tandem::data
TANDEM_EXPORT_END
