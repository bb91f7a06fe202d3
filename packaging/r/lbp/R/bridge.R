# Models, samplers and runs, by the functions lbp_bridge_c_* of a compiled model. What they take and return is bytes,
# numbers and handles; what R sees are environments, whose memory in C is freed as soon as nothing refers to them.

# Handles of another session, from a saved workspace, would be addresses of nothing: each one knows its session.
state <- new.env(parent = emptyenv())

.onLoad <- function(libname, pkgname) state$session <- new.env(parent = emptyenv())

fail <- function(...) stop(errorCondition(paste0(...), class = "lbp_error"))

# ---- values for C ----------------------------------------------------------------------------------------------------

bytes <- function(text) c(charToRaw(enc2native(text)), as.raw(0))

text_of <- function(bytes) rawToChar(bytes[seq_len(match(as.raw(0), bytes) - 1L)])

# An array as doubles in C's order.
numbers <- function(name, value) {
  if (is.object(value) || !(is.numeric(value) || is.logical(value) || is.raw(value))) {
    fail(sprintf("%s: no array of numbers: %s", name, class(value)[1]))
  }
  if (anyNA(value)) fail(sprintf("%s[%d] is NA, or not a number", name, which(is.na(value))[1]))
  if (length(dim(value)) > 1) value <- aperm(value)
  as.double(value)
}

# An option that is one value, as text.
option <- function(name, value) {
  if (length(value) != 1) fail(sprintf("%s: one value, not %d", name, length(value)))
  if (is.object(value) || is.list(value) || is.function(value)) {
    fail(sprintf("%s: no number or text: %s", name, class(value)[1]))
  }
  if (is.na(value)) fail(name, " is NA")
  if (is.character(value)) return(value)
  if (is.logical(value)) return(tolower(value))
  if (!is.numeric(value)) fail(sprintf("%s: no number or text: %s", name, class(value)[1]))
  if (name == "seed" && value > 2^53) fail("seed: beyond 2^53 numbers are rounded; give it as text")
  text <- sprintf("%.15g", value)
  if (as.double(text) == value) text else sprintf("%.17g", value)
}

named <- function(values, what) {
  if (length(values) && (is.null(names(values)) || !all(nzchar(names(values))))) fail(what, " are given by their names")
}

# ---- models and samplers ---------------------------------------------------------------------------------------------

of_this_session <- function(it, what) {
  if (!identical(it$session, state$session)) {
    fail(what, ": it was made in another session of R, and memory of C is not saved: make it again")
  }
}

new_model <- function(library, arrays, kind = library$name) {
  of_this_session(library, "library")
  named(arrays, "arrays")
  values <- Map(numbers, names(arrays), arrays)
  made <- .C(library$model, model = raw(8), length(arrays), as.raw(unlist(lapply(names(arrays), bytes))),
             lengths(values), as.double(unlist(values)), sites = 0L, why = raw(1024), status = 0L, NAOK = TRUE)
  if (made$status != 0) fail(text_of(made$why))
  # log pi is less by `offset` in C
  model <- list2env(list(library = library, session = library$session, kind = kind, handle = made$model, n = made$sites,
                         offset = 0, samplers = 0, gone = FALSE))
  reg.finalizer(model, function(model) {
    model$gone <- TRUE
    leave(model)
  })
  structure(model, class = "lbp_model")
}

# A model goes after its samplers, in whatever order they are found to be garbage.
leave <- function(model) {
  if (model$gone && model$samplers == 0) model$handle <- .C(model$library$model_free, handle = model$handle)$handle
}

print.lbp_model <- function(x, ...) {
  gone <- if (identical(x$session, state$session)) "" else ", of another session: make it again"
  cat("lbp model ", x$kind, " of ", x$n, " sites", gone, "\n", sep = "")
  invisible(x)
}

