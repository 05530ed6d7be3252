// Text of values, as NumPy prints them (2.4, default options): shortest digits, at most 8 after the point, columns of one
// width, exponents where the magnitudes ask for them, lines of 75 columns, "..." beyond 1000 elements.
//
//   std::cout << a;                // tandem.Tensor([[1 2]
//                                  //  [3 4]], shape=(2, 2), dtype=int32)
//   std::cout << symbolic;         // Tensor("x:0", shape=(1,), dtype=float32)
//   std::cout << variable;         // <tandem.Variable 'v:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>
//
// Tensor::ToString() gives the value alone. An undefined tensor prints as <undefined>.
#pragma once
#include <iosfwd>
#include <string>

#include "core/export.h"
#include "core/tensor.h"
#include "core/variable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {

std::ostream& operator<<(std::ostream& out, const Tensor& tensor);
std::ostream& operator<<(std::ostream& out, const Variable& variable);

// numpy.array's repr: "array([1., 2.], dtype=float32)".
std::string NumpyRepr(const Tensor& tensor);
// Bytes as Python shows them: b'it\x00'.
std::string BytesRepr(std::string_view bytes);

}  // namespace tandem
TANDEM_EXPORT_END
