/* A small residual network on pictures of ones and zeros, in float: its value, the gradient to the picture and to the
 * parameters, for many pictures at once. It is the network of Grathwohl et al. (ICML 2021), which both papers train: a
 * 3x3 convolution from 1 to C channels, two residual blocks of stride 2, `deep` ones of stride 1, the mean over pixels,
 * a linear function. A block is y = swish(conv(swish(conv(x))) + x), where the stride is 2 with a 1x1 convolution of x
 * in place of x; swish(v) = v / (1 + e^-v).
 *
 * Tensors are [picture][row][column][channel]. The neighbours of a pixel, [ky][kx][channel], are then k stretches of
 * memory, and a convolution is their copy and one product of matrices: by CBLAS with LBP_CBLAS 1, else by loops. */
#ifndef NET_H
#define NET_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../lbp.h"

#ifndef LBP_CBLAS
#define LBP_CBLAS 0
#endif
#if LBP_CBLAS
#include <cblas.h>
#endif

/* NET_GROUP: pictures that go through the network together; NET_SPREAD: floats, about, of copied neighbours that are
 * multiplied together: they shall stay in the second cache. */
enum { NET_GROUP = 16, NET_DEEP_MOST = 30, NET_BLOCKS_MOST = NET_DEEP_MOST + 2, NET_SPREAD = 1 << 14 };

/* A convolution: where its parameters are, weights [k][k][in][out] and then out biases. */
typedef struct {
  uint32_t in, out, side, stride, k; /* side: of the input */
  size_t at;
} net_conv;

/* A network. Its parameters are one array, so that an optimiser need not know their meaning. */
typedef struct {
  uint32_t side, channels, blocks;
  net_conv first, conv[NET_BLOCKS_MOST][2], across[2]; /* the two of each block; 1x1, of those of stride 2 */
  size_t linear, parameters;                           /* linear: channels weights and a bias */
} net;

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

LBP_FN size_t net_pixels(uint32_t side) { return (size_t)side * side; }
LBP_FN uint32_t net_side(const net_conv *conv) { return conv->side / conv->stride; } /* of the output */
LBP_FN uint32_t net_window(const net_conv *conv) { return conv->k * conv->k * conv->in; }
LBP_FN size_t net_weights(const net_conv *conv) { return (size_t)conv->out * net_window(conv); }

LBP_FN net_conv net_add(net *m, uint32_t in, uint32_t side, uint32_t stride, uint32_t k) {
  const net_conv conv = {in, m->channels, side, stride, k, m->parameters};
  m->parameters += net_weights(&conv) + conv.out;
  return conv;
}

/* A network for pictures of side x side pixels, side a multiple of 4, at most 256; 1 to 256 channels, `deep` blocks of
 * stride 1, at most NET_DEEP_MOST. Returns LBP_E_SIZE if it can't be. */
LBP_FN int net_init(net *m, uint32_t side, uint32_t channels, uint32_t deep) {
  uint32_t b;
  memset(m, 0, sizeof *m);
  if (side < 4 || side > 256 || side % 4 || channels < 1 || channels > 256 || deep > NET_DEEP_MOST) return LBP_E_SIZE;
  m->side = side;
  m->channels = channels;
  m->blocks = 2 + deep;
  m->first = net_add(m, 1, side, 1, 3);
  for (b = 0; b < m->blocks; b++) {
    const uint32_t stride = b < 2 ? 2 : 1, in = b == 0 ? side : b == 1 ? side / 2 : side / 4;
    m->conv[b][0] = net_add(m, channels, in, stride, 3);
    m->conv[b][1] = net_add(m, channels, in / stride, 1, 3);
    if (b < 2) m->across[b] = net_add(m, channels, in, 2, 1);
  }
  m->linear = m->parameters;
  m->parameters += channels + 1;
  return LBP_OK;
}

/* The k-th convolution, NULL behind the last. */
LBP_FN const net_conv *net_each(const net *m, uint32_t k) {
  if (k == 0) return &m->first;
  if (--k < 2 * m->blocks) return &m->conv[k / 2][k % 2];
  k -= 2 * m->blocks;
  return k < 2 ? &m->across[k] : NULL;
}

/* Floats that go into a convolution, out of it, of one picture. */
LBP_FN size_t net_in(const net_conv *conv) { return net_pixels(conv->side) * conv->in; }
LBP_FN size_t net_out(const net_conv *conv) { return net_pixels(net_side(conv)) * conv->out; }

