# Draws a picture of these pages: awk -v picture=NAME -f docs/pictures/draw.awk > docs/pictures/NAME.svg, of which NAME
# is choosing, lbp, clock or swap. tests/docs.sh compares each with the file that is there.

function begin(width, height) {
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" ", width, height, width, height
  print "font-family=\"sans-serif\" font-size=\"14\">"
  print "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>"
}
function plain(text) {
  gsub(/&/, "\\&amp;", text)
  gsub(/</, "\\&lt;", text)
  gsub(/>/, "\\&gt;", text)
  return text
}
# Text that is centred at x, its base line at y; `style` has further attributes.
function label(x, y, text, style) {
  printf "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\"%s>%s</text>\n", x, y, (style == "" ? "" : " " style), plain(text)
}
# A box with lines of text, which "|" separates; the first line is bold.
function box(x, y, width, height, fill, text,    n, k, part) {
  printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"8\" fill=\"%s\" stroke=\"#444\"/>\n", x, y, width, height, fill
  n = split(text, part, "|")
  for (k = 1; k <= n; k++) {
    label(x + width / 2, y + height / 2 + 5 + 18 * (k - (n + 1) / 2), part[k], k == 1 ? "font-weight=\"bold\"" : "")
  }
}
# A line from one point to another with a tip at its end, straight down or to the right.
function arrow(x1, y1, x2, y2) {
  printf "<path d=\"M%d %dL%d %d\" stroke=\"#444\" stroke-width=\"1.5\"/>\n", x1, y1, x2, y2
  if (y2 > y1) printf "<path d=\"M%d %dl-5 -9h10z\" fill=\"#444\"/>\n", x2, y2
  else printf "<path d=\"M%d %dl-9 -5v10z\" fill=\"#444\"/>\n", x2, y2
}
# A site: black if it is 1; `mark` is the colour of its rim.
function site(x, y, one, mark) {
  printf "<rect x=\"%d\" y=\"%d\" width=\"26\" height=\"26\" fill=\"%s\" stroke=\"%s\" stroke-width=\"%d\"/>\n", x, y,
         one ? "#333" : "white", mark == "" ? "#999" : mark, mark == "" ? 1 : 3
}
function sites(x, y, states, marks, mark,    k) {
  for (k = 1; k <= length(states); k++) {
    site(x + 32 * (k - 1), y, substr(states, k, 1) == 1, substr(marks, k, 1) == 1 ? mark : "")
  }
}

# ---- which sampler ---------------------------------------------------------------------------------------------------

function question(text, answer) {
  box(10, top, 340, 58, "#eef3fb", text)
  arrow(350, top + 29, 426, top + 29)
  label(386, top + 22, "yes")
  box(430, top, 360, 58, "#eaf6ea", answer)
  arrow(180, top + 58, 180, top + 84)
  label(198, top + 76, "no")
  top += 86
}
function choosing() {
  begin(800, 888)
  top = 10
  question("Do you want only the best state?|MAP, QUBO, max-cut", "NAME_anneal|simulated annealing; docs/search.md")
  question("Is a state a permutation or a matching?|assignments, rankings, record linkage", "NAME_row_step|lbp_perm.h; docs/permutations.md")
  question("Are values ordinal, 0 ... S-1?|or: a gradient, and strong correlations", "NAME_adaptive_step|any-scale sampler, lbp_ab.h; docs/any-scale.md")
  question("Must the number of ones stay?|exactly k, one-hot groups", "NAME_kawasaki_step, NAME_swap_step|LBP_GROUP; docs/constraints.md")
  question("Do some flips exclude each other?|at most k, independent sets", "NAME_gibbs_sweep, NAME_path_step|infinite log-ratios; docs/inequalities.md")
  question("Does one evaluation estimate all|log-ratios, as a network's gradient?", "NAME_albp_step|locally balanced, adaptive R")
  question("Does it give all log-ratios exactly?|regressions", "Gibbs or Metropolis sweeps|100 sites and more: also NAME_clock_step")
  question("Do under 2 % of sites flip in a sweep?|sharp or cold targets", "NAME_skip_sweep, NAME_clock_step|or NAME_lbp_step with R = 1")
  box(10, top, 340, 58, "#eaf6ea", "NAME_gibbs_sweep|or by level NAME_metropolis_sweep")
  box(430, top, 360, 58, "#fdf3e0", "Modes far apart?|Temper any of these: docs/runs.md")
  label(400, top + 90, "Sites with labels as values (Potts models): the same samplers, with LBP_CAT_STATES; docs/categorical.md",
        "font-size=\"13\"")
  label(400, top + 114, "Couplings in small whole units, 16 chains or more: LBP_SAMPLER_LANES; docs/lanes.md", "font-size=\"13\"")
  label(400, top + 138, "Other ferromagnets near the critical point: NAME_wolff_step, in a weak field NAME_swendsen_wang_step",
        "font-size=\"13\"")
  label(400, top + 162, "When in doubt run two, and compare 1 / (MCSE^2 x seconds).", "font-size=\"13\"")
}

