# The reference of what the headers give to their users, made of the comments where it stands; only headings are added.
#
#   awk -f docs/reference.awk lbp*.h lbp/*/*.h                                     as Markdown: docs/reference.md
#   awk -v man=FOLDER -v date=2001-12-31 -f docs/reference.awk lbp*.h lbp/*/*.h    as manual pages: FOLDER/lbp.3 and so on
#   awk -v links=1 -f docs/reference.awk lbp*.h lbp/*/*.h                          these pages' names, each with its functions'
#
# Public is what is not called lbp_p_..., LBP_P_..., lbp_runner... or, in a template, NAME_priv_..., is not for the parts of
# lbp_run.h alone, as lbp_file_open and the rest of lbp/base/platform.h, and not for so many
# at a time, as lbp_urn_aim8, which LBP_VECTOR builds alone have. A comment directly above documents what follows it, one
# at the end of a function's first line that function. What users need first comes first: the table of all parameters, the
# model, the chain, steps, the tuner, the check; runs; options; other templates, models, statistics; internals at the end.
# One by itself whose paragraphs begin like `LBP_DELTA(m, x, i) -> LBP_REAL: ...` documents parameters; so does the first one of a header.
# What has no comment, lbp_ising_delta, has that of lbp_X_delta on the header's first page.

BEGIN {
  pages = split("lbp lbp_run lbp_options lbp_ab lbp_perm lbp_models lbp_stats lbp_chains lbp_bridge lbp_linear lbp_support", page, " ")
  # whose page has what a header of lbp/ gives
  split("lbp/options/ lbp_options lbp/run/ lbp_support lbp/models/ lbp_models lbp/base/linear.h lbp_linear lbp/base/ lbp_support " \
        "lbp/options/vector.h lbp_support lbp/run/kernel.h lbp_chains lbp/run/flip_kernel.h lbp_chains lbp/run/chains.h lbp_chains lbp/run/ab_kernel.h lbp_ab " \
        "lbp/run/perm_kernel.h lbp_perm lbp/run/want.h lbp_run lbp/run/instance.h lbp_run lbp/run/options.h lbp_run " \
        "lbp/run/ais.h lbp_run lbp/run/anneal.h lbp_run", word, " ")
  for (k = 1; k in word; k += 2) home[word[k]] = word[k + 1]
  # what is called, though little else of its header is; what is for kernels, as of a sampler of your own; what is for tests
  split("lbp_run_print lbp_run lbp_run_stop lbp_run lbp_run_now lbp_run LBP_FIELDS_MAKE lbp_run lbp_run_kernel lbp_chains lbp_ais_kernel lbp_chains " \
        "lbp_anneal_kernel lbp_chains LBP_COLD lbp_support LBP_TICK lbp_support LBP_NEAR lbp_support LBP_AHEAD lbp_support " \
        "LBP_FEW lbp_support lbp_bridge_model lbp_support lbp_bridge_sampler lbp_support", word, " ")
  for (k = 1; k in word; k += 2) called[word[k]] = word[k + 1]
  # headers that are read before others of their page
  split("lbp/run/want.h lbp/run/instance.h lbp/run/options.h lbp/run/ais.h lbp/run/anneal.h lbp/models/local.h " \
        "lbp/options/tempered.h lbp/options/clamped.h lbp/options/sweeps.h lbp/options/clock.h lbp/options/path.h " \
        "lbp/options/groups.h lbp/options/swap_parameters.h lbp/options/swap.h lbp/options/cat_parameters.h lbp/options/cat.h " \
        "lbp/options/fields.h lbp/options/flip_list.h lbp/options/many.h lbp/options/custom.h lbp/options/checked.h", reading, " ")
  for (k = 1; k in reading; k++) early[reading[k]]
  titles["lbp_options"] = "Options of lbp.h"
  titles["lbp_support"] = "Internals: for those who write samplers, what the headers share"
  table = "All parameters"
  topics = split("The chain,NAME_(real|chain|ws_len|init|touch),Steps,the rest,The tuner,NAME_(tuner.*|a(lbp|gwg|rwm)_step)," \
                 "The model check,NAME_(check|report|fault)", topic, ",")
  inner = "^(lbp_(urn|sums|weight|bucket|xoshiro|philox|rng_(refill|take|fill)|is_(impossible|finite|nan)|clamp|u01|" \
          "bernoulli_trial|hazard|size|rng_is_made|result_is_finite|sort|quantile|" \
          "variance|matvec|add_scaled|checksum|artanh|rounded|cut|power|reduce|exp|log|multiply|mulhi|bit_length|split|linear|models|words|item|" \
          "set_item|log2_roughly|padded|is_long)f?(_.*)?|LBP_(WEIGHT_MAX|WEIGHT_UNIT|MARK|BLOCK|TRIES|CANDIDATES|AT_ONCE|" \
          "PAD|AVX512|SELDOM|BUCKETS|SMALL|INLINE|LEAF|APART|COLD|CALLED|ROLLED|BRIDGE_FN|" \
          "SETTLE|FAST_MATH|CERTAIN|CAT_UNIT|HAZARD_UNIT|HAZARD_MOST|CLOCK_UNIT|EXACT_BEGIN|EXACT_END|WS_HALVES|MADE|RNG_BLOCK|NOISE_STEPS|NOISE_TILE))$"
}

