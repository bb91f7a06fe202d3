# How long tempering takes to the best known energy of each glass, by lanes and by Metropolis sweeps, from glasses.csv:
# a point for each seed. Called by lanes_runs with folder set.
load "bench/common/style.gp"
csv = folder . "/glasses.csv"
of(sampler) = sprintf("<awk -F, '$3 == \"%s\" {print $1 \",\" $7}' %s", sampler, csv)

do for [form in "svg png"] {
  eval open(folder . "/lanes_runs", 640, 380)
  set logscale y; set xrange [0.5:6.5]
  set xlabel "glass of 8 x 8 x 8 sites"; set ylabel "ms of CPU time to its best known energy"
  set key outside top horizontal
  plot of("Metropolis") using ($1 + 0.1):2 with points pt 7 ps dot lc rgb "#e6852c" title "replica exchange of 32 Metropolis chains", \
       of("lanes") using ($1 - 0.1):2 with points pt 5 ps dot lc rgb "#1f78b4" title "eight ladders in a word of lanes"
}
