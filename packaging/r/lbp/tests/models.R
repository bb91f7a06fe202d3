# Ready-made models against enumeration: log pi of every state, means of draws, log Z; and bad input. Models are
# compiled into the environment's LBP_CACHE, or a temporary one.
library(lbp)
if (!nzchar(Sys.getenv("LBP_CACHE"))) Sys.setenv(LBP_CACHE = file.path(tempdir(), "lbp"))
set.seed(1)

# all states of sites with these numbers of values, one a row
all_states <- function(values) as.matrix(expand.grid(lapply(values, function(k) seq_len(k) - 1)))

# a model's log pi must be that of R at every possible state, and its draws must have the law's means; returns log Z
agrees <- function(model, states, logp, ...) {
  values <- apply(states, 1, logp)
  init <- lbp_sampling(model, ...)$init
  own <- vapply(which(values > -Inf), function(k) init(states[k, ])$logdensity, 0)
  stopifnot(all(abs(own - values[values > -Inf]) < 1e-9))
  weights <- exp(values - max(values))
  exact <- colSums(states * weights) / sum(weights)
  run <- suppressWarnings(lbp_run(model, draws = 2500, thin = 2, ...))
  stopifnot(max(abs(run$lp[, 1:100] - apply(run$x[, 1:100, ], 1:2, logp))) < 1e-9)
  far <- abs(colMeans(run$x, dims = 2) - exact) / max(states)
  if (any(far > 0.03)) stop("means of draws are off by ", paste(signif(far, 2), collapse = " "))
  invisible(log(sum(weights)) + max(values))
}
quiet <- function(...) suppressWarnings(lbp_run(...))
near <- function(a, b, by = 1e-9) stopifnot(length(a) == length(b), all(abs(a - b) <= by))
refuses <- function(like, expression) {
  told <- tryCatch({
    expression
    "no error"
  }, lbp_error = conditionMessage)
  if (!grepl(like, told, fixed = TRUE)) stop("'", told, "' in place of '", like, "'")
}

# ---- Ising -----------------------------------------------------------------------------------------------------------

n <- 4
J <- matrix(0, n, n)
J[upper.tri(J)] <- c(0.5, -0.3, 0.8, 0.2, -0.6, 0.4)
h <- c(0.3, -0.2, 0.1, 0.5)
spins <- all_states(rep(2, n))
energy <- function(x) {
  s <- lbp_spins(x)
  0.7 * (sum(J * outer(s, s)) + sum(h * s))
}
ising <- lbp_ising(J, h, beta = 0.7)
log_z <- agrees(ising, spins, energy, sampler = "gibbs")
for (same in list(J + t(J), t(J), data.frame(i = row(J)[J != 0], j = col(J)[J != 0], value = J[J != 0]))) {
  stopifnot(identical(quiet(ising, draws = 50)$lp, quiet(lbp_ising(same, h, 0.7), draws = 50)$lp))
}
if (requireNamespace("Matrix", quietly = TRUE)) {
  for (same in list(Matrix::Matrix(J, sparse = TRUE), Matrix::Matrix(J + t(J), sparse = TRUE))) {
    stopifnot(identical(quiet(ising, draws = 50)$lp, quiet(lbp_ising(same, h, 0.7), draws = 50)$lp))
  }
}
z <- lbp_ais(ising, chains = 100, tempering = list(rungs = 20))
near(z$log_z, log_z, 6 * z$log_z_se)
half <- lbp_ais(ising, chains = 100, tempering = list(ladder = seq(0.5, 0, length.out = 20)))
near(half$log_z, log(sum(exp(apply(spins, 1, energy) / 2))), 6 * half$log_z_se)
found <- quiet(ising, sampler = "gibbs", draws = 4000, warmup = 2000, chains = 8,
               tempering = list(ladder = seq(1, 0, length.out = 8), adapt_ends = TRUE))
