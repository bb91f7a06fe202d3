#!/bin/sh
# Makes a Debian source tree of this one: deb.sh FOLDER. There, `dpkg-buildpackage -us -uc` in lbp-VERSION/ makes the
# packages; what is packed is this tree as it stands, but for what is built. Needs GNU tar and dpkg-dev.
set -eu
into=${1:?usage: deb.sh FOLDER}
mkdir -p "$into"
into=$(cd "$into" && pwd)
cd "$(dirname "$0")/.."
changelog=packaging/debian/changelog
version=$(dpkg-parsechangelog -l $changelog -S Version)
version=${version%-*}
tree=lbp-$version archive=$into/lbp_$version.orig.tar.gz
tar --create --sort=name --mtime="@$(dpkg-parsechangelog -l $changelog -S Timestamp)" --owner=0 --group=0 \
  --numeric-owner --mode=u=rwX,go=rX --exclude=bench/out --exclude='examples/*.pgm' --exclude=__pycache__ \
  --transform="s,^,$tree/," CMakeLists.txt .clang-tidy LICENSE Makefile *.md lbp*.h lbp bench docs examples packaging tests |
  gzip -n > "$archive"
rm -rf "${into:?}/$tree"
tar -xzf "$archive" -C "$into"
cp -R packaging/debian "$into/$tree/debian"
echo "$into/$tree"
