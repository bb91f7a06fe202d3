# Factor graphs: values of R, which can be copied and saved; their model of C is made when it is needed.

#' Factor graphs: Markov and Bayesian networks
#'
#' log pi(x) = sum over tables of the logarithm of the table's weight at its sites' values. Begin with
#' `lbp_factor_graph`, multiply pi by tables with `lbp_add`, and observe sites with `lbp_condition`; or read a file.
#'
#' [lbp_run()], [lbp_anneal()] and [lbp_ais()] take a factor graph as a model, with observed sites clamped. With
#' weights of 0 chains begin at the best state, if it can be found exactly.
#'
#' @param cardinalities how many values each site has, 1 to 256, in a vector whose names, if any, are those of the
#'   sites; or a list of vectors, the names of each site's values.
#' @param graph a factor graph.
#' @param sites up to 20 different sites, numbers from 1 on, or names. By default the names of the table's dimensions.
#' @param table weights, not all 0: an array with one dimension for each of the sites, in that order. If it has names of
#'   values (`dimnames`) and the sites' values have, too, they must be the same ones, in any order.
#' @param log whether the weights are logarithms.
#' @param values the value that each of the sites was observed to have: numbers from 0 on, or names of values.
#' @param path a file of a graph: UAI (`.uai`, MARKOV or BAYES), or libDAI (`.fg`).
#' @param evidence a file of observed values (`.evid`).
#' @param sample which sample of a file of evidence that has several, from 1 on.
#' @return A factor graph. Graphs are values: `lbp_add` and `lbp_condition` return a changed one, and leave theirs as it
#'   was.
#' @section Errors:
#' A site is none, or comes twice; a table has another shape, or a weight that is negative, infinite or `NA`; another
#' value was observed before; a file is wrong: the message has its line.
#' @seealso [lbp_marginals()]
#' @examples
#' \donttest{
#' graph <- lbp_factor_graph(list(wet = c("no", "yes"), sky = c("clear", "clouds", "rain")))
#' graph <- lbp_add(graph, c("sky", "wet"), matrix(c(3, 2, 1, 0, 1, 5), 3))
#' lbp_marginals(lbp_condition(graph, "wet", "yes"))$probability$sky
#' }
#' @export
lbp_factor_graph <- function(cardinalities) {
  labels <- NULL
  names <- names(cardinalities)
  if (is.list(cardinalities) && !is.object(cardinalities)) {
    labels <- unname(lapply(cardinalities, as.character))
    if (any(vapply(labels, anyDuplicated, 0L) > 0)) fail("cardinalities: two values of a site have the same name")
    cardinalities <- lengths(labels)
  }
  values <- numbers("cardinalities", cardinalities)
  if (!length(values) || any(values != trunc(values) | values < 1 | values > 256)) {
    fail("cardinalities: how many values each site has: whole numbers from 1 to 256")
  }
  if (!is.null(names) && (anyDuplicated(names) || !all(nzchar(names)))) {
    fail("cardinalities: each site needs a name of its own, or none has one")
  }
  changed(list(values = values, names = names, labels = labels, observed = rep(-1, length(values)), sites = list(),
               tables = list(), kind = "factor graph"))
}

# A changed graph, whose compiled model no longer fits.
changed <- function(graph) {
  graph$made <- new.env(parent = emptyenv())
  structure(graph, class = "lbp_factor_graph")
}

is_graph <- function(model) inherits(model, "lbp_factor_graph")

must_be_graph <- function(graph) {
  if (!is_graph(graph)) fail("graph: a factor graph is needed, as lbp_factor_graph returns, not ", kind_of(graph))
}

#' @export
print.lbp_factor_graph <- function(x, ...) {
  cat(sprintf("lbp %s: %d sites, %d tables, %d observed\n", x$kind, length(x$values), length(x$tables),
              sum(x$observed >= 0)))
  invisible(x)
}

