#!/bin/sh
# A release: dist.sh FOLDER makes FOLDER/lbp-VERSION.tar.gz, with the source, single/ (each header as a whole), man/, and
# SHA256SUMS of all these, and beside it the archive's own sum. The same source gives the same bytes: its time is
# SOURCE_DATE_EPOCH, or the last commit's. Needs GNU tar and sha256sum. Environment: MAKE.
set -eu
into=${1:?usage: dist.sh FOLDER}
for tool in tar gzip sha256sum; do
  command -v $tool > /dev/null || { echo "make dist: there is no $tool" >&2; exit 2; }
done
tar --version 2> /dev/null | grep -q GNU || { echo 'make dist: tar is not GNU tar, which sorts what it packs' >&2; exit 2; }
mkdir -p "$into"
into=$(cd "$into" && pwd)
cd "$(dirname "$0")/.."
number=$(sed -n 's/^#define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
version=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
seconds=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || date +%s)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh packaging/source.sh "lbp-$version" "$seconds" | tar -xf - -C "$work"
tree=$work/lbp-$version
for header in lbp*.h; do
  mkdir -p "$tree/single"
  awk -f packaging/single.awk "$header" > "$tree/single/$header"
done
SOURCE_DATE_EPOCH=$seconds ${MAKE:-make} -s manual FOLDER="$tree/man/man3"
(cd "$tree" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's,^\./,,' | xargs sha256sum > SHA256SUMS)
tar --create --sort=name --mtime="@$seconds" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$work" \
  "lbp-$version" | gzip -n > "$into/lbp-$version.tar.gz"
(cd "$into" && sha256sum "lbp-$version.tar.gz" | tee "lbp-$version.tar.gz.sha256")