stopifnot(found$ladder[1] > 1.2)
near(found$log_z, log(sum(exp(found$ladder[1] * apply(spins, 1, energy)))), 6 * found$log_z_se)
best <- lbp_anneal(ising, chains = 3, annealing = list(sweeps = 50))
near(best$best_logp[1], max(apply(spins, 1, energy)))
near(best$best_logp, apply(best$best, 1, energy))
near(best$last_logp, apply(best$last, 1, energy))
near(tail(best$history[, 3], 1), best$best_logp[1])
refuses("start: states are zeros and ones, (1 + s) / 2 of spins s", lbp_run(ising, start = c(1, -1, -1, 1)))
refuses("position: states are zeros and ones", lbp_sampling(ising)$init(rep(-1, 4)))
refuses("start: a value of the state", lbp_run(ising, start = c(0, -1, -1, 1)))
stay <- quiet(ising, draws = 50, start = c(1, 0, 1, 0), clamp = c(FALSE, TRUE, FALSE, TRUE))
stopifnot(all(stay$x[, , c(2, 4)] == 0), any(stay$x[, , 1] == 0), any(stay$x[, , 3] == 0))
refuses("J: neither symmetric nor triangular: [1, 2] is 0.5, [2, 1] is 1", lbp_ising(J + t(J) * 2))
refuses("[1, 2] is 0.30000000000000004, [2, 1] is 0.3;", lbp_ising(rbind(c(0, 0.1 + 0.2), c(0.3, 0))))
refuses("J[2, 2]: a site has no coupling to itself", lbp_ising(J + diag(c(0, 1, 0, 0))))
refuses("J: a matrix of n x n is needed, not of 3 x 4", lbp_ising(J[-1, ]))
refuses("J: a matrix of n x n = 3 x 3 is needed, not of 4 x 4", lbp_ising(J, 1:3))
refuses("J[1, 2]: Inf is not a finite number", lbp_ising(replace(J, 5, Inf)))
refuses("J[1, 2] is NA", lbp_ising(replace(J, 5, NA)))
refuses("h[2]: -Inf is not a finite number", lbp_ising(J, c(0, -Inf, 0, 0)))
refuses("h: n = 4 numbers, not 2 x 2", lbp_ising(J, matrix(0, 2, 2)))
for (large in list(1e13, 1e300)) {
  refuses("J, h, times beta: a number beyond 1e12 at site 1", lbp_ising(J, c(large, 0, 0, 0), 1e100))
  refuses("J, h, times beta: a number beyond 1e12 at site 1", lbp_ising(replace(J, 13, large), h, 1e100))
}
refuses("Q, times beta: a number beyond 1e12 at sites 1, 2", lbp_qubo(matrix(c(0, 0, 1, 0), 2), 1e13))
refuses("site 1 has 70000 neighbours: at most 65536 are allowed", lbp_ising(data.frame(i = 1, j = 2:70001, value = 1)))
refuses("x: states are zeros and ones", lbp_spins(c(0, -1)))
refuses("J, times beta: beyond the largest number", lbp_potts(J * 1e200, 2, beta = 1e200))
refuses("h, times beta: beyond the largest number", lbp_potts(J, 2, matrix(1e200, 4, 2), beta = 1e200))
refuses("h, times beta: beyond the largest number", lbp_dense_potts(array(0, c(2, 2, 2, 2)), diag(1e200, 2), 1e200))
refuses("L, times beta: beyond the largest number", lbp_assignment(diag(1e200, 2), beta = 1e200))
refuses("F, times beta: beyond the largest number", lbp_assignment(F = diag(1e200, 2), D = diag(2), beta = 1e200))
refuses("beta: one finite number, not 1 2", lbp_ising(J, h, 1:2))
refuses("J: site 0: sites are whole numbers from 1 on", lbp_ising(data.frame(i = 0, j = 1, value = 1)))
refuses("J: a data frame needs the columns i, j and value", lbp_ising(data.frame(a = 1)))
refuses("J: a matrix, or a data frame of i, j and value, not character", lbp_ising("J"))