# Sites of a graph as numbers from 1 on.
sites_of <- function(graph, sites) {
  if (is.character(sites)) {
    found <- match(sites, graph$names)
    if (anyNA(found)) {
      fail("sites: there is no '", sites[is.na(found)][1], "'",
           if (is.null(graph$names)) ": they have numbers" else " of ",
           paste(utils::head(graph$names, 6), collapse = ", "), if (length(graph$names) > 6) ", ...")
    }
    return(as.double(found))
  }
  sites <- numbers("sites", if (is.null(sites)) numeric() else sites)
  wrong <- sites != trunc(sites) | sites < 1 | sites > length(graph$values)
  if (any(wrong)) fail(sprintf("sites: site %g of 1 to n = %d", sites[wrong][1], length(graph$values)))
  sites
}

site_name <- function(graph, i) if (is.null(graph$names)) format(i) else graph$names[i]

#' @rdname lbp_factor_graph
#' @export
lbp_add <- function(graph, sites = names(dimnames(table)), table, log = FALSE) {
  must_be_graph(graph)
  if (is.null(sites) && length(table) != 1) fail("sites: give them, as the table's dimensions have no names")
  sites <- sites_of(graph, sites)
  if (length(sites) > 20) fail(sprintf("sites: up to 20, not %d", length(sites)))
  if (anyDuplicated(sites)) fail(sprintf("sites: %s comes twice", site_name(graph, sites[duplicated(sites)][1])))
  own <- names(dimnames(table))
  if (length(own) && all(own %in% graph$names) && !identical(graph$names[sites], own)) {
    fail(sprintf("table: its dimensions are %s, not %s", paste(own, collapse = ", "),
                 paste(graph$names[sites], collapse = ", ")))
  }
  if (inherits(table, "table")) table <- array(table, dim(table), dimnames(table)) # also of class xtabs
  shape <- if (length(sites)) graph$values[sites] else 1
  if (!isTRUE(log %in% c(TRUE, FALSE))) fail("log: TRUE or FALSE")
  given <- shape_of(table)
  if (length(given) != length(shape) || !all(given == shape)) {
    fail(sprintf("table: an array of %s is needed, not of %s", paste(shape, collapse = " x "),
                 paste(given, collapse = " x ")))
  }
  weights <- numbers("table", in_order(graph, sites, table))
  if (any(weights == Inf) || (!log && any(weights < 0))) {
    fail("table: ", if (log) "logarithms below infinity" else "finite weights from 0 on")
  }
  logs <- if (log) weights else log(weights)
  if (all(logs == -Inf)) fail("table: all weights are 0: no state is possible")
  graph$sites <- c(graph$sites, list(sites - 1))
  graph$tables <- c(graph$tables, list(logs))
  changed(graph)
}

# A table with its values in the order of the graph's, where both have names.
in_order <- function(graph, sites, table) {
  own <- if (is.null(dim(table)) && !is.null(names(table))) list(names(table)) else dimnames(table)
  if (is.null(graph$labels) || is.null(own)) return(table)
  for (k in seq_along(own)) {
    if (is.null(own[[k]])) next
    order <- match(graph$labels[[sites[k]]], own[[k]])
    if (anyNA(order)) {
      fail(sprintf("table: site %s has the values %s, not %s", site_name(graph, sites[k]),
                   paste(graph$labels[[sites[k]]], collapse = ", "), paste(own[[k]], collapse = ", ")))
    }
    at <- rep(list(TRUE), length(own))
    at[[k]] <- order
    table <- do.call(`[`, c(list(table), at, if (length(own) > 1) list(drop = FALSE)))
  }
  table
}

