// Conditions and loops: values, gradients and errors, eagerly and in graphs.
#include "core/control_flow.h"

#include <catch2/catch.hpp>
#include <functional>

#include "graph/session.h"
#include "tandem.h"
#include "tests/compare.h"
#include "tests/gradient_check.h"
#include "tests/thrown.h"

namespace tandem {
namespace {

Tensor F64(const Shape& shape, std::vector<double> v) { return Tensor::FromData<double>(shape, std::span<const double>(v)); }

const Tensor kX = F64({3, 2}, {1, -2, 0.5, 0.25, -1, 2}), kW = F64({2, 2}, {0.5, -1, 0.25, 0.75}), kC = F64({2}, {0.3, -0.7});

// f(x, w, c) -> one tensor.
struct Program {
  const char* name;
  TensorFunction f;
  bool same_bits = true;  // of the gradients too: false where a captured tensor is read inside and outside of a loop
};

Tensor Steps(const Tensor& x, int n, const std::function<Tensor(const Tensor&)>& step) {
  return While([&](const Tensor& i, const Tensor&) { return i < n; }, [&](const Tensor& i, const Tensor& v) { return Tensors{i + 1, step(v)}; }, {Tensor(0), x})[1];
}

const Program kPrograms[] = {
    {"cond taken", [](const Tensors& in) { return Cond(Sum(in[0]) > 0., [&] { return in[0] * in[0]; }, [&] { return in[0] * 3.; }); }},
    {"cond not taken", [](const Tensors& in) { return Cond(Sum(in[0]) < -100., [&] { return MatMul(in[0], in[1]); }, [&] { return Exp(in[0]) * in[2]; }); }},
    {"cond of lists", [](const Tensors& in) {
       const Tensors r = Cond(in[2][0] > 0., [&] { return Tensors{in[0] * in[2], Sin(in[1])}; }, [&] { return Tensors{in[0], Cos(in[1])}; });
       return Sum(r[0]) * r[1];
     }},
    {"cond reads what it does not differentiate", [](const Tensors& in) { return Cond(in[2][1] < 0., [&] { return in[0] * Floor(in[0] + 0.3); }, [&] { return in[0]; }); }},
    {"cond in a cond", [](const Tensors& in) {
       return Cond(in[2][0] > 0., [&] { return Cond(in[2][1] > 0., [&] { return in[0]; }, [&] { return Square(in[0]) * in[0]; }); }, [&] { return -in[0]; });
     }},
    {"case", [](const Tensors& in) {
       return Case(Tensor(1), std::vector<std::function<Tensor()>>{[&] { return in[0]; }, [&] { return in[0] * in[0] * in[2]; }, [&] { return -in[0]; }});
     }},
    {"case beyond the last", [](const Tensors& in) {
       return Case(Tensor(7), std::vector<std::function<Tensor()>>{[&] { return in[0]; }, [&] { return Exp(in[0]); }});
     }},
    {"powers", [](const Tensors& in) { return Steps(in[0], 3, [&](const Tensor& v) { return v * in[0]; }); }, false},
    {"recurrent net", [](const Tensors& in) { return Steps(in[0], 4, [&](const Tensor& h) { return Tanh(MatMul(h, in[1]) + in[2]); }); }},
    {"no iteration", [](const Tensors& in) { return Steps(in[0], 0, [&](const Tensor& v) { return Exp(v) * in[2]; }) * in[0]; }},
    {"swapped variables", [](const Tensors& in) {
       const Tensors r = While([](const Tensor& i, const Tensor&, const Tensor&) { return i < 3; },
                               [](const Tensor& i, const Tensor& a, const Tensor& b) { return Tensors{i + 1, b * a, Sin(a)}; }, {Tensor(0), in[0], in[0] * in[2]});
       return r[1];
     }},
    {"a variable set anew", [](const Tensors& in) {
       const Tensors r = While([](const Tensor& i, const Tensor&, const Tensor&) { return i < 3; },
                               [&](const Tensor& i, const Tensor& a, const Tensor& s) { return Tensors{i + 1, in[0] * 2., s + a * a}; }, {Tensor(0), in[0], in[0]});
       return r[2];
     }, false},
    {"condition on values", [](const Tensors& in) {
       return While([](const Tensor& v) { return Sum(Square(v)) > 0.1; }, [](const Tensor& v) { return v * 0.5; }, {in[0]})[0];
     }},
    {"maximum_iterations", [](const Tensors& in) {
       return While([](const Tensor& v) { return Sum(Square(v)) > -1.; }, [&](const Tensor& v) { return Sin(v) * in[2]; }, {in[0]}, {.maximum_iterations = 3})[0];
     }},
    {"loop in a loop", [](const Tensors& in) {
       return Steps(in[0], 2, [&](const Tensor& v) { return Steps(v, 3, [&](const Tensor& u) { return Sin(u) * in[2]; }) * v; });
     }, false},
    {"cond in a loop", [](const Tensors& in) {
       return While([](const Tensor& i, const Tensor&) { return i < 5; },
                    [&](const Tensor& i, const Tensor& v) {
                      return Tensors{i + 1, Cond(FloorMod(i, 2) == 0, [&] { return Square(v); }, [&] { return Tanh(MatMul(v, in[1])); })};
                    },
                    {Tensor(0), in[0]})[1];
     }},
    {"loop in a cond", [](const Tensors& in) {
       return Cond(in[2][0] > 0., [&] { return Steps(in[0], 3, [&](const Tensor& v) { return Sin(v) * in[2]; }); }, [&] { return in[0]; });
     }},
    {"map", [](const Tensors& in) { return Map([&](const Tensor& row) { return Sin(row) * in[2]; }, in[0]); }},
    {"map of several", [](const Tensors& in) {
       return Map([](const Tensor& a, const Tensor& b) { return Sum(a * b) * a; }, Tensors{in[0], Exp(in[0])})[0];
     }},
    {"foldl", [](const Tensors& in) { return Foldl([](const Tensor& a, const Tensor& row) { return Sin(a) * row; }, in[0], in[2]); }},
    {"foldr", [](const Tensors& in) { return Foldr([](const Tensor& a, const Tensor& row) { return Sin(a) * row; }, in[0], in[2]); }},
    {"scan", [](const Tensors& in) { return Scan([&](const Tensor& a, const Tensor& row) { return Tanh(a) * row; }, in[0], in[2]); }},
};

struct InGraph {
  Graph graph;
  Tensor y;
  Tensors in, dx;
};

InGraph Build(const Program& p, const Tensors& like, bool tape) {
  InGraph g;
  GraphScope scope(g.graph);
  for (size_t i = 0; i < like.size(); ++i) g.in.push_back(Placeholder(like[i].dtype(), like[i].shape(), "in" + std::to_string(i)));
  if (tape) {
    GradientTape t;
    t.Watch(g.in);
    g.y = p.f(g.in);
    g.dx = t.Gradient(g.y, g.in);
  } else {
    g.y = p.f(g.in);
    g.dx = Gradients(Tensors{g.y}, g.in);
  }
  return g;
}

// An undefined gradient is zeros: a graph cannot know which branch was taken.
Tensor OrZeros(const Tensor& t, const Tensor& like) { return t.defined() ? t : ZerosLike(like); }

bool SameValues(const Tensor& a, const Tensor& b) {
  const auto x = a.data<double>(), y = b.data<double>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end());
}
bool Near(const Tensor& a, const Tensor& b) {
  const auto x = a.data<double>(), y = b.data<double>();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](double u, double v) { return std::abs(u - v) <= 1e-12 * (1 + std::abs(v)); });
}

}  // namespace

