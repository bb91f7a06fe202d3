# The pictures of the paper, from the files of bench/paper: figures 1 to 5, figures 7 to 10 (each as jump distances and as
# effective samples), and our table cells against the paper's. Called by paper with folder set, where the files are.
# A run need not be complete: a curve that is not there leaves its panel empty, a picture without any is left out.
load "bench/common/style.gp"
set datafile columnheaders
set grid ytics lt 1 lw 0.8 lc rgb "#e4e4e4"
set samples 150; set errorbars 0
unset key

names = "Bernoulli Ising FHMM RBM"; models = "bernoulli ising fhmm rbm"
sizes(m) = word("'N=100 N=800 N=6400' 'p=20 p=50 p=100' 'L=200 L=1000 L=4000' 'h=100 h=400 h=1000'", m)
kernels = "RWM, GWG,t/(1+t) GWG,sqrt(t) LBP,t/(1+t) LBP,sqrt(t)"
kernel_names = "'RWM' 'GWG, t/(1+t)' 'GWG, √t' 'LBP, t/(1+t)' 'LBP, √t'"
kernel_colours = "#777777 #41ab5d #005a32 #6baed6 #08306b"; kernel_points = "2 6 7 4 5"
spaced(size) = size[1:1] . " = " . size[3:*]
# an RBM has its own size in each configuration
cell(m, c, row) = sprintf("%s,C%d,%s", word(models, m), c, word(sizes(m), m == 4 ? c : row))
some(m, row) = (sum [c = 1 : 3] sum [k = 1 : 5] has(curves, cell(m, c, row) . "," . word(kernels, k))) > 0

# Rows are told by how they begin: "ising,C1,p=50,RWM,,". gnuplot takes no empty curve: one that is not there is a point
# at acceptance rate 9 instead, off the panel, without error bars. Error bars are one broken line: each on its own would
# take more room in an svg than its point.
csv(file) = sprintf("'%s/%s.csv'", folder, file)
rows(file, key) = sprintf("<awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {print; none = $0; gsub(/[^,]*_se/, 0, none); gsub(/[^,]*[a-zA-Z][^,]*/, 9, none)} NR > 1 && index($0, \"%s,\") == 1 {print; n++} END {if (!n) print none}' %s", key, csv(file))
bars(key, y) = sprintf("<awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {print \"x,y\"; for (k = 1; k <= NF; k++) at[$k] = k} NR > 1 && index($0, \"%s,\") == 1 {x = $at[\"acceptance\"]; dx = $at[\"acceptance_se\"]; y = $at[\"%s\"]; dy = $at[\"%s_se\"]; print x - dx \",\" y \"\\n\" x + dx \",\" y \"\\n\\n\" x \",\" y - dy \"\\n\" x \",\" y + dy \"\\n\"; n++} END {if (!n) print \"9,9\"}' %s", key, y, y, csv("curves"))
begins(file, n, filter) = " " . system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR > 1 && (%s) {k = \"\"; for (i = 1; i <= %d; i++) k = k $i \",\"; if (!seen[k]++) printf \"%%s \", k}' %s 2>/dev/null", filter, n, csv(file)))
has(list, key) = strstrt(list, " " . key . ",") > 0
extreme(sign, file, key, name) = real(system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} NR == 1 {for (k = 1; k <= NF; k++) if ($k == \"%s\") c = k} NR > 1 && (\"%s\" == \"\" || index($0, \"%s,\") == 1) && $c > 0 && (!n++ || %d * ($c - m) > 0) {m = $c} END {print m + 0}' %s", name, key, key, sign, csv(file))))
largest(file, key, name) = extreme(1, file, key, name)
smaller(a, b) = a < b ? a : b; larger(a, b) = a > b ? a : b
slope(line, quantity) = system(sprintf("awk -F, '/^#/ {NR--; FNR--; next} index($0, \"%s,%s,\") == 1 && !n++ {printf \"%%.3f ± %%.3f\", $7, $8}' %s 2>/dev/null", line, quantity, csv("slopes")))
curves = begins("curves", 5, "1"); peaks = begins("peaks", 5, "$11 == 1")
lines = begins("scaling", 2, "1"); cells = begins("tables", 1, "$25 > 0 && $26 > 0")

# legends by hand, one for all panels of a picture
legend(x, y, text, pt, colour) = sprintf("set label \"%s\" at screen %g,%g point pt %d ps %g lc rgb '%s' offset 0.8,0; ", text, x, y, pt, 0.9 * dot, colour)
side(x, y, text, colour) = sprintf("set label '%s' at screen %g,%g center rotate textcolor rgb '%s'; ", text, x, y, colour)
dash = 'nohead back lc rgb "#777777" lw 1 dt (8, 5)'