# ---- what samplers do ------------------------------------------------------------------------------------------------

function lbp(    k, weight, part) {
  begin(640, 232)
  label(320, 24, "LBP-R, here R = 3: one step", "font-weight=\"bold\"")
  split("8 30 5 12 44 6 3 26 9 4", weight, " ")
  for (k = 1; k <= 10; k++) {
    printf "<rect x=\"%d\" y=\"%d\" width=\"16\" height=\"%d\" fill=\"#6a93c9\"/>\n", 25 + 32 * (k - 1), 92 - weight[k], weight[k]
  }
  sites(20, 98, "1001011100", "0100100100", "#d9822b")
  label(490, 70, "weights: how much more likely")
  label(490, 88, "each flip makes x, g(pi ratio)")
  label(490, 116, "draw R sites by weight")
  sites(20, 166, "1101111000", "0100100100", "#d9822b")
  arrow(176, 130, 176, 160)
  label(490, 178, "flip them together;")
  label(490, 196, "accept or reject once")
  label(176, 218, "a tuner finds the R that moves farthest", "font-size=\"13\"")
}
function clock(    k, n, x, hold, name) {
  begin(640, 190)
  label(320, 24, "The clock (rejection-free): states last random times", "font-weight=\"bold\"")
  n = split("150 40 95 30 190 75", hold, " ")
  split("#6a93c9 #d9822b #6a93c9 #6fae6f #9a7bb5 #6fae6f", name, " ")
  x = 30
  for (k = 1; k <= n; k++) {
    printf "<rect x=\"%d\" y=\"60\" width=\"%d\" height=\"30\" fill=\"%s\" stroke=\"white\"/>\n", x, hold[k], name[k]
    label(x + hold[k] / 2, 80, substr("ABACDC", k, 1), "fill=\"white\"")
    x += hold[k]
  }
  for (k = 0; k <= 3; k++) {
    printf "<path d=\"M%d 50V112\" stroke=\"#222\" stroke-width=\"2\" stroke-dasharray=\"4 3\"/>\n", 90 + 150 * k
    label(90 + 150 * k, 128, "draw")
  }
  label(320, 154, "The less likely its flips are, the longer a state lasts; then one site flips, chosen by its rate.", "font-size=\"13\"")
  label(320, 174, "Draws are taken at fixed times, so all have the same weight.", "font-size=\"13\"")
}
function swap() {
  begin(640, 170)
  label(320, 24, "A swap: the number of ones in a group stays", "font-weight=\"bold\"")
  sites(160, 44, "1001011100", "0100010000", "#d9822b")
  arrow(319, 78, 319, 106)
  sites(160, 110, "1101001100", "0100010000", "#d9822b")
  label(70, 62, "5 ones")
  label(70, 128, "5 ones")
  label(566, 62, "choose a one")
  label(566, 80, "and a zero")
  label(566, 128, "exchange them,")
  label(566, 146, "accept or reject")
}

BEGIN {
  if (picture == "choosing") choosing()
  else if (picture == "lbp") lbp()
  else if (picture == "clock") clock()
  else if (picture == "swap") swap()
  else exit 1
  print "</svg>"
}