#' @rdname lbp_factor_graph
#' @export
lbp_condition <- function(graph, sites, values) {
  must_be_graph(graph)
  sites <- sites_of(graph, sites)
  if (length(values) != length(sites)) {
    fail(sprintf("values: one for each of %d sites, not %d", length(sites), length(values)))
  }
  if (!is.character(values)) values <- numbers("values", values)
  for (k in seq_along(sites)) {
    i <- sites[k]
    labels <- if (is.null(graph$labels)) character() else graph$labels[[i]]
    value <- if (is.character(values)) match(values[k], labels) - 1 else values[k]
    if (is.na(value) || value != trunc(value) || value < 0 || value >= graph$values[i]) {
      fail(sprintf("values: site %s has the values %s, not %s", site_name(graph, i),
                   if (length(labels)) paste(labels, collapse = ", ") else sprintf("0 to %g", graph$values[i] - 1),
                   values[k]))
    }
    if (!graph$observed[i] %in% c(-1, value)) {
      fail(sprintf("values: site %s was observed to have %g, not %g", site_name(graph, i), graph$observed[i], value))
    }
    graph$observed[i] <- value
  }
  changed(graph)
}

# As lbp/models/factors.h numbers them.
formats <- c(uai = 0L, fg = 1L)

# C's sentences on samples, which it counts from 0.
samples_from_1 <- function(told, sample) {
  told <- sub("([0-9]+) samples: ask for one of them, .*", "\\1 samples: ask for one of them, 1 to \\1", told)
  if (is.null(sample)) return(told)
  told <- sub("sample [0-9]+ was asked for", sprintf("sample %.0f was asked for", sample), told)
  sub("the file has (one|[0-9]+), .*", "the file has \\1, from 1", told)
}

#' @rdname lbp_factor_graph
#' @export
lbp_read_graph <- function(path, evidence = NULL, sample = NULL) {
  read <- function(path) {
    if (!is.character(path) || length(path) != 1 || !file.exists(path)) fail(path, ": there is no such file")
    readBin(path, "raw", file.size(path))
  }
  format <- formats[tolower(tools::file_ext(path))]
  if (length(format) != 1 || is.na(format)) fail(path, ": the name of a graph's file ends with .uai or .fg")
  text <- read(path)
  seen <- if (is.null(evidence)) raw() else read(evidence)
  if (!is.null(sample)) sample <- whole_number("sample", sample, 1, 2^53)
  loaded <- own_library("factors.c", "-DSTATES=4")$loaded
  call <- function(name, ...) .C(getNativeSymbolInfo(paste0("lbp_bridge_c_factors_", name), loaded), ..., NAOK = TRUE)
  read <- call("parse", format, text, as.double(length(text)), seen,
               if (is.null(evidence)) -1 else as.double(length(seen)), if (is.null(sample)) -1 else sample - 1,
               handle = raw(8), of = 0L, why = raw(1024), status = 0L)
  on.exit(call("drop", read$handle))
  told <- paste0(if (read$of && !is.null(evidence)) evidence else path, ": ", samples_from_1(text_of(read$why), sample))
  if (read$status != 0) fail(told, status = read$status)
  if (nzchar(text_of(read$why))) warn(told)
  look <- function(fill, size) {
    call("look", read$handle, fill, size = size, values = double(size[1]), observed = double(size[1]),
         scope_at = double(size[2] + 1), cell_at = double(size[2] + 1), scope = double(size[3]),
         cells = double(size[4]))
  }
  all <- look(1L, look(0L, double(4))$size)
  graph <- lbp_factor_graph(all$values)
  graph$observed <- all$observed
  part <- function(all, at) {
    lapply(seq_len(length(at) - 1), function(t) all[at[t] + seq_len(at[t + 1] - at[t])])
  }
  graph$sites <- part(all$scope, all$scope_at)
  # the first site's value is the fastest there
  graph$tables <- Map(function(sites, cells) {
    if (length(sites) > 1) as.vector(aperm(array(cells, graph$values[sites + 1]))) else cells
  }, graph$sites, part(all$cells, all$cell_at))
  changed(graph)
}

# The values of a site that its compiled model has room for; 2 only if all sites have two.
room_of <- function(graph) {
  if (all(graph$values == 2)) return(2)
  Find(function(room) room >= max(graph$values), c(4, 8, 32, 256))
}

