// Graphs in text form, run in every mode.
//
//   CHECK(RunText("x = Placeholder() : float32[]\ny = Neg(x)  # fetch\n", {{"x", 2.}}) == "-2.0");
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "graph/session.h"

namespace tandem {

// The text as a graph; its error is thrown.
Graph GraphFromText(const std::string& text);
// What the fetches are, "; " between them, by the reference run and by Sessions at every level: one text when all agree bit
// for bit, else what differs. An error is its code and message.
std::string RunText(const std::string& text, const std::vector<std::pair<std::string, Tensor>>& feeds = {});

}  // namespace tandem