TEST_CASE("programs give the same values and gradients in every mode") {
  const Tensors x = {kX, kW, kC};
  for (const Program& p : kPrograms) {
    INFO(p.name);
    GradientTape tape;
    tape.Watch(x);
    const Tensor want = p.f(x);
    const Tensors dx = tape.Gradient(want, x);
    CHECK(GradientDifference(p.f, x) == "");
    for (bool with_tape : {false, true}) {
      INFO((with_tape ? "tape" : "Gradients"));
      const InGraph g = Build(p, x, with_tape);
      for (OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
        INFO((level == OptLevel::kO0 ? "plain" : "optimised"));
        Tensors fetches = {g.y};
        for (const Tensor& d : g.dx)
          if (d.defined()) fetches.push_back(d);
        std::vector<TensorName> names(fetches.begin(), fetches.end());
        const Tensors got = Session(g.graph, {.level = level}).Run({{g.in[0], x[0]}, {g.in[1], x[1]}, {g.in[2], x[2]}}, names);
        CHECK(SameValues(got[0], want));
        size_t next = 1;
        for (size_t i = 0; i < x.size(); ++i) {
          INFO("gradient " << i);
          if (!g.dx[i].defined()) {
            CHECK(!dx[i].defined());
            continue;
          }
          const Tensor& d = got[next++];
          CHECK((p.same_bits ? SameValues(d, OrZeros(dx[i], x[i])) : Near(d, OrZeros(dx[i], x[i]))));
        }
      }
    }
  }
}

