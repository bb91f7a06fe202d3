# Do reruns differ by as much as their standard errors state? Of the same CSV file of several runs with other seeds, say
#   awk -f bench/common/numbers.awk -f bench/common/reruns.awk bench/out/paper-quick-again*/scaling.csv
# prints for every column X that has an X_se how large the spread between runs is next to the error that was stated: the
# root of the mean variance between runs over the mean square of the errors, rows weighing the same. Errors that are
# what they state give 1, within the number behind it.
BEGIN { FS = "," }
FNR == 1 { files++; row = 0 }
/^#/ { next }
row++ == 0 {
  for (c = 1; c <= NF; c++) { name[c] = $c; at[$c] = c }
  next
}
{
  for (c in name) {
    if (!(name[c] "_se" in at) || $c == "" || $at[name[c] "_se"] <= 0) continue
    k = c SUBSEP row
    n[k]++
    sum[k] += $c
    squares[k] += $c * $c
    stated[k] += square($at[name[c] "_se"])
  }
}
END {
  for (k in n) {
    if (n[k] < 2) continue
    split(k, of, SUBSEP)
    spread = (squares[k] - sum[k] * sum[k] / n[k]) / (n[k] - 1)
    rows[of[1]]++
    freedom[of[1]] += n[k] - 1
    ratio[of[1]] += (n[k] - 1) * spread / (stated[k] / n[k])
  }
  printf "%-16s %28s %6s\n", files " runs", "spread / stated error", "rows"
  for (c = 1; c in name; c++) {
    if (!rows[c]) continue
    r = root(ratio[c] / freedom[c])
    printf "%-16s %20.2f +- %.2f %6d\n", name[c], r, r / root(2 * freedom[c]), rows[c]
  }
}
