# How many times as fast as one thread a row of bench/results/run/report.md is.
function faster(row) { return fixed(at(run, "=" row, "against one thread"), 2) }
BEGIN {
  run = read("run/report.md", "## Threads and processes")
  say("2 threads gave " faster("2 threads") " times one thread, 4 processes " faster("4 processes") " times, and one process")
  say("as one thread, " faster("1 processes") " times")
}
