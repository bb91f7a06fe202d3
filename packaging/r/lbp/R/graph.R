# Factor graphs: values of R, which can be copied and saved; their model of C is made when it is needed.

lbp_factor_graph <- function(cardinalities) {
  values <- numbers("cardinalities", cardinalities)
  if (!length(values) || any(values != trunc(values) | values < 1 | values > 256)) {
    fail("cardinalities: how many values each site has: whole numbers from 1 to 256")
  }
  changed(list(values = values, observed = rep(-1, length(values)), sites = list(), tables = list(), kind = "factor graph"))
}

# A graph that is not what its model was made of.
changed <- function(graph) {
  graph$made <- new.env(parent = emptyenv())
  structure(graph, class = "lbp_factor_graph")
}

is_graph <- function(graph) if (!inherits(graph, "lbp_factor_graph")) fail("graph: what lbp_factor_graph or lbp_potts returns")

print.lbp_factor_graph <- function(x, ...) {
  cat(sprintf("lbp %s: %d sites, %d tables, %d observed\n", x$kind, length(x$values), length(x$tables), sum(x$observed >= 0)))
  invisible(x)
}

# Sites, from 1 on, of a graph.
sites_of <- function(graph, name, sites) {
  sites <- numbers(name, sites)
  wrong <- sites != trunc(sites) | sites < 1 | sites > length(graph$values)
  if (any(wrong)) fail(sprintf("%s: site %g of 1 to n = %d", name, sites[wrong][1], length(graph$values)))
  sites
}

lbp_add <- function(graph, sites, table, log = FALSE) {
  is_graph(graph)
  sites <- sites_of(graph, "sites", sites)
  if (length(sites) > 20) fail(sprintf("sites: up to 20, not %d", length(sites)))
  if (anyDuplicated(sites)) fail(sprintf("sites: %g comes twice", sites[duplicated(sites)][1]))
  shape <- graph$values[sites]
  weights <- numbers("table", table)
  given <- shape_of(table)
  if (!isTRUE(all.equal(as.numeric(given), if (length(sites)) shape else 1))) {
    fail(sprintf("table: an array of %s is needed, not of %s", paste(if (length(sites)) shape else 1, collapse = " x "),
                 paste(given, collapse = " x ")))
  }
  if (any(weights == Inf) || (!log && any(weights < 0))) {
    fail("table: ", if (log) "logarithms below infinity" else "finite weights from 0 on")
  }
  logs <- if (log) weights else log(weights)
  if (all(logs == -Inf)) fail("table: all weights are 0: no state is possible")
  graph$sites <- c(graph$sites, list(sites - 1))
  graph$tables <- c(graph$tables, list(logs))
  changed(graph)
}

lbp_condition <- function(graph, sites, values) {
  is_graph(graph)
  sites <- sites_of(graph, "sites", sites)
  values <- numbers("values", values)
  if (length(values) != length(sites)) fail(sprintf("values: one for each of %d sites, not %d", length(sites), length(values)))
  for (k in seq_along(sites)) {
    i <- sites[k]
    if (values[k] != trunc(values[k]) || values[k] < 0 || values[k] >= graph$values[i]) {
      fail(sprintf("values: site %g has the values 0 to %g, not %g", i, graph$values[i] - 1, values[k]))
    }
    if (!graph$observed[i] %in% c(-1, values[k])) {
      fail(sprintf("values: site %g was observed to have %g, not %g", i, graph$observed[i], values[k]))
    }
    graph$observed[i] <- values[k]
  }
  changed(graph)
}

# The values of a site that its compiled model has room for.
room_of <- function(graph) Find(function(room) room >= max(graph$values), c(2, 4, 8, 32, 256))

# The model of all sites. Observed ones are for its samplers to clamp.
graph_model <- function(graph) {
  if (is.null(graph$made$model) || !identical(graph$made$model$session, state$session)) {
    library <- own_library("factors.c", sprintf("-DSTATES=%d", room_of(graph)))
    graph$made$model <- new_model(library, list(
      values = graph$values, observed = graph$observed, scope_at = cumsum(c(0, lengths(graph$sites))),
      cell_at = cumsum(c(0, lengths(graph$tables))), scope = as.double(unlist(graph$sites)),
      cells = as.double(unlist(graph$tables))), graph$kind)
  }
  graph$made$model
}

