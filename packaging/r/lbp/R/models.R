# Ready-made models: no C is written; theirs is compiled once.

# One of the library's own model files, compiled: once a session, and once a machine.
own_library <- function(name, defines = character()) {
  key <- paste(c(name, defines), collapse = " ")
  if (is.null(state[[key]])) state[[key]] <- environment(lbp_compile(model_file(name), defines = defines))$library
  state[[key]]
}

one_number <- function(name, value) {
  value <- numbers(name, value)
  if (length(value) != 1 || !is.finite(value)) fail(name, ": one finite number, not ", paste(value, collapse = " "))
  value
}

whole_number <- function(name, value, from, to) {
  value <- one_number(name, value)
  if (value < from || value > to || value != trunc(value)) {
    fail(sprintf("%s: a whole number from %g to %g, not %g", name, from, to, value))
  }
  value
}

# An array of finite numbers of this shape, as it is.
finite_array <- function(name, value, shape, letters) {
  numbers(name, value)
  given <- shape_of(value)
  if (length(given) != length(shape) || !all(given == shape)) {
    fail(sprintf("%s: %s = %s numbers, not %s", name, letters, paste(shape, collapse = " x "),
                 paste(given, collapse = " x ")))
  }
  wrong <- which(!is.finite(value))[1]
  if (!is.na(wrong)) fail(sprintf("%s[%s]: %g is not a finite number", name, place(value, wrong), value[wrong]))
  value
}

# n finite numbers, or one for all.
finite_vector <- function(name, value, n) {
  if (length(value) == 1 && is.null(dim(value))) value <- rep(one_number(name, value), n)
  if (length(dim(value)) == 1) dim(value) <- NULL
  as.double(finite_array(name, value, n, "n"))
}

# All entries that are not 0 of a matrix, of one of Matrix, or of a data frame of i, j, value.
entries_of <- function(name, given, n = NULL) {
  if (is.data.frame(given)) {
    if (!all(c("i", "j", "value") %in% names(given))) fail(name, ": a data frame needs the columns i, j and value")
    places <- cbind(numbers(paste0(name, "$i"), given[["i"]]), numbers(paste0(name, "$j"), given[["j"]]))
    values <- numbers(paste0(name, "$value"), given[["value"]])
    wrong <- places != trunc(places) | places < 1 | places > .Machine$integer.max
    if (any(wrong)) fail(sprintf("%s: site %g: sites are whole numbers from 1 on", name, places[wrong][1]))
    rows <- if (is.null(n)) max(0, places) else n
    if (any(places > rows)) fail(sprintf("%s: site %g of 1 to n = %d", name, max(places), rows))
    if (rows == 0) fail(name, ": it is empty, and n is not given")
  } else {
    sparse <- inherits(given, "Matrix")
    if (!sparse && (is.object(given) || !is.matrix(given))) {
      fail(name, ": a matrix, or a data frame of i, j and value, not ", kind_of(given))
    }
    if (nrow(given) != ncol(given) || nrow(given) == 0 || (!is.null(n) && nrow(given) != n)) {
      fail(sprintf("%s: a matrix of n x n%s is needed, not of %d x %d", name,
                   if (is.null(n)) "" else sprintf(" = %d x %d", n, n), nrow(given), ncol(given)))
    }
    rows <- nrow(given)
    if (sparse) {
      general <- methods::as(methods::as(methods::as(given, "dMatrix"), "generalMatrix"), "CsparseMatrix")
      places <- cbind(general@i + 1, rep(seq_len(rows), diff(general@p)))
      values <- numbers(name, general@x)
    } else {
      numbers(name, given)
      places <- which(given != 0, arr.ind = TRUE, useNames = FALSE)
      values <- as.double(given[places])
    }
  }
  wrong <- which(!is.finite(values))[1]
  if (!is.na(wrong)) {
    fail(sprintf("%s[%d, %d]: %g is not a finite number", name, places[wrong, 1], places[wrong, 2], values[wrong]))
  }
  list(places = matrix(places, ncol = 2), values = values, n = as.integer(rows))
}

