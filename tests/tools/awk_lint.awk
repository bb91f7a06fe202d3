# Finds code that some awks refuse, or read as something else, with any awk: awk -f awk_lint.awk FILE..., the files of
# one program. Prints what it finds, and fails if it finds something.
# - a parameter with the name of a function: mawk 1.3.4 refuses it
# - a repetition {2} in a regular expression: mawk 1.3.4 takes it for these characters
# - a new line after ? or : of a condition: gawk --posix refuses it
# - functions and variables of gawk alone
# - powers, roots, logarithms: Debian's busybox awk has no mathematical library (bench/common/numbers.awk)
function complain(what) {
  print FILENAME ":" FNR ": " what
  bad = 1
}
FNR == 1 { rest = "" }
{
  line = $0
  gsub(/\\"/, "", line)
  gsub(/"[^"]*"/, "\"\"", line)
  sub(/(^|[ \t;{}])#.*/, "", line)
  code = line
}
code ~ /\/[^\/]*[^ \t\/(,;]\{[0-9]+(,[0-9]*)?\}[^\/]*\// { complain("a repetition in a regular expression") }
code ~ /[ )][?:][ \t]*$/ { complain("a line ends in ? or :") }
code ~ /(^|[^a-z_A-Z0-9])(gensub|strftime|systime|mktime|asorti?|patsplit|strtonum|PROCINFO|FPAT|FIELDWIDTHS|BEGINFILE|ENDFILE|nextfile|IGNORECASE|RT|and|or|xor|lshift|rshift|compl)[ \t]*(\(|=|\[)/ {
  complain("a function or a variable of gawk")
}
code ~ /[])A-Za-z0-9_] ?\^ ?[A-Za-z0-9_(]/ || code ~ /(^|[^a-z_A-Z0-9])(sqrt|log|exp|sin|cos|atan2)[ \t]*\(/ {
  complain("a power or a function of a mathematical library")
}
code ~ /function[ \t]+[A-Za-z_]/ || rest != "" {
  rest = rest code
  while (match(rest, /function[ \t]+[A-Za-z_0-9]+[ \t]*\([^)]*\)/)) {
    head = substr(rest, RSTART + 9, RLENGTH - 10)
    rest = substr(rest, RSTART + RLENGTH)
    name = head
    sub(/[ \t]*\(.*/, "", name)
    sub(/^[ \t]*/, "", name)
    sub(/^[^(]*\(/, "", head)
    gsub(/[^A-Za-z_0-9]+/, " ", head)
    defined[name] = 1
    heads++
    owner[heads] = name
    parameters[heads] = head
    place[heads] = FILENAME ":" FNR
  }
  if (rest !~ /function[ \t]+[A-Za-z_0-9]+[ \t]*\([^)]*$/) rest = ""
}
END {
  for (h = 1; h <= heads; h++) {
    n = split(parameters[h], part, " ")
    for (k = 1; k <= n; k++) {
      if (!(part[k] in defined)) continue
      print place[h] ": " owner[h] ": its parameter " part[k] " is a function"
      bad = 1
    }
  }
  exit bad
}
