#!/bin/sh
# Makes a Debian source tree of this one: deb.sh FOLDER. There, `dpkg-buildpackage -us -uc` in lbp-VERSION/ makes the
# packages. They contain this tree in its present state, without build products. Needs GNU tar and dpkg-dev.
set -eu
into=${1:?usage: deb.sh FOLDER}
mkdir -p "$into"
into=$(cd "$into" && pwd)
cd "$(dirname "$0")/.."
changelog=packaging/debian/changelog
version=$(dpkg-parsechangelog -l $changelog -S Version)
version=${version%-*}
tree=lbp-$version archive=$into/lbp_$version.orig.tar
sh packaging/source.sh "$tree" "$(dpkg-parsechangelog -l $changelog -S Timestamp)" > "$archive"
gzip -nf "$archive"
rm -rf "${into:?}/$tree"
tar -xzf "$archive.gz" -C "$into"
cp -R packaging/debian "$into/$tree/debian"
echo "$into/$tree"
