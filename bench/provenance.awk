# What of a tree results depend on, for bench/provenance.sh: awk -v tree=FOLDER -v out=FOLDER -f bench/provenance.awk LIST.
# LIST has lines "GROUP known PATTERN" and "GROUP source FILE". Writes OUT/files/NUMBER, a file each in the form whose
# checksum counts, and OUT/known/GROUP, the lines of tests/known.txt; prints "GROUP program|headers NUMBER".
#
# Whatever leaves draws and times as they are does not count: comments and blanks, texts of the library, its version.

# Where `name`, included by `file`, is; "" if it is none of the tree's.
function place(file, name,    path, part, n, k, kept, m) {
  path = file
  if (!sub(/\/[^\/]*$/, "/", path)) path = ""
  n = split(path name, part, "/")
  for (k = 1; k <= n; k++) {
    if (part[k] == "..") m--
    else if (part[k] != ".") kept[++m] = part[k]
  }
  path = ""
  for (k = 1; k <= m; k++) path = path (k > 1 ? "/" : "") kept[k]
  if (path in number || there(path)) return path
  return there(name) ? name : ""
}

function there(path,    line, status) {
  status = (getline line < (tree "/" path))
  close(tree "/" path)
  return status >= 0
}

# A line of C without comments, whose state is `inside`; of strings the quotes alone if `texts` is 0.
function code(line, texts,    kept, token) {
  kept = ""
  while (line != "") {
    if (inside) {
      if (!(token = index(line, "*/"))) return kept
      line = substr(line, token + 2)
      inside = 0
    } else if (match(line, /"([^"\\]|\\.)*"|'([^'\\]|\\.)*'|\/[*]|\/\//)) {
      token = substr(line, RSTART, RLENGTH)
      kept = kept substr(line, 1, RSTART - 1)
      line = substr(line, RSTART + RLENGTH)
      if (token == "//") return kept
      if (token == "/*") inside = 1
      else kept = kept (texts || token ~ /^'/ ? token : "\"\"")
    } else {
      return kept line
    }
  }
  return kept
}

# Reads a file, unless that was done: writes its form, and keeps what it includes.
function load(file,    line, path, to, is_c, texts, name) {
  if (file in number) return
  number[file] = ++files
  path = tree "/" file
  to = out "/files/" files
  printf "" > to
  is_c = file ~ /\.(c|h|cc|cu)$/
  texts = !of_library(file)
  inside = 0
  while ((getline line < path) > 0) {
    if (!is_c) {
      if (line !~ /^[ \t]*#/) print line > to
      continue
    }
    if (!inside && line ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
      name = line
      sub(/^[^"]*"/, "", name)
      sub(/".*/, "", name)
      includes[file] = includes[file] " " name
    }
    if (!inside && line ~ /^[ \t]*#[ \t]*define LBP_VERSION /) continue
    line = code(line, texts)
    gsub(/[ \t\r]/, "", line)
    printf "%s", line > to
  }
  close(path)
  print "" > to
  close(to)
}

function of_library(file) { return file ~ /^lbp[a-z_]*\.h$|^lbp\// }

# Prints what a group's source leads to.
function follow(group, file,    n, k, name, path) {
  if ((group, file) in followed) return
  followed[group, file] = 1
  if (file ~ /\.bin$/) {
    print group, "program", file
    return
  }
  load(file)
  print group, of_library(file) ? "headers" : "program", number[file]
  n = split(includes[file], name, " ")
  for (k = 1; k <= n; k++) if ((path = place(file, name[k])) != "") follow(group, path)
}

BEGIN {
  while ((getline line < (tree "/tests/known.txt")) > 0) known[++lines] = line
}
$2 == "known" {
  to = out "/known/" $1
  pattern = $0
  sub(/^[^ ]+ known /, "", pattern)
  printf "" > to
  for (k = 1; k <= lines; k++) if (known[k] ~ pattern) print known[k] > to
  close(to)
}
$2 == "source" && there($3) { follow($1, $3) }
