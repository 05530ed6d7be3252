#include "core/npy.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <memory>

#include "core/device_memory.h"
#include "core/kernel.h"
#include "core/npy_header.h"
#include "core/symbolic.h"

namespace tandem {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr int64_t kMaxHeader = 1 << 20;

// How the elements lie in the file.
struct Layout {
  DType dtype = DType::kInvalid;
  int64_t bytes = 0;       // of an element
  int swap = 0;            // bytes of a part whose order is reversed; 0: none
  bool ucs4 = false;
};

absl::StatusOr<Layout> LayoutOf(const std::string& descr) {
  static constexpr struct {
    std::string_view code;
    DType dtype;
    int part;  // of which byte order speaks
  } kTypes[] = {
      {"b1", kBool, 1},   {"i1", kInt8, 1},   {"u1", kUint8, 1},     {"i2", kInt16, 2},   {"u2", kUint16, 2},
      {"i4", kInt32, 4},  {"u4", kUint32, 4}, {"i8", kInt64, 8},     {"u8", kUint64, 8},  {"f2", kFloat16, 2},
      {"f4", kFloat32, 4}, {"f8", kFloat64, 8}, {"c8", kComplex64, 4}, {"c16", kComplex128, 8},
  };
  if (descr.empty()) return InvalidArgument("its dtype is empty");
  std::string_view code = descr;
  const bool has_order = std::string_view("<>|=").find(code[0]) != std::string_view::npos;
  const bool big = code[0] == '>';
  if (has_order) code.remove_prefix(1);
  for (const auto& type : kTypes)
    if (code == type.code) return Layout{type.dtype, static_cast<int64_t>(DTypeSize(type.dtype)), big && type.part > 1 ? type.part : 0, false};
  if (code.starts_with("O")) return InvalidArgument("it holds pickled Python objects, which are never loaded");
  if (code.size() > 1 && code.size() < 11 && (code[0] == 'S' || code[0] == 'U') &&
      code.find_first_not_of("0123456789", 1) == code.npos) {
    const int64_t n = std::stoll(std::string(code.substr(1)));
    return code[0] == 'S' ? Layout{kString, n, 0, false} : Layout{kString, 4 * n, big ? 4 : 0, true};
  }
  return InvalidArgument("its dtype '", descr, "' has no counterpart here");
}

void AppendUtf8(uint32_t c, std::string& out) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    if (c >= 0x10000) {
      out += static_cast<char>(0xf0 | c >> 18);
      out += static_cast<char>(0x80 | (c >> 12 & 63));
    } else {
      out += static_cast<char>(0xe0 | c >> 12);
    }
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

absl::Status ReadStrings(const char* data, const Layout& layout, TensorRep& rep) {
  for (int64_t i = 0; i < rep.count; ++i) {
    const char* element = data + i * layout.bytes;
    std::string& out = rep.as<std::string>()[i];
    if (!layout.ucs4) {
      out.assign(element, layout.bytes);
      out.erase(out.find_last_not_of('\0') + 1);
      continue;
    }
    int64_t n = layout.bytes / 4;
    const auto at = [&](int64_t k) {
      uint32_t c;
      std::memcpy(&c, element + 4 * k, 4);
      return c;
    };
    while (n > 0 && at(n - 1) == 0) --n;
    for (int64_t k = 0; k < n; ++k) {
      if (at(k) > 0x10ffff) return InvalidArgument("element ", i, " holds ", at(k), ", which is no Unicode character");
      AppendUtf8(at(k), out);
    }
  }
  return absl::OkStatus();
}

void SwapBytes(char* data, int64_t bytes, int part) {
  for (char* p = data; p < data + bytes; p += part) std::reverse(p, p + part);
}

// Column-major elements as row-major ones.
void FromFortran(const char* from, char* to, std::span<const int64_t> dims, int64_t count, int64_t bytes) {
  std::vector<int64_t> index(dims.size());
  std::vector<int64_t> stride(dims.size());
  int64_t product = 1;
  for (size_t d = 0; d < dims.size(); ++d) stride[d] = std::exchange(product, product * dims[d]);
  int64_t offset = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + i * bytes, from + offset * bytes, bytes);
    for (size_t d = dims.size(); d-- > 0;) {
      offset += stride[d];
      if (++index[d] < dims[d]) break;
      offset -= stride[d] * dims[d];
      index[d] = 0;
    }
  }
}

