# Cost of a flip and of a step against the number of sites, from floor_scaling.csv, with the floors of floor.csv.
# Called by floor with folder set.
load "bench/common/style.gp"
# numbers of sites whose weights fill each data cache, where Linux says how large they are
caches = system("for k in /sys/devices/system/cpu/cpu0/cache/index*; do grep -q Instruction $k/type || cat $k/size; done 2> /dev/null | awk '{ printf \"%d \", $1 * (/M/ ? 1048576 : /K/ ? 1024 : 1) / 4 }'")
set logscale xy; set format x "10^{%L}"
set xlabel "sites (dashed: the weights fill a cache)"
set key top left samplen 2
eval below_labels
scaling = folder . "/floor_scaling.csv"
rows(model) = sprintf("<awk -F, '/^#/ {NR--; FNR--; next} $1 == \"%s\" && $2 == \"t/(1+t)\"' '%s/floor.csv'", model, folder)
stats scaling skip 2 using 2 name "n" nooutput
set xrange [n_min / 1.5 : n_max * 1.5]
do for [k = 1 : words(caches)] {
  if (word(caches, k) > n_min && word(caches, k) < n_max) {
    set arrow k from word(caches, k), graph 0 to word(caches, k), graph 1 nohead lc rgb "#999999" dt 2
  }
}

do for [form in "svg png"] {
  eval open(folder . "/floor", 1000, 450)
  set multiplot layout 1,2
  set title "Bernoulli, t/(1+t): ns per proposed flip"
  set yrange [1 : *]; set format y "%g"
  plot scaling skip 2 using 2:5 with linespoints lw 2 pt 7 ps 0.6 lc rgb "#1f78b4" title "step", \
       rows("bernoulli") using 3:7 with linespoints lw 2 pt 7 ps 0.6 lc rgb "#e6852c" title "floor"
  set title "time of a step at acceptance 0.574"
  set yrange [* : *]; set format y "%.0s %cs"
  plot scaling skip 2 using 2:($6 * 1e-9) with linespoints lw 2 pt 7 ps 0.6 lc rgb "#1f78b4" title "step", \
       scaling skip 2 using 2:(8e-9 * $2 ** (2.0 / 3)) with lines dt 3 lc rgb "#555555" title "slope 2/3"
  unset multiplot
}