# The model of all sites. Observed ones are for its samplers to clamp.
graph_model <- function(graph) {
  made <- graph$made$model
  if (is.null(made) || !identical(made$session, state$session)) {
    made <- new_model(own_library("factors.c", sprintf("-DSTATES=%d", room_of(graph))), list(
      values = graph$values, observed = graph$observed, scope_at = cumsum(c(0, lengths(graph$sites))),
      cell_at = cumsum(c(0, lengths(graph$tables))), scope = as.double(unlist(graph$sites)),
      cells = as.double(unlist(graph$tables))), graph$kind)
    graph$made$model <- made
  }
  made
}

as_model <- function(model) {
  if (is_graph(model)) return(graph_model(model))
  if (!inherits(model, "lbp_model")) {
    fail("model: no model of lbp, but ", kind_of(model),
         if (inherits(model, "lbp_library")) ": call it with the model's arrays")
  }
  of_this_session(model, "model")
  model
}

# R's generator begins from this seed and is as it was afterwards.
drawn_by <- function(seed, draw) {
  before <- globalenv()[[".Random.seed"]]
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else
    assign(".Random.seed", before, globalenv()))
  set.seed(as.double(seed) %% 2^31, "Mersenne-Twister", "Inversion", "Rejection")
  draw()
}

has_zeros <- function(graph) any(vapply(graph$tables, function(table) any(table == -Inf), NA))

# States to begin with that have other values than were observed would be clamped there.
must_have_observed <- function(graph, start) {
  n <- length(graph$values)
  seen <- which(graph$observed >= 0)
  x <- numbers("start", start)
  if (!length(seen) || length(x) %% n != 0) return() # of another length: the library refuses it
  rows <- matrix(x, ncol = n, byrow = TRUE)[, seen, drop = FALSE]
  wrong <- which(rows != rep(graph$observed[seen], each = nrow(rows)))[1]
  if (is.na(wrong)) return()
  i <- seen[(wrong - 1) %/% nrow(rows) + 1]
  fail(sprintf("start: site %s has %g, where %g was observed: begin with that", site_name(graph, i), rows[wrong],
               graph$observed[i]))
}

# Options with clamps for observed sites, and possible states to begin with.
with_graph <- function(model, options) {
  if (!is_graph(model)) return(options)
  seen <- model$observed >= 0
  hard <- has_zeros(model)
  clamp <- options[["clamp"]]
  if (is.null(options[["start"]]) && !is.null(clamp)) {
    clamp <- numbers("clamp", clamp) != 0
    if (length(clamp) == length(seen) && any(clamp & !seen)) {
      fail("clamp: clamped sites need values: set them in start, or condition the graph on them")
    }
  }
  if (!is.null(options[["start"]])) {
    must_have_observed(model, options[["start"]])
  } else if (hard || any(seen)) {
    start <- if (hard) exact(model, 2^25, best = TRUE)$state
    if (is.null(start)) {
      chains <- options[["chains"]]
      chains <- if (is.null(chains)) usual_chains else whole_number("chains", chains, 1, .Machine$integer.max)
      n <- length(seen)
      seed <- if (is.null(options[["seed"]])) 1 else suppressWarnings(as.double(option("seed", options[["seed"]])))
      start <- drawn_by(if (is.finite(seed)) seed else 1, function() { # the library refuses others
        matrix(floor(stats::runif(chains * n) * rep(model$values, each = chains)), chains)
      })
      start[, seen] <- rep(model$observed[seen], each = chains)
    }
    options[["start"]] <- start
  }
  if (any(seen)) {
    clamp <- if (is.null(options[["clamp"]])) seen else numbers("clamp", options[["clamp"]])
    options[["clamp"]] <- if (length(clamp) == length(seen)) seen | clamp != 0 else clamp # which the library refuses
  }
  options
}

# LBP_E_SIZE and LBP_E_MEMORY, where elimination takes more than there is.
too_large <- c(2L, 8L)

