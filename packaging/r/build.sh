#!/bin/sh
# The R package: build.sh FOLDER writes FOLDER/lbp_VERSION.tar.gz, for R CMD INSTALL, and prints its path. It has the
# headers, in inst/include, and the model files of examples/bridge, in inst/models; docs/r.md is its vignette, if R has
# the packages knitr and markdown. Environment: R.
set -eu
R=${R:-R}
into=${1:?usage: build.sh FOLDER}
command -v "$R" > /dev/null || { echo "packaging/r/build.sh: there is no $R" >&2; exit 2; }
mkdir -p "$into"
into=$(cd "$into" && pwd)
cd "$(dirname "$0")/../.."
version=$(sed -n 's/^Version: //p' packaging/r/lbp/DESCRIPTION)
rm -rf "$into/lbp"
cp -R packaging/r/lbp "$into/lbp"
tree=$into/lbp
mkdir -p "$tree/inst/include" "$tree/inst/models" "$tree/vignettes"
cp -R lbp*.h lbp "$tree/inst/include"
cp examples/bridge/*.c "$tree/inst/models"
# blocks of R are run; the block of C is written to the file that it is called; what they print is not said twice; links
# lead to pages that are not here
{
  printf '%s\n' '---' 'title: lbp from R' 'vignette: >' '  %\VignetteIndexEntry{lbp from R}' \
    '  %\VignetteEngine{knitr::knitr}' '  %\VignetteEncoding{UTF-8}' '---'
  awk 'NR == 1 && /^# / || /^<!--/ { next }
    /^```text$/ { printed = 1 }
    printed { if (/^```$/) printed = 0; next }
    /^```/ { code = !code }
    /^```r$/ { print "```{r}"; next }
    /^```c$/ { print "```{cat, engine.opts = list(file = \"ring.c\", lang = \"c\")}"; next }
    code { print; next }
    { while (match($0, /\]\([^)]*\)/)) {
        before = substr($0, 1, RSTART - 1)
        after = substr($0, RSTART + RLENGTH)
        at = match(before, /\[[^[]*$/)
        $0 = substr(before, 1, at - 1) substr(before, at + 1) after
      }
      print }' docs/r.md
} > "$tree/vignettes/lbp.Rmd"
if ! "$R" --vanilla -s -e 'for (p in c("knitr", "markdown")) loadNamespace(p)' > "$into/build.log" 2>&1; then
  echo 'packaging/r/build.sh: no packages knitr and markdown: no vignette' >&2
  rm -r "$tree/vignettes"
  sed '/^VignetteBuilder:/d' "$tree/DESCRIPTION" > "$into/DESCRIPTION" && mv "$into/DESCRIPTION" "$tree/DESCRIPTION"
fi
(cd "$into" && "$R" --vanilla CMD build lbp > "$into/build.log" 2>&1) || { cat "$into/build.log" >&2; exit 1; }
echo "$into/lbp_$version.tar.gz"