/* Multiplications in one picture's value; its gradient takes as many again, and that to the parameters, too. */
LBP_FN double net_products(const net *m) {
  const net_conv *conv;
  double products = m->channels;
  uint32_t k;
  for (k = 0; (conv = net_each(m, k)) != NULL; k++) products += (double)net_out(conv) * net_window(conv);
  return products;
}

/* Random parameters: weights uniform with variance 1 / (3 inputs), as in the original; biases 0. */
LBP_FN void net_randomise(const net *m, float *theta, lbp_rng *rng) {
  const net_conv *conv;
  uint32_t k, i;
  size_t w;
  memset(theta, 0, m->parameters * sizeof *theta);
  for (k = 0; (conv = net_each(m, k)) != NULL; k++) {
    const float bound = 1 / sqrtf((float)net_window(conv));
    for (w = 0; w < net_weights(conv); w++) theta[conv->at + w] = bound * (2 * (float)lbp_u01(lbp_rng_u64(rng)) - 1);
  }
  for (i = 0; i < m->channels; i++) {
    theta[m->linear + i] = (2 * (float)lbp_u01(lbp_rng_u64(rng)) - 1) / sqrtf((float)m->channels);
  }
}

/* ---- convolutions ------------------------------------------------------------------------------------------------ */

/* One convolution of `count` pictures. spread, turned: workspace, for copied neighbours and for weights. */
typedef struct {
  const net_conv *conv;
  const float *theta;
  uint32_t count;
  float *spread, *turned;
} net_pass;

/* A few floats, mostly in lines of the cache: calls of memcpy and memset take longer. */
LBP_INLINE void net_copy(float *to, const float *from, uint32_t count) {
  uint32_t i = 0;
  for (; i + 16 <= count; i += 16) memcpy(to + i, from + i, 16 * sizeof *to);
  for (; i < count; i++) to[i] = from[i];
}

LBP_INLINE void net_zero(float *to, uint32_t count) {
  while (count > 0) to[--count] = 0;
}

LBP_INLINE void net_add_to(float *restrict to, const float *restrict what, uint32_t count) {
  uint32_t i;
  for (i = 0; i < count; i++) to[i] += what[i];
}

/* Of one row of pixels and one row of their neighbours: from the neighbours, x, to `at`, [pixel][kx][in], every `step`
 * floats; or, where x is NULL, added from there to dx. width: k * in, of the window of a pixel. */
LBP_INLINE void net_row(const net_conv *conv, uint32_t width, const float *x, float *dx, float *at, uint32_t step) {
  const uint32_t side = conv->side, in = conv->in, k = conv->k, pad = k / 2, small = net_side(conv);
  uint32_t q;
  for (q = 0; q < small; q++, at += step) {
    const uint32_t column = q * conv->stride, over = column + k > side + pad ? column + k - side - pad : 0;
    if (column >= pad && over == 0) { /* the whole window is inside */
      const size_t source = (size_t)(column - pad) * in;
      if (x) net_copy(at, x + source, width);
      else net_add_to(dx + source, at, width);
    } else {
      const uint32_t cut = column < pad ? (pad - column) * in : 0, end = width - over * in;
      const size_t source = (size_t)column * in + cut - pad * in;
      if (x) {
        net_zero(at, cut);
        net_copy(at + cut, x + source, end - cut);
        net_zero(at + end, width - end);
      } else {
        net_add_to(dx + source, at + cut, end - cut);
      }
    }
  }
}

/* Copies the neighbours of all pixels of `count` pictures, [pixel][ky][kx][in], 0 outside, from x to spread; or, where
 * x is NULL, adds them to where they come from, to dx. */
LBP_INLINE void net_neighbours(const net_conv *conv, uint32_t count, const float *x, float *dx, float *spread) {
  const uint32_t small = net_side(conv), side = conv->side, k = conv->k, pad = k / 2, width = k * conv->in;
  uint32_t n, r, q, ky;
  for (n = 0; n < count; n++) {
    for (r = 0; r < small; r++, spread += small * k * width) {
      for (ky = 0; ky < k; ky++) {
        const uint32_t row = r * conv->stride + ky - pad; /* -1 is outside, too */
        float *at = spread + ky * width;
        if (row < side) {
          const size_t source = ((size_t)n * side + row) * side * conv->in;
          const float *from = x ? x + source : NULL;
          float *to = x ? NULL : dx + source;
          if (conv->in == 1 && k == 3) net_row(conv, 3, from, to, at, 9); /* the compiler knows its three floats */
          else net_row(conv, width, from, to, at, k * width);
        } else if (x) {
          for (q = 0; q < small; q++, at += k * width) net_zero(at, width);
        }
      }
    }
  }
}

