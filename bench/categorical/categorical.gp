# Ours over the reference, of acceptance, jump distance and effective sample sizes, by row of categorical.csv; and
# effective samples of the energy per second over the Gibbs sweep's, by target. Called by categorical with folder set.
load "bench/common/style.gp"
csv = folder . "/categorical.csv"; race = folder . "/race.csv"; known = "bench/data/categorical.csv"
# ours, its error, theirs, its error, of column `c`, for rows that both have; not where theirs is below `least`
both(c, least) = sprintf("<awk -F, -v c=%d -v least=%g '/^#/ {NR--; FNR--; next} NR == FNR {want[$1,$4,$5] = $c; error[$1,$4,$5] = $(c+1); next} FNR > 1 {n++; k = $1 SUBSEP $4 SUBSEP $5} FNR > 1 && want[k] >= least {print n \",\" $c / want[k] \",\" sqrt($(c+1)^2 + error[k]^2) / want[k]}' %s %s", c, least, known, csv)
targets = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$1]++ {printf \"%%s \", $1}' %s", csv))
first(t) = real(system(sprintf("awk -F, -v t=%s '/^#/ {NR--; FNR--; next} NR > 1 && $1 == t {print NR - 1; exit}' %s", t, csv)))
raced = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$1]++ {printf \"%%s \", $1}' %s", race))
samplers = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && !seen[$2]++ {gsub(\" \", \"~\", $2); printf \"%%s \", $2}' %s", race))
plain(name) = system("printf '%s' '" . name . "' | tr '~' ' '")
points(n) = sprintf("<awk -F, -v n='%s' -v t='%s' '/^#/ {NR--; FNR--; next} BEGIN {k = split(t, a, \" \")} {s = $2; gsub(\" \", \"~\", s)} s == n {for (i = 1; i <= k; i++) if (a[i] == $1) print i \",\" $7 \",\" $8}' %s", n, raced, race)

do for [form in "svg png"] {
  eval open(folder . "/categorical", 1100, 900)
  set multiplot layout 2,1
  set key top right horizontal; unset logscale; set yrange [0.8:1.25]; set xrange [0:*]
  set ylabel "ours / reference"; set xtics () nomirror left noenhanced
  do for [k=1:words(targets)] { set xtics add (word(targets, k) first(word(targets, k))) }
  plot 1 lc rgb "#999999" notitle, both(7, 0) using 1:2:3 with yerrorbars pt 7 ps dot lc rgb "#1f78b4" title "acceptance", \
       both(9, 0) using ($1+0.2):2:3 with yerrorbars pt 7 ps dot lc rgb "#41ab5d" title "jump distance", \
       both(11, 30) using ($1+0.4):2:3 with yerrorbars pt 7 ps dot lc rgb "#e41a1c" title "ESS of log pi", \
       both(13, 30) using ($1+0.6):2:3 with yerrorbars pt 7 ps dot lc rgb "#984ea3" title "ESS of Hamming"
  if (words(raced) > 0) {
    set key outside right vertical samplen 1 font ",10"; set logscale y; set yrange [*:*]; set format y "%g"
    set ylabel "effective samples of the energy per second, Gibbs sweep = 1"
    set xrange [0.5:words(raced)+0.5]; set xtics () nomirror center noenhanced
    do for [k=1:words(raced)] { set xtics add (word(raced, k) k) }
    plot for [k=1:words(samplers)] points(word(samplers, k)) using ($1 + 0.06*(k - words(samplers)/2.0)):2:3 with yerrorbars \
         pt 7 ps dot lc k title plain(word(samplers, k))
  }
  unset multiplot
}
