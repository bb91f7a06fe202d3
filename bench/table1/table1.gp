# Expected jump distance and effective samples per second of every sampler, one group a model, from table1.csv.
# Called by bench with folder and least_ess set. No bar: an effective sample size below least_ess, the estimator's noise.
load "bench/common/style.gp"
csv = folder . "/table1.csv"
if (!exists("least_ess")) least_ess = 20
set style data histograms; set style histogram clustered gap 1.5
set style fill solid 0.85 noborder
set logscale y; set format y "%g"
set key outside top center horizontal samplen 1 font ",10"
set bmargin 4
rows = "/^#/ {next} !head++ {for (k = 1; k <= NF; k++) at[$k] = k; next} $at[\"weight\"] == \"\" || $at[\"weight\"] == \"t/(1+t)\""
# a sampler without a single bar would be an error
seen(column, least) = system(sprintf("awk -F, '%s {if ($at[\"ess\"] >= %g && !seen[$at[\"%s\"]]++) printf \"%%s \", $at[\"%s\"]}' %s", rows, least, column, column, csv))
models = seen("model", -1); all = seen("sampler", -1); resolved = seen("sampler", least_ess)
colour(s) = s eq "RWM-1" ? "#bbbbbb" : s eq "ARWM" ? "#888888" : s eq "GRWM" ? "#555555" : \
            s eq "GWG-1" ? "#c7e9c0" : s eq "AGWG" ? "#41ab5d" : s eq "GGWG" ? "#005a32" : \
            s eq "LBP-1" ? "#a6cee3" : s eq "ALBP" ? "#1f78b4" : s eq "GLBP" ? "#08306b" : "#e6852c"
# a line a model, a column a sampler: the figure, or NaN where the effective sample size is below `least`
table(column, samplers, least) = sprintf("<awk -F, -v models='%s' -v samplers='%s' -v least=%g '%s {if ($at[\"ess\"] >= least) figure[$at[\"model\"], $at[\"sampler\"]] = $at[\"%s\"]} END {m = split(models, model, \" \"); s = split(samplers, sampler, \" \"); for (i = 1; i <= m; i++) {printf \"%%s\", model[i]; for (k = 1; k <= s; k++) printf \",%%s\", (model[i], sampler[k]) in figure ? figure[model[i], sampler[k]] : \"NaN\"; print \"\"}}' %s", models, samplers, least, rows, column, csv)

do for [form in "svg png"] {
  eval open(folder . "/table1", 1100, 450)
  set multiplot layout 1,2
  set title "Expected jump distance (sites changed per step)"
  plot for [k=1:words(all)] table("ejd", all, -1) using (column(k+1)):xtic(1) title word(all, k) lc rgb colour(word(all, k))
  if (words(resolved) > 0) {
    set title sprintf("Effective samples per second, all chains (no bar: ESS below %g, noise)", least_ess)
    plot for [k=1:words(resolved)] table("ess_per_second", resolved, least_ess) using (column(k+1)):xtic(1) \
      title word(resolved, k) lc rgb colour(word(resolved, k))
  }
  unset multiplot
}
