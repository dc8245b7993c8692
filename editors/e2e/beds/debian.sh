#!/bin/sh
# debian.sh EDITOR SUITE HOME DEST: unpacks an editor (neovim, helix, emacs) as the Debian suite SUITE has it, with every
# library it needs, or a library of Lua alone (minitest), into DEST, made to run from HOME (where DEST is moved afterwards) whatever this machine's own release is.
# apt resolves and downloads against the machine's own mirror, with lists, cache and package state of its own:
# nothing in the system is touched.
set -eu
editor=$1 suite=$2 home=$3 dest=$4
case $editor in
neovim) packages=neovim ;;
minitest) packages=neovim-mini.test ;;
helix) packages=hx ;;
emacs) packages="emacs-nox $([ "$suite" != bookworm ] || echo elpa-eglot)" ;; # Emacs 29 and newer hold eglot
esac

mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Component: main' 'Origin: Debian' 'Label: Debian' | head -n 1)
[ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Component: main' |
  grep -v security | head -n 1)
[ -n "$mirror" ] || { echo "apt has no Debian mirror" >&2; exit 1; }
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -e "$keyring" ] || { echo "no $keyring: this needs a Debian machine" >&2; exit 1; }

apt=$(mktemp -d)
trap 'rm -rf "$apt"' EXIT
mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$apt/sources" "$apt/preferences"
: >"$apt/status"
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$suite" "$keyring" \
  >"$apt/sources/suite.sources"
cat >"$apt/apt.conf" <<END
Dir::State "$apt";
Dir::State::lists "$apt/lists";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::main "/dev/null";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$apt/sources";
Dir::Etc::preferencesparts "$apt/preferences";
APT::Sandbox::User "$(id -un)";
END
export APT_CONFIG="$apt/apt.conf"
apt-get update -q
if [ "$editor" = minitest ]; then
  (cd "$apt/cache/archives" && apt-get download -q $packages)
else
  # shellcheck disable=SC2086 # a list
  apt-get install -y -q --download-only --no-install-recommends $packages
fi
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$dest"
done

# apply PROGRAM: it must run under its own release's loader and C library. Written into the ELF header, so that the running
# program is the editor itself and not a loader, and the programs it starts in turn work too.
apply() {
  libc=$(cd "$dest" && find usr/lib lib -name 'libc.so.6' 2>/dev/null | head -n 1)
  folder=$(dirname "$libc") # one for every architecture
  libraries="$home/usr/lib/$(basename "$folder"):$home/$folder"
  loader=$(cd "$dest" && find "$folder" usr/lib64 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
  patchelf --set-interpreter "$home/$loader" --force-rpath --set-rpath "$libraries" "$dest/$1"
}

# starter NAME: puts standard input and a last line that runs the program into a script.
starter() {
  { echo '#!/bin/sh' && cat; } >"$dest/$1"
  chmod +x "$dest/$1"
}

neovim() {
  apply usr/bin/nvim
  starter nvim <<END
export VIMRUNTIME="$home/usr/share/nvim/runtime"
export LUA_PATH="$home/usr/share/lua/5.1/?.lua;$home/usr/share/lua/5.1/?/init.lua;;"
export LUA_CPATH="$home/usr/lib/$(basename "$folder")/lua/5.1/?.so;;"
exec "$home/usr/bin/nvim" "\$@"
END
}

minitest() { :; }

helix() {
  apply usr/bin/hx
  starter hx <<END
export HELIX_RUNTIME="$home/usr/lib/hx/runtime"
exec "$home/usr/bin/hx" "\$@"
END
}

# Packages of Emacs Lisp lie unpacked here, where the release's own installation would have compiled them.
emacs() {
  apply usr/bin/emacs-nox
  dump=$(cd "$dest" && find usr/libexec/emacs -name '*.pdmp' | head -n 1)
  version=$(basename "$(dirname "$(dirname "$dump")")")
  lisp="$home/usr/share/emacs/$version/lisp"
  for package in "$dest"/usr/share/emacs/site-lisp/elpa-src/*; do
    [ ! -d "$package" ] || lisp="$home/usr/share/emacs/site-lisp/elpa-src/$(basename "$package"):$lisp"
  done
  starter emacs <<END
export EMACSDATA="$home/usr/share/emacs/$version/etc" EMACSPATH="$home/$(dirname "$dump")"
export EMACSLOADPATH="$lisp"
exec "$home/usr/bin/emacs-nox" --dump-file="$home/$dump" "\$@"
END
}

"$editor"
