#!/bin/sh
# source.sh FOLDER SECONDS writes the source in its present state, without build products, to standard output as a tar.
# All files are in FOLDER/ and have that time since 1970, so that the same source gives the same bytes. In a checkout
# these are the files that git knows; elsewhere all, but what .gitignore names. Needs GNU tar.
set -eu
folder=${1:?usage: source.sh FOLDER SECONDS} seconds=${2:?usage: source.sh FOLDER SECONDS}
cd "$(dirname "$0")/.."
pack() {
  tar --create --sort=name --mtime="@$seconds" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX \
    --transform="s,^,$folder/," "$@"
}
# not a copy in a checkout of something else
if top=$(git rev-parse --show-prefix 2> /dev/null) && [ -z "$top" ] && git rev-parse -q --verify HEAD:lbp.h > /dev/null
then
  list=$(mktemp)
  trap 'rm -f "$list"' EXIT
  files=$(git -c core.quotePath=false ls-files)
  # but those that are gone
  echo "$files" | grep -v '^\.ci/\|^\.gitignore$' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done > "$list"
  pack --files-from="$list"
else
  pack --exclude=bench/out --exclude='examples/*.pgm' --exclude=examples/rust/target \
    --exclude=examples/rust/Cargo.lock --exclude=packaging/conan/test_package/build --exclude=a.out \
    --exclude=__pycache__ CITATION.cff CMakeLists.txt codemeta.json pyproject.toml .clang-tidy LICENSE Makefile *.md \
    lbp*.h lbp bench docs examples packaging tests
fi
