/* Template: the parameters of an instance, with its callbacks written as FORM says (see test_callbacks.c). KIND: 1
 * local, 2 dense, 3 for lbp_run.h, 4 for lbp_ab.h. Plain flips list nothing. */

#if FORM == PLAIN
#if KIND != 4
#define LBP_MODEL_T        ring
#define LBP_REAL           double
#define LBP_FIELDS_T       tally
#define LBP_RNG_T          counter
#define LBP_DELTA          plain_delta
#define LBP_NEIGHBOURS     plain_neighbours
#define LBP_MAX_NEIGHBOURS 2
#define LBP_DELTAS         plain_deltas
#define LBP_DELTAS_MANY    plain_deltas_many
#define LBP_LOGP           plain_logp
#define LBP_FIELDS_INIT    plain_set
#define LBP_FLIP           plain_flip
#define LBP_SAVE           plain_save
#define LBP_RESTORE        plain_restore
#define LBP_BASE           plain_base
#define LBP_LOG_WEIGHT     plain_log_weight
#define LBP_RNG_U64        plain_u64
#define LBP_FIELDS_MAKE    plain_make
#define LBP_FIELDS_FREE    plain_free
#else
#define LBP_MODEL_T     ring
#define LBP_REAL        double
#define LBP_GRADIENT    plain_gradient
#define LBP_LOGP        plain_log_pi
#define LBP_CONDITIONAL plain_conditional
#define LBP_RNG_T       counter
#define LBP_RNG_U64     plain_u64
#endif

#elif FORM == MACROS /* with parameters, of which some are not used, or used twice, or bare of parentheses */
#if KIND != 4
#define LBP_MODEL_T                          desk
#define LBP_REAL                             double
#define LBP_FIELDS_T                         tally
#define LBP_RNG_T                            counter
#define LBP_DELTA(m, f, x, i)                (m)->delta(&(m)->data, (f), (x), (i))
#define LBP_NEIGHBOURS(m, i, out)            (m)->neighbours(&(m)->data, (i), (out))
#define LBP_MAX_NEIGHBOURS                   1 + 1
#define LBP_DELTAS(m, f, x, out)             { plain_deltas(&(m)->data, f, x, out); }
#define LBP_DELTAS_MANY(m, f, x, out, count) plain_deltas_many(&(m)->data, f, x, out, count)
#define LBP_LOGP(m, f, x)                    (m)->data.bias * (f)->ones + (m)->data.bond * (f)->alike
#define LBP_FIELDS_INIT(m, f, x)             plain_set(&(m)->data, f, x)
#define LBP_FLIP(m, f, x, i)                 do plain_flip(&(m)->data, f, x, i); while (0)
#define LBP_FLIP_LIST(m, f, x, i, site, d)   plain_flip_list(&(m)->data, f, x, i, site, d)
#define LBP_SAVE(m, f)                       (f)->kept_ones = (f)->ones, (f)->kept_alike = (f)->alike
#define LBP_RESTORE(m, f)                    (f)->ones = (f)->kept_ones, (f)->alike = (f)->kept_alike
#define LBP_BASE(m, i)                       0.25
#define LBP_LOG_WEIGHT(d)                    0.5 * d
#define LBP_RNG_U64(generator)               (++(generator)->words, lbp_rng_u64(&(generator)->stream))
#define LBP_FIELDS_MAKE(m, f)                ((f)->memory = malloc(1)) ? LBP_OK : LBP_E_MEMORY
#define LBP_FIELDS_FREE(f)                   plain_free(f)
#else
#define LBP_MODEL_T                   desk
#define LBP_REAL                      double
#define LBP_GRADIENT(m, x, out)       plain_gradient(&(m)->data, x, out)
#define LBP_LOGP(m, x)                plain_log_pi(&(m)->data, x)
#define LBP_CONDITIONAL(m, x, i, out) plain_conditional(&(m)->data, x, i, out)
#define LBP_RNG_T                     counter
#define LBP_RNG_U64(generator)        (++(generator)->words, lbp_rng_u64(&(generator)->stream))
#endif

#elif FORM == NAMES /* of the headers' own parameters and variables */
#if KIND != 4
#define LBP_MODEL_T        m
#define LBP_REAL           real
#define LBP_FIELDS_T       fields
#define LBP_RNG_T          rng
#define LBP_DELTA          d
#define LBP_NEIGHBOURS     c
#define LBP_MAX_NEIGHBOURS count
#define LBP_DELTAS         out
#define LBP_DELTAS_MANY    chain
#define LBP_LOGP           k
#define LBP_FIELDS_INIT    x
#define LBP_FLIP           i
#define LBP_FLIP_LIST      tries
#define LBP_SAVE           list
#define LBP_RESTORE        touched
#define LBP_BASE           n
#define LBP_LOG_WEIGHT     report
#define LBP_RNG_U64        room
#define LBP_FIELDS_MAKE    u
#define LBP_FIELDS_FREE    unit
#else
#define LBP_MODEL_T     m
#define LBP_REAL        real
#define LBP_GRADIENT    gradient
#define LBP_LOGP        logp
#define LBP_CONDITIONAL info
#define LBP_RNG_T       rng
#define LBP_RNG_U64     room
#endif

