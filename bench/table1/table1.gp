# Expected jump distance and effective samples per second of every sampler, one group a model, from table1.csv.
# Called by bench with folder set.
load "bench/common/style.gp"
csv = folder . "/table1.csv"
set style data histograms; set style histogram clustered gap 1.5
set style fill solid 0.85 noborder
set logscale y
set key outside top center horizontal samplen 1 font ",10"
seen(column) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && ($5 == \"\" || $5 == \"t/(1+t)\") && !seen[$%d]++ {printf \"%%s \", $%d}' %s", column, column, csv))
models = seen(1)
samplers = seen(4)
colour(s) = s eq "RWM-1" ? "#bbbbbb" : s eq "ARWM" ? "#888888" : s eq "GRWM" ? "#555555" : \
            s eq "GWG-1" ? "#c7e9c0" : s eq "AGWG" ? "#41ab5d" : s eq "GGWG" ? "#005a32" : \
            s eq "LBP-1" ? "#a6cee3" : s eq "ALBP" ? "#1f78b4" : s eq "GLBP" ? "#08306b" : "#e6852c"
table(column) = sprintf("<for m in %s; do printf '%%s' $m; for s in %s; do awk -F, -v m=$m -v s=$s '/^#/ {NR--; FNR--; next} $1==m && $4==s && ($5==\"\" || $5==\"t/(1+t)\") {printf \",%%s\", $%d; n=1} END {if (!n) printf \",NaN\"}' %s; done; echo; done", models, samplers, column, csv)

do for [form in "svg png"] {
  eval open(folder . "/table1", 1100, 430)
  set multiplot layout 1,2
  set title "Expected jump distance per step"
  plot for [k=1:words(samplers)] table(11) using (column(k+1)):xtic(1) title word(samplers, k) lc rgb colour(word(samplers, k))
  set title "Effective samples per second, all chains"
  plot for [k=1:words(samplers)] table(19) using (column(k+1)):xtic(1) title word(samplers, k) lc rgb colour(word(samplers, k))
  unset multiplot
}
