#include <algorithm>
#include <charconv>

#include "eager/data/file_iterator.h"
#include "eager/data/sources.h"

namespace tandem::data::internal {
namespace {

// Fields of one file, by RFC 4180: a quoted field may hold delimiters, doubled quotes and line ends.
class CsvReader {
 public:
  CsvReader(std::unique_ptr<ByteSource> source, const std::vector<CsvField>& fields, const CsvOptions& options)
      : source_(std::move(source)), fields_(fields), options_(options), header_(options.header) {}

  absl::StatusOr<bool> Next(Tensors& out) {
    while (true) {
      ASSIGN_OR_RETURN(const bool more, source_->ReadLine(&line_));
      if (!more) return false;
      row_ = ++lines_;
      if (header_) {
        header_ = false;
        continue;
      }
      if (line_.empty() && fields_.size() > 1) continue;
      RETURN_IF_ERROR(Split());
      RETURN_IF_ERROR(Store(out));
      return true;
    }
  }

 private:
  template <class... Args>
  absl::Status Error(const Args&... args) const {
    return InvalidArgument(source_->path(), ": line ", row_, ": ", args...);
  }

  // text_ becomes the fields, joined; ends_ says where each ends.
  absl::Status Split() {
    text_.clear();
    ends_.clear();
    size_t at = 0;
    while (true) {
      if (options_.quotes && at < line_.size() && line_[at] == '"') {
        ++at;
        while (true) {
          const size_t quote = line_.find('"', at);
          if (quote == std::string::npos) {  // goes on in the next line
            text_.append(line_, at);
            text_ += '\n';
            ASSIGN_OR_RETURN(const bool more, source_->ReadLine(&line_));
            if (!more) return Error("a quoted field has no end");
            ++lines_;
            at = 0;
            continue;
          }
          text_.append(line_, at, quote - at);
          at = quote + 1;
          if (at == line_.size() || line_[at] != '"') break;
          text_ += '"';
          ++at;
        }
        if (at < line_.size() && line_[at] != options_.delimiter) return Error("column ", ends_.size(), ": bytes behind the closing quote");
      } else {
        const size_t end = std::min(line_.find(options_.delimiter, at), line_.size());
        text_.append(line_, at, end - at);
        at = end;
      }
      ends_.push_back(text_.size());
      if (at == line_.size()) return absl::OkStatus();
      ++at;  // the delimiter
    }
  }

  absl::Status Store(Tensors& out) {
    const auto& select = options_.select_columns;
    if (select.empty() ? ends_.size() != fields_.size() : static_cast<size_t>(select.back()) >= ends_.size())
      return Error("has ", ends_.size(), ends_.size() == 1 ? " column, " : " columns, ", select.empty() ? "" : "more than ", select.empty() ? static_cast<int64_t>(fields_.size()) : select.back(),
                   " are wanted");
    out.resize(fields_.size());
    for (size_t i = 0; i < fields_.size(); ++i) {
      const size_t column = select.empty() ? i : static_cast<size_t>(select[i]);
      const size_t begin = column == 0 ? 0 : ends_[column - 1];
      RETURN_IF_ERROR(Parse(fields_[i], column, std::string_view(text_).substr(begin, ends_[column] - begin), out[i]));
    }
    return absl::OkStatus();
  }

  absl::Status Parse(const CsvField& field, size_t column, std::string_view text, Tensor& out) const {
    if (text.empty() || (!options_.na_value.empty() && text == options_.na_value)) {
      if (!field.missing.defined()) return Error("column ", column, " is missing and has no default");
      out = field.missing;
      return absl::OkStatus();
    }
    out = NewTensor("Csv", field.dtype, {});
    TensorRep& rep = *out.rep();
    const auto number = [&](auto* to) {
      std::string_view digits = text;
      while (!digits.empty() && (digits.front() == ' ' || digits.front() == '\t')) digits.remove_prefix(1);
      while (!digits.empty() && (digits.back() == ' ' || digits.back() == '\t')) digits.remove_suffix(1);
      if (digits.starts_with('+')) digits.remove_prefix(1);
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), *to);
      return error == std::errc() && end == digits.data() + digits.size() && !digits.empty();
    };
    bool good = true;
    switch (field.dtype) {
      case kString: rep.as<std::string>()->assign(text); break;
      case kInt32: good = number(rep.as<int32_t>()); break;
      case kInt64: good = number(rep.as<int64_t>()); break;
      case kFloat32: good = number(rep.as<float>()); break;
      default: good = number(rep.as<double>()); break;
    }
    if (!good) return Error("column ", column, ": \"", Absl(text), "\" is no ", Absl(DTypeName(field.dtype)));
    return absl::OkStatus();
  }

  std::unique_ptr<ByteSource> source_;
  const std::vector<CsvField>& fields_;
  const CsvOptions& options_;
  bool header_;
  std::string line_, text_;
  std::vector<size_t> ends_;
  int64_t lines_ = 0, row_ = 0;  // lines read; the first one of the present row
};

class CsvNode : public Node {
 public:
  CsvNode(std::vector<std::string> paths, std::vector<CsvField> fields, CsvOptions options)
      : Node("Csv", {}), paths_(std::move(paths)), fields_(std::move(fields)), options_(std::move(options)),
        compression_(ParseCompression("Csv", options_.compression)) {
    for (size_t i = 0; i < fields_.size(); ++i) {
      const DType dtype = fields_[i].dtype;
      if (dtype != kFloat32 && dtype != kFloat64 && dtype != kInt32 && dtype != kInt64 && dtype != kString)
        ThrowError(InvalidArgument("Csv: column ", i, " is ", Absl(DTypeName(dtype)), ", must be float32, float64, int32, int64 or string"));
      if (fields_[i].missing.defined() && fields_[i].missing.rank() != 0)
        ThrowError(InvalidArgument("Csv: the default of column ", i, " must be a scalar, is ", fields_[i].missing.shape().ToString()));
    }
    const auto& select = options_.select_columns;
    if (!select.empty() && select.size() != fields_.size())
      ThrowError(InvalidArgument("Csv: select_columns has ", select.size(), " columns, ", fields_.size(), " are described"));
    for (size_t i = 0; i < select.size(); ++i)
      if (select[i] < 0 || (i > 0 && select[i] <= select[i - 1])) ThrowError(InvalidArgument("Csv: select_columns must ascend from 0 or more"));
  }
  IteratorPtr MakeIterator(const PassContext&) const override {
    return std::make_unique<FileIterator<CsvReader>>(name(), paths_, [this](const std::string& path) -> absl::StatusOr<std::unique_ptr<CsvReader>> {
      ASSIGN_OR_RETURN(auto source, ByteSource::Open(path, compression_));
      return std::make_unique<CsvReader>(std::move(source), fields_, options_);
    });
  }
  std::optional<Components> components() const override {
    Components all;
    for (const CsvField& f : fields_) all.push_back({f.dtype, {}});
    return all;
  }

 private:
  std::vector<std::string> paths_;
  std::vector<CsvField> fields_;
  CsvOptions options_;
  Compression compression_;
};

}  // namespace

NodePtr Csv(std::vector<std::string> paths, std::vector<CsvField> fields, const CsvOptions& options) {
  return std::make_shared<CsvNode>(std::move(paths), std::move(fields), options);
}

}  // namespace tandem::data::internal
