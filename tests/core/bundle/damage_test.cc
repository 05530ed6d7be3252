// Damaged and hostile files: an error or the right value, never a wrong one.
#include <catch2/catch.hpp>
#include <fstream>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/output_file.h"
#include "tests/compare.h"
#include "tests/temporary.h"

namespace tandem {
namespace {

const std::vector<std::pair<std::string, Tensor>>& Contents() {
  static const std::vector<std::pair<std::string, Tensor>> contents = {
      {"numbers", Tensor({1.5, -2., 3.25})}, {"flags", Tensor({true, false})}, {"words", Tensor({"one", "", "three"})}, {"none", Tensor(std::vector<float>())}};
  return contents;
}

void Save(const std::string& prefix) {
  auto writer = ValueOrThrow(BundleWriter::Create(prefix));
  for (const auto& [name, tensor] : Contents()) ThrowIfError(writer->Add(name, *tensor.rep()));
  const ShapeAndSlice first = **ParseShapeAndSlice("4 0,1"), second = **ParseShapeAndSlice("4 1,3");
  ThrowIfError(writer->AddSlice("parts", first, *Tensor(std::vector<int>{7}).rep()));
  ThrowIfError(writer->AddSlice("parts", second, *Tensor({8, 9, 10}).rep()));
  ThrowIfError(writer->Finish());
}

// "" when every value that can be read is the right one.
std::string WrongValue(const std::string& prefix, int* errors) {
  const auto reader = BundleReader::Open(prefix);
  if (!reader.ok()) return ++*errors, "";
  auto all = Contents();
  all.emplace_back("parts", Tensor({7, 8, 9, 10}));
  for (const auto& [name, want] : all) {
    const auto got = (*reader)->Read(name);
    if (!got.ok()) ++*errors;
    else if (const std::string wrong = DifferentBits(*got, want); !wrong.empty()) return name + ": " + wrong;
  }
  return "";
}

void Write(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

}  // namespace

TEST_CASE("every byte flipped, every file cut: an error or the right values") {
  const TemporaryFolder folder;
  Save(folder / "c");
  int none = 0;
  REQUIRE(WrongValue(folder / "c", &none) == "");
  REQUIRE(none == 0);
  for (const char* name : {"c.index", "c.data-00000-of-00001"}) {
    const std::string path = folder / name, good = *ReadWholeFile(path);
    int flips = 0;
    for (size_t i = 0; i < good.size(); ++i) {
      for (const int bit : {0, 7}) {
        std::string bad = good;
        bad[i] = static_cast<char>(bad[i] ^ 1 << bit);
        Write(path, bad);
        int errors = 0;
        INFO(name << ", byte " << i << ", bit " << bit);
        CHECK(WrongValue(folder / "c", &errors) == "");
        flips += errors > 0;
      }
      Write(path, good.substr(0, i));
      int errors = 0;
      INFO(name << ", cut at " << i);
      CHECK(WrongValue(folder / "c", &errors) == "");
      CHECK(errors > 0);
    }
    // Of no consequence are only the footer's padding and the unused metaindex: 49 bytes, two bits each.
    CHECK(flips >= static_cast<int>(2 * good.size()) - 98);
    Write(path, good);
  }
}

TEST_CASE("errors name file, entry and offset") {
  const TemporaryFolder folder;
  Save(folder / "c");
  const std::string path = folder / "c.data-00000-of-00001";
  std::string bytes = *ReadWholeFile(path);
  bytes[1] = static_cast<char>(bytes[1] ^ 1);
  Write(path, bytes);
  const auto reader = ValueOrThrow(BundleReader::Open(folder / "c"));
  const absl::Status status = reader->Read("numbers").status();
  CHECK(status.code() == absl::StatusCode::kDataLoss);
  CHECK(status.message() == path + ": entry \"numbers\" at offset 0 (12 bytes): its checksum is wrong");
  CHECK(DifferentBits(*reader->Read("words"), Tensor({"one", "", "three"})) == "");
}

}  // namespace tandem
