# The table of bench/results/run/report.md, row by row; its columns have one name twice.
BEGIN {
  path = "bench/results/run/report.md"
  while ((getline line < path) > 0) {
    if (line !~ /^[|] [124] (thread|process)/) continue
    say(line)
    split(line, part, / *[|] */)
    if (part[2] != "1 thread") {
      less += part[6] + 0 < part[4] + 0
      more++
    }
  }
  close(path)
  say_if(more == 5, "The model has 64 x 64 spins")
  say_if(less >= 4, "and gain less than chains")
}
