# Part of lint.sh: awk -f lengths.awk HEADER... prints what is longer than it may be, and fails if anything is: a
# line 120 columns, a function 60 lines. A function begins with LBP_FN or its like in the first column; it ends with a
# brace there, or on the line that has its first one.

function too_long(where, what, size, most) {
  print where ": " what ": " size ", at most " most
  failed = 1
}

function end_header() {
  if (first) too_long(header ":" first, "a function without an end, lines", lines - first, 60)
}

FNR == 1 {
  if (NR > 1) end_header()
  header = FILENAME
  first = 0
}

{ lines = FNR }

length($0) > 120 { too_long(header ":" FNR, "columns of a line", length($0), 120) }

!first && /^LBP_(FN|CALLED|INLINE|APART|LEAF|COLD) / {
  first = FNR
  open = 0
}

first {
  if (/^}/ || (!open && (/\{.*}$/ || (!/\{/ && /;( \/\*.*\*\/)?$/)))) { # the last: a declaration
    functions += open || /\{/
    if (FNR - first + 1 > 60) too_long(header ":" first, "lines of a function", FNR - first + 1, 60)
    first = 0
  } else if (/\{/) {
    open = 1
  }
}

END {
  end_header()
  if (!functions) print "no function is found"
  exit failed || !functions
}