# Options by their dotted names: list(tempering = list(rungs = 8)) becomes list("tempering.rungs" = 8). An empty list is
# nothing of a group, and stays where there is no such group, to be refused.
flat <- function(options, group = "") {
  named(options, if (nzchar(group)) paste("options of", sub("[.]$", "", group)) else "options")
  all <- list()
  for (k in seq_along(options)) {
    name <- paste0(group, names(options)[k])
    value <- options[[k]]
    nested <- is.list(value) && !is.object(value)
    if (nested && (length(value) || name %in% c("tempering", "annealing"))) {
      all <- c(all, flat(value, paste0(name, ".")))
    } else {
      all <- c(all, stats::setNames(list(value), name))
    }
  }
  all
}

# seed = NULL: R's own generator draws it.
with_seed <- function(options, seed) {
  c(options, list(seed = if (is.null(seed)) sample.int(.Machine$integer.max, 1) else seed))
}

new_sampler <- function(model, options) {
  if (!inherits(model, "lbp_model")) fail("model: no model of lbp")
  of_this_session(model, "model")
  options <- flat(options)
  twice <- names(options)[duplicated(names(options))]
  if (length(twice)) fail(sprintf("%s: it is given twice", twice[1]))
  made <- .C(model$library$sampler, model$handle, handle = raw(8), status = 0L)
  if (made$status != 0) fail("no memory for a sampler")
  sampler <- list2env(list(library = model$library, session = model$session, model = model, handle = made$handle,
                           done = FALSE))
  model$samplers <- model$samplers + 1
  reg.finalizer(sampler, free)
  for (name in names(options)) {
    value <- options[[name]]
    if (is.null(value)) next
    if (is.list(value) && !length(value)) value <- "" # its name is refused
    if (name %in% c("start", "clamp", "tempering.ladder")) {
      value <- numbers(name, value)
      call_c(sampler, "give", bytes(name), length(value), value)
    } else {
      call_c(sampler, "set", bytes(name), bytes(option(name, value)))
    }
  }
  sampler
}

free <- function(sampler) {
  if (sampler$done) return()
  sampler$done <- TRUE
  sampler$handle <- .C(sampler$library$sampler_free, handle = sampler$handle)$handle
  sampler$model$samplers <- sampler$model$samplers - 1
  leave(sampler$model)
}

call_c <- function(sampler, name, ...) {
  of_this_session(sampler, "sampler")
  did <- .C(sampler$library[[name]], sampler$handle, ..., status = 0L, NAOK = TRUE)
  if (did$status != 0) fail(said(sampler, 0, 0))
  did
}

# Its sentence, or what result k, warning k or its name is.
said <- function(sampler, what, k) {
  text_of(.C(sampler$library$text, sampler$handle, as.integer(what), as.integer(k), text = raw(1024))$text)
}

all_said <- function(sampler, what) {
  texts <- character()
  while (nzchar(text <- said(sampler, what, length(texts)))) texts <- c(texts, text)
  texts
}

# ---- runs ------------------------------------------------------------------------------------------------------------

lbp_run <- function(model, ..., seed = 1, progress = FALSE, interrupt = c("return", "stop")) {
  drive(model, "run", with_seed(list(...), seed), progress, match.arg(interrupt))
}

lbp_anneal <- function(model, ..., seed = 1, progress = FALSE, interrupt = c("return", "stop")) {
  drive(model, "anneal", with_seed(list(...), seed), progress, match.arg(interrupt))
}

lbp_ais <- function(model, ..., seed = 1, progress = FALSE) {
  drive(model, "ais", with_seed(list(...), seed), progress, "stop")
}

drive <- function(model, driver, options, progress, interrupt) {
  begun <- proc.time()[["elapsed"]]
  options <- with_graph(model, options)
  model <- as_model(model)
  sampler <- new_sampler(model, options)
  on.exit(free(sampler))
  stopped <- wait(sampler, driver, isTRUE(progress))
  names <- all_said(sampler, 1)
  run <- lapply(stats::setNames(names, names), function(name) result(sampler, name))
  warnings <- gsub("\n +", " ", stats::setNames(all_said(sampler, 2), all_said(sampler, 3)))
  run <- structure(with_offset(run, model$offset), class = "lbp_run", driver = driver, model = model$kind, sites = model$n,
                   seed = options$seed, warnings = warnings)
  for (name in names(warnings)) warning(warningCondition(warnings[[name]], class = c(name, "lbp_warning")))
  if (stopped && identical(run$ended, 3L)) {
    after <- sprintf("interrupted after %.1f s: ", proc.time()[["elapsed"]] - begun)
    if (interrupt == "stop") {
      stop(errorCondition(paste0(after, "what was found so far is in this condition's run"),
                          class = c("lbp_interrupted", "lbp_error"), run = run))
    }
    warning(warningCondition(paste0(after, "these are the results so far"), class = c("lbp_interrupted", "lbp_warning")))
  }
  run
}