# a run that goes on from a checkpoint has its own draws, and says so
saved <- tempfile("checkpoint")
resumed <- function(draws) quiet(ising, draws = draws, checkpoint = saved)
whole <- quiet(ising, draws = 400)
stopifnot(resumed(390)$draws == 390, is.null(summary(whole)$part))
for (left in c(10, 0)) {
  run <- resumed(400)
  stopifnot(dim(run$lp)[2] == left, identical(run$lp, whole$lp[, seq_len(left) + 390, drop = FALSE]))
  stopifnot(run$mcse == whole$mcse, is.null(summary(run)$table) == (left == 0))
  part <- sprintf("this call made %.0f of the 400 draws", left)
  for (as in c("array", if (requireNamespace("posterior", quietly = TRUE)) "draws_array")) {
    stopifnot(identical(dim(lbp_draws(run, as)), c(as.integer(left), 4L, 5L)))
  }
  if (requireNamespace("coda", quietly = TRUE)) {
    stopifnot(all(vapply(lbp_draws(run, "mcmc.list"), dim, 1:2) == c(left, 5)))
  }
  for (shown in list(run, summary(run))) stopifnot(any(grepl(part, capture.output(print(shown)))))
}
stopifnot(!any(grepl("this call", capture.output(print(whole), print(summary(whole))))))

# ---- QUBO ------------------------------------------------------------------------------------------------------------

Q <- matrix(c(-1, 2, 0, 0.5, 1, -0.5, 0, -2, 0.25), 3)
agrees(lbp_qubo(Q, 1.5), all_states(rep(2, 3)), function(x) -1.5 * drop(x %*% Q %*% x), sampler = "gibbs")
stopifnot(lbp_qubo(data.frame(i = 1, j = 2, value = 1), n = 5)$n == 5)
refuses("Q: site 7 of 1 to n = 5", lbp_qubo(data.frame(i = 7, j = 2, value = 1), n = 5))
refuses("n: a whole number from 1 to", lbp_qubo(data.frame(i = 1, j = 2, value = 1), n = 0.5))

# ---- Potts -----------------------------------------------------------------------------------------------------------

field <- matrix(c(0.2, -0.1, 0.4, 0, 0.3, -0.5, 0.1, 0.6, 0), 3, byrow = TRUE)
three <- J[1:3, 1:3]
thrice <- all_states(rep(3, 3))
potts <- function(x) 0.9 * (sum(three * outer(x, x, "==")) + sum(field[cbind(1:3, x + 1)]))
graph <- lbp_potts(three, 3, field, 0.9)
log_z <- agrees(graph, thrice, potts, sampler = "gibbs")
near(lbp_log_z(graph)$value, log_z)
refuses("h: n x q = 3 x 3 numbers, not 3 x 2", lbp_potts(three, 3, field[, 1:2]))
refuses("q: a whole number from 1 to 256, not 300", lbp_potts(three, 300))

dense <- array(rnorm(81), c(3, 3, 3, 3))
for (i in 1:3) {
  dense[i, i, , ] <- 0
  for (j in seq_len(i - 1)) dense[i, j, , ] <- t(dense[j, i, , ])
}
pairs <- function(x) {
  sum <- sum(field[cbind(1:3, x + 1)])
  for (i in 1:2) for (j in (i + 1):3) sum <- sum + dense[i, j, x[i] + 1, x[j] + 1]
  sum / 2
}
agrees(lbp_dense_potts(dense, field, 0.5), thrice, pairs, sampler = "gibbs")
half <- dense
for (i in 1:3) for (j in seq_len(i - 1)) half[i, j, , ] <- 0
near(lbp_sampling(lbp_dense_potts(half, field, 0.5), parameter = 1)$init(c(0, 1, 2))$logdensity, pairs(0:2))
refuses("J: J[j, i, w, v] must be J[i, j, v, w]", lbp_dense_potts(replace(dense, 2, 5)))
refuses("J: an array of n x n x q x q numbers, not of 3 x 3", lbp_dense_potts(field))

# ---- RBM, selection, permutations ------------------------------------------------------------------------------------

W <- matrix(rnorm(8), 4)
b <- rnorm(4)
c <- rnorm(2)
agrees(lbp_rbm(W, b, c), spins, function(x) sum(b * x) + sum(log1p(exp(c + x %*% W))), parameter = 1)
refuses("b: n = 4 numbers, not 2", lbp_rbm(W, c, b))
refuses("W: a matrix of visible by hidden units", lbp_rbm(1:4))