LBP_FN void net_spread(const net_conv *conv, const float *x, uint32_t count, float *spread) {
  net_neighbours(conv, count, x, NULL, spread);
}

LBP_FN void net_gather(const net_conv *conv, float *spread, uint32_t count, float *dx) {
  net_neighbours(conv, count, NULL, dx, spread);
}

/* c += a b, c rows x columns, a rows x inner, or `turned`, inner x rows. */
LBP_FN void net_product(int turned, size_t rows, size_t columns, size_t inner, const float *a, const float *b,
                        float *c) {
#if LBP_CBLAS
  cblas_sgemm(CblasRowMajor, turned ? CblasTrans : CblasNoTrans, CblasNoTrans, (int)rows, (int)columns, (int)inner, 1,
              a, (int)(turned ? rows : inner), b, (int)columns, 1, c, (int)columns);
#else
  const size_t outer = turned ? inner : rows, middle = turned ? rows : inner; /* a as it lies in memory */
  size_t r, k;
  for (r = 0; r < outer; r++) {
    for (k = 0; k < middle; k++) {
      const float scale = a[r * middle + k], *row = b + (turned ? r : k) * columns;
      float *sum = c + (turned ? k : r) * columns;
      size_t j;
      for (j = 0; j < columns; j++) sum[j] += scale * row[j];
    }
  }
#endif
}

/* A tile: pictures whose neighbours are copied and multiplied at once. */
LBP_FN uint32_t net_tile(const net_conv *conv) {
  const size_t pictures = NET_SPREAD / (net_pixels(net_side(conv)) * net_window(conv));
  return pictures > 0 ? (uint32_t)pictures : 1;
}

/* y += the convolution of x. */
LBP_FN void net_forward(const net_pass *p, const float *x, float *y) {
  const net_conv *conv = p->conv;
  const uint32_t tile = net_tile(conv);
  uint32_t n;
  for (n = 0; n < p->count; n += tile) {
    const uint32_t count = p->count - n < tile ? p->count - n : tile;
    net_spread(conv, x + n * net_in(conv), count, p->spread);
    net_product(0, count * net_pixels(net_side(conv)), conv->out, net_window(conv), p->spread, p->theta + conv->at,
                y + n * net_out(conv));
  }
}

/* dx += the gradient to the input. With stride 1 that is a convolution, too, with the weights turned around; else, and
 * where the input has fewer channels than the output, products for all neighbours of a pixel, added to where they
 * are. */
LBP_FN void net_backward(const net_pass *p, const float *dy, float *dx) {
  const net_conv *conv = p->conv;
  const float *weight = p->theta + conv->at;
  const uint32_t tile = net_tile(conv), window = net_window(conv), kk = conv->k * conv->k;
  const int around = conv->stride == 1 && conv->in == conv->out;
  uint32_t n, o, i, t;
  for (t = 0; t < kk; t++) {
    for (i = 0; i < conv->in; i++) {
      for (o = 0; o < conv->out; o++) {
        const size_t to = around ? ((kk - 1 - t) * conv->out + o) * conv->in + i : (o * kk + t) * conv->in + i;
        p->turned[to] = weight[(t * conv->in + i) * conv->out + o];
      }
    }
  }
  if (around) {
    net_pass back = *p;
    net_conv same = *conv;
    same.at = 0;
    back.conv = &same;
    back.theta = p->turned;
    net_forward(&back, dy, dx);
    return;
  }
  for (n = 0; n < p->count; n += tile) {
    const uint32_t count = p->count - n < tile ? p->count - n : tile;
    const size_t pixels = count * net_pixels(net_side(conv));
    memset(p->spread, 0, pixels * window * sizeof *p->spread);
    net_product(0, pixels, window, conv->out, dy + n * net_out(conv), p->turned, p->spread);
    net_gather(conv, p->spread, count, dx + n * net_in(conv));
  }
}

