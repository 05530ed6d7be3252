// NumPy's .npy files, versions 1.0 to 3.0 (numpy/lib/format.py describes them).
//
//   Tensor x = LoadNpy("images.npy");
//   SaveNpy("y.npy", y);                       // np.load("y.npy")
//
// '?', integers, '<f2' to '<f8', complex numbers, |S and <U strings (without their padding; <U becomes UTF-8); either
// byte order, C or Fortran order. bfloat16 has no .npy type: it is saved as float32. Object arrays are never unpickled.
#pragma once
#include <iosfwd>
#include <string>
#include <string_view>

#include "core/export.h"
#include "core/tensor.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

// Error NOT_FOUND when there is no such file; INVALID_ARGUMENT, naming the file, when it is malformed, cut off or of
// another dtype: what the header claims is checked against the file's size before memory is taken. RESOURCE_EXHAUSTED.
Tensor LoadNpy(const std::string& path);
// The same from a stream of `size` bytes; `name` stands in errors.
Tensor ReadNpy(std::istream& in, int64_t size, std::string_view name);

// NOT_FOUND when the file cannot be made; INVALID_ARGUMENT for resources and variants, for symbolic tensors, and for a
// string that ends in a zero byte, which |S cannot hold; DATA_LOSS when writing fails.
void SaveNpy(const std::string& path, const Tensor& tensor);
void WriteNpy(std::ostream& out, const Tensor& tensor);

}  // namespace tandem
TANDEM_EXPORT_END
