/* lbp/options/vector.h - loops of lbp.h that compilers don't vectorise, by the instructions of AVX-512 or AVX2:
 * LBP_VECTOR 1.
 *
 * Version 1.0.0. MIT licence, see LICENSE. Needs lbp.h, which includes it where the compiler may use these
 * instructions, unless LBP_VECTOR is 0. You need it for speed alone: draws are the same without. Don't include it
 * yourself.
 *
 * In this file's order: running sums and ratios, and the urn, by AVX-512; the same by AVX2.
 */

#include "../base/support.h"

#ifndef LBP_VECTOR_H
#define LBP_VECTOR_H

#if LBP_VECTOR

#if !defined __clang__ /* GCC 12 warns of its own variables there */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#if !defined __clang__
#pragma GCC diagnostic pop
#endif

/* ---- exchanging weights ------------------------------------------------------------------------------------------ */

/* next[], by weights of site[], into their places, where marks stay; was[] gets the old ones. Four are read before four
 * are written, unless two of them are the same site. Returns how many are done. */
LBP_INLINE uint32_t lbp_exchange4(uint32_t *weight, const uint32_t *site, const uint32_t *next, uint32_t *was,
                                  uint32_t count) {
  uint32_t k, j;
  for (k = 0; k + 4 <= count; k += 4) {
    const __m128i four = _mm_loadu_si128((const __m128i *)(const void *)(site + k));
    const __m128i beside = _mm_cmpeq_epi32(four, _mm_shuffle_epi32(four, 0x39));
    const __m128i across = _mm_cmpeq_epi32(four, _mm_shuffle_epi32(four, 0x4e)), twice = _mm_or_si128(beside, across);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(four), high = (uint64_t)_mm_extract_epi64(four, 1);
    uint32_t *const a = weight + (uint32_t)low, *const b = weight + (low >> 32);
    uint32_t *const c = weight + (uint32_t)high, *const d = weight + (high >> 32);
    if (_mm_testz_si128(twice, twice)) {
      const __m128i ab = _mm_insert_epi32(_mm_cvtsi32_si128((int)*a), (int)*b, 1);
      const __m128i cd = _mm_insert_epi32(_mm_cvtsi32_si128((int)*c), (int)*d, 1);
      const __m128i old = _mm_unpacklo_epi64(ab, cd), marks = _mm_and_si128(old, _mm_set1_epi32((int)LBP_MARK));
      const __m128i now = _mm_or_si128(marks, _mm_loadu_si128((const __m128i *)(const void *)(next + k)));
      _mm_storeu_si128((__m128i *)(void *)(was + k), old);
      *a = (uint32_t)_mm_cvtsi128_si32(now);
      *b = (uint32_t)_mm_extract_epi32(now, 1);
      *c = (uint32_t)_mm_extract_epi32(now, 2);
      *d = (uint32_t)_mm_extract_epi32(now, 3);
    } else {
      for (j = k; j < k + 4; j++) {
        was[j] = weight[site[j]];
        weight[site[j]] = next[j] | (was[j] & LBP_MARK);
      }
    }
  }
  return k;
}

#if LBP_AVX512

/* ---- running sums and ratios ------------------------------------------------------------------------------------- */

/* The running sums of eight numbers. */
LBP_INLINE __m512i lbp_scan8(__m512i v) {
  const __m512i zero = _mm512_setzero_si512();
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 7));
  v = _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 6));
  return _mm512_add_epi64(v, _mm512_alignr_epi64(v, zero, 4));
}

/* NAME_priv_real of sixteen integers. */
LBP_INLINE __m512 lbp_real16(__m512i low, __m512i high) {
  const __m512i even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  const __m512i ends = _mm512_and_si512(_mm512_permutex2var_epi32(low, even, high), _mm512_set1_epi32(0x7fffffff));
  const __m512i tops = _mm512_permutex2var_epi32(_mm512_srli_epi64(low, 31), even, _mm512_srli_epi64(high, 31));
  return _mm512_fmadd_ps(_mm512_cvtepi32_ps(tops), _mm512_set1_ps(2147483648.0f), _mm512_cvtepi32_ps(ends));
}

