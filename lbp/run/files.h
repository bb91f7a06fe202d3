/* lbp/run/files.h - the output of a run: its summary, locks, files of draws, checkpoints; and the fingerprint by which
 * a checkpoint recognises its model. Version 1.0.0. MIT licence, see LICENSE. lbp_run.h includes it; its only function
 * for you is lbp_run_print.
 *
 * Order of this file: the summary; locks, text, files of draws; fingerprints of models; the contents of a checkpoint
 * (lbp_p_archive_*, one description for writing and reading); writing and reading it.
 */

#ifndef LBP_RUN_FILES_H
#define LBP_RUN_FILES_H

#include "columns.h"
#include "ladder.h"
#include "marginals.h"
#include "options.h"
#include "schedule.h"

LBP_EXACT_BEGIN

/* ---- the summary ------------------------------------------------------------------------------------------------- */

/* A number of up to four digits, or '-' if there is none, right-aligned before a mark, '!' if it is not to be trusted:
 * `width` places in all. */
LBP_COLD void lbp_p_run_cell(FILE *to, int width, int status, double v, int doubtful) {
  char text[32];
  int digits = 4;
  snprintf(text, sizeof text, "-");
  if (status == LBP_OK && fabs(v) >= 1e4 && fabs(v) < 1e6) snprintf(text, sizeof text, "%.0f", v);
  else if (status == LBP_OK) {
    do snprintf(text, sizeof text, "%.*g", digits, v);
    while ((int)strlen(text) > width - 2 && --digits > 0);
  }
  fprintf(to, "%*s%c", width - 1, text, doubtful ? '!' : ' ');
}

/* Whether rung k and k + 1 hardly ever swap, neither whole states nor parts. */
LBP_COLD int lbp_runner_hardly_swaps(const lbp_run_result *result, uint32_t k) {
  return result->swaps[k] < LBP_LEAST_SWAPS && !(result->parts && result->parts[k] >= LBP_LEAST_SWAPS);
}

/* Exchanges of parts: between which rungs, and at how many rungs between replicas. */
LBP_COLD void lbp_p_run_print_parts(const lbp_run_result *result, FILE *to) {
  const uint32_t rungs = result->rungs;
  uint32_t k, whole = 0, at = 0;
  for (k = 0; k + 1 < rungs; k++) whole += lbp_is_nan(result->parts[k]) != 0;
  for (k = 0; k < rungs && result->replicas > 1; k++) at += !lbp_is_nan(result->parts[rungs + k]);
  if (rungs > 1) fprintf(to, "\nparts of states (beta: the share that is exchanged with the next):");
  for (k = 0; k < rungs && rungs > 1; k++) {
    fprintf(to, "%s%.4g", k % 5 ? "  " : "\n  ", result->ladder[k]);
    if (k + 1 < rungs && lbp_is_nan(result->parts[k])) fprintf(to, ": whole");
    else if (k + 1 < rungs) fprintf(to, ": %.2f", result->parts[k]);
  }
  if (result->replicas > 1) {
    fprintf(to, "\nparts of states: exchanged between %lu replicas at %lu of %lu rungs",
            (unsigned long)result->replicas, (unsigned long)at, (unsigned long)rungs);
    whole += rungs - at;
  }
  if (whole > 0) fprintf(to, "\nelsewhere nothing differs, or nearly all that does is one part: whole states alone");
}

/* The rungs of a tempered run, and log Z. */
LBP_COLD void lbp_p_run_print_rungs(const lbp_run_result *result, FILE *to) {
  const char *why = NULL;
  uint32_t k;
  fprintf(to, "rungs (beta: how often it swaps with the next):");
  for (k = 0; k < result->rungs; k++) {
    fprintf(to, "%s%.4g", k % 5 ? "  " : "\n  ", result->ladder[k]);
    if (k + 1 == result->rungs) continue;
    fprintf(to, ": %.2f%s", result->swaps[k], result->draws > 0 && lbp_runner_hardly_swaps(result, k) ? "!" : "");
  }
  if (result->draws > 0 && !result->by_parts) {
    fprintf(to, "\nround trips: %llu%s, %.3g a chain and round of swaps; by swaps alone %.3g",
            (unsigned long long)result->round_trips, result->warnings & LBP_WARN_ROUND_TRIPS ? "!" : "",
            result->round_trip_rate, result->round_trip_ideal);
  }
  if (result->parts) lbp_p_run_print_parts(result, to);
  switch (result->log_z_status) {
    case LBP_OK:
      fprintf(to, "\nlog Z = %.6g +- %.2g, the spread of %lu chains", result->log_z, result->log_z_se,
              (unsigned long)result->chains);
      break;
    case LBP_E_RANGE: why = "the last rung is not beta = 0"; break;
    case LBP_E_SIZE: why = "the sum of weights at beta = 0 is unknown, or too large (LBP_BASE?)"; break;
    case LBP_E_STATE: why = "no state drawn at beta = 0 is possible (LBP_BASE?)"; break;
    case LBP_E_TOO_SHORT:
      if (result->draws > 0) fprintf(to, "\nlog Z = %.6g; no error without two chains", result->log_z);
      else why = "no draws";
      break;
    default: why = lbp_error(result->log_z_status);
  }
  if (why) fprintf(to, "\nlog Z: no number: %s", why);
  if (!lbp_is_nan(result->log_z) && result->possible < 1) {
    fprintf(to, "; of the states at beta = 0, %.3g are possible%s", result->possible,
            result->warnings & LBP_WARN_REACH ? "!" : "");
  }
  fprintf(to, "\n");
}

/* Prints the sampler and its states, the first line of every summary. */
LBP_COLD void lbp_runner_print_sampler(FILE *to, const char *sampler, uint32_t n, uint32_t values) {
  if (!sampler) return;
  fprintf(to, "%s, n = %lu, values 0 to %lu\n", sampler, (unsigned long)n, (unsigned long)values - 1);
}

/* Prints the table at the end of a run, 80 columns wide. It marks numbers that you should not trust with '!'; advice
 * about them comes last. */