y <- drop(mtcars$wt - mtcars$hp / 100 + rnorm(32) / 2)
columns <- as.matrix(mtcars[c("wt", "hp", "qsec", "drat")])
bayes <- function(x) { # Zellner's prior with g the number of rows
  r2 <- if (any(x == 1)) summary(lm(y ~ columns[, x == 1]))$r.squared else 0
  (32 - 1 - sum(x)) / 2 * log1p(32) - 31 / 2 * log1p(32 * (1 - r2)) + sum(x) * log(0.3) + (4 - sum(x)) * log(0.7)
}
selection <- lbp_selection(mtcars[c("wt", "hp", "qsec", "drat")], y, 0.3)
own <- apply(spins, 1, function(x) lbp_sampling(selection, parameter = 1)$init(x)$logdensity)
near(own - own[1], apply(spins, 1, bayes) - bayes(spins[1, ]), 1e-6)
z <- lbp_ais(selection, chains = 100, tempering = list(rungs = 20))
near(z$log_z, log(sum(exp(own))), 6 * z$log_z_se)
stopifnot(any(grepl("effective_families [0-9]", capture.output(print(z)))))
stopifnot(all.equal(own[1], 4 * log(0.7))) # log Bayes factors against no column
near(lbp_anneal(selection, chains = 3, annealing = list(sweeps = 50))$best_logp[1], max(own))
refuses("X: column 2 is constant: leave it out", lbp_selection(cbind(1:3, 2), 1:3))
refuses("X: column 2 (b) is constant", lbp_selection(data.frame(a = 1:3, b = 2), 1:3))
refuses("y: rows = 32 numbers, not 31", lbp_selection(columns, y[-1]))
wide <- lbp_selection(matrix(cos(1:240), 6), sin(1:6)) # more columns than rows - 2 are impossible
refuses("start: the state is impossible", lbp_run(wide, draws = 5))
stopifnot(rowSums(quiet(wide, draws = 5, start = rep(0, 40))$x, dims = 2) <= 4)
refuses("inclusion: a probability above 0 and below 1, not 0", lbp_selection(columns, y, 0))
steps <- lbp_sampling(wide, sampler = "gibbs", check_trials = 0) # from more columns than rows
state <- steps$init(rep(1, 40))
stopifnot(state$logdensity == -Inf)
for (key in 1:50) state <- steps$step(key, state)$state
near(state$logdensity, steps$init(state$position)$logdensity)
refuses("X: column 2 (b) is not numeric, but factor", lbp_selection(data.frame(a = 1:26, b = factor(letters)), 1:26))
for (bits in list(1:9 * 2^-1074, sin(1:9))) { # of small whole numbers, and of large ones
  bad <- data.frame(a = (1:9)^2)
  bad$b <- structure(bits, class = "integer64")
  refuses("X: column 2 (b) is not numeric, but integer64", lbp_selection(bad, 1:9))
}
nearly <- cbind(a = sin(1:9), b = 1e9 + 1e-7 * sin(1:9), c = cos(1:9))
refuses("X: column 2 (b) is constant", lbp_selection(nearly, 1:9)) # to rounding, which C finds
refuses("X: column 2 is constant", lbp_selection(unname(nearly), 1:9))
refuses("X[3, 1]: Inf is not a finite number", lbp_selection(replace(nearly, 3, Inf), 1:9))
refuses("X: 3 rows and a column are the least, not 9 x 0", lbp_selection(nearly[, 0], 1:9))
refuses("X: 3 rows and a column are the least, not 2 x 3", lbp_selection(nearly[1:2, ], 1:2))
stopifnot(lbp_selection(data.frame(a = sin(1:9), b = 1:9 > 4, c = I(1:9)), 1:9)$n == 3)
refuses("X: no array of numbers: character", lbp_selection(matrix(letters), 1:26))