TEST_CASE("second derivatives of programs in graphs") {
  const Tensors x = {kX, kW, kC};
  for (const Program& p : kPrograms) {
    INFO(p.name);
    // Of a weighted sum of the first derivatives, eagerly by nested tapes.
    const auto first = [&](const Tensors& in) {
      GradientTape inner;
      inner.Watch(in);
      const Tensor y = p.f(in);
      const Tensors d = inner.Gradient(y, in);
      Tensor sum = Cast(Tensor(0.), kFloat64);
      for (size_t i = 0; i < in.size(); ++i)
        if (d[i].defined()) sum = sum + Sum(d[i] * d[i]);
      return sum;
    };
    GradientTape tape;
    tape.Watch(x);
    const Tensor want = first(x);
    const Tensors dx = tape.Gradient(want, x);
    for (bool with_tape : {false, true}) {
      INFO((with_tape ? "tape" : "Gradients"));
      Graph graph;
      Tensors in, got_dx;
      Tensor y;
      {
        GraphScope scope(graph);
        for (size_t i = 0; i < x.size(); ++i) in.push_back(Placeholder(kFloat64, x[i].shape(), "in" + std::to_string(i)));
        if (with_tape) {
          GradientTape outer;
          outer.Watch(in);
          y = first(in);
          got_dx = outer.Gradient(y, in);
        } else {
          const Tensor out = p.f(in);
          const Tensors d = Gradients(Tensors{out}, in);
          y = Cast(Tensor(0.), kFloat64);
          for (const Tensor& t : d)
            if (t.defined()) y = y + Sum(t * t);
          got_dx = Gradients(Tensors{y}, in);
        }
      }
      Session session(graph);
      CHECK(Near(session.Run({{in[0], x[0]}, {in[1], x[1]}, {in[2], x[2]}}, y), want));
      for (size_t i = 0; i < x.size(); ++i) {
        INFO("gradient " << i);
        if (!got_dx[i].defined()) {
          CHECK(!dx[i].defined());
          continue;
        }
        CHECK(Near(session.Run({{in[0], x[0]}, {in[1], x[1]}, {in[2], x[2]}}, got_dx[i]), OrZeros(dx[i], x[i])));
      }
    }
  }
}

TEST_CASE("variables that a body reads get gradients") {
  const auto train = [](Variable& w, Variable& b, const Tensor& x) {
    return Sum(While([](const Tensor& i, const Tensor&) { return i < 3; },
                     [&](const Tensor& i, const Tensor& h) {
                       return Tensors{i + 1, Cond(i < 2, [&] { return Tanh(MatMul(h, w) + b); }, [&] { return h * b; })};
                     },
                     {Tensor(0), x})[1]);
  };
  Variable w(kW), b(kC);
  GradientTape tape;
  const Tensors want = tape.Gradient(train(w, b, kX), {w, b});
  for (bool with_tape : {false, true}) {
    Graph graph;
    Tensors got;
    {
      GraphScope scope(graph);
      if (with_tape) {
        GradientTape inner;
        got = inner.Gradient(train(w, b, kX), {w, b});
      } else {
        got = Gradients(train(w, b, kX), std::vector<Variable>{w, b});
      }
    }
    for (OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
      Session session(graph, {.level = level});
      CHECK(SameValues(session.Run({}, got[0]), want[0]));
      CHECK(SameValues(session.Run({}, got[1]), want[1]));
    }
  }
}

TEST_CASE("a graph with derivatives of loops is saved and read like any other") {
  const Tensors x = {kX, kW, kC};
  for (const Program& p : kPrograms) {
    INFO(p.name);
    const InGraph g = Build(p, x, false);
    const Graph read = Graph::Parse(g.graph.Serialize());
    for (const Tensor& d : g.dx) {
      if (!d.symbolic()) continue;
      const Tensor want = Session(g.graph).Run({{g.in[0], x[0]}, {g.in[1], x[1]}, {g.in[2], x[2]}}, d);
      CHECK(SameValues(Session(read).Run({{"in0:0", x[0]}, {"in1:0", x[1]}, {"in2:0", x[2]}}, d.name()), want));
    }
  }
}

