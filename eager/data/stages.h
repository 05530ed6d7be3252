// The stages behind Dataset<N>, by their number of tensors known to the compiler no more. What dataset.h calls.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/export.h"
#include "eager/data/options.h"
#include "eager/trackable.h"

TANDEM_EXPORT_BEGIN
namespace tandem {
struct ExampleFeature;  // core/example.h
}

namespace tandem::data {

struct CsvField;  // eager/data/sources.h
using Feature = ExampleFeature;

namespace internal {

class Node;
using NodePtr = std::shared_ptr<const Node>;

// User functions. An input element may be moved from; out has whatever size the result has.
using Function = std::function<void(Tensors& in, Tensors& out)>;
using Predicate = std::function<bool(Tensors& in)>;
using DatasetFunction = std::function<NodePtr(Tensors& in)>;
using Generator = std::function<bool(Tensors& out)>;  // copied for each pass

NodePtr TensorSlices(Tensors tensors);
NodePtr OneElement(Tensors tensors);
NodePtr Range(int64_t start, int64_t stop, int64_t step);
NodePtr FromGenerator(Generator generator);
NodePtr TextLine(std::vector<std::string> paths, const FileOptions& options);
NodePtr TFRecord(std::vector<std::string> paths, const FileOptions& options);
NodePtr FixedLengthRecord(std::vector<std::string> paths, int64_t record_bytes, const FixedLengthOptions& options);
NodePtr Csv(std::vector<std::string> paths, std::vector<CsvField> fields, const CsvOptions& options);

NodePtr Zip(std::vector<NodePtr> inputs);
NodePtr Concatenate(NodePtr first, NodePtr second);
NodePtr Map(NodePtr input, Function function, MapOptions options);
NodePtr Interleave(NodePtr input, std::string_view name, DatasetFunction function, InterleaveOptions options);
NodePtr Filter(NodePtr input, Predicate predicate);
NodePtr Shuffle(NodePtr input, int64_t buffer_size, ShuffleOptions options);
NodePtr Repeat(NodePtr input, int64_t count);
NodePtr Batch(NodePtr input, int64_t batch_size, BatchOptions options);
NodePtr PaddedBatch(NodePtr input, int64_t batch_size, PaddedBatchOptions options);
NodePtr Unbatch(NodePtr input);
NodePtr Window(NodePtr input, int64_t size, WindowOptions options);
NodePtr Take(NodePtr input, int64_t count);
NodePtr Skip(NodePtr input, int64_t count);
NodePtr Shard(NodePtr input, int64_t num_shards, int64_t index);
NodePtr Cache(NodePtr input);
NodePtr CacheFile(NodePtr input, std::string path);
NodePtr Prefetch(NodePtr input, int64_t buffer_size);
NodePtr Enumerate(NodePtr input, int64_t start);
NodePtr ParseExample(NodePtr input, std::vector<Feature> features, MapOptions options);

// One iteration over a dataset; what it holds stops with it. One thread at a time.
class Cursor {
 public:
  virtual ~Cursor() = default;
  // The next element; false at the end. Throws what the pipeline throws.
  virtual bool Next(Tensors& out) = 0;
  virtual Tensor Save() const = 0;
  virtual void Restore(const Tensor& state) = 0;
};
// generation: counted as so many-th loop over the dataset; by default one more than the last.
std::shared_ptr<Cursor> MakeCursor(NodePtr node, std::optional<int64_t> generation = std::nullopt);
// Adds the cursor's position to what a checkpoint saves of `state`.
void AddTo(ObjectState& state, std::shared_ptr<Cursor> cursor);
[[noreturn]] void ThrowArity(size_t got, size_t want);

}  // namespace internal
}  // namespace tandem::data
TANDEM_EXPORT_END
