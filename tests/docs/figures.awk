# What pages say of committed results, said anew: the library of tests/docs/figures/PAGE.awk, each of which prints phrases
# and rows of tables that must stand in its page (tests/docs.sh). Numbers there come from files of bench/results alone.

# Reads FILE of bench/results: a CSV file, or with `heading`, a table of Markdown in it, the first below that line.
function read(file, heading,    line, path, n, k, part, on, cells) {
  path = "bench/results/" file
  rows[file] = 0
  on = heading == ""
  while ((getline line < path) > 0) {
    if (heading != "") {
      if (index(line, heading) == 1) on = 1
      if (!on || line !~ /^\|/) {
        if (on && rows[file] > 0) break
        continue
      }
      if (line ~ /^\|[-:| ]+$/) continue
      gsub(/^\| *| *\|$/, "", line)
      n = split(line, part, / *\| */)
    } else {
      if (line ~ /^#/) continue
      n = split(line, part, ",")
    }
    if (!cells) {
      for (k = 1; k <= n; k++) named[file, k] = part[k]
      cells = n
      continue
    }
    rows[file]++
    for (k = 1; k <= n; k++) cell[file, rows[file], named[file, k]] = part[k]
  }
  close(path)
  if (!rows[file]) complain(path " has no rows" (heading == "" ? "" : " below " heading))
}

# Whether row r is one where columns have these values: "model=ising 0.2;sampler=Gibbs".
function is(file, r, values,    n, k, part, eq) {
  n = split(values, part, ";")
  for (k = 1; k <= n; k++) {
    eq = index(part[k], "=")
    if (cell[file, r, substr(part[k], 1, eq - 1)] "" != substr(part[k], eq + 1) "") return 0
  }
  return 1
}

# The number in a column of the one row with these values.
function at(file, values, column,    r, found, x) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, values)) continue
    if (found++) complain(file ": more than one row with " values)
    x = cell[file, r, column]
  }
  if (!found) complain(file ": no row with " values)
  else if (x == "") complain(file ": nothing in " column " of " values)
  return x + 0
}

# The largest (sign 1) or smallest (-1) number in a column of the rows with these values; its row in `where`.
function extreme(file, values, column, sign,    r, x, found) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, values) || cell[file, r, column] == "") continue
    if (!found++ || sign * (cell[file, r, column] - x) > 0) {
      x = cell[file, r, column] + 0
      where = r
    }
  }
  if (!found) complain(file ": no " column " with " values)
  return x
}

# To so many significant digits, as pages write numbers: 53,500; 0.37; 2,540.
function digits(x, count,    power, k, text, sign) {
  if (x == 0) return "0"
  sign = x < 0 ? "-" : ""
  if (x < 0) x = -x
  power = 0
  while (x >= 10 ^ (power + 1)) power++
  while (x < 10 ^ power) power--
  x = sprintf("%.0f", x / 10 ^ (power - count + 1)) * 10 ^ (power - count + 1)
  if (power < count - 1) return sign sprintf("%.*f", count - 1 - power, x)
  text = sprintf("%.0f", x)
  for (k = length(text) - 3; k > 0 && x >= 1000; k -= 3) text = substr(text, 1, k) "," substr(text, k + 1)
  return sign text
}

function say(text) { print text }

function complain(text) {
  print "figures: " text | "cat 1>&2"
  failures++
}

END { exit failures > 0 }
