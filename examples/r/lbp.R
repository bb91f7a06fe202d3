# Models written in C for lbp, from R: needs a C compiler, and base R only.
#
#   source("lbp.R")
#   field <- lbp_compile("field.c")                  # a model file that ends with #include "lbp_bridge.h"
#   model <- field(h = c(0.5, -1, 2))                # of its arrays
#   run <- lbp_run(model, chains = 4, draws = 1000)  # any option of lbp_run, also tempering = list(rungs = 8)
#   run$x                                            # states: [chain, draw, site]
#   posterior::summarise_draws(lbp_draws_array(run))
#
# An array has its indices in the order that they have in C: X[i, j] here is X[i][j] there, in what a model is made of
# as in results; what counts sites begins with 0. Numbers are converted to what a model wants if that changes none; only
# where it wants float they are rounded, as R has no such numbers. NA is refused.
#
# Errors are R's, with the library's sentence; what is not to be trusted of a run is a warning. Ctrl-C ends a run early,
# and it returns what it has. What begins with lbp_p_ is private.

# ---- libraries -------------------------------------------------------------------------------------------------------

# Where the headers are: beside this file, or two folders up; else the compiler must know.
lbp_p_headers <- local({
  files <- Filter(Negate(is.null), lapply(sys.frames(), function(frame) frame$ofile))
  file <- if (length(files)) files[[length(files)]] else ""
  here <- normalizePath(if (file.exists(file)) dirname(file) else ".") # there already, if source is told chdir = TRUE
  Filter(function(folder) file.exists(file.path(folder, "lbp_bridge.h")), c(here, file.path(here, "..", "..")))
})

# Compiles a model file, and loads it: see lbp_load. flags = c(..., "-fopenmp") runs chains on all cores.
lbp_compile <- function(source, cc = Sys.getenv("CC"), flags = c("-O3", "-march=native"), libs = "-lm", output = NULL) {
  if (is.null(output)) {
    dir.create(folder <- tempfile("lbp-"))
    output <- file.path(folder, "model.so")
  }
  command <- strsplit(if (nzchar(cc)) cc else "cc", " +")[[1]]
  include <- if (length(lbp_p_headers)) paste0("-I", lbp_p_headers[1])
  options <- c(command[-1], flags, "-shared", "-fPIC", "-pthread", include, source, "-o", output, libs)
  said <- suppressWarnings(system2(command[1], shQuote(options), stdout = TRUE, stderr = TRUE))
  if (!is.null(attr(said, "status"))) {
    stop(paste(c(paste(c(command[1], options), collapse = " "), said), collapse = "\n"), call. = FALSE)
  }
  lbp_load(output)
}

# Loads what is compiled: a function of the model's arrays, field(h = ...), which returns a model.
lbp_load <- function(path) {
  loaded <- dyn.load(normalizePath(path))
  names <- c("about", "wants", "model", "model_free", "sampler", "sampler_free", "text", "set", "give", "run", "get",
             "step", "logp")
  library <- list2env(lapply(setNames(names, names), function(name) {
    getNativeSymbolInfo(paste0("lbp_bridge_c_", name), loaded)
  }))
  about <- .C(library$about, abi = 0L, name = raw(1024))
  if (about$abi != 3) stop(sprintf("%s: interface %d, not 3", path, about$abi), call. = FALSE)
  structure(function(...) lbp_p_model(library, list(...)), class = "lbp_library", name = lbp_p_text(about$name),
            wants = lbp_p_wants(library))
}

# The arrays of a model, and then its sizes, which arrays tell, or which are given as one number.
lbp_p_wants <- function(library) {
  wants <- data.frame(name = character(), type = character(), length = character())
  repeat {
    want <- .C(library$wants, k = nrow(wants), name = raw(1024), type = raw(1024), length = raw(1024))
    want <- lapply(want[-1], lbp_p_text)
    if (want$name == "") return(wants)
    wants <- rbind(wants, as.data.frame(want, stringsAsFactors = FALSE))
  }
}

print.lbp_library <- function(x, ...) {
  wants <- attr(x, "wants")
  sizes <- wants$name[wants$length == ""]
  arrays <- with(wants[wants$length != "", ], sprintf("%s (%s, %s)", name, type, length))
  cat("lbp model ", attr(x, "name"), " of ", paste(arrays, collapse = ", "), "; sizes ", paste(sizes, collapse = ", "),
      "\n", sep = "")
  invisible(x)
}

