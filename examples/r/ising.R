# The magnetisation of an Ising lattice against temperature, next to Onsager's law, in a few seconds:
#   Rscript ising.R FIGURE.pdf, or .svg, or .png
# It needs the package lbp: docs/r.md.
library(lbp)
figure <- c(commandArgs(TRUE), "ising.pdf")[1]

side <- 24
n <- side^2
site <- function(row, column) (row %% side) * side + column %% side + 1
row <- rep(seq_len(side) - 1, each = side)
column <- rep(seq_len(side) - 1, side)
pairs <- data.frame(i = site(row, column), j = c(site(row + 1, column), site(row, column + 1)), value = 1)

temperatures <- seq(1.55, 3.2, by = 0.15)
moments <- sapply(temperatures, function(temperature) {
  model <- lbp_ising(pairs, beta = 1 / temperature)
  run <- suppressWarnings( # near 2.27 draws are correlated for long: the error bars show it, too
    lbp_run(model, sampler = "skip_gibbs", chains = 4, warmup = 500, draws = 250, thin = 4, start = rep(1, n)))
  of_chains <- rowMeans(abs(rowMeans(lbp_spins(run$x), dims = 2)))
  c(mean = mean(of_chains), error = sd(of_chains) / sqrt(length(of_chains)))
})

switch(tools::file_ext(figure), svg = svg(figure, 7, 5), png = png(figure, 840, 600, res = 120), pdf(figure, 7, 5))
plot(temperatures, moments["mean", ], pch = 19, ylim = c(0, 1), xlab = "temperature", ylab = "magnetisation |m|",
     main = sprintf("Ising lattice, %d x %d", side, side))
segments(temperatures, moments["mean", ] - moments["error", ], y1 = moments["mean", ] + moments["error", ])
curve(ifelse(sinh(2 / x) > 1, pmax(1 - sinh(2 / x)^-4, 0)^(1 / 8), 0), add = TRUE, n = 1001, col = "grey40")
legend("topright", c("four chains, one standard error", "infinite lattice (Onsager)"), pch = c(19, NA), lty = c(NA, 1),
       col = c("black", "grey40"), bty = "n")
invisible(dev.off())
at_2 <- which.min(abs(temperatures - 2))
cat(sprintf("T = 2.0: |m| = %.3f, exact %.3f\n", moments["mean", at_2], (1 - sinh(1)^-4)^(1 / 8)))
