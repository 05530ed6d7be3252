// Contraction fusion: MatMul or Conv2D and the bias, residual and activation that follow it become one node, where the
// fused kernel is known to give the same bits (core/epilogues.h).
#include "core/epilogues.h"
#include "graph/passes/passes.h"
#include "graph/placement.h"

namespace tandem {
namespace {

struct Chain {
  std::vector<int32_t> nodes;        // the contraction first
  std::vector<std::string> ops;
  absl::InlinedVector<TensorId, 2> args;
  float alpha = 0.2f;                // LeakyRelu's default
};

class Contractions {
 public:
  explicit Contractions(Rewriter& rw) : rw_(rw) {}

  void Run() {
    for (int32_t id = 0, n = rw_.graph().size(); id < n; ++id) {
      const OpId op = rw_.node(id).op;
      if (rw_.is_feed(id) || DeviceOfNode(rw_.node(id))) continue;  // epilogues are the CPU's
      if (op == Op<"MatMul">()) Fuse(id, Contraction::kMatMul, Op<"FusedMatMul">());
      else if (op == Op<"Conv2D">()) Fuse(id, Contraction::kConv2D, Op<"FusedConv2D">());
      if (stopped_) return;
    }
  }

 private:
  void Fuse(int32_t id, Contraction kind, OpId fused) {
    const DType dtype = rw_.node(id).outputs[0].dtype;
    if (!(fused_types(fused) >> static_cast<int>(dtype) & 1)) return;
    Chain chain;
    chain.nodes = {id};
    const bool nchw = kind == Contraction::kConv2D && rw_.node(id).attr("data_format").get<std::string_view>() == "NCHW";
    for (bool closed = false; !closed;) {
      const int32_t last = chain.nodes.back();
      const int32_t reader = rw_.OnlyReader({last, 0});
      if (reader < 0) {
        if (rw_.is_fetched({last, 0}) && rw_.CountReaders({last, 0}) > 1) Miss(chain, "its result is also fetched");
        break;
      }
      if (!Append(chain, reader, kind, dtype, nchw, &closed)) break;
    }
    if (chain.nodes.size() > 1) Emit(chain, fused, kind);
  }

  static uint64_t fused_types(OpId fused) {
    const OpSchema& schema = GetOp(fused);
    return schema.attrs()[schema.FindAttr("T")].allowed_types;
  }

  // Adds `reader` to the chain when it is an epilogue of what the chain computes so far.
  bool Append(Chain& chain, int32_t reader, Contraction kind, DType dtype, bool nchw, bool* closed) {
    const Node& node = rw_.node(reader);
    const TensorId x{chain.nodes.back(), 0};
    if (!node.controls.empty() || node.outputs.size() != 1 || rw_.node(x.node).device() != node.device()) return false;
    const Shape& shape = rw_.graph().output(x).shape;
    const std::string_view op = OpName(node.op);
    if (node.op == Op<"BiasAdd">()) {
      if (node.inputs[0] != x || (node.attr("data_format").get<std::string_view>() == "NCHW") != nchw) return false;
      return Take(chain, reader, "BiasAdd", node.inputs[1], kind, dtype);
    }
    if (node.op == Op<"AddV2">() || node.op == Op<"Add">()) {
      const TensorId other = node.inputs[0] == x ? node.inputs[1] : node.inputs[0];
      if (other == x || !shape.known_rank()) return false;
      const Shape& addend = rw_.graph().output(other).shape;
      // A vector along the last axis is a bias; anything else must have the very shape of the result.
      if (!nchw && addend.rank() == 1 && addend[0] > 0 && addend[0] == shape.back()) return Take(chain, reader, "BiasAdd", other, kind, dtype);
      if (addend.fully_known() && addend == shape) return Take(chain, reader, "Add", other, kind, dtype);
      Miss(chain, absl::StrCat("the addend ", addend.ToString(), " is neither a bias nor of the shape ", shape.ToString()));
      return false;
    }
    if (node.inputs.size() != 1 || !EpilogueIsExact(kind, op, dtype)) return false;
    if (node.op == Op<"LeakyRelu">()) chain.alpha = node.attr("alpha").get<float>();
    chain.nodes.push_back(reader);
    chain.ops.emplace_back(op);
    *closed = true;
    return true;
  }

  bool Take(Chain& chain, int32_t reader, const char* op, TensorId arg, Contraction kind, DType dtype) {
    if (!EpilogueIsExact(kind, op, dtype)) return false;
    chain.nodes.push_back(reader);
    chain.ops.emplace_back(op);
    chain.args.push_back(arg);
    return true;
  }

  void Miss(const Chain& chain, std::string why) {
    if (rw_.logging()) rw_.NearMiss("fuse", {&chain.nodes.back(), 1}, absl::StrCat(std::string(OpName(rw_.node(chain.nodes.back()).op)), " not fused: ", why));
  }

  void Emit(const Chain& chain, OpId fused, Contraction kind) {
    const Node& contraction = rw_.node(chain.nodes.front());
    absl::InlinedVector<TensorId, 2> inputs = contraction.inputs;
    inputs.insert(inputs.end(), chain.args.begin(), chain.args.end());
    // The contraction's own attributes by name, then the fused ones.
    absl::InlinedVector<AttrValue, 1> attrs;
    for (const OpAttr& attr : GetOp(fused).attrs()) {
      if (attr.explicit_index < 0) continue;
      if (attr.name == "fused_ops") attrs.push_back(AttrValue(AttrRef(chain.ops)));
      else if (attr.name == "leakyrelu_alpha") attrs.push_back(AttrValue(AttrRef(chain.alpha)));
      else if (const int own = contraction.schema().FindAttr(attr.name); own >= 0) attrs.push_back(contraction.attrs[contraction.schema().attrs()[own].explicit_index]);
      else attrs.push_back(attr.default_value);
    }
    if (!rw_.Begin("fuse", chain.nodes)) {
      stopped_ = true;
      return;
    }
    const int32_t last = chain.nodes.back();
    int64_t bytes = 0;
    if (const auto n = rw_.node(last).outputs[0].shape.num_elements())
      bytes = 2 * static_cast<int64_t>(chain.ops.size()) * *n * static_cast<int64_t>(DTypeSize(rw_.node(last).outputs[0].dtype));
    const auto made = rw_.AddFused(fused, chain.nodes, "fused", std::move(inputs), std::move(attrs));
    if (!made.ok()) {
      rw_.End(std::string(made.status().message()));
      return;
    }
    const int32_t first = chain.nodes.front();
    rw_.Redirect({last, 0}, {*made, 0});
    rw_.MoveControls(last, *made);
    rw_.MoveControls(first, *made);
    rw_.End(absl::StrCat(kind == Contraction::kMatMul ? "MatMul" : "Conv2D", " with its epilogue"), bytes);
  }

  Rewriter& rw_;
  bool stopped_ = false;
};

}  // namespace

void FuseContractions(Rewriter& rw) { Contractions(rw).Run(); }

}  // namespace tandem