# Pairs i < j and their couplings. Of a symmetric matrix each one counts once.
couplings <- function(name, given, n = NULL) {
  all <- entries_of(name, given, n)
  i <- pmin(all$places[, 1], all$places[, 2])
  j <- pmax(all$places[, 1], all$places[, 2])
  itself <- which(i == j & all$values != 0)[1]
  if (!is.na(itself)) {
    fail(sprintf("%s[%d, %d]: a site has no coupling to itself; fields are h", name, i[itself], i[itself]))
  }
  upper <- all$places[, 1] < all$places[, 2]
  key <- (i - 1) * all$n + j
  at <- match(key, unique(key))
  i <- i[!duplicated(key)]
  j <- j[!duplicated(key)]
  total <- function(of) as.vector(tapply(all$values * of, factor(at, seq_along(i)), sum, default = 0))
  above <- total(upper)
  below <- total(!upper)
  value <- above + below
  if (!is.data.frame(given) && any(above != 0) && any(below != 0)) {
    k <- which(above != below)[1]
    if (!is.na(k)) {
      fail(sprintf(paste("%s: neither symmetric nor triangular: [%d, %d] is %s, [%d, %d] is %s; use (%s + t(%s)) / 2,",
                         "if each is half of a coupling or both are meant to be the same"),
                   name, i[k], j[k], digits(above[k]), j[k], i[k], digits(below[k]), name, name))
    }
    value <- above
  }
  list(i = i, j = j, value = value, n = all$n)
}

# Finite numbers times beta.
times <- function(name, beta, values) {
  values <- beta * values
  if (any(!is.finite(values))) fail(name, ", times beta: beyond the largest number")
  values
}

# A few libraries, not one a model: rooms for neighbours are powers of 2.
quadratic <- function(i, j, value, n, kind, offset = 0) {
  wrong <- which(!(abs(value) <= 1e12))[1]
  if (!is.na(wrong)) {
    fail(sprintf("%s, times beta: a number beyond 1e12 at %s: take smaller ones",
                 if (kind == "ising") "J, h" else "Q",
                 paste(c("site", "sites")[1 + (i[wrong] != j[wrong])], toString(unique(c(i[wrong], j[wrong]))))))
  }
  most <- max(1, tabulate(c(i, j), n))
  others <- tabulate(c(i[i != j], j[i != j]), n)
  if (max(others) > 65536) { # lists of neighbours lie on the stack
    fail(sprintf("site %d has %d neighbours: at most 65536 are allowed", which.max(others), max(others)))
  }
  room <- 2^max(2, ceiling(log2(most)))
  new_model(own_library("qubo.c", sprintf("-DMOST_NEIGHBOURS=%.0f", room)),
            list(n = n, ends = cbind(i, j) - 1, value = value), kind, offset)
}

#' Ising models and spin glasses
#'
#' log pi(s) = `beta` (sum over pairs i < j of `J[i, j]` s_i s_j + sum of `h[i]` s_i), over spins s = -1, 1.
#'
#' @param J couplings: a matrix, n x n, symmetric (each pair counts once) or triangular, its diagonal 0; or a sparse one
#'   of the package Matrix; or a data frame with the columns `i`, `j` (sites, from 1 on) and `value`, whose rows of the
#'   same pair are added.
#' @param h fields: n numbers, or one for all.
#' @param beta inverse temperature; `J` and `h` have the unit 1 / `beta`.
#' @param x states of zeros and ones, of runs.
#' @return A model, for [lbp_run()] and the like. Its states are zeros and ones, x = (1 + s) / 2; `lbp_spins(x)`
#'   converts them, keeping the shape. `lp` and `log_z` of runs are of the formula above.
#' @section Errors:
#' Shapes do not fit; `J` is neither symmetric nor triangular, or couples a site to itself; a number is not finite.
#' @examples
#' \donttest{
#' J <- 0.5 * (abs(outer(1:3, 1:3, "-")) == 1)
#' model <- lbp_ising(J, h = c(0.1, 0, 0))
#' colMeans(lbp_spins(lbp_run(model, draws = 100)$x), dims = 2)
#' lbp_ising(data.frame(i = 1:2, j = 2:3, value = 0.5), h = c(0.1, 0, 0)) # the same
#' }
#' @export
lbp_ising <- function(J, h = 0, beta = 1) {
  beta <- one_number("beta", beta)
  pairs <- couplings("J", J, if (length(h) > 1) length(h))
  n <- pairs$n
  h <- finite_vector("h", h, n)
  # J s s' = J (4 x x' - 2 x - 2 x' + 1), h s = h (2 x - 1)
  sites <- seq_len(n)
  linear <- h + as.vector(tapply(-rep(pairs$value, 2), factor(c(pairs$i, pairs$j), sites), sum, default = 0))
  quadratic(c(sites, pairs$i), c(sites, pairs$j), -beta * c(2 * linear, 4 * pairs$value), n, "ising",
            beta * (sum(pairs$value) - sum(h)))
}

