#' Sampling and annealing of discrete distributions
#'
#' Draw from a distribution over discrete states, find its best state, or estimate its normalising constant, from R:
#' chains run in C, draws come back as arrays.
#'
#' * Ready-made models: [lbp_ising()], [lbp_qubo()], [lbp_potts()], [lbp_dense_potts()], [lbp_rbm()],
#'   [lbp_assignment()] (permutations), [lbp_selection()] (columns of a regression), [lbp_factor_graph()] (Markov and
#'   Bayesian networks). Their C is compiled once.
#' * Models of your own, in some lines of C: [lbp_compile()].
#' * Functions of models: [lbp_run()], [lbp_anneal()], [lbp_ais()]; [lbp_marginals()], [lbp_log_z()], [lbp_map()] for
#'   factor graphs; [lbp_sampling()] for loops of your own.
#' * Draws for the packages posterior and coda: [lbp_draws()].
#'
#' @section Conventions:
#' Sites are counted from 1 on in arguments of ready-made models. Values of a site are 0, 1, ..., as in C; entries of a
#' permutation are columns, from 1 on. Arrays of models of your own, and files that runs write, are C's: there all
#' counts begin with 0. `X[i, j]` in R is `X[i][j]` in C, whatever the memory layout.
#'
#' @section Errors:
#' Errors are conditions of the class `lbp_error`, with the library's sentence, and its number in `status` (-1: R found
#' it). Warnings about runs have the class `lbp_warning` and the name of the warning, such as `LBP_WARN_RHAT`.
#'
#' @section Memory:
#' R frees models and samplers when nothing refers to them, but does not know their size: call [gc()] in a loop that
#' makes many large ones. A model does not survive saving and loading a workspace, and does not go to other processes of
#' a cluster: it is refused there, and must be made again. Factor graphs and runs are values of R: they can be saved.
#' @keywords internal
"_PACKAGE"
