#!/bin/sh
# install.sh BED...: puts what the checks need into the cache folder, once; the second time it only looks.
# Needs root or sudo where a Debian package is missing. Every version is pinned here, in the lock files beside
# this folder, or by the Debian release. A bed that cannot be had ends the script, but for the newest Neovim, whose suite moves,
# the VS Codes, which are built here, and the inspector and the agents, which come and go: their tests then skip, and say so.
beds=$(cd "$(dirname "$0")" && pwd)
tree=$(cd "$beds/../../.." && pwd)
. "$beds/common.sh"

staticcheck=v0.8.2 # 2026.2.2
neovim_floor=0.10.4 # Debian trixie
minitest=0.18.0     # Debian forky; a file of Lua
helix=25.01.1       # Debian trixie
emacs_floor=28.2    # Debian bookworm, with eglot 1.9
emacs_newest=30.1   # Debian trixie, with its own eglot
luacheck=1          # major version; the Debian release pins the rest

# npm_package FOLDER DEST: no install script runs.
npm_package() {
  cp "$1/package.json" "$1/package-lock.json" "$2" && cd "$2" && npm ci --ignore-scripts --no-audit --no-fund
}

go_program() { GOBIN=$2 go install "$1"; }

# vscode BED DEST: the server of VS Code, of which only what it needs is built. Its own lock files pin what lies inside.
# In a shell of its own: the newest is built with, and runs on, another Node than this machine's.
vscode() (
  npm_package "$beds/../vscode/$1" "$2" || exit 1
  inner=$2/node_modules/code-server/lib/vscode
  if [ "$1" = newest ]; then
    runtime=$(node_of "$cache/vscode-node")
    export PATH="$runtime/bin:$PATH" npm_config_nodedir="$runtime"
    built='@vscode/spdlog @vscode/native-watchdog node-pty'
  else
    headers=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
    [ ! -e "$headers/include/node" ] || export npm_config_nodedir="$headers"
    (cd "$2" && npm rebuild argon2) || exit 1
    built='@vscode/spdlog native-watchdog node-pty'
  fi
  cd "$inner" && npm install --omit=dev --ignore-scripts --no-audit --no-fund || exit 1
  # The script that follows the floor's building of node-pty fails; what was built is there.
  # shellcheck disable=SC2086 # a list
  npm rebuild $built || [ "$1" = floor ] || exit 1
  cd extensions && npm install --omit=dev --ignore-scripts --no-audit --no-fund
)

# newer_node: the Node that some programs need where this machine's is older.
newer_node() { keep vscode-node "$(checksum "$beds/../vscode/node/package-lock.json")" npm_package "$beds/../vscode/node"; }

# node_of BED: the folder of the Node that an npm package holds.
node_of() { find "$1/node_modules" -maxdepth 1 -name 'node-linux-*' | head -n 1; }

debian() { sh "$beds/debian.sh" "$@"; }

# editor BED EDITOR SUITE
editor() {
  from_apt patchelf=patchelf
  keep "$1" "$2 $3 $(checksum "$beds/debian.sh")" debian "$2" "$3" "$cache/$1"
}

newest_neovim() {
  editor neovim-newest neovim forky && "$cache/neovim-newest/nvim" --version | grep '^NVIM' >&2
}

# emacs BED SUITE VERSION
emacs() {
  editor "$1" emacs "$2"
  "$cache/$1/emacs" --version | grep -qx "GNU Emacs $3" || die "$1 is not $3"
}

# not_to_be_had BED: its tests skip.
not_to_be_had() {
  rm -rf "${cache:?}/$1"
  say "############################################################"
  say "### NOT TO BE HAD, AND ITS TESTS SKIP: $1"
  say "############################################################"
}

install_bed() {
  case $1 in
  staticcheck)
    keep staticcheck "$staticcheck $(go env GOVERSION)" go_program "honnef.co/go/tools/cmd/staticcheck@$staticcheck"
    ;;
  tools | servers | more-servers | conformance | peers)
    keep "$1" "$(checksum "$beds/../$1/package-lock.json")" npm_package "$beds/../$1"
    ;;
  luacheck)
    from_apt luacheck=lua-check
    luacheck --version | grep -q "^Luacheck: $luacheck\." || die "luacheck is not version $luacheck"
    ;;
  vscode-extension) keep "$1" "$(checksum "$tree/vscode-extension/package-lock.json")" npm_package "$tree/vscode-extension" ;;
  vscode-driver) keep "$1" "$(checksum "$beds/../vscode/driver/package-lock.json")" npm_package "$beds/../vscode/driver" ;;
  vscode-newest | vscode-floor)
    newer_node &&
      keep "$1" "$(checksum "$beds/../vscode/${1#vscode-}/package-lock.json")" vscode "${1#vscode-}" || not_to_be_had "$1"
    ;;
  inspector | agents)
    newer_node && keep "$1" "$(checksum "$beds/../$1/package-lock.json")" npm_package "$beds/../$1" || not_to_be_had "$1"
    ;;
  browser-playwright | browser-chrome-devtools)
    # What Pillion carries for itself.
    keep "$1" "$(checksum "$tree/browser/install/${1#browser-}/package-lock.json")" npm_package "$tree/browser/install/${1#browser-}"
    ;;
  chromium) from_apt chromium-headless-shell=chromium-headless-shell ;;
  isolation) from_apt ip=iproute2 unshare=util-linux ;;
  terminal) from_apt tmux=tmux ;;
  neovim-floor)
    editor neovim-floor neovim trixie
    "$cache/neovim-floor/nvim" --version | grep -qx "NVIM v$neovim_floor" || die "neovim-floor is not $neovim_floor"
    ;;
  neovim-newest)
    newest_neovim || not_to_be_had neovim-newest
    ;;
  mini-test)
    keep mini-test "$minitest" debian minitest forky "$cache/mini-test"
    [ -e "$cache/mini-test/usr/share/neovim-mini.test/lua/mini/test.lua" ] || die "mini-test holds no mini.test"
    ;;
  helix)
    editor helix helix trixie
    "$cache/helix/hx" --version | grep -q "^helix $helix\b" || die "helix is not $helix"
    ;;
  emacs-floor) emacs emacs-floor bookworm $emacs_floor ;;
  emacs-newest) emacs emacs-newest trixie $emacs_newest ;;
  *) die "no such bed: $1" ;;
  esac
}

mkdir -p "$cache"
# Two runs may share the cache: one installs, the other waits.
exec 9>"$cache/lock"
flock 9
for bed in "$@"; do
  install_bed "$bed" 9>&-
done