/* NAME_priv_ratios in single precision: the same numbers, sixteen at a time. */
LBP_INLINE uint32_t lbp_ratios16(const uint32_t *before, const uint32_t *next, uint32_t count, uint64_t *sum,
                                 uint64_t *sum_back, float *ratio) {
  const __m512i last = _mm512_set1_epi64(7);
  __m512i left = _mm512_set1_epi64((int64_t)*sum), back = _mm512_set1_epi64((int64_t)*sum_back);
  uint32_t k, lost = 0;
  for (k = 0; k < count; k += 16) {
    const uint32_t rest = count - k;
    const __mmask16 all = (__mmask16)(rest < 16 ? (1u << rest) - 1 : 0xffff);
    const __m512i w = _mm512_maskz_loadu_epi32(all, before + k), v = _mm512_maskz_loadu_epi32(all, next + k);
    const __m512i w0 = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(w));
    const __m512i w1 = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(w, 1));
    const __m512i v0 = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(v));
    const __m512i v1 = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(v, 1));
    const __m512i s0 = lbp_scan8(w0), s1 = lbp_scan8(w1);
    const __m512i middle = _mm512_sub_epi64(left, _mm512_permutexvar_epi64(last, s0));
    const __m512i b0 = _mm512_add_epi64(back, lbp_scan8(v0));
    const __m512i b1 = _mm512_add_epi64(_mm512_permutexvar_epi64(last, b0), lbp_scan8(v1));
    const __m512i l0 = _mm512_add_epi64(_mm512_sub_epi64(left, s0), w0);
    const __m512i l1 = _mm512_add_epi64(_mm512_sub_epi64(middle, s1), w1);
    const __m512 above = _mm512_mul_ps(_mm512_cvtepi32_ps(v), lbp_real16(l0, l1));
    const __m512 below = _mm512_mul_ps(_mm512_cvtepi32_ps(w), lbp_real16(b0, b1));
    /* a masked store is slow to read */
    _mm512_storeu_ps(ratio + k, _mm512_mask_div_ps(_mm512_set1_ps(1), all, above, below));
    lost |= _mm512_mask_testn_epi32_mask(all, v, v);
    left = _mm512_sub_epi64(middle, _mm512_permutexvar_epi64(last, s1));
    back = _mm512_permutexvar_epi64(last, b1);
  }
  *sum = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(left));
  *sum_back = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(back));
  return lost;
}

/* ---- the urn ----------------------------------------------------------------------------------------------------- */

/* lbp_urn_aim of eight words: item and threshold in the upper halves. */
LBP_INLINE __m512i lbp_urn_aim8(__m512i n, __m512i ceiling, __m512i word, __m512i *threshold) {
  const __m512i low = _mm512_mul_epu32(word, n);
  const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(_mm512_srli_epi64(word, 32), n), _mm512_srli_epi64(low, 32));
  const __m512i rest = _mm512_srli_epi64(_mm512_mul_epu32(low, ceiling), 32);
  *threshold = _mm512_add_epi64(_mm512_mul_epu32(high, ceiling), rest);
  return high;
}

/* lbp_urn_aim_sorted of eight words: places in order[], and thresholds. starts: where the buckets begin. */
LBP_INLINE __m512i lbp_urn_aim_sorted8(__m512i mass, const uint64_t *ends, __m512i starts, __m512i word,
                                       __m512i *threshold) {
  const __m512i first = _mm512_loadu_si512(ends), second = _mm512_loadu_si512(ends + 8);
  const __m512i one = _mm512_set1_epi64(1), top = _mm512_srli_epi64(mass, 32), high = _mm512_srli_epi64(word, 32);
  const __m512i half = _mm512_set1_epi64(0xffffffff), low = _mm512_srli_epi64(_mm512_mul_epu32(word, mass), 32);
  const __m512i mid = _mm512_add_epi64(_mm512_mul_epu32(high, mass), low);
  const __m512i low_mid = _mm512_add_epi64(_mm512_mul_epu32(word, top), _mm512_and_si512(mid, half));
  const __m512i carry = _mm512_add_epi64(_mm512_srli_epi64(mid, 32), _mm512_srli_epi64(low_mid, 32));
  const __m512i v = _mm512_add_epi64(_mm512_mul_epu32(high, top), carry); /* word mass / 2^64 */
  __m512i b = _mm512_setzero_si512(), rest, shift;
  uint32_t step;
  for (step = 8; step > 0; step /= 2) {
    const __m512i at = _mm512_add_epi64(b, _mm512_set1_epi64(step - 1));
    const __mmask8 beyond = _mm512_cmpge_epu64_mask(v, _mm512_permutex2var_epi64(first, at, second));
    b = _mm512_mask_add_epi64(b, beyond, b, _mm512_set1_epi64(step));
  }
  rest = _mm512_sub_epi64(_mm512_sub_epi64(_mm512_permutex2var_epi64(first, b, second), one), v);
  shift = _mm512_sub_epi64(_mm512_set1_epi64(31), _mm512_add_epi64(b, b));
  *threshold = _mm512_and_si512(rest, _mm512_sub_epi64(_mm512_sllv_epi64(one, shift), one));
  return _mm512_add_epi64(_mm512_maskz_permutexvar_epi32(0x5555, b, starts), _mm512_srlv_epi64(rest, shift));
}

