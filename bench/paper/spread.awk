# The report of bench/paper/spread.sh, from tables.csv of bench/data and of other networks and states: for every cell the
# paper's figure, the reference's, ours, and the range of all; and what all cells of a size have in common. `made` says
# what made it.
BEGIN { FS = "," }
FNR == 1 { files++; head = 1 }
/^#/ { next }
head { head = 0; for (k = 1; k <= NF; k++) at[$k] = k; next }
{ take("ejd"); take("ess") }
function take(what,   c, v, se) {
  if (what == "ejd" && $1 != "rbm") return # nothing is left to chance in it
  c = $1 " " $3 " | " $2 " | " $4 ($5 ? " " $5 : "") " | " (what == "ejd" ? "jump distance" : "effective sample size")
  v = $at[what]
  se = $at[what "_se"]
  if (files == 1) {
    order[++count] = c
    model[c] = $1
    row[c] = $1 "," $2 "," $3 "," $4 "," $5
    group[c] = $1 " " $3 ", " (what == "ejd" ? "jump distances" : "effective sample sizes")
    own[c] = v
    paper[c] = $at["paper_" what]
    reference[c] = $at["reference_" what]
    reference_se[c] = $at["reference_" what "_se"]
  }
  noise[c] += se * se
  number[c]++
  value[c, files] = v
  if (!(c in low) || v < low[c]) low[c] = v
  if (!(c in high) || v > high[c]) high[c] = v
}
function figure(v) { return v == "" || v <= 0 ? "" : sprintf(v < 1000 ? "%.3g" : "%.0f", v) }
# whether v, known to se, is among what was seen: within 3 standard errors of its range
function among(v, se, c,   e) {
  e = 3 * root(se * se + noise[c] / number[c])
  return v >= low[c] - e && v <= high[c] + e
}
function judge(c, v, se, whose) {
  if (v == "" || v <= 0) return
  judged[model[c], whose]++
  within[model[c], whose] += among(v, se, c)
}
# What all cells of a size have in common: figures of `whose` by those of bench/data, geometric mean and its error.
function together(g, whose,   n, m, e) {
  n = cells[g, whose]
  if (n < 2) return ""
  m = logs[g, whose] / n
  e = root((log_squares[g, whose] - n * m * m) / (n - 1) / n)
  return sprintf("%.3f +- %.3f", e_to(m), e_to(m) * e)
}
function compare(g, whose, v, c) {
  if (v == "" || v <= 0) return
  cells[g, whose]++
  logs[g, whose] += ln(v / own[c])
  log_squares[g, whose] += square(ln(v / own[c]))
}
# The range of a cell's jump distances, after which comes that of its effective sample sizes.
function write_range(c, what) {
  if (what == "jump distances") printf "%s,%d", row[c], number[c] > networks
  printf ",%s,%s", figure(low[c]), figure(high[c]) > networks
  if (what != "jump distances") print "" > networks
}
END {
  if (networks) print "model,config,size,sampler,weight,networks,ejd_least,ejd_largest,ess_least,ess_largest" > networks
  print "# What the paper leaves to chance"
  print "\nWritten by `make bench-spread`. " made ". Networks and states x0, the first those of `bench/data`.\n"
  print "| | | | | paper | reference | bench/data | all seeds |\n|---|---|---|---|---:|---:|---:|---:|"
  for (k = 1; k <= count; k++) {
    c = order[k]
    if (number[c] < 2) continue
    if (!(group[c] in seen)) { seen[group[c]]; name[++groups] = group[c] }
    for (m = 2; m <= files; m++) compare(group[c], m, value[c, m], c)
    compare(group[c], "reference", reference[c], c)
    compare(group[c], "paper", paper[c], c)
    judge(c, paper[c], 0, "paper")
    if (networks && model[c] == "rbm") write_range(c, group[c] ~ /jump distances$/ ? "jump distances" : "")
    judge(c, reference[c], reference_se[c], "reference")
    printf "| %s | %s | %s | %s | %s to %s |\n", c, figure(paper[c]), figure(reference[c]), figure(own[c]),
      figure(low[c]), figure(high[c])
  }
  print ""
  print "Over bench/data, all cells of a size together: geometric mean and its error.\n"
  printf "| |"
  for (m = 2; m <= files; m++) printf " another |"
  printf " reference | paper |\n|---|"
  for (m = 1; m <= files; m++) printf "---:|"
  print "---:|"
  for (k = 1; k <= groups; k++) {
    printf "| %s |", name[k]
    for (m = 2; m <= files; m++) printf " %s |", together(name[k], m)
    printf " %s | %s |\n", together(name[k], "reference"), together(name[k], "paper")
  }
  print ""
  models = split("ising fhmm rbm", kind, " ")
  for (k = 1; k <= models; k++) {
    m = kind[k]
    if (judged[m, "paper"]) {
      printf "- %s: within 3 standard errors of what was seen is the paper in %d of %d cells, the reference in %d of %d\n",
        m, within[m, "paper"], judged[m, "paper"], within[m, "reference"], judged[m, "reference"]
    }
  }
}
