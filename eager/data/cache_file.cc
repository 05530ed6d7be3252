// A cache in a file of records: the first says what it is and how many tensors an element has, then their TensorProtos.
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>

#include "core/record_io.h"
#include "core/tensor_bytes.h"
#include "eager/data/file_iterator.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

constexpr std::string_view kHead = "tandem.data.Cache 1 ";

struct CacheReader {
  std::unique_ptr<RecordReader> reader;
  size_t components;
  std::string record;
  absl::StatusOr<bool> Next(Tensors& out) {
    out.resize(components);
    for (size_t c = 0; c < components; ++c) {
      const int64_t at = reader->record();
      ASSIGN_OR_RETURN(const bool more, reader->Next(&record));
      if (!more && c == 0) return false;
      if (!more) return absl::DataLossError("the cache ends inside an element");
      auto tensor = ParseTensor(record);
      if (!tensor.ok()) return absl::DataLossError(absl::StrCat("record ", at, ": ", tensor.status().message()));
      out[c] = *std::move(tensor);
    }
    return true;
  }
};

absl::StatusOr<std::unique_ptr<CacheReader>> OpenCache(const std::string& path) {
  ASSIGN_OR_RETURN(auto reader, RecordReader::Open(path));
  std::string head;
  ASSIGN_OR_RETURN(const bool more, reader->Next(&head));
  if (!more || !head.starts_with(kHead)) return absl::DataLossError(absl::StrCat(path, ": no cache of a dataset"));
  const int components = std::atoi(head.c_str() + kHead.size());
  if (components < 1) return absl::DataLossError(absl::StrCat(path, ": no cache of a dataset"));
  return std::make_unique<CacheReader>(CacheReader{std::move(reader), static_cast<size_t>(components), {}});
}

// Writes what passes by to a file of its own, which takes the cache's name once the pass is complete.
class WriteIterator : public ElementIterator {
 public:
  WriteIterator(IteratorPtr input, const std::string& path) : input_(std::move(input)), path_(path) {
    static std::atomic<int64_t> number = 0;
    temporary_ = absl::StrCat(path, ".", getpid(), ".", number.fetch_add(1), ".tmp");
  }
  ~WriteIterator() override { GiveUp(); }

  bool Next(Tensors& out) override {
    bool more;
    try {
      more = input_->Next(out);
    } catch (...) {
      GiveUp();  // a pass with an element that failed is not kept
      throw;
    }
    if (!whole_) return more;
    const absl::Status status = more ? Write(out) : Finish();
    if (!status.ok()) {
      GiveUp();
      ThrowError(absl::Status(status.code(), absl::StrCat("Cache: element ", next_, ": ", status.message())));
    }
    next_ += more;
    return more;
  }

 private:
  absl::Status Open(size_t components) {
    ASSIGN_OR_RETURN(writer_, RecordWriter::Open(temporary_));
    return writer_->Write(absl::StrCat(Absl(kHead), components));
  }
  absl::Status Write(const Tensors& element) {
    if (!writer_) RETURN_IF_ERROR(Open(element.size()));
    for (const Tensor& t : element) {
      ASSIGN_OR_RETURN(const std::string bytes, SerializeTensor(t));
      RETURN_IF_ERROR(writer_->Write(bytes));
    }
    return absl::OkStatus();
  }
  absl::Status Finish() {
    if (!writer_) RETURN_IF_ERROR(Open(1));
    whole_ = false;
    RETURN_IF_ERROR(writer_->Close());
    writer_.reset();
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return absl::ErrnoToStatus(errno, path_);
    return absl::OkStatus();
  }
  void GiveUp() {
    whole_ = false;
    if (!writer_) return;
    writer_.reset();
    unlink(temporary_.c_str());
  }

  IteratorPtr input_;
  const std::string& path_;
  std::string temporary_;
  std::unique_ptr<RecordWriter> writer_;
  int64_t next_ = 0;
  bool whole_ = true;
};

class CacheFileNode : public Node {
 public:
  CacheFileNode(NodePtr input, std::string path) : Node("Cache", {std::move(input)}), paths_{std::move(path)} {}
  IteratorPtr MakeIterator(const PassContext& context) const override {
    if (access(paths_[0].c_str(), F_OK) == 0) return std::make_unique<FileIterator<CacheReader>>(name(), paths_, OpenCache);
    return std::make_unique<WriteIterator>(input()->MakeIterator(context), paths_[0]);
  }
  std::optional<Components> components() const override { return input()->components(); }

 private:
  std::vector<std::string> paths_;  // one
};

}  // namespace

NodePtr CacheFile(NodePtr input, std::string path) { return std::make_shared<CacheFileNode>(std::move(input), std::move(path)); }

}  // namespace tandem::data::internal