as_model <- function(model) if (inherits(model, "lbp_factor_graph")) graph_model(model) else model

# R's generator begins from this seed and is as it was afterwards.
drawn_by <- function(seed, draw) {
  before <- globalenv()[[".Random.seed"]]
  on.exit(if (is.null(before)) rm(".Random.seed", envir = globalenv()) else assign(".Random.seed", before, globalenv()))
  set.seed(as.double(seed) %% 2^31, "Mersenne-Twister", "Inversion", "Rejection")
  draw()
}

# Options with clamps for what was observed, and possible states to begin with.
with_graph <- function(model, options) {
  if (!inherits(model, "lbp_factor_graph")) return(options)
  seen <- model$observed >= 0
  hard <- any(vapply(model$tables, function(table) any(table == -Inf), NA))
  if (is.null(options[["start"]]) && (hard || any(seen))) {
    start <- if (hard) exact(model, 2^25, best = TRUE)$state
    if (is.null(start)) {
      chains <- if (is.null(options[["chains"]])) 4 else options$chains
      n <- length(seen)
      start <- drawn_by(options$seed, function() matrix(floor(stats::runif(chains * n) * rep(model$values, each = chains)), chains))
      start[, seen] <- rep(model$observed[seen], each = chains)
    }
    options$start <- start
  }
  if (any(seen)) {
    options$clamp <- if (is.null(options[["clamp"]])) seen else seen | numbers("clamp", options$clamp) != 0
  }
  options
}

# Marginals and log Z, or the best state and its log pi, by elimination; NULL: more than `cells` numbers are needed.
exact <- function(graph, cells, best = FALSE) {
  cells <- one_number("cells", cells)
  model <- graph_model(graph)
  states <- room_of(graph)
  symbol <- getNativeSymbolInfo("lbp_bridge_c_factors_exact", model$library$loaded)
  did <- .C(symbol, model$handle, cells, as.integer(best), log_z = 0, marginal = double(if (best) 0 else states * model$n),
            state = integer(if (best) model$n else 0), why = raw(1024), status = 0L)
  if (did$status < 0) return(NULL)
  if (did$status > 0) fail(text_of(did$why))
  list(log_z = did$log_z, state = did$state, probability = if (!best) matrix(did$marginal, model$n, byrow = TRUE))
}

lbp_marginals <- function(model, ..., cells = 2^25) {
  of <- if (inherits(model, "lbp_factor_graph")) model$values
  trim <- function(rows) {
    if (is.null(of)) return(rows)
    rows[col(rows) > of] <- NA # values that a site does not have
    rows[, seq_len(max(of)), drop = FALSE]
  }
  found <- if (!is.null(of)) exact(model, cells)
  if (!is.null(found)) {
    return(list(probability = trim(found$probability), se = trim(0 * found$probability), exact = TRUE))
  }
  options <- list(...)
  run <- do.call(lbp_run, c(list(model), options, list(marginals = "conditional", keep = FALSE)[
    setdiff(c("marginals", "keep"), names(options))]))
  p <- run[["marginal"]]
  se <- run[["marginal_se"]]
  if (is.null(dim(p))) {
    p <- cbind(1 - p, p, deparse.level = 0)
    se <- cbind(se, se, deparse.level = 0)
  }
  list(probability = trim(p), se = trim(se), exact = FALSE)
}

lbp_log_z <- function(model, ..., cells = 2^25) {
  found <- if (inherits(model, "lbp_factor_graph")) exact(model, cells)
  if (!is.null(found)) return(list(value = found$log_z, se = 0, exact = TRUE))
  given <- list(...)
  usual <- list(chains = 64, tempering = list(rungs = 100))
  run <- do.call(lbp_ais, c(list(model), given, usual[setdiff(names(usual), names(given))]))
  list(value = run$log_z, se = run$log_z_se, exact = FALSE)
}

lbp_map <- function(model, ..., cells = 2^25) {
  found <- if (inherits(model, "lbp_factor_graph")) exact(model, cells, best = TRUE)
  if (!is.null(found)) return(list(state = found$state, logp = found$log_z, exact = TRUE))
  given <- list(...)
  usual <- list(chains = 16, annealing = list(sweeps = 1000))
  run <- do.call(lbp_anneal, c(list(model), given, usual[setdiff(names(usual), names(given))]))
  list(state = run$best[1, ], logp = run$best_logp[1], exact = FALSE)
}