# Marginals and log Z, or the best state and its log pi, by elimination; NULL: more than `cells` numbers are needed.
exact <- function(graph, cells, best = FALSE) {
  cells <- one_number("cells", cells)
  model <- graph_model(graph)
  states <- room_of(graph)
  symbol <- getNativeSymbolInfo("lbp_bridge_c_factors_exact", model$library$loaded)
  did <- .C(symbol, model$handle, cells, as.integer(best), log_z = 0,
            marginal = double(if (best) 0 else states * model$n), state = integer(if (best) model$n else 0),
            why = raw(1024), status = 0L)
  if (did$status %in% too_large) return(NULL)
  if (did$status != 0) fail(text_of(did$why), status = did$status)
  list(log_z = did$log_z, state = if (best) stats::setNames(did$state, graph$names),
       probability = if (!best) matrix(did$marginal, model$n, byrow = TRUE))
}

# Options are for sampling, but wrong ones are refused where nothing is sampled, too; and so is `clamp`, of which exact
# answers would not know.
judge_options <- function(graph, options) {
  options <- flat(options)
  if (!is.null(options[["clamp"]])) fail("clamp: exact answers take none: condition the graph on these values")
  free(new_sampler(graph_model(graph), of_c(options)))
}

# Rows of probabilities as a list, of one vector for each site.
by_site <- function(graph, rows) {
  sites <- lapply(seq_along(graph$values), function(i) {
    stats::setNames(rows[i, seq_len(graph$values[i])], if (!is.null(graph$labels)) graph$labels[[i]])
  })
  stats::setNames(sites, graph$names)
}

warn_of_zeros <- function(graph, what) {
  if (has_zeros(graph)) {
    warn(paste0(what, ": sampled, and tables have zeros, which may keep chains from some of the possible states ",
                "without any sign of it; raise `cells` for exact answers"))
  }
}

# The largest split R-hat of whether a site has a value, over all sites and values, and that site.
largest_r_hat <- function(x, states) {
  half <- dim(x)[2] %/% 2
  if (half < 2) return(list(r_hat = NaN, site = 1))
  last <- dim(x)[2]
  largest <- list(r_hat = 1, site = 1)
  for (value in seq_len(states) - 1) {
    means <- rbind(apply(x[, seq_len(half), , drop = FALSE] == value, c(1, 3), mean),
                   apply(x[, last - half + seq_len(half), , drop = FALSE] == value, c(1, 3), mean))
    within <- colMeans(means * (1 - means)) * half / (half - 1)
    between <- apply(means, 2, stats::var)
    r_hat <- ifelse(between > 0, sqrt((half - 1) / half + between / within), 1)
    if (max(r_hat) > largest$r_hat) largest <- list(r_hat = max(r_hat), site = which.max(r_hat))
  }
  largest
}

# R-hat of a site's probabilities above which lbp_marginals warns.
most_r_hat <- 1.05

# Options, and those that are usual where others are not given.
usual <- function(given, ...) {
  given <- flat(given)
  defaults <- flat(list(...))
  c(given, defaults[setdiff(names(defaults), names(given))])
}

