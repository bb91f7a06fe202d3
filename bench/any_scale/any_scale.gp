# The pictures of bench/any_scale, from its CSV files in `folder`: bars of all samplers on all targets (samplers),
# effective samples against alpha (figure1), maps over sigma and alpha (maps), graphs (figure5). A run need not be
# complete.
load "bench/common/style.gp"
set datafile columnheaders
set border 31; set grid ytics lt 1 lw 0.8 lc rgb "#e4e4e4"
unset key

csv(file) = sprintf("'%s/%s.csv'", folder, file)

# Rows of a table that begin so; one that draws nothing where there is none, since gnuplot takes no empty plot.
rows(file, test, none) = sprintf("<awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {print} NR > 1 && (%s) {print; n++} END {if (!n) print \"%s\"}' %s", test, none, csv(file))
count(file, test) = int(system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && (%s) {n++} END {print n + 0}' %s", test, csv(file))))

# ---- bars ------------------------------------------------------------------------------------------------------------
samplers = "Gibbs RWM DLP DLP-trace AB-1st AB-shift AB-max AB-trace AB-trace-as-printed AB-shift-damped AB-trace-damped AB-trace-Hessian AB-dominant-Hessian"
labels = "'Gibbs' 'RWM' 'DLP' 'DLP-trace' 'AB-1st' 'AB-shift' 'AB-max' 'AB-trace' '… as printed' 'shift, damped' 'trace, damped' '… Hessian' '… dominant'"
colours = "#999999 #777777 #9ecae1 #6baed6 #41ab5d #fdae6b #f16913 #b2182b #d6a5a5 #fdd0a2 #ef3b2c #7f0000 #54278f"
targets = "grid-0.3 grid-0.4407 grid-0.7071 ba-0.3 ba-0.4407 ba-0.7071 rotation-2 rotation-10 rotation-50 sparse-2 sparse-10 sparse-50 logistic quartic"
titles = "'grid, J = 0.3' 'grid, J = 0.4407' 'grid, J = 0.7071' 'Barabasi-Albert, J = 0.3' 'Barabasi-Albert, J = 0.4407' 'Barabasi-Albert, J = 0.7071' 'rotated Gaussian, L = 2' 'rotated Gaussian, L = 10' 'rotated Gaussian, L = 50' 'sparse Gaussian, L = 2' 'sparse Gaussian, L = 10' 'sparse Gaussian, L = 50' 'logistic regression' 'quartic mixture'"
index_of(name) = system(sprintf("echo '%s' | tr ' ' '\\n' | grep -nx -- '%s' | cut -d : -f 1", samplers, name)) + 0
colour_of(k) = int(sprintf("0x%s", word(colours, k)[2:7]))
do for [form in "svg png"] {
  eval open(folder . "/samplers", 1250, 950)
  set multiplot layout 3, 5 title "Effective samples per 10,000 evaluations of log π; ○ the paper's, – an independent simulator's" \
    margins 0.045, 0.99, 0.1, 0.92 spacing 0.035, 0.13
  set logscale y
  set xtics rotate by 60 right scale 0 font ",8"
  set yrange [0.5:3000]; set xrange [0.3:13.7]
  set boxwidth 0.75; set style fill solid 1 noborder
  do for [t = 1 : words(targets)] {
    set title word(titles, t) offset 0, -0.6
    if (count("tables", "$1 == \"" . word(targets, t) . "\"") == 0) { set multiplot next; continue }
    set xtics (word(labels, 1) 1)
    do for [k = 2 : 13] { set xtics add (word(labels, k) k) }
    plot rows("tables", "$1 == \"" . word(targets, t) . "\"", "") \
           using (index_of(strcol("sampler"))):"ess_per_10k_queries":(0.75):(colour_of(index_of(strcol("sampler")))) with boxes lc rgb variable, \
         '' using (index_of(strcol("sampler"))):(column("ess_per_10k_queries") - column("se")):(0):(2 * column("se")) \
           with vectors nohead lc rgb "#000000" lw 0.8, \
         '' using (index_of(strcol("sampler")) - 0.42):"reference":(0.84):(0) with vectors nohead lc rgb "#000000" lw 1.4, \
         '' using (index_of(strcol("sampler"))):"paper" with points pt 6 ps 0.8 lc rgb "#000000"
    unset label 999
  }
  unset multiplot; unset output
}
reset; load "bench/common/style.gp"; set datafile columnheaders
set border 31; unset grid

# ---- figure 1 --------------------------------------------------------------------------------------------------------
sigmas = "0.25 0.5 1 2 4 16"
blues = "#c6dbef #9ecae1 #6baed6 #4292c6 #2171b5 #08306b"
do for [form in "svg png"] {
  eval open(folder . "/figure1", 620, 440); eval below_labels
  set grid lt 1 lw 0.8 lc rgb "#e4e4e4"
  set key outside right title "σ"
  set xlabel "α"; set ylabel "effective samples per 10,000 evaluations"
  set yrange [0:*]; set xrange [0.38:1.02]
  if (count("settings", "$1 == \"figure1\"") > 0) {
    plot for [k = 1 : 6] rows("settings", sprintf("$1 == \"figure1\" && $5 == %s", word(sigmas, k)), "figure1,,,,0,9,,0,0,0,0") \
      using "alpha":"ess_per_10k_queries":"se" with yerrorlines pt 7 ps 0.5 lw 1.5 lc rgb word(blues, k) title word(sigmas, k)
  }
  unset output
}

# ---- figures 2 and 3 -------------------------------------------------------------------------------------------------
# One square per setting, by its place in the lists; its number in it.
do for [form in "svg png"] {
  eval open(folder . "/maps", 1000, 400)
  unset key; unset grid
  set multiplot layout 1, 2 margins 0.07, 0.93, 0.18, 0.88 spacing 0.14, 0.1
  set palette defined (0 "#f7fbff", 1 "#08519c")
  set xlabel "σ"; set ylabel "α"
  unset xtics; unset ytics
  do for [m = 1 : 2] {
    name = word("logistic quartic", m)
    test = "$1 == \"maps\" && $2 == \"" . name . "\""
    if (count("settings", test) > 0) {
      sigmas = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} %s {print $5}' %s | sort -gu | tr '\\n' ' '", test, csv("settings")))
      alphas = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} %s {print $6}' %s | sort -gu | tr '\\n' ' '", test, csv("settings")))
      where(list, value) = (found = 0, sum [i = 1 : words(list)] (abs(real(word(list, i)) - value) < 1e-4 * value ? i : 0))
      set title word("'Bayesian logistic regression' 'quartic mixture'", m)
      set xrange [0.5 : words(sigmas) + 0.5]; set yrange [0.5 : words(alphas) + 0.5]
      set cbrange [0:*]
      set xtics scale 0 (word(sigmas, 1) 1)
      do for [k = 2 : words(sigmas)] { set xtics add (word(sigmas, k) k) }
      set ytics scale 0 (word(alphas, 1) 1)
      do for [k = 2 : words(alphas)] { set ytics add (word(alphas, k) k) }
      half = 0.6 * real(system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} %s {if ($8 > m) m = $8} END {print m}' %s", test, csv("settings"))))
      plot rows("settings", test, "") using (where(sigmas, column("sigma_or_s"))):(where(alphas, column("alpha"))):"ess_per_10k_queries" with image, \
           '' using (where(sigmas, column("sigma_or_s"))):(where(alphas, column("alpha"))):(sprintf("%.0f", column("ess_per_10k_queries"))):(column("ess_per_10k_queries") > half ? 0xffffff : 0) with labels tc rgb variable font ",9"
      unset label 999
    } else { set multiplot next }
  }
  unset multiplot; unset output
}
reset; load "bench/common/style.gp"; set datafile columnheaders

# ---- figure 5 --------------------------------------------------------------------------------------------------------
# Edges, and sites as large as their degree; a site's row is one from it to itself.
do for [form in "svg png"] {
  eval open(folder . "/figure5", 800, 420)
  unset key; unset border; unset tics; unset grid
  set multiplot layout 1, 2 margins 0.02, 0.98, 0.06, 0.9 spacing 0.04, 0
  set size ratio -1
  do for [k = 1 : 2] {
    name = word("grid ba", k)
    set title word("'10 × 10 grid' 'Barabasi-Albert, 50 sites, 4 edges a new site'", k)
    all = "$1 == \"" . name . "\""
    plot rows("figure5", all, "") using "x":"y":"to_x":"to_y" with vectors nohead lc rgb "#9ecae1" lw 1, \
         rows("figure5", all . " && $2 == $3", "") using "x":"y":(0.6 * sqrt(column("degree"))) \
           with points pt 7 ps variable lc rgb "#08306b"
    unset label 999
  }
  unset multiplot; unset output
}
