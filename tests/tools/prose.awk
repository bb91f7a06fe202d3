# The style of pages: awk -f tests/tools/prose.awk PAGE... prints for each page its words, sentences, words a sentence,
# and how often it uses an expression of the list below. With -v limit=25 it fails if a page's sentences are longer on
# average, or if an expression of the list occurs, and prints where. Code, tables, headings and comments do not count. A
# list item begins a sentence; a line of code inside a sentence counts as one word.

BEGIN {
  n = split("beside anew heed heeds heeded bear bears vouch vouches hush hushes lest aught nought", word, " ")
  for (k = 1; k <= n; k++) tic[word[k]] = 1
}

function complain(text) {
  if (limit == "") return
  print FILENAME ":" FNR ": " text
  failed = 1
}

# A paragraph or an item of a list has ended.
function end_paragraph(    text, part, n, k) {
  text = paragraph
  paragraph = ""
  if (text !~ /[a-zA-Z]/) return
  gsub(/`[^`]*`/, "CODE", text)
  gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
  gsub(/\]\([^)]*\)/, "", text)
  gsub(/[][*_]/, "", text)
  gsub(/e\.g\./, "eg", text)
  gsub(/i\.e\./, "ie", text)
  gsub(/et al\./, "et al", text)
  n = split(text, part, /[.!?][)"]? +|[.!?][)"]?$/)
  for (k = 1; k <= n; k++) count_sentence(part[k], text)
}

function count_sentence(text, paragraph_text,    part, n, k, plain, counted) {
  n = split(text, part, /[ \t]+/)
  for (k = 1; k <= n; k++) {
    if (part[k] !~ /[a-zA-Z0-9]/) continue
    counted++
    plain = tolower(part[k])
    gsub(/[^a-z]/, "", plain)
    if (plain in tic) found("\"" plain "\"")
    if (plain == "some" && part[k + 1] ~ /^[0-9]/) found("\"some " part[k + 1] "\": about")
    if (plain ~ /^(say|says|said)$/) says++
    if (plain == "what") whats++
  }
  if (!counted) return
  words += counted
  sentences++
  if (text ~ /^ *(What|Whatever|Who|Whoever) / && text !~ /^ *What [a-z ]*: / && index(paragraph_text, text "?") == 0) found("a clause as the subject: " text)
}

function found(text) {
  tics++
  complain(text)
}

function end_page() {
  end_paragraph()
  if (limit == "") {
    printf "%s: %d words, %d sentences, %.1f words a sentence, %d tics, %d say, %d what\n", page, words, sentences,
           sentences ? words / sentences : 0, tics, says, whats
  } else if (sentences && words / sentences > limit) {
    printf "%s: %.1f words a sentence, at most %s\n", page, words / sentences, limit
    failed = 1
  }
  words = sentences = tics = says = whats = code = comment = 0
}

FNR == 1 {
  if (NR > 1) end_page()
  page = FILENAME
}
/^ *```/ { end_paragraph(); code = !code; next }
code { next }
/^<!--/ { comment = 1 }
comment { if (/-->/) comment = 0; next }
/^ *\|/ || /^#/ || /^    / || /^ *$/ { end_paragraph(); next }
/^ *([-*]|[0-9]+\.) / { end_paragraph(); sub(/^ *([-*]|[0-9]+\.) /, "") }
{ paragraph = paragraph " " $0 }
END {
  end_page()
  exit failed
}
