# Reads files of draws by R's readers: Rscript readers.R TABLE CSV... TABLE is what run_tool has printed of the
# same run. Prints a line per check, then the sum; packages that aren't there are skipped.
args <- commandArgs(TRUE)
files <- args[-1]
passed <- failed <- skipped <- 0
check <- function(what, good) {
  if (isTRUE(good)) passed <<- passed + 1 else failed <<- failed + 1
  cat(if (isTRUE(good)) "ok: " else "FAILED: ", what, "\n", sep = "")
}
have <- function(package) {
  there <- suppressWarnings(suppressMessages(requireNamespace(package, quietly = TRUE)))
  if (!there) { skipped <<- skipped + 1; cat("skipped: R has no package ", package, "\n", sep = "") }
  there
}
table <- read.table(args[1], row.names = 1, col.names = c("name", "mean", "mcse", "sd", "q5", "median", "q95", "rhat",
                                                         "bulk", "tail", "mode", "entropy"))
plain <- lapply(files, function(f) {
  lines <- readLines(f)
  as.matrix(read.csv(text = lines[!startsWith(lines, "#")], check.names = FALSE))
})
draws <- function(name) sapply(plain, function(m) m[, name])

if (have("posterior")) {
  worst <- 0
  compare <- function(name, what, ours, theirs) {
    if (is.na(theirs) && is.na(ours)) return()
    # of draws of two values posterior gives no tail ESS where one tail has no draws of its own, we take the other tail
    if (is.na(theirs) && what == "tail") return()
    gap <- abs(ours - theirs) / max(1, abs(theirs))
    if (is.na(gap) || gap > 1e-6) check(paste(name, what, ours, "is posterior's", theirs), FALSE)
    worst <<- max(worst, gap)
  }
  for (name in rownames(table)) {
    x <- draws(name)
    ours <- table[name, ]
    compare(name, "mean", ours$mean, mean(x))
    compare(name, "mcse", ours$mcse, posterior::mcse_mean(x))
    compare(name, "sd", ours$sd, sd(as.vector(x)))
    quantiles <- quantile(as.vector(x), c(0.05, 0.5, 0.95), names = FALSE)
    compare(name, "q5", ours$q5, quantiles[1])
    compare(name, "median", ours$median, quantiles[2])
    compare(name, "q95", ours$q95, quantiles[3])
    compare(name, "rhat", ours$rhat, posterior::rhat(x))
    compare(name, "bulk", ours$bulk, posterior::ess_bulk(x))
    compare(name, "tail", ours$tail, posterior::ess_tail(x))
    if (!is.na(ours$entropy) && exists("entropy", asNamespace("posterior"))) {
      values <- length(unique(as.vector(x)))
      if (values > 1) compare(name, "entropy", ours$entropy / log(values), posterior::entropy(as.vector(x)))
      compare(name, "mode", max(table(as.vector(x))), sum(x == ours$mode))
    }
  }
  check(sprintf("all statistics agree with posterior %s, to %.1g", packageVersion("posterior"), worst), worst <= 1e-6)
}
if (have("coda")) {
  chains <- coda::mcmc.list(lapply(plain, coda::mcmc))
  check("coda reads the chains", coda::nchain(chains) == length(files) && coda::niter(chains) == nrow(plain[[1]]))
  check("coda's means", abs(summary(chains)$statistics["ones", "Mean"] - table["ones", "mean"]) < 1e-9)
}
if (have("rstan")) {
  fit <- suppressMessages(rstan::read_stan_csv(files))
  x <- as.array(fit)
  check("rstan::read_stan_csv reads all draws", all(dim(x)[1:2] == c(nrow(plain[[1]]), length(files))))
  check("rstan has our numbers", all(x[, , "ones"] == draws("ones")) && all(x[, , "lp__"] == draws("lp__")))
  sampler <- rstan::get_sampler_params(fit, inc_warmup = FALSE)[[2]]
  check("rstan has the sampler's columns", all(sampler[, "accept_stat__"] == plain[[2]][, "accept_stat__"]) &&
    all(sampler[, "stepsize__"] == plain[[2]][, "stepsize__"]))
}
cat(sprintf("%d passed, %d failed%s\n", passed, failed, if (skipped > 0) sprintf(", %d skipped", skipped) else ""))
quit(status = as.integer(failed > 0))
