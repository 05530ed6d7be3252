#include "core/iterator.h"

#include "core/variable_storage.h"
#include "kernels/cpu/cpu_kernels.h"

namespace tandem {
namespace {

absl::StatusOr<IteratorResource*> GetIterator(const KernelCall& call, int input) {
  const TensorRep& handle = call.input(input);
  ResourceBase* resource = handle.count == 1 ? handle.as<ResourceBase*>()[0] : nullptr;
  auto* iterator = dynamic_cast<IteratorResource*>(resource);
  if (!iterator) return call.Error("an iterator is expected, the handle holds ", resource ? absl::StrCat("a ", Absl(resource->kind())) : "nothing");
  return iterator;
}

absl::Status Iterator(KernelCall& call) {
  const auto make = [] { return RefPtr<ResourceBase>(new IteratorResource); };
  call.SetOutput(0, MakeHandle(call.env->anonymous_variables()
                                   ? make()
                                   : call.env->resources().LookupOrCreate(call.attr<std::string_view>("container"), call.attr<std::string_view>("shared_name"), make)));
  return absl::OkStatus();
}

absl::Status MakeIterator(KernelCall& call) {
  ASSIGN_OR_RETURN(IteratorResource * iterator, GetIterator(call, 1));
  const VariantValue* value = call.input(0).count == 1 ? call.input(0).as<Variant>()->get() : nullptr;
  const auto* dataset = dynamic_cast<const DatasetVariant*>(value);
  if (!dataset) return call.Error("a dataset is expected, the variant holds ", value ? absl::StrCat("a ", Absl(value->type_name())) : "nothing");
  ASSIGN_OR_RETURN(auto source, dataset->MakeIterator());
  iterator->Start(std::move(source));
  return absl::OkStatus();
}

absl::Status GetNext(KernelCall& call) {
  ASSIGN_OR_RETURN(IteratorResource * iterator, GetIterator(call, 0));
  Tensors element;
  if (const absl::Status status = iterator->Next(&element); !status.ok())
    return absl::Status(status.code(), absl::StrCat(call.schema.name(), ": ", status.message()));
  const auto types = call.attr<std::span<const DType>>("output_types");
  const auto shapes = call.attr<std::span<const Shape>>("output_shapes");
  if (element.size() != types.size()) return call.Error("the element has ", element.size(), " components, declared are ", types.size());
  for (size_t i = 0; i < element.size(); ++i) {
    if (element[i].dtype() != types[i] || !shapes[i].CompatibleWith(element[i].shape()))
      return call.Error("component ", i, " is ", Absl(DTypeName(element[i].dtype())), element[i].shape().ToString(), ", declared is ", Absl(DTypeName(types[i])), shapes[i].ToString());
    call.SetOutput(static_cast<int>(i), std::move(element[i]));
  }
  return absl::OkStatus();
}

}  // namespace

void IteratorV2Cpu(CpuKernel& k) { k.SetAll(Iterator); }
void MakeIteratorCpu(CpuKernel& k) { k.SetAll(MakeIterator); }
void IteratorGetNextCpu(CpuKernel& k) { k.SetAll(GetNext); }

}  // namespace tandem
