# How long tempering takes to the best known energy of each glass, by lanes and by Metropolis sweeps, from glasses.csv:
# a point for each seed. Called by lanes_runs with folder set.
load "bench/common/style.gp"
csv = folder . "/glasses.csv"
of(sampler, swaps) = sprintf("<awk -F, '$3 == \"%s\" && $5 == %d {print $1 \",\" $8}' %s", sampler, swaps, csv)

do for [form in "svg png"] {
  eval open(folder . "/lanes_runs", 640, 380)
  set logscale y; set xrange [0.5:6.5]
  set xlabel "glass of 8 x 8 x 8 sites"; set ylabel "ms of CPU time to its best known energy"
  set key outside top horizontal
  plot of("Metropolis", 1) using ($1 + 0.1):2 with points pt 7 ps dot lc rgb "#e6852c" title "32 Metropolis chains, exchanged every sweep", \
       of("Metropolis", 5) using ($1 + 0.2):2 with points pt 6 ps dot lc rgb "#e6852c" title "every fifth", \
       of("lanes", 1) using ($1 - 0.1):2 with points pt 5 ps dot lc rgb "#1f78b4" title "eight ladders in a word of lanes"
}
