# Models, samplers and steps, by the functions lbp_bridge_c_* of a compiled model. These take and return bytes, numbers
# and handles; R has them in environments, whose memory in C is freed as soon as nothing refers to them.

# session: handles of another session, from a saved workspace, would be addresses of nothing, so each one knows its
# session. libraries: those loaded. interrupted: the run that Ctrl-C ended last.
state <- new.env(parent = emptyenv())

.onLoad <- function(libname, pkgname) {
  state$session <- new.env(parent = emptyenv())
  state$libraries <- list()
}

fail <- function(..., status = -1L) {
  stop(structure(list(message = paste0(...), call = NULL, status = status),
                 class = c("lbp_error", "error", "condition")))
}

warn <- function(sentence, name = NULL) {
  warning(structure(list(message = sentence, call = NULL), class = c(name, "lbp_warning", "warning", "condition")))
}

# ---- values for C ----------------------------------------------------------------------------------------------------

bytes <- function(text) c(charToRaw(enc2native(text)), as.raw(0))

text_of <- function(bytes) rawToChar(bytes[seq_len(match(as.raw(0), bytes) - 1L)])

shape_of <- function(value) if (is.null(dim(value))) length(value) else dim(value)

kind_of <- function(value) if (is.object(value)) class(value)[1] else typeof(value)

# Where item k of an array is.
place <- function(value, k) {
  paste(if (length(dim(value)) > 1) arrayInd(k, dim(value)) else k, collapse = ", ")
}

# An array as doubles in C's order.
numbers <- function(name, value) {
  if (is.object(value) || !(is.numeric(value) || is.logical(value) || is.raw(value))) {
    fail(sprintf("%s: no array of numbers: %s", name, kind_of(value)))
  }
  if (anyNA(value)) fail(sprintf("%s[%s] is NA, or not a number", name, place(value, which(is.na(value))[1])))
  if (length(dim(value)) > 1) value <- aperm(value)
  as.double(value)
}

# A state, or several, as in C.
as_state <- function(name, value, model) {
  x <- numbers(name, value)
  if (model$from == 0 && -1 %in% x && all(x %in% c(-1, 1))) {
    fail(name, ": states are zeros and ones, (1 + s) / 2 of spins s; lbp_spins makes spins of them")
  }
  x - model$from
}

# Its three dimensions as C has them.
dimensions <- function(name, value) {
  shape <- shape_of(value)
  if (length(shape) > 3) fail(sprintf("%s: %d dimensions, not 1 to 3", name, length(shape)))
  if (length(value) > .Machine$integer.max) fail(name, ": more than 2^31 - 1 numbers")
  c(as.integer(shape), -1L, -1L, -1L)[1:3]
}

# An option that is one value, as text.
option <- function(name, value) {
  if (length(value) != 1) fail(sprintf("%s: one value, not %d", name, length(value)))
  if (is.object(value) || is.list(value) || is.function(value)) {
    fail(sprintf("%s: no number or text: %s", name, kind_of(value)))
  }
  if (is.na(value)) fail(name, " is NA")
  if (is.character(value)) return(if (name %in% files) path.expand(value) else value)
  if (is.logical(value)) return(tolower(value))
  if (!is.numeric(value)) fail(sprintf("%s: no number or text: %s", name, kind_of(value)))
  if (name == "seed" && value > 2^53) fail("seed: beyond 2^53 numbers are rounded; give it as text")
  digits(value)
}

# Numbers as text that reads back the same.
digits <- function(values) {
  text <- sprintf("%.15g", values)
  ifelse(as.double(text) == values, text, sprintf("%.17g", values))
}

named <- function(values, what) {
  if (length(values) && (is.null(names(values)) || !all(nzchar(names(values))))) {
    fail(what, " are given by their names")
  }
}

# ---- models and samplers ---------------------------------------------------------------------------------------------

of_this_session <- function(it, what) {
  if (!identical(it$session, state$session)) {
    fail(what, ": it was made in another session of R, and memory of C is not saved: make it again")
  }
}