TEST_CASE("a long loop and its derivative") {
  // 2000 steps: lists of more than one block, pushed and popped.
  const int n = 2000;
  const Tensor x = F64({4}, {0.5, -1, 2, 0.1});
  const auto f = [&](const Tensor& v) { return Steps(v, n, [&](const Tensor& u) { return Sin(u) * 1.01; }); };
  GradientTape tape;
  tape.Watch(x);
  const Tensor want = tape.Gradient(f(x), x);
  Graph graph;
  Tensor in, dx;
  {
    GraphScope scope(graph);
    in = Placeholder(kFloat64, {-1}, "x");
    dx = Gradients(f(in), in);
  }
  Session session(graph);
  CHECK(SameValues(session.Run({{in, x}}, dx), want));
  CHECK(SameValues(session.Run({{in, x}}, dx), want));
}

TEST_CASE("an invariant of a loop that never runs does not fail") {
  Graph graph;
  Tensor n, w, c, y;
  {
    GraphScope scope(graph);
    n = Placeholder(kInt32, {}, "n");
    w = Placeholder(kFloat32, {-1}, "w");
    c = Placeholder(kFloat32, {-1}, "c");
    y = While([&](const Tensor& i, const Tensor&) { return i < n; }, [&](const Tensor& i, const Tensor& v) { return Tensors{i + 1, v + Sum(w * c)}; },
              {Tensor(0), Tensor(1.f)})[1];
  }
  for (OptLevel level : {OptLevel::kO0, OptLevel::kO2}) {
    Session session(graph, {.level = level});
    CHECK(session.Run({{n, 2}, {w, {1.f, 2.f}}, {c, {3.f, 4.f}}}, y).item<float>() == 23.f);
    CHECK(session.Run({{n, 0}, {w, {1.f, 2.f}}, {c, {3.f, 4.f, 5.f}}}, y).item<float>() == 1.f);
    CHECK(Thrown([&] { session.Run({{n, 1}, {w, {1.f, 2.f}}, {c, {3.f, 4.f, 5.f}}}, y); }).find("shapes do not broadcast") != std::string::npos);
  }
}

TEST_CASE("a body assigns to a variable, as the program runs") {
  for (bool in_graph : {false, true}) {
    Variable v(1.f);
    const auto run = [&] {
      return While([](const Tensor& i) { return i < 4; },
                   [&](const Tensor& i) {
                     v.AssignAdd(Cast(i, kFloat32) + v);
                     return i + 1;
                   },
                   {Tensor(0)})[0];
    };
    if (!in_graph) {
      run();
    } else {
      Graph graph;
      Tensor r;
      {
        GraphScope scope(graph);
        r = run();
        Gradients(Cast(r, kFloat32), r);
      }
      Session(graph).Run({}, r);
    }
    CHECK(v.Read().item<float>() == 27.f);  // 1 -> 2 -> 5 -> 12 -> 27
  }
}

