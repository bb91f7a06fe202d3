# The table of bench/infer/infer.sh's lines, and their sums.
function mean(sum, count) { return count ? sprintf("%.2f", sum / count) : "-" }
BEGIN { FS = "," }
/^#/ || /^network,/ { next }
!($1 in met) { met[$1] = 1; order[++networks] = $1 }
$2 == "exact" { exact[$1] = $4; next }
{ runs[$1]++
  if ($10) warned[$1]++
  if ($4 == "") { none++; next }
  if ($4 > worst[$1]) worst[$1] = $4
  if ($4 > 0.01 && !$10) silent++
  if ($7 > 0) { z2[$1] += $6; counted[$1]++; all += $6; count++ }
  if ($8 == "" || !($9 > 0)) next
  r = $8 / $9
  pr[$1] += r * r
  prs[$1]++
  pr_all += r * r
  pr_count++
  if (r > 3 || r < -3) beyond++
}
END {
  printf "%-20s %9s %6s %7s %10s %9s %9s\n", "network", "exact", "seeds", "warned", "worst", "z2", "PR z2"
  for (k = 1; k <= networks; k++) {
    name = order[k]
    printf "%-20s %9.1e %6d %7d %10.2g %9s %9s\n", name, exact[name], runs[name], warned[name], worst[name], \
      mean(z2[name], counted[name]), mean(pr[name], prs[name])
    if (warned[name] * 2 > runs[name]) often++
  }
  printf "%d networks, warned in most runs of %d; ", networks, often
  printf "%d runs with an error above 0.01 and no warning, ", silent
  printf "%d without an answer\n", none
  if (count) printf "mean square of z: marginals %.2f over %d runs", all / count, count
  if (pr_count) printf "; log10 Z %.2f over %d, %d beyond three errors", pr_all / pr_count, pr_count, beyond
  print ""
}
