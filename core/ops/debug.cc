#include "core/ops/debug.h"

#include "core/gradient.h"

namespace tandem {
namespace {

absl::Status InferAssert(InferContext& c) { return c.InputOfRank(0, 0).status(); }
absl::Status InferPrintV2(InferContext& c) {
  const auto stream = c.attr<std::string_view>("output_stream");
  bool known = stream.starts_with("file://");
  for (std::string_view s : {"stderr", "stdout", "log(info)", "log(warning)", "log(error)"}) known = known || stream == s;
  if (!known)
    return c.Error("attribute output_stream is \"", std::string(stream), "\", must be stderr, stdout, log(info), log(warning), log(error) or file://PATH");
  return c.InputOfRank(0, 0).status();
}

absl::Status InferStringFormat(InferContext& c) {
  const std::string text(c.attr<std::string_view>("template")), placeholder(c.attr<std::string_view>("placeholder"));
  if (placeholder.empty()) return c.Error("attribute placeholder must not be empty");
  int places = 0;
  for (size_t at = 0; (at = text.find(placeholder, at)) != text.npos; at += placeholder.size()) ++places;
  if (places != c.num_inputs()) return c.Error("the template has ", places, " placeholders, for ", c.num_inputs(), " inputs");
  return c.Output({});
}

Tensors PrintGradient(const Recorded& op, const Tensor& dy) {
  Tensors dx(op.num_inputs());
  dx[0] = dy;
  return dx;
}

// The gradient is checked too, and says so.
Tensors CheckNumericsGradient(const Recorded& op, const Tensor& dy) {
  return {CheckNumerics(dy, absl::StrCat("Not a number (NaN) or infinity (Inf) values detected in gradient. ",
                                         std::string(op.attr<std::string_view>("message"))))};
}

}  // namespace

OpSchema AssertSchema() {
  return OpSchema("Assert", "Fails with the data when condition is false.")
      .Signature("condition:bool, data:list(T)", "", "T:list(type)>=1; summarize:int=3")
      .Traits(kStateful | kSideEffect | kMayFail)
      .Infer(InferAssert).NotDifferentiable("it has no output");
}
OpSchema CheckNumericsSchema() {
  return OpSchema("CheckNumerics", "The input; fails when an element is NaN or infinite.")
      .Signature("tensor:T", "output:T", "T:type{bfloat16,half,float,double}; message:string")
      .Traits(kStateful | kAlias | kMayFail)
      .Infer(InferSameAsInput).Gradient(CheckNumericsGradient).GradientReads("");
}
OpSchema StringFormatSchema() {
  return OpSchema("StringFormat", "The template with each placeholder replaced by the text of an input.")
      .Signature("inputs:list(T)", "output:string", "T:list(type)>=0; template:string=\"%s\"; placeholder:string=\"%s\"; summarize:int=3")
      .Infer(InferStringFormat).NotDifferentiable("its value is a string");
}
OpSchema PrintV2Schema() {
  return OpSchema("PrintV2", "Writes a string to a stream.")
      .Signature("input:string", "", "output_stream:string=\"stderr\"; end:string=\"\\n\"")
      .Traits(kStateful | kSideEffect)
      .Infer(InferPrintV2).NotDifferentiable("it has no output");
}
OpSchema PrintSchema() {
  return OpSchema("Print", "The input; writes message and data to stderr.")
      .Signature("input:T, data:list(U)", "output:T", "T:type; U:list(type)>=0; message:string=\"\"; first_n:int=-1; summarize:int=3")
      .Traits(kStateful | kSideEffect | kAlias)
      .Infer(InferSameAsInput).Gradient(PrintGradient).GradientReads("");
}

void Assert(const Tensor& condition, const Tensors& data, SummarizeOptions options, Origin origin) {
  Tensors inputs = {condition};
  inputs.insert(inputs.end(), data.begin(), data.end());
  RunMany(Op<"Assert">(), inputs, {options.summarize}, origin);
}
Tensor CheckNumerics(const Tensor& x, std::string_view message, Origin origin) {
  return Run(Op<"CheckNumerics">(), {x}, {message}, origin);
}
Tensor StringFormat(std::string_view text, const Tensors& inputs, const StringFormatOptions& options, Origin origin) {
  return RunList(Op<"StringFormat">(), inputs, {text, options.placeholder, options.summarize}, origin);
}
void PrintV2(const Tensor& text, const PrintV2Options& options, Origin origin) {
  RunMany(Op<"PrintV2">(), {&text, 1}, {options.output_stream, options.end}, origin);
}
Tensor Print(const Tensor& input, const Tensors& data, const PrintOptions& options, Origin origin) {
  Tensors inputs = {input};
  inputs.insert(inputs.end(), data.begin(), data.end());
  return RunList(Op<"Print">(), inputs, {options.message, options.first_n, options.summarize}, origin);
}

}  // namespace tandem