# the page that has what a header gives
function page_of(header,   folder) {
  folder = header
  sub(/[^\/]*$/, "", folder)
  return header in home ? home[header] : folder in home ? home[folder] : substr(header, 1, length(header) - 2)
}

# the header whose first page begins a page of the reference
function front(p) { return p == "lbp_linear" ? "lbp/base/linear.h" : p == "lbp_chains" ? "lbp/run/chains.h" : p ".h" }

# ---- reading ---------------------------------------------------------------------------------------------------


# The condition of an #if in words.
function asked_by(line,    ifndef) {
  ifndef = line ~ /^#ifndef/
  sub(/^#[a-z]+ +/, "", line)
  gsub(/ *&& */, " and ", line)
  gsub(/ *\|\| */, " or ", line)
  gsub(/!/, "not ", line)
  gsub(/defined /, "", line)
  return (ifndef ? "not " : "") line
}
function private(name) { return name ~ /^(lbp_p_|LBP_P_|lbp_runner|NAME_priv_|NAME_is_the_|WIN32_|NOMINMAX$|NEAR$|FAR$|lbp_(file|thread|turn|process|signals)(_|$)|lbp_time_parts|lbp_is_terminal|lbp_machine_bytes|LBP_FILE_|LBP_ONCE$)|^LBP_(NAME_)?$|^lbp_[a-z_]*[a-z](2|4|8|16)$|_H$|_DECLARED$/ }

# s with `to` for every `from`, both as they are
function swap(s, from, to,   done, at) {
  for (; (at = index(s, from)) > 0; s = substr(s, at + length(from))) done = done substr(s, 1, at - 1) to
  return done s
}

# C as an instance sees it: NAME_x for LBP_NAME_(x) and what is defined as that
function instance(s,   done, name, at) {
  for (; match(s, /[A-Za-z_][A-Za-z_0-9]*/); done = done name) {
    done = done substr(s, 1, RSTART - 1)
    name = substr(s, RSTART, RLENGTH)
    s = substr(s, RSTART + RLENGTH)
    at = index(s, ")")
    if (name ~ /^LBP_(NAME_)?$/ && s ~ /^\([a-zA-Z_0-9]+\)/) {
      name = (name ~ /NAME/ ? "NAME_" : "NAME_priv_") substr(s, 2, at - 2)
      s = substr(s, at + 1)
    } else if (name ~ /^LBP_(P_)?ARRAY$/ && split(substr(s, 2, at - 2), word, ", ") == 3) {
      name = ""
      s = word[1] " " word[2] "[" swap(word[3], "LBP_N", "n") "]" substr(s, at + 1)
    } else if (name in when && s ~ /^\(, /) {
      name = ""
      s = "[" substr(s, 2, at - 2) "]" substr(s, at + 1)
    } else if (name in when && (at = index(s, ";)")) > 0) {
      if (sub(/\/\* /, "/* if " when[name] ": ", s) == 0) s = s " /* if " when[name] " */"
      s = substr(s, 2, at - 1) substr(s, at + 2)
      name = ""
    } else if (name in alias && done !~ /\/\* if $/) name = alias[name]
  }
  return done s
}

# a line whose comment begins in this column, if it can
function aligned(s, column,   at, code) {
  if ((at = index(s, "/*")) == 0) return s
  for (code = substr(s, 1, at - 1); length(code) >= column && code ~ /  $/; ) code = substr(code, 1, length(code) - 1)
  return sprintf("%-" (column - 1) "s", code) substr(s, at)
}

# An entry of the reference: those of the names that are public, with the comment read last.
function add(kind, names, code,   n, k, list, on) {
  n = split(names, word, " ")
  for (k = 1; k <= n; k++) {
    if (!private(word[k]) && index(list " ", " " word[k] " ") == 0) list = list " " word[k]
  }
  list = substr(list, 2)
  on = here
  if (substr(list, 1, index(list " ", " ") - 1) ~ inner && kind != "parameter") on = "lbp_support"
  if (word[1] in called) on = called[word[1]]
  if (kind == "parameter") asked_for[list] = 1
  if (list != "" && !((on, list) in known) && !(kind == "macro" && list in asked_for)) { # nor what another header presets
    known[on, list] = ++entries
    on_page[entries] = on
    in_file[entries] = header
    in_section[entries] = section
    kind_of[entries] = kind
    names_of[entries] = list
    code_of[entries] = code
    text_of[entries] = text
  }
  text = ""
}

# whether a paragraph is about parameters: it begins like LBP_SAVE(m, fields), LBP_RESTORE(m, fields): ...
function is_about(said) {
  head = about = substr(said, 1, index(said, ": ") - 1)
  gsub(/\n/, " ", head)
  gsub(/\([^)]*\)|-> *[A-Za-z_0-9]+/, "", about)
  gsub(/,? and |[ ,\n]+/, " ", about)
  return about ~ /^(LBP_[A-Z_0-9]+ ?)+$/
}

# adds the parameters that a comment is about; what else it says is returned
function parameters(comment,   n, k, said, rest) {
  n = split(comment, said, /\n\n/)
  for (k = 1; k <= n; k++) {
    if (is_about(said[k])) {
      text = substr(said[k], length(head) + 3)
      add("parameter", about, head)
    } else rest = rest (rest == "" ? "" : "\n\n") said[k]
  }
  return rest
}

# the list on a first page of what all models have: lbp_real lbp_X_delta(m, x, i)    what it does
function interface(comment,   n, line, k, name) {
  n = split(comment, line, "\n")
  for (k = 1; k <= n; k++) {
    if (match(line[k], /^ .*lbp_X_[a-z_]+\(/)) {
      name = substr(line[k], RSTART, RLENGTH - 1)
      sub(/.*lbp_X_/, "", name)
      sub(/^[^)]*\) */, "", line[k])
      common[here, name] = line[k]
    } else if (name != "" && sub(/^                     +/, " ", line[k])) common[here, name] = common[here, name] line[k]
    else name = ""
  }
}

