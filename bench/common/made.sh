#!/bin/sh
# One line, of which version, on which machine and when figures are made: sh bench/common/made.sh [COMPILER AND FLAGS].
# A report that says "-dirty" is of no commit: tests/docs.sh takes none into bench/results.
cd "$(dirname "$0")/../.." || exit 2
version=$(sed -n 's/^.define LBP_VERSION \([0-9]*\).*/\1/p' lbp.h)
processor=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2> /dev/null | head -n 1)
flags=$(sed -n '/^flags/{p;q;}' /proc/cpuinfo 2> /dev/null)
case " $flags " in
  *' avx512f '*) vectors=', AVX-512' ;;
  *' avx2 '*) vectors=', AVX2' ;;
  *) vectors= ;;
esac
commit=$(git describe --always 2> /dev/null || echo unknown)
# results written before are no change of what makes them
[ "$commit" = unknown ] || git diff --quiet HEAD -- . ':(exclude)bench/results' || commit=$commit-dirty
printf 'lbp %d.%d.%d, commit %s; %s, %s cores; %s%s\n' $((version / 10000)) $((version / 100 % 100)) $((version % 100)) \
  "$commit" "${processor:-$(uname -m)}$vectors" \
  "$(getconf _NPROCESSORS_ONLN 2> /dev/null || echo '?')" "${1:+$1; }" "$(date -u +%Y-%m-%d)"
