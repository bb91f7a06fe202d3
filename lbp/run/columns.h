/* lbp/run/columns.h - lp__ and the columns of a run: the draws kept of each, R-hat and effective sample sizes, the test
 * for convergence; and the progress line, which reports them. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h
 * includes it; only the first process uses it.
 */

#ifndef LBP_RUN_COLUMNS_H
#define LBP_RUN_COLUMNS_H

#include "runner.h"

LBP_EXACT_BEGIN

/* Columns that are watched: lp__ and the user's. */
LBP_FN uint32_t lbp_runner_watched(const lbp_runner *r) { return 1 + r->run->columns; }

/* The kept draws of a column, one chain after the other. */
LBP_FN double *lbp_runner_trace(const lbp_runner *r, uint32_t column, uint32_t chain) {
  return r->trace + ((size_t)column * r->run->chains + chain) * 2 * r->traced;
}

/* The statistics of a column over all draws of a chain. */
LBP_FN lbp_stream *lbp_runner_stream(const lbp_runner *r, uint32_t column, uint32_t chain) {
  return r->stream + (size_t)column * r->run->chains + chain;
}

/* Takes rows up, whose last one is the draw before number `drawn`. */
LBP_FN void lbp_runner_watch(lbp_runner *r, uint64_t drawn, uint32_t draws) {
  const uint32_t chains = r->run->chains, columns = lbp_runner_watched(r);
  uint32_t d, c, v;
  size_t cell;
  uint64_t k;
  for (d = 0; d < draws; d++) {
    const uint64_t draw = drawn - draws + d;
    const int keep = draw % r->every == 0;
    for (c = 0; c < chains; c++) {
      const double *row = lbp_runner_row(r, r->all, c, d);
      for (v = 0; v < columns; v++) {
        const double value = row[v == 0 ? (uint32_t)LBP_DRAW_LOGP : LBP_DRAW_VALUES + v - 1];
        lbp_stream_push(lbp_runner_stream(r, v, c), value);
        if (keep) lbp_runner_trace(r, v, c)[r->kept] = value;
      }
      r->total.accept += row[LBP_DRAW_ACCEPT];
      r->total.parameter += row[LBP_DRAW_PARAMETER];
      r->total.jump += row[LBP_DRAW_JUMP];
      r->total.evaluations += row[LBP_DRAW_EVALUATIONS];
    }
    r->kept += (uint64_t)keep;
    if (r->kept < 2 * r->traced) continue;
    for (cell = 0; cell < (size_t)chains * columns; cell++) { /* full: every other one goes */
      double *trace = r->trace + cell * 2 * r->traced;
      for (k = 0; k < r->traced; k++) trace[k] = trace[2 * k];
    }
    r->kept = r->traced;
    r->every *= 2;
  }
}

/* The kept draws of a column, without gaps, at the front of `work_space`; the rest of it is workspace. */
LBP_FN double *lbp_runner_gather(lbp_runner *r, uint32_t column) {
  uint32_t c;
  for (c = 0; c < r->run->chains; c++) {
    memcpy(r->work_space + c * r->kept, lbp_runner_trace(r, column, c), (size_t)r->kept * sizeof(double));
  }
  return r->work_space;
}

/* R-hat and the effective sample sizes of a column. */
LBP_COLD void lbp_p_run_judge_column(lbp_runner *r, uint32_t column, lbp_run_row *row) {
  const size_t m = r->run->chains, n = (size_t)r->kept, room = LBP_CHAINS_WORKSPACE(m, n);
  const double *x = lbp_runner_gather(r, column);
  double *work = r->work_space + m * n;
  row->rhat_status = lbp_rhat(x, m, n, work, room, &row->rhat);
  row->ess_bulk_status = lbp_ess_bulk(x, m, n, work, room, &row->ess_bulk);
  row->ess_tail_status = lbp_ess_tail(x, m, n, work, room, &row->ess_tail);
}

/* The number of draws at which convergence is looked at next: fixed ones, so that a run ends at the same draw wherever
 * and however often it was interrupted. */
LBP_COLD uint64_t lbp_runner_next_look(const lbp_runner *r) {
  return r->run->rhat <= 0 ? UINT64_MAX : r->judged < 100 ? 100 : r->judged + r->judged / 4;
}

/* How many times as much all draws of a column are worth as the kept ones: of the mean that is known, as the ratio of
 * its squared errors, for all draws by batch means, or by how the chains' means differ if that is more. 1 where the
 * kept ones are enough for the target. */
