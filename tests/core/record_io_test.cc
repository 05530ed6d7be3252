#include "core/record_io.h"

#include <catch2/catch.hpp>
#include <vector>

#include "core/crc32c.h"
#include "tests/temp_file.h"

namespace tandem {
namespace {

// Every record up to the end or an error, and that error.
std::pair<std::vector<std::string>, absl::Status> ReadAll(const std::string& path, Compression compression = Compression::kNone, int64_t buffer = 128 << 10) {
  std::vector<std::string> records;
  auto reader = RecordReader::Open(path, compression, buffer);
  if (!reader.ok()) return {records, reader.status()};
  std::string record;
  while (true) {
    const auto more = (*reader)->Next(&record);
    if (!more.ok()) return {records, more.status()};
    if (!*more) return {records, absl::OkStatus()};
    records.push_back(record);
  }
}

void WriteAll(const std::string& path, const std::vector<std::string>& records, RecordWriterOptions options = {}) {
  auto writer = RecordWriter::Open(path, options);
  REQUIRE(writer.ok());
  for (const std::string& record : records) REQUIRE((*writer)->Write(record).ok());
  REQUIRE((*writer)->Close().ok());
}

const std::vector<std::string> kRecords = {"", "a", std::string(300, 'x'), std::string(200'000, 'y') + "end", "last"};

}  // namespace

TEST_CASE("crc32c is the one of RFC 3720") {
  CHECK(Crc32c("123456789") == 0xe3069283);
  CHECK(Crc32c("") == 0);
  CHECK(Crc32c(std::string(32, '\0')) == 0x8a9136aa);
  CHECK(Crc32c(std::string(32, '\xff')) == 0x62a8ab43);
  CHECK(Crc32c("6789", Crc32c("12345")) == 0xe3069283);
  CHECK(MaskCrc(0xe3069283) == 0xc78ab0e5);
  CHECK(UnmaskCrc(0xc78ab0e5) == 0xe3069283);
}

TEST_CASE("records are written as TensorFlow writes them") {
  const std::string path = TempPath("known.tfrecord");
  WriteAll(path, {"", "a"});
  using namespace std::string_literals;
  CHECK(ReadBytes(path) == "\0\0\0\0\0\0\0\0\x29\x03\x98\x07\xd8\xea\x82\xa2"s + "\x01\0\0\0\0\0\0\0\x01\x75\xde\x41\x61\x78\x6e\xe4\x28"s);
}

TEST_CASE("records come back in any compression and with any buffer") {
  for (const Compression compression : {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    const std::string path = TempPath("round.tfrecord");
    WriteAll(path, kRecords, {.compression = compression});
    for (const int64_t buffer : {64, 1000, 1 << 20}) {
      const auto [records, status] = ReadAll(path, compression, buffer);
      INFO(static_cast<int>(compression) << ", buffer " << buffer << ": " << status);
      CHECK(status.ok());
      CHECK(records == kRecords);
    }
  }
  // Appending to a gzip file makes a second member.
  const std::string path = TempPath("append.tfrecord");
  WriteAll(path, {"one"}, {.compression = Compression::kGzip});
  WriteAll(path, {"two"}, {.compression = Compression::kGzip, .append = true});
  CHECK(ReadAll(path, Compression::kDetect).first == std::vector<std::string>{"one", "two"});
}

TEST_CASE("what was flushed can be read while the file is open") {
  const std::string path = TempPath("flushed.tfrecord");
  auto writer = RecordWriter::Open(path);
  REQUIRE(writer.ok());
  REQUIRE((*writer)->Write("one").ok());
  REQUIRE((*writer)->Flush().ok());
  CHECK(ReadAll(path).first == std::vector<std::string>{"one"});
  REQUIRE((*writer)->Close().ok());
  CHECK((*writer)->Write("two").code() == absl::StatusCode::kFailedPrecondition);
}

TEST_CASE("a reader goes on where another stood") {
  for (const Compression compression : {Compression::kNone, Compression::kGzip}) {
    const std::string path = TempPath("skip.tfrecord");
    WriteAll(path, kRecords, {.compression = compression});
    auto first = RecordReader::Open(path, compression), second = RecordReader::Open(path, compression);
    std::string record;
    for (int i = 0; i < 4; ++i) REQUIRE(*(*first)->Next(&record));
    REQUIRE((*second)->SkipTo((*first)->record(), (*first)->offset()).ok());
    CHECK(*(*second)->Next(&record));
    CHECK(record == "last");
    CHECK((*second)->record() == 5);
    CHECK_FALSE(*(*second)->Next(&record));
  }
}

TEST_CASE("errors name file, record and offset") {
  const std::string path = TempPath("damaged.tfrecord");
  WriteAll(path, {"first", "second"});
  const std::string good = ReadBytes(path);
  struct Row {
    const char* name;
    std::string bytes;
    std::string message;
  };
  const auto flipped = [&](size_t at) {
    std::string bytes = good;
    bytes[at] ^= 1;
    return bytes;
  };
  const Row rows[] = {
      {"length", flipped(21), "record 1 at offset 21: the checksum of its length differs: stored "},
      {"bytes", flipped(35), "record 1 at offset 21: the checksum of its bytes differs: stored "},
      {"header", good.substr(0, 29), "record 1 at offset 21: the file ends inside its header"},
      {"data", good.substr(0, 36), "record 1 at offset 21: the file ends after 3 of its 6 bytes"},
      {"footer", good.substr(0, good.size() - 1), "record 1 at offset 21: the file ends inside its last checksum"},
  };
  for (const Row& row : rows) {
    INFO(row.name);
    WriteTemp("damaged.tfrecord", row.bytes);
    const auto [records, status] = ReadAll(path);
    CHECK(records == std::vector<std::string>{"first"});
    CHECK(status.code() == absl::StatusCode::kDataLoss);
    CHECK_THAT(std::string(status.message()), Catch::StartsWith(path + ": " + row.message));
  }
  CHECK(ReadAll(TempPath("none.tfrecord")).second.code() == absl::StatusCode::kNotFound);
  CHECK(RecordWriter::Open(TempPath("no/such/folder")).status().code() == absl::StatusCode::kNotFound);
  auto full = RecordWriter::Open("/dev/full");
  if (full.ok()) {
    REQUIRE((*full)->Write("x").ok());
    CHECK((*full)->Close().code() == absl::StatusCode::kResourceExhausted);
  }
}

// Every byte of a file changed in turn, and the file cut at every byte: an error, or what was written, never another value.
TEST_CASE("no damage gives a wrong record") {
  const std::vector<std::string> written = {"first", "", "the third record"};
  for (const Compression compression : {Compression::kNone, Compression::kGzip, Compression::kZlib}) {
    const std::string path = TempPath("flip.tfrecord");
    WriteAll(path, written, {.compression = compression});
    const std::string good = ReadBytes(path);
    int wrong = 0, silent = 0;
    const auto check = [&](const std::string& bytes, bool cut) {
      WriteTemp("flip.tfrecord", bytes);
      const auto [records, status] = ReadAll(path, compression);
      if (records.size() > written.size() || !std::equal(records.begin(), records.end(), written.begin())) ++wrong;
      if (status.ok() && records.size() < written.size() && !cut) ++silent;
    };
    for (size_t i = 0; i < good.size(); ++i) {
      for (const int mask : {0x01, 0x80, 0xff}) {
        std::string bytes = good;
        bytes[i] = static_cast<char>(bytes[i] ^ mask);
        check(bytes, false);
      }
      check(good.substr(0, i), true);  // at the end of a record there is nothing to see
    }
    INFO(static_cast<int>(compression));
    CHECK(wrong == 0);
    CHECK(silent == 0);
  }
}

TEST_CASE("lines end with \\n or \\r\\n, the last one with either or none") {
  const std::string path = WriteTemp("lines.txt", "a\r\n\nlong line " + std::string(200, '.') + "\nlast");
  auto source = ByteSource::Open(path, Compression::kDetect, 64);
  REQUIRE(source.ok());
  std::vector<std::string> lines;
  for (std::string line; *(*source)->ReadLine(&line);) lines.push_back(line);
  CHECK(lines == std::vector<std::string>{"a", "", "long line " + std::string(200, '.'), "last"});
}

}  // namespace tandem