#elif FORM == METHODS
#if KIND != 4
#define LBP_MODEL_T                          machine
#define LBP_REAL                             double
#define LBP_FIELDS_T                         tally
#define LBP_RNG_T                            source
#define LBP_DELTA(m, f, x, i)                (m)->delta(*f, x, i)
#define LBP_NEIGHBOURS(m, i, out)            (m)->neighbours(i, out)
#define LBP_MAX_NEIGHBOURS                   machine::most
#define LBP_DELTAS(m, f, x, out)             (m)->deltas(*f, x, out)
#define LBP_DELTAS_MANY(m, f, x, out, count) (m)->deltas_many(f, x, out, count)
#define LBP_LOGP(m, f, x)                    (m)->logp(*f, x)
#define LBP_FIELDS_INIT(m, f, x)             (m)->set(*f, x)
#define LBP_FLIP(m, f, x, i)                 (m)->flip(*f, x, i)
#define LBP_FLIP_LIST(m, f, x, i, site, d)   (m)->flip_list(*f, x, i, site, d)
#define LBP_SAVE(m, f)                       (m)->save(*f)
#define LBP_RESTORE(m, f)                    (m)->restore(*f)
#define LBP_BASE(m, i)                       (m)->base(i)
#define LBP_LOG_WEIGHT(d)                    machine::log_weight(d)
#define LBP_RNG_U64(generator)               (*(generator))()
#define LBP_FIELDS_MAKE(m, f)                (m)->make(*f)
#define LBP_FIELDS_FREE(f)                   machine::release(*f)
#else
#define LBP_MODEL_T                   machine
#define LBP_REAL                      double
#define LBP_GRADIENT(m, x, out)       (m)->gradient(x, out)
#define LBP_LOGP(m, x)                (m)->log_pi(x)
#define LBP_CONDITIONAL(m, x, i, out) (m)->conditional(x, i, out)
#define LBP_RNG_T                     source
#define LBP_RNG_U64(generator)        (*(generator))()
#endif

#elif FORM == TEMPLATES /* with commas */
#if KIND != 4
#define LBP_MODEL_T        held<ring, 1>
#define LBP_REAL           pick<float, double>::second
#define LBP_FIELDS_T       held<tally, 2>
#define LBP_RNG_T          held<counter, 3>
#define LBP_DELTA          of<1, 2>::delta
#define LBP_NEIGHBOURS     of<1, 2>::neighbours
#define LBP_MAX_NEIGHBOURS of<1, 2>::most
#define LBP_DELTAS         of<1, 2>::deltas
#define LBP_DELTAS_MANY    of<1, 2>::deltas_many
#define LBP_LOGP           of<1, 2>::logp
#define LBP_FIELDS_INIT    of<1, 2>::set
#define LBP_FLIP           of<1, 2>::flip
#define LBP_FLIP_LIST      of<1, 2>::flip_list
#define LBP_SAVE           of<1, 2>::save
#define LBP_RESTORE        of<1, 2>::restore
#define LBP_BASE           of<1, 2>::base
#define LBP_LOG_WEIGHT     of<1, 2>::log_weight
#define LBP_RNG_U64        of<1, 2>::u64
#define LBP_FIELDS_MAKE    of<1, 2>::make
#define LBP_FIELDS_FREE    of<1, 2>::release
#else
#define LBP_MODEL_T     held<ring, 1>
#define LBP_REAL        pick<float, double>::second
#define LBP_GRADIENT    of<1, 2>::gradient
#define LBP_LOGP        of<1, 2>::log_pi
#define LBP_CONDITIONAL of<1, 2>::conditional
#define LBP_RNG_T       held<counter, 3>
#define LBP_RNG_U64     of<1, 2>::u64
#endif
#endif

#define LBP_NAME CASE_PASTE(CASE, KIND)
#define LBP_CLAMPED
#if KIND != 4
#define LBP_WEIGHT LBP_CUSTOM
#define LBP_TEMPERED
#endif

/* what this kind does without */
#if KIND == 2
#undef LBP_FLIP_LIST
#undef LBP_NEIGHBOURS
#undef LBP_MAX_NEIGHBOURS
#else
#undef LBP_DELTAS
#undef LBP_DELTAS_MANY
#endif
#if KIND == 3
#undef LBP_RNG_T
#undef LBP_RNG_U64
#endif
#if KIND != 3
#undef LBP_FIELDS_MAKE
#undef LBP_FIELDS_FREE
#endif
