#!/bin/bash
# tandem.h stays lean: no header of Abseil, protobuf, oneDNN, Highway or Xbyak can be reached from it, and every header
# that can exports its declarations from libtandem.so.
set -euo pipefail

headers=(tandem.h)
for ((i = 0; i < ${#headers[@]}; ++i)); do
  while read -r header; do
    [[ " ${headers[*]} " == *" $header "* ]] || headers+=("$header")
  done < <(sed -n 's/^ *# *include "\([^"]*\)".*/\1/p' "${headers[i]}")
done

failed=0
for header in "${headers[@]}"; do
  if grep -nE '# *include *["<](absl|google|proto|hwy|xbyak|oneapi|dnnl|omp)[/.]' "$header"; then
    echo "^ $header is reachable from tandem.h"
    failed=1
  fi
  if [[ $header != tandem.h && $header != core/export.h ]] && grep -q '^namespace' "$header"; then
    if ! grep -q '^TANDEM_EXPORT_BEGIN$' "$header" || ! grep -q '^TANDEM_EXPORT_END$' "$header"; then
      echo "$header is public but does not export what it declares (core/export.h)"
      failed=1
    fi
  fi
done
echo "${#headers[@]} headers"
exit $failed
