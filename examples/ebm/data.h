/* Training pictures: an IDX file (MNIST and the like, gzipped with zlib), or shapes that are drawn here. */
#ifndef EBM_DATA_H
#define EBM_DATA_H

#include "idx.h"
#include "model.h"

enum { EBM_SHAPES = 2000 }; /* as many as `make ebm` draws */

typedef struct {
  uint32_t count;
  uint8_t *grey;       /* [count][EBM_N]: how likely a pixel is 1, in 255ths */
  double mean[EBM_N];  /* of draws from that */
} ebm_data;

/* A disc, a ring, a rectangle, a frame, a cross or a bar, somewhere, and one pixel in 32 wrong: pictures without noise
 * have infinite log-ratios, and training after them never comes to rest. */
LBP_FN void ebm_draw_shape(lbp_rng *rng, uint8_t *grey) {
  const uint64_t word = lbp_rng_u64(rng);
  const int kind = (int)(word % 6), size = EBM_SIDE / 7 + (int)(word >> 8 & 0xff) % (EBM_SIDE / 5 + 1);
  const int thick = 1 + (int)(word >> 16 & 1), hole = size - thick - 1, places = EBM_SIDE - 2 * size;
  const int x0 = size + (int)(word >> 24 & 0xff) % places, y0 = size + (int)(word >> 32 & 0xff) % places;
  int x, y;
  for (y = 0; y < EBM_SIDE; y++) {
    for (x = 0; x < EBM_SIDE; x++) {
      const int dx = abs(x - x0), dy = abs(y - y0), far = dx > dy ? dx : dy, square = dx * dx + dy * dy;
      int in;
      switch (kind) {
        case 0: in = square <= size * size; break;
        case 1: in = square <= size * size && square > hole * hole; break;
        case 2: in = far <= size; break;
        case 3: in = far <= size && far > hole; break;
        case 4: in = (dx <= thick && dy <= size) || (dy <= thick && dx <= size); break;
        default: in = dy <= thick && dx <= size;
      }
      if (lbp_rng_u64(rng) >> 59 == 0) in = !in;
      grey[y * EBM_SIDE + x] = in ? 255 : 0;
    }
  }
}

LBP_FN void ebm_data_free(ebm_data *data) {
  free(data->grey);
  memset(data, 0, sizeof *data);
}

LBP_FN int ebm_data_shapes(ebm_data *data, uint32_t count, char *why) {
  lbp_rng rng;
  uint32_t n;
  data->count = count;
  data->grey = (uint8_t *)malloc((size_t)count * EBM_N);
  if (!data->grey) {
    snprintf(why, IDX_WHY, "out of memory: %lu shapes", (unsigned long)count);
    return LBP_E_MEMORY;
  }
  lbp_rng_init(&rng, 28, 0);
  for (n = 0; n < count; n++) ebm_draw_shape(&rng, data->grey + (size_t)n * EBM_N);
  return LBP_OK;
}

LBP_FN int ebm_data_file(ebm_data *data, const char *path, char *why) {
  idx_images images;
  const int status = idx_read(&images, path, why);
  if (status != LBP_OK) return status;
  if (images.rows != EBM_SIDE || images.cols != EBM_SIDE || images.count == 0) {
    snprintf(why, IDX_WHY, "%.200s: %lu images of %lu x %lu pixels: %d x %d are wanted", path,
             (unsigned long)images.count, (unsigned long)images.rows, (unsigned long)images.cols, EBM_SIDE, EBM_SIDE);
    idx_free(&images);
    return LBP_E_SIZE;
  }
  data->grey = images.pixels;
  data->count = images.count;
  return LBP_OK;
}

/* Reads pictures of a file, or draws `shapes` shapes where path is NULL. Not `dynamic`: pixels are 1 where they are
 * more than half grey. LBP_E_FILE, LBP_E_FORMAT, LBP_E_SIZE (of other pictures) or LBP_E_MEMORY with a sentence in
 * why[IDX_WHY]; then there is nothing to free. */
LBP_FN int ebm_data_read(ebm_data *data, const char *path, uint32_t shapes, int dynamic, char *why) {
  int status;
  size_t n;
  uint32_t i;
  memset(data, 0, sizeof *data);
  status = path ? ebm_data_file(data, path, why) : ebm_data_shapes(data, shapes, why);
  if (status != LBP_OK) return status;
  for (n = 0; !dynamic && n < (size_t)data->count * EBM_N; n++) data->grey[n] = data->grey[n] > 127 ? 255 : 0;
  for (n = 0; n < data->count; n++) {
    for (i = 0; i < EBM_N; i++) data->mean[i] += data->grey[n * EBM_N + i] / 255.0 / data->count;
  }
  return LBP_OK;
}

/* One picture of ones and zeros. */
LBP_FN void ebm_data_take(const ebm_data *data, uint32_t which, lbp_rng *rng, uint8_t *x) {
  const uint8_t *grey = data->grey + (size_t)which * EBM_N;
  uint32_t i;
  for (i = 0; i < EBM_N; i++) {
    if (grey[i] == 0 || grey[i] == 255) x[i] = grey[i] == 255;
    else x[i] = (uint8_t)lbp_bernoulli_trial(lbp_rng_u64(rng), grey[i] / 255.0);
  }
}

/* `count` pictures, any. */
LBP_FN void ebm_data_batch(const ebm_data *data, uint32_t count, lbp_rng *rng, uint8_t *x, const uint8_t **at) {
  uint32_t k;
  for (k = 0; k < count; k++) {
    at[k] = x + (size_t)k * EBM_N;
    ebm_data_take(data, (uint32_t)(lbp_rng_u64(rng) % data->count), rng, x + (size_t)k * EBM_N);
  }
}

#endif