#' Marginals, log Z and the best state of a factor graph
#'
#' Exact by elimination, if that takes up to `cells` numbers of 8 bytes; otherwise by sampling: `exact` tells which.
#'
#' @param graph a factor graph, of [lbp_factor_graph()] or [lbp_potts()].
#' @param ... options for sampling: of [lbp_run()] (`lbp_marginals`), of [lbp_ais()] (`lbp_log_z`: by default 64 chains
#'   and 100 rungs), of [lbp_anneal()] (`lbp_map`: 16 reads of 1000 sweeps).
#' @param cells how many numbers elimination may take.
#' @return `lbp_marginals`: a list of `probability`, for each site those of its values; `se`, their standard errors, 0
#'   where exact, NaN if not known (counted marginals, or fewer than 16 draws a chain); `exact`; `r_hat`, the largest
#'   R-hat of a probability, 1 where exact, NaN if it is not known (`keep = FALSE`, fewer than 4 draws a chain, or a run
#'   that went on from a checkpoint, whose last draws alone can't show that chains agree: it warns of that).
#'
#'   `lbp_log_z`: a list of `value`, the log of the sum over all states with the observed values, `se` and `exact`.
#'
#'   `lbp_map`: a list of `state`, its log pi `logp`, and `exact`; if `FALSE`, the state is the best one found.
#' @section Errors:
#' No state is possible: zeros contradict each other or the observed values. An option is unknown, also where the answer
#' is exact. It warns, if it samples, of zeros that may keep chains from some states, and of sites at which chains
#' disagree, which R-hat of log pi need not show.
#' @examples
#' \donttest{
#' graph <- lbp_add(lbp_factor_graph(c(2, 3)), 1:2, matrix(c(1, 4, 2, 5, 0, 6), 2))
#' lbp_marginals(lbp_condition(graph, 1, 1))$probability[[2]] # 4, 5, 6 of 15
#' lbp_log_z(graph)$value                                     # log(18)
#' lbp_map(graph)$state                                       # 1 2
#' }
#' @export
lbp_marginals <- function(graph, ..., cells = 2^25) {
  must_be_graph(graph)
  judge_options(graph, list(...))
  found <- exact(graph, cells)
  if (!is.null(found)) {
    return(list(probability = by_site(graph, found$probability), se = by_site(graph, 0 * found$probability),
                exact = TRUE, r_hat = 1))
  }
  warn_of_zeros(graph, "marginals")
  run <- do.call(lbp_run, c(list(graph), usual(list(...), marginals = "conditional")))
  r_hat <- if (is.null(run[["x"]])) list(r_hat = NaN) else largest_r_hat(run[["x"]], max(graph$values))
  if (isTRUE(r_hat$r_hat > most_r_hat)) {
    warn(sprintf(paste("marginals: chains disagree at site %s (R-hat %.3f), so do not trust them: run longer (warmup,",
                       "draws, thin), or temper (tempering = list(rungs = ...))"), site_name(graph, r_hat$site),
                 r_hat$r_hat))
  } else if (!is.null(part_of(run))) { # no sign of it in the last of them
    warn(sprintf("marginals: whether chains disagree is not known, as %s: see the warnings of earlier calls",
                 part_of(run)))
    r_hat$r_hat <- NaN
  }
  if (is.null(run[["marginal"]])) fail("marginals: the run has no draws: take more (draws, seconds)")
  if (is.null(run[["marginal_se"]])) run[["marginal_se"]] <- NaN * run[["marginal"]] # not known
  rows <- function(p, q) if (is.null(dim(p))) cbind(q, p, deparse.level = 0) else p
  list(probability = by_site(graph, rows(run[["marginal"]], 1 - run[["marginal"]])),
       se = by_site(graph, rows(run[["marginal_se"]], run[["marginal_se"]])), exact = FALSE, r_hat = r_hat$r_hat)
}

#' @rdname lbp_marginals
#' @export
lbp_log_z <- function(graph, ..., cells = 2^25) {
  must_be_graph(graph)
  judge_options(graph, list(...))
  found <- exact(graph, cells)
  if (!is.null(found)) return(list(value = found$log_z, se = 0, exact = TRUE))
  warn_of_zeros(graph, "log Z")
  rungs <- if (is.null(flat(list(...))[["tempering.ladder"]])) list(rungs = 100) # a ladder tells how many
  run <- do.call(lbp_ais, c(list(graph), usual(list(...), chains = 64, tempering = rungs)))
  list(value = run[["log_z"]], se = run[["log_z_se"]], exact = FALSE)
}

#' @rdname lbp_marginals
#' @export
lbp_map <- function(graph, ..., cells = 2^25) {
  must_be_graph(graph)
  judge_options(graph, list(...))
  found <- exact(graph, cells, best = TRUE)
  if (!is.null(found)) return(list(state = found$state, logp = found$log_z, exact = TRUE))
  run <- do.call(lbp_anneal, c(list(graph), usual(list(...), chains = 16, annealing = list(sweeps = 1000))))
  list(state = run[["best"]][1, ], logp = run[["best_logp"]][1], exact = FALSE)
}