absl::StatusOr<NpyHeader> ReadHeader(std::istream& in, int64_t size, int64_t& data_bytes) {
  char start[12];
  if (size < 10 || !in.read(start, 10)) return InvalidArgument("it is shorter than a header");
  if (std::string_view(start, kMagic.size()) != kMagic) return InvalidArgument("it does not start as an .npy file does");
  const int major = static_cast<unsigned char>(start[6]), minor = static_cast<unsigned char>(start[7]);
  if (major < 1 || major > 3 || minor != 0) return InvalidArgument("its version is ", major, ".", minor, ", can be 1.0, 2.0 or 3.0");
  if (major > 1 && (size < 12 || !in.read(start + 10, 2))) return InvalidArgument("it is shorter than a header");
  const auto byte = [&](int i) { return static_cast<int64_t>(static_cast<unsigned char>(start[8 + i])); };
  const int64_t length = byte(0) | byte(1) << 8 | (major > 1 ? byte(2) << 16 | byte(3) << 24 : 0);
  const int64_t rest = size - (major > 1 ? 12 : 10);
  if (length > rest) return InvalidArgument("its header of ", length, " bytes is cut off: ", rest, " are left");
  if (length > kMaxHeader) return InvalidArgument("its header of ", length, " bytes is too long");
  std::string text(length, ' ');
  if (!in.read(text.data(), length)) return InvalidArgument("its header cannot be read");
  data_bytes = rest - length;
  return ParseNpyHeader(text);
}

absl::StatusOr<Tensor> Read(std::istream& in, int64_t size) {
  int64_t have = 0;
  ASSIGN_OR_RETURN(NpyHeader header, ReadHeader(in, size, have));
  ASSIGN_OR_RETURN(Layout layout, LayoutOf(header.descr));
  const auto count = header.shape.num_elements();
  const auto bytes = count ? CheckedMultiply(*count, layout.bytes) : std::nullopt;
  if (!bytes || *bytes > have)
    return InvalidArgument("its data is cut off: ", header.shape.ToString(), " of '", header.descr, "' needs ",
                           bytes ? std::to_string(*bytes) : "more than 2^63", " bytes, ", have, " are there");
  // Elements of no bytes ('|S0') cost memory that the file's size does not bound.
  if (layout.bytes == 0 && *count > (1 << 20)) return InvalidArgument("it claims ", *count, " strings of no bytes");
  const auto dims = header.shape.dims();
  TensorRep* rep = NewRep(layout.dtype, dims, *count);
  if (!rep) return OutOfMemoryError("it holds", layout.dtype, dims);
  Tensor tensor = Tensor::Adopt(rep);
  if (*count == 0) return tensor;

  const bool reorder = header.fortran_order && header.shape.rank() > 1;
  std::unique_ptr<char[]> buffer, ordered;
  char* data = static_cast<char*>(rep->data);
  if (reorder || layout.dtype == kString) {
    buffer.reset(new (std::nothrow) char[*bytes]);
    if (!buffer) return OutOfMemoryError("it holds", layout.dtype, dims);
    data = buffer.get();
  }
  if (!in.read(data, *bytes)) return InvalidArgument("its data cannot be read");
  if (layout.swap) SwapBytes(data, *bytes, layout.swap);
  if (reorder) {
    char* to = static_cast<char*>(rep->data);
    if (layout.dtype == kString) {
      ordered.reset(new (std::nothrow) char[*bytes]);
      if (!ordered) return OutOfMemoryError("it holds", layout.dtype, dims);
      to = ordered.get();
    }
    FromFortran(data, to, dims, *count, layout.bytes);
    data = to;
  }
  if (layout.dtype == kString) RETURN_IF_ERROR(ReadStrings(data, layout, *rep));
  if (layout.dtype == kBool)
    for (int64_t i = 0; i < *count; ++i) data[i] = data[i] != 0;
  return tensor;
}