# The run is in a thread of its own; this one waits, and looks for Ctrl-C, nowhere else than in Sys.sleep. Returns
# whether it came.
wait <- function(sampler, driver, progress) {
  stopped <- FALSE
  shown <- ""
  suspendInterrupts(repeat {
    told <- call_c(sampler, "run", bytes(driver), 0.1, as.integer(stopped), ended = 0L, line = raw(1024))
    line <- text_of(told$line)
    if (progress && line != shown) cat(sprintf("\r%-79.79s", shown <- line), file = stderr())
    if (told$ended) break
    tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(condition) stopped <<- TRUE)
  })
  if (nzchar(shown)) cat("\n", file = stderr())
  stopped
}

result <- function(sampler, name) {
  get <- function(room, data) {
    call_c(sampler, "get", bytes(name), room, whole = 0L, dims = 0L, shape = integer(3), data = data)
  }
  it <- get(0L, double())
  shape <- it$shape[seq_len(it$dims)]
  data <- get(as.integer(prod(shape)), vector(if (it$whole) "integer" else "double", prod(shape)))$data
  if (it$dims < 2) data else aperm(array(data, rev(shape)))
}

# Results are of the model as R's functions describe it; files and lines of progress are of C's.
with_offset <- function(run, offset) {
  if (offset == 0) return(run)
  for (name in intersect(c("lp", "best_logp", "last_logp"), names(run))) run[[name]] <- run[[name]] + offset
  if (!is.null(run[["log_z"]])) run$log_z <- run$log_z + offset * (if (is.null(run[["ladder"]])) 1 else run$ladder[1])
  if (!is.null(run[["history"]])) run$history[, 3] <- run$history[, 3] + offset
  run
}

# ---- single steps ----------------------------------------------------------------------------------------------------

lbp_sampling <- function(model, ..., seed = 1) {
  options <- with_graph(model, with_seed(list(...), seed))
  model <- as_model(model)
  sampler <- new_sampler(model, options)
  whole <- function(position) {
    if (is.integer(position) && length(position) == model$n) return(position)
    x <- numbers("position", position)
    if (length(x) != model$n || any(x != trunc(x) | abs(x) > .Machine$integer.max)) {
      fail(sprintf("position: a state of %d whole numbers", model$n))
    }
    as.integer(x)
  }
  list(
    init = function(position) {
      x <- whole(position)
      list(position = x, logdensity = call_c(sampler, "logp", x, logp = 0)$logp + model$offset)
    },
    step = function(key, state, steps = 1) {
      words <- numbers("key", key)
      if (length(words) == 1 && words <= 2^53) words <- c(words %/% 2^32, words %% 2^32)
      if (length(words) != 2 || any(words < 0 | words >= 2^32 | words != trunc(words))) {
        fail("key: a whole number up to 2^53, or two of 32 bits")
      }
      if (!isTRUE(steps >= 1 && steps <= 1e9 && steps == trunc(steps))) fail("steps: a whole number from 1 on")
      if (!is.list(state) || !is.numeric(state$logdensity)) fail("state: what init or a step has returned")
      took <- call_c(sampler, "step", words, as.integer(steps), x = whole(state$position), info = double(6))
      info <- as.list(stats::setNames(took$info, c("acceptance_rate", "parameter", "jump", "proposed", "evaluations",
                                                   "log_ratio")))
      list(state = list(position = took$x, logdensity = state$logdensity + info$log_ratio), info = info)
    }
  )
}
