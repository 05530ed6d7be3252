// Any bytes: reading them ends in a graph or in an Error, and what was read is written and read again the same.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "tandem.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string saved;
  try {
    const tandem::Graph graph = tandem::Graph::Parse({reinterpret_cast<const char*>(data), size});
    saved = graph.Serialize();
    graph.ToString();
  } catch (const tandem::Error&) {
    return 0;
  }
  try {
    if (tandem::Graph::Parse(saved).Serialize() == saved) return 0;
    std::cerr << "written again, the graph differs\n";
  } catch (const tandem::Error& error) {
    std::cerr << "what was written cannot be read: " << error.what() << '\n';
  }
  std::abort();
}
