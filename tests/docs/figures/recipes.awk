# Nanoseconds a site, as the page has them.
function ns(x) { return x >= 100 ? fixed(x, 0) : fixed(x, 1) }
function by_terms(shown, model,    row) {
  row = "model=" model ";by=terms"
  say("| " shown " | " ns(at(terms, row, "by_hand")) " | " ns(at(terms, row, "ns_a_site")) " | " fixed(at(terms, row, "ratio"), 2) " |")
}
BEGIN {
  terms = read("speed/terms.csv")
  by_terms("Ising model, torus of 100 x 100", "Ising torus")
  by_terms("Potts model of 4 values, the same torus", "Potts torus of 4 values")
  by_terms("5000 tables of 3 sites, 5 values each", "5000 tables")
  by_terms("the same, 400 different tables", "400 tables")
}
