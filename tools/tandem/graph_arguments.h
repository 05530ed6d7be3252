// Feeds, fetches and levels as the command line spells them.
#pragma once
#include <string>
#include <vector>

#include "tandem.h"
#include "tools/tandem/commands.h"

namespace tandem::tool {

// Adds GRAPH, --feed, --fetch and what goes with them.
void AddGraphOptions(CLI::App& command, GraphArguments& arguments, bool fetches_required);

// "x:0=images.npy" or "x:0=[[1,2],[3,4]]": a file when the text ends in .npy, else JSON (numbers, true, false, strings,
// nested lists, nan, inf) in the dtype of the fed tensor; a bare word is a string. CLI::ValidationError when it is
// neither.
std::vector<Feed> ParseFeeds(const Graph& graph, const std::vector<std::string>& texts);
// Splits every "a,b" at commas.
std::vector<TensorName> ParseNames(const std::vector<std::string>& texts);
OptLevel ParseLevel(const std::string& text);
// "logits:0" -> "logits_0": `:` and `/` become `_`.
std::string FileName(const std::string& tensor_name);

}  // namespace tandem::tool
