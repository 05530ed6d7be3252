#include "core/npy.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "tandem.h"
#include "tests/temp_file.h"

namespace tandem {
namespace {

std::string File(const std::string& name) { return "tests/data/npy/" + name + ".npy"; }

std::string Bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string Failure(const std::string& bytes) {
  std::istringstream in(bytes);
  try {
    ReadNpy(in, static_cast<int64_t>(bytes.size()), "f.npy");
  } catch (const Error& e) {
    CHECK(e.code() == Code::kInvalidArgument);
    return e.message();
  }
  return "no error";
}

// A version 1.0 file with this header and these bytes of data.
std::string Npy(const std::string& header, size_t data) {
  std::string bytes = "\x93NUMPY";
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + std::string(data, '\x01');
}

}  // namespace

TEST_CASE("every dtype that NumPy wrote is read, and written as NumPy does") {
  for (const DType dtype : {kBool, kInt8, kInt16, kInt32, kInt64, kUint8, kUint16, kUint32, kUint64, kFloat16, kFloat32, kFloat64,
                            kComplex64, kComplex128}) {
    const std::string name(DTypeName(dtype));
    INFO(name);
    const Tensor t = LoadNpy(File(name));
    REQUIRE(t.dtype() == dtype);
    REQUIRE(t.shape() == Shape{2, 3});
    CHECK(t.ToVector<double>() == (dtype == kBool ? std::vector<double>{0, 1, 1, 1, 1, 1} : std::vector<double>{0, 1, 2, 3, 4, 5}));
    std::ostringstream out;
    WriteNpy(out, t);
    CHECK(out.str() == Bytes(File(name)));
  }
}

TEST_CASE("strings lose their padding only") {
  const Tensor t = LoadNpy(File("string"));
  REQUIRE(t.shape() == Shape{2, 2});
  CHECK(t.data<std::string>()[1] == "bcd");
  CHECK(t.data<std::string>()[2] == "");
  CHECK(t.data<std::string>()[3] == std::string("x\0y", 3));
  std::ostringstream out;
  WriteNpy(out, t);
  CHECK(out.str() == Bytes(File("string")));
  for (const char* name : {"unicode", "unicode_big"}) {
    const Tensor u = LoadNpy(File(name));
    CHECK(u.data<std::string>()[1] == "h\u00e9");
    CHECK(u.data<std::string>()[2] == "\u20ac\U0001f600");
  }
}

TEST_CASE("scalars, empty tensors, column-major and big-endian files") {
  CHECK(LoadNpy(File("scalar")).item<double>() == 2.5);
  CHECK(LoadNpy(File("empty")).shape() == Shape{2, 0, 3});
  const Tensor f = LoadNpy(File("fortran3"));
  for (int i = 0; i < 24; ++i) CHECK(f.data<int16_t>()[i] == i);
  CHECK(LoadNpy(File("fortran_string")).ToString() == "[[b'a' b'b' b'c']\n [b'd' b'e' b'f']]");
  CHECK(LoadNpy(File("complex_big")).ToString() == "[1.+2.j]");
  for (const char* name : {"feed_fortran", "feed_big_endian", "feed_long_header"})
    CHECK(LoadNpy(File(name)).ToVector<int>() == std::vector<int>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("a file survives the round trip") {
  const std::string path = TempPath("round.npy");
  SaveNpy(path, Tensor{{1.5, -2.}, {3., 4.}});
  CHECK(LoadNpy(path).ToString() == "[[ 1.5 -2. ]\n [ 3.   4. ]]");
  const BFloat16 half_type[] = {BFloat16(1.5f), BFloat16(-2.0f)};
  SaveNpy(path, Tensor(std::span<const BFloat16>(half_type)));
  CHECK(LoadNpy(path).dtype() == kFloat32);
  CHECK(LoadNpy(path).ToString() == "[ 1.5 -2. ]");
  SaveNpy(path, Tensor(std::vector<std::string>{"", ""}));
  CHECK(LoadNpy(path).ToString() == "[b'' b'']");
  std::remove(path.c_str());
}

TEST_CASE("malformed files are named, with what is wrong") {
  const auto message = [](const std::string& name) {
    try {
      LoadNpy(File(name));
    } catch (const Error& e) {
      CHECK(e.code() == Code::kInvalidArgument);
      return e.message().substr(e.message().rfind('/') + 1);
    }
    return std::string("no error");
  };
  CHECK(message("feed_truncated") == "feed_truncated.npy: its data is cut off: [2,3] of '<f4' needs 24 bytes, 19 are there");
  CHECK(message("feed_header_cut") == "feed_header_cut.npy: its header of 118 bytes is cut off: 30 are left");
  CHECK(message("feed_magic") == "feed_magic.npy: it does not start as an .npy file does");
  CHECK(message("feed_version") == "feed_version.npy: its version is 9.0, can be 1.0, 2.0 or 3.0");
  CHECK(message("feed_pickled") == "feed_pickled.npy: it holds pickled Python objects, which are never loaded");
  CHECK(message("feed_negative_shape") == "feed_negative_shape.npy: its shape has the negative dimension -3");
  CHECK(message("feed_huge_shape") == "feed_huge_shape.npy: its shape is no tuple of integers");
}

TEST_CASE("what a header claims is checked before memory is taken") {
  const auto before = GetAllocatorStatistics().system_calls;
  CHECK(Failure(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4), }", 8)) ==
        "f.npy: its data is cut off: [4611686018427387904,4] of '<f4' needs more than 2^63 bytes, 8 are there");
  CHECK(Failure(Npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000,), }", 8)) ==
        "f.npy: its data is cut off: [1000000000000] of '<f8' needs 8000000000000 bytes, 8 are there");
  CHECK(Failure(Npy("{'descr': '|S0', 'fortran_order': False, 'shape': (1000000000000,), }", 0)) ==
        "f.npy: it claims 1000000000000 strings of no bytes");
  CHECK(GetAllocatorStatistics().system_calls == before);
}

TEST_CASE("header grammar") {
  CHECK(Failure("") == "f.npy: it is shorter than a header");
  CHECK(Failure(Npy("[1]", 0)) == "f.npy: its header is no dict");
  CHECK(Failure(Npy("{'descr': '<f4', 'shape': (1,)}", 4)) == "f.npy: its header lacks descr, fortran_order or shape");
  CHECK(Failure(Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", 4)) ==
        "f.npy: its dtype is structured: only plain ones can be read");
  CHECK(Failure(Npy("{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}", 8)) ==
        "f.npy: its dtype '<M8[ns]' has no counterpart here");
  CHECK(Failure(Npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", 4)) ==
        "f.npy: its fortran_order is neither True nor False");
  CHECK(Failure(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4)) ==
        "f.npy: its shape holds something that is no integer");
  CHECK(Failure(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'x': 1}", 4)) ==
        "f.npy: its header has the unexpected or repeated key 'x'");
  CHECK(Failure(Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} 1", 4)) == "f.npy: its header goes on after the dict");
  CHECK(Failure(Npy("{'shape': (2L,), 'fortran_order': False, 'descr': \"<f4\"}", 8)) == "no error");
}

TEST_CASE("every cut of a good file is an error") {
  const std::string bytes = Bytes(File("float32"));
  for (size_t n = 0; n < bytes.size(); ++n) CHECK(Failure(bytes.substr(0, n)) != "no error");
}

TEST_CASE("what .npy cannot hold is refused") {
  std::ostringstream out;
  CHECK_THROWS_WITH(WriteNpy(out, Tensor(std::string("a\0", 2))), "SaveNpy: string 0 ends in a zero byte, which .npy cannot keep");
  CHECK_THROWS_WITH(WriteNpy(out, Variable(1.0).handle()), "SaveNpy: a resource tensor has no .npy form");
  CHECK_THROWS_WITH(LoadNpy("tests/data/npy/absent.npy"), "tests/data/npy/absent.npy: cannot be opened");
  CHECK_THROWS_AS(SaveNpy("/nonexistent/x.npy", Tensor(1)), Error);
}

}  // namespace tandem