# from: the least value that states have in R, as in C (0), or one more. offset: by how much log pi is more than in C.
new_model <- function(library, arrays, kind = library$name, offset = 0, from = 0L) {
  of_this_session(library, "library")
  named(arrays, "arrays")
  values <- Map(numbers, names(arrays), arrays)
  shapes <- unlist(Map(dimensions, names(arrays), arrays))
  made <- .C(library$model, model = raw(8), length(arrays), as.raw(unlist(lapply(names(arrays), bytes))),
             as.integer(shapes), as.double(unlist(values)), sites = 0L, why = raw(1024), status = 0L, NAOK = TRUE)
  if (made$status != 0) fail(text_of(made$why), status = made$status)
  model <- list2env(list(library = library, session = library$session, kind = kind, handle = made$model, n = made$sites,
                         offset = offset, from = from, samplers = 0, gone = FALSE))
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

#' @export
print.lbp_model <- function(x, ...) {
  gone <- if (identical(x$session, state$session)) "" else ", of another session: make it again"
  cat("lbp model ", x$kind, " of ", x$n, " sites", gone, "\n", sep = "")
  invisible(x)
}

groups <- c("tempering", "annealing", "momentum")
files <- c("prefix", "checkpoint", "metric")
arrays <- c("start", "clamp", "tempering.ladder")

# Options by their dotted names: list(tempering = list(rungs = 8)) becomes list("tempering.rungs" = 8). NULL is none. An
# empty list is nothing of a group, and stays where there is no such group, to be refused.
flat <- function(options, group = "") {
  named(options, if (nzchar(group)) paste("options of", sub("[.]$", "", group)) else "options")
  all <- list()
  for (k in seq_along(options)) {
    name <- paste0(group, names(options)[k])
    value <- options[[k]]
    if (is.list(value) && !is.object(value) && (length(value) || name %in% groups)) {
      all <- c(all, flat(value, paste0(name, ".")))
    } else if (!is.null(value)) {
      all <- c(all, stats::setNames(list(value), name))
    }
  }
  twice <- names(all)[duplicated(names(all))]
  if (length(twice)) fail(sprintf("%s: it is given twice", twice[1]))
  all
}

# A sampler of a model, with options by their dotted names.
new_sampler <- function(model, options) {
  made <- .C(model$library$sampler, model$handle, handle = raw(8), status = 0L)
  if (made$status != 0) fail("no memory for a sampler", status = made$status)
  sampler <- list2env(list(library = model$library, session = model$session, model = model, handle = made$handle,
                           done = FALSE))
  model$samplers <- model$samplers + 1
  reg.finalizer(sampler, free)
  for (name in names(options)) {
    value <- options[[name]]
    if (is.list(value) && !length(value)) value <- "" # its name is refused
    if (name %in% arrays) {
      data <- if (name == "start") as_state(name, value, model) else numbers(name, value)
      call_c(sampler, "give", bytes(name), dimensions(name, value), data)
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
  if (did$status != 0) fail(said(sampler, 0, 0), status = did$status)
  did
}

# Its sentence, or the name of result k, or warning k or its name.
said <- function(sampler, what, k) {
  text_of(.C(sampler$library$text, sampler$handle, as.integer(what), as.integer(k), text = raw(1024))$text)
}

all_said <- function(sampler, what) {
  texts <- character()
  while (nzchar(text <- said(sampler, what, length(texts)))) texts <- c(texts, text)
  texts
}

# Waits until C has ended its work in another thread, and looks for Ctrl-C meanwhile, nowhere else than in
# Sys.sleep. Begins with one call of go(stop), which returns `ended`. Returns whether Ctrl-C came.
wait <- function(go) {
  stopped <- FALSE
  ended <- FALSE
  failed <- function(error) {
    ended <<- TRUE
    if (stopped) TRUE else stop(error)
  }
  # left early, by a time limit of R's: nothing must go on
  on.exit(while (!ended) ended <- tryCatch(go(TRUE), lbp_error = function(error) TRUE))
  suspendInterrupts(repeat {
    ended <- tryCatch(go(stopped), lbp_error = failed)
    if (ended) break
    tryCatch(allowInterrupts(Sys.sleep(0)), interrupt = function(condition) stopped <<- TRUE)
  })
  stopped
}

# Ends the user's call, as Ctrl-C does, with a condition of these classes; `run` has the draws so far.
interrupt <- function(sentence, run = NULL) {
  state$interrupted <- run
  stop(structure(list(message = sentence, call = NULL, run = run), class = c("lbp_interrupted", "interrupt",
                                                                              "condition")))
}

# ---- single steps ----------------------------------------------------------------------------------------------------

#' Single steps, for loops of your own
#'
#' @inheritParams lbp_run
#' @param ... options as of [lbp_run()], by name: `sampler`, `parameter`, which samplers that have one need, `momentum`,
#'   `values`, `check_trials`, and `clamp`, with `start`. Others are ignored with a warning.
#' @return A list of two functions.
#'
#'   `init(position)` takes a state, n whole numbers, and returns it as `list(position, logdensity)`.
#'
#'   `step(key, state, steps = 1)` takes `steps` steps and returns `list(state, info)`. The key, a whole number from 0
#'   to 2^53 or two of 32 bits, is the seed: the same key, state and options give the same result. A call first looks at
#'   all sites: take many steps by each. `info` has the mean `acceptance_rate` and `parameter`, and the sums of `jump`
#'   (distance moved), `proposed`, `evaluations` and `log_ratio` (the change of log pi).
#' @section Errors:
#' A position of another length, or not of whole numbers, or impossible; no key; an option as in [lbp_run()]. Ctrl-C
#' ends many steps, with a condition of the class `lbp_interrupted`; the state stays as it was.
#' @examples
#' \donttest{
#' steps <- lbp_sampling(lbp_ising(matrix(0), h = 0.5), sampler = "gibbs")
#' state <- steps$init(0)
#' for (key in 1:10) state <- steps$step(key, state)$state
#' }
#' @export
lbp_sampling <- function(model, ...) {
  options <- with_graph(model, without_ignored("sampling", flat(list(...))))
  graph <- if (is_graph(model)) model
  model <- as_model(model)
  sampler <- new_sampler(model, options)
  whole <- function(position) {
    x <- as_state("position", position, model)
    if (length(x) != model$n || any(x != trunc(x) | abs(x) > .Machine$integer.max)) {
      fail(sprintf("position: a state of %d whole numbers", model$n))
    }
    if (!is.null(graph)) must_have_observed(graph, x)
    as.integer(x)
  }
  logdensity <- function(x) call_c(sampler, "logp", x, logp = 0)$logp + model$offset
  list(
    init = function(position) {
      x <- whole(position)
      list(position = x + model$from, logdensity = logdensity(x))
    },
    step = function(key, state, steps = 1) {
      key <- numbers("key", key)
      if (length(key) == 1 && key <= 2^53) key <- c(key %/% 2^32, key %% 2^32)
      if (length(key) != 2 || any(key < 0 | key >= 2^32 | key != trunc(key))) {
        fail("key: a whole number up to 2^53, or two of 32 bits")
      }
      if (!is.numeric(steps) || !isTRUE(steps >= 1 && steps < 2^31 && steps == trunc(steps))) {
        fail("steps: a whole number from 1 to 2^31 - 1")
      }
      if (!is.list(state) || !is.numeric(state[["logdensity"]])) fail("state: what init or step has returned")
      x <- whole(state[["position"]])
      took <- NULL
      stopped <- wait(function(stop) {
        did <- call_c(sampler, "step", key, as.integer(steps), 0.1, as.integer(stop), ended = 0L, x = x,
                      info = double(6))
        if (did$ended) took <<- did
        did$ended == 1
      })
      if (stopped) interrupt(sprintf("Ctrl-C during %.0f steps: the state is what it was", steps))
      info <- as.list(stats::setNames(took$info, c("acceptance_rate", "parameter", "jump", "proposed", "evaluations",
                                                   "log_ratio")))
      after <- state$logdensity + info$log_ratio
      if (!is.finite(after)) after <- logdensity(took$x) # from an impossible state
      list(state = list(position = took$x + model$from, logdensity = after), info = info)
    }
  )
}