TEST_CASE("errors of conditions and loops, the same in both modes") {
  const Tensor x = {1.f, 2.f};
  const auto less = [](const Tensor& i) { return i < 3; };
  struct Row {
    const char* want;
    std::function<void()> call;
    bool eager = true;
  };
  const Row rows[] = {
      {"Cond: pred is float32[2], must be a scalar bool", [&] { Cond(x, [&] { return x; }, [&] { return x; }); }},
      {"Cond: pred is bool[2], must be a scalar bool", [&] { Cond(x > 1.f, [&] { return x; }, [&] { return x; }); }},
      {"Cond: branches disagree: then_branch gives 1 tensor, else_branch gives 2 tensors",
       [&] { Cond(x[0] > 5.f, [&] { return Tensors{x}; }, [&] { return Tensors{x, x}; }); }, false},
      {"Cond: branches disagree: result 0 is float32[2] in then_branch, int32[2] in else_branch",
       [&] { Cond(x[0] > 5.f, [&] { return x; }, [&] { return Cast(x, kInt32); }); }, false},
      {"Case: index is float32[], must be a scalar int32", [&] { Case(x[0], std::vector<std::function<Tensor()>>{[&] { return x; }}); }},
      {"Case: no branches", [&] { Case(Tensor(0), std::vector<std::function<Tensor()>>{}); }},
      {"While: cond is float32[], must be a scalar bool", [&] { While([](const Tensor& v) { return v; }, [](const Tensor& v) { return v; }, {x[0]}); }},
      {"While: cond is bool[2], must be a scalar bool", [&] { While([](const Tensor& v) { return v > 0.f; }, [](const Tensor& v) { return v; }, {x}); }},
      {"While: loop variable 0 is float32[2], the body gives float32[4]",
       [&] { While([](const Tensor& v) { return Sum(v) < 100.f; }, [](const Tensor& v) { return Concat({v, v}, 0); }, {x}); }},
      {"While: loop variable 0 is int32[], the body gives float32[]", [&] { While(less, [](const Tensor& i) { return Cast(i, kFloat32); }, {Tensor(0)}); }},
      {"While: the body takes 1 tensor and gives 2 tensors", [&] { While(less, [](const Tensor& i) { return Tensors{i, i}; }, {Tensor(0)}); }},
      {"While: maximum_iterations is -2, must be at least -1", [&] { While(less, [](const Tensor& i) { return i; }, {Tensor(0)}, {.maximum_iterations = -2}); }},
      {"While: loop variable 0 is int32[], its shape invariant is [2]", [&] { While(less, [](const Tensor& i) { return i; }, {Tensor(0)}, {.shape_invariants = {{2}}}); }},
      {"While: loop variable 0 is an undefined tensor", [&] { While(less, [](const Tensor& i) { return i; }, {Tensor()}); }},
      {"Map: elems 0 is a scalar, which has no slices", [&] { Map([](const Tensor& t) { return t; }, x[0]); }},
      {"Map: elems 0 has 2 slices, elems 1 has 1", [&] { Map([](const Tensor& a, const Tensor& b) { return a + b; }, Tensors{x, Tensor({1.f})}); }},
      {"Scan: fn gives 2 tensors for 1 tensor of accumulators", [&] { Scan([](const Tensor& a, const Tensor& b) { return Tensors{a, b}; }, Tensors{x}, Tensors{x[0]}); }},
  };
  for (const Row& row : rows) {
    INFO(row.want);
    const std::string want = std::string("INVALID_ARGUMENT ") + row.want;
    if (row.eager) CHECK(Thrown(row.call) == want);
    Graph graph;
    GraphScope scope(graph);
    const std::string got = Thrown(row.call);
    CHECK(got.substr(0, want.size()) == want);
  }
}

TEST_CASE("a recursion without an end is an error") {
  std::function<Tensor(const Tensor&)> forever = [&](const Tensor& x) { return Cond(x > 0, [&] { return forever(x); }, [&] { return forever(x + 1); }); };
  CHECK(Thrown([&] { forever(1); }) == "INVALID_ARGUMENT Cond: calls nested more than 1000 deep: a recursion without an end");
  Graph graph;
  GraphScope scope(graph);
  CHECK(Thrown([&] { forever(1); }) ==
        "INVALID_ARGUMENT Cond: calls nested more than 40 deep: a recursion without an end, or one that ends on a value, which a graph does not have while it is built");
  // And one with an end works.
  CHECK(Cond(Tensor(true), [] { return Tensor(1); }, [] { return Tensor(2); }).dtype() == kInt32);
}

TEST_CASE("an exception in a body leaves the graph as it was") {
  Graph graph;
  GraphScope scope(graph);
  const Tensor x = Placeholder(kFloat32, {2}, "x");
  const std::string before = graph.Serialize();
  const auto fail = [&](const Tensor& v) -> Tensor {
    Tensor y = v * x;
    throw std::runtime_error("no");
  };
  CHECK_THROWS_WITH(While([](const Tensor& v) { return Sum(v) < 1.f; }, fail, {x}), "no");
  CHECK_THROWS_WITH(Cond(Sum(x) < 1.f, [&] { return fail(x); }, [&] { return x; }), "no");
  Graph expected = Graph::Parse(before);
  CHECK(graph.num_nodes() >= expected.num_nodes());
  CHECK(graph.Serialize().find("while_body") == std::string::npos);
  CHECK(Session(graph).Run({{"x:0", {1.f, 2.f}}}, x * 2.f).ToVector<float>() == std::vector<float>{2, 4});
}

}  // namespace tandem