/* Aims and selects, without replacement, sixteen tries at a time: the same candidates in the same order. */
LBP_INLINE uint32_t lbp_urn_candidates16(const lbp_urn *u, const uint32_t *weight, const uint32_t *order, uint32_t n,
                                         const uint64_t *ends, const uint64_t *word, uint32_t tries, uint32_t *out,
                                         uint32_t found) {
  const __m512i odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  const __m512i even = _mm512_sub_epi32(odd, _mm512_set1_epi32(1));
  const __m512i items = _mm512_set1_epi64(n), ceiling = _mm512_set1_epi64(u->sums.ceiling);
  const __m512i mass = _mm512_set1_epi64((int64_t)u->mass), starts = _mm512_loadu_si512(u->start);
  uint32_t k;
  for (k = 0; k < tries; k += 16) {
    const uint32_t left = tries - k;
    const __mmask16 all = (__mmask16)(left < 16 ? (1u << left) - 1 : 0xffff);
    const __m512i first = _mm512_maskz_loadu_epi64((__mmask8)all, word + k);
    const __m512i second = _mm512_maskz_loadu_epi64((__mmask8)(all >> 8), word + k + 8);
    __m512i low, high, a, b, item, threshold;
    __mmask16 kept;
    if (order && u->sorted) {
      a = lbp_urn_aim_sorted8(mass, ends, starts, first, &low);
      b = lbp_urn_aim_sorted8(mass, ends, starts, second, &high);
      item = _mm512_i32gather_epi32(_mm512_permutex2var_epi32(a, even, b), order, 4);
      threshold = _mm512_permutex2var_epi32(low, even, high);
    } else {
      a = lbp_urn_aim8(items, ceiling, first, &low);
      b = lbp_urn_aim8(items, ceiling, second, &high);
      item = _mm512_permutex2var_epi32(a, odd, b);
      if (order) item = _mm512_i32gather_epi32(item, order, 4);
      threshold = _mm512_permutex2var_epi32(low, odd, high);
    }
    kept = _mm512_mask_cmplt_epi32_mask(all, threshold, _mm512_i32gather_epi32(item, weight, 4));
    _mm512_storeu_si512(out + found, _mm512_maskz_compress_epi32(kept, item));
    found += (uint32_t)__builtin_popcount(kept);
  }
  return found;
}

/* mover[] gets those of *k .. end - 1 whose weights lie in different buckets, sixteen at a time; *k moves on. Returns
 * how many. */
LBP_INLINE uint32_t lbp_urn_movers16(const uint32_t *before, const uint32_t *weights, uint32_t *mover, uint32_t *k,
                                     uint32_t end) {
  const __m512i lane = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint32_t movers = 0;
  for (; *k + 16 <= end; *k += 16) { /* a bucket is half the number of leading zeros: see lbp_bucket */
    const __m512i old = _mm512_lzcnt_epi32(_mm512_slli_epi32(_mm512_loadu_si512(before + *k), 1));
    const __m512i now = _mm512_lzcnt_epi32(_mm512_slli_epi32(_mm512_loadu_si512(weights + *k), 1));
    const __mmask16 moves = _mm512_test_epi32_mask(_mm512_xor_si512(old, now), _mm512_set1_epi32(~1));
    const __m512i index = _mm512_add_epi32(lane, _mm512_set1_epi32((int)*k));
    _mm512_storeu_si512(mover + movers, _mm512_maskz_compress_epi32(moves, index));
    movers += (uint32_t)__builtin_popcount(moves);
  }
  return movers;
}

