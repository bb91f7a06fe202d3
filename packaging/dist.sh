#!/bin/sh
# A release: dist.sh FOLDER makes FOLDER/lbp-VERSION.tar.gz, with the source, single/ (each header as a whole), man/, and
# SHA256SUMS of all these, and next to it the archive's own sum. The same source gives the same bytes: its time is
# SOURCE_DATE_EPOCH, or the last commit's. The top of CHANGELOG.md is that version and a date; while it is "unreleased",
# or files differ from the commit, the archive is a draft, lbp-VERSION-draft.tar.gz. Needs GNU tar and sha256sum.
# Environment: MAKE.
set -eu
into=${1:?usage: dist.sh FOLDER}
for tool in tar gzip sha256sum; do
  command -v $tool > /dev/null || { echo "make dist: there is no $tool" >&2; exit 2; }
done
tar --version 2> /dev/null | grep -q GNU || { echo 'make dist: tar is not GNU tar, which sorts what it packs' >&2; exit 2; }
mkdir -p "$into"
into=$(cd "$into" && pwd)
cd "$(dirname "$0")/.."
version=$(sh packaging/fields.sh --version)
sh packaging/fields.sh --check >&2 || exit 1
top=$(sed -n 's/^## //p' CHANGELOG.md | head -n 1)
name=lbp-$version
# whether this is a checkout, and no copy in one of something else
checkout() {
  folder=$(git rev-parse --show-prefix 2> /dev/null) && [ -z "$folder" ] && git rev-parse -q --verify HEAD:lbp.h > /dev/null
}
draft() {
  echo "make dist: a draft: $1" >&2
  name=lbp-$version-draft
}
case $top in
  "$version - unreleased") draft "the top of CHANGELOG.md is '$top': write the date of the release" ;;
  "$version - "[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9])
    if ! checkout; then
      : # an archive's own source
    elif [ -n "$(git status --porcelain --untracked-files=no)" ]; then
      draft 'files differ from the commit: commit them'
    elif tagged=$(git rev-parse -q --verify "v$version^{commit}") && [ "$tagged" != "$(git rev-parse HEAD)" ]; then
      echo "make dist: v$version is another commit already: raise LBP_VERSION in lbp.h, then sh packaging/fields.sh" >&2
      exit 1
    fi
    ;;
  *)
    echo "make dist: the top of CHANGELOG.md is '$top', lbp.h is $version: write '## $version - YYYY-MM-DD'" >&2
    exit 1
    ;;
esac
seconds=${SOURCE_DATE_EPOCH:-$(if checkout; then git log -1 --format=%ct; else date +%s; fi)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# not in pipelines, which lose the status of all but their last program
sh packaging/source.sh "lbp-$version" "$seconds" > "$work/source.tar"
tar -xf "$work/source.tar" -C "$work"
tree=$work/lbp-$version
cd "$tree" # the headers that are packed, and no others
for header in lbp*.h; do
  mkdir -p "$tree/single"
  awk -f packaging/single.awk "$header" > "$tree/single/$header"
done
cp LICENSE "$tree/single"
SOURCE_DATE_EPOCH=$seconds ${MAKE:-make} -s manual FOLDER="$tree/man/man3"
(cd "$tree" && find . -type f ! -name SHA256SUMS | LC_ALL=C sort | sed 's,^\./,,' | xargs sha256sum > SHA256SUMS)
tar --create --sort=name --mtime="@$seconds" --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C "$work" \
  "lbp-$version" > "$work/release.tar"
gzip -n < "$work/release.tar" > "$into/$name.tar.gz"
(cd "$into" && sha256sum "$name.tar.gz" | tee "$name.tar.gz.sha256")