LBP_COLD double lbp_p_run_gain(lbp_runner *r, uint32_t column) {
  const size_t m = r->run->chains, n = (size_t)r->kept, room = LBP_CHAINS_WORKSPACE(m, n);
  double *work = r->work_space + m * n, kept = 0, all = 0, between = 0, gain;
  size_t c;
  if (r->every == 1 || r->run->ess <= (double)r->traced * (double)m) return 1;
  if (lbp_mcse_mean(lbp_runner_gather(r, column), m, n, work, room, &kept) != LBP_OK) return 1;
  for (c = 0; c < m; c++) {
    double se = 0;
    if (lbp_stream_mean(lbp_runner_stream(r, column, (uint32_t)c), &work[c], &se) != LBP_OK) return 1;
    all += se / (double)m * (se / (double)m);
  }
  if (m > 1) between = lbp_variance(work, m) / (double)m;
  gain = kept * kept / (between > all ? between : all);
  return lbp_result_is_finite(gain) && gain > 1 ? gain : 1;
}

/* Whether all columns are good enough; a column that never varies is no reason to go on for ever, nor is one without
 * tails, where nearly all draws are the same. Asked at the next look; and once more at the last one where a run goes on
 * from there, which may have ended since it was good enough. */
LBP_COLD int lbp_runner_converged(lbp_runner *r) {
  const uint64_t drawn = lbp_runner_drawn(r);
  const int again = r->run->rhat > 0 && drawn > 0 && drawn == r->judged && lbp_runner_is_behind(r);
  uint32_t v;
  if (drawn < lbp_runner_next_look(r) && !again) return 0;
  r->judged = drawn;
  for (v = 0; v < lbp_runner_watched(r); v++) {
    lbp_run_row row;
    double gain;
    memset(&row, 0, sizeof row);
    lbp_p_run_judge_column(r, v, &row);
    if (row.rhat_status == LBP_E_CONSTANT) continue;
    if (row.ess_tail_status == LBP_E_CONSTANT) row.ess_tail_status = LBP_OK, row.ess_tail = row.ess_bulk;
    if (row.rhat_status != LBP_OK || row.ess_bulk_status != LBP_OK || row.ess_tail_status != LBP_OK) return 0;
    if (row.rhat > r->run->rhat) return 0;
    if (row.ess_bulk >= r->run->ess && row.ess_tail >= r->run->ess) continue;
    gain = lbp_p_run_gain(r, v);
    if (gain * row.ess_bulk < r->run->ess || gain * row.ess_tail < r->run->ess) return 0;
  }
  return 1;
}

/* How far the log pi of the kept draws is off in float, where steps go by it there. Where LBP_LOGP itself is a float,
 * whole numbers below 2^23 are taken to be right. */
LBP_COLD double lbp_p_run_logp_error(lbp_runner *r, const double *logp, size_t draws) {
  const lbp_kernel *kernel = r->c.kernel;
  const int informed = (r->c.plan.sampler->traits & (LBP_TRAIT_SITES | LBP_TRAIT_SCALE)) || !kernel->conditionals;
  double most = 0;
  size_t k;
  if (!kernel->by_logp || !informed || kernel->real_bytes != sizeof(float)) return 0;
  for (k = 0; k < draws; k++) {
    const double size = fabs(logp[k]);
    double error = fabs(logp[k] - (double)(float)logp[k]);
    if (!lbp_is_finite(logp[k]) || size > 1e37) continue;
    if (kernel->by_logp == LBP_BY_LOGP_ALONE && (size >= 8388608.0 || floor(size) < size)) {
      error = size * (double)FLT_EPSILON / 2;
    }
    most = error > most ? error : most;
  }
  return most;
}

/* All that is known of a column. */
LBP_COLD void lbp_runner_describe(lbp_runner *r, uint32_t column, lbp_run_row *row) {
  const uint32_t chains = r->run->chains;
  const size_t draws = chains * (size_t)r->kept;
  double *x, *work, mean = 0, squares = 0, total = 0;
  uint32_t c;
  row->name = column == 0 ? "lp__" : r->run->column[column - 1].name;
  lbp_p_run_judge_column(r, column, row);
  x = r->work_space;
  work = x + draws;
  if (column == 0) r->logp_error = lbp_p_run_logp_error(r, x, draws);
  for (c = 0; c < chains; c++) {
    double se = 0;
    const int status = lbp_stream_mean(lbp_runner_stream(r, column, c), &mean, &se);
    if (status != LBP_OK) row->mcse_status = status;
    if (status == LBP_E_DRAW_NOT_FINITE) row->mean_status = status; /* the others leave the mean */
    total += mean / chains;
    squares += se * se;
  }
  row->mean = total;
  row->mcse = sqrt(squares) / chains;
  if (r->every == 1) { /* all draws are here: as others compute it */
    row->mcse_status =
        lbp_mcse_mean(x, chains, (size_t)r->kept, work, LBP_CHAINS_WORKSPACE(chains, r->kept), &row->mcse);
  }
  row->discrete_status = lbp_discrete(x, draws, work, LBP_CHAINS_WORKSPACE(chains, r->kept), &row->discrete);
  row->sd = draws > 1 ? sqrt(lbp_variance(x, draws)) : 0;
  lbp_sort(x, draws);
  row->q5 = lbp_quantile(x, draws, 0.05);
  row->median = lbp_quantile(x, draws, 0.5);
  row->q95 = lbp_quantile(x, draws, 0.95);
}

