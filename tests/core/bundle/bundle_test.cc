// Checkpoints against files that TensorFlow wrote: read right, and written again byte for byte.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "core/bundle/bundle_reader.h"
#include "core/bundle/bundle_writer.h"
#include "core/bundle/merge.h"
#include "core/bundle/output_file.h"
#include "tests/compare.h"
#include "tests/temporary.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

const std::string kFolder = "tests/data/fixtures/checkpoints/";

std::unique_ptr<BundleReader> Open(const std::string& prefix) { return ValueOrThrow(BundleReader::Open(prefix)); }
void Save(const std::string& prefix, const std::vector<std::pair<std::string, Tensor>>& tensors) {
  auto writer = ValueOrThrow(BundleWriter::Create(prefix));
  for (const auto& [name, tensor] : tensors) ThrowIfError(writer->Add(name, *tensor.rep()));
  ThrowIfError(writer->Finish());
}
std::string Bytes(const std::string& path) { return ValueOrThrow(ReadWholeFile(path)); }
std::string TextOf(const absl::Status& status) { return std::string(status.message()); }

// The same tensors in the order in which they lie in the file.
void Rewrite(const std::string& from, const std::string& to) {
  const auto reader = Open(from);
  struct Piece {
    int64_t offset;
    const BundleEntry* entry;
    TensorSlice slice;
  };
  std::vector<Piece> pieces;
  for (const BundleEntry& entry : reader->entries()) {
    if (entry.slices.empty()) pieces.push_back({entry.offset, &entry, {}});
    for (const TensorSlice& slice : entry.slices) pieces.push_back({reader->Find(SliceKey(entry.key, slice))->offset, &entry, slice});
  }
  std::ranges::stable_sort(pieces, {}, &Piece::offset);
  auto writer = ValueOrThrow(BundleWriter::Create(to));
  for (const Piece& p : pieces) {
    if (p.entry->slices.empty()) {
      ThrowIfError(writer->Add(p.entry->key, *ValueOrThrow(reader->Read(p.entry->key)).rep()));
      continue;
    }
    ShapeAndSlice spec = {p.entry->shape, p.slice, ValueOrThrow(p.slice.Within(p.entry->shape)), {}};
    spec.shape = Shape(std::span<const int64_t>(spec.filled.length));
    ThrowIfError(writer->AddSlice(p.entry->key, spec, *ValueOrThrow(reader->ReadSlice(p.entry->key, spec)).rep()));
  }
  ThrowIfError(writer->Finish());
}

}  // namespace

TEST_CASE("TensorFlow's checkpoints are written again byte for byte") {
  for (const char* prefix : {"every_dtype/all", "object_adam/ckpt-6", "object_momentum_slots/ckpt-6", "object_legacy_slots/ckpt-6",
                             "object_keras3/weights", "tf1_partitioned/model.ckpt-7", "tf1_saver/model.ckpt-7"}) {
    INFO(prefix);
    const TemporaryFolder folder;
    Rewrite(kFolder + prefix, folder / "made/again");
    CHECK(Bytes(folder / "made/again.index") == Bytes(kFolder + prefix + ".index"));
    CHECK(Bytes(folder / "made/again.data-00000-of-00001") == Bytes(kFolder + prefix + ".data-00000-of-00001"));
  }
}

TEST_CASE("a checkpoint under a prefix is replaced, again and again") {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) {
    Save(folder / "c", {{"a", Tensor(i)}});
    CHECK(Open(folder / "c")->Read("a")->item<int>() == i);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 2);
  }
}

