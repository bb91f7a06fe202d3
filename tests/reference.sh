#!/bin/sh
# Whether docs/reference.md, which docs/reference.awk makes of the headers, has all that these give to their users, and
# nothing else; whether each of its entries says something; and whether the manual pages are well-formed, installed and
# removed. What there is comes from a compiler: the debug information of instances of every kind, and the macros left.
#
# Environment: CC (if it is no GCC: gcc), MAKE, BUILD (a folder for scratch files).

CC=${CC:-cc} MAKE=${MAKE:-make} BUILD=${BUILD:-build/reference}
cd "$(dirname "$0")/.." || exit 2
rm -rf "$BUILD" && mkdir -p "$BUILD" || exit 2
work=$(cd "$BUILD" && pwd)
export LC_ALL=C
. tests/check.sh
reference=docs/reference.md

# ---- what there is -------------------------------------------------------------------------------------------------

# instances of every kind: those of names.c, whose callbacks are not to be defined, and one of lbp_ab.h with runs
cat > "$work/instances.c" <<'C'
#include "tests/hygiene/names.c"
#include "lbp_models.h"
#define LBP_NAME     names_abruns
#define LBP_MODEL_T  TYPE
#define LBP_STATES   3
#define LBP_GRADIENT CALLED
#include "lbp_run.h"
C
[ "$(grep -c . "$work/instances.c")" = 7 ] || exit 2
for header in $(grep -L "^#error .*don't include it yourself" lbp*.h lbp/*/*.h); do echo "#include \"$header\""; done >> "$work/instances.c"
is_gcc() { $1 -v 2>&1 | grep -q '^gcc version'; }
is_gcc "$CC" || CC=gcc
compile() {
  $CC -std=c99 -D_POSIX_C_SOURCE=200809L -w -g -gdwarf-4 -O0 -fno-eliminate-unused-debug-types -fkeep-inline-functions \
    -Dalways_inline=__unused__ -I. "$@" "$work/instances.c"
}

# Lines `function lbp_ess`, `type lbp_rng`, `constant LBP_OK`, `macro LBP_BLOCK`, of what is public: the same with
# vectors and without. What instances are called becomes NAME_, for lbp_ab.h AB:NAME_, for lbp_perm.h PERM:NAME_.
list() {
  compile -c -o "$work/instances.o" && readelf --debug-dump=info "$work/instances.o" > "$work/info" || return 1
  compile -E -dM -o "$work/macros" || return 1
  {
    awk '
      match($0, /<[0-9a-f]+><[0-9a-f]+>: Abbrev Number: .*DW_TAG_/) {
        depth = substr($1, 2, 1)
        tag = $0
        gsub(/.*DW_TAG_|\)/, "", tag)
      }
      /DW_AT_name/ && tag != "" {
        if (depth == 1 && tag == "subprogram") print "function", $NF
        if (depth == 1 && (tag == "typedef" || tag == "structure_type")) print "type", $NF
        if (depth == 2 && tag == "enumerator") print "constant", $NF
        tag = ""
      }' "$work/info"
    sed -n 's/^LBP_BRIDGE_FN .*\(lbp_bridge_[a-z_]*\)(.*/function \1/p' lbp_bridge.h # which models define
    sed -n '/LBP_RENAMED/d; s/^#define \(LBP_[A-Z_0-9]*\).*/macro \1/p' "$work/macros"
  } | sed 's/ names_ab[a-z]*_/ AB:NAME_/; s/ names_perm_/ PERM:NAME_/; s/ names_[a-z]*_/ NAME_/' |
    grep -E ' (lbp_|LBP_|(AB:|PERM:)?NAME_)' |
    grep -vE ' (lbp_p_|LBP_P_|lbp_runner|WIN32_|NOMINMAX$|NEAR$|FAR$|lbp_(file|thread|turn|process|signals)(_|$)|lbp_time_parts|lbp_is_terminal|lbp_machine_bytes|LBP_FILE_|LBP_ONCE$|(AB:|PERM:)?NAME_(priv_|is_the_)|lbp_[a-z_]*[a-z](2|4|8|16)$)|_H$|_DECLARED$' | sort -u > "$work/there"
  # what is the same of all templates is described once: lbp/run/instance.h
  sed -E 's/ (AB|PERM):NAME_(run|ais|anneal)$/ NAME_\2/' "$work/there" | sort -u -o "$work/there"
  [ "$(grep -c '^function AB:' "$work/there")" -gt 20 ] && [ "$(grep -c '^constant' "$work/there")" -gt 50 ]
}

