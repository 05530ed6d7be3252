#include "eager/data/node.h"

#include <algorithm>
#include <cstring>

#include "core/device_memory.h"
#include "core/dtype.h"
#include "core/parallel.h"
#include "core/resource.h"
#include "core/symbolic.h"
#include "core/variant.h"
#include "eager/data/options.h"

namespace tandem::data::internal {
namespace {

size_t ElementBytes(DType dtype) {
  switch (dtype) {
    case kString: return sizeof(std::string);
    case kResource: return sizeof(ResourceBase*);
    case kVariant: return sizeof(Variant);
    default: return DTypeSize(dtype);
  }
}

[[noreturn, gnu::cold]] void ThrowOutOfMemory(std::string_view stage, DType dtype, const Shape& shape) {
  ThrowError(absl::ResourceExhaustedError(absl::StrCat(Absl(stage), ": no memory for ", Absl(DTypeName(dtype)), shape.ToString())));
}

Tensor View(const Tensor& tensor, std::span<const int64_t> dims, int64_t count, int64_t offset) {
  TensorRep& base = *tensor.rep();
  TensorRep* view = NewView(base, base.dtype, dims, count, count == 0 ? EmptySentinel() : ElementAt(base.dtype, base.data, offset));
  if (!view) ThrowOutOfMemory("Dataset", base.dtype, Shape(dims));
  return Tensor::Adopt(view);
}

}  // namespace

int64_t ElementIterator::Skip(int64_t n) {
  Tensors element;
  int64_t skipped = 0;
  while (skipped < n) {
    try {
      if (!Next(element)) break;
    } catch (...) {  // an element all the same
    }
    ++skipped;
  }
  return skipped;
}

void* ElementAt(DType dtype, const void* data, int64_t i) {
  return const_cast<char*>(static_cast<const char*>(data)) + i * static_cast<int64_t>(ElementBytes(dtype));
}

Tensor Row(const Tensor& tensor, int64_t i) {
  const TensorRep& base = *tensor.rep();
  const int64_t count = base.dims()[0] == 0 ? 0 : base.count / base.dims()[0];
  return View(tensor, base.dims_span().subspan(1), count, i * count);
}

Tensor Rows(const Tensor& tensor, int64_t begin, int64_t end) {
  const TensorRep& base = *tensor.rep();
  const int64_t count = base.dims()[0] == 0 ? 0 : base.count / base.dims()[0];
  Shape shape = base.shape();
  shape[0] = end - begin;
  return View(tensor, shape.dims(), count * (end - begin), begin * count);
}

void CopyElements(DType dtype, const void* from, void* to, int64_t n) {
  switch (dtype) {
    case kString: std::copy_n(static_cast<const std::string*>(from), n, static_cast<std::string*>(to)); break;
    case kVariant: std::copy_n(static_cast<const Variant*>(from), n, static_cast<Variant*>(to)); break;
    case kResource:
      for (int64_t i = 0; i < n; ++i) {
        ResourceBase* r = static_cast<ResourceBase* const*>(from)[i];
        if (r) r->Ref();
        ResourceBase*& slot = static_cast<ResourceBase**>(to)[i];
        if (slot) slot->Unref();
        slot = r;
      }
      break;
    default: std::memcpy(to, from, n * DTypeSize(dtype));
  }
}

Tensor NewTensor(std::string_view stage, DType dtype, const Shape& shape) {
  const auto count = shape.num_elements();
  TensorRep* rep = count ? NewRep(dtype, shape.dims(), *count) : nullptr;
  if (!rep) ThrowOutOfMemory(stage, dtype, shape);
  return Tensor::Adopt(rep);
}

Tensors Stack(std::string_view stage, int64_t first, std::span<Tensors> elements) {
  const Tensors& head = elements[0];
  Tensors out(head.size());
  for (size_t c = 0; c < head.size(); ++c) {
    for (Tensors& element : elements)
      if (c < element.size()) element[c] = OnHost(element[c]);
    const TensorRep& like = *head[c].rep();
    Shape shape = {static_cast<int64_t>(elements.size())};
    for (const int64_t d : like.dims_span()) shape.push_back(d);
    out[c] = NewTensor(stage, like.dtype, shape);
    for (size_t i = 0; i < elements.size(); ++i) {
      const int64_t index = first + static_cast<int64_t>(i);
      if (elements[i].size() != head.size()) ThrowAt(stage, index, "has ", elements[i].size(), " components, element ", first, " of its batch has ", head.size());
      const TensorRep& row = *elements[i][c].rep();
      if (row.dtype != like.dtype || !row.SameShape(like)) [[unlikely]]
        ThrowAt(stage, index, "component ", c, " is ", Absl(DTypeName(row.dtype)), row.shape().ToString(), ", of element ", first, " in its batch ",
                Absl(DTypeName(like.dtype)), like.shape().ToString());
      if (like.count > 0) CopyElements(like.dtype, row.data, ElementAt(like.dtype, out[c].rep()->data, static_cast<int64_t>(i) * like.count), like.count);
    }
  }
  return out;
}

void CheckAtLeast(std::string_view stage, std::string_view argument, int64_t value, int64_t least) {
  if (value < least) ThrowError(InvalidArgument(Absl(stage), ": ", Absl(argument), " is ", value, ", must be at least ", least));
}

void CheckValue(std::string_view stage, const Tensor& tensor) {
  if (!tensor.defined()) ThrowError(InvalidArgument(Absl(stage), ": a tensor is undefined"));
  if (tensor.symbolic()) ThrowError(InvalidArgument(Absl(stage), ": ", tensor.name(), " is symbolic: a dataset holds values"));
}

int NumCalls(std::string_view stage, int num_parallel_calls) {
  if (num_parallel_calls == kAutotune) return std::max(ProcessThreads(), 1);
  CheckAtLeast(stage, "num_parallel_calls", num_parallel_calls, 1);
  return num_parallel_calls;
}

}  // namespace tandem::data::internal
