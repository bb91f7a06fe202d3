# Runs, and how they are printed.

#' Draw from a model, find its best states, or estimate log Z
#'
#' `lbp_run` draws states. `lbp_anneal` searches for the best ones: each of `chains` is a read of
#' `annealing = list(sweeps = ...)` sweeps. `lbp_ais` estimates log Z by annealed importance sampling, with
#' `tempering = list(rungs = ...)`.
#'
#' The same options and seed draw the same in R, Python and C, and give the same `lp`, but for models that have no
#' formula in C ([lbp_ising()]), whose `lp` in C is less by a constant. Factor graphs with observed sites are another
#' case: R's own generator draws the states that their chains begin with, unless zeros make them begin at the best
#' state. So Python draws others; give `start` to have the same.
#'
#' Further options, by name in `...`, those of a group as `tempering = list(rungs = 8)` or by their dotted names,
#' `"tempering.rungs" = 8`:
#'
#' * Steps: `parameter` (R of LBP-R and GWG-R; 0: it is tuned), `clock_jumps`, `target` (acceptance rate to tune for),
#'   `metric` (a file of tuned settings), `shared_tuner`, `batch`, `values`.
#' * `tempering`: `rungs`, `ladder` (inverse temperatures, coldest first), `adapt`, `adapt_ends`, `swap_every`,
#'   `swap_parts`, `replicas`, `resample` (population annealing).
#' * `annealing`: `sweeps`, `schedule` ("linear", "geometric"), `hot`, `cold` (inverse temperatures; found from the
#'   model where they are 0), `parameter_end`.
#' * `momentum`: `eps`, `relax`.
#' * When it ends: `seconds`, `rhat`, `ess`.
#' * Before it: `check_trials` (how often the model's functions are checked against each other).
#' * Kept results: `keep` (`FALSE`: no states in memory), `marginals` ("none", "counted", "conditional"), `best_states`
#'   (how many best states a file has).
#' * Files: `prefix`, `save_states` ("none", "csv", "npy"), `digits`, `name`, `checkpoint`, `checkpoint_seconds`,
#'   `signals`.
#'
#' An unknown option is an error that names the nearest one. Ignored with a warning is one for another of these
#' functions, or one that needs another, such as `digits` without `prefix`.
#'
#' @param model a model, of a function that [lbp_compile()] returns, or a ready-made one such as of [lbp_ising()].
#' @param ... further options, see Details.
#' @param sampler such as "gibbs", "skip_gibbs", "metropolis", "lbp"; an unknown one is an error that lists the model's.
#' @param chains how many chains, or reads.
#' @param warmup steps or sweeps before the first draw.
#' @param draws draws of each chain.
#' @param thin steps or sweeps from one draw to the next.
#' @param start a state, or a matrix with a row for each chain.
#' @param clamp for each site whether it never moves.
#' @param seed a whole number; beyond 2^53 as text. The same one draws the same. `NULL`: R's generator draws it, so that
#'   [set.seed()] decides.
#' @param progress whether to show how far the run is, on stderr.
#' @param interrupt the effect of Ctrl-C: "stop" also ends the caller, with a condition of the class
#'   `lbp_interrupted` whose `run` has the results so far (`lbp_interrupted()` returns them later, too); "return"
#'   returns these, with `ended` 3. `lbp_ais` has none then, and always stops.
#' @return A list of results, of class `lbp_run`; printing it lists them. Of `lbp_run`: `x`, states, integer, \[chain,
#'   draw, site\]; `lp` (log pi), `accept`, `parameter`, `evaluations` and `jump` (distance moved), \[chain, draw\];
#'   `draws`, `seconds`, `best_logp`, `best` \[chain, site\], `marginal`, `marginal_se`; with tempering `ladder`,
#'   `swaps`, `round_trips`, `log_z`, `log_z_se`. `ended` is 0: complete, 1: converged, 2: out of time, 3: interrupted.
#'   Of `lbp_anneal`: `best` \[read, site\], the best one first, `best_logp`, `hits` and `history`. Of `lbp_ais`:
#'   `log_z` and its standard error `log_z_se`.
#'
#'   A run that goes on from a checkpoint returns the draws of this call alone: `x`, `lp`, `accept`, `parameter`,
#'   `evaluations`, `jump` and columns. `draws`, `marginal`, `mcse`, `ess_bulk`, `ess_tail` and `rhat` are of all draws.
#'   To have all, keep what each call returns, or read the files of `prefix`.
#'
#'   `attr(, "warnings")` has sentences by name, why a result may be unreliable, such as `LBP_WARN_RHAT`; each is a
#'   warning, too. `attr(, "seed")` is the seed.
#' @section Errors:
#' An option is unknown or makes no sense; an array has another shape; the model gives NaN, or contradicts itself; a run
#' without an end in sight would take more memory than there is, or states of more than 2^31 - 1 numbers.
#' @seealso [lbp_draws()] for posterior and coda, [lbp_sampling()] for single steps.
#' @examples
#' \donttest{
#' J <- 0.4 * (abs(outer(1:10, 1:10, "-")) == 1)
#' model <- lbp_ising(J, h = 0.1)
#' run <- lbp_run(model, sampler = "gibbs", draws = 1000)
#' run
#' mean(lbp_spins(run$x))
#' lbp_anneal(model, chains = 4, annealing = list(sweeps = 50))$best_logp
#' lbp_ais(model, chains = 20, tempering = list(rungs = 20))$log_z
#' }
#' @export
lbp_run <- function(model, ..., sampler = NULL, chains = NULL, warmup = NULL, draws = NULL, thin = NULL, start = NULL,
                    clamp = NULL, seed = 1, progress = FALSE, interrupt = c("stop", "return")) {
  drive(model, "run", list(..., sampler = sampler, chains = chains, warmup = warmup, draws = draws, thin = thin,
                           start = start, clamp = clamp), seed, progress, interrupt[1])
}

