// Updates of parts of a variable: rows by index, slices by coordinates, strided slices.
#include "core/ops/nd_index.h"
#include "core/infer.h"
#include "core/op.h"

namespace tandem {
namespace {

constexpr char kNumbers[] = "{float,double,int32,uint8,int16,int8,complex64,int64,qint8,quint8,qint32,bfloat16,qint16,quint16,uint16,complex128,half,uint32,uint64}";

absl::Status CheckVariable(const InferContext& c, DType dtype) {
  if (c.rank(0) > 0) return c.Error(c.InputName(0), " must be a scalar, is ", c.input(0).ToString());
  if (c.handle(0) && c.handle(0)->dtype != dtype)
    return c.Error("the variable is ", std::string(DTypeName(c.handle(0)->dtype)), ", asked for ", std::string(DTypeName(dtype)));
  return absl::OkStatus();
}

// updates: indices' dimensions, then the variable's but the first; or one number for all.
absl::Status InferScatter(InferContext& c) {
  RETURN_IF_ERROR(CheckVariable(c, c.dtype(2)));
  if (!c.handle(0) || !c.handle(0)->shape.known_rank() || c.rank(1) < 0 || c.rank(2) < 0) return absl::OkStatus();
  const Shape& variable = c.handle(0)->shape;
  if (variable.rank() == 0) return c.Error("the variable is a scalar, needs rank 1 or more");
  if (c.rank(2) == 0) return absl::OkStatus();
  Shape want = c.input(1);
  for (int i = 1; i < variable.rank(); ++i) want.push_back(variable[i]);
  if (!want.CompatibleWith(c.input(2))) return c.Error("updates must be ", want.ToString(), " (indices' shape, then the variable's but dim 0), is ", c.input(2).ToString());
  return absl::OkStatus();
}

absl::Status InferScatterNd(InferContext& c) {
  RETURN_IF_ERROR(CheckVariable(c, c.dtype(2)));
  return CheckNdUpdates(c, c.handle(0) ? c.handle(0)->shape : Shape::Unknown(), "the variable", 1, 2);
}

absl::Status InferStridedSliceAssign(InferContext& c) {
  RETURN_IF_ERROR(CheckVariable(c, c.dtype(4)));
  for (int i = 1; i <= 3; ++i) RETURN_IF_ERROR(c.InputOfRank(i, 1).status());
  return absl::OkStatus();
}

OpSchema Scatter(std::string name, std::string documentation, std::string_view types = kNumbers) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("resource:resource, indices:Tindices, updates:dtype", "", absl::StrCat("dtype:type", Absl(types), "; Tindices:type{int32,int64}"))
      .Traits(kStateful | kSideEffect | kMayFail)
      .KernelType("dtype")
      .Infer(InferScatter).NotDifferentiable("an assignment has no output");
}

OpSchema ScatterNd(std::string name, std::string documentation) {
  return OpSchema(std::move(name), std::move(documentation))
      .Signature("ref:resource, indices:Tindices, updates:T", "", "T:type; Tindices:type{int32,int64}; use_locking:bool=true; bad_indices_policy:string=\"\"")
      .Traits(kStateful | kSideEffect | kMayFail)
      .KernelType("T")
      .Infer(InferScatterNd).NotDifferentiable("an assignment has no output");
}

}  // namespace

OpSchema ResourceScatterAddSchema() {
  return Scatter("ResourceScatterAdd", "Adds updates to the variable's slices at indices along its first axis; duplicates add up.");
}
OpSchema ResourceScatterSubSchema() {
  return Scatter("ResourceScatterSub", "Subtracts updates from the variable's slices at indices along its first axis; duplicates add up.");
}
OpSchema ResourceScatterMulSchema() {
  return Scatter("ResourceScatterMul", "Multiplies the variable's slices at indices along its first axis by updates; duplicates multiply.");
}
OpSchema ResourceScatterDivSchema() {
  return Scatter("ResourceScatterDiv", "Divides the variable's slices at indices along its first axis by updates; integers round towards zero.");
}
OpSchema ResourceScatterMinSchema() {
  return Scatter("ResourceScatterMin", "Takes the smaller of updates and the variable's slices at indices along its first axis.");
}
OpSchema ResourceScatterMaxSchema() {
  return Scatter("ResourceScatterMax", "Takes the larger of updates and the variable's slices at indices along its first axis.");
}
OpSchema ResourceScatterUpdateSchema() {
  return Scatter("ResourceScatterUpdate", "Puts updates in place of the variable's slices at indices along its first axis; of duplicates the last wins.", "");
}
OpSchema ResourceScatterNdAddSchema() {
  return ScatterNd("ResourceScatterNdAdd", "Adds updates to the variable's slices at coordinates; duplicates add up.");
}
OpSchema ResourceScatterNdSubSchema() {
  return ScatterNd("ResourceScatterNdSub", "Subtracts updates from the variable's slices at coordinates; duplicates add up.");
}
OpSchema ResourceScatterNdMinSchema() {
  return ScatterNd("ResourceScatterNdMin", "Takes the smaller of updates and the variable's slices at coordinates.");
}
OpSchema ResourceScatterNdMaxSchema() {
  return ScatterNd("ResourceScatterNdMax", "Takes the larger of updates and the variable's slices at coordinates.");
}
OpSchema ResourceScatterNdUpdateSchema() {
  return ScatterNd("ResourceScatterNdUpdate", "Puts updates in place of the variable's slices at coordinates; of duplicates the last wins.");
}
OpSchema ResourceStridedSliceAssignSchema() {
  return OpSchema("ResourceStridedSliceAssign", "Puts value in place of a strided slice of the variable.")
      .Signature("ref:resource, begin:Index, end:Index, strides:Index, value:T", "",
                 "T:type; Index:type{int32,int64}; begin_mask:int=0; end_mask:int=0; ellipsis_mask:int=0; new_axis_mask:int=0; shrink_axis_mask:int=0")
      .Traits(kStateful | kSideEffect | kMayFail)
      .KernelType("T")
      .Infer(InferStridedSliceAssign).NotDifferentiable("an assignment has no output");
}

}  // namespace tandem
