/* A training run on disk: one file, replaced when the new one is complete, with a checksum. Numbers are as in memory,
 * so a file from a machine of the other byte order is rejected. */
#ifndef EBM_STORE_H
#define EBM_STORE_H

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "basic.h"
#include "train.h"

enum { EBM_WHY = 400, EBM_LAYOUT = 3, EBM_PIECES = 9 + EBM_BATCH, EBM_HEAD = 5 };
#define EBM_MAGIC UINT64_C(0x4e55524d42455042) /* other bytes first on machines of the other order */

typedef struct {
  void *at;
  size_t bytes;
} ebm_piece;

/* The head of a file, and the run's settings: they have to agree. */
LBP_FN void ebm_head(const ebm_trainer *t, uint64_t *head) {
  const uint64_t values[EBM_HEAD] = {EBM_MAGIC, EBM_LAYOUT, LBP_VERSION, EBM_SIDE, t->model.shape.parameters};
  memcpy(head, values, sizeof values);
}

/* The rest, in order. */
LBP_FN uint32_t ebm_pieces(ebm_trainer *t, ebm_piece *piece) {
  const size_t parameters = t->model.shape.parameters * sizeof *t->theta;
  const ebm_piece all[] = {
    {t->model.logit, sizeof t->model.logit},
    {&t->iteration, sizeof t->iteration},
    {t->theta, parameters},
    {t->mean, parameters},
    {t->moment, parameters},
    {t->square, parameters},
    {t->buffer, (size_t)EBM_BUFFER * EBM_N},
    {&t->rng, sizeof t->rng},
    {t->words, ebm_tuner_words(t) * sizeof *t->words},
  };
  uint32_t k;
  t->walk.kernel.tuner_save(t->chains.tuner, t->words);
  memcpy(piece, all, sizeof all);
  for (k = 0; k < EBM_BATCH; k++) {
    const ebm_piece draws = {&lbp_chains_unit(&t->chains, k)->rng, sizeof(lbp_rng)};
    piece[EBM_PIECES - EBM_BATCH + k] = draws;
  }
  return EBM_PIECES;
}

/* The name of the first option in which two runs differ; NULL: in none. */
LBP_FN const char *ebm_differ(const ebm_how *a, const ebm_how *b) {
  return a->channels != b->channels ? "--channels"
         : a->deep != b->deep       ? "--deep"
         : a->steps != b->steps     ? "--steps"
         : a->sampler != b->sampler ? "--sampler"
         : a->sites != b->sites     ? "--sites"
         : a->sigma < b->sigma || a->sigma > b->sigma ? "--sigma"
         : a->alpha < b->alpha || a->alpha > b->alpha ? "--alpha"
         : a->by_jump != b->by_jump ? "--tune"
         : a->warmup != b->warmup   ? "--warmup"
         : a->rate < b->rate || a->rate > b->rate ? "--rate"
         : a->decay < b->decay || a->decay > b->decay ? "the running mean"
         : a->weight != b->weight   ? "EBM_WEIGHT, with which the program was made"
         : a->dynamic != b->dynamic ? "--dynamic"
         : a->seed != b->seed       ? "--seed"
                                    : NULL;
}

/* FNV-1a. */
LBP_FN uint64_t ebm_hash(uint64_t hash, const void *data, size_t bytes) {
  const unsigned char *in = (const unsigned char *)data;
  size_t k;
  for (k = 0; k < bytes; k++) hash = (hash ^ in[k]) * UINT64_C(0x100000001b3);
  return hash;
}
#define EBM_HASH UINT64_C(0xcbf29ce484222325)

/* Writes bytes that the checksum counts. */
LBP_FN int ebm_put(FILE *file, const void *data, size_t bytes, uint64_t *hash) {
  *hash = ebm_hash(*hash, data, bytes);
  return fwrite(data, 1, bytes, file) == bytes;
}

/* Writes the run to a new file, which then replaces the old one: at any time there is a whole one. LBP_E_FILE with a
 * sentence in why[EBM_WHY]. */
LBP_FN int ebm_save(ebm_trainer *t, const char *path, char *why) {
  ebm_piece piece[EBM_PIECES];
  const uint32_t count = ebm_pieces(t, piece);
  uint64_t head[EBM_HEAD], hash = EBM_HASH;
  char beside[1024];
  uint32_t k;
  FILE *file;
  int ok;
  ebm_head(t, head);
  snprintf(beside, sizeof beside, "%.1000s.new", path);
  file = basic_create(beside);
  ok = file && ebm_put(file, head, sizeof head, &hash) && ebm_put(file, &t->how, sizeof t->how, &hash);
  for (k = 0; ok && k < count; k++) ok = ebm_put(file, piece[k].at, piece[k].bytes, &hash);
  ok = ok && fwrite(&hash, sizeof hash, 1, file) == 1 && fflush(file) == 0 && fsync(fileno(file)) == 0;
  if (file && fclose(file) != 0) ok = 0;
  if (ok && rename(beside, path) == 0) return LBP_OK;
  snprintf(why, EBM_WHY, "%.200s: cannot be written: %s", path, strerror(errno));
  remove(beside);
  return LBP_E_FILE;
}