# Parameters, as the headers treat them: asked for by #if and the like, and undefined in the end or defined if not.
undefined() {
  awk '
    /^#endif \/\*/ { guard[$3] = 1 }
    /^#undef LBP_/ { undefined[$2] = 1 }
    /^#(el)?if/ {
      words = $0
      gsub(/[^A-Z_0-9]+/, " ", words)
      n = split(words, word, " ")
      for (k = 1; k <= n; k++) asked[word[k]] = 1
    }
    maybe != "" && $1 == "#define" && $2 ~ "^" maybe "(\\(|$)" { preset[maybe] = 1 }
    { maybe = $1 == "#ifndef" && NF == 2 ? $2 : "" }
    END {
      for (name in preset) if (name ~ /^LBP_/ && !(name in guard)) print name
      for (name in undefined) if (name in asked) print name
    }' lbp*.h lbp/*/*.h | grep -v '^LBP_P_\|^LBP_NAME_$' | sort -u
}

# in_table HEADER: the parameters of instances, which templates undefine, are those of the table on lbp.h's first page
in_table() {
  sed -n '/^ \* All parameters/,/^ \* The state x/p' "$1" | grep -oE '\bLBP_[A-Z_0-9]+\b' | sort -u > "$work/table"
  cat lbp.h lbp_ab.h lbp_perm.h lbp/run/flip_kernel.h | sed -n 's/^#undef \(LBP_[A-Z_0-9]*\)$/\1/p' | sort -u > "$work/gone"
  undefined | comm -12 - "$work/gone" | comm -23 - "$work/table" > "$work/lacks"
  sed 's/^/not in the table of lbp.h: /' "$work/lacks"
  [ -s "$work/table" ] && [ ! -s "$work/lacks" ] || return 1
  while read -r name; do
    grep -qwE "#(if|ifdef|ifndef|elif|define|undef) .*$name" lbp*.h lbp/*/*.h || { echo "in the table, not in a header: $name" && return 1; }
  done < "$work/table"
}
less_table() { sed '/^ \*     LBP_CLOCK /d' lbp.h > "$work/less.h" && ! in_table "$work/less.h"; }

# ---- what is described ---------------------------------------------------------------------------------------------

# described FILE: the same of a reference, and `parameter LBP_DELTA`
described() {
  awk '
    function uncommented(s,   at) {
      while ((at = index(s, "/*")) > 0) s = substr(s, 1, at - 1) " " substr(s, at + index(substr(s, at), "*/") + 1)
      return s
    }
    function tell(kind, names,   n, name, k) {
      gsub(/[^A-Za-z_0-9]+/, " ", names)
      n = split(names, name, " ")
      for (k = 1; k <= n; k++) if (name[k] !~ /^LBP_P_/) print kind, (kind == "parameter" || name[k] !~ /^NAME_/ ? "" : ab) name[k]
    }
    /^## / { ab = $2 == "lbp_ab.h" ? "AB:" : $2 == "lbp_perm.h" ? "PERM:" : "" }
    /^### / { section = $2 }
    /^#### / { heading = substr($0, 6); code = "" }
    /^```/ && code != "" && heading != "" {
      code = uncommented(code)
      if (section == "Parameters") tell("parameter", heading)
      else if (code ~ /^ ?#/) tell("macro", heading)
      else if (code ~ /^ ?(typedef )?enum/) {
        if (code ~ /typedef/) tell("type", substr(heading, 1, index(heading, ",") - 1))
        gsub(/=[^,}]*|\}.*|.*\{/, "", code)
        tell("constant", code)
      } else tell(code ~ /^ ?(typedef|struct [a-z_]* [{])/ ? "type" : "function", heading)
      heading = ""
    }
    /^```/ { inside = !inside; next }
    inside && heading != "" { code = code " " $0 }' "$1" | sort -u
}

