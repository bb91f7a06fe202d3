# Do reruns differ by as much as their standard errors say? Of the same CSV file of several runs with other seeds, say
#   awk -f bench/common/reruns.awk bench/out/paper-quick*/scaling.csv
# prints for every column X with a column X_se how often the spread between runs is the error that was stated: over all
# rows, the root of the mean variance between runs in units of the mean square error of the row. Runs as exact as they
# say give 1, within the error behind it.
BEGIN { FS = "," }
FNR == 1 { files++; row = 0 }
/^#/ { next }
row++ == 0 {
  for (c = 1; c <= NF; c++) name[c] = $c, at[$c] = c
  next
}
{
  for (c in name) {
    x = $c; se = (name[c] "_se") in at ? $at[name[c] "_se"] : ""
    if (se == "" || x == "" || se <= 0) continue
    k = c SUBSEP row
    n[k]++; sum[k] += x; squares[k] += x * x; variance[k] += se * se
  }
}
END {
  for (k in n) {
    if (n[k] < 2) continue
    split(k, of, SUBSEP); c = of[1]
    spread = (squares[k] - sum[k] * sum[k] / n[k]) / (n[k] - 1)
    freedom[c] += n[k] - 1
    ratio[c] += (n[k] - 1) * spread / (variance[k] / n[k])
  }
  printf "%-16s %28s %6s\n", files " runs", "spread / stated error", "rows"
  for (c = 1; c in name; c++) {
    if (!freedom[c]) continue
    r = sqrt(ratio[c] / freedom[c])
    printf "%-16s %20.2f +- %.2f %6d\n", name[c], r, r / sqrt(2 * freedom[c]), freedom[c] / (files - 1)
  }
}