#' @rdname lbp_ising
#' @export
lbp_spins <- function(x) {
  if (!all(x %in% c(0, 1))) fail("x: states are zeros and ones")
  2L * x - 1L
}

#' QUBO: quadratic functions of zeros and ones
#'
#' log pi(x) = -`beta` (sum over i, j of `Q[i, j]` x_i x_j), over zeros and ones: [lbp_anneal()] finds the x of the
#' least sum.
#'
#' @param Q a matrix, n x n, or a sparse one of the package Matrix, or a data frame with the columns `i`, `j` (sites,
#'   from 1 on) and `value`. All entries count: `Q[i, j]` and `Q[j, i]` are added, `Q[i, i]` is the linear term.
#' @param beta inverse temperature.
#' @param n number of sites, where `Q` is a data frame that does not name the last ones.
#' @return A model, for [lbp_run()] and the like.
#' @section Errors:
#' `Q` is not square; a number is not finite.
#' @examples
#' \donttest{
#' found <- lbp_anneal(lbp_qubo(matrix(c(-1, 0, 3, -1), 2)), annealing = list(sweeps = 100))
#' -found$best_logp[1] # -1
#' }
#' @export
lbp_qubo <- function(Q, beta = 1, n = NULL) {
  beta <- one_number("beta", beta)
  if (!is.null(n)) n <- whole_number("n", n, 1, .Machine$integer.max)
  all <- entries_of("Q", Q, n)
  quadratic(all$places[, 1], all$places[, 2], beta * all$values, all$n, "qubo")
}

#' Variable selection: which columns explain y
#'
#' log pi(x) is the log Bayes factor of the linear model of `y` by a constant and the columns of `X` at which x is 1,
#' against that of the constant alone, with Zellner's g-prior, plus the columns' log prior. So log Z, by [lbp_ais()], is
#' the log Bayes factor of the averaged model.
#'
#' @param X a matrix, rows x n, or a data frame of numbers; none of its columns is constant.
#' @param y one number for each row.
#' @param inclusion prior probability of each column, above 0 and below 1.
#' @return A model, for [lbp_run()]. Of a run with `marginals = "conditional"`, `run$marginal` are inclusion
#'   probabilities, `run$marginal_se` their errors.
#' @section Errors:
#' Shapes do not fit; a column or `y` is constant; a value is `NA`. Runs that begin with more than rows - 2 columns: if
#' there are many columns, begin with none of them, `start = rep(0, ncol(X))`.
#' @examples
#' \donttest{
#' run <- lbp_run(lbp_selection(mtcars[-1], mtcars$mpg), sampler = "metropolis", marginals = "conditional")
#' setNames(round(run$marginal, 2), names(mtcars)[-1])
#' }
#' @export
lbp_selection <- function(X, y, inclusion = 0.5) {
  column <- function(k) if (is.null(colnames(X))) format(k) else sprintf("%d (%s)", k, colnames(X)[k])
  if (is.data.frame(X)) {
    number <- function(values) { # the bits of integer64 are no number's
      (is.numeric(values) || is.logical(values)) && !inherits(values, "integer64")
    }
    other <- which(!vapply(X, number, NA))[1]
    if (!is.na(other)) {
      fail(sprintf("X: column %s is not numeric, but %s; as.numeric makes numbers of it, model.matrix of factors",
                   column(other), kind_of(X[[other]])))
    }
    X <- as.matrix(X)
  }
  if (!is.matrix(X)) fail("X: a matrix of rows and columns, not ", kind_of(X))
  if (nrow(X) < 3 || ncol(X) < 1) {
    fail(sprintf("X: 3 rows and a column are the least, not %d x %d", nrow(X), ncol(X)))
  }
  X <- finite_array("X", X, dim(X), "rows x n")
  y <- finite_array("y", y, nrow(X), "rows")
  arrays <- list(X = X, y = y, inclusion = one_number("inclusion", inclusion))
  tryCatch(new_model(own_library("selection.c"), arrays), lbp_error = function(error) {
    found <- regexec("^X: column ([0-9]+) of 0 to n - 1 is constant", error$message)
    k <- as.integer(regmatches(error$message, found)[[1]][2])
    if (is.na(k)) stop(error)
    fail("X: column ", column(k + 1L), " is constant: leave it out", status = error$status)
  })
}