L <- matrix(rnorm(16), 4)
flow <- matrix(rnorm(16), 4)
distance <- matrix(rnorm(16), 4)
orders <- as.matrix(expand.grid(1:4, 1:4, 1:4, 1:4))
orders <- orders[apply(orders, 1, anyDuplicated) == 0, ]
worth <- function(s) 0.8 * (sum(L[cbind(1:4, s)]) + sum(flow * distance[s, s]))
permutations <- lbp_assignment(L, flow, distance, beta = 0.8)
agrees(permutations, orders, worth, sampler = "exchange")
agrees(lbp_assignment(L), orders, function(s) sum(L[cbind(1:4, s)]), sampler = "exchange")
found <- lbp_anneal(permutations, chains = 4, annealing = list(sweeps = 100))
near(found$best_logp[1], max(apply(orders, 1, worth)))
near(found$best_logp, apply(found$best, 1, worth))
locked <- lbp_assignment(100 * diag(3)[c(2, 3, 1), ]) # one where chains begin, and stay
locked <- quiet(locked, draws = 9, start = c(2, 3, 1), sampler = "exchange")$x
stopifnot(all(apply(locked, 1:2, identical, c(2L, 3L, 1L))))
refuses("F, D: give both or none", lbp_assignment(F = flow))
refuses("D: n x n = 4 x 4 numbers, not 3 x 3", lbp_assignment(L, flow, distance[-1, -1]))
refuses("a value of the state", quiet(permutations, start = c(0, 1, 2, 3)))

# ---- factor graphs ---------------------------------------------------------------------------------------------------

values <- c(a = 2, b = 3, c = 4)
ab <- array(c(1, 4, 2, 5, 3, 6), c(2, 3))
cab <- array(runif(24), c(4, 2, 3))
network <- lbp_add(lbp_add(lbp_factor_graph(values), c("a", "b"), ab), c("c", "a", "b"), log(cab), log = TRUE)
states <- all_states(values)
weight <- function(x) log(ab[x[1] + 1, x[2] + 1]) + log(cab[x[3] + 1, x[1] + 1, x[2] + 1])
log_z <- agrees(network, states, weight, sampler = "gibbs")
near(lbp_log_z(network)$value, log_z)
weights <- exp(apply(states, 1, weight))
of <- function(which, site, k) sum(weights[which & states[, site] == k]) / sum(weights[which])
exact <- lbp_marginals(network)
stopifnot(exact$exact, identical(lengths(exact$probability), c(a = 2L, b = 3L, c = 4L)))
near(exact$probability$b, vapply(0:2, function(k) of(TRUE, 2, k), 0))
given <- lbp_condition(network, "c", 2)
near(lbp_marginals(given)$probability[[1]], vapply(0:1, function(k) of(states[, 3] == 2, 1, k), 0))
near(lbp_log_z(given)$value, log(sum(weights[states[, 3] == 2])))
stopifnot(lbp_log_z(network)$exact, identical(lbp_map(network)$state, states[which.max(weights), ] + 0L) ||
            all(lbp_map(network)$state == states[which.max(weights), ]))
sampled <- lbp_marginals(given, cells = 0, draws = 4000, sampler = "gibbs")
stopifnot(!sampled$exact, sampled$r_hat < 1.05, all(sampled$probability$c == c(0, 0, 1, 0)))
near(sampled$probability$b, vapply(0:2, function(k) of(states[, 3] == 2, 2, k), 0), 6 * sampled$se$b + 1e-9)
z <- lbp_log_z(given, cells = 0)
near(z$value, lbp_log_z(given)$value, 6 * z$se)
z <- lbp_log_z(given, cells = 0, tempering = list(ladder = seq(1, 0, length.out = 20)))
near(z$value, lbp_log_z(given)$value, 6 * z$se)
contrary <- replace(lbp_map(given)$state, 3, 0)
refuses("was observed", lbp_sampling(given, sampler = "gibbs")$init(contrary))
stopifnot(lbp_sampling(given, sampler = "gibbs")$init(lbp_map(given)$state)$position[3] == 2)
near(lbp_map(given, cells = 0)$logp, lbp_map(given)$logp)
run <- (quiet(given, draws = 50))
stopifnot(all(run$x[, , "c"] == 2), "x[b]" %in% dimnames(lbp_draws(run, "array"))$variable)

