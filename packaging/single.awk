# Makes one self-contained header: awk -f packaging/single.awk lbp.h > build/single/lbp.h replaces each include of this
# library by the file's text. A file with a guard is copied once in a block of conditions; if it is in this block, or in
# one around it, it is there already. A template has no guard, and is copied wherever it is included under a condition.
# lbp_ab.h and lbp_perm.h stay apart from lbp_run.h and lbp_bridge.h, which include these if an instance is theirs; kernels
# of lbp.h come with lbp_run.h.

# the file that an include of `from` names
function resolved(from, name,   folder) {
  folder = from
  sub(/[^\/]*$/, "", folder)
  name = folder name
  while (sub(/[^\/.]+\/\.\.\//, "", name)) continue
  return name
}

# whether line k of a file's lines opens a guard of the whole file, as #ifndef LBP_X_H before #define LBP_X_H
function is_guard(path, k,   word, next_word) {
  split(line[path, k], word, " ")
  split(line[path, k + 1], next_word, " ")
  return word[1] == "#ifndef" && next_word[1] == "#define" && word[2] == next_word[2] && word[2] ~ /_H$/
}

function load(path,   n, k) {
  if (path in lines) return
  while ((getline line[path, n + 1] < path) > 0) n++
  close(path)
  for (k = 1; k < n; k++) if (is_guard(path, k)) guarded[path] = 1
  if (!n) { print "single.awk: there is no " path > "/dev/stderr"; exit failed = 1 }
  lines[path] = n
}

# whether a file need not be put again: it was in a block that is still open
function is_there(path,   k) {
  for (k = depth; k >= 0 && path in place; k--) if (block[k] == place[path]) return 1
  return 0
}

# puts `path`; part: of lbp.h the support section alone. block[0 .. depth]: the conditions around this line, by numbers
function put(path, part,   k, name, skip, word) {
  load(path)
  if (depth == 0 || path in guarded) place[path] = block[depth]
  if (path == "lbp.h") {
    skip = support && !part ? "support" : "" # once is enough
    support = 1
  }
  for (k = 1; k <= lines[path]; k++) {
    split(line[path, k], word, " ")
    if (word[1] == "#ifndef" && word[2] == "LBP_P_SUPPORT") skip = part ? "template" : ""
    if (skip != "") {
      if (line[path, k] ~ /^#endif \/\* LBP_P_SUPPORT \*\//) skip = ""
      continue
    }
    if (line[path, k] ~ /^ *# *if/) {
      block[depth + 1] = is_guard(path, k) ? block[depth] : ++blocks
      depth++
    }
    if (line[path, k] ~ /^ *# *el/) block[depth] = ++blocks
    if (line[path, k] ~ /^ *# *endif/) depth--
    if (line[path, k] ~ /^#if __has_include\("lbp\//) { print "#if 1 /* it is there, further down */"; continue }
    if (line[path, k] !~ /^#include "lbp|^#include "[a-z.]/) { print line[path, k]; continue }
    split(line[path, k], word, "\"")
    name = resolved(path, word[2])
    if (top ~ /^lbp_(run|bridge)\.h$/ && name ~ /^lbp_(ab|perm)\.h$/) { print line[path, k]; continue }
    if (is_there(name) || (top == "lbp.h" && name ~ /^lbp\/run\//)) continue
    if (name == "lbp/base/support.h") { # lbp.h once, and its template where an instance is made
      if (!support) put("lbp.h", 1)
      continue
    }
    put(name, 0)
  }
}

BEGIN {
  top = ARGV[1]
  put(top, 0)
  exit failed
}
