# Reads tests/hygiene/names.c, preprocessed with -P. Prints what could take the place of a callback or a type of the
# user's: identifiers other than lbp_... in functions that call CALLED, and uses of TYPE but for the typedefs of ours.
BEGIN {
  split("static inline const void int double float if else for return sizeof uint8_t uint32_t uint64_t", list)
  for (k in list) known[list[k]] = 1
}
/^typedef double TYPE;$/ { begun = 1; next }
!begun || /^double CALLED\(\);$/ { next }
/TYPE/ && !/^typedef TYPE names_[a-z]*_(priv_[a-z]*|real);$/ { print "a type of the user's: " $0 }
/^enum \{ names_[a-z_]* = [0-9]+ \};$/ { next } # a constant of the user's, by our name
{ text = text " " $0 }
/^}/ || /^static .*}$/ { # also what stands on one line
  if (text ~ /CALLED/) {
    calls++
    gsub(/__attribute__ *\(\([a-z_, ]*\)\)/, "", text)
    gsub(/(->|\.) *[A-Za-z_0-9]+/, "", text)
    gsub(/[^A-Za-z_0-9]+/, " ", text)
    count = split(text, word, " ")
    for (k = 1; k <= count; k++) {
      if (word[k] !~ /^([0-9]|lbp_|LBP_|names_|CALLED$)/ && !(word[k] in known)) {
        known[word[k]] = 1
        print "beside a callback: " word[k]
      }
    }
  }
  text = ""
}
END { if (calls < 30) print calls + 0 " functions that call something: not all callbacks are used" }
