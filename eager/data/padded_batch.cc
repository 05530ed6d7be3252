#include <algorithm>

#include "core/device_memory.h"
#include "core/ops/cast.h"
#include "eager/data/node.h"
#include "eager/data/stages.h"

namespace tandem::data::internal {
namespace {

// Copies the elements of `from` into the corner of a block of shape `dims` at `to`.
void CopyIntoCorner(const TensorRep& from, std::span<const int64_t> dims, void* to) {
  if (from.count == 0) return;
  const int rank = from.rank;
  if (rank == 0) return CopyElements(from.dtype, from.data, to, 1);
  const int64_t width = from.dims()[rank - 1];
  std::vector<int64_t> at(rank, 0);
  for (int64_t done = 0; done < from.count; done += width) {
    int64_t offset = 0;
    for (int k = 0; k < rank; ++k) offset = offset * dims[k] + at[k];
    CopyElements(from.dtype, ElementAt(from.dtype, from.data, done), ElementAt(from.dtype, to, offset), width);
    for (int k = rank - 2; k >= 0 && ++at[k] == from.dims()[k]; --k) at[k] = 0;
  }
}

void Fill(TensorRep& out, const Tensor& value) {
  for (int64_t i = 0; i < out.count; ++i) CopyElements(out.dtype, value.rep()->data, ElementAt(out.dtype, out.data, i), 1);
}

class PaddedBatchIterator : public ElementIterator {
 public:
  PaddedBatchIterator(IteratorPtr input, int64_t size, const PaddedBatchOptions& options) : input_(std::move(input)), size_(size), options_(options) {}
  bool Next(Tensors& out) override {
    Tensors element;
    while (static_cast<int64_t>(elements_.size()) < size_ && input_->Next(element)) {
      for (Tensor& t : element) t = OnHost(t);
      elements_.push_back(std::move(element));
    }
    const std::vector<Tensors> batch = std::exchange(elements_, {});
    if (batch.empty() || (options_.drop_remainder && static_cast<int64_t>(batch.size()) < size_)) return false;
    const int64_t first = first_;
    first_ += static_cast<int64_t>(batch.size());
    out.resize(batch[0].size());
    for (size_t c = 0; c < out.size(); ++c) out[c] = Pad(batch, c, first);
    return true;
  }

 private:
  Tensor Pad(const std::vector<Tensors>& batch, size_t c, int64_t first) const {
    const TensorRep& head = *batch[0][c].rep();
    Shape wanted = c < options_.padded_shapes.size() ? options_.padded_shapes[c] : Shape(std::vector<int64_t>(head.rank, kUnknownDim));
    Shape shape = wanted;
    for (int k = 0; k < shape.rank(); ++k)
      if (shape[k] < 0) shape[k] = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      const int64_t index = first + static_cast<int64_t>(i);
      if (c >= batch[i].size()) ThrowAt("PaddedBatch", index, "has ", batch[i].size(), " components, others in its batch more");
      const TensorRep& row = *batch[i][c].rep();
      if (row.dtype != head.dtype || row.rank != shape.rank())
        ThrowAt("PaddedBatch", index, "component ", c, " is ", Absl(DTypeName(row.dtype)), row.shape().ToString(), ", wanted ", Absl(DTypeName(head.dtype)), wanted.ToString());
      for (int k = 0; k < row.rank; ++k) {
        if (wanted[k] < 0) shape[k] = std::max(shape[k], row.dims()[k]);
        else if (row.dims()[k] > wanted[k])
          ThrowAt("PaddedBatch", index, "component ", c, " is ", row.shape().ToString(), ", more than padded_shapes ", wanted.ToString());
      }
    }
    Shape out_shape = {static_cast<int64_t>(batch.size())};
    for (const int64_t d : shape) out_shape.push_back(d);
    const Tensor out = NewTensor("PaddedBatch", head.dtype, out_shape);
    if (c < options_.padding_values.size() && options_.padding_values[c].defined()) {
      Tensor value = options_.padding_values[c];
      if (value.dtype() != head.dtype) value = Cast(value, head.dtype);
      Fill(*out.rep(), value);
    } else if (DTypeSize(head.dtype) > 0) {
      std::fill_n(static_cast<char*>(out.rep()->data), out.rep()->bytes(), 0);
    }
    const int64_t block = out.size() / static_cast<int64_t>(batch.size());
    if (block > 0)
      for (size_t i = 0; i < batch.size(); ++i) CopyIntoCorner(*batch[i][c].rep(), shape.dims(), ElementAt(head.dtype, out.rep()->data, static_cast<int64_t>(i) * block));
    return out;
  }

  IteratorPtr input_;
  const int64_t size_;
  const PaddedBatchOptions& options_;
  std::vector<Tensors> elements_;
  int64_t first_ = 0;
};

class PaddedBatchNode : public Node {
 public:
  PaddedBatchNode(NodePtr input, int64_t size, PaddedBatchOptions options) : Node("PaddedBatch", {std::move(input)}), size_(size), options_(std::move(options)) {
    CheckAtLeast(name(), "batch_size", size, 1);
    for (const Shape& shape : options_.padded_shapes)
      if (!shape.known_rank()) ThrowError(InvalidArgument(name(), ": padded_shapes must have known ranks"));
    for (const Tensor& value : options_.padding_values) {
      if (!value.defined()) continue;
      CheckValue(name(), value);
      if (value.rank() != 0) ThrowError(InvalidArgument(name(), ": padding_values must be scalars, one is ", value.shape().ToString()));
    }
  }
  IteratorPtr MakeIterator(const PassContext& context) const override {
    return std::make_unique<PaddedBatchIterator>(input()->MakeIterator(context), size_, options_);
  }

 private:
  int64_t size_;
  PaddedBatchOptions options_;
};

}  // namespace

NodePtr PaddedBatch(NodePtr input, int64_t batch_size, PaddedBatchOptions options) {
  return std::make_shared<PaddedBatchNode>(std::move(input), batch_size, std::move(options));
}

}  // namespace tandem::data::internal
