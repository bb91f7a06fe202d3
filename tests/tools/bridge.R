# The checks of bridge_r.sh in R: Rscript bridge.R FOLDER CHECK. In FOLDER field/ and qubo/ have what bridge_r.c
# has drawn. Fails if the check does. The package's own tests, packaging/r/lbp/tests, have the ready-made models.
library(lbp)
args <- commandArgs(TRUE)
at <- function(...) file.path(args[1], ...)
field <- lbp_compile(system.file("models", "field.c", package = "lbp"))
qubo <- lbp_compile(system.file("models", "qubo.c", package = "lbp"), defines = "-DMOST_NEIGHBOURS=4")

# whether an expression stops with a sentence like this, or warns
says <- function(like, expression) {
  said <- character()
  hear <- function(condition) {
    said <<- c(said, conditionMessage(condition))
    if (inherits(condition, "warning")) invokeRestart("muffleWarning")
  }
  tryCatch(withCallingHandlers(expression, lbp_warning = hear), lbp_error = hear)
  if (!any(grepl(like, said, fixed = TRUE))) {
    stop(sprintf("'%s' in the place of '%s'", paste(said, collapse = " "), like), call. = FALSE)
  }
}

# the models of bridge_r.c
n <- 40
i <- 0:(n - 1)
h <- (i %% 7 - 3) / 4
ends <- rbind(cbind(i, (i + 1) %% n), cbind(i, i))
value <- c(rep(-1, n), i %% 5 * 0.25)
rss <- function() as.numeric(gsub("[^0-9]", "", grep("^VmRSS", readLines("/proc/self/status"), value = TRUE)))