/* dtheta += the gradient to the weights and biases. */
LBP_FN void net_learn(const net_pass *p, const float *x, const float *dy, float *dtheta) {
  const net_conv *conv = p->conv;
  const uint32_t tile = net_tile(conv), out = conv->out;
  float *dweight = dtheta + conv->at, *dbias = dweight + net_weights(conv);
  size_t j;
  uint32_t n, o;
  for (n = 0; n < p->count; n += tile) {
    const uint32_t count = p->count - n < tile ? p->count - n : tile;
    const size_t pixels = count * net_pixels(net_side(conv));
    net_spread(conv, x + n * net_in(conv), count, p->spread);
    net_product(1, net_window(conv), out, pixels, p->spread, dy + n * net_out(conv), dweight);
  }
  for (j = 0; j < p->count * net_pixels(net_side(conv)); j++) {
    for (o = 0; o < out; o++) dbias[o] += dy[j * out + o];
  }
}

/* y = the biases, with which each sum begins; y += the biases if `add`. */
LBP_FN void net_bias(const net_pass *p, int add, float *y) {
  const uint32_t out = p->conv->out;
  const float *bias = p->theta + p->conv->at + net_weights(p->conv);
  size_t pixels = net_pixels(net_side(p->conv)) * p->count;
  uint32_t o;
  for (; pixels > 0; pixels--, y += out) {
    for (o = 0; o < out; o++) y[o] = add ? y[o] + bias[o] : bias[o];
  }
}

/* ---- swish ------------------------------------------------------------------------------------------------------- */

/* y = swish(v), and v = swish'(v), which the way back needs. */
LBP_FN void net_swish(float *v, size_t count, float *y) {
  size_t i;
  for (i = 0; i < count; i++) {
    float above, below, s;
    lbp_exp_quotient(lbp_clamp(v[i], 80), &above, &below);
    s = above / (above + below);
    y[i] = v[i] * s;
    v[i] = s + y[i] * (1 - s);
  }
}

LBP_FN void net_multiply(float *g, const float *factor, size_t count) {
  size_t i;
  for (i = 0; i < count; i++) g[i] *= factor[i];
}

/* ---- the network ------------------------------------------------------------------------------------------------- */

/* Memory for one group of pictures. */
typedef struct {
  float *picture, *back;                             /* as floats; the gradient to them */
  float *x[NET_BLOCKS_MOST + 1];                     /* the input of each block, and the output of the last */
  float *inner[NET_BLOCKS_MOST];                     /* between the two convolutions of a block */
  float *slope[NET_BLOCKS_MOST][2];                  /* swish' at their outputs */
  float *g, *h, *f;                                  /* gradients on their way */
  float *spread, *turned;                            /* of a pass */
} net_memory;

/* Lays memory out from `at`; returns how many floats there must be. memory, at: NULL to ask only. */
LBP_FN size_t net_lay(const net *m, net_memory *memory, float *at) {
  const size_t wide = NET_GROUP * net_pixels(m->side) * m->channels;
  size_t spread = NET_SPREAD, used = 0;
  const net_conv *conv;
  uint32_t b;
#define NET_LAY(name, count) \
  (memory && at ? (void)(memory->name = at + used) : (void)0, used += ((count) + 15) / 16 * 16)
  NET_LAY(picture, NET_GROUP * net_pixels(m->side));
  NET_LAY(back, NET_GROUP * net_pixels(m->side));
  NET_LAY(x[0], wide);
  for (b = 0; b < m->blocks; b++) {
    const size_t size = NET_GROUP * net_out(&m->conv[b][1]);
    NET_LAY(inner[b], size);
    NET_LAY(slope[b][0], size);
    NET_LAY(slope[b][1], size);
    NET_LAY(x[b + 1], size);
  }
  NET_LAY(g, wide);
  NET_LAY(h, wide);
  NET_LAY(f, wide / 4);
  for (b = 0; (conv = net_each(m, b)) != NULL; b++) {
    const size_t least = net_pixels(net_side(conv)) * net_window(conv); /* of one picture */
    if (spread < least) spread = least;
  }
  NET_LAY(spread, spread);
  NET_LAY(turned, net_weights(&m->conv[0][1]));
#undef NET_LAY
  return used;
}

LBP_FN net_pass net_begin(const net_conv *conv, const float *theta, uint32_t count, const net_memory *w) {
  net_pass pass;
  pass.conv = conv;
  pass.theta = theta;
  pass.count = count;
  pass.spread = w->spread;
  pass.turned = w->turned;
  return pass;
}