# ---- values for C ----------------------------------------------------------------------------------------------------

lbp_p_bytes <- function(text) c(charToRaw(enc2native(text)), as.raw(0))

lbp_p_text <- function(bytes) rawToChar(bytes[seq_len(match(as.raw(0), bytes) - 1L)])

# An array as doubles in C's order.
lbp_p_numbers <- function(name, value) {
  if (is.object(value) || !(is.numeric(value) || is.logical(value) || is.raw(value))) {
    stop(sprintf("%s: no array of numbers: %s", name, class(value)[1]), call. = FALSE)
  }
  if (anyNA(value)) stop(sprintf("%s[%d] is NA, or not a number", name, which(is.na(value))[1]), call. = FALSE)
  if (length(dim(value)) > 1) value <- aperm(value)
  as.double(value)
}

# An option that is one value, as text.
lbp_p_option <- function(name, value) {
  if (length(value) != 1) stop(sprintf("%s: one value, not %d", name, length(value)), call. = FALSE)
  if (is.object(value)) stop(sprintf("%s: no number or text: %s", name, class(value)[1]), call. = FALSE)
  if (is.na(value)) stop(name, " is NA", call. = FALSE)
  if (is.character(value)) return(value)
  if (is.logical(value)) return(tolower(value))
  if (!is.numeric(value)) stop(sprintf("%s: no number or text: %s", name, class(value)[1]), call. = FALSE)
  if (name == "seed" && value > 2^53) stop("seed: beyond 2^53 numbers are rounded; give it as text", call. = FALSE)
  text <- sprintf("%.15g", value)
  if (as.double(text) == value) text else sprintf("%.17g", value)
}

lbp_p_named <- function(values, what) {
  if (length(values) && (is.null(names(values)) || !all(nzchar(names(values))))) {
    stop(what, " are given by their names", call. = FALSE)
  }
}

# ---- models and samplers: environments, which are freed as soon as nobody has them -----------------------------------

lbp_p_model <- function(library, arrays) {
  lbp_p_named(arrays, "arrays")
  numbers <- Map(lbp_p_numbers, names(arrays), arrays)
  made <- .C(library$model, model = raw(8), length(arrays), as.raw(unlist(lapply(names(arrays), lbp_p_bytes))),
             lengths(numbers), as.double(unlist(numbers)), sites = 0L, why = raw(1024), status = 0L, NAOK = TRUE)
  if (made$status != 0) stop(lbp_p_text(made$why), call. = FALSE)
  model <- list2env(list(library = library, handle = made$model, n = made$sites, samplers = 0, gone = FALSE))
  reg.finalizer(model, function(model) {
    model$gone <- TRUE
    lbp_p_leave(model)
  })
  structure(model, class = "lbp_model")
}

print.lbp_model <- function(x, ...) {
  cat("lbp model of", x$n, "sites\n")
  invisible(x)
}

# A model goes after its samplers, in whatever order they are found to be garbage.
lbp_p_leave <- function(model) {
  if (model$gone && model$samplers == 0) model$handle <- .C(model$library$model_free, handle = model$handle)$handle
}

# Options by their dotted names: list(tempering = list(rungs = 8)) becomes list("tempering.rungs" = 8). An empty list is
# nothing of a group, and stays where there is no such group, to be refused.
lbp_p_flat <- function(options, group = "") {
  lbp_p_named(options, if (nzchar(group)) paste("options of", sub("[.]$", "", group)) else "options")
  flat <- list()
  for (k in seq_along(options)) {
    name <- paste0(group, names(options)[k])
    value <- options[[k]]
    nested <- is.list(value) && !is.object(value)
    if (nested && (length(value) || name %in% c("tempering", "annealing"))) {
      flat <- c(flat, lbp_p_flat(value, paste0(name, ".")))
    } else {
      flat <- c(flat, setNames(list(value), name))
    }
  }
  flat
}