# ---- figures 1 to 4: jump distances fill a panel but for the label of the peak, effective samples stay below them ----
R_at(u) = sites * u ** 4
accepted(R) = sites == 0 ? 9 : 2 * norm(-0.5 * (R * rate) ** power)
ejd_colour = "#1f78b4"; ess_colour = "#e6852c"
peak_colour = "#b2182b"
set xrange [0:1]; set xtics 0.2; set border 11
set y2tics textcolor rgb ess_colour
do for [form in "svg png"] { do for [m = 1 : 4] {
  if (!some(m, 2)) { continue }
  eval open(folder . "/figure" . m, 1000, 620)
  set multiplot layout 2,3 margins 0.065,0.93,0.10,0.865 spacing 0.085,0.125 title word(names, m) . (m == 4 ? "" : ", " . spaced(word(sizes(m), 2))) font ",13"
  eval legend(m == 1 ? 0.17 : 0.22, 0.935, "expected jump distance (left)", 7, ejd_colour) . legend(m == 1 ? 0.42 : 0.47, 0.935, "effective sample size (right)", 6, ess_colour) . legend(m == 1 ? 0.66 : 0.71, 0.935, "fitted peak", 13, peak_colour)
  do for [row = 1 : 2] { eval side(0.012, 0.69 - 0.43 * (row - 1), "expected jump distance", "black") . side(0.988, 0.69 - 0.43 * (row - 1), "effective sample size", ess_colour) }
  if (m == 1) {
    set label "theory" at screen 0.82,0.938
    set arrow 2 from screen 0.79,0.935 to screen 0.812,0.935 nohead lw 1.2
  }
  do for [row = 1 : 2] { do for [c = 1 : 3] {
    key = cell(m, c, 2) . (row == 1 ? ",LBP,t/(1+t)" : ",RWM,")
    there = has(curves, key); top = has(peaks, key) ? key : "none"
    sites = largest("peaks", top, "theory_sites")
    power = largest("peaks", top, "theory_power"); rate = largest("peaks", top, "theory_rate")
    set title sprintf("%s, C%d%s", row == 1 ? "LBP, t/(1+t)" : "RWM", c, m == 4 ? ", " . spaced(word(sizes(m), c)) : "") offset 0,-0.5
    set yrange [0 : there ? 1.22 * largest("curves", key, "ejd") : 1]
    set y2range [0 : there ? 1.75 * largest("curves", key, "ess") : 1]
    set xlabel (row == 2 ? "acceptance rate" : "") offset 0,0.3
    optimum = row == 1 ? 0.574 : 0.234
    set arrow 1 from optimum, graph 0 to optimum, graph 0.87 @dash
    plot bars(key, "ess") using 1:2 axes x1y2 with lines lw 0.7 lc rgb ess_colour, \
      bars(key, "ejd") using 1:2 with lines lw 0.9 lc rgb ejd_colour, \
      "+" using (accepted(R_at($1))):(R_at($1) * accepted(R_at($1))) with lines lw 1.2 lc rgb "black", \
      rows("curves", key) using "acceptance":"ess" axes x1y2 with points pt 6 ps 0.45 * dot lw 0.7 lc rgb ess_colour, \
      rows("curves", key) using "acceptance":"ejd" with points pt 7 ps 0.45 * dot lc rgb ejd_colour, \
      rows("peaks", top) using "acceptance":"ejd":"acceptance_se" with xerrorbars pt 13 ps 1 * dot lw 1.5 lc rgb peak_colour, \
      rows("peaks", top) using "acceptance":(1.15 * column("ejd")):(sprintf("%.3f ± %.3f", column("acceptance"), column("acceptance_se"))) with labels tc rgb peak_colour
    unset label; unset arrow
  }}
  unset multiplot
}}

# ---- figures 7 to 10: all samplers, whose jump distances are two powers of ten apart ----
unset y2tics; set border 3
set logscale y
do for [form in "svg png"] { do for [m = 1 : 4] { do for [y in "ejd ess"] {
  height = m == 4 ? 1 : 3
  if (!(sum [row = 1 : height] some(m, row))) { continue }
  eval open(sprintf("%s/figure%d_%s", folder, m + 6, y), 1100, height == 1 ? 430 : 1000)
  set multiplot layout height,3 margins 0.065,0.985,height == 1 ? 0.165 : 0.07,height == 1 ? 0.78 : 0.905 spacing 0.03,0.07 title word(names, m) . (y eq "ejd" ? ": expected jump distance" : ": effective sample size") font ",13"
  do for [k = 1 : 5] { eval legend(real(word("0.21 0.30 0.44 0.56 0.70", k)), height == 1 ? 0.89 : 0.951, word(kernel_names, k), int(word(kernel_points, k)), word(kernel_colours, k)) }
  do for [row = 1 : height] {
    # one range for the panels of a row
    low = 100; high = some(m, row) ? 1 : 100
    do for [c = 1 : 3] { if (largest("curves", cell(m, c, row), y) > 0) {
      low = smaller(low, extreme(-1, "curves", cell(m, c, row), y))
      high = larger(high, largest("curves", cell(m, c, row), y))
    }}
    set yrange [low / 1.5 : high * 1.8]
    do for [c = 1 : 3] {
      set format y (c == 1 ? "%g" : "")
      set title sprintf("C%d, %s", c, spaced(word(sizes(m), m == 4 ? c : row))) offset 0,-0.5
      set xlabel (row == height ? "acceptance rate" : "") offset 0,0.3
      set arrow 1 from 0.234, graph 0 to 0.234, graph 1 @dash; set arrow 2 from 0.574, graph 0 to 0.574, graph 1 @dash
      plot for [k = 1 : 5] rows("curves", cell(m, c, row) . "," . word(kernels, k)) using "acceptance":y smooth unique with linespoints \
        pt int(word(kernel_points, k)) ps 0.6 * dot pi 3 lw 0.8 lc rgb word(kernel_colours, k)
      unset label
    }
  }
  unset multiplot
}}}
unset arrow

