# Recomputes the figures that pages quote from committed results: the library of tests/docs/figures/PAGE.awk, each of
# which prints phrases and rows of tables that must stand in its page (tests/docs.sh). Numbers there come from files of
# bench/results alone, and from those of bench/data that results are held against.

# ---- files -----------------------------------------------------------------------------------------------------------

# Reads FILE of bench/results: a CSV file, or with `heading`, a table of Markdown in it, the first below a line that
# begins so; "heading >> heading": a line below such a line. Returns what the functions below know it by.
function read(file, heading,    key, line, path, n, k, part, place, depth, seen, cells) {
  path = "bench/results/" file
  key = heading == "" ? file : file " " heading
  rows[key] = seen = cells = 0
  depth = split(heading, place, " >> ")
  while ((getline line < path) > 0) {
    if (heading != "") {
      if (seen < depth && index(line, place[seen + 1]) == 1) seen++
      if (seen < depth || line !~ /^\|/) {
        if (seen == depth && rows[key] > 0) break
        continue
      }
      if (line ~ /^\|[-:| ]+$/) continue
      gsub(/^\| *| *\|$/, "", line)
      n = split(line, part, / *\| */)
    } else {
      if (line ~ /^#/) continue
      if (match(line, /"[^"]*"/)) { # its commas are none of the file's
        k = substr(line, RSTART + 1, RLENGTH - 2)
        gsub(/,/, "", k)
        line = substr(line, 1, RSTART - 1) k substr(line, RSTART + RLENGTH)
      }
      n = split(line, part, ",")
    }
    if (!cells) {
      for (k = 1; k <= n; k++) named[key, k] = part[k]
      cells = n
      continue
    }
    rows[key]++
    for (k = 1; k <= n; k++) cell[key, rows[key], named[key, k]] = part[k]
  }
  close(path)
  if (!rows[key]) complain(path " has no rows" (heading == "" ? "" : " below " heading))
  return key
}

# What in the text of a report looks like `pattern` and comes right after `before`, or anywhere if that is empty,
# whatever the breaks of lines.
function after(file, before, pattern,    path, line, text, from) {
  path = "bench/results/" file
  while ((getline line < path) > 0) text = text line " "
  close(path)
  gsub(/ +/, " ", text)
  if (before == "" && match(text, pattern)) return substr(text, RSTART, RLENGTH)
  while (before != "" && (from = index(text, before)) > 0) {
    text = substr(text, from + length(before))
    if (match(text, pattern) == 1) return substr(text, 1, RLENGTH)
  }
  complain(file ": nothing like " pattern (before == "" ? "" : " after " before))
}

# Whether row r is one where columns have these values: "model=ising 0.2;sampler=Gibbs"; with * at its end, begin so.
function is(file, r, values,    n, k, part, eq, want, got) {
  n = split(values, part, ";")
  for (k = 1; k <= n; k++) {
    eq = index(part[k], "=")
    want = substr(part[k], eq + 1)
    got = cell[file, r, substr(part[k], 1, eq - 1)]
    if (want ~ /\*$/) {
      want = substr(want, 1, length(want) - 1)
      got = substr(got, 1, length(want))
    }
    if (got "" != want "") return 0
  }
  return 1
}

# How many rows have these values.
function how_many(file, values,    r, found) {
  for (r = 1; r <= rows[file]; r++) found += is(file, r, values)
  return found + 0
}

# What stands in a column of the one row with these values.
function value(file, values, column,    r, found, x) {
  for (r = 1; r <= rows[file]; r++) {
    if (!is(file, r, values)) continue
    if (found++) complain(file ": more than one row with " values)
    x = cell[file, r, column]
  }
  if (!found) complain(file ": no row with " values)
  else if (x == "") complain(file ": nothing in " column " of " values)
  return x
}

# What stands in a column of the one row with these values, which may be nothing.
function value_or_none(file, values, column,    r) {
  for (r = 1; r <= rows[file]; r++) if (is(file, r, values)) return cell[file, r, column]
  return ""
}

function at(file, values, column) { return value(file, values, column) + 0 }

# Of two rows that have `values` in common.
function ratio(file, values, one, other, column) {
  values = values ";"
  return at(file, values one, column) / nonzero(at(file, values other, column))
}

# That for each of some names of a column, which have no blanks in them.
function ratios(file, name, names, one, other, column,    n, k, part, list) {
  n = split(names, part, " ")
  for (k = 1; k <= n; k++) list = list " " ratio(file, name "=" part[k], one, other, column)
  return list
}

# All that stands in a column of the rows with these values.
function all(file, values, column,    r, list) {
  for (r = 1; r <= rows[file]; r++) {
    if (is(file, r, values) && cell[file, r, column] != "") list = list " " cell[file, r, column]
  }
  if (list == "") complain(file ": no " column " with " values)
  return list
}

# Whether x is within 3 standard errors or 3 % of y.
function near(x, se, y, y_se) { return square(x - y) <= 9 * (square(se) + square(y_se)) || square(x - y) <= square(0.03 * y) }

# How many measures, of how many, are near those of a reference: files whose rows with the same values in some columns
# go together, in turn. Measures have a column MEASURE_se; of effective sample sizes those below `least` there do not
# count.
function within(file, reference, columns, measures, least,    r, k, m, key, row, turn, good, of, measure, x) {
  for (r = 1; r <= rows[reference]; r++) {
    key = key_of(reference, r, columns)
    row[key, ++turn[key]] = r
  }
  for (key in turn) turn[key] = 0
  for (r = 1; r <= rows[file]; r++) {
    key = key_of(file, r, columns)
    k = row[key, ++turn[key]]
    if (!k) complain(reference ": no row for " key)
    for (m = split(measures, measure, " "); m > 0; m--) {
      x = cell[reference, k, measure[m]]
      if (measure[m] ~ /^ess/ && x < least) continue
      of++
      good += near(cell[file, r, measure[m]], cell[file, r, measure[m] "_se"], x, cell[reference, k, measure[m] "_se"])
    }
  }
  return good + 0 " of " of + 0
}
function key_of(file, r, columns,    n, k, part, key) {
  n = split(columns, part, " ")
  for (k = 1; k <= n; k++) key = key cell[file, r, part[k]] ","
  return key
}

# ---- numbers ---------------------------------------------------------------------------------------------------------

# Of numbers in a text, by themselves or with commas and blanks between them.
function lowest(list) { return extreme(list, -1) }
function highest(list) { return extreme(list, 1) }
function extreme(list, sign,    n, k, part, x) {
  n = split(list, part, /[ ,]+/)
  for (k = 1; k <= n; k++) {
    if (part[k] != "" && (x == "" || sign * (part[k] - x) > 0)) x = part[k] + 0
  }
  return x
}

function nonzero(x) {
  if (x == 0) complain("a division by zero")
  return x == 0 ? 1 : x
}

# The mean of numbers in a text, its standard error in `error`.
function mean(list,    n, k, part, numbers, sum, squares) {
  n = split(list, part, /[ ,]+/)
  for (k = 1; k <= n; k++) {
    if (part[k] == "") continue
    numbers++
    sum += part[k]
  }
  sum /= nonzero(numbers)
  for (k = 1; k <= n; k++) if (part[k] != "") squares += square(part[k] - sum)
  error = numbers > 1 ? root(squares / (numbers - 1) / numbers) : 0
  return sum
}

# To so many significant digits, as pages write numbers: 53,500; 0.37; 2,540.
function digits(x, count,    text, power, k) {
  if (x == 0) return "0"
  text = sprintf("%." (count - 1) "e", x)
  power = substr(text, index(text, "e") + 1) + 0
  if (power < count - 1) return fixed(text, count - 1 - power)
  text = sprintf("%.0f", text)
  for (k = length(text) - 3; k > (x < 0) && power > 2; k -= 3) text = substr(text, 1, k) "," substr(text, k + 1)
  return text
}

function fixed(x, places) { return sprintf("%." places "f", x) }

# With an error of one digit: 1.25 +- 0.02.
function with_error(x, se,    text, power) {
  text = sprintf("%.0e", se)
  power = substr(text, index(text, "e") + 1) + 0
  if (power > 0) power = 0
  return fixed(x, -power) " +- " fixed(text, -power)
}

# From the lowest to the highest of numbers in a text, to so many places or digits.
function between(list, places) { return span(fixed(lowest(list), places), fixed(highest(list), places)) }
function between_digits(list, count) { return span(digits(lowest(list), count), digits(highest(list), count)) }
function span(low, high) { return low == high ? low : low " to " high }

function word(n,    part) {
  split("one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen", part, " ")
  return n in part ? part[n] : n
}

# ---- bench/lanes, of which three pages speak ----------------------------------------------------------------------------

function lanes_range() { return between_digits(all(read("lanes/avx2.csv"), "", "lanes"), 2) " ns a site and chain" }

# ---- bench/compare, of which two pages speak -------------------------------------------------------------------------

# What a sampler gives per second by what the best informed one does, of those that are resolved, on each of some models.
function by_informed(file, models, sampler,    n, m, model, k, name, row, list, quotients) {
  n = split(models, model, " ")
  for (m = 1; m <= n; m++) {
    list = ""
    for (k = split("LBP-1 ALBP ALBP-second ALBP-sqrt AGWG", name, " "); k > 0; k--) {
      row = "resolved=yes;model=" model[m] ";sampler=" name[k]
      if (how_many(file, row)) list = list " " at(file, row, "ess_per_second")
    }
    quotients = quotients " " at(file, "model=" model[m] ";sampler=" sampler, "ess_per_second") / nonzero(highest(list))
  }
  return quotients
}
# The models whose names look like `pattern`, of which more than `least` of all single flips are accepted, and an informed
# sampler and the Gibbs sweep are resolved; how many are not resolved goes to `unresolved`.
function smooth(file, pattern, least,    r, s, model, informed, swept, list) {
  unresolved = 0
  for (r = 1; r <= rows[file]; r++) {
    model = cell[file, r, "model"]
    if (cell[file, r, "sampler"] != "RWM-1" || model !~ pattern || cell[file, r, "acceptance"] <= least) continue
    informed = swept = 0
    for (s = 1; s <= rows[file]; s++) {
      if (!is(file, s, "resolved=yes;model=" model)) continue
      informed += cell[file, s, "sampler"] ~ /^A?LBP|^AGWG/
      swept += cell[file, s, "sampler"] == "Gibbs"
    }
    if (informed && swept) list = list " " model
    else unresolved++
  }
  sub(/^ /, "", list)
  return list
}
# Leaves the names of these in `grids` and `in_fields`.
function sweeps_on_smooth_targets(file,    products) {
  grids = smooth(file, "^(ising|critical)", 0.03)
  in_fields = smooth(file, "^(field|glass)", 0.03)
  products = smooth(file, "^bernoulli", 0.03)
  say("gives " between(by_informed(file, grids " " in_fields, "Gibbs"), 1) " times")
  say("(on independent sites " between(by_informed(file, products, "Gibbs"), 1) " times)")
}

# ---- bench/tuning, of which two pages speak --------------------------------------------------------------------------

# How far LBP's acceptance rate with sqrt(t) on C3 is below (6) with lambda_1 as printed in (7).
function printed_gap(n,    table, row) {
  table = read("theory.md", "Acceptance rate of LBP-R")
  row = "N=" n ";C=C3;weight=sqrt(t)"
  return at(table, row, "paper") - at(table, row, "measured")
}

# ---- what pages say --------------------------------------------------------------------------------------------------

function say(text) { print text }

# Says what has no number in it that would change.
function say_if(truth, text) {
  say(text)
  if (!truth) complain("no longer true: " text)
}

function complain(text) {
  print "figures: " text | "cat 1>&2"
  failures++
}

END { exit failures > 0 }
