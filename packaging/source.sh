#!/bin/sh
# source.sh FOLDER SECONDS writes the source in its present state, without build products, to standard output as a tar.
# All files are in FOLDER/ and have that time since 1970, so that the same source gives the same bytes. Needs GNU tar.
set -eu
folder=${1:?usage: source.sh FOLDER SECONDS} seconds=${2:?usage: source.sh FOLDER SECONDS}
cd "$(dirname "$0")/.."
tar --create --sort=name --mtime="@$seconds" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --exclude=bench/out \
  --exclude='examples/*.pgm' --exclude=__pycache__ --transform="s,^,$folder/," \
  CITATION.cff CMakeLists.txt codemeta.json pyproject.toml .clang-tidy LICENSE Makefile *.md lbp*.h lbp bench docs examples packaging tests
