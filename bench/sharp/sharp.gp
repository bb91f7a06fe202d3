# Effective samples per second relative to the Gibbs sweep, with their errors, by target: of inclusion probabilities, from
# conditionals, and of the energy; from sharp.csv. Called by sharp with folder set.
load "bench/common/style.gp"
csv = folder . "/sharp.csv"
set logscale y; set format y "%g"; set key outside right samplen 1 font ",10"
set ylabel "effective samples per second, Gibbs sweep = 1"
# the rows of a panel: statistic and marginals; their targets and samplers, in order
rows(s, m) = sprintf("awk -F, '/^#/ {NR--; FNR--; next} $NF == \"%s\" && $3 == \"%s\" && $8 != \"\"' %s", s, m, csv)
names(s, m, column) = system(rows(s, m) . sprintf(" | awk -F, '!seen[$%d]++ {gsub(\" \", \"~\", $%d); printf \"%%s \", $%d}'", column, column, column))
plain(name) = system("printf '%s' '" . name . "' | tr '~' ' '")
points(s, m, t, n) = sprintf("<%s | awk -F, -v t='%s' -v n='%s' 'BEGIN {k = split(t, a, \" \")} {x = $1; gsub(\" \", \"~\", x); s = $2; gsub(\" \", \"~\", s)} s == n {for (i = 1; i <= k; i++) if (a[i] == x) print i \",\" $8 \",\" $9}'", rows(s, m), t, n)
colour(s) = s eq "Gibbs" ? "#e41a1c" : s eq "LBP-1" ? "#a6cee3" : s eq "ALBP" ? "#1f78b4" : s eq "AB" ? "#984ea3" : \
            s eq "DLP" ? "#777777" : s eq "Metropolis" ? "#e6852c" : s eq "skip~Gibbs" ? "#fb9a99" : \
            s eq "skip~Metropolis" ? "#fdbf6f" : s eq "clock~t/(1+t)" ? "#41ab5d" : "#00441b"

do for [form in "svg png"] {
  eval open(folder . "/sharp", 1100, 800)
  set multiplot layout 2,1
  do for [panel in "inclusion:rb energy:plain"] {
    s = panel[1:strstrt(panel, ":")-1]; m = panel[strstrt(panel, ":")+1:*]
    t = names(s, m, 1); n = names(s, m, 2)
    if (words(t) == 0) { continue }
    set xrange [0.5:words(t)+0.5]; unset xtics; set xtics nomirror
    do for [k=1:words(t)] { set xtics add (word(t, k) k) }
    plot for [k=1:words(n)] points(s, m, t, word(n, k)) using ($1 + 0.08*(k - words(n)/2.0)):2:3 with yerrorbars \
         pt 7 ps dot lc rgb colour(word(n, k)) title plain(word(n, k))
  }
  unset multiplot
}
