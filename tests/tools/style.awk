# Part of lint.sh: awk -v version=X.Y.Z -f tests/tools/style.awk HEADER... prints what departs from the style that
# docs/contributing.md settles ("Style"), and fails if anything does or nothing was looked at.

function departs(what) {
  print FILENAME ":" FNR ": " what
  failed = 1
}

# the line without comments and strings that stand on it
function bare(text) {
  gsub(/"([^"\\]|\\.)*"/, "\"\"", text)
  gsub(/\/\*([^*]|\*[^\/])*\*\//, "", text)
  sub(/[ \t]+$/, "", text)
  return text
}

function count_of(text, what) { return gsub(what, "", text) }

function end_header() {
  if (!versioned) print header ": the first page does not say: Version " version ". MIT licence, see LICENSE"
  if (last == "#endif") print header ": the last #endif does not say of what"
  failed = failed || !versioned || last == "#endif"
}

FNR == 1 {
  if (NR > 1) end_header()
  header = FILENAME
  page = 1
  versioned = open = comment = includes = macro = 0
}

{ last = $0 }

/[ \t]$/ || /\t/ { departs("a tab, or a space at the end") }

page && index($0, "Version " version ". MIT licence, see LICENSE") { versioned = 1 }
page && /\*\// { page = 0 }

# banners
/^\/\* *[-=][-=][-=]/ {
  if (length($0) != 120) departs("a banner is 120 columns wide, not " length($0))
  if (!/^\/\* ---- [^-=].* ---*( \*\/)?$/ && !/^\/\* ==== (support|template): .* ===* \*\/$/) {
    departs("a banner is /* ---- name --- */; of the parts, /* ==== support: ... === */ or template")
  }
}
/^ \* *[-=][-=][-=][-=]/ { departs("a rule inside a comment: a banner is one line") }

# includes: those of the system first
/^#include "/ { includes = 1 }
/^#include </ && includes { departs("#include <...> comes before #include \"...\"") }
!/^#include/ && !/^$/ { includes = 0 }

# what follows is about code
comment { comment = !/\*\// }
comment || /^ \*/ { next }
{
  line = bare($0)
  if (sub(/\/\*.*$/, "", line)) comment = 1
}

line ~ /for \((const )?(unsigned|u?int[0-9]*(_t)?|size_t|double|float) / {
  departs("a counter is declared with the function's other variables")
}
line ~ /; (\+\+|--)[a-z_]+\)/ { departs("i++ rather than ++i") }
line ~ /[!=]= NULL/ {
  if (line ~ /== NULL/) departs("!p rather than p == NULL")
  else if (line ~ /(if|while) \([^()]* != NULL|!= NULL\)* (&&|\|\||\?)|(&&|\|\|) [^,;]*!= NULL/) {
    departs("p rather than p != NULL in a condition")
  }
}
line ~ /= \{ +[^ ]/ { departs("{1, 2} rather than { 1, 2 }") }
line ~ /(^| )defined *\(/ { departs("defined X rather than defined(X)") }
line ~ /sizeof \(/ { departs("sizeof(type), sizeof value") }

# from `if (` and the like to the parenthesis that closes it; what a macro ends with has its body elsewhere
!open && !macro && line ~ /^ +(} else )?(for|if|while) \(/ {
  open = 1
  head = ""
}
open {
  head = head line
  left = count_of(head, "\\(") - count_of(head, "\\)")
  if (left == 0 && head ~ /\)$/) departs("a body on a line of its own has braces")
  open = left > 0
}
line ~ /^ *(} )?else$/ { departs("a body on a line of its own has braces") }
{ macro = line ~ /\\$/ }

/^LBP_(FN|CALLED|COLD|INLINE|APART|LEAF) / { functions++ }

END {
  end_header()
  if (!functions) print "no function is found"
  exit failed || !functions
}
