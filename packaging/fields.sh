#!/bin/sh
# The version of lbp.h (LBP_VERSION), and the address and mail of packaging/project, in every file that wants them
# literally: fields.sh writes them; fields.sh --check changes nothing, names files that differ, and fails if there are
# any; fields.sh --version prints the version. An address of example.org is a placeholder, which only lbp.wrap has.
set -eu
cd "$(dirname "$0")/.."
number=$(sed -n 's/^#define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
version=$((number / 10000)).$((number / 100 % 100)).$((number % 100))
minor=${version%.*}
case ${1-} in
  --version) echo "$version" && exit ;;
  --check | '') ;;
  *) echo 'usage: fields.sh [--check | --version]' >&2 && exit 2 ;;
esac
address=$(sed -n 's/^address=//p' packaging/project) mail=$(sed -n 's/^mail=//p' packaging/project)
case $address in
  https://*[!A-Za-z0-9./_~:-]* | https:// ) bad=1 ;;
  https://*) bad=0 ;;
  *) bad=1 ;;
esac
if [ $bad = 1 ]; then
  echo "packaging/project: address=$address: write https://, then letters, digits and ./_~:-" >&2
  exit 2
fi
case $mail in
  *[!A-Za-z0-9.@_+-]* | '') echo "packaging/project: mail=$mail: write an address, such as a@b.org" >&2 && exit 2 ;;
esac
case $address in https://example.org/*) known=0 ;; *) known=1 ;; esac
new=$(mktemp)
trap 'rm -f "$new"' EXIT
differ=0

# field FILE SED [PATTERN LINE]: what SED makes of FILE; of a known address LINE, behind the line that PATTERN matches
field() {
  [ -f "$1" ] || return 0
  sed "$2" "$1" | awk -v known=$known -v after="${3-}" -v line="${4-}" '
    BEGIN { key = line; sub(/[:=] .*/, "", key) }
    line != "" && index($0, key ":") == 1 || line != "" && index($0, key "=") == 1 { next }
    { print }
    line != "" && known && $0 ~ after { print line }' > "$new"
  if cmp -s "$new" "$1"; then return 0; fi
  differ=1
  if [ "$mode" = check ]; then
    echo "$1: not as lbp.h and packaging/project have it: sh packaging/fields.sh"
  else
    cat "$new" > "$1"
  fi
}
mode=${1:+check}
number_of='[0-9][0-9]*\.[0-9][0-9]*\.[0-9][0-9]*'
for header in lbp*.h lbp/*/*.h; do
  field "$header" "s/Version $number_of\. MIT licence/Version $version. MIT licence/"
done
field README.md "s/lbp, version $number_of/lbp, version $version/"
field CITATION.cff "s/^version: .*/version: $version/" '^license: ' "repository-code: $address"
field codemeta.json "s/^  \"version\": \".*\",\$/  \"version\": \"$version\",/" '^  "license": ' \
  "  \"codeRepository\": \"$address\","
field pyproject.toml '' '^license-files = ' "urls = {Repository = \"$address\"}"
field docs/python.md "s/lbp-$number_of-py3/lbp-$version-py3/"
field docs/packaging.md "s/v$number_of/v$version/g; s/lbp-$number_of\.tar/lbp-$version.tar/g; s/= $number_of-1)/= $version-1)/
  s/lbp\([/=]=*\)$number_of/lbp\1$version/g; s/find_package(lbp [0-9.]*/find_package(lbp $minor/
  s/'>=[0-9.]*'/'>=$minor'/"
field packaging/debian/changelog "1s/^lbp ([0-9.]*-/lbp ($version-/
  s/^ -- lbp maintainers <[^>]*>/ -- lbp maintainers <$mail>/"
field packaging/debian/control "s/^Maintainer: .*/Maintainer: lbp maintainers <$mail>/" '^Rules-Requires-Root: ' \
  "Homepage: $address"
field packaging/vcpkg/lbp/vcpkg.json "s/^  \"version\": \".*\",\$/  \"version\": \"$version\",/" '^  "description": ' \
  "  \"homepage\": \"$address\","
field packaging/meson/lbp.wrap "s/^revision = .*/revision = v$version/; s|^url = .*|url = $address.git|"
field packaging/conan/conanfile.py '' '^    license = ' "    url = \"$address\""
field packaging/r/lbp/DESCRIPTION "s/^Version: .*/Version: $version/; s/email = \"[^\"]*\"/email = \"$mail\"/" '^License: ' "URL: $address"
field packaging/r/lbp/man/lbp-package.Rd "s/[\\]email{[^}]*}/\\\\email{$mail}/"
if [ "$mode" = check ] && [ $differ = 1 ]; then exit 1; fi