#' @rdname lbp_run
#' @export
lbp_anneal <- function(model, ..., sampler = NULL, chains = NULL, start = NULL, clamp = NULL, seed = 1,
                       progress = FALSE, interrupt = c("stop", "return")) {
  drive(model, "anneal", list(..., sampler = sampler, chains = chains, start = start, clamp = clamp), seed, progress,
        interrupt[1])
}

#' @rdname lbp_run
#' @export
lbp_ais <- function(model, ..., sampler = NULL, chains = NULL, clamp = NULL, seed = 1, progress = FALSE) {
  drive(model, "ais", list(..., sampler = sampler, chains = chains, clamp = clamp), seed, progress, "stop")
}

#' @rdname lbp_run
#' @return `lbp_interrupted`: the run that Ctrl-C ended last in this session; `NULL`: there is none.
#' @export
lbp_interrupted <- function() state$interrupted

# Options, or whole groups, that each function ignores.
of_draws <- c("rhat", "ess", "marginals", "save_states", "digits", "keep")
of_swaps <- paste0("tempering.", c("adapt_ends", "swap_every", "swap_parts", "replicas"))
ignored <- list(
  run = c("annealing", "tempering.resample"),
  anneal = c("draws", "warmup", "thin", of_draws, of_swaps, "tempering.adapt", "tempering.resample", "shared_tuner"),
  ais = c("draws", "warmup", "annealing", "seconds", of_draws, of_swaps, "shared_tuner", "batch", "best_states",
          "checkpoint_seconds", "interrupt"),
  sampling = c("seed", "chains", "draws", "warmup", "thin", "annealing", "tempering", "seconds", of_draws, "target",
               "clock_jumps", "metric", "shared_tuner", "batch", "best_states", "prefix", "name", "checkpoint",
               "checkpoint_seconds", "signals", "interrupt", "progress"))

# Options that are ignored where none of others is given.
rungs <- c("tempering.rungs", "tempering.ladder")
alone <- list(run = list(tempering.adapt = rungs, tempering.swap_every = c(rungs, "tempering.replicas"),
                         digits = "prefix", checkpoint_seconds = "checkpoint"),
              anneal = list(checkpoint_seconds = "checkpoint", prefix = "best_states"), ais = list(), sampling = list(start = "clamp"))

