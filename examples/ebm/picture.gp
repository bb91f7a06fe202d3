# A grey-scale picture as PNG. Called with from, a PGM file, its width, height and the bytes of its head, and to; left, if
# given: columns that are left out.
if (!exists("left")) left = 0
set terminal pngcairo size width-left,height
set output to
unset border
unset tics
unset key
unset colorbox
set margins 0, 0, 0, 0
set palette gray
set autoscale fix
set xrange [left-0.5:width-0.5]
set yrange [*:*] reverse
plot from binary skip=head array=(width,height) format="%uchar" with image
