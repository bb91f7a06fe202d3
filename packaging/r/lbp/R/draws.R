# What runs look like, and their draws for posterior and coda.

shape_of <- function(value) if (is.null(dim(value))) length(value) else dim(value)

heading <- function(x) {
  sprintf("lbp %s: %s, %d sites, seed %s", attr(x, "driver"), attr(x, "model"), attr(x, "sites"),
          format(attr(x, "seed"), digits = 20))
}

print.lbp_run <- function(x, ...) {
  cat(heading(x), "\n", sep = "")
  for (name in names(x)) {
    shape <- shape_of(x[[name]])
    cat(sprintf("  %-18s", name), if (identical(shape, 1L)) format(x[[name]], digits = 7) else
      sprintf("[%s]", paste(shape, collapse = ", ")), "\n", sep = "")
  }
  for (name in names(attr(x, "warnings"))) cat("  ", name, "\n", sep = "")
  invisible(x)
}

# Draws as [iteration, chain, variable]: lp__, the columns, x[1] ... x[n].
plain_draws <- function(run) {
  if (!inherits(run, "lbp_run") || is.null(run[["accept"]]) || length(dim(run[["lp"]])) != 2) {
    fail("run: no draws, which lbp_run has")
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

there <- function(package) requireNamespace(package, quietly = TRUE)

lbp_draws <- function(run, as = c("auto", "draws_array", "mcmc.list", "array")) {
  as <- match.arg(as)
  draws <- plain_draws(run)
  if (as == "auto") as <- if (there("posterior")) "draws_array" else if (there("coda")) "mcmc.list" else "array"
  needs <- c(draws_array = "posterior", mcmc.list = "coda", array = "lbp")[[as]]
  if (!there(needs)) fail("as: '", as, "' needs the package ", needs, ", which is not installed; or use as = \"array\"")
  switch(as, draws_array = posterior::as_draws_array(draws), array = draws, mcmc.list = coda::mcmc.list(
    lapply(seq_len(dim(draws)[2]), function(chain) {
      coda::mcmc(matrix(draws[, chain, ], dim(draws)[1], dimnames = list(NULL, dimnames(draws)$variable)))
    })))
}

# Methods for the generics of these packages.
as_draws_array.lbp_run <- function(x, ...) lbp_draws(x, "draws_array")
as_draws.lbp_run <- as_draws_array.lbp_run
as.mcmc.list.lbp_run <- function(x, ...) lbp_draws(x, "mcmc.list")

# R-hat and effective sample size by posterior, or by coda, or by nothing.
diagnostics <- function(draws) {
  each <- function(f) apply(draws, 3, function(values) f(matrix(values, dim(draws)[1])))
  if (there("posterior")) return(cbind(rhat = each(posterior::rhat), ess = each(posterior::ess_mean)))
  if (!there("coda")) return(NULL)
  lists <- function(values) {
    if (all(values == values[1])) return(NA_real_)
    sum(coda::effectiveSize(coda::mcmc.list(apply(values, 2, coda::mcmc, simplify = FALSE))))
  }
  cbind(ess = each(lists))
}

summary.lbp_run <- function(object, variables = 20, ...) {
  table <- NULL
  if (attr(object, "driver") == "run" && !is.null(object[["lp"]])) {
    draws <- plain_draws(object)
    draws <- draws[, , seq_len(min(variables, dim(draws)[3])), drop = FALSE]
    table <- cbind(mean = apply(draws, 3, mean), sd = apply(draws, 3, stats::sd), diagnostics(draws))
  }
  single <- Filter(function(value) identical(shape_of(value), 1L), unclass(object))
  structure(list(heading = heading(object), figures = unlist(single), table = table, warnings = attr(object, "warnings")),
            class = "summary.lbp_run")
}

print.summary.lbp_run <- function(x, digits = 3, ...) {
  cat(x$heading, "\n\n", sep = "")
  print(x$figures, digits = digits)
  if (!is.null(x$table)) {
    cat("\n")
    print(x$table, digits = digits)
  }
  for (sentence in x$warnings) cat("\n", paste(strwrap(sentence, 80), collapse = "\n"), "\n", sep = "")
  invisible(x)
}
