# Part of coverage.sh: reads gcov's JSON, which becomes records at its closing braces, and coverage.txt.

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
    for (k = 1; k <= outcomes; k++) branch[++branches] = name " " outcomes " " k " " outcome[k]
    outcomes = 0
  } else if (text ~ /"start_line"/) {
    entry[++entries] = number(text, "start_line") " " number(text, "execution_count")
  } else if (text ~ /"lines"/) {
    name = string(text, "file")
    sub(/.*\//, "", name)
    if (name in source) {
      for (k = 1; k <= lines; k++) merge("line", name, line[k], 2)
      for (k = 1; k <= branches; k++) merge("branch", name, branch[k], 4)
      for (k = 1; k <= entries; k++) merge("function", name, entry[k], 2)
    }
    lines = branches = entries = 0
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

# The headers' text, and their switches: what an #if asks for, apart from private names.
function read_header(name,   text, n, k, word) {
  header[++headers] = name
  source[name] = 0
  while ((getline text < name) > 0) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    code[name, ++source[name]] = text
    stands[name " " text] = 1
    if (text !~ /^# *(if|elif)/) continue
    sub(/\/\*.*/, "", text)
    n = split(text, word, /[^A-Za-z0-9_]+/)
    for (k = 1; k <= n; k++) if (word[k] ~ /^(LBP_|LAPACK_|__)/ && word[k] !~ /^LBP_P_/) asked[word[k]] = 1
  }
  close(name)
}

# The list: "HEADER COUNT line|branch TEXT" says that nothing reaches so many lines with this text, or outcomes of the
# branches on them; "switch NAME PROGRAM ..." who exercises it. What is indented is a reason.
function read_list(name,   text, part) {
  while ((getline text < name) > 0) {
    if (text ~ /^([# \t]|$)/) continue
    split(text, part, " ")
    if (part[1] == "switch") {
      sub(/^switch +[^ ]+ +/, "", text)
      exercised[part[2]] = text
    } else {
      sub(/^[^ ]+ +[^ ]+ +[^ ]+ +/, "", text)
      argued[part[3] " " part[1] " " text] = part[2]
    }
  }
  close(name)
}

BEGIN {
  while (("ls lbp*.h" | getline name) > 0) read_header(name)
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
  return sprintf("%7.2f %% of %-5d", percent(hit[kind, name], all[kind, name]), all[kind, name])
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

# Whether the list explains line n.
function is_argued(kind, name, n,   key) {
  key = kind " " name " " code[name, n]
  return key in argued && argued[key] == found[key]
}

END {
  for (key in run) {
    split(key, part, " ")
    text = part[2] " " code[part[2], part[3]]
    compiled[part[1] " " text] = 1
    all[part[1], part[2]]++
    hit[part[1], part[2]] += run[key]
    if (run[key]) continue
    missed[part[1], part[2], part[3]]++
    found[part[1] " " text]++
  }
  for (h = 1; h <= headers; h++) {
    name = header[h]
    for (n = 1; n <= source[name]; n++) {
      if (missed["line", name, n]) {
        if (is_argued("line", name, n)) hit["argued", name]++
        else print name ":" n ": never run: " code[name, n]
      } else if (missed["branch", name, n] && !is_argued("branch", name, n)) {
        print name ":" n ": never taken, of the outcomes" outcomes_missed(name, n) ": " code[name, n]
      }
    }
  }
  printf "\n%-18s %-18s %-18s %-18s\n", "", "lines", "branches", "functions"
  for (h = 1; h <= headers; h++) {
    name = header[h]
    printf "%-18s %s %s %s\n", name, cell("line", name), cell("branch", name), cell("function", name)
  }
  print ""
  for (h = 1; h <= headers; h++) {
    name = header[h]
    check(all["line", name] > 0 && hit["line", name] + hit["argued", name] == all["line", name],
          name ": a line is never run, and " list " does not say why")
    check(hit["branch", name] >= 0.95 * all["branch", name], name ": fewer than 95 % of the outcomes are taken")
  }
  for (key in argued) {
    text = substr(key, index(key, " ") + 1)
    if (text in stands && !(key in compiled)) skip("without CBLAS or LAPACK not compiled: " text)
    else check(argued[key] == found[key], list ": " argued[key] " " key ": there are " found[key] + 0)
  }
  for (name in asked) check(name in exercised, list ": who exercises the switch " name "?")
  for (name in exercised) {
    check(name in asked, list ": no header asks for " name)
    pieces = split(exercised[name], piece, " ")
    for (p = 1; p <= pieces; p++) {
      if (piece[p] ~ /_(cblas|lapacke?)$/ && !(piece[p] in program)) skip("without CBLAS or LAPACK not run: " piece[p])
      else check(piece[p] in program || piece[p] ~ /^(hygiene|embedded|all)$/,
                 list ": " name ": " piece[p] " was not run")
    }
  }
  print passed " passed, " failed + 0 " failed" (skipped ? ", " skipped " skipped" : "")
  exit failed > 0
}