function comment_ends(said) {
  text = ""
  if (first) {
    first = 0
    interface(said)
    intro[header] = parameters(said)
  } else if (said ~ /^(---|===)/) {
    gsub(/ *(---|===)[-=]* */, "\n", said)
    gsub(/^\n+|\n+$/, "", said)
    k = index(said "\n\n", "\n\n")
    section = substr(said, 1, k - 1)
    gsub(/\n/, " ", section)
    preamble[header, section] = substr(said, k + 2)
  } else text = said
}

# the names that a typedef, an enum or a struct defines
function defined(code,   n, k, list) {
  if (match(code, /^struct [a-z_]+/)) return substr(code, 8, RLENGTH - 7)
  if (code ~ /^typedef/) {
    list = code
    sub(/.*\n\}/, "", list)
    sub(/;.*/, "", list)
    sub(/\)?\([^*].*/, "", list)
    sub(/.*[ *]/, "", list)
    if (code !~ /^typedef enum/) return list
  }
  while ((k = index(code, "/*")) > 0) code = substr(code, 1, k - 1) substr(code, k + index(substr(code, k), "*/") + 1)
  sub(/^[^{]*\{/, "", code)
  sub(/\}[^}]*$/, "", code)
  n = split(code, word, ",")
  for (k = 1; k <= n; k++) {
    gsub(/=.*|[ \n]/, "", word[k])
    list = list " " word[k]
  }
  return list
}

