/* lbp/run/marginals.h - marginals of all sites in a run: counts of values, or means of conditional probabilities
 * (Rao-Blackwell) with errors by batch means. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; you call
 * nothing in it.
 *
 * Order of this file: counts; sums of conditionals over batches of draws; the results of both.
 */

#ifndef LBP_RUN_MARGINALS_H
#define LBP_RUN_MARGINALS_H

#include "runner.h"

LBP_EXACT_BEGIN

/* Numbers of a chain's marginals. */
LBP_FN size_t lbp_runner_cells(const lbp_runner *r) {
  const uint32_t values = r->c.plan.values;
  return lbp_size_times(r->n, lbp_item_is_by_value(values, r->item) ? values : 1);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

LBP_FN void lbp_runner_count(const lbp_runner *r, const void *x, uint32_t *counts) {
  const uint32_t values = r->c.plan.values;
  const int by_value = lbp_item_is_by_value(values, r->item);
  uint32_t i;
  for (i = 0; i < r->n; i++) {
    const uint32_t v = lbp_item(x, r->item, i);
    if (by_value) counts[(size_t)i * values + v]++;
    else counts[i] += v;
  }
}

/* How often each site was 1, or has had each value, in draws of all chains. */
LBP_FN int lbp_p_run_sum_counts(lbp_runner *r) {
  const size_t cells = lbp_runner_cells(r);
  double *sum = (double *)lbp_runner_alloc(r, lbp_size_times(cells, 2), sizeof *sum), *other = sum ? sum + cells : NULL;
  uint32_t k;
  size_t i;
  int rank;
  for (k = 0; sum && k < r->c.count; k++) {
    for (i = 0; i < cells; i++) sum[i] += r->counts[k * cells + i]; /* whole numbers: in any order */
  }
  if (lbp_runner_agree(r) == LBP_OK) {
    for (rank = 1; rank < r->ranks; rank++) {
      lbp_runner_pass(r, rank, 0, r->rank > 0 ? sum : other, cells * sizeof *sum);
      for (i = 0; r->rank == 0 && i < cells; i++) sum[i] += other[i];
    }
    for (i = 0; i < cells; i++) sum[i] /= (double)lbp_runner_drawn(r) * r->run->chains;
    if (r->rank == 0) r->result->marginal = sum, sum = NULL;
  }
  free(sum);
  return r->result->status;
}

/* ---- conditionals ------------------------------------------------------------------------------------------------ */

/* A chain keeps LBP_P_BATCH_ROWS rows of a number for each cell: its first draw's conditionals, and sums over
 * batches of draws, less the first draw's. So conditionals that never vary have sums of 0, without rounding. All full
 * batches of a chain hold as many draws, a power of two; when all are full and another draw comes, neighbours are
 * joined. Which batch a draw is in follows from its number, so that checkpoints have the rows alone. */
enum { LBP_P_BATCHES = 16, LBP_P_BATCH_ROWS = LBP_P_BATCHES + 1 };

/* Of conditional marginals: numbers that each chain keeps. */
LBP_FN size_t lbp_runner_kept_cells(const lbp_runner *r) {
  return r->run->marginals == LBP_MARGINALS_CONDITIONAL ? lbp_size_times(lbp_runner_cells(r), LBP_P_BATCH_ROWS) : 0;
}

/* The rows of one of this process's chains. */
LBP_FN double *lbp_runner_batches(const lbp_runner *r, uint32_t chain) {
  return r->conditional + chain * lbp_runner_kept_cells(r);
}

/* Draws in a full batch of a chain that has so many, one at least. */
LBP_FN uint64_t lbp_p_run_batch_length(uint64_t draws) {
  uint64_t length = 1;
  while ((draws - 1) / LBP_P_BATCHES >= length) length *= 2;
  return length;
}

LBP_FN void lbp_p_run_join_batches(double *batch, size_t cells) {
  size_t k, i;
  for (k = 0; k < LBP_P_BATCHES; k++) {
    double *to = batch + k * cells;
    const double *left = batch + 2 * k * cells, *right = left + cells; /* not in front of where they are joined */
    if (k < LBP_P_BATCHES / 2) {
      for (i = 0; i < cells; i++) to[i] = left[i] + right[i];
    } else {
      memset(to, 0, cells * sizeof *to);
    }
  }
}

/* Adds the conditionals of a chain's draw that has so many before it. */
LBP_COLD void lbp_runner_condition(lbp_runner *r, lbp_unit *unit, uint32_t chain, uint64_t before) {
  const size_t cells = lbp_runner_cells(r);
  const uint64_t length = lbp_p_run_batch_length(before + 1);
  double *first = lbp_runner_batches(r, chain), *batch = first + cells, *open = batch + before / length * cells;
  size_t i;
  if (before == 0) {
    r->c.kernel->conditionals(unit, r->c.model, first);
    return;
  }
  if (length > lbp_p_run_batch_length(before)) lbp_p_run_join_batches(batch, cells);
  for (i = 0; i < cells; i++) open[i] -= first[i];
  r->c.kernel->conditionals(unit, r->c.model, open);
}

/* ---- at the end -------------------------------------------------------------------------------------------------- */

/* The rows of a chain of any process, in the first one; `room` is for those of others. All processes call it. */
LBP_COLD const double *lbp_p_run_fetch_batches(const lbp_runner *r, uint32_t chain, double *room) {
  double *rows = room;
  int rank = 0;
  while (lbp_runner_first_chain(r, rank + 1) <= chain) rank++;
  if (r->rank == rank) rows = lbp_runner_batches(r, chain - r->first_chain);
  lbp_runner_pass(r, rank, 0, rows, lbp_runner_kept_cells(r) * sizeof *rows);
  return rows;
}

/* Adds a chain's mean to `mean`, relative to `reference`, which is the first chain's first draw. */
LBP_COLD void lbp_p_run_add_mean(const double *rows, const double *reference, double draws, size_t cells,
                                 double *mean) {
  size_t i, k;
  for (i = 0; i < cells; i++) {
    double sum = 0;
    for (k = 1; k < LBP_P_BATCH_ROWS; k++) sum += rows[k * cells + i];
    mean[i] += rows[i] - reference[i] + sum / draws;
  }
}

/* Adds the deviations of its full batches from the mean: squares to `own`, products of neighbours to `shared`. */
LBP_COLD void lbp_p_run_add_spread(const double *rows, const double *reference, uint64_t draws, size_t cells,
                                   const double *mean, double *own, double *shared) {
  const uint64_t length = lbp_p_run_batch_length(draws);
  const size_t full = (size_t)(draws / length);
  size_t i, k;
  for (i = 0; i < cells; i++) {
    double before = 0;
    for (k = 1; k <= full; k++) {
      const double apart = rows[i] - reference[i] + rows[k * cells + i] / (double)length - mean[i];
      own[i] += apart * apart;
      shared[i] += apart * before;
      before = apart;
    }
  }
}

/* Means of conditionals and their standard errors: as lbp_stream_mean, from the batches of all chains around the mean
 * of all. Chains come in their order, wherever they are, so that rounding is the same for any number of processes. */
LBP_COLD int lbp_p_run_average(lbp_runner *r) {
  const size_t cells = lbp_runner_cells(r), others = r->ranks > 1 && r->rank == 0 ? lbp_runner_kept_cells(r) : 0;
  const uint64_t drawn = lbp_runner_drawn(r), length = lbp_p_run_batch_length(drawn);
  const double draws = (double)drawn, chains = r->run->chains;
  double *mean = (double *)lbp_runner_alloc(r, cells, sizeof *mean);
  double *own = (double *)lbp_runner_alloc(r, cells, sizeof *own);
  double *shared = (double *)lbp_runner_alloc(r, cells, sizeof *shared);
  double *reference = (double *)lbp_runner_alloc(r, cells, sizeof *reference);
  double *room = (double *)lbp_runner_alloc(r, others, sizeof *room);
  uint32_t chain;
  size_t i;
  for (chain = 0; lbp_runner_agree(r) == LBP_OK && chain < r->run->chains; chain++) {
    const double *rows = lbp_p_run_fetch_batches(r, chain, room);
    if (r->rank > 0) continue;
    if (chain == 0) memcpy(reference, rows, cells * sizeof *reference);
    lbp_p_run_add_mean(rows, reference, draws, cells, mean);
  }
  for (i = 0; r->result->status == LBP_OK && i < cells; i++) mean[i] /= chains;
  for (chain = 0; r->result->status == LBP_OK && drawn >= LBP_P_BATCHES && chain < r->run->chains; chain++) {
    const double *rows = lbp_p_run_fetch_batches(r, chain, room);
    if (r->rank == 0) lbp_p_run_add_spread(rows, reference, drawn, cells, mean, own, shared);
  }
  for (i = 0; r->result->status == LBP_OK && i < cells; i++) {
    const double batches = chains * (double)(drawn / length), sum = reference[i] + mean[i];
    own[i] = sqrt((own[i] + 2 * (shared[i] > 0 ? shared[i] : 0)) / (batches - 1) * (double)length / (draws * chains));
    mean[i] = sum < 0 ? 0 : sum < 1 ? sum : 1; /* by rounding */
  }
  if (r->result->status == LBP_OK && r->rank == 0) {
    r->result->marginal = mean, mean = NULL;
    if (drawn >= LBP_P_BATCHES) r->result->marginal_se = own, own = NULL;
  }
  free(mean), free(own), free(shared), free(reference), free(room);
  return r->result->status;
}

/* Writes the results. */
LBP_COLD int lbp_runner_report_marginals(lbp_runner *r) {
  const int conditional = r->run->marginals == LBP_MARGINALS_CONDITIONAL;
  if (conditional && lbp_runner_drawn(r) < LBP_P_BATCHES) r->result->marginal_status = LBP_E_TOO_SHORT;
  if (r->run->marginals == LBP_MARGINALS_NONE || lbp_runner_drawn(r) == 0) return r->result->status;
  return conditional ? lbp_p_run_average(r) : lbp_p_run_sum_counts(r);
}

LBP_EXACT_END

#endif /* LBP_RUN_MARGINALS_H */