checks <- list(
  same = function() {
    read <- function(..., what, size = NA_integer_) readBin(at(...), what, 1e6, size, signed = FALSE)
    agree <- function(folder, run) {
      stopifnot(identical(dim(run$lp), c(3L, 200L)), identical(dim(run$x), c(3L, 200L, 40L)))
      stopifnot(identical(as.vector(t(run$lp)), readBin(at(folder, "lp"), "double", 1e6)))
      stopifnot(identical(as.vector(aperm(run$x)), read(folder, "x", what = "integer", size = 1)))
    }
    suppressWarnings({
      draw <- function(...) lbp_run(..., chains = 3, draws = 200, warmup = 100, thin = 2)
      agree("field", draw(field(h = h), seed = "18446744073709551557"))
      model <- qubo(n = n, ends = ends, value = value)
      agree("qubo", draw(model, seed = 2^53, sampler = "skip_gibbs", tempering = list(rungs = 3L)))
      best <- lbp_anneal(model, seed = 2^53, sampler = "Gibbs", chains = 3, annealing = list(sweeps = 20))
    })
    stopifnot(identical(dim(best$best), c(3L, 40L)))
    stopifnot(identical(as.vector(t(best$best)), read("qubo", "best", what = "integer", size = 1)))
    stopifnot(identical(as.vector(t(best$last)), read("qubo", "last", what = "integer", size = 1)))
  },
  arrays = function() { # their types, where no number changes, and the order of their indices
    draw <- function(...) suppressWarnings(lbp_run(..., draws = 5)$lp)
    stopifnot(identical(draw(field(h = c(1L, 0L, -1L))), draw(field(h = c(1, 0, -1)))))
    stopifnot(identical(draw(field(h = c(TRUE, FALSE))), draw(field(h = as.raw(1:0)))))
    stopifnot(identical(draw(qubo(n = n, ends = ends, value = value)),
                        draw(qubo(n = n, ends = as.vector(t(ends)), value = value))))
    run <- suppressWarnings(lbp_run(field(h = h), draws = 3, chains = 2, marginals = "counted", start = diag(n)[1:2, ]))
    stopifnot(identical(dim(run$best), c(2L, 40L)), length(run$marginal) == 40, length(run$best_logp) == 2)
    stopifnot(max(abs(run$marginal - apply(run$x, 3, mean))) < 1e-12)
    stopifnot(max(abs(run$lp - apply(run$x, 1:2, function(x) sum(h * x)))) < 1e-9)
    run <- suppressWarnings(lbp_run(field(h = h), draws = n)) # as many draws as sites
    stopifnot(identical(dimnames(lbp_draws(run, "array"))$variable, c("lp__", sprintf("x[%d]", 1:n))))
    model <- qubo(n = n, ends = ends, value = value)
    stay <- suppressWarnings(lbp_run(model, draws = 3, chains = 2, start = rep(0:1, 20), sampler = "gibbs",
                                     clamp = c(rep(TRUE, n - 1), FALSE)))
    stopifnot(all(apply(stay$x[, , -n], 1:2, identical, rep(0:1, 20)[-n])))
    stopifnot(is.null(suppressWarnings(lbp_run(field(h = h), keep = FALSE))$x))
    stopifnot(suppressWarnings(lbp_run(field(h = h), seconds = 0.01, draws = 1e15))$ended == 2)
    z <- lbp_ais(field(h = h), tempering = list(rungs = 200), chains = 64)
    stopifnot(abs(z$log_z - sum(log1p(exp(h)))) < 6 * z$log_z_se, identical(dim(z$best), NULL), length(z$best) == 40)
    drawn <- function(seed = NULL) suppressWarnings(lbp_run(field(h = h), draws = 5, seed = seed))
    set.seed(3)
    one <- drawn()
    two <- drawn()
    set.seed(3)
    stopifnot(identical(one$lp, drawn()$lp), !identical(one$lp, two$lp), identical(two$lp, drawn(attr(two, "seed"))$lp))
    shown <- capture.output(print(summary(suppressWarnings(lbp_run(field(h = h), draws = 200)))))
    stopifnot(any(grepl("^lp__ +-?[0-9.]+ +[0-9.]+", shown)), any(grepl("mean_accept", shown)))
    suppressWarnings(lbp_run(field(h = h), draws = 5, prefix = file.path(args[1], "run"), save_states = "npy"))
    stopifnot(file.exists(at("run_config.json")))
    stopifnot(grepl("h (float64, n)", paste(capture.output(print(field)), collapse = ""), fixed = TRUE))
  },
  wrong = function() { # every kind of wrong input has its sentence
    model <- field(h = h)
    says("h: it is missing", field())
    says("no such array, but h (float64, n)", field(h = 1, g = 2))
    says("h: given twice", field(h = 1, h = 2))
    says("arrays are given by their names", field(1))
    says("n: no array determines this size", qubo(ends = ends, value = value))
    says("79 numbers, not m", qubo(n = n, ends = ends, value = value[-1]))
    says("h: no array of numbers: character", field(h = "1"))
    says("h: no array of numbers: factor", field(h = factor(1)))
    says("h: no array of numbers: NULL", field(h = NULL))
    says("h[2] is NA", field(h = c(1, NaN)))
    says("h[1] is NA", field(h = NA))
    says("n: a size is 0", field(h = numeric()))
    says("ends: 0.5, which is not of type uint32", qubo(n = 2, ends = c(0, 0.5), value = 1))
    says("ends: -1, which is not of type uint32", qubo(n = 2, ends = c(0, -1), value = 1))
    says("ends[1]: site 7 of 0 to", qubo(n = 2, ends = c(0, 7), value = 1))
    says("model: no model of lbp, but lbp_library: call it", lbp_run(field, draws = 1))
    says("h: its shape is 2 x 20, not n, where n = 40", field(h = matrix(h, 2)))
    says("ends: its shape is 2 x 80, not m * 2", qubo(n = n, ends = t(ends), value = value))
    says("ends: 4 dimensions", qubo(n = n, ends = array(0, c(1, 1, 80, 2)), value = value))
    says("start: it needs a state of 40 items", lbp_run(model, chains = 40, start = matrix(0, n, 4)))
    says("draws: states of 1.6e+10 numbers", lbp_run(model, draws = 1e8))
    says("interrupt: \"stop\" or \"return\"", lbp_run(model, interrupt = "end"))
    says("progress: TRUE or FALSE", lbp_run(model, progress = NA))
    says("options are given by their names", lbp_run(model, 5))
    says("chain: there is no such option; the nearest: chains", lbp_run(model, chain = 4))
    says("tempering.rung: there is no such option; the nearest: tempering.rungs",
         lbp_run(model, tempering = list(rung = 4)))
    says("rungs: there is no such option; the nearest: tempering.rungs", lbp_run(model, rungs = 4))
    says("ladder: there is no such option; the nearest: tempering.ladder", lbp_run(model, ladder = 1))
    says("tempering: this is a group of options; set tempering.rungs", lbp_run(model, tempering = 8))
    says("temper: there is no such option", lbp_run(model, temper = list()))
    says("tempering.rungs: it is given twice", lbp_run(model, tempering = list(rungs = 4), "tempering.rungs" = 4))
    says("options of tempering are given by their names", lbp_run(model, tempering = list(4)))
    says("parameter: Gibbs has none; leave it 0, not 2", lbp_run(model, sampler = "gibbs", parameter = 2))
    quiet <- function(...) suppressWarnings(lbp_run(model, draws = 10, thin = 4, ...)$lp)
    nested <- quiet(tempering = list(rungs = 3, swap_every = 2), annealing = list())
    stopifnot(identical(nested, quiet("tempering.rungs" = 3, "tempering.swap_every" = 2)))
    stopifnot(identical(nested, quiet(tempering = list(rungs = 3), "tempering.swap_every" = 2)))
    stopifnot(!identical(nested, quiet(tempering = list(rungs = 3))))
    says("chains: '-1' is not a whole number", lbp_run(model, chains = -1))
    says("chains: '1.5' is not a whole number", lbp_run(model, chains = 1.5))
    says("chains: one value, not 2", lbp_run(model, chains = 1:2))
    says("chains: 'four' is not", lbp_run(model, chains = "four"))
    says("options of chains are given by their names", lbp_run(model, chains = list(1)))
    says("draws is NA", lbp_run(model, draws = NA))
    says("seconds: 'Inf' is not a finite number", lbp_run(model, seconds = Inf))
    says("sampler: 'gibs' is not one of default, LBP", lbp_run(model, sampler = "gibs"))
    says("seed: beyond 2^53", lbp_run(model, seed = 2^60))
    says("seed: '18446744073709551616' is not", lbp_run(model, seed = "18446744073709551616"))
    says("keep: 'perhaps' is not true or false", lbp_run(model, keep = "perhaps"))
    says("sampler: no number or text: factor", lbp_run(model, sampler = factor("lbp")))
    says("start: it needs a state of 40 items", lbp_run(model, start = 1))
    says("start[3] is NA", lbp_run(model, start = c(1, 0, NA)))
    says("start: a value of the state", lbp_run(model, start = rep(300, n)))
    says("clamp: it needs a number for each of 40 sites, not 1", lbp_run(model, clamp = 1))
    says("tempering.ladder: inverse temperatures must fall", lbp_run(model, tempering = list(ladder = c(0.5, 1))))
    says("tempering.rungs: at least 2", lbp_ais(model))
    says("an even number of moves", lbp_run(model, parameter = 2))
    warnings <- attr(suppressWarnings(lbp_run(model, parameter = 2)), "warnings")
    stopifnot(grepl("half of", warnings[["LBP_WARN_PARITY"]], fixed = TRUE))
    alone <- names(attr(suppressWarnings(lbp_ais(model, chains = 1, tempering = list(rungs = 5))), "warnings"))
    stopifnot("LBP_WARN_AIS_CHAINS" %in% alone)
    says("parameter: single steps need R", lbp_sampling(model)$step(1, list(position = rep(0L, n), logdensity = 0)))
    steps <- lbp_sampling(model, parameter = 1)
    state <- steps$init(rep(0, n))
    says("position: a state of 40 whole numbers", steps$init(c(0, 1)))
    says("position: a state of 40 whole numbers", steps$init(rep(0.5, n)))
    says("position[2] is NA", steps$init(c(0, rep(NA, n - 1))))
    says("a value of the state is not 0 or 1", steps$init(rep(2, n)))
    says("position: states are zeros and ones, (1 + s) / 2 of spins s", steps$init(rep(-1, n)))
    says("position[1] is NA", steps$step(1, list(position = rep(NA_integer_, n), logdensity = 0)))
    says("key: a whole number up to 2^53", steps$step(-1, state))
    says("key: a whole number up to 2^53", steps$step(2^54, state))
    says("key[1] is NA", steps$step(NA, state))
    says("steps: a whole number from 1 to 2^31 - 1", steps$step(1, state, steps = 0))
    says("nothing.c", lbp_compile(at("nothing.c")))
    says("there is no C compiler 'no-such-cc'", lbp_compile("examples/bridge/field.c", cc = "no-such-cc"))
    writeLines("int x = ;", at("wrong.c"))
    says("expected expression", lbp_compile(at("wrong.c")))
    says("wrong.c: it can't be loaded", lbp_load(at("wrong.c")))
    says("source: the path of one model file", lbp_compile(NULL))
    says("path: a file that lbp_compile has written, not none.so", lbp_load("none.so"))
    says("model: it was made in another session", lbp_run(unserialize(serialize(model, NULL)), draws = 1))
    says("sampler: it was made in another session", unserialize(serialize(steps, NULL))$init(rep(0, n)))
    status <- function(expression) tryCatch(expression, lbp_error = function(error) error$status)
    stopifnot(status(lbp_run(model, chains = -1)) > 0, status(lbp_run(model, draws = NA)) == -1)
    limited <- tryCatch({ # steps that a time limit of R's has ended are not taken for the next ones
      setTimeLimit(elapsed = 0.5, transient = TRUE)
      steps$step(1, state, steps = 2e9)
    }, error = conditionMessage)
    setTimeLimit()
    next_one <- lbp_sampling(model, parameter = 1)$step(2, state)
    stopifnot(grepl("time limit", limited), identical(steps$step(2, state), next_one))
    says("steps: a whole number from 1 to", steps$step(1, state, steps = 2^31))
    says("state: what init or step has returned", steps$step(1, 5))
    says("run: no draws", lbp_draws(lbp_anneal(model, annealing = list(sweeps = 2))))
    stopifnot(suppressWarnings(lbp_run(model, draws = 5))$draws == 5) # after all that
  },
  compile = function() { # once: then it is found by what it was made from
    unlink(at("own"), recursive = TRUE)
    Sys.setenv(LBP_CACHE = at("own"))
    field.c <- gsub("m->h[i]", "SIGN m->h[i]", readLines("examples/bridge/field.c"), fixed = TRUE)
    writeLines(c("#include \"sign.h\"", field.c), at("own.c"))
    writeLines("#define SIGN", at("sign.h"))
    # whether a compiler ran, by its CPU time
    compiles <- function(...) {
      took <<- system.time(made <<- lbp_compile(at("own.c"), flags = "-O0 -w", ...))
      took[["user.child"]] > 0.1
    }
    took <- NULL
    made <- NULL
    records <- function() length(list.files(at("own"), "rds$"))
    value <- function(model) lbp_sampling(model, parameter = 1)$init(rep(1, n))$logdensity
    stopifnot(compiles(), records() == 1)
    model <- made(h = h)
    compiled <- compiles()
    cat("loaded again in", took[["elapsed"]], "s\n")
    stopifnot(!compiled, records() == 1, value(model) == sum(h)) # of a library that was loaded again
    writeLines("#define SIGN -", at("sign.h"))
    stopifnot(compiles(), records() == 1, value(made(h = h)) == -sum(h), value(model) == sum(h))
    stopifnot(compiles(defines = "-DMORE"), records() == 2)
    fresh <- function() {
      vapply(list.files(at("own"), "rds$", full.names = TRUE), function(record) !is.null(lbp:::fresh(record)), NA)
    }
    stopifnot(all(fresh()))
    for (file in list.files(at("own"), "so$", full.names = TRUE)) { # a damaged one is not loaded
      unlink(file)
      writeBin(raw(10), file)
    }
    stopifnot(!any(fresh()))
    stopifnot(compiles(output = at("one.so")))
    one <- made(h = h)
    stopifnot(value(one) == -sum(h), value(lbp_load(at("one.so"))(h = 2 * h)) == -2 * sum(h))
    file.copy(environment(field)$library$loaded[["path"]], at("two.so"))
    file.rename(at("two.so"), at("one.so")) # as by another compilation
    stopifnot(value(lbp_load(at("one.so"))(h = h)) == sum(h), value(one) == -sum(h))
    lbp_cache(clear = TRUE)
    stopifnot(length(list.files(at("own"))) == 0, value(model) == sum(h))
    # a compiler that refuses -march=native: without that where it is lbp's own flag
    writeLines(c("#!/bin/sh", "case \" $* \" in *' -march=native '*) exit 1 ;; esac",
                 paste0("echo \"$*\" > ", at("plain-words")), "exec cc \"$@\""), at("plain-cc"))
    Sys.chmod(at("plain-cc"))
    flags <- Sys.getenv("CFLAGS")
    Sys.unsetenv("CFLAGS")
    stopifnot(value(lbp_compile(at("own.c"), cc = at("plain-cc"))(h = h)) == -sum(h),
              any(grepl("-O1 -ftree-vectorize", readLines(at("plain-words")), fixed = TRUE)))
    Sys.setenv(CFLAGS = flags)
    says("-march=native", lbp_compile(at("own.c"), cc = at("plain-cc"), flags = "-O0 -march=native"))
    lbp_cache(clear = TRUE)
    Sys.setenv(LBP_CACHE = "/dev/null/none") # no cache: it works, and compiles each time
    stopifnot(compiles(), value(made(h = h)) == -sum(h))
    stopifnot(!any(grepl("part$", list.files(args[1], recursive = TRUE))))
  },
  coda = function() {
    run <- suppressWarnings(lbp_run(field(h = h), draws = 50, chains = 2))
    draws <- lbp_draws(run, "mcmc.list")
    stopifnot(coda::nchain(draws) == 2, coda::niter(draws) == 50, identical(draws, coda::as.mcmc.list(run)))
    stopifnot(identical(as.vector(draws[[2]][, "x[7]"]), as.numeric(run$x[2, , 7])))
    stopifnot(identical(as.vector(draws[[2]][, "lp__"]), run$lp[2, ]))
  },
  posterior = function() {
    run <- suppressWarnings(lbp_run(field(h = h), draws = 2000, parameter = 5))
    draws <- lbp_draws(run, "draws_array")
    stopifnot(posterior::ndraws(draws) == 8000, posterior::nchains(draws) == 4)
    stopifnot(identical(posterior::variables(draws), c("lp__", sprintf("x[%d]", 1:40))))
    means <- posterior::summarise_draws(draws, mean, posterior::mcse_mean)
    exact <- c(sum(h / (1 + exp(-h))), 1 / (1 + exp(-h)))
    stopifnot(all(abs(means$mean - exact) < 6 * means[[3]]))
    of_chain <- posterior::subset_draws(draws, "x[7]", chain = 2)
    stopifnot(identical(as.vector(of_chain), as.numeric(run$x[2, , 7])))
  },
  steps = function() { # a function of key and state, whose law is the model's
    few <- c(-1, 0.5, 1)
    steps <- lbp_sampling(field(h = few), sampler = "gibbs")
    state <- steps$init(c(FALSE, TRUE, TRUE))
    stopifnot(state$logdensity == 1.5)
    stopifnot(identical(steps$step(5, state), steps$step(c(0, 5), state)))
    stopifnot(identical(steps$step(2^40 + 3, state), steps$step(c(2^8, 3), state)))
    stopifnot(identical(names(steps$step(5, state)$info), c("acceptance_rate", "parameter", "jump", "proposed",
                                                            "evaluations", "log_ratio")))
    many <- lbp_sampling(field(h = h), sampler = "gibbs")
    start <- many$init(rep(0, n))
    stopifnot(!identical(many$step(c(1, 0), start, steps = 9), many$step(c(0, 2^31), start, steps = 9)))
    sum <- 0
    for (key in 1:5000) {
      state <- steps$step(key, state)$state
      sum <- sum + state$position
      stopifnot(abs(state$logdensity - sum(few * state$position)) < 1e-9)
    }
    p <- 1 / (1 + exp(-few))
    stopifnot(all(abs(sum / 5000 - p) < 6 * sqrt(p * (1 - p) / 5000)))
  },
  leaks = function() { # 2000 models, samplers and steps, in the order in which they become garbage
    once <- function(key) {
      steps <- lbp_sampling(field(h = h), parameter = 1)
      steps$step(key, list(position = integer(n), logdensity = 0))
    }
    thousand <- function() {
      for (key in 1:1000) once(key)
      gc() # R does not know how much memory is behind eight bytes
    }
    thousand()
    before <- rss()
    for (k in 1:2) thousand()
    grown <- rss() - before
    cat("grown by", grown, "kB\n")
    stopifnot(grown < 1000) # less than half a kB a time
    model <- field(h = h)
    steps <- lbp_sampling(model, parameter = 1)
    model$gone <- TRUE # as if it were found to be garbage before its sampler
    lbp:::leave(model)
    stopifnot(any(model$handle != 0))
    for (k in 1:20) suppressWarnings(lbp_run(model, draws = 1000, warmup = 10, parameter = 1))
    gc()
    before <- rss()
    for (k in 1:100) suppressWarnings(lbp_run(model, draws = 1000, warmup = 10, parameter = 1))
    gc()
    stopifnot(rss() - before < 10000) # draws of one of them: 320 kB
  },
  interrupt = function() { # bridge_r.sh sends the signals, as soon as the file is there
    model <- field(h = rep(h, 10))
    begin <- function(k) {
      writeLines("", at("ready.part"))
      file.rename(at("ready.part"), at(paste0("ready.", k)))
      Sys.time()
    }
    # a second passes before the signal comes
    soon <- function(begun) {
      took <- as.numeric(Sys.time() - begun, units = "secs")
      cat("ended after", took, "s\n")
      stopifnot(took > 0.5, took < 10)
    }
    begun <- begin(1)
    told <- tryCatch(for (k in 1:1e6) try(lbp_run(model, draws = 5e7, thin = 2000, chains = 2, keep = FALSE,
                                                  progress = TRUE)), lbp_interrupted = identity)
    soon(begun)
    stopifnot(k == 1, inherits(told, "interrupt"), !inherits(told, "error"))
    stopifnot(grepl("Ctrl-C after", conditionMessage(told), fixed = TRUE))
    run <- told$run
    stopifnot(run$ended == 3, run$draws > 0, identical(dim(run$lp), c(2L, as.integer(run$draws))))
    stopifnot(all(is.finite(run$lp)))
    stopifnot(identical(lbp_interrupted(), run))
    begun <- begin(2)
    best <- lbp_anneal(model, annealing = list(sweeps = 1e9), chains = 2, interrupt = "return")
    soon(begun)
    stopifnot(best$ended == 3, best$best_logp[1] > 0)
    begun <- begin(3)
    told <- tryCatch(lbp_ais(model, chains = 4, tempering = list(rungs = 4000), thin = 1e6), lbp_interrupted = identity)
    soon(begun)
    stopifnot(inherits(told, "lbp_interrupted"), is.null(told$run), is.null(lbp_interrupted()))
    steps <- lbp_sampling(model, parameter = 1)
    state <- steps$init(rep(0, 10 * n))
    begun <- begin(4)
    told <- tryCatch(steps$step(1, state, steps = 2e9), lbp_interrupted = identity)
    soon(begun)
    stopifnot(grepl("Ctrl-C during 2000000000 steps", conditionMessage(told)))
    next_one <- steps$step(1, state, steps = 1000)
    stopifnot(identical(next_one, lbp_sampling(model, parameter = 1)$step(1, state, steps = 1000)))
    stopifnot(suppressWarnings(lbp_run(model, draws = 5))$ended == 0) # the next one is not
  }
)
checks[[args[2]]]()