# complete FILE: all that there is is described there
complete() {
  described "$1" > "$work/described" || return 1
  sed -n 's/^parameter /macro /p' "$work/described" | sort -u - "$work/described" | comm -23 "$work/there" - > "$work/lacks"
  sed -n 's/^parameter //p' "$work/described" | comm -13 - "$work/undefined" >> "$work/lacks"
  sed 's/^/not described: /' "$work/lacks"
  [ ! -s "$work/lacks" ]
}

# nothing_else FILE: all that is described there is there; parameters are asked for by a line of #if or the like
nothing_else() {
  described "$1" > "$work/described" || return 1
  grep -v '^parameter ' "$work/described" | comm -23 - "$work/there" > "$work/more"
  sed -n 's/^parameter //p' "$work/described" | while read -r name; do
    grep -qE "^# *(if|ifdef|ifndef|elif|undef) (.*[^A-Z_])?$name([^A-Z_]|\$)" lbp*.h lbp/*/*.h || echo "parameter $name"
  done >> "$work/more"
  sed 's/^/not there: /' "$work/more"
  [ -s "$work/described" ] && [ ! -s "$work/more" ]
}

# says FILE: every entry has three words of text at least, or comments in its code; and if it returns an int that does
# not answer a question, names statuses or a function that does
says() {
  awk '
    function end_entry() {
      if (name == "") return
      entries++
      if (words < 3) print "no text: " name
      if (code ~ /^int / && name !~ /_is_|_trial/) {
        if (text ~ /LBP_(E|AB|STATS)_[A-Z]/) names[name] = 1
        else if (match(text, /([Ss]tatuses|[Ee]rrors:?|wrong,) as (lbp_|NAME_)[a-z_]+/)) {
          as[name] = substr(text, RSTART, RLENGTH)
          sub(/.* /, "", as[name])
        } else print "no status: " name
      }
      name = ""
    }
    /^```/ { inside = !inside; next }
    inside && name != "" {
      code = code $0 "\n"
      if (/\/\*/) words += 3
    }
    inside { next }
    /^#/ { end_entry() }
    /^#### / { name = $2; code = text = ""; words = 0; gsub(/[`,]/, "", name); next }
    !/^(Default|Error): / { text = text " " $0; words += NF }
    END {
      end_entry()
      for (name in as) if (!(as[name] in names)) print "statuses as a function without: " name
      if (entries < 300) print "only " entries " entries"
    }' "$1" > "$work/silent"
  cat "$work/silent"
  [ ! -s "$work/silent" ]
}

# spoilt CHECK PROGRAM: the check finds what the sed program does to the reference
spoilt() {
  sed "$2" "$reference" > "$work/spoilt.md"
  ! cmp -s "$reference" "$work/spoilt.md" && ! "$1" "$work/spoilt.md"
}

if have readelf && is_gcc "$CC"; then
  check 'what instances of every kind have is found' list
  undefined > "$work/undefined"
  check 'all that there is is described' complete "$reference"
  check 'a function that is not described' spoilt complete '/^#### `lbp_ess`$/d'
  check 'one that is generated' spoilt complete 's/^#### `NAME_tuner_draw`$/#### `NAME_draw`/'
  check 'one that both templates generate' spoilt complete '/^## lbp_ab.h/,/^## lbp_models.h/{/^#### `NAME_touch`$/d;}'
  check 'a type' spoilt complete '/^#### `lbp_run_row`$/d'
  check 'a constant' spoilt complete '/^  LBP_E_INDEX, /d'
  check 'a macro' spoilt complete '/^#### `LBP_NEVER`$/d'
  check 'a parameter' spoilt complete '/^#### `LBP_DELTA`$/d'
  check 'one of two parameters' spoilt complete 's/^#### `LBP_SAVE`, `LBP_RESTORE`$/#### `LBP_SAVE`/'
  check 'nothing else is described' nothing_else "$reference"
  check 'a function that is not there' spoilt nothing_else 's/^#### `lbp_ess`$/#### `lbp_esss`/'
  check 'a type' spoilt nothing_else 's/^#### `lbp_rng`$/#### `lbp_generator`/'
  check 'a constant' spoilt nothing_else 's/^  LBP_E_INDEX, /& LBP_E_NOTHING,/'
  check 'a macro' spoilt nothing_else 's/^#### `LBP_NEVER`$/#### `LBP_EVER`/'
  check 'a parameter' spoilt nothing_else 's/^#### `LBP_DELTA`$/#### `LBP_DELTAA`/'