/* The fault in a file's bytes; NULL if there is none. */
LBP_FN const char *ebm_judge(ebm_trainer *t, const unsigned char *all, size_t read, size_t bytes, char *why) {
  uint64_t want[EBM_HEAD], hash;
  const char *option;
  ebm_how how;
  ebm_head(t, want);
  if (read < sizeof want + sizeof how || memcmp(all, want, sizeof *want) != 0) {
    return "no training run of this kind of machine: give another name";
  }
  if (memcmp(all, want, 3 * sizeof *want) != 0) return "of another version: go on with that, or give another name";
  memcpy(&how, all + sizeof want, sizeof how);
  option = ebm_differ(&how, &t->how);
  if (option) {
    snprintf(why, EBM_WHY, "a run with another value of %s: give the same, or another name", option);
    return why;
  }
  if (memcmp(all, want, sizeof want) != 0) return "of another network: give another name";
  if (read < bytes + sizeof hash) return "truncated: restore it, or remove it to start again";
  if (read > bytes + sizeof hash) return "longer than it should be: restore it, or remove it to start again";
  memcpy(&hash, all + bytes, sizeof hash);
  if (hash != ebm_hash(EBM_HASH, all, bytes)) return "damaged: restore it, or remove it to start again";
  if (memcmp(all + sizeof want + sizeof how, t->model.logit, sizeof t->model.logit) != 0) {
    return "a run on other data: give the same, or another name";
  }
  return NULL;
}

/* Opens a run's file, if it is a regular one: no pipe is waited for. NULL, and a sentence in why[EBM_WHY]. */
LBP_FN FILE *ebm_open(const char *path, char *why) {
  struct stat info;
  const int odd = stat(path, &info) == 0 && !S_ISREG(info.st_mode);
  FILE *file = odd ? NULL : fopen(path, "rb");
  if (!file) snprintf(why, EBM_WHY, "%.200s: cannot be read: %s", path, odd ? "no regular file" : strerror(errno));
  return file;
}

/* The settings of a file's run, without looking at the rest. LBP_E_FILE or LBP_E_FORMAT with a sentence in
 * why[EBM_WHY]. */
LBP_FN int ebm_peek(const char *path, ebm_how *how, char *why) {
  uint64_t head[EBM_HEAD];
  FILE *file = ebm_open(path, why);
  int ok;
  if (!file) return LBP_E_FILE;
  ok = fread(head, sizeof head, 1, file) == 1 && head[0] == EBM_MAGIC && fread(how, sizeof *how, 1, file) == 1;
  fclose(file);
  if (ok) return LBP_OK;
  snprintf(why, EBM_WHY, "%.200s: no training run of this kind of machine: give another name", path);
  return LBP_E_FORMAT;
}

/* Goes on from a file of a run that is made of the same as t, which is at its beginning. LBP_E_FILE, LBP_E_MEMORY or
 * LBP_E_FORMAT with a sentence in why[EBM_WHY]; then t is as it was. */
LBP_FN int ebm_load(ebm_trainer *t, const char *path, char *why) {
  ebm_piece piece[EBM_PIECES];
  const uint32_t count = ebm_pieces(t, piece);
  size_t bytes = EBM_HEAD * sizeof(uint64_t) + sizeof t->how, read, at = bytes;
  char sentence[EBM_WHY];
  const char *wrong;
  unsigned char *all;
  uint32_t k;
  FILE *file = ebm_open(path, why);
  if (!file) return LBP_E_FILE;
  for (k = 0; k < count; k++) bytes += piece[k].bytes;
  all = (unsigned char *)malloc(bytes + sizeof(uint64_t) + 1); /* one too many, if the file has it */
  read = all ? fread(all, 1, bytes + sizeof(uint64_t) + 1, file) : 0;
  if (!all || ferror(file)) {
    const int status = all ? LBP_E_FILE : LBP_E_MEMORY;
    snprintf(why, EBM_WHY, "%.200s: cannot be read: %s", path, strerror(all ? errno : ENOMEM));
    fclose(file);
    free(all);
    return status;
  }
  fclose(file);
  wrong = ebm_judge(t, all, read, bytes, sentence);
  for (k = 0; !wrong && k < count; at += piece[k++].bytes) memcpy(piece[k].at, all + at, piece[k].bytes);
  free(all);
  if (!wrong) t->walk.kernel.tuner_load(t->chains.tuner, t->words);
  ebm_changed(&t->model);
  if (!wrong) return LBP_OK;
  snprintf(why, EBM_WHY, "%.200s: %.190s", path, wrong);
  return LBP_E_FORMAT;
}

#endif