#else

/* ---- running sums and ratios by AVX2 ----------------------------------------------------------------------------- */

/* The next two of two rows of running sums, one in each half, which go on from *last. */
LBP_INLINE __m256i lbp_scan2(__m256i v, __m256i *last) {
  const __m256i sums = _mm256_add_epi64(_mm256_add_epi64(v, _mm256_slli_si256(v, 8)), *last);
  *last = _mm256_shuffle_epi32(sums, 0xee);
  return sums;
}

/* NAME_priv_real of four integers of each row. */
LBP_INLINE __m256 lbp_real8(__m256i first, __m256i second) {
  const __m256 low = _mm256_castsi256_ps(first), top = _mm256_castsi256_ps(_mm256_srli_epi64(first, 31));
  const __m256 next_low = _mm256_castsi256_ps(second), next_top = _mm256_castsi256_ps(_mm256_srli_epi64(second, 31));
  const __m256i ends = _mm256_and_si256(_mm256_castps_si256(_mm256_shuffle_ps(low, next_low, 0x88)),
                                        _mm256_set1_epi32(0x7fffffff));
  const __m256i tops = _mm256_castps_si256(_mm256_shuffle_ps(top, next_top, 0x88));
  const __m256 high = _mm256_mul_ps(_mm256_cvtepi32_ps(tops), _mm256_set1_ps(2147483648.0f)); /* exact */
  return _mm256_add_ps(high, _mm256_cvtepi32_ps(ends));
}

/* NAME_priv_ratios in single precision: the same numbers, eight at a time; ratio[] has room for as many, and gets 1
 * behind its end. A row has what is left of one sum, as its complement: so both rows grow. */
LBP_INLINE uint32_t lbp_ratios8(const uint32_t *before, const uint32_t *next, uint32_t count, uint64_t *sum,
                                uint64_t *sum_back, float *ratio) {
  const __m256i zero = _mm256_setzero_si256(), flip = _mm256_setr_epi64x(-1, -1, 0, 0);
  const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), turn = _mm256_setr_epi32(7, 0, 1, 2, 3, 4, 5, 6);
  __m256i last = _mm256_setr_epi64x((int64_t)~*sum, (int64_t)~*sum, (int64_t)*sum_back, (int64_t)*sum_back);
  __m256i lost = zero;
  __m256 left = _mm256_set1_ps((float)(int32_t)(*sum >> 31) * 2147483648.0f + (float)(int32_t)(*sum & 0x7fffffff));
  uint64_t ends[4];
  uint32_t k;
  for (k = 0; k < count; k += 8) {
    const __m256i all = _mm256_cmpgt_epi32(_mm256_set1_epi32((int)(count - k)), lane);
    const __m256i w = _mm256_maskload_epi32((const int *)(const void *)(before + k), all);
    const __m256i v = _mm256_maskload_epi32((const int *)(const void *)(next + k), all);
    const __m256i low = _mm256_permute2x128_si256(w, v, 0x20), high = _mm256_permute2x128_si256(w, v, 0x31);
    const __m256i s0 = _mm256_xor_si256(lbp_scan2(_mm256_unpacklo_epi32(low, zero), &last), flip);
    const __m256i s1 = _mm256_xor_si256(lbp_scan2(_mm256_unpackhi_epi32(low, zero), &last), flip);
    const __m256i s2 = _mm256_xor_si256(lbp_scan2(_mm256_unpacklo_epi32(high, zero), &last), flip);
    const __m256i s3 = _mm256_xor_si256(lbp_scan2(_mm256_unpackhi_epi32(high, zero), &last), flip);
    const __m256 a = lbp_real8(s0, s1), b = lbp_real8(s2, s3);
    const __m256 then = _mm256_permutevar8x32_ps(_mm256_permute2f128_ps(a, b, 0x20), turn);
    const __m256 above = _mm256_mul_ps(_mm256_cvtepi32_ps(v), _mm256_blend_ps(then, left, 1));
    const __m256 below = _mm256_mul_ps(_mm256_cvtepi32_ps(w), _mm256_permute2f128_ps(a, b, 0x31));
    const __m256 quotient = _mm256_blendv_ps(_mm256_set1_ps(1), _mm256_div_ps(above, below), _mm256_castsi256_ps(all));
    _mm256_storeu_ps(ratio + k, quotient);
    lost = _mm256_or_si256(lost, _mm256_and_si256(_mm256_cmpeq_epi32(v, zero), all));
    left = then;
  }
  _mm256_storeu_si256((__m256i *)(void *)ends, last);
  *sum = ~ends[0];
  *sum_back = ends[2];
  return !_mm256_testz_si256(lost, lost);
}

