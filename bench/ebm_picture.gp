# A grey-scale picture as PNG. Called with from, a PGM file, its width, height and the bytes of its head, and to.
set terminal pngcairo size width,height
set output to
unset border
unset tics
unset key
unset colorbox
set margins 0, 0, 0, 0
set palette gray
set yrange [*:*] reverse
set autoscale fix
plot from binary skip=head array=(width,height) format="%uchar" with image
