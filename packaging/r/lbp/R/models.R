# Ready-made models: no C is written; theirs is compiled once. Sites of arguments are counted from 1 on.

# One of the library's own model files, compiled: once a session, and once a machine.
own_library <- function(name, defines = character()) {
  key <- paste(c(name, defines), collapse = " ")
  if (is.null(state[[key]])) state[[key]] <- lbp_compile(model_file(name), defines = defines)
  environment(state[[key]])$library
}

one_number <- function(name, value) {
  value <- numbers(name, value)
  if (length(value) != 1 || !is.finite(value)) fail(name, ": a finite number, not ", paste(value, collapse = " "))
  value
}

whole_number <- function(name, value, from, to) {
  value <- one_number(name, value)
  if (value < from || value > to || value != trunc(value)) {
    fail(sprintf("%s: a whole number from %g to %g, not %g", name, from, to, value))
  }
  value
}

# All entries that are not 0 of a matrix, of one of Matrix, or of a data frame of i, j, value.
entries <- function(name, given, n = NULL) {
  if (is.data.frame(given)) {
    if (!all(c("i", "j", "value") %in% names(given))) fail(name, ": a data frame needs the columns i, j, value")
    places <- cbind(numbers(paste0(name, "$i"), given$i), numbers(paste0(name, "$j"), given$j))
    values <- numbers(paste0(name, "$value"), given$value)
    wrong <- places != trunc(places) | places < 1 | places > .Machine$integer.max
    if (any(wrong)) fail(sprintf("%s: site %g: sites are whole numbers from 1 on", name, places[wrong][1]))
    rows <- if (is.null(n)) max(0, places) else n
    if (any(places > rows)) fail(sprintf("%s: site %g of 1 to n = %d", name, max(places), rows))
    if (rows == 0) fail(name, ": it is empty, and n is not given")
  } else {
    sparse <- inherits(given, "Matrix")
    if (!sparse && (is.object(given) || !is.matrix(given))) {
      fail(name, ": a matrix, or a data frame of i, j, value, not ", class(given)[1])
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
  if (!all(is.finite(values))) {
    k <- which(!is.finite(values))[1]
    fail(sprintf("%s[%d, %d]: %g is not a finite number", name, places[k, 1], places[k, 2], values[k]))
  }
  list(places = matrix(places, ncol = 2), values = values, n = as.integer(rows))
}

# Pairs i < j and their couplings. Of a symmetric matrix each one counts once.
couplings <- function(name, given, n = NULL) {
  all <- entries(name, given, n)
  i <- pmin(all$places[, 1], all$places[, 2])
  j <- pmax(all$places[, 1], all$places[, 2])
  itself <- which(i == j & all$values != 0)
  if (length(itself)) {
    fail(sprintf("%s[%d, %d]: a site has no coupling to itself; fields are h", name, i[itself[1]], i[itself[1]]))
  }
  key <- paste(i, j)
  pairs <- !duplicated(key)
  at <- match(key, key[pairs])
  i <- i[pairs]
  j <- j[pairs]
  upper <- all$places[, 1] < all$places[, 2]
  total <- function(which) {
    sums <- numeric(length(i))
    found <- rowsum(all$values[which], at[which])
    sums[as.integer(rownames(found))] <- found
    sums
  }
  above <- total(upper)
  below <- total(!upper)
  value <- above + below
  if (!is.data.frame(given) && any(above != 0) && any(below != 0)) {
    apart <- which(above != below)
    if (length(apart)) {
      k <- apart[1]
      fail(sprintf(paste("%s: neither symmetric nor triangular: [%d, %d] is %g, [%d, %d] is %g; use (%s + t(%s)) / 2, if",
                         "each is half of a coupling or both are meant to be the same"),
                   name, i[k], j[k], above[k], j[k], i[k], below[k], name, name))
    }
    value <- above
  }
  list(i = i, j = j, value = value, n = all$n)
}

# A few libraries, not one a model: rooms for neighbours are powers of 2.
quadratic <- function(i, j, value, n, kind, offset = 0) {
  most <- max(1, tabulate(c(i, j), n))
  room <- 2^max(2, ceiling(log2(most)))
  model <- new_model(own_library("qubo.c", sprintf("-DMOST_NEIGHBOURS=%.0f", room)),
                     list(n = n, ends = cbind(i, j) - 1, value = value), kind)
  model$offset <- offset
  model
}

lbp_ising <- function(J, h = 0, beta = 1) {
  beta <- one_number("beta", beta)
  h <- numbers("h", h)
  pairs <- couplings("J", J, if (length(h) > 1) length(h))
  n <- pairs$n
  if (length(h) == 1) h <- rep(h, n)
  if (length(h) != n) fail(sprintf("h: n = %d numbers, or one for all, not %d", n, length(h)))
  if (!all(is.finite(h))) fail(sprintf("h[%d]: %g is not a finite number", which(!is.finite(h))[1], h[!is.finite(h)][1]))
  # J s s' = J (4 x x' - 2 x - 2 x' + 1), h s = h (2 x - 1)
  sums <- rowsum(c(h, -pairs$value, -pairs$value), c(seq_len(n), pairs$i, pairs$j))
  quadratic(c(seq_len(n), pairs$i), c(seq_len(n), pairs$j), -beta * c(2 * sums, 4 * pairs$value), n, "ising",
            beta * (sum(pairs$value) - sum(h)))
}

lbp_spins <- function(x) 2L * x - 1L

lbp_qubo <- function(Q, beta = 1, n = NULL) {
  beta <- one_number("beta", beta)
  if (!is.null(n)) n <- whole_number("n", n, 1, 2^31 - 1)
  all <- entries("Q", Q, n)
  quadratic(all$places[, 1], all$places[, 2], beta * all$values, all$n, "qubo")
}

lbp_selection <- function(X, y, inclusion = 0.5) {
  if (is.data.frame(X)) X <- as.matrix(X)
  if (!is.matrix(X)) fail("X: a matrix of rows and columns, not ", class(X)[1])
  new_model(own_library("selection.c"), list(X = X, y = y, inclusion = one_number("inclusion", inclusion)))
}

lbp_potts <- function(J, q, h = NULL, beta = 1) {
  beta <- one_number("beta", beta)
  q <- whole_number("q", q, 1, 256)
  if (!is.null(h)) {
    if (!is.matrix(h) || ncol(h) != q) fail(sprintf("h: a matrix of n x q = n x %d numbers, not %s", q,
                                                    paste(shape_of(h), collapse = " x ")))
    numbers("h", h)
    if (!all(is.finite(h))) fail("h: a number is not finite")
  }
  pairs <- couplings("J", J, if (!is.null(h)) nrow(h))
  graph <- lbp_factor_graph(rep(q, pairs$n))
  tables <- lapply(beta * pairs$value, function(value) value * diag(q))
  sites <- asplit(cbind(pairs$i, pairs$j) - 1, 1)
  if (!is.null(h)) {
    tables <- c(tables, lapply(seq_len(pairs$n), function(i) beta * h[i, ]))
    sites <- c(sites, as.list(seq_len(pairs$n) - 1))
  }
  graph$sites <- unname(lapply(sites, as.double))
  graph$tables <- lapply(tables, as.double) # they are symmetric, or of one site
  graph$kind <- "potts"
  graph
}