#' Potts models
#'
#' `lbp_potts`: log pi(x) = `beta` (sum over pairs i < j of `J[i, j]` \[x_i = x_j\] + sum of `h[i, x_i + 1]`), over
#' sites of `q` values, 0 to q - 1. `lbp_dense_potts`: every pair has a table, log pi(x) = `beta` (sum over pairs i < j
#' of `J[i, j, x_i + 1, x_j + 1]` + sum of `h[i, x_i + 1]`), as in models of protein families.
#'
#' @param J `lbp_potts`: couplings as of [lbp_ising()]. `lbp_dense_potts`: an array, n x n x q x q, of which i < j
#'   counts; i > j is 0 or the same, `J[j, i, w, v] = J[i, j, v, w]`.
#' @param q values of a site, 1 to 256.
#' @param h fields: a matrix, n x q; `NULL`: none.
#' @param beta inverse temperature.
#' @return `lbp_potts`: a factor graph, which [lbp_run()] and the like take, and [lbp_marginals()], [lbp_log_z()] and
#'   [lbp_map()]. `lbp_dense_potts`: a model.
#' @section Errors:
#' Shapes do not fit; the halves of `J` disagree, or it couples a site to itself; a number is not finite.
#' @examples
#' \donttest{
#' ring <- data.frame(i = 1:5, j = c(2:5, 1), value = 1)
#' lbp_run(lbp_potts(ring, q = 3), draws = 100)$x[1, 1:3, ]
#' J <- array(0, c(2, 2, 3, 3))
#' J[1, 2, , ] <- diag(3)
#' lbp_run(lbp_dense_potts(J), draws = 100)$x[1, 1:3, ]
#' }
#' @export
lbp_potts <- function(J, q, h = NULL, beta = 1) {
  beta <- one_number("beta", beta)
  q <- whole_number("q", q, 1, 256)
  if (!is.null(h)) h <- finite_array("h", h, c(NROW(h), q), "n x q")
  pairs <- couplings("J", J, if (!is.null(h)) nrow(h))
  graph <- lbp_factor_graph(rep(q, pairs$n))
  tables <- lapply(times("J", beta, pairs$value), function(value) value * diag(q)) # symmetric, so of any order
  sites <- asplit(cbind(pairs$i, pairs$j) - 1, 1)
  if (!is.null(h)) {
    h <- times("h", beta, h)
    tables <- c(tables, lapply(seq_len(pairs$n), function(i) h[i, ]))
    sites <- c(sites, as.list(seq_len(pairs$n) - 1))
  }
  graph$sites <- unname(lapply(sites, as.double))
  graph$tables <- lapply(tables, as.double)
  graph$kind <- "potts"
  graph
}

