#!/bin/sh
# neovim.sh SUITE HOME DEST: unpacks Neovim as the Debian suite SUITE has it, with every library it needs, into DEST,
# made to run from HOME (where DEST is moved afterwards) whatever this machine's own release is.
# apt resolves and downloads against the machine's own mirror, with lists, cache and package state of its own:
# nothing in the system is touched.
set -eu
suite=$1 home=$2 dest=$3

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
apt-get install -y -q --download-only --no-install-recommends neovim
for package in "$apt"/cache/archives/*.deb; do
  dpkg-deb -x "$package" "$dest"
done

# The program must run under its own release's loader and C library. Written into the ELF header, so that the running
# program is nvim itself (vim.v.progpath) and the editors it starts in turn work too.
libraries=$(basename "$(dirname "$(find "$dest/usr/lib" -name 'libc.so.6' | head -n 1)")")
loader=$(cd "$dest" && find usr/lib usr/lib64 -name 'ld-linux*.so.*' 2>/dev/null | head -n 1)
patchelf --set-interpreter "$home/$loader" --force-rpath --set-rpath "$home/usr/lib/$libraries" "$dest/usr/bin/nvim"
cat >"$dest/nvim" <<END
#!/bin/sh
export VIMRUNTIME="$home/usr/share/nvim/runtime"
export LUA_PATH="$home/usr/share/lua/5.1/?.lua;$home/usr/share/lua/5.1/?/init.lua;;"
export LUA_CPATH="$home/usr/lib/$libraries/lua/5.1/?.so;;"
exec "$home/usr/bin/nvim" "\$@"
END
chmod +x "$dest/nvim"