lbp_p_sampler <- function(model, options) {
  if (!inherits(model, "lbp_model")) stop("model: no model of lbp", call. = FALSE)
  options <- lbp_p_flat(options)
  twice <- names(options)[duplicated(names(options))]
  if (length(twice)) stop(sprintf("%s: it is given twice", twice[1]), call. = FALSE)
  made <- .C(model$library$sampler, model$handle, handle = raw(8), status = 0L)
  if (made$status != 0) stop("no memory for a sampler", call. = FALSE)
  sampler <- list2env(list(library = model$library, model = model, handle = made$handle, done = FALSE))
  model$samplers <- model$samplers + 1
  reg.finalizer(sampler, lbp_p_free)
  for (name in names(options)) {
    value <- options[[name]]
    if (is.null(value)) next
    if (is.list(value) && !length(value)) value <- "" # its name is refused
    if (name %in% c("start", "clamp", "tempering.ladder")) {
      value <- lbp_p_numbers(name, value)
      lbp_p_call(sampler, "give", lbp_p_bytes(name), length(value), value)
    } else {
      lbp_p_call(sampler, "set", lbp_p_bytes(name), lbp_p_bytes(lbp_p_option(name, value)))
    }
  }
  sampler
}

lbp_p_free <- function(sampler) {
  if (sampler$done) return()
  sampler$done <- TRUE
  sampler$handle <- .C(sampler$library$sampler_free, handle = sampler$handle)$handle
  sampler$model$samplers <- sampler$model$samplers - 1
  lbp_p_leave(sampler$model)
}

lbp_p_call <- function(sampler, name, ...) {
  did <- .C(sampler$library[[name]], sampler$handle, ..., status = 0L, NAOK = TRUE)
  if (did$status != 0) stop(lbp_p_said(sampler, 0, 0), call. = FALSE)
  did
}

# Its sentence, or what result k, warning k or its name is.
lbp_p_said <- function(sampler, what, k) {
  lbp_p_text(.C(sampler$library$text, sampler$handle, as.integer(what), as.integer(k), text = raw(1024))$text)
}

lbp_p_list <- function(sampler, what) {
  texts <- character()
  while (nzchar(text <- lbp_p_said(sampler, what, length(texts)))) texts <- c(texts, text)
  texts
}

# ---- runs ------------------------------------------------------------------------------------------------------------

# Draws from pi; the best states, chains being reads of annealing = list(sweeps = ...) sweeps; log Z. Options are
# lbp_run's, by name, those of a group as tempering = list(rungs = 8) or by their dotted names, "tempering.rungs" = 8;
# start, clamp and tempering.ladder are arrays; keep = FALSE: no states in memory; progress = TRUE: how far it is, on stderr. Returns a
# list of what the run has found: x is [chain, draw, site]; lp, accept, parameter, evaluations, jump and the columns are
# [chain, draw]; best is [chain, site]; the rest as in lbp_run_result and lbp_ais_result. ended: 0: complete, 1:
# converged, 2: out of time, 3: stopped, by Ctrl-C. attr(, "warnings"): what is not to be trusted, sentences by their names,
# such as LBP_WARN_RHAT; each is a warning, too.
lbp_run <- function(model, ...) lbp_p_drive(model, "run", list(...))
lbp_anneal <- function(model, ...) lbp_p_drive(model, "anneal", list(...))
lbp_ais <- function(model, ...) lbp_p_drive(model, "ais", list(...))

lbp_p_drive <- function(model, driver, options) {
  progress <- isTRUE(options[["progress"]])
  options[["progress"]] <- NULL
  sampler <- lbp_p_sampler(model, options)
  on.exit(lbp_p_free(sampler))
  lbp_p_wait(sampler, driver, progress)
  names <- lbp_p_list(sampler, 1)
  run <- lapply(setNames(names, names), function(name) lbp_p_result(sampler, name))
  warnings <- gsub("\n +", " ", setNames(lbp_p_list(sampler, 2), lbp_p_list(sampler, 3)))
  for (sentence in warnings) warning(sentence, call. = FALSE)
  structure(run, warnings = warnings, class = "lbp_run")
}

# The run is in a thread of its own; this one waits, and looks for Ctrl-C, nowhere else than in Sys.sleep.
lbp_p_wait <- function(sampler, driver, progress) {
  stopped <- FALSE
  shown <- ""
  suspendInterrupts(repeat {
    told <- lbp_p_call(sampler, "run", lbp_p_bytes(driver), 0.1, as.integer(stopped), ended = 0L, line = raw(1024))
    line <- lbp_p_text(told$line)
    if (progress && line != shown) cat(sprintf("\r%-79.79s", shown <- line), file = stderr())
    if (told$ended) break
    tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(condition) stopped <<- TRUE)
  })
  if (nzchar(shown)) cat("\n", file = stderr())
}

