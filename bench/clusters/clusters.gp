# Effective samples per second relative to the better sweep of one chain, with their errors, by target; rounds of tempering
# that one effective sample of abs(q) takes, by glass; from clusters.csv and replicas.csv. Called by clusters with
# folder set.
load "bench/common/style.gp"
csv = folder . "/clusters.csv"
replicas = folder . "/replicas.csv"
set logscale y; set format y "%g"; set key outside right samplen 1 font ",10"
names(file, column, value) = system(sprintf("awk -F, '!/^#/ && head++ && $%d != \"\" && !seen[$%d]++ {gsub(\" \", \"~\", $%d); printf \"%%s \", $%d}' %s", \
                             value, column, column, column, file))
plain(name) = system("printf '%s' '" . name . "' | tr '~' ' '")
points(file, column, name, value, error, list) = sprintf("<awk -F, -v t='%s' -v n='%s' 'BEGIN {k = split(t, a, \" \")} {s = $%d; gsub(\" \", \"~\", s)} s == n && $%d != \"\" {for (i = 1; i <= k; i++) if (a[i] == $1) print i \",\" $%d \",\" $%d}' %s", list, name, column, value, value, error, file)
colour(s) = s eq "Gibbs" ? "#777777" : s eq "Metropolis" ? "#e6852c" : s eq "Swendsen-Wang" ? "#1f78b4" : \
            s eq "Wolff" ? "#984ea3" : s eq "lanes" ? "#00441b" : s eq "parts" ? "#1f78b4" : s eq "whole" ? "#e6852c" : "#00441b"
do for [form in "svg png"] {
  eval open(folder . "/clusters", 1100, 800)
  set multiplot layout 2,1
  do for [panel=1:2] {
    file = panel == 1 ? csv : replicas
    value = panel == 1 ? 16 : 8
    set ylabel panel == 1 ? "effective samples per second, better sweep = 1" : "rounds an effective sample of abs(q)"
    t = names(file, 1, value); n = names(file, 3, value)
    if (words(t) == 0) { continue }
    set xrange [0.5:words(t)+0.5]; set xtics nomirror rotate by -25 ("" 0)
    if (panel == 2) { set xtics norotate; eval below_labels }
    do for [k=1:words(t)] { set xtics add (word(t, k) k) }
    plot for [k=1:words(n)] points(file, 3, word(n, k), value, value + 1, t) using ($1 + 0.1*(k - words(n)/2.0)):2:3 with \
         yerrorbars pt 7 ps dot lc rgb colour(word(n, k)) title plain(word(n, k))
  }
  unset multiplot; unset bmargin
}