absl::Status Write(std::ostream& out, const Tensor& tensor) {
  ASSIGN_OR_RETURN(const Tensor host, ToHost(tensor));
  const TensorRep& rep = *host.rep();
  if (rep.symbolic()) return NoValueError("SaveNpy", "tensor", rep);
  std::string descr;
  int64_t width = 0;
  if (rep.dtype == kString) {
    width = 1;
    for (int64_t i = 0; i < rep.count; ++i) {
      const std::string& s = rep.as<std::string>()[i];
      if (!s.empty() && s.back() == '\0') return InvalidArgument("SaveNpy: string ", i, " ends in a zero byte, which .npy cannot keep");
      width = std::max(width, static_cast<int64_t>(s.size()));
    }
    descr = absl::StrCat("|S", width);
  } else if (rep.dtype == kBFloat16) {
    descr = "<f4";
  } else if (DTypeSize(rep.dtype) == 0) {
    return InvalidArgument("SaveNpy: a ", std::string(DTypeName(rep.dtype)), " tensor has no .npy form");
  } else {
    const char kind = rep.dtype == kBool ? 'b' : IsSigned(rep.dtype) ? 'i' : IsUnsigned(rep.dtype) ? 'u' : IsComplex(rep.dtype) ? 'c' : 'f';
    descr = absl::StrCat(DTypeSize(rep.dtype) == 1 ? "|" : "<", std::string(1, kind), DTypeSize(rep.dtype));
  }
  std::string header = absl::StrCat("{'descr': '", descr, "', 'fortran_order': False, 'shape': ", rep.shape().ToTuple(), ", }");
  // Data starts at a multiple of 64 bytes, so that it can be mapped.
  const bool long_form = header.size() + 75 > 0xffff;
  const size_t start = long_form ? 12 : 10;
  header.append(63 - (start + header.size()) % 64, ' ');
  header += '\n';
  out << kMagic << static_cast<char>(long_form ? 2 : 1) << '\0';
  for (size_t i = 0; i < start - 8; ++i) out << static_cast<char>(header.size() >> (8 * i));
  out << header;
  if (rep.dtype == kString) {
    for (int64_t i = 0; i < rep.count; ++i) {
      std::string padded = rep.as<std::string>()[i];
      padded.resize(width);
      out.write(padded.data(), width);
    }
  } else if (rep.dtype == kBFloat16) {
    for (int64_t i = 0; i < rep.count; ++i) {
      const auto value = static_cast<float>(rep.as<BFloat16>()[i]);
      out.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
  } else if (rep.count) {
    out.write(static_cast<const char*>(rep.data), rep.bytes());
  }
  if (!out) return absl::DataLossError("SaveNpy: writing failed");
  return absl::OkStatus();
}

// "NAME: what is wrong", the code kept.
absl::Status Named(const absl::Status& status, std::string_view name) {
  return absl::Status(status.code(), absl::StrCat(std::string(name), ": ", status.message()));
}

}  // namespace

Tensor ReadNpy(std::istream& in, int64_t size, std::string_view name) {
  absl::StatusOr<Tensor> tensor = Read(in, size);
  if (!tensor.ok()) ThrowError(Named(tensor.status(), name));
  return *std::move(tensor);
}

Tensor LoadNpy(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in) ThrowError(absl::NotFoundError(absl::StrCat(path, ": cannot be opened")));
  const int64_t size = in.tellg();
  in.seekg(0);
  if (size < 0 || !in) ThrowError(InvalidArgument(path, ": is no regular file"));
  return ReadNpy(in, size, path);
}

void WriteNpy(std::ostream& out, const Tensor& tensor) {
  (void)tensor.shape();  // throws when undefined
  ThrowIfError(Write(out, tensor));
}

void SaveNpy(const std::string& path, const Tensor& tensor) {
  (void)tensor.shape();
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) ThrowError(absl::NotFoundError(absl::StrCat(path, ": cannot be written")));
  absl::Status status = Write(out, tensor);
  out.close();
  if (status.ok() && !out) status = absl::DataLossError("SaveNpy: writing failed");
  if (!status.ok()) ThrowError(Named(status, path));
}

}  // namespace tandem