else
  skip 'what there is: no gcc, or no readelf'
fi
check 'every entry says something, and which statuses there are' says "$reference"
check 'an entry without a text' spoilt says '/^Returns the next word of the stream, 64/,/^lbp_u01(/d'
check 'a function without its statuses' spoilt says '/^#### `NAME_temper`$/,/^####* /s/LBP_E_[A-Z_]*//g'
check 'one that leaves them to another' spoilt says '/^#### `lbp_rhat_split`$/,/^#### `lbp_rhat`/s/LBP_[A-Z_]*//g'

# ---- what is made --------------------------------------------------------------------------------------------------

made() {
  awk -f docs/reference.awk lbp*.h lbp/*/*.h > "$work/reference.md" && diff "$reference" "$work/reference.md"
}
check "the table of parameters on lbp.h's first page has all" in_table lbp.h
check 'a row that is missing is found' less_table
check 'docs/reference.md is what make docs makes' made
with() { $1 -f docs/reference.awk lbp*.h lbp/*/*.h | cmp - "$reference"; }
awks=0
for awk in 'gawk --posix' mawk original-awk 'busybox awk'; do
  have "${awk%% *}" && echo | $awk 1 > /dev/null 2>&1 || continue
  check "the same by $awk" with "$awk"
  awks=$((awks + 1))
done
[ $awks -gt 1 ] || skip 'other awks than this one: not here'

prefix=$work/prefix man=$work/prefix/share/man/man3
mkdir -p "$man" && echo 'not ours' > "$man/lbp_not_ours.3"
check 'make install' "$MAKE" -s install PREFIX="$prefix"
pages='lbp lbp_ab lbp_bridge lbp_chains lbp_linear lbp_models lbp_options lbp_perm lbp_run lbp_stats lbp_support'
# its pages are these, and what else is there leads to the one that describes it
installed() {
  (cd "$man" && find . -name '*.3' -type f | sed 's/^\.\///; s/\.3$//' | sort) > "$work/pages"
  printf '%s\n' $pages lbp_not_ours | sort | diff - "$work/pages" || return 1
  sed -n 's/^function \(lbp_.*\)/\1/p' "$work/described" | while read -r name; do
    grep -qE "^\.SS \"$name\"\$" "$man/$name.3" || echo "no page for $name"
  done > "$work/lacks"
  find "$man" -type l | wc -l
  [ "$(find "$man" -type l | wc -l)" -eq "$(grep -c '^function lbp_' "$work/described")" ] && [ ! -s "$work/lacks" ]
}
described "$reference" > "$work/described"
check 'a page for each function' installed
lint() { mandoc -T lint "$@"; }
spoilt_page() { sed "$1" "$man/lbp_stats.3" > "$work/lbp_stats.3" && ! lint "$work/lbp_stats.3"; }
if have mandoc; then
  for page in $pages; do check "mandoc finds nothing wrong with $page.3" lint "$man/$page.3"; done
  check 'a macro that there is not' spoilt_page 's/^\.PP$/.PPP/'
  check 'a page without a title' spoilt_page '/^\.TH/d'
else
  skip 'lint: no mandoc'
fi
uninstalled() {
  "$MAKE" -s uninstall PREFIX="$prefix" && find "$prefix" ! -type d && [ "$(find "$prefix" ! -type d)" = "$man/lbp_not_ours.3" ]
}
check 'make uninstall removes exactly these' uninstalled

total
