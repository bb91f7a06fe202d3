/* lbp/run/front.h - declares the drivers. lbp_run.h defines them, or with LBP_LINKED another file of the program: see
 * want.h.
 *
 * Version 1.0.0. MIT licence, see LICENSE. lbp.h, lbp_ab.h and lbp_perm.h include it if an instance is for lbp_run.h.
 */

#ifndef LBP_FRONT_H
#define LBP_FRONT_H

#include "want.h"

#ifndef LBP_P_RUN
#error "lbp/run/front.h: lbp_run.h includes it, before an instance: don't include it yourself"
#else

LBP_P_DRIVER int lbp_run_kernel(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                                lbp_run_result *result);
LBP_P_DRIVER int lbp_ais_kernel(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                                lbp_ais_result *result);
LBP_P_DRIVER int lbp_anneal_kernel(const lbp_run *run, const lbp_kernel *kernel, const void *model, uint32_t n,
                                   lbp_run_result *result);

#if defined LBP_LINKED || defined LBP_IMPLEMENTATION
LBP_P_DRIVER void lbp_run_print(const lbp_run_result *result, FILE *to);
LBP_P_DRIVER void lbp_ais_print(const lbp_ais_result *result, FILE *to);
LBP_P_DRIVER void lbp_anneal_print(const lbp_run_result *result, FILE *to);
#endif

#endif /* LBP_P_RUN */

#endif /* LBP_FRONT_H */
