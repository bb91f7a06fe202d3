# How far cuts are from the largest known ones, in per cent, by graph: the mean of reads, and the best of a run; from
# table.csv. Called by search with folder set.
load "bench/common/style.gp"
csv = folder . "/table.csv"
list(column, rows) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} %s && !seen[$%d]++ {printf \"%%s \", $%d}' %s", rows, column, column, csv))
graphs = list(1, "NR > 1"); solvers = list(4, "NR > 1"); budgets = list(3, "NR > 1")
colour(s) = s eq "lbp" ? "#1f78b4" : s eq "dwave" ? "#e41a1c" : "#e6852c"
rows(s, b) = sprintf("<awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$1]++ {at[$1] = ++n} $4 == \"%s\" && $3 == %s {print at[$1] \",\" 100 * (1 - $7 / $2) \",\" 100 * $8 / $2 \",\" 100 * (1 - $5 / $2)}' %s", s, b, csv)

do for [form in "svg png"] {
  eval open(folder . "/search", 1000, 620)
  set multiplot layout words(budgets),1
  set xrange [0.5:words(graphs)+0.5]; unset xtics; set xtics nomirror
  do for [k=1:words(graphs)] { set xtics add (word(graphs, k) k) }
  set ylabel "below the largest known cut, %"; set yrange [-0.05:*]; set key outside right samplen 1
  do for [b in budgets] {
    set title b . " s of CPU time a run"
    plot for [k=1:words(solvers)] rows(word(solvers, k), b) using ($1 + 0.15*(k - (words(solvers) + 1)/2.0)):2:3 \
           with yerrorbars pt 7 ps dot lc rgb colour(word(solvers, k)) title word(solvers, k) . ", reads", \
         for [k=1:words(solvers)] rows(word(solvers, k), b) using ($1 + 0.15*(k - (words(solvers) + 1)/2.0)):4 \
           with points pt 8 ps dot lc rgb colour(word(solvers, k)) title word(solvers, k) . ", best of a run"
  }
  unset multiplot
}
