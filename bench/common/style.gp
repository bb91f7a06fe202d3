# What pictures of bench/ have in common; a script loads it first. Each picture is made twice, as `form` "svg" and "png":
# eval open(PATH, WIDTH, HEIGHT), where PATH has no ending, begins it. Points are larger in svg than in png: `dot`. In a corner
# stands what made it, where a program says so; in scripts whose lowest panels have labels there, `eval below_labels` leaves
# room for it.
set datafile separator ","
set grid ytics lc rgb "#dddddd"
set tics nomirror
set border 3
if (!exists("made")) made = ""
open(path, width, height) = "set label 999 made at screen 0.998, screen 0.012 right font ',8' tc rgb '#777777' noenhanced; " . \
  (form eq "svg" ? \
  sprintf("set terminal svg size %d,%d font 'sans,12' background 'white'; set output '%s.svg'; dot = 0.67", width, height, path) : \
  sprintf("set terminal pngcairo size %d,%d font 'sans,10'; set output '%s.png'; dot = 1", width, height, path))
below_labels = "set bmargin 5"