/* Values of up to NET_GROUP pictures; intermediate values stay in memory for net_group_back. */
LBP_FN void net_group(const net *m, const float *theta, const uint8_t *const *picture, uint32_t count, net_memory *w,
                      float *value) {
  const size_t pixels = net_pixels(m->side), last = net_pixels(m->side / 4);
  net_pass pass = net_begin(&m->first, theta, count, w);
  uint32_t b, n, c;
  size_t i;
  for (n = 0; n < count; n++) {
    for (i = 0; i < pixels; i++) w->picture[n * pixels + i] = picture[n][i];
  }
  net_bias(&pass, 0, w->x[0]);
  net_forward(&pass, w->picture, w->x[0]);
  for (b = 0; b < m->blocks; b++) {
    const size_t size = net_out(&m->conv[b][1]) * count;
    float *u = w->slope[b][0], *v = w->slope[b][1]; /* at first the arguments of swish */
    pass.conv = &m->conv[b][0];
    net_bias(&pass, 0, u);
    net_forward(&pass, w->x[b], u);
    net_swish(u, size, w->inner[b]);
    if (b < 2) {
      pass.conv = &m->across[b];
      net_bias(&pass, 0, v);
      net_forward(&pass, w->x[b], v);
    } else {
      memcpy(v, w->x[b], size * sizeof *v);
    }
    pass.conv = &m->conv[b][1];
    net_bias(&pass, 1, v);
    net_forward(&pass, w->inner[b], v);
    net_swish(v, size, w->x[b + 1]);
  }
  for (n = 0; n < count; n++) {
    const float *x = w->x[m->blocks] + n * last * m->channels;
    double sum = 0;
    for (i = 0; i < last; i++) {
      float here = 0;
      for (c = 0; c < m->channels; c++) here += theta[m->linear + c] * x[i * m->channels + c];
      sum += (double)here;
    }
    value[n] = (float)(sum / (double)last + (double)theta[m->linear + m->channels]);
  }
}

/* Back from the values of the last net_group: to the pictures, into w->back; or, if dtheta is there, weight[n] times
 * the gradient to the parameters is added to it. */
LBP_FN void net_group_back(const net *m, const float *theta, uint32_t count, const float *weight, net_memory *w,
                           float *dtheta) {
  const size_t last = net_pixels(m->side / 4);
  net_pass pass = net_begin(&m->first, theta, count, w);
  float *g = w->g, *h = w->h, *swap; /* g: to a block's output, then before its swish; h: to its input */
  uint32_t b, n, c;
  size_t i;
  for (n = 0; n < count; n++) {
    const float share = (dtheta ? weight[n] : 1) / (float)last;
    const size_t at = n * last * m->channels;
    for (i = 0; i < last; i++) {
      for (c = 0; c < m->channels; c++) g[at + i * m->channels + c] = share * theta[m->linear + c];
    }
    for (i = 0; dtheta && i < last; i++) {
      for (c = 0; c < m->channels; c++) dtheta[m->linear + c] += share * w->x[m->blocks][at + i * m->channels + c];
    }
    if (dtheta) dtheta[m->linear + m->channels] += weight[n];
  }
  for (b = m->blocks; b-- > 0;) {
    const size_t size = net_out(&m->conv[b][1]) * count;
    net_multiply(g, w->slope[b][1], size);
    pass.conv = &m->conv[b][1];
    if (dtheta) net_learn(&pass, w->inner[b], g, dtheta);
    memset(w->f, 0, size * sizeof *w->f);
    net_backward(&pass, g, w->f);
    net_multiply(w->f, w->slope[b][0], size);
    if (b < 2) {
      pass.conv = &m->across[b];
      if (dtheta) net_learn(&pass, w->x[b], g, dtheta);
      memset(h, 0, net_in(pass.conv) * count * sizeof *h);
      net_backward(&pass, g, h);
      swap = g, g = h, h = swap;
    } /* otherwise the gradient of the shortcut is g itself */
    pass.conv = &m->conv[b][0];
    if (dtheta) net_learn(&pass, w->x[b], w->f, dtheta);
    net_backward(&pass, w->f, g);
  }
  pass.conv = &m->first;
  if (dtheta) {
    net_learn(&pass, w->picture, g, dtheta);
  } else {
    memset(w->back, 0, net_in(&m->first) * count * sizeof *w->back);
    net_backward(&pass, g, w->back);
  }
}

#endif
