// Elements out of files: what is right, and what an error names. `files_test FOLDER N` writes files of N records for
// tools/interop/check_records.py.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <zlib.h>

#include "core/record_io.h"
#include "tests/catch/program.h"
#include "tests/eager/data/elements.h"
#include "tests/temp_file.h"

namespace tandem {
namespace {

using data::Range;

std::string Gzip(const std::string& name, std::string_view bytes) {
  const std::string path = TempPath(name);
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
  gzclose(file);
  return path;
}

// The text with each occurrence of `path` as FILE.
std::string Named(std::string text, const std::string& path) {
  for (size_t at; (at = text.find(path)) != std::string::npos;) text.replace(at, path.size(), "FILE");
  return text;
}

std::string Idx(std::initializer_list<int> header, std::string_view data) {
  std::string bytes;
  for (int b : header) bytes += static_cast<char>(b);
  return bytes + std::string(data);
}

constexpr const char* kCompressions[] = {"", "GZIP", "ZLIB"};

}  // namespace

// Record i is i % 7 times the byte i % 256.
int RunProgram(int argc, char** argv) {
  const int count = argc > 2 ? std::atoi(argv[2]) : 0;
  for (const std::string compression : kCompressions) {
    data::TFRecordWriter writer(argv[1] + ("/records." + compression), {.compression = compression});
    for (int i = 0; i < count; ++i) writer.Write(std::string(i % 7, static_cast<char>(i % 256)));
    writer.Close();
  }
  return 0;
}

TEST_CASE("lines of text") {
  const std::string path = WriteTemp("a.txt", "one\ntwo\r\n\nlast");
  CHECK(Elements(data::TextLine(path)) == "b'one' b'two' b'' b'last'");
  CHECK(Elements(data::TextLine({path, path}).Take(5)) == "b'one' b'two' b'' b'last' b'one'");
  CHECK(Elements(data::TextLine(Gzip("a.txt.gz", "x\ny"), {.compression = "GZIP"})) == "b'x' b'y'");
  CHECK(Elements(data::TextLine(WriteTemp("empty.txt", ""))) == "");
  CHECK(Elements(data::TextLine(path, {.buffer_bytes = 1})) == "b'one' b'two' b'' b'last'");
  const std::string none = TempPath("none.txt");
  CHECK(Named(Elements(data::TextLine({none, path}).Take(2)), none).starts_with("!TextLine: element 0: FILE"));  // then the next file
  CHECK(Thrown([&] { data::TextLine(none).MakeIterator().Next(); }).starts_with("NOT_FOUND "));
}

TEST_CASE("records that TensorFlow wrote") {
  const std::string folder = "tests/data/fixtures/tfrecord/";
  int64_t records = 0, bytes = 0;
  for (const Tensor& record : data::TFRecord({folder + "examples.tfrecord", folder + "sequences.tfrecord"})) {
    ++records;
    bytes += static_cast<int64_t>(record.item<std::string>().size());
  }
  CHECK(records == 10);
  CHECK(bytes == 570 + 319 - 10 * 16);
}

TEST_CASE("records are written and appended to") {
  for (const char* compression : kCompressions) {
    INFO(compression);
    const std::string path = TempPath("written.tfrecord");
    data::TFRecordWriter writer(path, {.compression = compression});
    for (const char* record : {"one", "", "three"}) writer.Write(record);
    writer.Flush();
    CHECK(Elements(data::TFRecord(path, {.compression = compression}).Take(3)) == "b'one' b'' b'three'");
    writer.Close();
    CHECK(Thrown([&] { writer.Write("x"); }) == "FAILED_PRECONDITION " + path + ": the file is closed");
    const auto append = [&] { data::TFRecordWriter(path, {.compression = compression, .append = true}).Write("four"); };
    if (compression == std::string("ZLIB")) {
      CHECK(Thrown(append).starts_with("INVALID_ARGUMENT TFRecordWriter: of joined ZLIB streams"));
    } else {
      append();
      CHECK(Elements(data::TFRecord(path, {.compression = compression})) == "b'one' b'' b'three' b'four'");
    }
  }
  CHECK(Thrown([] { data::TFRecordWriter(TempPath("x"), {.compression = "banana"}); }) ==
        "INVALID_ARGUMENT TFRecordWriter: compression is \"banana\", must be \"\", \"GZIP\" or \"ZLIB\"");
  CHECK(ReadBytes(TempPath("x")) == "");
  CHECK(Thrown([] { data::TFRecordWriter(TempPath("no/such/folder")); }).starts_with("NOT_FOUND "));
}

TEST_CASE("damaged records are told by file, record and offset, and the next file is read") {
  const std::string broken = "tests/data/fixtures/broken/data_crc.tfrecord";
  auto it = data::TFRecord({broken, "tests/data/fixtures/tfrecord/examples.tfrecord"}).MakeIterator();
  CHECK(it.Next());
  CHECK_THAT(Thrown([&] { it.Next(); }), Catch::StartsWith("DATA_LOSS TFRecord: element 1: " + broken + ": record 1 at offset 61: the checksum of its bytes differs"));
  int64_t rest = 0;
  while (it.Next()) ++rest;
  CHECK(rest == 7);
}

TEST_CASE("records of one length") {
  struct Row {
    const char* name;
    std::string bytes;
    data::FixedLengthOptions options;
    const char* want;
  };
  const Row rows[] = {
      {"plain", "aabbcc", {}, "b'aa' b'bb' b'cc'"},
      {"header and footer", "Haabb--", {.header_bytes = 1, .footer_bytes = 2}, "b'aa' b'bb'"},
      {"none", "H", {.header_bytes = 1}, ""},
      {"nothing at all", "", {}, ""},
      {"a rest", "aab", {}, "b'aa' !FixedLengthRecord: element 1: FILE: the record at offset 2 has 1 bytes, record_bytes is 2"},
      {"too short", "", {.header_bytes = 1}, "!FixedLengthRecord: element 0: FILE: shorter than its header and footer"},
      {"too short for the footer", "H", {.header_bytes = 1, .footer_bytes = 1}, "!FixedLengthRecord: element 0: FILE: shorter than its header and footer"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    const std::string path = WriteTemp("fixed.bin", row.bytes);
    CHECK(Named(Elements(data::FixedLengthRecord(path, 2, row.options)), path) == row.want);
  }
}

TEST_CASE("comma-separated values") {
  const auto read = [](const std::string& bytes, data::CsvOptions options = {}) {
    const std::string path = WriteTemp("a.csv", bytes);
    return Named(Elements(data::Csv(path, {kInt32, 1.5, "none"}, options)), path);
  };
  struct Row {
    const char* name;
    std::string got;
    const char* want;
  };
  const Row rows[] = {
      {"plain", read("1,2.5,a\n-3,1e3,b c\r\n"), "(1, 2.5, b'a') (-3, 1000.0, b'b c')"},
      {"header and empty lines", read("x,y,z\n\n1,2,a\n", {.header = true}), "(1, 2.0, b'a')"},
      {"missing with default", read("1,,\n"), "(1, 1.5, b'none')"},
      {"na_value", read("1,NA,NA\n", {.na_value = "NA"}), "(1, 1.5, b'none')"},
      {"missing without default", read(",1,a\n2,1,b\n"), "!Csv: element 0: FILE: line 1: column 0 is missing and has no default (2, 1.0, b'b')"},
      {"quotes", read("1,2,\"a, \"\"b\"\"\nc\"\n2,\"3\",d\n"), "(1, 2.0, b'a, \"b\"\\nc') (2, 3.0, b'd')"},
      {"quotes off", read("1,2,\"a\"\n", {.quotes = false}), "(1, 2.0, b'\"a\"')"},
      {"delimiter", read("1; 2 ;a\n", {.delimiter = ';'}), "(1, 2.0, b'a')"},
      {"too few", read("1,2\n"), "!Csv: element 0: FILE: line 1: has 2 columns, 3 are wanted"},
      {"no number", read("1,2,a\n1x,2,b\n"), "(1, 2.0, b'a') !Csv: element 1: FILE: line 2: column 0: \"1x\" is no int32"},
      {"overflow", read("3000000000,2,a\n"), "!Csv: element 0: FILE: line 1: column 0: \"3000000000\" is no int32"},
      {"quote without end", read("1,2,\"a\nb"), "!Csv: element 0: FILE: line 1: a quoted field has no end"},
      {"behind a quote", read("1,2,\"a\"b\n"), "!Csv: element 0: FILE: line 1: column 2: bytes behind the closing quote"},
      {"line numbers count quoted lines", read("1,2,\"\n\n\"\nx,2,b\n"), "(1, 2.0, b'\\n\\n') !Csv: element 1: FILE: line 4: column 0: \"x\" is no int32"},
      {"selected columns", read("0,1,0,2,c\n", {.select_columns = {1, 3, 4}}), "(1, 2.0, b'c')"},
      {"selected columns, too few", read("0,1,0\n", {.select_columns = {1, 2, 4}}), "!Csv: element 0: FILE: line 1: has 3 columns, more than 4 are wanted"},
      {"a dtype that is none", Thrown([] { data::Csv("x", {kBool}); }), "INVALID_ARGUMENT Csv: column 0 is bool, must be float32, float64, int32, int64 or string"},
      {"columns that fall", Thrown([] { data::Csv("x", {kInt32, kInt32}, {.select_columns = {1, 0}}); }), "INVALID_ARGUMENT Csv: select_columns must ascend from 0 or more"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    CHECK(row.got == row.want);
  }
}

TEST_CASE("arrays in IDX files") {
  struct Row {
    const char* name;
    std::string bytes;
    const char* want;
  };
  using namespace std::string_literals;
  const Row rows[] = {
      {"bytes", Idx({0, 0, 8, 1, 0, 0, 0, 3}, "\1\2\3"), "uint8 [1 2 3]"},
      {"shorts", Idx({0, 0, 11, 2, 0, 0, 0, 1, 0, 0, 0, 2}, "\1\0\377\376"s), "int16 [[256  -2]]"},
      {"floats", Idx({0, 0, 13, 1, 0, 0, 0, 1}, "\x3f\xc0\0\0"s), "float32 [1.5]"},
      {"empty", Idx({0, 0, 8, 1, 0, 0, 0, 0}, ""), "uint8 []"},
      {"cut header", Idx({0, 0, 8, 2, 0, 0, 0, 1}, ""), "DATA_LOSS FILE: the file ends inside its header"},
      {"cut data", Idx({0, 0, 8, 1, 0, 0, 0, 3}, "\1"), "DATA_LOSS FILE: uint8[3] needs 3 bytes, 1 are there"},
      {"more data", Idx({0, 0, 8, 1, 0, 0, 0, 1}, "\1\2"), "DATA_LOSS FILE: there are bytes behind its uint8[1]"},
      {"huge", Idx({0, 0, 8, 2, 255, 255, 255, 255, 255, 255, 255, 255}, ""), "DATA_LOSS FILE: dimensions [4294967295,4294967295] are more than can be"},
      {"large", Idx({0, 0, 14, 1, 255, 255, 255, 255}, "x"), "DATA_LOSS FILE: float64[4294967295] needs 34359738360 bytes, 1 are there"},
      {"no magic", "text", "DATA_LOSS FILE: no IDX file"},
      {"nothing", "", "DATA_LOSS FILE: no IDX file"},
  };
  for (const Row& row : rows)
    for (const bool gzip : {false, true}) {
      INFO(row.name << (gzip ? ", gzip" : ""));
      const std::string path = gzip ? Gzip("a.idx.gz", row.bytes) : WriteTemp("a.idx", row.bytes);
      std::string got;
      const std::string thrown = Thrown([&] {
        const Tensor t = data::LoadIdx(path);
        got = std::string(DTypeName(t.dtype())) + " " + t.ToString();
      });
      CHECK(Named(got.empty() ? thrown : got, path) == row.want);
    }
}

TEST_CASE("handwritten digits") {
  const auto test = data::Mnist("examples/data", {.split = "test", .image_shape = {28, 28, 1}});
  int64_t count = 0;
  for (auto& batch : test.Batch(500)) {
    auto& [images, labels] = batch;
    CHECK(images.shape() == Shape{500, 28, 28, 1});
    CHECK(images.dtype() == kFloat32);
    CHECK(Max(images).item<float>() == 1);
    CHECK(Min(images).item<float>() == 0);
    CHECK(labels.dtype() == kInt32);
    CHECK(Max(labels).item<int>() == 9);
    count += labels.dim(0);
  }
  CHECK(count == 1000);
  CHECK(Thrown([] { data::Mnist("tests/data"); }) ==
        "NOT_FOUND Mnist: \"tests/data\" has neither train-images-idx3-ubyte nor mnist5k-train-images-idx3-ubyte, with .gz or without");
  CHECK(Thrown([] { data::Mnist("examples/data", {.split = "dev"}); }) == "INVALID_ARGUMENT Mnist: split is \"dev\", must be \"train\" or \"test\"");
  CHECK(Thrown([] { data::Mnist("examples/data", {.image_shape = {5}}); }).starts_with("INVALID_ARGUMENT Reshape: "));
  // The full set's names.
  WriteTemp("train-images-idx3-ubyte", Idx({0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2}, std::string_view("\0\377", 2)));
  WriteTemp("train-labels-idx1-ubyte", Idx({0, 0, 8, 1, 0, 0, 0, 1}, "\7"));
  const std::string path = TempPath("");
  CHECK(Elements(data::Mnist(path, {.image_shape = {2}})) == "([0. 1.], 7)");
}

TEST_CASE("a cache in a file is written once, whole, and read from then on") {
  const std::string path = TempPath("cache");
  int calls = 0;
  const auto make = [&] {
    return Range(3).Map([&](Tensor x) {
      ++calls;
      return std::pair<Tensor, Tensor>(x, "text " + std::to_string(x.item<int>()));
    }).Cache(path);
  };
  {
    auto it = make().MakeIterator();  // left half way: nothing is kept
    it.Next();
  }
  CHECK(ReadBytes(path) == "");
  const char* want = "(0, b'text 0') (1, b'text 1') (2, b'text 2')";
  CHECK(Elements(make()) == want);
  CHECK(calls == 4);
  CHECK(Elements(make().Repeat(2)) == std::string(want) + " " + want);
  CHECK(calls == 4);
  // Damage is told.
  std::string bytes = ReadBytes(path);
  bytes[bytes.size() / 2] ^= 1;
  WriteTemp("cache", bytes);
  CHECK_THAT(Thrown([&] { for ([[maybe_unused]] auto& e : make()) {} }), Catch::StartsWith("DATA_LOSS Cache: element "));
  WriteTemp("cache", "text");
  CHECK_THAT(Thrown([&] { make().MakeIterator().Next(); }), Catch::StartsWith("DATA_LOSS Cache: element 0: " + path));
  CHECK_THAT(Thrown([&] { Range(1).Cache(TempPath("no/folder")).MakeIterator().Next(); }), Catch::StartsWith("NOT_FOUND Cache: element 0: "));
}

// Each byte of a small file of Examples flipped in turn: an error or the right value.
TEST_CASE("no damage of a record file gives a wrong value") {
  const std::string good = ReadBytes("tests/data/fixtures/tfrecord/examples.tfrecord");
  REQUIRE(good.size() == 570);
  const auto ids = [](const std::string& path) {
    return Elements(data::TFRecord(path).ParseExample({FixedLen("id", kInt64), VarLen("x", kFloat32)}));
  };
  const std::string want = ids("tests/data/fixtures/tfrecord/examples.tfrecord");
  REQUIRE(want.starts_with("(-3, []) (-2, [-0.192]) (-1, [ 0.312 -0.062])"));
  int wrong = 0;
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bytes = good;
    bytes[i] ^= 0x10;
    const std::string got = ids(WriteTemp("flip.tfrecord", bytes));
    const size_t error = got.find('!');
    if (error == std::string::npos || want.compare(0, error, got, 0, error) != 0) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace tandem
