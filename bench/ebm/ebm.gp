# Mean log pi of chains on their way from the base to a trained model, from NAME.csv in folder, by bench/ebm/ebm.c.
# level, the dotted line: where the model's own draws are, less a standard deviation.
load "bench/common/style.gp"
set logscale x
set xlabel "steps, one network evaluation each"; set ylabel "log {/Symbol p}, but for a constant"
set key outside right top samplen 2
eval below_labels
colours = "#999999 #e31a1c #b2df8a #33a02c #6a3d9a #1f78b4 #ff7f00"
file = folder . "/" . name . ".csv"
do for [form in "svg png"] {
  eval open(folder . "/" . name, 720, 450)
  plot for [k = 2:8] file using 1:k with lines lw 2 lc rgb word(colours, k - 1) title columnheader(k), \
       level with lines dt 3 lc rgb "#000000" title "the model"
}