TEST_CASE("parts of partitioned tensors") {
  const auto reader = Open(kFolder + "tf1_partitioned/model.ckpt-7");
  const Tensor rows = *reader->Read("rows");
  REQUIRE(rows.shape() == Shape{10, 3});
  const ShapeAndSlice spec = **ParseShapeAndSlice("10 3 2,6:1,2");
  CHECK(DifferentBits(*reader->ReadSlice("rows", spec), rows.Index({Slice(2, 8), Slice(1, 3)})) == "");
  CHECK(DifferentBits(*reader->ReadSlice("whole", **ParseShapeAndSlice("3 1,2")), reader->Read("whole")->Index({Slice(1, 3)})) == "");
  CHECK(TextOf(reader->ReadSlice("rows", **ParseShapeAndSlice("10 4 2,6:1,2")).status()) ==
        kFolder + "tf1_partitioned/model.ckpt-7.index: entry \"rows\" is [10,3], a slice of [10,4] is asked for");

  const TemporaryFolder folder;
  auto writer = ValueOrThrow(BundleWriter::Create(folder / "c"));
  const ShapeAndSlice half = **ParseShapeAndSlice("4 0,2");
  CHECK(writer->AddSlice("v", half, *Tensor({1, 2}).rep()).ok());
  CHECK(TextOf(writer->AddSlice("v", half, *Tensor({1, 2}).rep())) == "entry \"v\": there is one of that name and slice already");
  CHECK(TextOf(writer->AddSlice("v", **ParseShapeAndSlice("5 2,2"), *Tensor({1, 2}).rep())) ==
        "entry \"v\": the parts differ in dtype or full shape, or it is there as a whole");
  CHECK(TextOf(writer->AddSlice("w", half, *Tensor({1, 2, 3}).rep())) == "entry \"w\": the tensor is [3], its slice 0,2 of [4] is [2]");
  CHECK(writer->AddSlice("s", **ParseShapeAndSlice("2 -"), *Tensor({"x", "y"}).rep()).ok());
  CHECK(writer->Finish().ok());
  CHECK(TextOf(Open(folder / "c")->Read("v").status()) == folder / "c.index: entry \"v\": its parts cover 2 of 4 elements");
  CHECK(Open(folder / "c")->Read("s")->ToString() == "[b'x' b'y']");
}

TEST_CASE("checkpoints are joined") {
  const TemporaryFolder folder;
  Save(folder / "a/part", {{"x", Tensor({1, 2})}});
  Save(folder / "b/part", {{"y", Tensor(3.5)}});
  const std::string parts[] = {folder / "a/part", folder / "missing/part", folder / "b/part"};
  CHECK(TextOf(MergeBundles(parts, folder / "all", {})) == folder / "missing/part.index: cannot be opened: No such file or directory");
  REQUIRE(MergeBundles(parts, folder / "all", {.allow_missing_files = true}).ok());
  const auto all = Open(folder / "all");
  CHECK(all->num_shards() == 2);
  CHECK(all->Read("x")->ToString() == "[1 2]");
  CHECK(all->Read("y")->item<float>() == 3.5f);
  CHECK(!std::filesystem::exists(folder / "a"));
  Save(folder / "c", {{"x", Tensor(1)}});
  const std::string twice[] = {folder / "all", folder / "c"};
  CHECK(TextOf(MergeBundles(twice, folder / "d", {})) == folder / "c: entry \"x\" is in another part too");
}

TEST_CASE("what cannot be saved or found") {
  const TemporaryFolder folder;
  auto writer = ValueOrThrow(BundleWriter::Create(folder / "c"));
  CHECK(writer->Add("a", *Tensor(1).rep()).ok());
  CHECK(TextOf(writer->Add("a", *Tensor(1).rep())) == "entry \"a\": there is one of that name already");
  CHECK(TextOf(writer->Add("", *Tensor(1).rep())) == "a checkpoint's entry needs a name");
  CHECK(TextOf(writer->Add("h", *Variable(1.).handle().rep())) == "entry \"h\": a resource handle cannot be saved");
  CHECK(TextOf(BundleReader::Open(folder / "c").status()) == folder / "c.index: cannot be opened: No such file or directory");
  CHECK(writer->Finish().ok());
  CHECK(TextOf(Open(folder / "c")->Read("b").status()) == folder / "c.index: there is no entry \"b\"");
}

}  // namespace tandem
