# Ours over the reference, of acceptance, jump distance and effective sample size, by row of constraints.csv; the jump
# distance over acceptance; and effective samples per second over those of uniform moves in plain C, or of a Gibbs sweep,
# by target. Called by constraints with folder set.
load "bench/common/style.gp"
csv = folder . "/constraints.csv"; best = folder . "/best.csv"; race = folder . "/race.csv"
known = "bench/data/constraints.csv"
# ours, its error, theirs, its error, of column `c`, of rows that both have, in that file's order; not where theirs is below `least`
key = "$1 SUBSEP $3 SUBSEP $4 SUBSEP $5 SUBSEP ($14 ~ /shift/)"
both(c, least) = sprintf("<awk -F, -v c=%d -v least=%g '/^#/ {NR--; FNR--; next} {k = %s} NR == FNR {want[k] = $c; error[k] = $(c+1); next} FNR > 1 {n++} FNR > 1 && want[k] >= least {print n \",\" $c / want[k] \",\" sqrt($(c+1)^2 + error[k]^2) / want[k]}' %s %s", c, least, key, known, csv)
words_of(file, column) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$%s]++ {gsub(\" \", \"~\", $%s); printf \"%%s \", $%s}' %s", column, column, column, file))
plain(name) = system("printf '%s' '" . name . "' | tr '~' ' '")
targets = words_of(csv, "1"); raced = words_of(race, "1"); samplers = words_of(race, "2")
first(t) = real(system(sprintf("awk -F, -v t='%s' '/^#/ {NR--; FNR--; next} {gsub(\" \", \"~\", $1)} NR > 1 && $1 == t {print NR - 1; exit}' %s", t, csv)))
curves = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$1,$3,$4]++ {k = $1 \":\" $3 \":\" $4; gsub(\" \", \"~\", k); printf \"%%s \", k}' %s", best))
curve(c) = sprintf("<awk -F, -v c='%s' '/^#/ {NR--; FNR--; next} {k = $1 \":\" $3 \":\" $4; gsub(\" \", \"~\", k)} NR > 1 && k == c {x[++n] = $6; y[n] = $7; if ($7 > top) top = $7} END {for (i = 1; i <= n; i++) print x[i] \",\" y[i] / top}' %s", c, best)
called(c) = plain(c[1:strlen(c)-2]) . (c[strlen(c):strlen(c)] eq "1" ? ", shift" : "")
# over the target's first sampler
points(n) = sprintf("<awk -F, -v n='%s' -v t='%s' '/^#/ {NR--; FNR--; next} BEGIN {k = split(t, a, \" \")} NR > 1 {gsub(\" \", \"~\", $1); gsub(\" \", \"~\", $2); if (!($1 in base)) base[$1] = $3} NR > 1 && $2 == n {for (i = 1; i <= k; i++) if (a[i] == $1) print i \",\" $3 / base[$1] \",\" $4 / base[$1]}' %s", n, raced, race)

do for [form in "svg png"] {
  eval open(folder . "/constraints", 1200, 1250)
  set multiplot layout 3,1
  if (words(targets) > 0) {
    set key top right horizontal; unset logscale; set format y "%g"; set yrange [0.7:1.4]; set xrange [0:*]
    set ylabel "ours / reference"; set xtics () nomirror left rotate by -20 noenhanced font ",9"
    do for [k=1:words(targets)] { set xtics add (plain(word(targets, k)) first(word(targets, k))) }
    plot 1 lc rgb "#999999" notitle, both(6, 0) using 1:2:3 with yerrorbars pt 7 ps dot lc rgb "#1f78b4" title "acceptance", \
         both(8, 0) using ($1+0.25):2:3 with yerrorbars pt 7 ps dot lc rgb "#41ab5d" title "jump distance", \
         both(10, 20) using ($1+0.5):2:3 with yerrorbars pt 7 ps dot lc rgb "#e41a1c" title "ESS"
  }
  if (words(curves) > 0) {
    set key outside right vertical samplen 2 noenhanced font ",10"; unset logscale; set xtics autofreq norotate center; set yrange [0.5:1.02]; set xrange [0:1]
    set ylabel "jump distance / largest"; set xlabel "acceptance"
    plot for [k=1:words(curves)] curve(word(curves, k)) using 1:2 with linespoints pt 7 ps 0.6*dot lc k title called(word(curves, k))
  }
  if (words(raced) > 0) {
    unset xlabel; set logscale y; set yrange [*:*]; set format y "%g"
    set ylabel "ESS per second, uniform moves in plain C, or a sweep = 1"
    set xrange [0.5:words(raced)+0.5]; set xtics () nomirror left rotate by -20 noenhanced font ",9"
    do for [k=1:words(raced)] { set xtics add (plain(word(raced, k)) k) }
    plot for [k=1:words(samplers)] points(word(samplers, k)) using ($1 + 0.035*(k - words(samplers)/2.0)):2:3 with yerrorbars \
         pt 7 ps dot lc k title plain(word(samplers, k))
  }
  unset multiplot
}