LBP_P_DRIVER void lbp_run_print(const lbp_run_result *result, FILE *to) {
  static const char *const why[] = {"complete", "converged", "out of time", "stopped"};
  const double few = LBP_LEAST_ESS * (double)result->chains;
  uint32_t v;
  unsigned warning;
  if (!result->row) return;
  lbp_runner_print_sampler(to, result->sampler, result->n, result->values);
  fprintf(to, "%lu chains of %llu draws each, %s%s, %.1f s\n", (unsigned long)result->chains,
          (unsigned long long)result->draws, why[result->ended], result->resumed ? " (resumed)" : "", result->seconds);
  if (result->rungs == 1 && result->ladder && result->ladder[0] != 1) {
    fprintf(to, "at inverse temperature %.6g\n", result->ladder[0]);
  }
  if (result->parameter_name) {
    fprintf(to, "acceptance rate %.3f%s, %s %.4g%s, ", result->accept, result->warnings & LBP_WARN_STUCK ? "!" : "",
            result->parameter_name, result->parameter,
            result->warnings & (LBP_WARN_PARITY | LBP_WARN_ALL_SITES | LBP_WARN_UNTUNED) ? "!" : "");
  } else if (result->accept < 0.9999) { /* no sweep that leads on for certain */
    fprintf(to, "acceptance rate %.3f%s, ", result->accept, result->warnings & LBP_WARN_STUCK ? "!" : "");
  }
  fprintf(to, "jump distance %.4g, %.4g %s a step\n", result->jump, result->evaluations, result->evaluation);
  if (result->blocked) {
    fprintf(to, "steps were rejected for an impossible flip: LBP_SAMPLER_PATH or _GIBBS avoids these\n");
  }
  if (result->kept < result->draws) {
    fprintf(to, "mean and MCSE are of all draws, whose ESS is about (SD / MCSE)^2; the other\n"
            "columns, ESS too, are of %llu evenly spaced draws a chain\n",
            (unsigned long long)result->kept);
  }
  fprintf(to, "%-9s%8s %8s %7s %7s %7s %7s %6s %6s %6s\n", "", "mean", "MCSE", "SD", "5%", "50%", "95%", "ESS", "tail",
          "R-hat");
  for (v = 0; v < result->rows; v++) {
    const lbp_run_row *row = &result->row[v];
    const int there = row->mean_status, doubtful = result->draws > 0 && row->rhat_status != LBP_E_CONSTANT;
    fprintf(to, strlen(row->name) < 9 ? "%-9s" : "%s\n         ", row->name);
    lbp_p_run_cell(to, 9, there, row->mean, there == LBP_E_DRAW_NOT_FINITE);
    lbp_p_run_cell(to, 9, row->mcse_status, row->mcse, 0);
    lbp_p_run_cell(to, 8, there, row->sd, 0);
    lbp_p_run_cell(to, 8, there, row->q5, 0);
    lbp_p_run_cell(to, 8, there, row->median, 0);
    lbp_p_run_cell(to, 8, there, row->q95, 0);
    lbp_p_run_cell(to, 7, row->ess_bulk_status, row->ess_bulk,
                   doubtful && !(row->ess_bulk_status == LBP_OK && row->ess_bulk >= few));
    lbp_p_run_cell(to, 7, row->ess_tail_status, row->ess_tail, row->ess_tail_status == LBP_OK && row->ess_tail < few);
    lbp_p_run_cell(to, 7, row->rhat_status, row->rhat,
                   doubtful && !(row->rhat_status == LBP_OK && row->rhat <= LBP_MOST_RHAT));
    fprintf(to, "\n");
  }
  for (v = 0; v < result->rows; v++) {
    const lbp_run_row *row = &result->row[v];
    if (row->discrete_status != LBP_OK || row->discrete.values < 2) continue;
    fprintf(to, "%s: mode %.0f (%.0f %%), entropy %.3f\n", row->name, row->discrete.mode, 100 * row->discrete.share,
            row->discrete.entropy);
  }
  for (v = 0; v < result->rows; v++) { /* no number without a reason */
    const lbp_run_row *row = &result->row[v];
    const int status = row->rhat_status ? row->rhat_status : row->mcse_status ? row->mcse_status : row->ess_tail_status;
    if (status != LBP_OK) fprintf(to, "%s: no number: %s\n", row->name, lbp_error(status));
  }
  if (result->marginal_status != LBP_OK) fprintf(to, "marginals: no errors: %s\n", lbp_error(result->marginal_status));
  if (result->rungs > 1) lbp_p_run_print_rungs(result, to);
  else if (result->parts) lbp_p_run_print_parts(result, to);
  for (warning = 1; warning <= LBP_WARN_FEW_LANES; warning *= 2) {
    if (result->warnings & warning) fprintf(to, "! %s\n", lbp_run_advice(warning));
  }
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The path of a chain's file, in `path`. */
enum { LBP_P_PATH = 1024 };
LBP_COLD const char *lbp_p_run_path(const lbp_runner *r, uint32_t chain, int states, char *path) {
  snprintf(path, LBP_P_PATH, states ? "%s_%lu_states.npy" : "%s_%lu.csv", r->run->prefix, (unsigned long)chain + 1);
  return path;
}

LBP_COLD int lbp_runner_file_error(lbp_runner *r, const char *what, const char *path) {
  return lbp_runner_fail(r->result, LBP_E_FILE, "%s %s: %s", what, path, strerror(errno));
}

LBP_COLD int lbp_p_run_irregular(lbp_runner *r, const char *what, const char *path) {
  return lbp_runner_fail(r->result, LBP_E_FILE, "%s %s: it is a link, pipe, device or folder, not a regular file: "
                         "remove it, or choose another name", what, path);
}

/* Opens a file that a run has made. A link in its place is not followed, and nothing but a regular file is opened: so
 * no other file is overwritten, and no pipe is waited for. -1, and the status. */
LBP_COLD int lbp_p_run_open(lbp_runner *r, const char *what, const char *path, unsigned how) {
  const int file = lbp_file_open(path, how);
  lbp_file_info info;
  if (file < 0 && errno == ELOOP) lbp_p_run_irregular(r, what, path);
  else if (file < 0 || lbp_file_describe(file, &info) != 0) lbp_runner_file_error(r, what, path);
  else if (!info.regular) lbp_p_run_irregular(r, what, path);
  else return file;
  if (file >= 0) lbp_file_close(file);
  return -1;
}

/* Opens a new file. A file of that name is unlinked; its contents stay if it has other names. */
LBP_COLD int lbp_p_run_create(lbp_runner *r, const char *what, const char *path) {
  int file = -1;
  if (lbp_file_remove(path) != 0 && errno != ENOENT) {
    lbp_runner_file_error(r, what, path);
  } else {
    file = lbp_p_run_open(r, what, path, LBP_FILE_WRITE | LBP_FILE_NEW);
    if (file < 0) lbp_file_remove(path);
  }
  return file;
}

/* Opens a file that the user names, to be read. It may be a link to one, but must be regular. -1, and the status; but
 * no status if it is not there and need not be. */
LBP_COLD int lbp_runner_open_input(lbp_runner *r, const char *what, const char *path, int needed) {
  const int file = lbp_file_open(path, LBP_FILE_READ | LBP_FILE_FOLLOW);
  lbp_file_info info;
  if (file < 0 && errno == ENOENT && !needed) return -1;
  if (file < 0 || lbp_file_describe(file, &info) != 0) lbp_runner_file_error(r, what, path);
  else if (!info.regular) lbp_p_run_irregular(r, what, path);
  else return file;
  if (file >= 0) lbp_file_close(file);
  return -1;
}

/* Writes all bytes to a file that was opened, if that went well, and closes it. */
LBP_COLD int lbp_p_run_write(lbp_runner *r, int file, const char *path, const void *data, size_t bytes) {
  const int ok = file >= 0 && lbp_file_write(file, data, bytes);
  if (!ok) lbp_runner_file_error(r, "cannot write", path);
  if (file >= 0 && lbp_file_close(file) != 0) lbp_runner_file_error(r, "cannot write", path);
  return r->result->status;
}

/* Waits until a file is on the disk. */
LBP_COLD int lbp_p_run_sync(lbp_runner *r, const char *path) {
  const int file = lbp_p_run_open(r, "cannot write", path, LBP_FILE_FLUSH);
  if (file >= 0 && lbp_file_flush(file) != 0) lbp_runner_file_error(r, "cannot write", path);
  if (file >= 0) lbp_file_close(file);
  return r->result->status;
}

/* Puts a new file, written as `fresh`, in the place of an old one, at once; after a failure it is removed. */
LBP_COLD int lbp_p_run_replace(lbp_runner *r, const char *fresh, const char *path) {
  if (r->result->status == LBP_OK) lbp_p_run_sync(r, fresh);
  if (r->result->status == LBP_OK && lbp_file_replace(fresh, path) != 0) {
    lbp_runner_file_error(r, "cannot rename", fresh);
  }
  if (r->result->status == LBP_OK) lbp_file_flush_folder(path);
  else lbp_file_remove(fresh);
  return r->result->status;
}

/* Writes PREFIX_NAME, which is whole from then on, or as it was before. */
LBP_COLD int lbp_runner_write_whole(lbp_runner *r, const char *prefix, const char *name, const void *data,
                                    size_t bytes) {
  char path[LBP_P_PATH], fresh[LBP_P_PATH + 8];
  if (r->result->status != LBP_OK) return r->result->status;
  snprintf(path, sizeof path, "%s_%s", prefix, name);
  snprintf(fresh, sizeof fresh, "%s.new", path);
  lbp_p_run_write(r, lbp_p_run_create(r, "cannot write", fresh), fresh, data, bytes);
  return lbp_p_run_replace(r, fresh, path);
}

/* Where the head of a .npy file ends, and how many places the number of draws has in that of a CSV file. */
enum { LBP_P_NPY_HEAD = 128, LBP_P_NUMBER = 20 };

/* Continues the hash of a file of draws: bytes from offset `at` on, except the head's number of
 * draws, which is corrected later. */
LBP_COLD uint64_t lbp_p_run_note(const lbp_runner *r, int states, uint64_t hash, uint64_t at, const char *data,
                                 size_t bytes) {
  const uint64_t from = states ? 0 : r->number_at, to = from + (uint64_t)(states ? LBP_P_NPY_HEAD : LBP_P_NUMBER);
  const uint64_t end = at + bytes, before = at < from ? (end < from ? end : from) - at : 0;
  const uint64_t after = end > to ? end - (at > to ? at : to) : 0;
  hash = lbp_runner_hash(hash, data, (size_t)before);
  return lbp_runner_hash(hash, data + (bytes - (size_t)after), (size_t)after);
}

/* Begins a file of draws. An older one is replaced, but nothing that is no regular file: the user has put it there. */
LBP_COLD int lbp_p_run_make_file(lbp_runner *r, uint32_t chain, int states, const char *head, size_t bytes) {
  const uint32_t k = 2 * chain + (states != 0);
  char path[LBP_P_PATH];
  lbp_file_info info;
  r->length[k] = bytes;
  r->written[k] = lbp_p_run_note(r, states, LBP_P_HASH, 0, head, bytes);
  lbp_p_run_path(r, chain, states, path);
  if (lbp_file_look(path, 0, &info) == 0 && !info.regular) {
    return lbp_p_run_irregular(r, "cannot write", path);
  }
  return lbp_p_run_write(r, lbp_p_run_create(r, "cannot write", path), path, head, bytes);
}

/* Adds to a file of draws, which must be as long as this run has made it: another program may not know of locks. */
LBP_COLD int lbp_p_run_append(lbp_runner *r, uint32_t chain, int states, const void *data, size_t bytes) {
  const uint32_t k = 2 * chain + (states != 0);
  uint64_t *length = &r->length[k];
  char path[LBP_P_PATH];
  lbp_file_info info;
  int file = lbp_p_run_open(r, "cannot write", lbp_p_run_path(r, chain, states, path), LBP_FILE_APPEND);
  if (file < 0) return r->result->status;
  if (lbp_file_describe(file, &info) != 0) info.bytes = UINT64_MAX;
  if (info.bytes != *length) {
    lbp_file_close(file);
    return lbp_runner_fail(r->result, LBP_E_FILE,
                           "%s has %llu bytes where this run has written %llu: is another "
                           "program writing it?",
                           path, (unsigned long long)info.bytes, (unsigned long long)*length);
  }
  if (r->run->checkpoint) r->written[k] = lbp_p_run_note(r, states, r->written[k], *length, (const char *)data, bytes);
  *length += bytes;
  return lbp_p_run_write(r, file, path, data, bytes);
}

/* ---- locks ----------------------------------------------------------------------------------------------------------
 *
 * FILE.lock locks FILE until the run, or its process, ends. Locks of open file descriptions,
 * where the system has them, keep all runs apart, those of one process too. The older ones, of processes, are shared by
 * all threads, and end when any of them closes the file. So runs also claim their lock files, in a list that the
 * process has: one that is claimed is not even opened. The list serves where a file system has no locks, too.
 *
 * A process that is forked during a run has copies of descriptor and list. It does not prolong the lock, which is given
 * up before the file is closed; and claims of another process do not count. */

typedef struct lbp_p_claim {
  struct lbp_p_claim *next;
  uint64_t device, number; /* which file it is, by whatever name */
  int file;                /* open */
  lbp_process process;
} lbp_p_claim;

typedef struct {
  lbp_process owner; /* whose thread is looking at the list; 0: nobody's */
  lbp_p_claim *first;
} lbp_p_claims;

/* One list of all translation units of a program, or of a shared library. Its name depends on its layout, for
 * programs of which a part has another version. */
LBP_ONCE(lbp_p_claims, lbp_p_run_claims_2, {0, NULL})

/* The claim of a file; NULL if there is none. */
LBP_COLD lbp_p_claim *lbp_p_run_find_claim(const lbp_file_info *info) {
  lbp_p_claim *claim = lbp_p_run_claims_2.first;
  const lbp_process own = lbp_process_own();
  while (claim && !(claim->device == info->device && claim->number == info->number && claim->process == own)) {
    claim = claim->next;
  }
  return claim;
}

/* The process that a lock file names; 0 if it names none yet; -1 if it is not a run's. */
enum { LBP_P_LOCK_TEXT = 48 };
#define LBP_P_LOCK "lbp run, process "
LBP_COLD long lbp_p_run_lock_process(int file) {
  const size_t full = strlen(LBP_P_LOCK);
  char text[LBP_P_LOCK_TEXT];
  const int64_t read = lbp_file_read(file, text, sizeof text - 1);
  const size_t length = read > 0 ? (size_t)read : 0;
  text[length] = '\0';
  if (read < 0 || strncmp(text, LBP_P_LOCK, length < full ? length : full) != 0) return -1;
  return length > full ? atol(text + full) : 0;
}

LBP_COLD int lbp_p_run_locked(lbp_runner *r, const char *file, long process) {
  char whose[64] = "";
  if (process == (long)lbp_process_own()) snprintf(whose, sizeof whose, " of this process");
  else if (process > 0) snprintf(whose, sizeof whose, " (process %ld)", process);
  return lbp_runner_fail(r->result, LBP_E_FILE, "%s is being written by another run%s: wait until it has ended, or "
                         "choose other files", file, whose);
}

/* Notes a lock that has been taken: in the list, and for people in its file. */
LBP_COLD int lbp_p_run_claim(lbp_runner *r, uint32_t which, const char *path, const lbp_file_info *held, int file) {
  lbp_p_claim *claim = (lbp_p_claim *)calloc(1, sizeof *claim);
  char text[LBP_P_LOCK_TEXT];
  const int length = snprintf(text, sizeof text, LBP_P_LOCK "%ld\n", (long)lbp_process_own());
  if (!claim) {
    lbp_file_close(file);
    return lbp_runner_fail(r->result, LBP_E_MEMORY, "out of memory: %lu bytes", (unsigned long)sizeof *claim);
  }
  claim->device = held->device;
  claim->number = held->number;
  claim->file = r->locks[which] = file;
  claim->process = lbp_process_own();
  claim->next = lbp_p_run_claims_2.first;
  lbp_p_run_claims_2.first = claim;
  if (lbp_file_cut(file, 0) != 0 || lbp_file_seek(file, 0) != 0 || !lbp_file_write(file, text, (size_t)length)) {
    lbp_runner_file_error(r, "cannot write", path);
  }
  return r->result->status;
}

/* Takes a lock, by who may look at the list. */
LBP_COLD int lbp_p_run_take_lock(lbp_runner *r, uint32_t which, const char *file, const char *path) {
  lbp_file_info held;
  while (r->result->status == LBP_OK) {
    const lbp_p_claim *claim = lbp_file_look(path, 0, &held) == 0 ? lbp_p_run_find_claim(&held) : NULL;
    int at;
    if (claim && claim->file == r->locks[1 - which]) return LBP_OK; /* prefix and checkpoint have one name */
    if (claim) return lbp_p_run_locked(r, file, (long)lbp_process_own());
    at = lbp_p_run_open(r, "cannot write", path, LBP_FILE_READ | LBP_FILE_WRITE | LBP_FILE_CREATE);
    if (at < 0) return r->result->status;
    if (lbp_file_lock(at)) {
      lbp_p_run_locked(r, file, lbp_p_run_lock_process(at));
    } else if (lbp_file_describe(at, &held) != 0) { /* without locks the list and lbp_p_run_append see to it */
      lbp_runner_file_error(r, "cannot write", path);
    } else if (held.names == 1 && (held.bytes == 0 || lbp_p_run_lock_process(at) >= 0)) {
      return lbp_p_run_claim(r, which, path, &held, at);
    } else if (held.names > 0) {
      lbp_runner_fail(r->result, LBP_E_FILE, "%s exists and is not a run's lock file, which a run would remove: move "
                      "it, or choose other files", path);
    } /* else a run that has just ended has removed it */
    lbp_file_close(at);
  }
  return r->result->status;
}

/* Locks `file`, which will be written, by FILE.lock, until this process ends or lbp_runner_unlock. */
LBP_COLD int lbp_runner_lock(lbp_runner *r, uint32_t which, const char *file) {
  char path[LBP_P_PATH + 8];
  if (r->result->status != LBP_OK) return r->result->status;
  snprintf(path, sizeof path, "%s.lock", r->locked[which] = file);
  lbp_turn_take(&lbp_p_run_claims_2.owner);
  lbp_p_run_take_lock(r, which, file, path);
  lbp_turn_end(&lbp_p_run_claims_2.owner);
  return r->result->status;
}

/* Gives a lock up. Its file is removed, unless another one has its name. */
LBP_COLD void lbp_p_run_give_up(int file, const char *path) {
  lbp_p_claim **at = &lbp_p_run_claims_2.first, *claim;
  const lbp_process own = lbp_process_own();
  lbp_file_info named;
  while (*at && !((*at)->file == file && (*at)->process == own)) at = &(*at)->next;
  claim = *at;
  if (claim) {
    const int here = lbp_file_look(path, 0, &named) == 0;
    if (here && named.device == claim->device && named.number == claim->number) lbp_file_remove(path);
    *at = claim->next;
    free(claim);
  }
  lbp_file_unlock(file);
  lbp_file_close(file);
}

LBP_COLD void lbp_runner_unlock(lbp_runner *r) {
  char path[LBP_P_PATH + 8];
  uint32_t k;
  lbp_turn_take(&lbp_p_run_claims_2.owner);
  for (k = 0; k < 2; k++) {
    if (r->locks[k] < 0) continue;
    snprintf(path, sizeof path, "%s.lock", r->locked[k]);
    lbp_p_run_give_up(r->locks[k], path);
    r->locks[k] = -1;
  }
  lbp_turn_end(&lbp_p_run_claims_2.owner);
}

/* Text is put together in memory and written in one piece. */
LBP_PRINTF_LIKE(2, 3)
LBP_FN void lbp_runner_text(lbp_runner *r, const char *format, ...) {
  va_list arguments;
  int length;
  if (r->text_room - r->text_length < 512) {
    const size_t room = 2 * r->text_room + 65536;
    char *text = (char *)realloc(r->text, room);
    if (!text) {
      lbp_runner_fail(r->result, LBP_E_MEMORY, "out of memory: %lu bytes for lines of draws", (unsigned long)room);
      return;
    }
    r->text = text;
    r->text_room = room;
  }
  va_start(arguments, format);
  length = vsnprintf(r->text + r->text_length, r->text_room - r->text_length, format, arguments);
  va_end(arguments);
  r->text_length += length < 512 ? (size_t)length : 511u;
}

/* A number of a CSV file behind `before`, with a decimal point whatever the user's locale has. */
LBP_FN void lbp_p_run_print_number(lbp_runner *r, const char *before, double v) {
  char number[64];
  snprintf(number, sizeof number, "%.*g", r->run->digits, v);
  lbp_runner_text(r, "%s%s", before, lbp_runner_set_point(number));
}

/* The head of a CSV file, as Stan's readers want it; `draws` takes a fixed place, to be corrected later. */
LBP_COLD void lbp_p_run_print_head(lbp_runner *r, uint32_t chain, uint64_t draws) {
  const lbp_run *run = r->run;
  uint32_t c;
  r->text_length = 0;
  lbp_runner_text(r, "# stan_version_major = 2\n# stan_version_minor = 35\n# stan_version_patch = 0\n");
  lbp_runner_text(r, "# model = %.200s\n", run->name);
  lbp_runner_text(r, "# method = sample\n#   sample\n#     num_samples = ");
  r->number_at = r->text_length;
  lbp_runner_text(r, "%-*llu\n#     num_warmup = %lu\n", LBP_P_NUMBER, (unsigned long long)draws,
                  (unsigned long)run->warmup);
  lbp_runner_text(r, "#     save_warmup = 0\n#     thin = 1\n#     adapt\n#       engaged = %s\n",
                  r->c.plan.setting[0] > 0 || run->metric || !r->c.plan.sampler->parameter_name ? "false" : "true");
  lbp_runner_text(r, "#     algorithm = %s\n#     max_depth = 10\n#     metric = unit_e\n# id = %lu\n",
                  r->c.plan.sampler->algorithm, (unsigned long)chain + 1);
  lbp_runner_text(r, "# random\n#   seed = %llu\n# lbp_version = %d\n# steps_per_draw = %lu\n",
                  (unsigned long long)run->seed, LBP_VERSION, (unsigned long)run->thin);
  lbp_runner_text(r, "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__");
  for (c = 0; c < run->columns; c++) lbp_runner_text(r, ",%.200s", run->column[c].name);
  for (c = 0; run->save_states == LBP_STATES_CSV && c < r->n; c++) lbp_runner_text(r, ",x.%lu", (unsigned long)c + 1);
  lbp_runner_text(r, "\n");
}

/* One row. */
LBP_FN void lbp_p_run_print_row(lbp_runner *r, const double *row) {
  const lbp_run *run = r->run;
  const uint8_t *state = (const uint8_t *)(row + LBP_DRAW_VALUES + run->columns);
  char site[512];
  uint32_t c;
  int length = 0;
  lbp_p_run_print_number(r, "", row[LBP_DRAW_LOGP]);
  lbp_p_run_print_number(r, ",", row[LBP_DRAW_ACCEPT]);
  lbp_p_run_print_number(r, ",", row[LBP_DRAW_PARAMETER]);
  lbp_runner_text(r, ",0,%.0f,0", row[LBP_DRAW_EVALUATIONS]);
  lbp_p_run_print_number(r, ",", -row[LBP_DRAW_LOGP]);
  for (c = 0; c < run->columns; c++) lbp_p_run_print_number(r, ",", row[LBP_DRAW_VALUES + c]);
  for (c = 0; run->save_states == LBP_STATES_CSV && c < r->n; c++) {
    const uint32_t v = lbp_runner_packed_item(r, state, c);
    site[length++] = ',';
    if (v < 10) site[length++] = (char)('0' + v);
    else length += snprintf(site + length, 16, "%lu", (unsigned long)v);
    if (length < 256 && c + 1 < r->n) continue;
    lbp_runner_text(r, "%.*s", length, site);
    length = 0;
  }
  lbp_runner_text(r, "\n");
}

/* The head of a .npy file of states, `rows` of them so far: NumPy's format 1.0, LBP_P_NPY_HEAD bytes. */
LBP_COLD void lbp_runner_npy_head(const lbp_runner *r, char *head, uint64_t rows) {
  const char *type = r->item == 1 ? "|u1" : r->item == 2 ? "<u2" : "<u4";
  const uint64_t width = r->packed / r->item;
  int length;
  memset(head, ' ', 128);
  memcpy(head, "\x93NUMPY\x01\x00\x76\x00", 10);
  length = snprintf(head + 10, 117, "{'descr': '%s', 'fortran_order': False, 'shape': (%llu, %llu), }", type,
                    (unsigned long long)rows, (unsigned long long)width);
  head[10 + length] = ' ';
  head[127] = '\n';
}

/* Whether there are files of draws: not before warm-up is done. */
LBP_COLD int lbp_p_run_has_files(const lbp_runner *r) { return r->run->prefix && lbp_runner_is_warm(r); }

/* Whether there is a CSV file of a chain, and it is one of a run's. */
LBP_COLD int lbp_p_run_is_draws(lbp_runner *r, uint32_t chain) {
  char path[LBP_P_PATH], head[1024];
  lbp_file_info info;
  int64_t length;
  int file;
  if (lbp_file_look(lbp_p_run_path(r, chain, 0, path), 0, &info) != 0 || !info.regular) return 0;
  file = lbp_p_run_open(r, "cannot read", path, LBP_FILE_READ);
  length = file < 0 ? -1 : lbp_file_read(file, head, sizeof head - 1);
  if (length < 0) lbp_runner_file_error(r, "cannot read", path);
  if (file >= 0) lbp_file_close(file);
  head[length > 0 ? length : 0] = '\0';
  return r->result->status == LBP_OK && strstr(head, "\n# lbp_version = ") != NULL;
}

/* Removes the files of chains that this run does not have, since who reads PREFIX_*.csv would mix two runs; from the
 * last one on, so that none is left behind a gap. */
LBP_COLD int lbp_p_run_remove_others(lbp_runner *r) {
  uint32_t end = r->run->chains;
  char path[LBP_P_PATH];
  int states;
  while (lbp_p_run_is_draws(r, end)) end++;
  for (; r->result->status == LBP_OK && end > r->run->chains; end--) {
    for (states = 1; states >= 0; states--) {
      if (lbp_file_remove(lbp_p_run_path(r, end - 1, states, path)) == 0 || errno == ENOENT) continue;
      lbp_runner_file_error(r, "cannot remove", path);
    }
  }
  return r->result->status;
}

/* Makes the files of draws, empty but for their heads. */
LBP_COLD int lbp_runner_make_files(lbp_runner *r) {
  double setting[LBP_SETTINGS] = {0};
  char head[LBP_P_NPY_HEAD];
  uint32_t chain, k;
  for (k = 0; k < r->c.count; k++) {
    const void *tuner = lbp_chains_tuner(&r->c, k);
    double *it = &r->excess[r->c.first + k]; /* free at this time */
    r->c.kernel->tuner_setting(tuner, setting);
    *it = r->c.plan.setting[0] > 0 ? r->c.plan.setting[0] : setting[0];
    if (r->c.kernel->tuner_most && r->c.plan.setting[0] == 0) {
      const double most = r->c.kernel->tuner_most(tuner, lbp_chains_unit(&r->c, k), r->c.model, &r->c.plan);
      *it = *it < most ? *it : most;
    }
  }
  lbp_runner_share(r, lbp_runner_first, r->excess, sizeof *r->excess);
  if (r->rank > 0 || !r->run->prefix || lbp_p_run_remove_others(r) != LBP_OK) return r->result->status;
  for (chain = 0; chain < r->run->chains; chain++) {
    lbp_p_run_print_head(r, chain, r->run->draws);
    lbp_p_run_print_number(r, "# Adaptation terminated\n# Step size = ", r->excess[(size_t)chain * r->members]);
    lbp_runner_text(r, "\n");
    if (lbp_p_run_make_file(r, chain, 0, r->text, r->text_length)) break;
    if (r->run->save_states != LBP_STATES_NPY) continue;
    lbp_runner_npy_head(r, head, 0);
    if (lbp_p_run_make_file(r, chain, 1, head, sizeof head)) break;
  }
  return r->result->status;
}

/* Gives rows to run->on_draw, those of a chain after each other; the first draw is number `first`. */
LBP_FN void lbp_runner_hand_out(lbp_runner *r, uint64_t first, uint32_t draws) {
  const lbp_run *run = r->run;
  uint32_t chain, d;
  for (chain = 0; run->on_draw && chain < run->chains; chain++) {
    for (d = 0; d < draws; d++) {
      const double *row = lbp_runner_row(r, r->all, chain, d);
      const uint8_t *state = (const uint8_t *)(row + LBP_DRAW_VALUES + run->columns), *x = r->taken;
      if (run->save_states == LBP_STATES_NONE) x = NULL;
      else if (run->save_states == LBP_STATES_PASSED) x = state;
      else lbp_runner_unpack(r, state, r->taken);
      run->on_draw(run->on_draw_data, chain, first + d, row, x);
    }
  }
}

/* Adds rows to the files. */
LBP_FN int lbp_runner_write_rows(lbp_runner *r, uint32_t draws) {
  const size_t packed = r->packed, values = (LBP_DRAW_VALUES + r->run->columns) * sizeof(double);
  uint32_t chain, d;
  for (chain = 0; draws > 0 && r->run->prefix && chain < r->run->chains; chain++) {
    r->text_length = 0;
    for (d = 0; d < draws; d++) lbp_p_run_print_row(r, lbp_runner_row(r, r->all, chain, d));
    if (r->result->status != LBP_OK) break;
    if (lbp_p_run_append(r, chain, 0, r->text, r->text_length)) break;
    if (r->run->save_states != LBP_STATES_NPY) continue;
    for (d = 0; d < draws; d++) { /* to the front of the chain's rows, which have been used */
      unsigned char *rows = (unsigned char *)lbp_runner_row(r, r->all, chain, 0);
      memmove(rows + d * packed, rows + d * r->row_bytes + values, packed);
    }
    if (lbp_p_run_append(r, chain, 1, lbp_runner_row(r, r->all, chain, 0), draws * packed)) break;
  }
  return r->result->status;
}

/* Puts the number of draws right in the heads, and waits until all is on the disk. */
LBP_COLD int lbp_runner_settle_files(lbp_runner *r) {
  char path[LBP_P_PATH], head[LBP_P_NPY_HEAD];
  uint32_t k;
  int file;
  for (k = 0; lbp_p_run_has_files(r) && k < 2 * r->run->chains; k++) {
    if (k % 2 && r->run->save_states != LBP_STATES_NPY) continue;
    lbp_p_run_path(r, k / 2, k % 2, path);
    lbp_p_run_print_head(r, k / 2, lbp_runner_drawn(r));
    lbp_runner_npy_head(r, head, lbp_runner_drawn(r));
    file = lbp_p_run_open(r, "cannot write", path, LBP_FILE_WRITE);
    if (lbp_p_run_write(r, file, path, k % 2 ? head : r->text, k % 2 ? sizeof head : r->text_length)) break;
    if (lbp_p_run_sync(r, path) != LBP_OK) break;
  }
  return r->result->status;
}

/* The three lines at the end of each CSV file. */
LBP_COLD int lbp_runner_write_tails(lbp_runner *r, double seconds) {
  uint32_t chain;
  r->text_length = 0;
  lbp_p_run_print_number(r, "# \n#  Elapsed Time: ", r->warming);
  lbp_p_run_print_number(r, " seconds (Warm-up)\n#                ", seconds - r->warming);
  lbp_p_run_print_number(r, " seconds (Sampling)\n#                ", seconds);
  lbp_runner_text(r, " seconds (Total)\n# \n");
  for (chain = 0; lbp_p_run_has_files(r) && chain < r->run->chains; chain++) {
    if (lbp_p_run_append(r, chain, 0, r->text, r->text_length)) break;
  }
  return r->result->status;
}

/* ---- fingerprint of a model -------------------------------------------------------------------------------------- */

/* A fingerprint is of some states: of each log pi, a sum over LBP_BASE, all log-ratios, in up to `groups` sums, and if
 * it is possible the columns. First come r->seeded random ones: as many as walk through all values that sites have, so
 * that two that interact have each pair of values in one of them or one flip away; then some where few sites are not 0,
 * each site once in LBP_P_SPARSE of them, so that of those that exclude each other one is alone. Then come r->known of
 * the run's own, since random ones may all be impossible. There are as many as LBP_P_LOOKS evaluations are good for,
 * but some in any case. */
enum { LBP_P_SUMS = 20480, LBP_P_LEAST_SEEDED = 4, LBP_P_MOST_VALUES = 256, LBP_P_SPARSE = 16, LBP_P_MOST_KNOWN = 8 };
#define LBP_P_LOOKS 262144.0

LBP_COLD uint32_t lbp_p_run_states(const lbp_runner *r) { return r->seeded + r->known; }
LBP_COLD uint32_t lbp_p_run_groups(const lbp_runner *r) {
  const uint32_t most = LBP_P_SUMS / lbp_p_run_states(r);
  return r->n < most ? r->n : most;
}
LBP_COLD size_t lbp_p_run_print_width(const lbp_runner *r) { return 2 + (size_t)lbp_p_run_groups(r) + r->run->columns; }
LBP_COLD size_t lbp_runner_print_length(const lbp_runner *r) { return lbp_p_run_states(r) * lbp_p_run_print_width(r); }

/* States that walk through all values. */
LBP_COLD uint32_t lbp_p_run_walk(const lbp_runner *r) {
  const uint32_t values = r->c.plan.values, least = LBP_P_LEAST_SEEDED, most = LBP_P_MOST_VALUES;
  return values < least ? least : values > most ? most : values;
}

/* How many looks there are, from `least` to `most`. */
LBP_COLD uint32_t lbp_p_run_looks(const lbp_runner *r, uint32_t least, uint32_t most) {
  const double looks = LBP_P_LOOKS * LBP_P_SEGMENT / r->budget;
  return looks < least ? least : looks > most ? most : (uint32_t)looks;
}

/* Room for a fingerprint, how large its terms are, and another one that it is held against; and for states. */
LBP_COLD void lbp_runner_make_print(lbp_runner *r) {
  const uint32_t least = LBP_P_LEAST_SEEDED, most = LBP_P_MOST_KNOWN, pairs = 2 * r->run->chains;
  r->seeded = r->c.kernel->scatter ? least : lbp_p_run_looks(r, least, lbp_p_run_walk(r) + 2 * LBP_P_SPARSE);
  r->known = lbp_p_run_looks(r, 1, pairs < most ? pairs : most);
  r->print = (double *)lbp_runner_alloc(r, 3 * lbp_runner_print_length(r), sizeof *r->print);
  r->known_state = (uint8_t *)lbp_runner_alloc(r, r->known, r->packed);
}

/* Sums, and how large their terms are. */
typedef struct {
  double *sum, *size;
  uint32_t n, groups;
} lbp_p_sums;

LBP_FN void lbp_p_sums_add(lbp_p_sums *sums, uint32_t at, uint32_t i, double d) {
  const double factor = 1 + (double)(i * 2654435761u >> 22) / 1024; /* so that two changes do not cancel */
  sums->size[at] += lbp_is_finite(d) ? 1 + fabs(factor * d) : 1;
  if (!lbp_is_finite(d)) d = d > 0 ? 3000 : -1000; /* -infinity and NaN are impossible flips */
  sums->sum[at] += factor * d;
}

LBP_FN void lbp_p_sums_take(void *data, uint32_t i, double d) {
  lbp_p_sums *sums = (lbp_p_sums *)data;
  lbp_p_sums_add(sums, 2 + (uint32_t)((uint64_t)i * sums->groups / sums->n), i, d);
}

/* The run's own states: where the first chains that this process has last forgot, and their best ones; or the start. */
LBP_COLD void lbp_p_run_keep_known(lbp_runner *r) {
  uint32_t s;
  for (s = 0; s < r->known; s++) {
    const uint32_t k = s / 2 * r->members;
    const uint8_t *state = k < r->c.count ? r->state + k * r->packed : r->given;
    if (s % 2 && k < r->c.count && r->best_logp[k] > -lbp_infinity()) state = r->best + k * r->packed;
    memcpy(r->known_state + s * r->packed, state, r->packed);
  }
}

/* State number s of a fingerprint. Clamped sites stay as they are. */
LBP_COLD void lbp_p_run_set_known(const lbp_runner *r, lbp_unit *unit, uint32_t s) {
  const uint32_t walk = lbp_p_run_walk(r), most = r->c.plan.values, sparse = s < walk ? 0 : s - walk;
  lbp_rng rng;
  uint32_t i;
  if (s >= r->seeded) {
    lbp_runner_unpack(r, r->known_state + (s - r->seeded) * r->packed, unit->x);
    return;
  }
  lbp_rng_init(&rng, 0, r->c.kernel->scatter ? s : s < walk ? s / most : walk + sparse / LBP_P_SPARSE);
  if (r->c.kernel->scatter) {
    r->c.kernel->scatter(unit, r->c.model, &rng);
    return;
  }
  for (i = 0; i < r->n; i++) {
    const uint32_t values = lbp_runner_values(r, i);
    const uint64_t first = lbp_rng_u64(&rng), second = lbp_rng_u64(&rng);
    uint32_t v = 0;
    if (r->c.plan.clamp && r->c.plan.clamp[i]) continue;
    if (s < walk) v = (uint32_t)((lbp_mulhi(first, values) + s % most) % values);
    else if (values > 1 && lbp_mulhi(first, LBP_P_SPARSE) == sparse % LBP_P_SPARSE) {
      v = 1 + (uint32_t)lbp_mulhi(second, values - 1);
    }
    lbp_set_item(unit->x, r->item, i, v);
  }
}

/* The fingerprint of one state. */
LBP_COLD void lbp_p_run_print_state(const lbp_runner *r, lbp_unit *unit, lbp_p_sums *sums) {
  const uint32_t columns = r->run->columns, first = 2 + sums->groups;
  double logp;
  uint32_t i, v;
  for (i = 0; i < first + columns; i++) sums->sum[i] = sums->size[i] = 0;
  r->c.kernel->touch(unit);
  logp = r->c.kernel->logp(unit, r->c.model);
  lbp_p_sums_add(sums, 0, 0, logp);
  sums->size[0] += r->n;
  for (i = 0; r->c.kernel->temper && i < r->n; i++) {
    for (v = 1; v < 2 || (r->c.kernel->base && v < lbp_runner_values(r, i)); v++) {
      lbp_p_sums_add(sums, 1, i + v - 1, v < lbp_runner_values(r, i) ? lbp_runner_base(r, i, v) : 0);
    }
  }
  r->c.kernel->ratios(unit, r->c.model, lbp_p_sums_take, sums);
  for (i = 0; lbp_is_finite(logp) && i < columns; i++) { /* columns may fail in impossible states */
    const lbp_run_column *column = &r->run->column[i];
    lbp_p_sums_add(sums, first + i, 0, column->value(column, (const uint8_t *)unit->x, r->n));
  }
}

/* The fingerprint of the states [begin, end), in r->print and, how large its terms are, behind it. */
LBP_COLD int lbp_runner_fingerprint(lbp_runner *r, uint32_t begin, uint32_t end) {
  lbp_unit *unit = lbp_runner_spare(r);
  lbp_p_sums sums;
  uint32_t s;
  sums.n = r->n;
  sums.groups = lbp_p_run_groups(r);
  for (s = begin; unit && s < end; s++) {
    sums.sum = r->print + s * lbp_p_run_print_width(r);
    sums.size = sums.sum + lbp_runner_print_length(r);
    lbp_p_run_set_known(r, unit, s);
    lbp_p_run_print_state(r, unit, &sums);
  }
  lbp_runner_drop_spare(r, unit);
  return r->result->status;
}

/* Whether two numbers of a model are equal up to rounding, which differs among compilers and BLAS libraries. */
LBP_COLD int lbp_p_run_alike(const lbp_runner *r, double now, double then, double size) {
  return fabs(now - then) <= (r->c.kernel->real_bytes == sizeof(float) ? 1e-4 : 1e-9) * size;
}

/* Whether the constraints connect all chains' states with the first one's. */
LBP_COLD int lbp_p_run_compare_which(lbp_runner *r) {
  lbp_unit *unit = lbp_runner_spare(r);
  uint64_t first = 0, which = 0;
  uint32_t k;
  if (unit) r->c.kernel->admits(unit, r->c.model, &first);
  for (k = 0; unit && k < r->c.count; k++) {
    r->c.kernel->admits(lbp_chains_unit(&r->c, k), r->c.model, &which);
    if (which == first) continue;
    lbp_runner_fail(r->result, LBP_E_STATE, "start: chain %lu begins with other numbers of ones in its groups than "
                    "the first chain, and swaps keep them: begin with the same",
                    (unsigned long)((r->c.first + k) / r->members) + 1);
    break;
  }
  lbp_runner_drop_spare(r, unit);
  return r->result->status;
}

/* The first chain's state, for all processes; and whether all chains have the same values where sites are clamped, and
 * can reach each other's states. All processes call it. */
LBP_COLD int lbp_runner_tell_given(lbp_runner *r) {
  const int rank = lbp_runner_rank_of(r, 0); /* where there are more processes than units the first has none */
  uint32_t k, i;
  if (r->rank == rank) memcpy(r->given, r->state, r->packed);
  lbp_runner_pass(r, rank, 0, r->given, r->packed);
  lbp_runner_tell(r, r->given, r->packed);
  for (k = 0; k < r->c.count; k++) {
    for (i = 0; i < r->n && r->run->clamp; i++) {
      const uint32_t first = lbp_runner_packed_item(r, r->given, i);
      if (!r->run->clamp[i] || lbp_runner_packed_item(r, r->state + k * r->packed, i) == first) continue;
      return lbp_runner_fail(r->result, LBP_E_STATE,
                             "start: site %lu is clamped, but chain %lu begins with another value there than the "
                             "first chain: give all the same",
                             (unsigned long)i, (unsigned long)((r->c.first + k) / r->members) + 1);
    }
  }
  return r->c.kernel->admits ? lbp_p_run_compare_which(r) : LBP_OK;
}

/* ---- checkpoints ------------------------------------------------------------------------------------------------- */

/* A place in memory that values are written to, little-endian, or read from: one description of a checkpoint's
 * contents serves both. With at NULL it only counts. */
typedef struct {
  unsigned char *at;
  size_t size;
  int loading;
} lbp_p_archive;

/* Bytes as they are; loaded to nowhere if data is NULL. */
LBP_COLD void lbp_p_archive_bytes(lbp_p_archive *a, void *data, size_t bytes) {
  a->size += bytes;
  if (!a->at) return;
  if (data && a->loading) memcpy(data, a->at, bytes);
  if (data && !a->loading) memcpy(a->at, data, bytes);
  a->at += bytes;
}

LBP_COLD void lbp_p_archive_u64(lbp_p_archive *a, uint64_t *v) {
  unsigned char byte[8];
  int k;
  for (k = 0; k < 8 && !a->loading; k++) byte[k] = (unsigned char)(*v >> 8 * k & 0xff);
  lbp_p_archive_bytes(a, byte, 8);
  if (!a->loading || !a->at) return;
  for (*v = 0, k = 0; k < 8; k++) *v |= (uint64_t)byte[k] << 8 * k;
}

LBP_COLD void lbp_p_archive_u32(lbp_p_archive *a, uint32_t *v) {
  uint64_t wide = *v;
  lbp_p_archive_u64(a, &wide);
  *v = (uint32_t)wide;
}

/* `count` doubles, or room for them if v is NULL. */
LBP_COLD void lbp_p_archive_doubles(lbp_p_archive *a, double *v, size_t count) {
  size_t k;
  if (!a->at) a->size += 8 * count;
  for (k = 0; k < count && a->at; k++) {
    uint64_t bits = 0;
    if (v) memcpy(&bits, &v[k], sizeof bits);
    lbp_p_archive_u64(a, &bits);
    if (v) memcpy(&v[k], &bits, sizeof bits);
  }
}

LBP_COLD void lbp_p_archive_rng(lbp_p_archive *a, lbp_rng *rng) {
  uint32_t k;
  for (k = 0; k < 32; k++) lbp_p_archive_u64(a, &rng->state[k / 8][k % 8]);
  for (k = 0; k < LBP_RNG_BLOCK; k++) lbp_p_archive_u64(a, &rng->word[k]);
  lbp_p_archive_u32(a, &rng->left);
  if (rng->left > LBP_RNG_BLOCK) rng->left = 0;
}

LBP_COLD void lbp_p_archive_stream(lbp_p_archive *a, lbp_stream *s) {
  lbp_p_archive_doubles(a, &s->first, 1);
  lbp_p_archive_doubles(a, &s->open, 1);
  lbp_p_archive_doubles(a, s->batch, LBP_STREAM_BATCHES);
  lbp_p_archive_u64(a, &s->count);
  lbp_p_archive_u64(a, &s->length);
  lbp_p_archive_u64(a, &s->filled);
  lbp_p_archive_u32(a, &s->full);
  s->full %= LBP_STREAM_BATCHES;
}

LBP_COLD void lbp_p_archive_moves(lbp_p_archive *a, lbp_moves *moves) {
  lbp_p_archive_doubles(a, &moves->accept, 1);
  lbp_p_archive_doubles(a, &moves->parameter, 1);
  lbp_p_archive_doubles(a, &moves->jump, 1);
  lbp_p_archive_doubles(a, &moves->evaluations, 1);
}

LBP_COLD void lbp_p_archive_parts(lbp_p_archive *a, lbp_runner_parts *parts) {
  lbp_p_archive_doubles(a, &parts->tries, 1);
  lbp_p_archive_doubles(a, &parts->share, 1);
  lbp_p_archive_doubles(a, &parts->large, 1);
  lbp_p_archive_doubles(a, &parts->parts, 1);
  lbp_p_archive_doubles(a, &parts->exchanged, 1);
}

/* Unit k of this process: as it was when its weights were last rebuilt, and its best state. */
LBP_COLD void lbp_p_archive_unit(lbp_p_archive *a, lbp_runner *r, uint32_t k) {
  const size_t packed = r->packed, cells = r->run->marginals == LBP_MARGINALS_COUNTED ? lbp_runner_cells(r) : 0;
  size_t i;
  lbp_p_archive_rng(a, &r->memory[k].rng);
  lbp_p_archive_bytes(a, r->state + k * packed, packed);
  lbp_p_archive_doubles(a, r->carried + k * r->chain_words, r->chain_words);
  if (!r->run->shared_tuner) lbp_p_archive_doubles(a, lbp_runner_words(r, k), r->tuner_words);
  lbp_p_archive_moves(a, &r->memory[k].moves);
  if (a->at && !a->loading && r->c.kernel->blocked) { /* without `at` it may be one of no chain */
    r->memory[k].blocked |= r->c.kernel->blocked(lbp_chains_unit(&r->c, k)) != 0;
  }
  lbp_p_archive_u32(a, &r->memory[k].blocked);
  lbp_p_archive_doubles(a, &r->best_logp[k], 1);
  lbp_p_archive_bytes(a, r->best + k * packed, packed);
  for (i = 0; i < cells; i++) lbp_p_archive_u32(a, &r->counts[k * cells + i]);
}

/* All the rest; traces and streams are the first process's alone. */
LBP_COLD void lbp_p_archive_run(lbp_p_archive *a, lbp_runner *r) {
  const uint32_t chains = r->run->chains, watched = lbp_runner_watched(r);
  size_t cell;
  uint32_t k;
  lbp_p_archive_u64(a, &r->step);
  if (r->tracked) lbp_p_archive_u32(a, &r->schedule.run->warmup);
  for (k = 0; k < chains; k++) lbp_p_archive_u64(a, &r->mark[k]);
  lbp_p_archive_u64(a, &r->counted);
  lbp_p_archive_u64(a, &r->judged);
  lbp_p_archive_doubles(a, &r->before, 1);
  lbp_p_archive_doubles(a, &r->warming, 1);
  lbp_p_archive_doubles(a, r->ladder, r->rungs);
  lbp_p_archive_doubles(a, r->refused, r->units);
  lbp_p_archive_doubles(a, r->bridge, (size_t)2 * r->units);
  for (k = 0; k < chains && r->members > 1; k++) lbp_p_archive_rng(a, &r->swap_memory[k]);
  for (k = 0; k < chains && r->members > 1; k++) lbp_p_archive_u64(a, &r->trips[k]);
  if (r->members > 1) lbp_p_archive_bytes(a, r->trip_memory, r->units);
  if (r->parts) {
    lbp_p_archive_bytes(a, r->whole, (size_t)2 * r->rungs);
    for (k = 0; k < 2 * r->units; k++) lbp_p_archive_parts(a, &r->parts[k]);
  }
  if (r->run->shared_tuner) lbp_p_archive_doubles(a, r->words, r->rungs * r->tuner_words);
  for (k = 0; k < 2 * chains; k++) lbp_p_archive_u64(a, &r->length[k]);
  for (k = 0; k < 2 * chains; k++) lbp_p_archive_u64(a, &r->written[k]);
  if (r->print) { /* a loaded one is held against this run's */
    const size_t length = lbp_runner_print_length(r);
    lbp_p_archive_doubles(a, a->loading ? r->print + 2 * length : r->print, length);
    lbp_p_archive_bytes(a, r->known_state, r->known * r->packed);
  }
  lbp_p_archive_moves(a, &r->total);
  lbp_p_archive_u64(a, &r->every);
  lbp_p_archive_u64(a, &r->kept);
  for (cell = 0; cell < (size_t)watched * chains; cell++) {
    lbp_stream none;
    lbp_stream_init(&none);
    lbp_p_archive_stream(a, r->stream ? &r->stream[cell] : &none);
    lbp_p_archive_doubles(a, r->trace ? r->trace + 2 * cell * r->traced : NULL, (size_t)2 * r->traced);
  }
}

LBP_COLD uint64_t lbp_runner_bits(double v) {
  uint64_t bits;
  memcpy(&bits, &v, sizeof bits);
  return bits;
}

/* The options that determine the draws and their files, as names and numbers. */
enum { LBP_P_OPTIONS = 40 };
typedef struct {
  const char *name;
  uint64_t value;
} lbp_p_option;

LBP_COLD void lbp_p_run_options(const lbp_runner *r, lbp_p_option *option) {
  const lbp_run *run = r->run;
  uint64_t ladder = LBP_P_HASH, columns = LBP_P_HASH, clamp = LBP_P_HASH, given = LBP_P_HASH;
  uint32_t k;
  for (k = 0; run->clamp && k < r->n; k++) {
    clamp = (clamp ^ (run->clamp[k] != 0)) * LBP_P_PRIME;
    if (run->clamp[k]) given = (given ^ lbp_runner_packed_item(r, r->given, k)) * LBP_P_PRIME;
  }
  for (k = 0; r->schedule.ladder && k < r->schedule.rungs; k++) {
    ladder = (ladder ^ lbp_runner_bits(r->schedule.ladder[k])) * LBP_P_PRIME;
  }
  for (k = 0; run->tempering.ladder && k < run->tempering.rungs; k++) {
    ladder = (ladder ^ lbp_runner_bits(run->tempering.ladder[k])) * LBP_P_PRIME; /* by words: the same in any order */
  }
  for (k = 0; k < run->columns; k++) {
    columns = lbp_runner_hash(columns, run->column[k].name, strlen(run->column[k].name) + 1);
  }
  const lbp_p_option options[LBP_P_OPTIONS] = {
      {"number of sites", r->n},
      {"LBP_REAL", r->c.kernel->real_bytes},
      {"LBP_WEIGHT", (uint64_t)r->c.kernel->weight},
      {"LBP_SORT_ABOVE", r->c.kernel->sort_above},
      {"LBP_LANES", r->c.plan.sampler->traits & LBP_TRAIT_LANES ? r->c.kernel->lanes : 0},
      {"name", lbp_runner_hash(LBP_P_HASH, run->name, strlen(run->name))},
      {"number of values", r->c.plan.values},
      {"sampler", (uint64_t)r->c.plan.sampler->sampler},
      {"parameter", lbp_runner_bits(run->parameter)},
      {"LBP_CLOCK", r->c.plan.sampler->traits & LBP_TRAIT_TIME ? (uint64_t)r->c.kernel->clock : 0},
      {"curvature", run->curvature ? r->c.kernel->curvature_print(run->curvature) : 0},
      {"momentum.eps", r->chain_words > 0 ? lbp_runner_bits(run->momentum.eps) : 0},
      {"momentum.relax", r->chain_words > 0 ? lbp_runner_bits(run->momentum.relax) : 0},
      {"target", lbp_runner_bits(r->c.plan.target)},
      {"metric", r->metric},
      {"shared_tuner", run->shared_tuner != 0},
      {"batch", lbp_runner_group(r)},
      {"seed", run->seed},
      {"number of chains", run->chains},
      {"warmup", r->schedule.by_seconds ? 0 : run->warmup},
      {"annealing", r->tracked != NULL},
      {"annealing.schedule", (uint64_t)r->schedule.kind},
      {"annealing.hot", lbp_runner_bits(r->schedule.hot)},
      {"annealing.cold", lbp_runner_bits(r->schedule.cold)},
      {"annealing.parameter_end", r->tracked ? lbp_runner_bits(run->annealing.parameter_end) : 0},
      {"thin", run->thin},
      {"tempering.rungs", r->rungs},
      {"tempering.ladder", ladder},
      {"tempering.adapt", run->tempering.adapt != 0},
      {"tempering.adapt_ends", run->tempering.adapt_ends != 0},
      {"tempering.swap_every", r->exchange},
      {"tempering.swap_parts", r->parts != NULL},
      {"tempering.replicas", r->members / r->rungs},
      {"columns' names", columns},
      {"save_states", (uint64_t)run->save_states},
      {"marginals", (uint64_t)run->marginals},
      {"digits", (uint64_t)run->digits},
      {"prefix, or its absence,", run->prefix != NULL},
      {"clamp", clamp},
      {"state of clamped sites", given}};
  memcpy(option, options, sizeof options);
}

/* ---- checkpoints on disk ----------------------------------------------------------------------------------------- */

/* A checkpoint is
 *   "lbp run\n", layout, LBP_VERSION, options, size of the following, all but units, units in order, hash of all before
 * in little-endian 64-bit words. */
#define LBP_P_MAGIC "lbp run\n"
enum { LBP_P_LAYOUT = 12, LBP_P_HEAD = 8 + 8 * (2 + LBP_P_OPTIONS + 1) };

typedef struct {
  int file;
  uint64_t hash;
  const char *path;
} lbp_p_disk;

LBP_COLD int lbp_p_disk_write(lbp_runner *r, lbp_p_disk *disk, const void *data, size_t bytes) {
  disk->hash = lbp_runner_hash(disk->hash, data, bytes);
  if (r->result->status != LBP_OK || lbp_file_write(disk->file, data, bytes)) return r->result->status;
  return lbp_runner_file_error(r, "cannot write the checkpoint", disk->path);
}

LBP_COLD int lbp_p_disk_read(lbp_runner *r, lbp_p_disk *disk, void *data, size_t bytes) {
  char *at = (char *)data;
  size_t left = bytes;
  while (left > 0 && r->result->status == LBP_OK) {
    const int64_t part = lbp_file_read(disk->file, at, left);
    if (part < 0) return lbp_runner_file_error(r, "cannot read the checkpoint", disk->path);
    if (part == 0) {
      return lbp_runner_fail(r->result, LBP_E_FORMAT,
                             "the checkpoint %s is truncated: restore it, or remove it to start again",
                             disk->path);
    }
    at += part;
    left -= (size_t)part;
  }
  disk->hash = lbp_runner_hash(disk->hash, data, bytes);
  return r->result->status;
}

/* A unit as it is in a checkpoint. */
LBP_COLD size_t lbp_p_run_unit_bytes(lbp_runner *r) {
  lbp_p_archive a;
  memset(&a, 0, sizeof a);
  lbp_p_archive_unit(&a, r, 0); /* counts; there is room for one in a process without units, too */
  return a.size;
}

/* Where in a checkpoint the units of a process begin, after the first unit of all. Conditional marginals come behind
 * each unit that is a chain's first rung. */
LBP_COLD uint64_t lbp_p_run_units_at(const lbp_runner *r, int rank, size_t item) {
  return lbp_runner_first(r, rank) * (uint64_t)item +
         lbp_runner_first_chain(r, rank) * (uint64_t)lbp_runner_kept_cells(r) * sizeof(double);
}

/* How long these are. */
LBP_COLD size_t lbp_p_run_units_bytes(const lbp_runner *r, int rank, size_t item) {
  return (size_t)(lbp_p_run_units_at(r, rank + 1, item) - lbp_p_run_units_at(r, rank, item));
}

/* Room for those of any process; NULL, and the status, if there is none. */
LBP_COLD unsigned char *lbp_p_run_units_room(lbp_runner *r, size_t item) {
  size_t most = 0;
  int rank;
  for (rank = 0; rank < r->ranks; rank++) {
    if (lbp_p_run_units_bytes(r, rank, item) > most) most = lbp_p_run_units_bytes(r, rank, item);
  }
  return (unsigned char *)lbp_runner_alloc(r, most, 1);
}

/* All units of this process to memory, or back. */
LBP_COLD void lbp_p_run_archive_units(lbp_runner *r, unsigned char *memory, int loading) {
  lbp_p_archive a;
  uint32_t k;
  a.at = memory;
  a.size = 0;
  a.loading = loading;
  for (k = 0; k < r->c.count; k++) {
    const int64_t chain = lbp_runner_chain(r, k);
    lbp_p_archive_unit(&a, r, k);
    if (chain >= 0) lbp_p_archive_doubles(&a, lbp_runner_batches(r, (uint32_t)chain), lbp_runner_kept_cells(r));
  }
}

/* The lengths of the files of draws, by chain: CSV, states; 0 where there is none, or not yet. */
LBP_COLD int lbp_p_run_measure_files(lbp_runner *r, uint64_t *length) {
  char path[LBP_P_PATH];
  lbp_file_info info;
  uint32_t k;
  for (k = 0; lbp_p_run_has_files(r) && k < 2 * r->run->chains; k++) {
    if (k % 2 && r->run->save_states != LBP_STATES_NPY) continue;
    lbp_p_run_path(r, k / 2, k % 2, path);
    if (lbp_file_look(path, LBP_FILE_FOLLOW, &info) != 0) return lbp_runner_file_error(r, "cannot find", path);
    length[k] = info.bytes;
  }
  return LBP_OK;
}

/* Opens a new checkpoint, and writes all but the units. */
LBP_COLD int lbp_p_run_save_head(lbp_runner *r, lbp_p_disk *disk) {
  const double before = r->before;
  uint64_t word;
  lbp_p_option option[LBP_P_OPTIONS];
  unsigned char head[LBP_P_HEAD], *rest = NULL;
  lbp_p_archive a;
  uint32_t k;
  memset(&a, 0, sizeof a);
  lbp_p_run_keep_known(r);
  if (lbp_runner_fingerprint(r, r->seeded, lbp_p_run_states(r)) == LBP_OK && lbp_runner_settle_files(r) == LBP_OK) {
    lbp_p_archive_run(&a, r);
    rest = (unsigned char *)lbp_runner_alloc(r, a.size, 1);
  }
  if (rest) {
    const size_t size = a.size;
    a.at = rest;
    r->before += lbp_run_now() - r->begin;
    lbp_p_archive_run(&a, r);
    r->before = before;
    memcpy(head, LBP_P_MAGIC, 8);
    a.at = head + 8;
    lbp_p_run_options(r, option);
    lbp_p_archive_u64(&a, (word = LBP_P_LAYOUT, &word));
    lbp_p_archive_u64(&a, (word = LBP_VERSION, &word));
    for (k = 0; k < LBP_P_OPTIONS; k++) lbp_p_archive_u64(&a, &option[k].value);
    lbp_p_archive_u64(&a, (word = size, &word));
    disk->file = lbp_p_run_create(r, "cannot write the checkpoint", disk->path);
    lbp_p_disk_write(r, disk, head, sizeof head);
    lbp_p_disk_write(r, disk, rest, size);
  }
  free(rest);
  return r->result->status;
}

/* Ends a new checkpoint and puts it in the place of the old one; after a failure it is removed. */
LBP_COLD int lbp_p_run_save_tail(lbp_runner *r, lbp_p_disk *disk) {
  unsigned char hash[8];
  lbp_p_archive a;
  memset(&a, 0, sizeof a);
  a.at = hash;
  lbp_p_archive_u64(&a, &disk->hash);
  lbp_p_disk_write(r, disk, hash, sizeof hash);
  if (lbp_file_close(disk->file) != 0) lbp_runner_file_error(r, "cannot write the checkpoint", disk->path);
  return lbp_p_run_replace(r, disk->path, r->run->checkpoint);
}

/* Collects in all processes the data that each has only for its chains. */
LBP_COLD void lbp_runner_share_all(lbp_runner *r) {
  lbp_runner_share(r, lbp_runner_first_chain, r->mark, sizeof *r->mark);
  lbp_runner_share(r, lbp_runner_first, r->refused, sizeof *r->refused);
  lbp_runner_share(r, lbp_runner_first, r->bridge, 2 * sizeof *r->bridge);
  if (r->members == 1) return;
  lbp_runner_share(r, lbp_runner_first_chain, r->swap_memory, sizeof *r->swap_memory);
  lbp_runner_share(r, lbp_runner_first_chain, r->trips, sizeof *r->trips);
  lbp_runner_share(r, lbp_runner_first, r->trip_memory, 1);
  if (r->parts) lbp_runner_share(r, lbp_runner_first, r->parts, 2 * sizeof *r->parts);
}

/* Writes the checkpoint next to the old one, and then replaces that. All processes call it. */
LBP_COLD int lbp_runner_save(lbp_runner *r) {
  const size_t item = lbp_p_run_unit_bytes(r);
  unsigned char *units = lbp_p_run_units_room(r, item);
  char path[LBP_P_PATH + 8];
  lbp_p_disk disk;
  int rank;
  snprintf(path, sizeof path, "%s.new", r->run->checkpoint);
  disk.file = -1;
  disk.hash = LBP_P_HASH;
  disk.path = path;
  lbp_runner_share_all(r);
  lbp_runner_anneal_pack(r);
  if (units) {
    lbp_p_run_archive_units(r, units, 0);
    if (r->rank == 0) lbp_p_run_save_head(r, &disk);
  }
  if (lbp_runner_agree(r) == LBP_OK) {
    for (rank = 0; rank < r->ranks; rank++) { /* to the end, even if the disk gets full on the way */
      const size_t bytes = lbp_p_run_units_bytes(r, rank, item);
      lbp_runner_pass(r, rank, 0, units, bytes);
      if (r->rank == 0) lbp_p_disk_write(r, &disk, units, bytes);
    }
  }
  if (disk.file >= 0) lbp_p_run_save_tail(r, &disk);
  r->saved = lbp_run_now();
  free(units);
  return lbp_runner_agree(r);
}

LBP_COLD int lbp_p_run_refuse(lbp_runner *r, const char *why) {
  return lbp_runner_fail(r->result, LBP_E_FORMAT, "the checkpoint %s %s, or remove the checkpoint to start again",
                         r->run->checkpoint, why);
}

/* Whether a checkpoint is whole, of this layout and of this run; `rest`: the size of all but its head and its units. */
LBP_COLD int lbp_p_run_inspect(lbp_runner *r, lbp_p_disk *disk, uint64_t *rest) {
  unsigned char head[LBP_P_HEAD], block[4096];
  lbp_p_option option[LBP_P_OPTIONS];
  uint64_t layout, version, hash, left, value[LBP_P_OPTIONS];
  lbp_file_info info;
  lbp_p_archive a;
  char why[256];
  uint32_t k;
  memset(head, 0, sizeof head);
  memset(value, 0, sizeof value); /* gcc thinks that it may be read else */
  if (lbp_file_describe(disk->file, &info) != 0) {
    return lbp_runner_file_error(r, "cannot read the checkpoint", disk->path);
  }
  if (lbp_p_disk_read(r, disk, head, info.bytes < 24 ? (size_t)info.bytes : 24)) return r->result->status;
  if (memcmp(head, LBP_P_MAGIC, 8) != 0) return lbp_p_run_refuse(r, "is not a checkpoint of lbp: choose another file");
  memset(&a, 0, sizeof a);
  a.loading = 1;
  a.at = head + 8;
  lbp_p_archive_u64(&a, &layout);
  lbp_p_archive_u64(&a, &version);
  if (info.bytes >= 24 && (layout != LBP_P_LAYOUT || version != LBP_VERSION)) {
    const char *age = layout > LBP_P_LAYOUT || version > LBP_VERSION ? "a newer" : "an older";
    snprintf(why, sizeof why, "was written by %s lbp, %llu.%llu.%llu, whose draws differ: continue with that version",
             age, (unsigned long long)version / 10000, (unsigned long long)version / 100 % 100,
             (unsigned long long)version % 100);
    return lbp_p_run_refuse(r, why);
  }
  if (info.bytes < LBP_P_HEAD + 8) return lbp_p_run_refuse(r, "is truncated: restore it");
  if (lbp_p_disk_read(r, disk, head + 24, sizeof head - 24)) return r->result->status;
  for (k = 0; k < LBP_P_OPTIONS; k++) lbp_p_archive_u64(&a, &value[k]);
  lbp_p_archive_u64(&a, rest);
  for (left = info.bytes - sizeof head; left > 8 && r->result->status == LBP_OK;) {
    const size_t part = left - 8 < sizeof block ? (size_t)left - 8 : sizeof block;
    lbp_p_disk_read(r, disk, block, part);
    left -= part;
  }
  left = disk->hash;
  if (lbp_p_disk_read(r, disk, block, 8)) return r->result->status;
  a.at = block;
  lbp_p_archive_u64(&a, &hash);
  if (hash != left) return lbp_p_run_refuse(r, "is truncated or damaged: restore it");
  lbp_p_run_options(r, option);
  for (k = 0; k < LBP_P_OPTIONS; k++) {
    if (option[k].value == value[k]) continue;
    snprintf(why, sizeof why, "is of another run: its %s differs; choose another file", option[k].name);
    return lbp_p_run_refuse(r, why);
  }
  return LBP_OK;
}

/* Whether a file of draws, up to the length that it had, is as this run wrote it. */
LBP_COLD int lbp_p_run_look_into_file(lbp_runner *r, uint32_t chain, int states) {
  const uint64_t length = r->length[2 * chain + (states != 0)];
  uint64_t hash = LBP_P_HASH, at = 0;
  char path[LBP_P_PATH], block[16384];
  const int file = lbp_p_run_open(r, "cannot read", lbp_p_run_path(r, chain, states, path), LBP_FILE_READ);
  int64_t part = file < 0 ? -1 : 1;
  while (part > 0 && at < length) {
    part = lbp_file_read(file, block, length - at < sizeof block ? (size_t)(length - at) : sizeof block);
    if (part <= 0) break;
    hash = lbp_p_run_note(r, states, hash, at, block, (size_t)part);
    at += (uint64_t)part;
  }
  if (part < 0) lbp_runner_file_error(r, "cannot read", path);
  if (file >= 0) lbp_file_close(file);
  if (part < 0) return r->result->status;
  if (at < length) {
    return lbp_runner_fail(r->result, LBP_E_FORMAT, "%s is shorter than when the checkpoint was written: restore it, "
                           "or remove the checkpoint to start again", path);
  }
  if (hash == r->written[2 * chain + (states != 0)]) return LBP_OK;
  return lbp_runner_fail(r->result, LBP_E_FORMAT, "%s was changed, or is another run's: this run had written "
                         "something else by its checkpoint; restore it, or choose another prefix and remove the "
                         "checkpoint to start again", path);
}

/* Cuts the files of draws to the lengths in the checkpoint, if all of them are this run's. */
LBP_COLD int lbp_p_run_cut_files(lbp_runner *r) {
  const uint64_t *length = r->length;
  uint64_t *now = (uint64_t *)lbp_runner_alloc(r, (size_t)2 * r->run->chains, sizeof *now);
  char path[LBP_P_PATH];
  uint32_t k;
  int file;
  if (now) lbp_p_run_measure_files(r, now);
  lbp_p_run_print_head(r, 0, 0); /* finds where the number of draws is */
  for (k = 0; r->result->status == LBP_OK && k < 2 * r->run->chains; k++) {
    if (length[k] > 0) lbp_p_run_look_into_file(r, k / 2, k % 2);
  }
  for (k = 0; r->result->status == LBP_OK && k < 2 * r->run->chains; k++) {
    if (now[k] <= length[k]) continue;
    file = lbp_p_run_open(r, "cannot shorten", lbp_p_run_path(r, k / 2, k % 2, path), LBP_FILE_WRITE);
    if (file >= 0 && lbp_file_cut(file, length[k]) != 0) lbp_runner_file_error(r, "cannot shorten", path);
    if (file >= 0) lbp_file_close(file);
  }
  free(now);
  return r->result->status;
}

/* Opens the checkpoint, if it is there, and reads up to the units. Returns whether it is there. */
LBP_COLD int lbp_p_run_load_head(lbp_runner *r, lbp_p_disk *disk, unsigned char **memory, uint64_t *rest) {
  lbp_p_archive a;
  memset(&a, 0, sizeof a);
  disk->file = lbp_runner_open_input(r, "cannot read the checkpoint", disk->path, 0);
  if (disk->file < 0) return 0;
  if (lbp_p_run_inspect(r, disk, rest) != LBP_OK) return 1;
  lbp_p_archive_run(&a, r); /* counts */
  if (*rest != a.size) lbp_p_run_refuse(r, "is damaged: restore it");
  if (lbp_file_seek(disk->file, LBP_P_HEAD) != 0) lbp_runner_file_error(r, "cannot read the checkpoint", disk->path);
  if (r->result->status == LBP_OK) *memory = (unsigned char *)lbp_runner_alloc(r, (size_t)*rest, 1);
  if (*memory) lbp_p_disk_read(r, disk, *memory, (size_t)*rest);
  return 1;
}

/* Whether loaded values that are used as indices, counts or sizes are in range. */
LBP_COLD int lbp_p_run_is_sound(const lbp_runner *r) {
  const uint64_t drawn = lbp_runner_drawn(r), phase = lbp_runner_phase(r, r->step);
  uint32_t k;
  for (k = 0; k < r->run->chains; k++) {
    if (r->mark[k] < phase || r->mark[k] > r->step) return 0;
    if (r->members > 1 && r->mark[k] != r->step && (r->mark[k] - phase) % r->exchange != 0) return 0;
  }
  for (k = 0; k < r->units; k++) {
    if (r->trip_memory[k] > LBP_P_TO_HOT) return 0;
  }
  for (k = 0; r->parts && k < 2 * r->rungs; k++) {
    if (r->whole[k] > 1) return 0;
  }
  for (k = 0; k < 2 * r->run->chains; k++) {
    if (r->length[k] > 0 && !(r->run->prefix && (k % 2 == 0 || r->run->save_states == LBP_STATES_NPY))) return 0;
  }
  return r->counted <= r->step && r->every > 0 && r->kept < 2 * r->traced &&
         r->kept == drawn / r->every + (drawn % r->every != 0);
}

/* Whether model and columns are those that the checkpoint was written with. */
LBP_COLD int lbp_p_run_recognise(lbp_runner *r) {
  const size_t length = lbp_runner_print_length(r), width = lbp_p_run_print_width(r);
  const double *now = r->print, *size = now + length, *then = size + length;
  char why[512];
  size_t k = 0, at;
  if (r->rank > 0 || lbp_runner_fingerprint(r, r->seeded, lbp_p_run_states(r)) != LBP_OK) return r->result->status;
  while (k < length && lbp_p_run_alike(r, now[k], then[k], size[k])) k++;
  if (k == length) return LBP_OK;
  at = k % width + r->run->columns;
  if (at >= width) {
    snprintf(why, sizeof why, "is of another run: at the same state its column %s was %.9g and is now %.9g; restore "
             "that column", r->run->column[at - width].name, then[k], now[k]);
  } else {
    snprintf(why, sizeof why, "is of another model: at the same state, log pi or a sum of log-ratios was %.9g and is "
             "now %.9g; restore that model", then[k], now[k]);
  }
  return lbp_p_run_refuse(r, why);
}

/* Goes on from the checkpoint, if it is there. All processes call it. No file changes until all is known to be well. */
LBP_COLD int lbp_runner_load(lbp_runner *r) {
  const size_t item = lbp_p_run_unit_bytes(r);
  unsigned char *memory = NULL, *units = lbp_p_run_units_room(r, item);
  uint64_t rest = 0;
  lbp_p_archive a;
  lbp_p_disk disk;
  int found = 0, rank;
  memset(&a, 0, sizeof a);
  a.loading = 1;
  disk.file = -1;
  disk.hash = LBP_P_HASH;
  disk.path = r->run->checkpoint;
  if (r->rank == 0 && r->result->status == LBP_OK) found = lbp_p_run_load_head(r, &disk, &memory, &rest);
  lbp_runner_tell(r, &found, sizeof found);
  lbp_runner_tell(r, &rest, sizeof rest);
  if (r->rank > 0 && found && rest > 0) memory = (unsigned char *)lbp_runner_alloc(r, (size_t)rest, 1);
  if (lbp_runner_agree(r) == LBP_OK && found) {
    lbp_runner_tell(r, memory, (size_t)rest);
    a.at = memory;
    lbp_p_archive_run(&a, r);
    if (!lbp_p_run_is_sound(r)) lbp_p_run_refuse(r, "is damaged: restore it");
    for (rank = r->ranks - 1; rank >= 0; rank--) { /* its own units come last */
      const size_t bytes = lbp_p_run_units_bytes(r, rank, item);
      if (r->rank == 0) {
        const uint64_t at = LBP_P_HEAD + rest + lbp_p_run_units_at(r, rank, item);
        if (lbp_file_seek(disk.file, at) != 0) lbp_runner_file_error(r, "cannot read the checkpoint", disk.path);
        lbp_p_disk_read(r, &disk, units, bytes);
      }
      lbp_runner_pass(r, 0, rank, units, bytes);
    }
    lbp_p_run_archive_units(r, units, 1);
    lbp_runner_anneal_unpack(r);
    if (lbp_runner_agree(r) == LBP_OK) lbp_p_run_recognise(r);
    if (lbp_runner_agree(r) == LBP_OK) {
      lbp_runner_set_betas(r);
      lbp_runner_remember(r);
      if (r->rank == 0 && r->run->prefix) lbp_p_run_cut_files(r);
      r->result->resumed = 1;
    }
  }
  if (disk.file >= 0) lbp_file_close(disk.file);
  free(memory);
  free(units);
  return lbp_runner_agree(r);
}

LBP_EXACT_END

#endif /* LBP_RUN_FILES_H */