group_of <- function(name) sub("[.].*", "", name)

# Warns of options that a function ignores, and returns those for C.
without_ignored <- function(driver, options) {
  given <- names(options)
  for (name in intersect(ignored[[driver]], c(given, group_of(given)))) {
    users <- paste0("lbp_", names(Filter(function(others) !any(c(name, group_of(name)) %in% others), ignored)))
    warn(sprintf("%s: lbp_%s ignores this option, which is for %s", name, driver,
                 sub(", ([^,]*)$", " and \\1", paste(users, collapse = ", "))))
  }
  for (name in intersect(names(alone[[driver]]), given)) {
    others <- alone[[driver]][[name]]
    if (!any(others %in% given)) {
      warn(sprintf("%s: lbp_%s ignores this option without %s", name, driver, paste(others, collapse = " or ")))
    }
  }
  of_c(options)
}

# Options without those that only R's functions have.
of_c <- function(options) options[setdiff(names(options), c("interrupt", "progress"))]

drive <- function(model, driver, options, seed, progress, on_interrupt) {
  begun <- proc.time()[["elapsed"]]
  if (!isTRUE(on_interrupt %in% c("stop", "return"))) fail("interrupt: \"stop\" or \"return\"")
  if (!isTRUE(progress %in% c(TRUE, FALSE))) fail("progress: TRUE or FALSE")
  options <- flat(c(options, list(seed = if (is.null(seed)) sample.int(.Machine$integer.max, 1) else seed)))
  options <- with_graph(model, without_ignored(driver, options))
  sites <- if (is_graph(model)) model$names
  model <- as_model(model)
  too_many(model, driver, options)
  sampler <- new_sampler(model, options)
  on.exit(free(sampler))
  shown <- ""
  stopped <- wait(function(stop) {
    told <- call_c(sampler, "run", bytes(driver), 0.1, as.integer(stop), ended = 0L, line = raw(1024))
    line <- text_of(told$line)
    if (progress && line != shown) cat(sprintf("\r%-79.79s", shown <<- line), file = stderr())
    told$ended == 1
  })
  if (nzchar(shown)) cat("\n", file = stderr())
  names <- all_said(sampler, 1)
  run <- lapply(stats::setNames(nm = names), function(name) result(sampler, name))
  warnings <- gsub("\n +", " ", stats::setNames(all_said(sampler, 2), all_said(sampler, 3)))
  run <- structure(of_model(run, model, options, sites), class = "lbp_run", driver = driver, model = model$kind,
                   sites = model$n, seed = options$seed, warnings = warnings)
  if (stopped && (on_interrupt == "stop" || !length(names))) {
    interrupt(sprintf("Ctrl-C after %.1f s: %s", proc.time()[["elapsed"]] - begun,
                      if (length(names)) "lbp_interrupted() has the results so far" else "there are no results yet"),
              if (length(names)) run)
  }
  for (name in names(warnings)) warn(warnings[[name]], name)
  run
}

# Chains of a run that does not tell how many.
usual_chains <- 4

