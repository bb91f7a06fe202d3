# What the phases of a step take, stacked, one bar a target, from phases.csv. Called by phases with folder set.
load "bench/common/style.gp"
csv = folder . "/phases.csv"
set datafile columnheaders
set style data histograms; set style histogram rowstacked; set style fill solid 0.85 noborder; set boxwidth 0.7
set xtics rotate by -30; set ylabel "ns per proposed flip"; set yrange [0:*]
set key outside top center horizontal samplen 1
colours = "#08306b #1f78b4 #a6cee3 #41ab5d #c7e9c0 #777777 #e6852c #984ea3 #e41a1c #000000"
phases = int(system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {for (k = 4; $k != \"sum\"; k++) n++; print n}' '%s'", csv)))
do for [form in "svg png"] {
  eval open(folder . "/phases", 1000, 430)
  # the RBM's flips, of 400 units each, would dwarf the others
  plot for [k = 4 : 3 + phases] sprintf("<grep -v '^rbm,' '%s'", csv) \
    using k:xtic(strcol(1) . " " . strcol(2)) title columnheader(k) lc rgb word(colours, k - 3)
}