# #ifndef ... #endif behind a comment: a parameter and its default, or macros
function group_ends(   n, k, line, list, is, value) {
  n = split(code, line, "\n")
  is = line[1] ~ /^#ifn?def/ ? substr(line[1], index(line[1], " ") + 1) : ""
  for (k = 1; k <= n; k++) {
    if (line[k] !~ /^#define /) continue
    split(line[k], word, /[ (]+/)
    list = list " " word[2]
    if (word[2] == is) value = substr(line[k], index(line[k], is) + length(is))
  }
  sub(/ *\/\*.*/, "", value)
  mode = ""
  if (is == "" || index(list " ", " " is " ") == 0) add("macro", list, code)
  else if (code !~ /^#ifndef/) {
    value = text
    add("parameter", is, code)
    text = value
    add("macro", swap(list " ", " " is " ", " "), code)
  } else {
    k = value ~ /^\(/ ? index(value, ")") : 0 # a macro with arguments
    preset[is] = substr(value, k + 1)
    sub(/^ +/, "", preset[is])
    if (is_about(text)) parameters(text)
    else add("parameter", is, is substr(value, 1, k))
  }
}

function prototype_ends(   k, name) {
  if (text == "" && match(form[0], /\{ *\/\* .* \*\/$/)) {
    text = substr(form[0], RSTART, RLENGTH - 3)
    sub(/^[^*]*\* /, "", text)
  }
  if (text == "" && form[0] !~ /\{/) return # declared, not defined
  for (k = 0; k < 2; k++) {
    sub(/[;{].*/, "", form[k])
    sub(/^LBP_[A-Z_]+ /, "", form[k])
    form[k] = instance(form[k])
    gsub(/[ \n]+/, " ", form[k])
    form[k] = swap(swap(swap(form[k], " ,", ","), " [,", "[,"), " )", ")")
    sub(/ ?$/, ";", form[k])
  }
  name = form[0]
  sub(/\(.*/, "", name)
  sub(/.*[ *]/, "", name)
  add("function", name, form[0] == form[1] ? form[0] : form[0] "\n" form[1] " /* with " condition " */")
}


FNR == 1 {
  match(FILENAME, /lbp([a-z_]*|\/[a-z]+\/[a-z_]+)\.h$/)
  header = substr(FILENAME, RSTART)
  file[++files] = header
  here = home_of[files] = page_of(header)
  for (k = 1; page[k] != here; k++) if (k == pages) page[++pages] = here
  section = text = mode = ""
  first = 1
}

mode == "" && /^\/\*/ { mode = "comment"; said = "" }
mode == "comment" {
  if ($0 ~ /\*\//) mode = ""
  sub(/ *\*\/.*/, "")
  sub(/^(\/\*| \*) ?/, "")
  said = said (said == "" ? "" : "\n") $0
  if (mode == "") comment_ends(said)
  next
}

mode == "" && /^$/ { # a comment by itself
  parameters(text)
  text = ""
}

mode == "" && text != "" && /^#if/ { mode = "group"; code = ""; depth = 0 }
mode == "group" && /^(#| )/ {
  code = code (code == "" ? "" : "\n") $0
  depth += (/^#if/) - (/^#endif/)
  if (/^#(el)?if/) asked = asked_by($0)
  if (/^#else/) asked = "not " asked
  if (/^#define .*\(\.\.\.\) __VA_ARGS__/) when[substr($2, 1, index($2, "(") - 1)] = asked
  if (depth == 0) group_ends()
  next
}
mode == "group" {
  mode = ""
  if (/^LBP_/) condition = substr(code, index(code, " ") + 1)
  else text = ""
}

mode == "" && /^LBP_(BRIDGE_FN|P_DRIVER|FN|CALLED|COLD|INLINE|APART|LEAF) / {
  mode = "prototype"
  form[0] = form[1] = ""
  branch = text == "" || condition == "" ? 2 : 1 # of #ifdef: which form a line belongs to; 2: both
}
mode == "prototype" {
  if (/^#if/) branch = /^#ifdef/
  else if (/^#else/) branch = 1 - branch
  else if (/^#endif/) branch = 2
  else for (k = 0; k < 2; k++) if (branch == 2 || branch == k) form[k] = form[k] $0 (/[{;]/ ? "" : "\n")
  if (/[{;]/) {
    mode = ""
    prototype_ends()
    condition = ""
  }
  next
}

/^#define LBP_VERSION / { version = int($3 / 10000) "." int($3 / 100) % 100 "." $3 % 100 }
mode == "" && /^#define LBP_[A-Z_]+ +LBP_(NAME_)?\([a-zA-Z_0-9]+\)$/ {
  split($3, word, /[()]/)
  alias[$2] = $3 ~ /NAME/ ? "NAME_" word[2] : $2 in preset && preset[$2] ~ /^lbp_/ ? preset[$2] : word[2]
  next
}
mode == "" && /^#define LBP_STATUSES\(S\)/ { # rows S(LBP_OK, "no error"): what makes the enum
  add("macro", "LBP_STATUSES", "#define LBP_STATUSES(S)")
  while ((getline line) > 0 && line != "") {
    sub(/ \\$/, "", line)
    if (sub(/^  S\(/, "  ", line)) sub(/, "/, ", /* ", line)
    sub(/"\)$/, " */", line)
    statuses = statuses "\n" line
  }
  next
}
mode == "" && /^#define LBP_[A-Z]+( LBP_CAT_[A-Z_]+)?$|^#define LBP_[A-Z_]+ LBP_P_[A-Z_]+$|^#define LBP_CLOCK LBP_/ { # a parameter in the place of another, or that runs define
  text = ""
  next
}
mode == "" && /^#define LBP_/ {
  split($2, word, "(")
  if (private(word[1])) next
  if (text == "" && defining == FNR - 1) names_of[entries] = names_of[entries] " " word[1]
  else {
    known_before = entries
    add("macro", word[1], "")
    if (entries == known_before) next
  }
  code_of[entries] = code_of[entries] (code_of[entries] == "" ? "" : "\n") $0
  for (defining = FNR; /\\$/ && (getline > 0); defining = FNR) code_of[entries] = code_of[entries] "\n" $0
  next
}

mode == "" && (/^(typedef|enum) / || /^struct [a-z_]+ \{/) { mode = "type"; code = ""; depth = 0 }
mode == "type" {
  code = code (code == "" ? "" : "\n") aligned(instance($0), index($0, "/*"))
  depth += gsub(/\{/, "{") - gsub(/\}/, "}")
  if (depth == 0 && /;/) {
    mode = ""
    if (sub(/LBP_STATUSES\(LBP_P_NAME\)/, "@", code)) code = swap(code, " @ ", statuses "\n  ")
    if (code !~ /^typedef struct [a-z_]+ [a-z_]+;$/) add("type", defined(code), code)
  }
  next
}

/^#error "/ { wrong[++wrongs] = substr($0, 9, length($0) - 9) }

# ---- writing ---------------------------------------------------------------------------------------------------

function put(s) {
  if (man) print s > out
  else if (s != "" || before != "") print s
  before = s
}

function escaped(s) {
  if (man) return swap(swap(s, "\\", "\\e"), "-", "\\-")
  return swap(swap(swap(s, "\\", "\\\\"), "*", "\\*"), "<", "\\<")
}

# a heading of level 1 (all) to 4 (an entry)
function heading(level, s) {
  if (man) put((level < 4 ? ".SH " : ".SS ") "\"" escaped(level < 4 ? toupper(s) : s) "\"")
  else {
    put("")
    put(substr("####", 1, level) " " (level == 4 ? "`" swap(s, ", ", "`, `") "`" : escaped(s)))
    put("")
  }
}

function verbatim(s, language,   n, line, k) {
  if (man && before !~ /^\.S/) put(".PP")
  put(man ? ".nf" : "```" language)
  n = split(s, line, "\n")
  for (k = 1; k <= n; k++) put(man ? (line[k] ~ /^[.']/ ? "\\&" : "") escaped(line[k]) : line[k])
  put(man ? ".fi" : "```")
  if (!man) put("")
}

# s on lines of up to `width`, cut where there is a `stop`, which ends with a blank; the others after `indent`
function wrapped(s, width, stop, indent,   done, k) {
  for (; length(s) > width; s = indent substr(s, k + 1)) {
    for (k = width; k > length(indent) && substr(s, k - length(stop) + 1, length(stop)) != stop; k--) { }
    if (k <= length(indent)) break
    done = done substr(s, 1, k - 1) "\n"
  }
  return done s
}

function paragraph(s,   n, line, k) {
  if (s == "") return
  if (man && before !~ /^\.S/) put(".PP")
  n = split(wrapped(escaped(s), 78, " ", ""), line, "\n")
  for (k = 1; k <= n; k++) {
    if (line[k] ~ (man ? "^[.']" : "^([-+#>]|[0-9]+[.)] )")) line[k] = (man ? "\\&" : "\\") line[k]
    put(line[k])
  }
  if (!man) put("")
}

# a comment: paragraphs, and what is indented as it is
function prose(s,   n, line, k, open, kept) {
  n = split(s "\n", line, "\n")
  for (k = 1; k <= n; k++) {
    if (line[k] ~ /^  / || line[k] == "") {
      paragraph(open)
      open = ""
    }
    if (line[k] ~ /^  /) kept = kept (kept == "" ? "" : "\n") line[k]
    else if (line[k] == "" && k < n && line[k + 1] ~ /^  / && kept != "") kept = kept "\n"
    else if (kept != "") {
      verbatim(kept, "")
      kept = ""
    }
    if (line[k] !~ /^  / && line[k] != "") open = open (open == "" ? "" : " ") line[k]
  }
}

function entry(e,   n, m, k, name, form, code, told) {
  n = split(names_of[e], name, " ")
  heading(4, n < 5 ? swap(names_of[e], " ", ", ") : name[1] " ... " name[n])
  m = split(code_of[e], form, "\n")
  for (k = 1; k <= m; k++) {
    if (kind_of[e] == "function") form[k] = wrapped(form[k], 76, ", ", "    ")
    code = code (k == 1 ? "" : "\n") form[k]
  }
  verbatim(code, "c")
  if (text_of[e] == "" && match(name[1], /^lbp_[a-z]+_/)) text_of[e] = common[on_page[e], substr(name[1], RLENGTH + 1)]
  prose(text_of[e])
  for (k = 1; k <= n; k++) {
    if (kind_of[e] != "parameter") continue
    if (name[k] in preset) paragraph("Default: " preset[name[k]])
    for (m = 1; m <= wrongs; m++) {
      if (!(m in told) && (wrong[m] " ") ~ ("(^|[^A-Z_])" name[k] "[^A-Z_]")) {
        told[m] = 1
        paragraph("Error: " wrong[m])
      }
    }
  }
}

# where a parameter stands in the table of all: its place, or behind them
function rank_of(e,   name) {
  split(names_of[e], name, " ")
  return name[1] in rank ? rank[name[1]] : ranks + 1
}

# of page p, or of a header on it, the parameters, in the order of the table
function parameters_of(p, which,   e, r, begun) {
  for (r = 1; r <= ranks + 1; r++) {
    for (e = 1; e <= entries; e++) {
      if (on_page[e] != p || kind_of[e] != "parameter" || (which != "" && in_file[e] != which) || rank_of(e) != r) continue
      if (!begun++) heading(3, "Parameters" (which != "" ? " of " which : ""))
      entry(e)
    }
  }
  return begun
}

# what else a header has there: all; of a template only what it makes, or only the rest
function section_of(p, which, only, begun,   e, last, now) {
  last = "none yet"
  for (e = 1; e <= entries; e++) {
    if (on_page[e] != p || kind_of[e] == "parameter" || in_file[e] != which) continue
    if (only != "" && (names_of[e] ~ /^NAME_/) != (only == "made")) continue
    now = in_section[e]
    if (now != last) {
      if (now != "") heading(3, now)
      else if (which == front(p)) heading(3, which)
      else if (begun) heading(3, "Functions of " which)
      if (!((which, now) in told_of)) prose(preamble[which, now])
      told_of[which, now] = 1
    }
    last = now
    entry(e)
  }
}

# the topic of what lbp.h makes
function topic_of(e,   k, found) {
  for (k = 1; k < topics; k += 2) {
    if (topic[k + 1] == "the rest" && !found || names_of[e] " " ~ "^" topic[k + 1] " ") found = k
  }
  return found
}

# what lbp.h makes, by topics
function topics_of(p,   k, e, at) {
  for (k = 1; k < topics; k += 2) {
    heading(3, topic[k])
    for (e = 1; e <= entries; e++) {
      if (on_page[e] != p || names_of[e] !~ /^NAME_/ || topic_of(e) != k) continue
      at = in_section[e]
      if (!((in_file[e], at) in told_of)) prose(preamble[in_file[e], at])
      told_of[in_file[e], at] = 1
      entry(e)
    }
  }
}

# the table of all parameters on lbp.h's first page: from its first line to the next paragraph; and what is around it
function find_table(   at, end, n, k, word, s) {
  at = index(intro["lbp.h"], table)
  end = at + index(substr(intro["lbp.h"], at), "\n\nThe state x")
  all = substr(intro["lbp.h"], at, end - at)
  around = substr(intro["lbp.h"], 1, at - 1) substr(intro["lbp.h"], end + 1)
  s = substr(all, index(all, "\n  "))
  gsub(/[^A-Z_0-9\n]+/, " ", s)
  n = split(s, word, /[ \n]+/)
  for (k = 1; k <= n; k++) if (word[k] ~ /^LBP_/ && !(word[k] in rank)) rank[word[k]] = ++ranks
}

# what a page is about: the first sentence of its header
function subject(p,   s) {
  s = swap(intro[front(p)] != "" ? intro[front(p)] : " - " titles[p], "\n", " ")
  s = substr(s, index(s, " - ") + 3)
  sub(/\.( .*)?$/, "", s)
  return s
}

# what another header than the page's own gives there
function part(p, name,   begun) {
  if (name == front(p)) return
  if (page_of(name) == p) {
    heading(3, name)
    prose(intro[name])
  }
  if (p == "lbp_options") begun = parameters_of(p, name)
  section_of(p, name, "", begun)
}

function write_page(p,   n, k) {
  if (man) {
    out = man "/" p ".3"
    put(".TH " toupper(p) " 3 " date " \"lbp " version "\" \"Library Functions Manual\"\n.SH NAME")
    put(p " \\- " wrapped(escaped(subject(p)), 66, " ", ""))
    put(".SH SYNOPSIS\n.B #include <" (intro[front(p)] != "" ? front(p) : "lbp.h") ">\n.SH DESCRIPTION")
  } else heading(2, title(p))
  prose(p == "lbp" && !man ? around : intro[front(p)])
  if (p == "lbp_options") paragraph("A parameter of lbp.h that asks for one of these makes lbp.h include its header: you include none of them.")
  else parameters_of(p, "")
  if (p == "lbp") topics_of(p)
  else if (p ~ /^lbp_(ab|perm)$/) section_of(p, front(p), "made")
  section_of(p, front(p), p ~ /^lbp(_ab|_perm)?$/ ? "rest" : "")
  for (k = 1; k in reading && p != "lbp_support"; k++) part(p, reading[k])
  for (k = 1; k <= files; k++) if (p == "lbp_support" || !(file[k] in early)) part(p, file[k])
  if (!man) return
  put(".SH SEE ALSO")
  for (k = 1; k <= pages; k++) if (page[k] != p) put(".BR " page[k] " (3)" (++n < pages - 1 ? "," : ""))
  close(out)
}

function title(p) { return p in titles ? titles[p] : front(p) }

function anchor_of(s) {
  s = tolower(swap(s, " ", "-"))
  gsub(/[^a-z_-]/, "", s)
  return s
}

function contents(   k) {
  heading(1, "lbp " version ": reference")
  put("- [" table "](#" anchor_of(table) ")")
  for (k = 1; k <= pages; k++) {
    put("- [" title(page[k]) "](#" anchor_of(title(page[k])) ")" (page[k] in titles ? "" : ": " escaped(subject(page[k]))))
  }
  heading(2, table)
  prose(all)
}

END {
  find_table()
  if (!man && !links) contents()
  for (k = 1; k <= pages; k++) {
    names = page[k]
    for (e = 1; e <= entries && links; e++) {
      if (on_page[e] == page[k] && kind_of[e] == "function" && names_of[e] !~ /^NAME_/) names = names " " names_of[e]
    }
    if (links) print names
    else write_page(page[k])
  }
}
