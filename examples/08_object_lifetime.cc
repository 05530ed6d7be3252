// 8. A variable lives as long as its last handle, and its memory with it: on a device too. Counters prove it.
#include <iostream>

#include "tandem.h"

namespace td = tandem;

int main() {
  const auto bytes = [] { return td::NumGpus() > 0 ? td::GetDeviceStatistics("gpu:0").live_bytes : td::GetAllocatorStatistics().live_bytes; };
  const int64_t before = bytes();
  {
    td::DeviceScope gpu("gpu:0");  // the CPU, where there is no GPU
    td::Variable v(td::RandomNormal({1000, 1000}));
    const td::Variable same = v;  // a second handle
    v = td::Variable();
    std::cout << "one handle left: " << (bytes() - before >= 4000000 ? "4 MB in use" : "nothing in use") << '\n';
  }
  std::cout << "none left: " << (bytes() == before ? "the memory is back" : "memory is lost") << '\n';
}
