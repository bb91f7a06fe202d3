/* lbp_renamed.h - names of versions before 0.6.0 that others have taken the place of.
 *
 * Version 0.8.0. MIT licence, see LICENSE. lbp_stats.h and lbp_linear.h include it. To use an old name is an error that
 * says the new one; compilers that don't know `GCC error` take the new one in silence. */

#ifndef LBP_RENAMED_H
#define LBP_RENAMED_H

#ifdef __GNUC__
#define LBP_RENAMED_(words) _Pragma(#words)
#define LBP_RENAMED(name) LBP_RENAMED_(GCC error name)
#else
#define LBP_RENAMED(name)
#endif

#define LBP_AB_NOT_SYMMETRIC            LBP_RENAMED("write LBP_E_NOT_SYMMETRIC") LBP_E_NOT_SYMMETRIC
#define LBP_AB_INDEFINITE               LBP_RENAMED("write LBP_E_INDEFINITE") LBP_E_INDEFINITE
#define LBP_AB_NOT_DOMINANT             LBP_RENAMED("write LBP_E_NOT_DOMINANT") LBP_E_NOT_DOMINANT
#define LBP_AB_NOT_CONVERGED            LBP_RENAMED("write LBP_E_NOT_CONVERGED") LBP_E_NOT_CONVERGED
#define LBP_AB_NO_DATA                  LBP_RENAMED("write LBP_E_NO_DATA") LBP_E_NO_DATA
#define LBP_AB_MODEL_NAN                LBP_RENAMED("write LBP_E_MODEL_NAN") LBP_E_MODEL_NAN
#define LBP_AB_MODEL_LOGP               LBP_RENAMED("write LBP_E_LOGP") LBP_E_LOGP
#define LBP_AB_MODEL_GRADIENT           LBP_RENAMED("write LBP_E_GRADIENT") LBP_E_GRADIENT
#define LBP_AB_FIRST_ORDER              LBP_RENAMED("write LBP_E_FIRST_ORDER") LBP_E_FIRST_ORDER
#define LBP_STATS_TOO_SHORT             LBP_RENAMED("write LBP_E_TOO_SHORT") LBP_E_TOO_SHORT
#define LBP_STATS_CONSTANT              LBP_RENAMED("write LBP_E_CONSTANT") LBP_E_CONSTANT
#define LBP_STATS_STUCK                 LBP_RENAMED("write LBP_E_STUCK") LBP_E_STUCK
#define LBP_STATS_NOT_WHOLE             LBP_RENAMED("write LBP_E_NOT_WHOLE") LBP_E_NOT_WHOLE
#define LBP_STATS_NOT_FINITE            LBP_RENAMED("write LBP_E_DRAW_NOT_FINITE") LBP_E_DRAW_NOT_FINITE
#define lbp_ab_reason                   LBP_RENAMED("write lbp_error") lbp_error
#define lbp_stats_reason                LBP_RENAMED("write lbp_error") lbp_error
#define LBP_AB_TRACE                    LBP_RENAMED("write LBP_DIAGONAL_TRACE") LBP_DIAGONAL_TRACE
#define LBP_AB_SHIFT                    LBP_RENAMED("write LBP_DIAGONAL_SHIFT") LBP_DIAGONAL_SHIFT
#define LBP_AB_MAX                      LBP_RENAMED("write LBP_DIAGONAL_MAX") LBP_DIAGONAL_MAX
#define LBP_AB_DOMINANT                 LBP_RENAMED("write LBP_DIAGONAL_DOMINANT") LBP_DIAGONAL_DOMINANT
#define LBP_AB_LARGEST                  LBP_RENAMED("write LBP_SYMMETRIC_LARGEST") LBP_SYMMETRIC_LARGEST
#define LBP_AB_MAX_TIE                  LBP_RENAMED("write LBP_DIAGONAL_TIE") LBP_DIAGONAL_TIE
#define LBP_AB_RIDGE                    LBP_RENAMED("write LBP_ESTIMATE_RIDGE") LBP_ESTIMATE_RIDGE
#define LBP_AB_WS_LEN                   LBP_RENAMED("write LBP_WS_LEN_AB") LBP_WS_LEN_AB
#define lbp_ab_d                        LBP_RENAMED("write lbp_diagonal") lbp_diagonal
#define lbp_ab_d_workspace              LBP_RENAMED("write lbp_diagonal_workspace") lbp_diagonal_workspace
#define lbp_ab_d_dominant               LBP_RENAMED("write lbp_diagonal_dominant") lbp_diagonal_dominant
#define lbp_ab_d_max                    LBP_RENAMED("write lbp_diagonal_max") lbp_diagonal_max
#define lbp_ab_d_max_workspace          LBP_RENAMED("write lbp_diagonal_max_workspace") lbp_diagonal_max_workspace
#define lbp_ab_d_shift                  LBP_RENAMED("write lbp_diagonal_shift") lbp_diagonal_shift
#define lbp_ab_d_trace                  LBP_RENAMED("write lbp_diagonal_trace") lbp_diagonal_trace
#define lbp_ab_d_trace_workspace        LBP_RENAMED("write lbp_diagonal_trace_workspace") lbp_diagonal_trace_workspace
#define lbp_ab_root_dense               LBP_RENAMED("write lbp_root_dense") lbp_root_dense
#define lbp_ab_root_dense_workspace     LBP_RENAMED("write lbp_root_dense_workspace") lbp_root_dense_workspace
#define lbp_ab_root_edges               LBP_RENAMED("write lbp_root_edges") lbp_root_edges
#define lbp_ab_root_edges_count         LBP_RENAMED("write lbp_root_edges_count") lbp_root_edges_count
#define lbp_ab_noise_dense              LBP_RENAMED("write lbp_noise_dense") lbp_noise_dense
#define lbp_ab_noise_dense_workspace    LBP_RENAMED("write lbp_noise_dense_workspace") lbp_noise_dense_workspace
#define lbp_ab_noise_edges              LBP_RENAMED("write lbp_noise_edges") lbp_noise_edges
#define lbp_ab_estimate                 LBP_RENAMED("write lbp_estimate") lbp_estimate
#define lbp_ab_estimate_init            LBP_RENAMED("write lbp_estimate_init") lbp_estimate_init
#define lbp_ab_estimate_memory          LBP_RENAMED("write lbp_estimate_memory") lbp_estimate_memory
#define lbp_ab_estimate_push            LBP_RENAMED("write lbp_estimate_push") lbp_estimate_push
#define lbp_ab_estimate_residual        LBP_RENAMED("write lbp_estimate_residual") lbp_estimate_residual
#define lbp_ab_estimate_solve           LBP_RENAMED("write lbp_estimate_solve") lbp_estimate_solve
#define lbp_ab_estimate_solve_workspace LBP_RENAMED("write lbp_estimate_solve_workspace") lbp_estimate_solve_workspace
#define lbp_ab_is_dominant              LBP_RENAMED("write lbp_symmetric_is_dominant") lbp_symmetric_is_dominant
#define LBP_RUN_LBP                     LBP_RENAMED("write LBP_SAMPLER_LBP") LBP_SAMPLER_LBP
#define LBP_RUN_GWG                     LBP_RENAMED("write LBP_SAMPLER_GWG") LBP_SAMPLER_GWG
#define LBP_RUN_RWM                     LBP_RENAMED("write LBP_SAMPLER_RWM") LBP_SAMPLER_RWM
#define LBP_RUN_GIBBS                   LBP_RENAMED("write LBP_SAMPLER_GIBBS") LBP_SAMPLER_GIBBS
#define LBP_RUN_NO_STATES               LBP_RENAMED("write LBP_STATES_NONE") LBP_STATES_NONE
#define LBP_RUN_CSV_STATES              LBP_RENAMED("write LBP_STATES_CSV") LBP_STATES_CSV
#define LBP_RUN_NPY_STATES              LBP_RENAMED("write LBP_STATES_NPY") LBP_STATES_NPY
#define LBP_RUN_COMPLETE                LBP_RENAMED("write LBP_END_COMPLETE") LBP_END_COMPLETE
#define LBP_RUN_CONVERGED               LBP_RENAMED("write LBP_END_CONVERGED") LBP_END_CONVERGED
#define LBP_RUN_OUT_OF_TIME             LBP_RENAMED("write LBP_END_OUT_OF_TIME") LBP_END_OUT_OF_TIME
#define LBP_RUN_STOPPED                 LBP_RENAMED("write LBP_END_STOPPED") LBP_END_STOPPED
#define LBP_RUN_APART                   LBP_RENAMED("write LBP_DOUBT_APART") LBP_DOUBT_APART
#define LBP_RUN_SHORT                   LBP_RENAMED("write LBP_DOUBT_SHORT") LBP_DOUBT_SHORT
#define LBP_RUN_STUCK                   LBP_RENAMED("write LBP_DOUBT_STUCK") LBP_DOUBT_STUCK
#define LBP_RUN_PARITY                  LBP_RENAMED("write LBP_DOUBT_PARITY") LBP_DOUBT_PARITY
#define LBP_RUN_SWAPS                   LBP_RENAMED("write LBP_DOUBT_SWAPS") LBP_DOUBT_SWAPS
#define LBP_RUN_IMPOSSIBLE              LBP_RENAMED("write LBP_DOUBT_IMPOSSIBLE") LBP_DOUBT_IMPOSSIBLE
#define LBP_RUN_ALL_OVER                LBP_RENAMED("write LBP_DOUBT_ALL_OVER") LBP_DOUBT_ALL_OVER
#define LBP_RUN_NO_DRAWS                LBP_RENAMED("write LBP_DOUBT_NO_DRAWS") LBP_DOUBT_NO_DRAWS
#define LBP_RUN_MOST_RHAT               LBP_RENAMED("write LBP_MOST_RHAT") LBP_MOST_RHAT
#define LBP_RUN_LEAST_ESS               LBP_RENAMED("write LBP_LEAST_ESS") LBP_LEAST_ESS
#define LBP_RUN_LEAST_SWAPS             LBP_RENAMED("write LBP_LEAST_SWAPS") LBP_LEAST_SWAPS
#define lbp_run_moves                   LBP_RENAMED("write lbp_moves") lbp_moves

#endif /* LBP_RENAMED_H */
