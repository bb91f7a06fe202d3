// lbp from C++11: a chain that owns its memory, and two models in one program.
//
//   c++ -O3 -march=native -std=c++11 -I.. cpp.cc -lm && ./a.out
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "lbp_stats.h"

// Independent coins: P(x_i = 1) = p_i.
struct coins {
  std::vector<double> log_odds;
};

static double coins_delta(const coins *m, const uint8_t *x, uint32_t i) {
  return x[i] ? -m->log_odds[i] : m->log_odds[i];
}
static uint32_t coins_neighbours(const coins *, uint32_t, uint32_t *) { return 0; }

#define LBP_NAME           coin
#define LBP_MODEL_T        coins
#define LBP_DELTA          coins_delta
#define LBP_NEIGHBOURS     coins_neighbours
#define LBP_MAX_NEIGHBOURS 0
#include "lbp.h"

// Guests at a round table who will not sit (1) next to each other; every seat taken is e^gain times as likely.
// A model with methods, which the macros call.
struct table {
  uint32_t seats;
  double gain;

  double delta(const uint8_t *x, uint32_t i) const {
    const bool next_to = x[(i + 1) % seats] || x[(i + seats - 1) % seats];
    if (x[i]) return -gain;
    return next_to ? -INFINITY : gain;  // an impossible flip
  }
  uint32_t neighbours(uint32_t i, uint32_t *out) const {
    out[0] = (i + 1) % seats;
    out[1] = (i + seats - 1) % seats;
    return 2;
  }
};

#define LBP_NAME                  guest
#define LBP_MODEL_T               table
#define LBP_DELTA(m, x, i)        (m)->delta(x, i)
#define LBP_NEIGHBOURS(m, i, out) (m)->neighbours(i, out)
#define LBP_MAX_NEIGHBOURS        2
#include "lbp.h"

// State and workspace, which a chain refers to: they live and move together.
struct memory {
  std::vector<uint8_t> x;
  std::vector<uint64_t> ws;
  explicit memory(uint32_t n) : x(n, 0), ws(LBP_WS_LEN(n)) {}
};

static void must(int status) {
  if (status != LBP_OK) throw std::runtime_error(lbp_error(status));
}

// Mean number of ones over some tuned LBP steps.
static double mean_coins(const coins &model, lbp_rng &rng) {
  const uint32_t n = static_cast<uint32_t>(model.log_odds.size());
  memory m(n);
  coin_chain chain;
  coin_tuner tuner;
  must(coin_init(&chain, n, m.x.data(), m.ws.data(), m.ws.size()));
  must(coin_tuner_init(&tuner, n, 2000, LBP_TARGET_LBP));
  double sum = 0;
  for (int t = 0; t < 22000; t++) {
    coin_albp_step(&chain, &model, &tuner, &rng);
    if (t < 2000) continue;
    for (uint8_t bit : m.x) sum += bit;
  }
  return sum / 20000;
}

static double mean_guests(const table &model, lbp_rng &rng) {
  memory m(model.seats);
  guest_chain chain;
  must(guest_init(&chain, model.seats, m.x.data(), m.ws.data(), m.ws.size()));
  double sum = 0;
  for (int t = 0; t < 200000; t++) {
    guest_lbp_step(&chain, &model, 1, &rng);
    for (uint8_t bit : m.x) sum += bit;
  }
  return sum / 200000;
}

int main() {
  try {
    lbp_rng rng;
    lbp_rng_init(&rng, 11, 0);

    coins model;
    double expected = 0;
    for (int i = 0; i < 500; i++) {
      const double p = 0.25 + 0.5 * i / 499;
      model.log_odds.push_back(std::log(p / (1 - p)));
      expected += p;
    }
    const double coins_mean = mean_coins(model, rng);
    std::printf("500 coins:       %7.3f ones on average, %7.3f expected\n", coins_mean, expected);

    // exact, from the transfer matrix: its eigenvalues are (1 +- r) / 2, r = sqrt(1 + 4 e^gain)
    const table round = {30, 0.5};
    const double w = std::exp(round.gain), r = std::sqrt(1 + 4 * w), up = (1 + r) / 2, down = (1 - r) / 2;
    const double z = std::pow(up, 30) + std::pow(down, 30);
    const double exact = 30 * w / r * (std::pow(up, 29) - std::pow(down, 29)) / z;
    const double guests_mean = mean_guests(round, rng);
    std::printf("30 seats:        %7.3f guests on average, %7.3f expected\n", guests_mean, exact);
    return std::fabs(coins_mean - expected) < 1 && std::fabs(guests_mean - exact) < 0.1 ? 0 : 1;
  } catch (const std::exception &e) {
    std::fprintf(stderr, "cpp: %s\n", e.what());
    return 1;
  }
}
