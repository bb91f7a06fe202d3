# Expected jump distance and effective samples per second of every sampler, one group a model, from table1.csv.
# Called by bench with folder set. No bar: the row has no figure, as its effective sample size is the estimator's noise.
load "bench/common/style.gp"
csv = folder . "/table1.csv"
set style data histograms; set style histogram clustered gap 1.5
set style fill solid 0.85 noborder
set logscale y; set format y "%g"
set key outside top center horizontal samplen 1 font ",10"
eval below_labels
rows = "/^#/ {next} !head++ {for (k = 1; k <= NF; k++) at[$k] = k; next} $at[\"weight\"] == \"\" || $at[\"weight\"] == \"t/(1+t)\""
# the values of `column` in rows that have a figure in column `what`: a sampler without a single bar would be an error
seen(column, what) = system(sprintf("awk -F, '%s {if ($at[\"%s\"] != \"\" && !seen[$at[\"%s\"]]++) printf \"%%s \", $at[\"%s\"]}' %s", rows, what, column, column, csv))
models = seen("model", "ejd")
colour(s) = s eq "RWM-1" ? "#bbbbbb" : s eq "ARWM" ? "#888888" : s eq "GRWM" ? "#555555" : \
            s eq "GWG-1" ? "#c7e9c0" : s eq "AGWG" ? "#41ab5d" : s eq "GGWG" ? "#005a32" : \
            s eq "LBP-1" ? "#a6cee3" : s eq "ALBP" ? "#1f78b4" : s eq "GLBP" ? "#08306b" : "#e6852c"
# a line a model, a column a sampler: figures of column `what`
table(what) = sprintf("<awk -F, -v models='%s' -v samplers='%s' '%s {if ($at[\"%s\"] != \"\") figure[$at[\"model\"], $at[\"sampler\"]] = $at[\"%s\"]} END {m = split(models, model, \" \"); s = split(samplers, sampler, \" \"); for (i = 1; i <= m; i++) {printf \"%%s\", model[i]; for (k = 1; k <= s; k++) printf \",%%s\", (model[i], sampler[k]) in figure ? figure[model[i], sampler[k]] : \"NaN\"; print \"\"}}' %s", models, samplers, rows, what, what, csv)
titles = "'Expected jump distance (sites changed per step)' 'Effective samples per second, all chains (no bar: ESS below 20, noise)'"
columns = "ejd ess_per_second"

do for [form in "svg png"] {
  eval open(folder . "/table1", 1100, 450)
  set multiplot layout 1,2
  do for [p=1:2] {
    samplers = seen("sampler", word(columns, p))
    set title word(titles, p)
    if (words(samplers) > 0) {
      plot for [k=1:words(samplers)] table(word(columns, p)) using (column(k+1)):xtic(1) title word(samplers, k) lc rgb colour(word(samplers, k))
    }
  }
  unset multiplot
}
