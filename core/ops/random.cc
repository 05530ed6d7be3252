#include "core/ops/random.h"

#include "core/context.h"
#include "core/infer.h"
#include "core/ops/math.h"
#include "core/ops/shape_value.h"

namespace tandem {
namespace {

absl::Status InferRandom(InferContext& c) {
  ASSIGN_OR_RETURN(Shape shape, ShapeFromValue(c, 0));
  return c.Output(std::move(shape));
}

absl::Status InferUniformInt(InferContext& c) {
  RETURN_IF_ERROR(c.InputOfRank(1, 0).status());
  RETURN_IF_ERROR(c.InputOfRank(2, 0).status());
  return InferRandom(c);
}

absl::Status InferKeyCounter(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape seed, c.InputOfRank(0, 1));
  if (!Compatible(seed[0], 2)) return c.Error("seed must have 2 elements, is ", seed.ToString());
  RETURN_IF_ERROR(c.Output(0, {1}));
  return c.Output(1, {2});
}

absl::Status InferStateless(InferContext& c) {
  ASSIGN_OR_RETURN(const Shape key, c.InputOfRank(1, 1));
  if (!Compatible(key[0], 1)) return c.Error("key must have 1 element, is ", key.ToString());
  ASSIGN_OR_RETURN(const Shape counter, c.InputOfRank(2, 1));
  if (counter[0] >= 0 && counter[0] < 2) return c.Error("counter must have 2 elements, is ", counter.ToString());
  RETURN_IF_ERROR(c.InputOfRank(3, 0).status());
  return InferRandom(c);
}

constexpr const char* kStatefulAttrs = "seed:int=0; seed2:int=0; dtype:type{half,bfloat16,float,double}; T:type{int32,int64}";
constexpr const char* kStatelessAttrs = "dtype:type=float{half,bfloat16,float,double}; Tshape:type=int32{int32,int64}";

OpSchema Stateful(const char* name, const char* documentation) {
  return OpSchema(name, documentation)
      .Signature("shape:T", "output:dtype", kStatefulAttrs)
      .Traits(kStateful | kRandom | kMayFail)
      .KernelType("dtype")
      .Infer(InferRandom).NotDifferentiable("random numbers depend on no input");
}
OpSchema Stateless(const char* name, const char* documentation) {
  return OpSchema(name, documentation)
      .Signature("shape:Tshape, key:uint64, counter:uint64, alg:int32", "output:dtype", kStatelessAttrs)
      .Traits(kMayFail)
      .KernelType("dtype")
      .Infer(InferStateless).NotDifferentiable("the numbers are no smooth function of the seed");
}

Tensor RunStateful(OpId op, const Ints& shape, const RandomOptions& options, Origin origin) {
  const OpSeeds seeds = CurrentContext().base().random_seeds().Next(options.seed);
  return Run(op, {shape.tensor()}, {seeds.seed, seeds.seed2, options.dtype}, origin);
}

Tensor RunStateless(OpId op, const Ints& shape, const Tensor& seed, DType dtype, Origin origin) {
  const Tensors key = RunMany(Op<"StatelessRandomGetKeyCounter">(), {&seed, 1}, {}, origin);
  constexpr int32_t kAutoSelect = 3;
  return Run(op, {shape.tensor(), key[0], key[1], Tensor(kAutoSelect)}, {dtype}, origin);
}

// x * scale + shift.
Tensor Affine(const Tensor& x, const Operand& scale, const Operand& shift) { return Add(Mul(x, scale), shift); }

}  // namespace

OpSchema RandomUniformSchema() { return Stateful("RandomUniform", "Random numbers, uniform in [0, 1)."); }
OpSchema RandomStandardNormalSchema() { return Stateful("RandomStandardNormal", "Random numbers of mean 0 and standard deviation 1."); }
OpSchema TruncatedNormalSchema() { return Stateful("TruncatedNormal", "Standard normal random numbers; those beyond 2 are drawn again."); }
OpSchema RandomUniformIntSchema() {
  return OpSchema("RandomUniformInt", "Random integers in [minval, maxval).")
      .Signature("shape:T, minval:Tout, maxval:Tout", "output:Tout", "seed:int=0; seed2:int=0; Tout:type{int32,int64}; T:type{int32,int64}")
      .Traits(kStateful | kRandom | kMayFail)
      .KernelType("Tout")
      .Infer(InferUniformInt).NotDifferentiable("values are integers");
}
OpSchema StatelessRandomGetKeyCounterSchema() {
  return OpSchema("StatelessRandomGetKeyCounter", "Key and counter of the Philox generator for a seed of two numbers.")
      .Signature("seed:Tseed", "key:uint64, counter:uint64", "Tseed:type=int64{int32,int64}")
      .Infer(InferKeyCounter).NotDifferentiable("values are integers");
}
OpSchema StatelessRandomUniformV2Schema() { return Stateless("StatelessRandomUniformV2", "Numbers uniform in [0, 1), a function of key and counter."); }
OpSchema StatelessRandomNormalV2Schema() { return Stateless("StatelessRandomNormalV2", "Standard normal numbers, a function of key and counter."); }

Tensor RandomUniform(const Ints& shape, RandomOptions options, Origin origin) {
  return RunStateful(Op<"RandomUniform">(), shape, options, origin);
}
Tensor RandomUniform(const Ints& shape, Operand minval, Operand maxval, RandomOptions options) {
  const Tensor low = ToTensor(minval, options.dtype);
  return Affine(RunStateful(Op<"RandomUniform">(), shape, options, minval.origin()), Sub(maxval, low), low);
}
Tensor RandomUniformInt(const Ints& shape, Operand minval, Operand maxval, std::optional<int64_t> seed) {
  const OpSeeds seeds = CurrentContext().base().random_seeds().Next(seed);
  return Run(Op<"RandomUniformInt">(), {shape.tensor(), minval, maxval}, {seeds.seed, seeds.seed2}, minval.origin());
}
Tensor RandomNormal(const Ints& shape, RandomOptions options, Origin origin) {
  return RunStateful(Op<"RandomStandardNormal">(), shape, options, origin);
}
Tensor RandomNormal(const Ints& shape, Operand mean, Operand stddev, RandomOptions options) {
  return Affine(RunStateful(Op<"RandomStandardNormal">(), shape, options, mean.origin()), stddev, mean);
}
Tensor TruncatedNormal(const Ints& shape, RandomOptions options, Origin origin) {
  return RunStateful(Op<"TruncatedNormal">(), shape, options, origin);
}
Tensor TruncatedNormal(const Ints& shape, Operand mean, Operand stddev, RandomOptions options) {
  return Affine(RunStateful(Op<"TruncatedNormal">(), shape, options, mean.origin()), stddev, mean);
}
Tensor StatelessRandomUniform(const Ints& shape, const Tensor& seed, DType dtype, Origin origin) {
  return RunStateless(Op<"StatelessRandomUniformV2">(), shape, seed, dtype, origin);
}
Tensor StatelessRandomNormal(const Ints& shape, const Tensor& seed, DType dtype, Origin origin) {
  return RunStateless(Op<"StatelessRandomNormalV2">(), shape, seed, dtype, origin);
}

}  // namespace tandem