/* ---- the urn by AVX2 --------------------------------------------------------------------------------------------- */

/* lbp_urn_aim of four words: item and threshold in the upper halves. */
LBP_INLINE __m256i lbp_urn_aim4(__m256i n, __m256i ceiling, __m256i word, __m256i *threshold) {
  const __m256i low = _mm256_mul_epu32(word, n);
  const __m256i high = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(word, 32), n), _mm256_srli_epi64(low, 32));
  const __m256i rest = _mm256_srli_epi64(_mm256_mul_epu32(low, ceiling), 32);
  *threshold = _mm256_add_epi64(_mm256_mul_epu32(high, ceiling), rest);
  return high;
}

/* The upper halves of four numbers, and behind them those of four others. */
LBP_INLINE __m256i lbp_upper8(__m256i v, __m256i w) {
  const __m256i both = _mm256_blend_epi32(_mm256_srli_epi64(v, 32), w, 0xaa);
  return _mm256_permutevar8x32_epi32(both, _mm256_setr_epi32(0, 2, 4, 6, 1, 3, 5, 7));
}

/* Where the bytes come from that bring the chosen of four words, one bit for each, to the front. */
LBP_INLINE __m128i lbp_front4(uint32_t chosen) {
  static const uint8_t from[16][16] = {
    {0}, {0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7},
    {8, 9, 10, 11}, {0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 8, 9, 10, 11}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
    {12, 13, 14, 15}, {0, 1, 2, 3, 12, 13, 14, 15}, {4, 5, 6, 7, 12, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 7, 12, 13, 14, 15}, {8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 3, 8, 9, 10, 11, 12, 13, 14, 15}, {4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};
  return _mm_loadu_si128((const __m128i *)(const void *)from[chosen]);
}

/* Aims and selects, of items that are not sorted and without replacement, four tries at a time: the same candidates in
 * the same order. *count moves on; returns how many of the tries are done. Weights come one by one: processors without
 * AVX-512 gather slowly. */
LBP_INLINE uint32_t lbp_urn_candidates4(uint32_t most, const uint32_t *weight, uint32_t n, const uint64_t *word,
                                        uint32_t tries, uint32_t *out, uint32_t *count) {
  const __m256i items = _mm256_set1_epi64x(n), ceiling = _mm256_set1_epi64x(most);
  const uint32_t end = tries & ~3u;
  size_t k, found = *count; /* of the width of a pointer */
  for (k = 0; k < end; k += 4) {
    __m256i rest;
    const __m256i four = _mm256_loadu_si256((const __m256i *)(const void *)(word + k));
    const __m256i aim = lbp_urn_aim4(items, ceiling, four, &rest), both = lbp_upper8(aim, rest);
    const __m128i item = _mm256_castsi256_si128(both), threshold = _mm256_extracti128_si256(both, 1);
    const uint64_t two = (uint64_t)_mm_cvtsi128_si64(item), more = (uint64_t)_mm_extract_epi64(item, 1);
    const __m128i low = _mm_insert_epi32(_mm_cvtsi32_si128((int)weight[(uint32_t)two]), (int)weight[two >> 32], 1);
    const __m128i high = _mm_insert_epi32(_mm_cvtsi32_si128((int)weight[(uint32_t)more]), (int)weight[more >> 32], 1);
    const __m128i kept = _mm_cmpgt_epi32(_mm_unpacklo_epi64(low, high), threshold);
    const uint32_t chosen = (uint32_t)_mm_movemask_ps(_mm_castsi128_ps(kept));
    _mm_storeu_si128((__m128i *)(void *)(out + found), _mm_shuffle_epi8(item, lbp_front4(chosen)));
    found += (uint32_t)__builtin_popcount(chosen);
  }
  *count = (uint32_t)found;
  return end;
}

#endif
#endif

#endif /* LBP_VECTOR_H */
