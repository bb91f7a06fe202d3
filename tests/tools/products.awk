# Products of 32-bit numbers that are an index or a size, as clang-tidy finds them: bugprone-implicit-widening-of-
# multiplication-result. Prints those that may overflow, and fails if there are any. Not those of constants, and not
# 2 * a number: of sites, edges, units there are at most 2^31 - 1, and twice as many fit. Input: what clang-tidy prints.
/ warning: / {
  is_product = /widening-of-multiplication/
  split($0, part, ":")
  place = part[1] ":" part[2]
  column = part[3]
  next
}
is_product {
  is_product = 0
  text = substr($0, column)
  sub(/[];,].*/, "", text)
  if (text ~ /^([0-9]+ \* )?[A-Z][A-Z_]+([^a-z(]|$)/) next
  if (gsub(/2 \* /, "", text) > 0 && text !~ / \* /) next
  count++
  print place ": " $0
}
END { exit count > 0 }
