# How many times better lbp is than the best of its peers, by family: overview.csv of bench/overview.awk, from the largest
# loss to the largest gain. A line leads from the lowest to the highest of all targets. Called with folder and made set.
load "bench/common/style.gp"
csv = folder . "/overview.csv"
sorted = sprintf("<grep -v '^#' %s | sed 1d | sort -t, -k4,4g", csv)
stats sorted using 4 nooutput
rows = int(STATS_records)
form = "svg"
eval open(folder . "/overview", 1060, 110 + 30 * rows)
set logscale x; set xrange [0.25:3000]; set yrange [rows + 0.5:0.5]; unset ytics; set grid xtics lc rgb "#dddddd"
set border 1; set lmargin screen 0.58; set rmargin screen 0.97; set bmargin 5; set tmargin 4; unset key
set xtics ("0.3" 0.3, "level" 1, "3" 3, "10" 10, "30" 30, "100" 100, "300" 300, "1000" 1000)
set label 1 "lbp compared with the best of its peers: how many times as good, mostly as fast; losses are red" at screen 0.02, screen 0.965 left font ",14"
set arrow 1 from 1, graph 0 to 1, graph 1 nohead lc rgb "#555555"
colour(x) = x < 1 ? 0xe41a1c : 0x1f78b4
plot sorted using 5:($0 + 1):($6 - $5):(0):(colour($4)) with vectors nohead lw 3 lc rgb variable, \
     sorted using 4:($0 + 1):(colour($4)) with points pt 7 ps 1.4 * dot lc rgb variable, \
     sorted using (0.25):($0 + 1):(strcol(1) . ": " . strcol(2) . " / " . strcol(3)) with labels right offset -1,0 font ",10" noenhanced
