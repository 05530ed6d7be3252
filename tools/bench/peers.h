// The work that TensorFlow, PyTorch, JAX and ONNX Runtime are timed on, done here: `tandem bench --peer ITEM`.
//
//   const PeerItem eager = {"1", "ns", [] { return std::vector<PeerRow>{{"add 2x2", "C++", 1, [] { Tensor c = a + b; }}}; }};
//
// A row is named as the script that times the others names it. One line of JSON a row is appended to the file that
// $PEER_OUT names: item, row, peer, variant, unit, the least and the median time, the number of samples.
#pragma once
#include <functional>
#include <string>
#include <vector>

namespace tandem::bench {

struct PeerRow {
  std::string row;      // "add 2x2"
  std::string variant;  // how it is called: "C++", "Session, callable"
  double per = 1;       // calls of an op, samples, …: what one run counts for
  std::function<void()> run;
};

struct PeerItem {
  std::string item;  // its number
  std::string what;
  std::string unit;  // "ns", "us" or "ms" for one of `per`
  std::function<std::vector<PeerRow>()> rows;
};

PeerItem SmallOpsPeer();        // 1
PeerItem ExecutorPeer();        // 3
PeerItem FusionPeer();          // 4
PeerItem ModelsPeer();          // 5
PeerItem OptimiserPeer();       // 7
PeerItem ImportPeer();          // 8
PeerItem TapePeer();            // 9
PeerItem DataPeer();            // 10
std::vector<PeerItem> PeerItems();

// Times the rows in turn, round by round, and writes them. Says each on stdout.
void RunPeer(const PeerItem& item);

}  // namespace tandem::bench
