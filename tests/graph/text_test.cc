#include "graph/text.h"

#include <catch2/catch.hpp>

#include "graph/graph.h"
#include "tandem.h"

namespace tandem {
namespace {

std::string Again(const std::string& text) {
  auto parsed = ParseGraphText(text);
  INFO(parsed.status().ToString());
  REQUIRE(parsed.ok());
  return PrintGraph(parsed->graph, {.fetches = parsed->fetches});
}
std::string ErrorOf(const std::string& text) { return std::string(ParseGraphText(text).status().message()); }

}  // namespace

TEST_CASE("what is printed reads back as the same text") {
  const std::string text =
      "x = Placeholder() : float32[?,4]\n"
      "w = Placeholder() : float32[4,2]\n"
      "start = NoOp()\n"
      "m = MatMul(x, w, ^start) @\"/cpu:0\"\n"
      "t = MatMul(x, m) {transpose_a=true}\n"
      "scope/y = AddV2(m, [1.,2.5])   # fetch\n"
      "both = IdentityN(m, scope/y)\n"
      "z = Mul(both:1, [[2.]])\n";
  CHECK(Again(text) == text);
}

TEST_CASE("constants of every dtype") {
  for (const char* literal : {"2", "[1,-2]", "2.5", "[[1.,2.],[3.,nan]]", "1e+10", "true", "[true,false]", "\"a\\\"b\"", "int64([1,2])", "float64(0.1)",
                              "uint8([255])", "float16(1.5)", "bfloat16([1.,-inf])", "complex64(1.|-2.)", "float32[0,3]{}", "string[0]{}"}) {
    const std::string text = std::string("c = Const(") + literal + ")\n";
    CHECK(Again(text) == text);
  }
}

TEST_CASE("lines may stand in any order, and comments mark fetches and targets") {
  const auto parsed = ParseGraphText(R"(
      y = Identity(x)     # fetch
      n = NoOp(^y)        # target
      x = Placeholder() : float32
  )");
  REQUIRE(parsed.ok());
  REQUIRE(parsed->fetches.size() == 1);
  CHECK(parsed->graph.TensorName(parsed->fetches[0]) == "y:0");
  REQUIRE(parsed->targets.size() == 1);
  CHECK(parsed->graph.node(parsed->targets[0]).name == "n");
  CHECK(!parsed->graph.node(2).outputs[0].shape.known_rank());
}

TEST_CASE("types may be written anywhere, and must be right") {
  CHECK(ParseGraphText("x = Placeholder() : float32[2]\ny = Identity(x) : float32[2]").ok());
  CHECK(ErrorOf("x = Placeholder() : float32[2]\ny = Identity(x) : float32[3]") == "line 2: the type is float32[2], not float32[3]");
  CHECK(ErrorOf("x = Placeholder() : float32[2]\ny = Identity(x) : int32[2]") == "line 2: the type is float32[2], not int32[2]");
}

TEST_CASE("errors name the line") {
  CHECK(ErrorOf("y = Frobnicate(x)") == "line 1: there is no op \"Frobnicate\"");
  CHECK(ErrorOf("\ny = Identity(x)") == "line 2: input \"x\" is not there");
  CHECK(ErrorOf("y Identity(x)") == "line 1: expected = at \"Identity(x)\"");
  CHECK(ErrorOf("y = Identity(2") == "line 1: expected , or ) at the end of the line");
  CHECK(ErrorOf("y = Identity([[1],[1,2]])") == "line 1: a ragged literal: 1 and 2 elements");
  CHECK(ErrorOf("y = Identity(2) {T=3}").starts_with("line 1: attribute T: "));
  CHECK(ErrorOf("y = Identity(2) {axis=3}") == "line 1: Identity has no attribute \"axis\"");
  CHECK(ErrorOf("y = Const(2)\ny = Const(3)") == "line 2: a second node \"y\"");
  CHECK(ErrorOf("a = Identity(b)\nb = Identity(a)") == "the graph has a cycle: \"a\" <- \"b\" <- \"a\"");
  CHECK(ErrorOf("x = Placeholder()") == "line 1: Placeholder: attribute dtype is missing and has no default");
  CHECK(ErrorOf("y = MatMul([[1.]], [[1.,2.],[3.,4.]])") ==
        "line 1: MatMul: inner dimensions differ: a is [1,1] (dim 1 = 1), b is [2,2] (dim 0 = 2); node \"y\"");
}

TEST_CASE("options print constants as nodes, and every type") {
  const auto parsed = ParseGraphText("y = AddV2([1.,2.], 3.)");
  REQUIRE(parsed.ok());
  CHECK(PrintGraph(parsed->graph, {.inline_constants = false, .types = true}) ==
        "y/Const_0 = Const([1.,2.])\ny/Const_1 = Const(3.)\ny = AddV2(y/Const_0, y/Const_1) : float32[2]\n");
}

TEST_CASE("a recorded graph prints") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {-1, 2}, "x");
  Identity(x * Tensor({1.f, 2.f}), "y");
  CHECK(graph.ToString() == "x = Placeholder() : float32[?,2]\nMul = Mul(x, [1.,2.])\ny = Identity(Mul)\n");
}

}  // namespace tandem
