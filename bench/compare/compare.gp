# Effective samples per second and per evaluation of every sampler, relative to the Gibbs sweep, one group a model, from
# compare.csv. Called by compare with folder set. No bar: not resolved.
load "bench/common/style.gp"
csv = folder . "/compare.csv"
set style data histograms; set style histogram clustered gap 1.5
set style fill solid 0.85 noborder
set logscale y; set format y "%g"; set xtics rotate by -20
set key outside top center horizontal samplen 1 font ",10"
at(name) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {for (k = 1; k <= NF; k++) if ($k == \"%s\") print k}' %s", name, csv)) + 0
models = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$%d]++ {printf \"%%s \", $%d}' %s", at("model"), at("model"), csv))
# a sampler without a single bar would be an error
samplers = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && $%d != \"Gibbs\" && $%d != \"\" && !seen[$%d]++ {printf \"%%s \", $%d}' %s", at("sampler"), at("second_ratio"), at("sampler"), at("sampler"), csv))
colour(s) = s eq "RWM-1" ? "#bbbbbb" : s eq "ARWM" ? "#777777" : s eq "AGWG" ? "#41ab5d" : s eq "LBP-1" ? "#a6cee3" : \
            s eq "ALBP" ? "#1f78b4" : s eq "ALBP-sqrt" ? "#08306b" : s eq "Metropolis" ? "#e6852c" : \
            s eq "Wolff" ? "#a50f15" : s eq "Swendsen-Wang" ? "#fb6a4a" : "#984ea3"
table(column) = sprintf("<for m in %s; do printf '%%s' $m; for s in %s; do awk -F, -v m=$m -v s=$s '/^#/ {NR--; FNR--; next} $%d==m && $%d==s && $%d!=\"\" {printf \",%%s\", $%d; n=1} END {if (!n) printf \",NaN\"}' %s; done; echo; done", models, samplers, at("model"), at("sampler"), column, column, csv)
# bars on a logarithmic axis grow from its bottom: the power of ten below the smallest ratio
bottom(column) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && $%d > 0 && (!m || $%d < m) {m = $%d} END {e = -1; while (m && m <= 10^e) e--; print 10^e}' %s", column, column, column, csv)) + 0
titles = "'Effective samples per second, Gibbs sweep = 1' 'Effective samples per evaluation of the model, Gibbs sweep = 1'"; columns = "second_ratio evaluation_ratio"

do for [form in "svg png"] {
  eval open(folder . "/compare", 1100, 760)
  set multiplot layout 2,1
  do for [p=1:2] {
    c = at(word(columns, p))
    set title word(titles, p)
    set yrange [bottom(c):*]
    plot for [k=1:words(samplers)] table(c) using (column(k+1)):xtic(1) title word(samplers, k) lc rgb colour(word(samplers, k)), \
         1 with lines notitle lc rgb "#e41a1c"
  }
  unset multiplot
}