lbp_p_result <- function(sampler, name) {
  get <- function(room, data) {
    lbp_p_call(sampler, "get", lbp_p_bytes(name), room, whole = 0L, dims = 0L, shape = integer(3), data = data)
  }
  it <- get(0L, double())
  shape <- it$shape[seq_len(it$dims)]
  data <- get(as.integer(prod(shape)), vector(if (it$whole) "integer" else "double", prod(shape)))$data
  if (it$dims < 2) data else aperm(array(data, rev(shape)))
}

print.lbp_run <- function(x, ...) {
  cat("lbp run:\n")
  for (name in names(x)) {
    shape <- if (is.null(dim(x[[name]]))) length(x[[name]]) else dim(x[[name]])
    cat(sprintf("  %-18s", name), if (identical(shape, 1L)) format(x[[name]], digits = 7) else
      sprintf("[%s]", paste(shape, collapse = ", ")), "\n", sep = "")
  }
  invisible(x)
}

# Draws as posterior::as_draws_array takes them, [iteration, chain, variable]: lp__, the columns, x[1] ... x[n].
lbp_draws_array <- function(run) {
  if (!inherits(run, "lbp_run") || is.null(run[["accept"]]) || length(dim(run[["lp"]])) != 2) {
    stop("run: no draws, which lbp_run has", call. = FALSE)
  }
  stats <- c("accept", "parameter", "evaluations", "jump", "x", "best", "marginal", "marginal_se")
  of_draws <- Filter(function(name) identical(dim(run[[name]]), dim(run[["lp"]])), setdiff(names(run), stats))
  values <- lapply(run[of_draws], t)
  names(values)[names(values) == "lp"] <- "lp__"
  n <- if (is.null(run[["x"]])) 0 else dim(run[["x"]])[3]
  x <- if (n > 0) aperm(run[["x"]], c(2, 1, 3))
  variables <- c(names(values), if (n > 0) sprintf("x[%d]", seq_len(n)))
  shape <- rev(dim(run[["lp"]]))
  array(c(unlist(values, use.names = FALSE), x), c(shape, length(variables)),
        list(iteration = seq_len(shape[1]), chain = seq_len(shape[2]), variable = variables))
}

# ---- single steps ----------------------------------------------------------------------------------------------------

# init(position) -> state and step(key, state, steps = 1) -> list(state, info), for loops of your own. A key is a whole
# number, up to 2^53, or two of 32 bits, and decides the steps.
lbp_sampling <- function(model, ...) {
  sampler <- lbp_p_sampler(model, list(...))
  whole <- function(position) {
    if (is.integer(position) && length(position) == model$n) return(position)
    x <- lbp_p_numbers("position", position)
    if (length(x) != model$n || any(x != trunc(x) | abs(x) > .Machine$integer.max)) {
      stop(sprintf("position: a state of %d whole numbers", model$n), call. = FALSE)
    }
    as.integer(x)
  }
  list(
    init = function(position) {
      x <- whole(position)
      list(position = x, logdensity = lbp_p_call(sampler, "logp", x, logp = 0)$logp)
    },
    step = function(key, state, steps = 1) {
      words <- lbp_p_numbers("key", key)
      if (length(words) == 1 && words <= 2^53) words <- c(words %/% 2^32, words %% 2^32)
      if (length(words) != 2 || any(words < 0 | words >= 2^32 | words != trunc(words))) {
        stop("key: a whole number up to 2^53, or two of 32 bits", call. = FALSE)
      }
      if (!isTRUE(steps >= 1 && steps <= 1e9 && steps == trunc(steps))) {
        stop("steps: a whole number from 1 on", call. = FALSE)
      }
      took <- lbp_p_call(sampler, "step", words, as.integer(steps), x = whole(state$position), info = double(6))
      info <- as.list(setNames(took$info, c("acceptance_rate", "parameter", "jump", "proposed", "evaluations",
                                            "log_ratio")))
      list(state = list(position = took$x, logdensity = state$logdensity + info$log_ratio), info = info)
    }
  )
}
