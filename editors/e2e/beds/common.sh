# shellcheck shell=sh
# Sourced by the scripts beside it, which have set $beds to this folder.
# What is installed lives in one cache folder outside the tree.
set -eu
cache=${PILLION_DEV_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/pillion-dev}

say() { echo "beds: $*" >&2; }

die() {
  say "$*"
  exit 1
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# from_apt PROGRAM=PACKAGE...: installs the packages of those programs that are missing.
from_apt() {
  missing=
  for pair in "$@"; do
    command -v "${pair%%=*}" >/dev/null || missing="$missing ${pair#*=}"
  done
  [ -n "$missing" ] || return 0
  say "installing with apt:$missing"
  # shellcheck disable=SC2086 # a list
  as_root sh -c 'apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@"' \
    apt $missing >"$cache/apt.log" 2>&1 || {
    cat "$cache/apt.log" >&2
    die "apt could not install:$missing"
  }
}

# keep NAME PIN COMMAND...: runs COMMAND with a new folder as last argument, and keeps that as $cache/NAME,
# unless what is kept there was made for the same PIN. The command may not rely on the new folder's own path.
keep() {
  name=$1 pin=$2
  shift 2
  if [ "$(cat "$cache/$name/.pin" 2>/dev/null)" = "$pin" ]; then return 0; fi
  say "installing $name"
  rm -rf "${cache:?}/$name" "$cache/$name.new"
  mkdir -p "$cache/$name.new"
  "$@" "$cache/$name.new" >"$cache/$name.log" 2>&1 || {
    tail -n 40 "$cache/$name.log" >&2
    say "could not install $name"
    return 1
  }
  echo "$pin" >"$cache/$name.new/.pin"
  mv "$cache/$name.new" "$cache/$name"
}

checksum() { cat "$@" | sha256sum | cut -c1-16; }
