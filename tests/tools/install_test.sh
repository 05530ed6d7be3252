#!/bin/bash
# The README's first program compiles with nothing but g++ and pkg-config against an installed Tandem, and prints what
# the README says it prints (the block after it).
set -euo pipefail

prefix=$TEST_TMPDIR/prefix
tools/install --library libtandem.so "$prefix"

# block LANGUAGE: the first fenced block of that language in the README.
block() {
  awk -v fence="\`\`\`$1" '$0 == fence && !seen { on = seen = 1; next } /^```$/ { on = 0 } on' README.md
}
block cpp >"$TEST_TMPDIR/hello.cc"
block text >"$TEST_TMPDIR/expected"
grep -q 'int main' "$TEST_TMPDIR/hello.cc"

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
g++ -std=c++20 -Wall -Wextra -Werror "$TEST_TMPDIR/hello.cc" -o "$TEST_TMPDIR/hello" $(pkg-config --cflags --libs tandem)
"$TEST_TMPDIR/hello" >"$TEST_TMPDIR/printed"
diff "$TEST_TMPDIR/expected" "$TEST_TMPDIR/printed"

# What is exported is ours: no kernel, protobuf or Abseil symbol of the library can clash with the program's.
foreign=$(nm -D --defined-only --demangle "$prefix/lib/libtandem.so" | grep -E ' [TDB] ' | grep -vE 'tandem::| (__bss_start|_edata|_end)$' || true)
if [[ -n $foreign ]]; then
  echo "exported, but not in namespace tandem:"
  echo "$foreign" | head -20
  exit 1
fi
if nm -D --defined-only --demangle "$prefix/lib/libtandem.so" | grep 'tandem::proto::' | head -5 | grep .; then
  echo "the wire formats are exported"
  exit 1
fi
