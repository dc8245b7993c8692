#!/bin/sh
# plugin.sh BED: runs the tests of the Neovim plugin in the Neovim of a bed. Prints `go test -json`.
# PILLION_BINARY names the program. PILLION_TESTS, PILLION_PATIENCE, PILLION_UPDATE and PILLION_SCREENS are handed on to the runner.
beds=$(cd "$(dirname "$0")" && pwd)
. "$beds/common.sh"
bed=$1
plugin=$(cd "$beds/../../../nvim-plugin" && pwd)

event() { printf '{"Action":"%s","Package":"nvim-plugin/%s"%s}\n' "$1" "$bed" "$2"; }

if ! [ -x "$cache/$bed/nvim" ]; then
  [ "$bed" = neovim-newest ] || die "$bed is not installed (beds/install.sh $bed installs it)"
  event run ',"Test":"all"'
  event output ',"Test":"all","Output":"THE NEWEST NEOVIM IS NOT INSTALLED\n"'
  event skip ',"Test":"all"'
  event pass ''
  exit 0
fi

home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/tmp" "$home/run"
# Nothing of the person who runs the tests reaches Neovim, and its log stays out of the tree.
env -i PATH="$PATH" HOME="$home" TMPDIR="$home/tmp" XDG_RUNTIME_DIR="$home/run" LANG=C.UTF-8 TERM=dumb \
  NVIM_LOG_FILE="$home/nvim.log" PILLION_DEV_CACHE="$cache" PILLION_BED="$bed" PILLION_NVIM="$cache/$bed/nvim" \
  PILLION_BINARY="${PILLION_BINARY:?names the program}" PILLION_MINI_TEST="$cache/mini-test/usr/share/neovim-mini.test" \
  PILLION_PATIENCE="${PILLION_PATIENCE-}" PILLION_TESTS="${PILLION_TESTS-}" PILLION_UPDATE="${PILLION_UPDATE-}" PILLION_SCREENS="${PILLION_SCREENS-}" \
  timeout -k 5 900 "$cache/$bed/nvim" --headless --clean -n -u "$plugin/tests/run.lua" </dev/null