#' @rdname lbp_potts
#' @export
lbp_dense_potts <- function(J, h = NULL, beta = 1) {
  beta <- one_number("beta", beta)
  shape <- dim(J)
  if (length(shape) != 4 || shape[1] != shape[2] || shape[3] != shape[4] || 0 %in% shape) {
    fail("J: an array of n x n x q x q numbers, not of ", paste(shape_of(J), collapse = " x "))
  }
  n <- shape[1]
  q <- shape[3]
  if (q > 256) fail("J: up to 256 values of a site, not ", q)
  J <- finite_array("J", J, shape, "n x n x q x q")
  h <- if (is.null(h)) matrix(0, n, q) else finite_array("h", h, c(n, q), "n x q")
  # rows: pairs i < j in C's order; columns: values in C's order
  i <- rep(seq_len(n), n - seq_len(n))
  j <- unlist(lapply(seq_len(n), function(i) seq_len(n - i) + i))
  table <- function(i, j, order) matrix(aperm(J, order), n * n)[i + (j - 1) * n, , drop = FALSE]
  upper <- table(i, j, c(1, 2, 4, 3))
  lower <- table(j, i, c(1, 2, 3, 4))
  if (any(lower != 0) && any(lower != upper)) fail("J: J[j, i, w, v] must be J[i, j, v, w], or 0, for all i < j")
  if (any(table(seq_len(n), seq_len(n), 1:4) != 0)) fail("J: a site has no coupling to itself; fields are h")
  new_model(own_library("dense_potts.c", sprintf("-DSTATES=%d", q)),
            list(h = times("h", beta, h), J = times("J", beta, as.vector(t(upper)))))
}

#' Restricted Boltzmann machines
#'
#' The hidden units are summed out: log pi(x) = sum of `b[i]` x_i + sum over hidden units j of log(1 + exp(`c[j]` + sum
#' over i of x_i `W[i, j]`)), over zeros and ones.
#'
#' @param W weights: a matrix, n x hidden, of visible and hidden units.
#' @param b,c biases of visible (n) and of hidden units: as many numbers, or one for all.
#' @return A model of the visible units, for [lbp_run()] and the like.
#' @section Errors:
#' Shapes do not fit; a number is not finite.
#' @examples
#' \donttest{
#' run <- lbp_run(lbp_rbm(matrix(c(1, -1, 0.5, 2, 0, 1), 3)), draws = 100)
#' dim(run$x)
#' }
#' @export
lbp_rbm <- function(W, b = 0, c = 0) {
  if (!is.matrix(W) || 0 %in% dim(W)) fail("W: a matrix of visible by hidden units, not ", kind_of(W))
  new_model(own_library("rbm.c"),
            list(W = finite_array("W", W, dim(W), "n x hidden"), b = finite_vector("b", b, nrow(W)),
                 c = finite_vector("c", c, ncol(W))))
}

#' Permutations: assignment, quadratic assignment, orders
#'
#' log pi(s) = `beta` (sum over a of `L[a, s[a]]` + sum over a, b of `F[a, b] * D[s[a], s[b]]`), over permutations s of
#' 1 to n. With `L` alone this is linear assignment, with `F` and `D` quadratic assignment. Orders of n objects are
#' another case: `F` has ones above its diagonal, and `D[p, q]` is the worth of object p before object q.
#'
#' @param L a matrix, n x n: worth of giving row a the column s\[a\]; `NULL`: 0.
#' @param F,D matrices, n x n: both, or none.
#' @param beta inverse temperature.
#' @return A model, for [lbp_run()] and the like. States are permutations of 1 to n, also in `start`; in files that runs
#'   write, and with [lbp_compile()], of 0 to n - 1.
#' @section Errors:
#' Neither `L` nor `F` and `D` are given; shapes do not fit; a number is not finite.
#' @examples
#' \donttest{
#' L <- matrix(c(3, 1, 0, 1, 2, 0, 0, 0, 1), 3)
#' lbp_anneal(lbp_assignment(L), annealing = list(sweeps = 20))$best[1, ] # 1 2 3
#' }
#' @export
lbp_assignment <- function(L = NULL, F = NULL, D = NULL, beta = 1) {
  beta <- one_number("beta", beta)
  if (is.null(F) != is.null(D)) fail("F, D: give both or none")
  given <- Filter(Negate(is.null), list(L = L, F = F, D = D))
  if (!length(given)) fail("L: give L, or F and D")
  n <- NROW(given[[1]])
  for (name in names(given)) finite_array(name, given[[name]], c(n, n), "n x n")
  if (n == 0) fail(names(given)[1], ": it is empty")
  rows <- function(table) if (is.null(table)) numeric() else as.vector(t(table))
  new_model(own_library("assignment.c"),
            list(n = n, L = if (is.null(L)) matrix(0, n, n) else times("L", beta, L), F = times("F", beta, rows(F)),
                 D = rows(D), n2 = length(F)), from = 1L)
}
