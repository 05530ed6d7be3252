#!/bin/bash
# Installs what building Tandem needs from Debian 12's packages. Says nothing when nothing is missing.
#
#   tools/setup.sh          # to build and test
#   tools/setup.sh --fuzz   # and clang, for the fuzz targets
#
# Runs as root, or through sudo.
set -euo pipefail

packages=(
  bazel-bootstrap bazel-platforms bazel-rules-java bazel-rules-proto bazel-skylib  # the build tool and its rules
  g++ pkg-config python3
  libabsl-dev libprotobuf-dev protobuf-compiler     # status and strings, wire formats
  libdnnl-dev libhwy-dev libxbyak-dev               # kernels: oneDNN, Highway, Xbyak
  libisal-dev                                       # CRC-32C of records and checkpoints
  libcli11-dev libpng-dev nlohmann-json3-dev zlib1g-dev
  libleveldb-dev                                    # the table format of checkpoints
  catch2
  libbenchmark-dev libsleef-dev                     # what the benchmarks compare with
)

case "${1-}" in
  "") ;;
  --fuzz) packages+=(clang-14 libclang-rt-14-dev libomp-14-dev) ;;
  *)
    echo "usage: tools/setup.sh [--fuzz]" >&2
    exit 2
    ;;
esac

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

if ! command -v apt-get >/dev/null; then
  echo "tools/setup.sh: no apt-get here. Tandem builds with Debian 12's packages; it needs: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [[ $(id -u) -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "tools/setup.sh: neither root nor sudo. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
apt() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C apt-get -q -y -o Dpkg::Use-Pty=0 "$@" >"$log" 2>&1
}
fail() {
  cat "$log" >&2
  echo "tools/setup.sh: $1" >&2
  exit 1
}

echo "Installing ${#missing[@]} Debian packages (some minutes on a bare machine): ${missing[*]}"
# Package lists may be missing or out of date; only then is the first try worth nothing.
if ! apt install --no-install-recommends "${missing[@]}"; then
  echo "Updating the package lists first"
  apt update || fail "apt-get update failed"
  apt install --no-install-recommends "${missing[@]}" || fail "apt-get install failed"
fi
echo "Installed. Next: bazel run //tools:tandem -- tour"
