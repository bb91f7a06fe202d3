# Roots, logarithms and powers, which some awks lack: the one of Debian's busybox is built without a mathematical library.
# A file to put before others: awk -f bench/common/numbers.awk -f FILE. Right to about 14 digits.

function square(x) { return x * x }

# By Newton's method, which comes down from above until rounding ends it; of negative numbers 0.
function root(x,    y, before) {
  if (x <= 0) return 0
  y = x > 1 ? x : 1
  do {
    before = y
    y = (y + x / y) / 2
  } while (y < before)
  return before
}

# The natural logarithm: 2 artanh z, z = (x - 1) / (x + 1), of x between 0.75 and 1.5; -1e300 of what has none.
function ln(x,    z, power_of_z, sum, twos, k) {
  if (x <= 0) return -1e300
  for (; x > 1.5; twos++) x /= 2
  for (; x < 0.75; twos--) x *= 2
  z = (x - 1) / (x + 1)
  power_of_z = z
  for (k = 1; k < 40; k += 2) {
    sum += power_of_z / k
    power_of_z *= z * z
  }
  return 2 * sum + twos * 0.693147180559945309
}

# e to the x: by its series where x is small, then squared as often as x was halved.
function e_to(x,    halved, term, sum, k) {
  for (; x > 0.5 || x < -0.5; halved++) x /= 2
  sum = term = 1
  for (k = 1; k < 20; k++) {
    term *= x / k
    sum += term
  }
  for (; halved > 0; halved--) sum *= sum
  return sum
}