named <- lbp_factor_graph(list(wet = c("no", "yes"), sky = c("clear", "clouds", "rain")))
table <- array(c(3, 2, 1, 0, 1, 5), c(3, 2), list(sky = c("clear", "clouds", "rain"), wet = c("no", "yes")))
for (given in list(table, table[3:1, 2:1])) { # by names of dimensions and of values, in any order
  wet <- lbp_condition(lbp_add(named, table = given), "wet", "yes")
  near(lbp_marginals(wet)$probability$sky[c("clear", "clouds", "rain")], c(0, 1, 5) / 6)
}
told <- tryCatch(lbp_marginals(wet, cells = 0, draws = 20), lbp_warning = conditionMessage)
stopifnot(grepl("tables have zeros", told))
binary <- lbp_add(lbp_factor_graph(c(2, 2)), 1:2, matrix(c(1, 2, 3, 4), 2)) # of another compiled model
near(lbp_marginals(binary)$probability[[1]], c(0.4, 0.6))
sampled <- lbp_marginals(binary, cells = 0, draws = 4000)
near(sampled$probability[[1]], c(0.4, 0.6), 6 * sampled$se[[1]][1])
single <- lbp_add(lbp_factor_graph(c(1, 2)), 1:2, matrix(c(1, 3), 1)) # one value among two
near(lbp_marginals(single, cells = 0, draws = 4000)$probability[[2]], c(0.25, 0.75), 0.05)
near(lbp_marginals(single, cells = 0, draws = 20)$probability[[1]], 1)
agrees(binary, all_states(c(2, 2)), function(x) log(1 + x[1] + 2 * x[2]), sampler = "gibbs")
set.seed(7)
expected <- runif(1)
set.seed(7)
invisible(quiet(lbp_condition(network, "c", 2), draws = 5))
stopifnot(identical(runif(1), expected)) # R's generator is as it was
given <- lbp_condition(network, "c", 2)
refuses("start: site c has 1, where 2 was observed", lbp_run(given, start = c(0, 0, 1)))
refuses("start: site c has 0, where 2 was observed", lbp_run(given, chains = 2, start = rbind(c(0, 0, 2), c(0, 1, 0))))
stopifnot(all(quiet(given, draws = 5, chains = 2, start = rbind(c(0, 0, 2), c(0, 1, 2)))$x[, , 3] == 2))
refuses("chains: a whole number from 1", lbp_run(given, chains = -1))
refuses("seed: 'abc' is not a whole number", lbp_run(given, seed = "abc"))
refuses("clamp: it needs a number for each of 3 sites, not 1", lbp_run(given, clamp = 0))
refuses("clamp: clamped sites need values: set them in start", lbp_run(given, clamp = c(1, 0, 0)))
refuses("clamp: exact answers take none", lbp_marginals(given, clamp = c(1, 0, 0), start = c(0, 0, 2)))
refuses("clamp: exact answers take none", lbp_map(given, clamp = c(1, 0, 0), start = c(0, 0, 2)))
for (few in list(list(draws = 10), list(draws = 100, marginals = "counted"))) {
  few <- suppressWarnings(do.call(lbp_marginals, c(list(binary, cells = 0), few)))
  stopifnot(is.nan(few$se[[1]]), abs(sum(few$probability[[1]]) - 1) < 1e-9)
}
refuses("seed is NA", lbp_run(given, seed = NA))
apart <- lbp_add(lbp_factor_graph(c(2, 2)), 1:2, matrix(c(1, 0, 0, 1), 2)) # chains begin in one of two parts each
told <- function(call) { # the sentences of its warnings
  all <- character()
  withCallingHandlers(call, lbp_warning = function(w) {
    all <<- c(all, conditionMessage(w))
    invokeRestart("muffleWarning")
  })
  all
}
disagree <- told(lbp_marginals(apart, cells = 0, draws = 50, chains = 2, start = rbind(c(0, 0), c(1, 1))))
stopifnot(any(grepl("chains disagree at site 1", disagree)))
# of a run that goes on from a checkpoint, what was seen before is not forgotten without a word
resumed <- function(graph, saved, draws) {
  marginals <- NULL
  said <- told(marginals <- lbp_marginals(graph, cells = 0, draws = draws, chains = 2, start = rbind(c(0, 0), c(1, 1)),
                                          checkpoint = saved))
  list(r_hat = marginals$r_hat, said = grep("chains disagree", said, value = TRUE))
}
saved <- c(apart = tempfile("apart"), binary = tempfile("binary"))
for (draws in c(400, 500)) {
  stopifnot(identical(resumed(apart, saved[["apart"]], draws)$r_hat, Inf))
  again <- resumed(apart, saved[["apart"]], draws)
  stopifnot(is.nan(again$r_hat), grepl(sprintf("this call made 0 of the %.0f draws", draws), again$said))
}
first <- resumed(binary, saved[["binary"]], 2000)
stopifnot(first$r_hat < 1.05, length(first$said) == 0)
again <- resumed(binary, saved[["binary"]], 2500)
stopifnot(is.nan(again$r_hat), grepl("this call made 500 of the 2500 draws", again$said))

