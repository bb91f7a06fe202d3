function cells(measure) { return after("paper/report.md", measure ": ", "[0-9]+ of [0-9]+") }
BEGIN {
  say(cells("Expected jump distance") " jump distances and " cells("Effective sample size") \
      " effective sample sizes of tables 5 to 15 are within 3 standard errors or 3 %")
  say(after("any_scale/report.md", "", "[0-9]+ of [0-9]+ cells are within 3 standard errors or 10 %"))
}