/* ---- progress ---------------------------------------------------------------------------------------------------- */

/* Seconds until the run will end, at the pace of this phase. */
LBP_COLD double lbp_p_run_time_left(const lbp_runner *r) {
  const lbp_run *run = r->run;
  const double now = lbp_run_now(), taken = (double)(r->step - r->since_step);
  const double all = (double)run->warmup + (double)run->draws * run->thin;
  const double steps = all > (double)r->step ? all - (double)r->step : 0;
  const double by_steps = taken > 0 ? (now - r->since) / taken * steps : lbp_infinity();
  const double by_clock = run->seconds > 0 ? r->begin + run->seconds - now : lbp_infinity();
  const double left = by_steps < by_clock ? by_steps : by_clock;
  return left > 0 ? left : 0;
}

/* Writes the part of progress about the draws so far: acceptance rate, log pi, R-hat. */
LBP_COLD int lbp_p_run_say_draws(lbp_runner *r, char *line, size_t room) {
  const size_t m = r->run->chains, n = (size_t)r->kept;
  const double draws = (double)lbp_runner_drawn(r) * r->run->chains;
  double rhat;
  int length;
  if (!(draws > 0) || !r->stream) return 0;
  length = snprintf(line, room, ", accept %.2f, log pi %.5g", r->total.accept / draws,
                    lbp_runner_trace(r, 0, 0)[r->kept - 1]);
  if (lbp_rhat(lbp_runner_gather(r, 0), m, n, r->work_space + m * n, LBP_CHAINS_WORKSPACE(m, n), &rhat) == LBP_OK) {
    length += snprintf(line + length, room - (size_t)length, ", R-hat %.3g", rhat);
  }
  return length;
}

/* Whether it is time to tell progress. */
LBP_FN int lbp_runner_is_due(const lbp_runner *r, int last) {
  return (r->run->progress || r->run->on_progress) && r->rank == 0 && (last || lbp_run_now() >= r->told + r->gap);
}

/* Tells it: a line that is written over on a terminal; elsewhere lines, ever more seldom. `begun`: when it was put
 * together, which may take a while. */
LBP_COLD void lbp_runner_tell_line(lbp_runner *r, const char *line, int last, double begun) {
  const char *kind = getenv("TERM");
  FILE *progress = r->run->on_progress ? NULL : r->run->progress;
  const int dumb = !kind || !*kind || strcmp(kind, "dumb") == 0;
  const int terminal = !progress || (!dumb && lbp_is_terminal(progress));
  if (!progress) r->run->on_progress(r->run->on_progress_data, line, last);
  else if (terminal) fprintf(progress, "\r%-79.79s%s", line, last ? "\n" : "");
  else fprintf(progress, "%s\n", line);
  if (progress) fflush(progress);
  r->told = begun;
  r->gap = terminal ? 0.5 + 20 * (lbp_run_now() - begun) : r->gap < 30 ? 2 * r->gap : 60;
}

LBP_COLD void lbp_runner_progress(lbp_runner *r, int last) {
  const lbp_run *run = r->run;
  const double now = lbp_run_now();
  const int warm = lbp_runner_is_warm(r) && !r->tracked;
  const double all = warm ? (double)run->draws : run->warmup;
  char line[256];
  int length;
  if (!lbp_runner_is_due(r, last)) return;
  length = snprintf(line, sizeof line, all < 1e6 ? "%.16s: %s %.0f/%.0f, %.0f s" : "%.16s: %s %.3g/%.3g, %.0f s",
                    run->name, warm ? "draw" : r->tracked ? "sweep" : "warm-up",
                    (double)(warm ? lbp_runner_drawn(r) : r->step), all, lbp_runner_seconds(r));
  if (!last && lbp_p_run_time_left(r) < 1e9) {
    length += snprintf(line + length, sizeof line - (size_t)length, ", %.0f s left", lbp_p_run_time_left(r));
  }
  if (lbp_runner_is_behind(r)) length += snprintf(line + length, sizeof line - (size_t)length, ", catching up");
  if (r->result->histories > 0) {
    snprintf(line + length, sizeof line - (size_t)length, ", best log pi %.10g",
             r->result->history[3 * (size_t)r->result->histories - 1]);
  }
  lbp_p_run_say_draws(r, line + length, sizeof line - (size_t)length);
  lbp_runner_tell_line(r, line, last, now);
}

LBP_EXACT_END

#endif /* LBP_RUN_COLUMNS_H */
