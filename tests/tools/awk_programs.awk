# Takes the awk programs out of shell scripts and Makefiles: awk -v to=FOLDER -f awk_programs.awk FILE...
# A program is the first word in single quotes after the word awk and its options; what the shell puts in between, '"$x"',
# becomes 0. Writes FOLDER/NAME-LINE.awk, and prints these names.

function end_file(  n, at, line, name) {
  sub(/.*\//, "", file)
  while (match(text, /(^|[^A-Za-z_0-9.\/-])awk[ \t]/)) {
    text = substr(text, RSTART + RLENGTH - 1)
    if (!find_program()) continue
    name = to "/" file "-" (++number) ".awk"
    printf "%s\n", program > name
    close(name)
    print name
  }
  text = ""
}

# Reads the words that `text` begins with up to the program, and leaves it behind these; 0 if there is none.
function find_program(  word, skip) {
  for (;;) {
    while (sub(/^([ \t]|\\\n)+/, "", text)) {
    }
    if (!skip && substr(text, 1, 1) == "'") {
      program = take_word(1)
      return 1
    }
    word = take_word(0)
    if (word == "" || (!skip && substr(word, 1, 1) != "-") || word == "-f") return 0
    skip = !skip && (word == "-v" || word == "-F")
  }
}

# Takes a word of the shell off; without its quotes, and with 0 for variables, if `plain`.
function take_word(plain,  c, from, depth, word, piece) {
  for (;;) {
    c = substr(text, 1, 1)
    if (c == "" || (depth == 0 && c ~ /[ \t\n;|&<>)]/)) return word
    if (c == "'") {
      from = index(substr(text, 2), "'")
      if (from == 0) return word
      word = word substr(text, 2, from - 1)
      text = substr(text, from + 2)
      continue
    }
    if (c == "\"") {
      if (!match(text, /^"([^"\\]|\\.)*"/)) return word
      word = word (plain ? 0 : substr(text, 1, RLENGTH))
      text = substr(text, RLENGTH + 1)
      continue
    }
    if (c == "(") depth++
    if (c == ")") depth--
    word = word c
    text = substr(text, 2)
  }
}

FNR == 1 && NR > 1 { end_file() }
FNR == 1 { file = FILENAME; number = 0 }
{ text = text (file ~ /Makefile$/ ? unmake($0) : $0) "\n" }
END { end_file() }
function unmake(line) {
  gsub(/\$\$/, "$", line)
  return line
}