stopifnot("draws: lbp_anneal ignores this option, which is for lbp_run" %in%
            told(lbp_anneal(binary, draws = 9, annealing = list(sweeps = 9))))
stopifnot("seconds: lbp_ais ignores this option, which is for lbp_run and lbp_anneal" %in%
            told(lbp_ais(binary, seconds = 9, tempering = list(rungs = 3))))
ignores <- function(names, call) { # no more, and no less
  said <- grep("ignores this option", told(call), value = TRUE)
  if (!setequal(sub(":.*", "", said), names)) stop(paste(said, collapse = "\n"), " in place of ", paste(names))
}
ignores(c("draws", "keep", "digits", "tempering.adapt", "tempering.swap_every", "shared_tuner", "checkpoint_seconds"),
        lbp_anneal(binary, draws = 9, keep = FALSE, digits = 5, tempering = list(adapt = FALSE, swap_every = 1),
                   shared_tuner = TRUE, checkpoint_seconds = 9, annealing = list(sweeps = 9)))
ignores(c("keep", "digits", "tempering.adapt_ends", "shared_tuner", "batch", "checkpoint_seconds", "interrupt"),
        lbp_ais(binary, keep = TRUE, digits = 5, tempering = list(rungs = 3, adapt = FALSE, adapt_ends = FALSE),
                shared_tuner = TRUE, batch = 1, checkpoint_seconds = 9, interrupt = "return"))
ignores(c("tempering.resample", "tempering.adapt", "tempering.swap_every", "digits", "checkpoint_seconds"),
        lbp_run(binary, draws = 9, tempering = list(resample = 0.5, adapt = FALSE, swap_every = 1), digits = 5,
                checkpoint_seconds = 9))
ignores(character(), lbp_run(binary, draws = 9, tempering = list(rungs = 2, adapt = FALSE, swap_every = 1), digits = 5,
                             prefix = tempfile("run"), checkpoint = tempfile("run"), checkpoint_seconds = 9))
ignores(c("tempering", "seed", "start", "chains", "draws", "thin", "warmup", "rhat", "seconds", "marginals",
          "progress"),
        lbp_sampling(binary, sampler = "gibbs", tempering = list(rungs = 8), seed = 99, start = c(0, 0), chains = 7,
                     draws = 5, thin = 9, warmup = 3, rhat = 1.1, seconds = 3, marginals = "counted", progress = TRUE))
ignores("prefix", lbp_anneal(binary, annealing = list(sweeps = 9), prefix = tempfile("run")))
ignores(character(), lbp_anneal(binary, annealing = list(sweeps = 9), prefix = tempfile("run"), best_states = 2))
ignores(character(), lbp_sampling(binary, parameter = 1, start = c(0, 0), clamp = c(1, 0), check_trials = 0))
stopifnot("progress: lbp_sampling ignores this option, which is for lbp_run, lbp_anneal and lbp_ais" %in%
            told(lbp_sampling(binary, progress = TRUE)))
