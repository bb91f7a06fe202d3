BEGIN {
  say("log Z against exact values in " rows[read("run/report.md", "## log Z")] " cases")
  say("checkpoints of " after("run/report.md", "## A large checkpoint ", "[0-9]+ chains of 10\\^[0-9]+ sites"))
}
