# Part of coverage.sh: reads gcov's JSON, which becomes records at its closing braces, and coverage.txt. `only`: an ERE,
# the headers that are looked at; who exercises a switch is then not.

function number(text, name) {
  match(text, "\"" name "\": *")
  return substr(text, RSTART + RLENGTH) + 0
}

function string(text, name) {
  match(text, "\"" name "\": *\"[^\"]*")
  text = substr(text, RSTART, RLENGTH)
  sub(/.*"/, "", text)
  return text
}

# An object has ended; text is what it holds apart from other objects. The file's name may come after its lines.
function object(text,   name, k) {
  if (text ~ /"program"/) {
    program[string(text, "program")] = 1
  } else if (text ~ /"fallthrough"/) {
    outcome[++outcomes] = number(text, "count")
  } else if (text ~ /"line_number"/) {
    name = number(text, "line_number")
    line[++lines] = name " " number(text, "count")
    if (outcomes > widest) widest = outcomes
    for (k = 1; k <= outcomes; k++) {
      branch[++branches] = name " " outcomes " " k " " outcome[k]
      owner[branches] = string(text, "function_name")
    }
    outcomes = 0
  } else if (text ~ /"start_line"/) {
    entry[++entries] = number(text, "start_line") " " number(text, "execution_count")
    runs[string(text, "name")] = number(text, "execution_count")
  } else if (text ~ /"lines"/) {
    name = string(text, "file")
    while (sub(/[^\/]+\/\.\.\//, "", name)) continue
    if (match(name, /lbp([a-z_]*|\/[a-z]+\/[a-z_]+)\.h$/)) name = substr(name, RSTART)
    if (name in source) {
      for (k = 1; k <= lines; k++) merge("line", name, line[k], 2)
      for (k = 1; k <= branches; k++) if (runs[owner[k]] > 0) merge("branch", name, branch[k], 4)
      for (k = 1; k <= entries; k++) merge("function", name, entry[k], 2)
    }
    lines = branches = entries = 0
    split("", runs)
  }
}

# run[kind, header, place ...]: whether anything counted there; counted is a place and, last, how often
function merge(kind, header, counted, words,   part, key, k) {
  split(counted, part, " ")
  key = kind " " header
  for (k = 1; k < words; k++) key = key " " part[k]
  if (part[words] > 0 || !(key in run)) run[key] = part[words] > 0
}

function check(ok, what) {
  if (ok) passed++
  else { failed++; print "FAILED: " what }
}

function skip(what) {
  skipped++
  print "skipped: " what
}

function percent(part, whole) { return whole > 0 ? 100 * part / whole : 100 }

# The headers' text, and their switches: what an #if asks for, apart from private names and what guards a header.
function read_header(name,   text, n, k, word, begun) {
  if (only == "" || name ~ only) {
    header[++headers] = name
    source[name] = 0
  }
  while ((getline text < name) > 0) {
    if (text ~ /^LBP_(FN|INLINE|COLD|CALLED|P_DRIVER) /) begun = 1
    if (begun && text ~ /[{;]/) { # a declaration has no lines to run
      if (text ~ /[{]/) functions[name] = 1
      begun = 0
    }
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    if (name in source) code[name, ++source[name]] = text
    if (text !~ /^# *(if|elif)/) continue
    sub(/\/\*.*/, "", text)
    n = split(text, word, /[^A-Za-z0-9_]+/)
    for (k = 1; k <= n; k++) if (word[k] ~ /^(LBP_|LAPACK_|__)/ && word[k] !~ /^LBP_P_|_H$/) asked[word[k]] = 1
  }
  close(name)
}

# The list: "share HEADER LINES BRANCHES" says of how many per cent at least each must be run, or taken, where that is not
# LINES_LEAST and BRANCHES_LEAST; "switch NAME PROGRAM ..." who exercises it. What is indented is a reason.
function read_list(name,   text, part) {
  while ((getline text < name) > 0) {
    if (text ~ /^([# \t]|$)/) continue
    split(text, part, " ")
    if (part[1] == "switch") {
      sub(/^switch +[^ ]+ +/, "", text)
      exercised[part[2]] = text
    } else {
      share["line", part[2]] = part[3]
      share["branch", part[2]] = part[4]
    }
  }
  close(name)
}

BEGIN {
  while (("ls lbp*.h lbp/*/*.h" | getline name) > 0) read_header(name)
  LINES_LEAST = 97
  BRANCHES_LEAST = 78
  list = "tests/tools/coverage.txt"
  read_list(list)
  RS = "}"
}

{
  pieces = split($0, piece, "{")
  if (piece[1] !~ /^[, \n]*$/) held[depth] = held[depth] piece[1]
  for (p = 2; p <= pieces; p++) held[++depth] = piece[p]
  if (depth > 0) object(held[depth--])
}

function cell(kind, name) {
  return sprintf("%7.2f %% of %-5d", percent(hit[kind, name] + 0, all[kind, name] + 0), all[kind, name])
}

# As "k/n" where the line has n outcomes.
function outcomes_missed(name, n,   key, size, k, text) {
  for (size = 2; size <= widest; size++) {
    for (k = 1; k <= size; k++) {
      key = "branch " name " " n " " size " " k
      if (key in run && !run[key]) text = text " " k "/" size
    }
  }
  return text
}

# Whether as much of a header is reached as must be; no less than the list says, and the list no more than it needs.
function enough(kind, name, least,   got) {
  got = percent(hit[kind, name] + 0, all[kind, name] + 0)
  if (!((kind, name) in share)) return got >= least
  return got >= share[kind, name] && share[kind, name] <= least
}

END {
  for (key in run) {
    split(key, part, " ")
    all[part[1], part[2]]++
    hit[part[1], part[2]] += run[key]
    if (!run[key]) missed[part[1], part[2], part[3]]++
  }
  for (h = 1; h <= headers; h++) {
    name = header[h]
    for (n = 1; n <= source[name]; n++) {
      if (missed["line", name, n]) print name ":" n ": never run: " code[name, n]
      else if (missed["branch", name, n]) {
        print name ":" n ": never taken, of the outcomes" outcomes_missed(name, n) ": " code[name, n]
      }
    }
  }
  printf "\n%-26s %-18s %-18s %-18s\n", "", "lines", "branches", "functions"
  for (h = 1; h <= headers; h++) {
    name = header[h]
    printf "%-26s %s %s %s\n", name, cell("line", name), cell("branch", name), cell("function", name)
  }
  print ""
  for (h = 1; h <= headers; h++) {
    name = header[h]
    check((all["line", name] > 0 || !(name in functions)) && enough("line", name, LINES_LEAST), name ": too few lines are run")
    check(enough("branch", name, BRANCHES_LEAST), name ": too few of the outcomes are taken")
  }
  for (name in asked) check(name in exercised, list ": who exercises the switch " name "?")
  for (name in exercised) {
    check(name in asked, list ": no header asks for " name)
    if (only != "") continue
    pieces = split(exercised[name], piece, " ")
    for (p = 1; p <= pieces; p++) {
      if (piece[p] ~ /_(cblas|lapacke?)$/ && !(piece[p] in program)) skip("without CBLAS or LAPACK not run: " piece[p])
      else check(piece[p] in program || piece[p] ~ /^(hygiene|embedded|all|windows|nobody)$/,
                 list ": " name ": " piece[p] " was not run")
    }
  }
  print passed " passed, " failed + 0 " failed" (skipped ? ", " skipped " skipped" : "")
  exit failed > 0
}