stopifnot("digits: lbp_run ignores this option without prefix" %in% told(lbp_run(binary, draws = 9, digits = 5)))
for (answer in list(lbp_marginals, lbp_log_z, lbp_map)) { # names of options, where nothing is sampled
  refuses("chans: there is no such option; the nearest: chains", answer(binary, chans = 3))
  stopifnot(answer(binary, chains = 3, seed = NULL, progress = FALSE, tempering = list(rungs = 3))$exact)
}
stopifnot(any(grepl("annealing: lbp_run ignores", told(lbp_run(binary, draws = 9, annealing = list(sweeps = 9))))))
refuses("no possible state", lbp_log_z(lbp_add(wet, "sky", c(1, 0, 0))))
cars <- lbp_factor_graph(list(cyl = c(4, 6, 8), gear = 3:5))
near(lbp_log_z(lbp_add(cars, table = xtabs(~ gear + cyl, mtcars)))$value, log(32))
near(lbp_log_z(lbp_factor_graph(c(2, 5)))$value, log(10))
near(lbp_log_z(lbp_potts(matrix(0, 2, 2), 3))$value, log(9))
near(lbp_log_z(lbp_add(lbp_factor_graph(2), numeric(), 5))$value, log(10))
refuses("sites: give them, as the table's dimensions have no names", lbp_add(network, table = ab))
square <- lbp_factor_graph(list(a = c("x", "y"), b = c("x", "y")))
twist <- array(1:4, c(2, 2), list(b = c("x", "y"), a = c("x", "y")))
refuses("table: its dimensions are b, a, not a, b", lbp_add(square, c("a", "b"), twist))
near(lbp_marginals(lbp_add(square, table = twist))$probability$a, c(3, 7) / 10)
refuses("sites: there is no 'd' of a, b, c", lbp_add(network, "d", 1:2))
refuses("sites: site 4 of 1 to n = 3", lbp_add(network, 4, 1:2))
refuses("sites: site 0 of 1 to n = 3", lbp_condition(network, 0, 0))
refuses("log: TRUE or FALSE", lbp_add(network, 1, 1:2, log = NA))
refuses("sites: a comes twice", lbp_add(network, c(1, 1), diag(2)))
refuses("table: an array of 2 x 3 is needed, not of 3 x 2", lbp_add(network, 1:2, t(ab)))
refuses("table: finite weights from 0 on", lbp_add(network, 1, c(-1, 1)))
refuses("table: all weights are 0", lbp_add(network, 1, c(0, 0)))
refuses("table: site wet has the values no, yes, not no, maybe", lbp_add(named, 1, c(no = 1, maybe = 2)))
refuses("values: site a has the values 0 to 1, not 2", lbp_condition(network, 1, 2))
refuses("values: site wet has the values no, yes, not maybe", lbp_condition(named, "wet", "maybe"))
refuses("values: site a was observed to have 0, not 1", lbp_condition(lbp_condition(network, 1, 0), 1, 1))
refuses("cardinalities: how many values", lbp_factor_graph(c(2, 0)))
refuses("graph: a factor graph is needed", lbp_marginals(ising))
stopifnot(identical(quiet(network, draws = 20)$x, quiet(unserialize(serialize(network, NULL)), draws = 20)$x))

folder <- tempfile("files")
dir.create(folder)
file <- function(name, ...) {
  writeLines(c(...), file.path(folder, name))
  file.path(folder, name)
}
uai <- file("a.uai", "MARKOV", "3", "2 3 4", "2", "2 0 1", "3 2 0 1", "6", as.vector(t(ab)), "24",
            format(as.vector(aperm(cab)), digits = 17))
near(lbp_log_z(lbp_read_graph(uai))$value, log_z)
seen <- lbp_read_graph(uai, file("a.evid", "1 2 2"))
near(lbp_marginals(seen)$probability[[1]], vapply(0:1, function(k) of(states[, 3] == 2, 1, k), 0))
many <- file("many.evid", "2", "1 2 2", "1 2 1")
for (k in 1:2) stopifnot(lbp_read_graph(uai, many, sample = k)$observed[3] == c(2, 1)[k])
refuses("many.evid: line", lbp_read_graph(uai, many))
refuses("the file has 2 samples: ask for one of them, 1 to 2", lbp_read_graph(uai, many))
refuses("sample 3 was asked for, but the file has 2, from 1", lbp_read_graph(uai, many, sample = 3))
refuses("sample 2 was asked for, but the file has one, from 1",
        lbp_read_graph(uai, file("a.evid", "1 2 2"), sample = 2))
fg <- file("a.fg", "1", "", "2", "0 1", "2 3", "6", paste(0:5, as.vector(ab)))
near(lbp_log_z(lbp_read_graph(fg))$value, log(sum(ab)))
refuses("b.uai: line 1", lbp_read_graph(file("b.uai", "MARKOW")))
refuses("ends with .uai or .fg", lbp_read_graph(file("b.txt", "")))
refuses("there is no such file", lbp_read_graph(file.path(folder, "none.uai")))
cat("all is well\n")
