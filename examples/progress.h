// A line on standard error that says how far, how fast and how long still.
//
//   Progress progress("step", 780);
//   for (...) progress.Step("loss " + loss.ToString());     // step 120 of 780, 95.2/s, 7 s left, loss 0.31
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

class Progress {
 public:
  Progress(std::string unit, int64_t total) : unit_(std::move(unit)), total_(total) {}
  ~Progress() { std::fputc('\n', stderr); }
  Progress(const Progress&) = delete;

  // One more is done. Written at most four times a second, and at the end.
  void Step(const std::string& note) {
    ++done_;
    const auto now = Clock::now();
    if (now - written_ < std::chrono::milliseconds(250) && done_ < total_) return;
    written_ = now;
    const double rate = done_ / std::chrono::duration<double>(now - begin_).count();
    std::fprintf(stderr, "\r%s %lld of %lld, %.1f/s, %.0f s left, %s   ", unit_.c_str(), static_cast<long long>(done_), static_cast<long long>(total_), rate,
                 (total_ - done_) / rate, note.c_str());
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::string unit_;
  int64_t total_, done_ = 0;
  Clock::time_point begin_ = Clock::now(), written_ = begin_;
};