# ---- figure 5: the fitted slopes are those over all sizes ----
colours = "#1f78b4 #e6852c #41ab5d #984ea3"; shapes = "6 4 8"
set grid xtics ytics lt 1 lw 0.8 lc rgb "#e4e4e4"
set logscale xy; set format "10^{%L}"; set xtics autofreq
set xrange [50 : 1e6]; set xlabel "sites"
do for [form in "svg png"] { if (lines ne " ") {
  eval open(folder . "/figure5", 1100, 640)
  set multiplot layout 1,2 margins 0.055,0.985,0.30,0.945 spacing 0.075,0
  do for [q in "best_R ratio"] {
    set title (q eq "best_R" ? "best R of LBP" : "jump distance, LBP / RWM")
    set yrange [2 : 2 * largest("scaling", "", q)]
    set label (q eq "best_R" ? "blue lines: theory\ndotted: slope 2/3" : "dotted: slope 2/3") at graph 0.97, graph (q eq "best_R" ? 0.1 : 0.06) right textcolor rgb "#555555"
    x0 = q eq "best_R" ? 0.055 : 0.557
    set label "fitted slopes" at screen x0,0.185
    do for [m = 1 : 3] {
      set label word(names, m) at screen x0 + 0.109 + 0.115 * (m - 1),0.185 textcolor rgb word(colours, m)
      do for [c = 1 : 3] { line = word(models, m) . sprintf(",C%d", c); if (has(lines, line)) {
        eval legend(x0 + 0.10 + 0.115 * (m - 1), 0.141 - 0.045 * (c - 1), slope(line, q), int(word(shapes, c)), word(colours, m))
      }}
    }
    do for [c = 1 : 3] { set label sprintf("C%d", c) at screen x0,0.144 - 0.045 * (c - 1) }
    plot for [g = -2 : 2] 10.0 ** g * x ** (2.0 / 3) with lines dt 3 lc rgb "#999999", \
      for [c = 1 : 3] rows("scaling", sprintf("bernoulli,C%d", c)) using "sites":(q eq "best_R" ? column("theory_R") : 1e-9) with lines lw 0.8 lc rgb word(colours, 1), \
      for [m = 1 : 3] for [c = 1 : 3] rows("scaling", sprintf("%s,C%d", word(models, m), c)) using "sites":q:q."_se" with yerrorbars pt int(word(shapes, c)) ps 0.8 * dot lc rgb word(colours, m)
    unset label
  }
  unset multiplot
}}

# ---- tables: below 20 effective samples are the floor of the estimator, not of the sampler ----
family(s) = strstrt(s, "RWM") ? 1 : strstrt(s, "GWG") ? 2 : 3
family_colours = "0x777777 0x41ab5d 0x1f78b4"
shape(model) = model eq "bernoulli" ? 6 : model eq "ising" ? 4 : model eq "fhmm" ? 8 : 12
do for [form in "svg png"] { if (cells ne " ") {
  eval open(folder . "/tables", 1000, 560)
  set multiplot layout 1,2 margins 0.065,0.985,0.125,0.84 spacing 0.085,0
  do for [k = 1 : 3] { eval legend(0.1 + 0.08 * (k - 1), 0.95, word("RWM GWG LBP", k), 7, "#" . word(family_colours, k)[3:*]) }
  do for [m = 1 : 4] { eval legend(0.4 + 0.1 * (m - 1), 0.95, word(names, m), shape(word(models, m)), "black") }
  eval legend(0.82, 0.95, "both ESS below 20", 7, "#cccccc")
  set xlabel "paper"; set ylabel "ours" offset 1,0
  do for [y in "ejd ess"] {
    floor = y eq "ess" ? 20 : 0
    set title (y eq "ejd" ? "expected jump distance" : "effective sample size")
    low = 0.7 * smaller(extreme(-1, "tables", "", y), extreme(-1, "tables", "", "paper_" . y))
    high = 1.5 * larger(largest("tables", "", y), largest("tables", "", "paper_" . y))
    set xrange [low : high]; set yrange [low : high]
    plot x with lines lw 0.8 lc rgb "black", \
      folder . "/tables.csv" using (column("paper_" . y)):y:(shape(stringcolumn("model"))):(column(y) < floor && column("paper_" . y) < floor ? 0xcccccc : int(word(family_colours, family(stringcolumn("sampler"))))) with points pt variable ps 0.7 * dot lc rgb variable
    unset label
  }
  unset multiplot
}}