# States that R could not hold are refused before the run, not after it.
too_many <- function(model, driver, options) {
  given <- vapply(c("chains", "draws"), function(name) {
    k <- options[[name]]
    if (is.numeric(k) && length(k) == 1) as.double(k) else if (name == "chains") usual_chains else 1
  }, 1)
  ends <- any(c("seconds", "rhat", "ess") %in% names(options))
  if (driver == "run" && !ends && !identical(options[["keep"]], FALSE) &&
        isTRUE(prod(given, model$n) > .Machine$integer.max)) {
    fail(sprintf("draws: states of %.3g numbers, where R takes up to 2^31 - 1: fewer draws, more thin, or keep = FALSE",
                 prod(given, model$n)))
  }
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

# Results as R's functions describe the model; files and lines of progress are as in C.
of_model <- function(run, model, options, sites) {
  for (name in intersect(c("lp", "best_logp", "last_logp"), names(run))) run[[name]] <- run[[name]] + model$offset
  if (!is.null(run[["log_z"]])) {
    beta <- run[["ladder"]][1] # whose ends a run may have found
    if (is.null(beta)) beta <- options[["tempering.ladder"]][1]
    run$log_z <- run$log_z + model$offset * (if (is.null(beta)) 1 else beta)
  }
  if (!is.null(run[["history"]])) run$history[, 3] <- run$history[, 3] + model$offset
  for (name in intersect(c("x", "best", "last"), names(run))) {
    storage.mode(run[[name]]) <- "integer" # items of four bytes come as double
    if (model$from != 0) run[[name]] <- run[[name]] + model$from
    dims <- length(dim(run[[name]]))
    if (!is.null(sites) && dims > 0) dimnames(run[[name]]) <- c(rep(list(NULL), dims - 1), list(sites))
  }
  run
}

heading <- function(x) {
  sprintf("lbp %s: %s, %d sites, seed %s", attr(x, "driver"), attr(x, "model"), attr(x, "sites"),
          format(attr(x, "seed"), digits = 20))
}

#' @export
print.lbp_run <- function(x, ...) {
  cat(heading(x), "\n", sep = "")
  for (name in names(x)) {
    shape <- shape_of(x[[name]])
    cat(sprintf("  %-17s ", name), if (identical(shape, 1L)) format(x[[name]], digits = 7) else
      sprintf("[%s]", paste(shape, collapse = ", ")), "\n", sep = "")
  }
  part <- part_of(x)
  if (!is.null(part)) cat("  ", part, "\n", sep = "")
  for (name in names(attr(x, "warnings"))) cat("  ", name, "\n", sep = "")
  invisible(x)
}

# ---- draws -----------------------------------------------------------------------------------------------------------

# A sentence on a run that went on from a checkpoint, and has this call's draws alone; NULL: it has all.
part_of <- function(run) {
  made <- dim(run[["lp"]])[2]
  if (isTRUE(made < run[["draws"]])) sprintf("this call made %.0f of the %.0f draws", made, run[["draws"]])
}

# Draws as [iteration, chain, variable]: lp__, the columns, x[1] ... x[n].
plain_draws <- function(run) {
  if (!inherits(run, "lbp_run") || is.null(run[["accept"]]) || length(dim(run[["lp"]])) != 2) {
    fail("run: no draws, which lbp_run has")
  }
  others <- c("accept", "parameter", "evaluations", "jump", "x", "best", "marginal", "marginal_se", "parts",
              "largest_part")
  of_draws <- Filter(function(name) identical(dim(run[[name]]), dim(run[["lp"]])), setdiff(names(run), others))
  values <- lapply(run[of_draws], t)
  names(values)[names(values) == "lp"] <- "lp__"
  sites <- unlist(dimnames(run[["x"]])[3])
  if (is.null(sites)) sites <- seq_len(if (is.null(run[["x"]])) 0 else dim(run[["x"]])[3])
  x <- if (length(sites)) aperm(run[["x"]], c(2, 1, 3))
  variables <- c(names(values), sprintf("x[%s]", sites))
  shape <- rev(dim(run[["lp"]]))
  array(c(unlist(values, use.names = FALSE), x), c(shape, length(variables)),
        list(iteration = seq_len(shape[1]), chain = seq_len(shape[2]), variable = variables))
}

there <- function(package) requireNamespace(package, quietly = TRUE)

#' Draws of a run, for posterior and coda
#'
#' @param run,x a run, of [lbp_run()].
#' @param as "draws_array" of posterior, "mcmc.list" of coda, or "array". "auto": the first of these whose package is
#'   installed.
#' @param ... nothing.
#' @return Draws \[iteration, chain, variable\]. Variables are `lp__` (log pi), the model's columns, and `x[1]`, `x[2]`,
#'   ..., the sites, or `x[name]` where sites have names; without the last ones if the run had `keep = FALSE`. Of a run
#'   that went on from a checkpoint they are this call's, see [lbp_run()].
#' @section Errors:
#' The run has no draws ([lbp_anneal()], [lbp_ais()]); a package is not installed.
#' @examples
#' \donttest{
#' run <- lbp_run(lbp_ising(matrix(c(0, 0.5, 0.5, 0), 2)), draws = 1000)
#' dim(lbp_draws(run, "array"))
#' if (requireNamespace("posterior", quietly = TRUE)) posterior::summarise_draws(run)
#' }
#' @export
lbp_draws <- function(run, as = c("auto", "draws_array", "mcmc.list", "array")) {
  as <- match.arg(as)
  draws <- plain_draws(run)
  if (as == "auto") as <- if (there("posterior")) "draws_array" else if (there("coda")) "mcmc.list" else "array"
  needs <- c(draws_array = "posterior", mcmc.list = "coda", array = "lbp")[[as]]
  if (!there(needs)) fail("as: '", as, "' needs the package ", needs, ", which is not installed; or use as = \"array\"")
  of_chain <- function(chain) { # a matrix, also of one draw or none
    matrix(draws[, chain, ], dim(draws)[1], dim(draws)[3], dimnames = list(NULL, dimnames(draws)$variable))
  }
  switch(as, draws_array = posterior::as_draws_array(draws), array = draws, mcmc.list = coda::mcmc.list(
    lapply(seq_len(dim(draws)[2]), function(chain) coda::mcmc(of_chain(chain)))))
}

#' @rdname lbp_draws
#' @exportS3Method posterior::as_draws_array
as_draws_array.lbp_run <- function(x, ...) lbp_draws(x, "draws_array")

#' @rdname lbp_draws
#' @exportS3Method posterior::as_draws
as_draws.lbp_run <- function(x, ...) lbp_draws(x, "draws_array")

#' @rdname lbp_draws
#' @exportS3Method coda::as.mcmc.list
as.mcmc.list.lbp_run <- function(x, ...) lbp_draws(x, "mcmc.list")

#' Summary of a run
#'
#' @param object a run.
#' @param variables of how many variables to show draws, the first ones of [lbp_draws()].
#' @param x a summary.
#' @param digits significant digits.
#' @param ... nothing.
#' @return A list of `figures`, results that are one number, and `table`, mean and standard deviation of draws, with
#'   R-hat and effective sample size if the package posterior is installed; `NULL` without draws. If the run went on
#'   from a checkpoint, `table` is of this call's draws, while the figures are of all; `part`, which is printed between
#'   them, says how many these are.
#' @export
summary.lbp_run <- function(object, variables = 20, ...) {
  table <- NULL
  if (attr(object, "driver") == "run" && length(object[["lp"]])) {
    draws <- plain_draws(object)
    draws <- draws[, , seq_len(min(variables, dim(draws)[3])), drop = FALSE]
    each <- function(f) apply(draws, 3, function(values) f(matrix(values, dim(draws)[1])))
    table <- cbind(mean = each(mean), sd = each(stats::sd))
    if (there("posterior")) table <- cbind(table, rhat = each(posterior::rhat), ess = each(posterior::ess_mean))
  }
  single <- Filter(function(value) identical(shape_of(value), 1L), unclass(object))
  structure(list(heading = heading(object), figures = unlist(single), part = part_of(object), table = table,
                 warnings = attr(object, "warnings")), class = "summary.lbp_run")
}

#' @rdname summary.lbp_run
#' @export
print.summary.lbp_run <- function(x, digits = 3, ...) {
  cat(x$heading, "\n\n", sep = "")
  print(x$figures, digits = digits)
  if (!is.null(x$part)) {
    cat("\n", x$part, if (!is.null(x$table)) ": the table is of these", "; the figures above are of all\n", sep = "")
  }
  if (!is.null(x$table)) {
    cat("\n")
    print(x$table, digits = digits)
  }
  for (sentence in x$warnings) cat("\n", paste(strwrap(sentence, 80), collapse = "\n"), "\n", sep = "")
  invisible(x)
}
