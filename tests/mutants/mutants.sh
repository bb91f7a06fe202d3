#!/bin/sh
# Plants bugs in copies of the headers, one at a time, and expects the tests to catch each. A list, LIST.txt, has a bug a
# line: its name, in 38 columns, and a sed program; the line `plant` below says in which headers, and which test must fail.
# Usage: tests/mutants/mutants.sh [LIST ...], from anywhere; `ab` by default; CC as usual. All lists, resumably: all.sh.
# BUG=words: only those whose name has these words. OTHERS=0: nothing of the other lists.
# Of the other lists it is seen whether each program still changes something, so none can rot. Mostly compiling is what
# takes the time: tcc does it where it is and can (TCC=: never), and $CC what tcc's programs don't catch; the other way
# round where a test runs longer. Little is optimised, and the tests stop at their first failure.
set -u
cd "$(dirname "$0")/../.." || exit 1
lists=" ${*:-ab} "
for list in $lists; do
  if [ ! -f "tests/mutants/$list.txt" ]; then
    echo "mutants.sh: there is no list $list: tests/mutants/LIST.txt" >&2
    exit 2
  fi
done
if ! command -v timeout > /dev/null; then
  echo 'skipped: planted bugs: no timeout, which ends those that hang'
  echo '0 passed, 0 failed, 1 skipped'
  exit
fi
cc=${CC:-cc} tcc=${TCC-tcc}
command -v "${tcc:-none}" >/dev/null || tcc=
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests" "$dir/bench"
cp -r examples "$dir"
cp -r bench/common bench/compare "$dir/bench"
cp -R lbp*.h lbp "$dir"
cp -r tests/*.[ch] tests/cases tests/exact "$dir/tests"
passed=0 failed=0
say() { # result name
  printf '  %-38s %s\n' "$2" "$1"
  case $1 in caught|hangs|passes) passed=$((passed + 1)) ;; *) failed=$((failed + 1)) ;; esac
}

# plant 'headers' LIST TEST 'arguments of the test' flags: a bug is planted into whichever header it fits
plant() {
  headers=$1 list=$2 test=$3 arguments=$4
  shift 4
  planting=0
  case $lists in *" $list ") planting=1 ;; esac
  [ $planting = 1 ] || [ "${OTHERS:-1}" = 1 ] || return
  build() { $compiler -std=c99 -O0 -DTEST_STOP "$@" -o "$dir/test" "$dir/tests/$test" -lm 2>"$dir/errors"; }
  if [ $planting = 1 ]; then
    case " $* " in *' -march='*|*' -fopenmp '*|*' -O2 '*|*' -DEXACT_LENGTH='*) able= ;; *) able=$tcc ;; esac
    compilers='' least=0 limit=300
    for compiler in "$cc" ${able:+"$able"}; do # the one whose bugs take less time comes first
      began=$(date +%s)
      [ $least = 0 ] && most=86400 || most=$((60 + 2 * least)) # one that takes far longer is left out
      if build "$@" && timeout "$most" "$dir/test" $arguments >"$dir/out" 2>&1; then
        took=$(($(date +%s) - began))
        if [ $took -gt $least ]; then compilers="$compilers $compiler"; else compilers="$compiler $compilers"; fi
        least=$took limit=$((limit + 3 * took)) # far beyond what it takes where nothing hangs
      elif [ "$compiler" = "$cc" ]; then
        say FAILS "($list, no bug)"
        cat "$dir/errors"
        return
      fi
    done
    say passes "($list, no bug)"
  fi
  grep -v '^#' "tests/mutants/$list.txt" | sed -n "s/^$only//p" >"$dir/list"
  cat $headers >"$dir/all"
  [ -s "$dir/list" ] || say "IS EMPTY" "$list $only"
  while IFS= read -r line; do
    program=${line#$columns} # a pattern, on purpose
    name=${line%"$program"}
    name=${name%"${name##*[! ]}"}
    case $name in *"${BUG-}"*) ;; *) continue ;; esac
    if [ $planting = 0 ]; then # all headers at once, as there are thousands of such lines; to the first substitution
      if [ -n "$(sed -n -e "$program" -e 't hit' -e b -e ': hit' -e 'p;q' "$dir/all")" ]; then
        passed=$((passed + 1))
        continue
      fi
      sed "$program" "$dir/all" >"$dir/changed" || exit 1
      if cmp -s "$dir/all" "$dir/changed"; then say "CHANGES NOTHING" "$name"; else passed=$((passed + 1)); fi
      continue
    fi
    changed=0
    for header in $headers; do
      sed "$program" "$header" >"$dir/$header" || exit 1
      cmp -s "$header" "$dir/$header" || changed=1
    done
    if [ $changed = 0 ]; then say "CHANGES NOTHING" "$name"; continue; fi
    for compiler in $compilers; do # by another one, too, before it survives: they take other branches
      result='DOES NOT COMPILE'
      build "$@" || continue
      timeout "$limit" "$dir/test" $arguments >"$dir/out" 2>&1
      case $? in 0) result=SURVIVES ;; 124) result=hangs ;; *) result=caught ;; esac # it is seen that a test does not end
      [ "$result" = SURVIVES ] || break
    done
    say "$result" "$name"
    [ "$result" != 'DOES NOT COMPILE' ] || cat "$dir/errors"
  done <"$dir/list"
  for header in $headers; do cp "$header" "$dir/$header"; done
}
only=
columns=$(printf '%38s' '' | tr ' ' '?')

runs='lbp_run.h lbp/base/platform.h lbp/run/want.h lbp/run/runner.h lbp/run/schedule.h lbp/run/steps.h lbp/run/go.h lbp/run/files.h lbp/run/json.h lbp/run/ladder.h
  lbp/run/marginals.h lbp/run/columns.h lbp/run/ais.h lbp/run/chains.h lbp/run/kernel.h lbp/run/flip_kernel.h'

plant lbp.h exact test_exact.c '' -DEXACT_QUICK -DEXACT_TRIALS=20000u
plant 'lbp/options/clusters.h lbp/base/moves.h lbp.h' cluster_steps test_cluster_steps.c '' -DAPI_QUICK -O1
plant lbp/options/parts.h parts test_parts.c '' -DAPI_QUICK -O1
plant lbp_ab.h ab test_ab.c '' -DAB_TRIALS=5000
plant lbp_ab.h ab_adaptive test_ab_adaptive.c '' -DAPI_QUICK
plant lbp/base/linear.h linear test_ab_adaptive.c '' -DAPI_QUICK
plant lbp_perm.h perm test_perm.c '' -DAPI_QUICK -O1
plant 'lbp_perm.h lbp/run/perm_kernel.h' perm_checked test_perm_checked.c '' -D_POSIX_C_SOURCE=200809L -O1
plant lbp_ab.h clamped_ab test_clamped_ab.c '' -DAPI_QUICK
plant lbp_ab.h momentum test_momentum.c '' -DAPI_QUICK
plant 'lbp.h lbp/options/many.h lbp/options/tempered.h' steps test_steps.c '' -DAPI_QUICK
plant 'lbp.h lbp/options/many.h' laws test_laws.c 'small rbm product fhmm strip torus' -O1 -DEXACT_LENGTH=4
plant lbp.h laws_long test_laws.c 'small rbm product' -O1 -DEXACT_LENGTH=16
plant lbp_ab.h laws_ab test_laws.c 'spins lattice' -O1 -DEXACT_LENGTH=4
plant lbp.h tails test_tails.c '' -DAPI_QUICK
plant lbp_ab.h tails_ab test_tails.c '' -DAPI_QUICK
plant 'lbp.h lbp/base/numbers.h' api test_api.c '' -DAPI_QUICK
plant 'lbp/models/local.h lbp_models.h' models test_models.c '' -O1
plant lbp/models/selection.h selection test_selection.c '' -D_POSIX_C_SOURCE=200809L -O1
plant 'lbp/models/potts.h lbp/models/local.h lbp/models/alignment.h lbp/models/potts_train.h' potts test_potts.c '' -D_POSIX_C_SOURCE=200809L -DAPI_QUICK
plant 'lbp/models/qubo.h lbp/models/words.h' qubo test_qubo.c '' -DAPI_QUICK
plant examples/infer.c infer test_infer.c '' -D_POSIX_C_SOURCE=200809L -O1 -I"$dir"
plant lbp/models/factors.h factors test_factors.c '' -DAPI_QUICK
plant lbp/models/factors.h memory_factors test_memory_factors.c ''
plant lbp.h urn test_urn.c '' -DAPI_QUICK
plant 'lbp.h lbp/options/sweeps.h lbp/base/moves.h lbp/options/clock.h lbp/options/jumps.h lbp/base/numbers.h lbp/options/tempered.h lbp/options/fields.h' sharp test_sharp.c '' -O1 -DSHARP_TRIALS=30000u
plant 'lbp.h lbp/options/clamped.h lbp/options/checked.h lbp/base/checked.h lbp/options/clock.h lbp/base/moves.h lbp/options/flip_list.h lbp/options/many.h lbp/options/sweeps.h' clamped test_clamped.c ''
plant 'lbp.h lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h lbp/options/clamped.h lbp/options/jumps.h' swap test_swap.c '' -DAPI_QUICK
plant 'lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h lbp/options/checked.h lbp/base/checked.h lbp/options/clamped.h' swap_checked test_swap_checked.c ''
plant 'lbp/options/cat.h lbp/options/cat_parameters.h lbp/base/moves.h lbp/options/tempered.h lbp.h' cat test_cat.c '' -DAPI_QUICK
plant 'lbp/options/cat.h lbp/options/cat_parameters.h lbp/base/moves.h lbp/options/clamped.h lbp.h' clamped_cat test_clamped_cat.c '' -O1 -DAPI_QUICK
pairs='lbp.h lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h lbp/options/clamped.h lbp/options/tempered.h lbp/options/jumps.h lbp/options/path.h lbp/options/clock.h lbp/options/sweeps.h lbp_ab.h lbp/options/many.h'
plant "$pairs" pairs test_pairs.c ''
plant "$pairs" pairs_long test_pairs.c '' -DPAIRS_KINDS
plant 'lbp/options/cat.h lbp/options/cat_parameters.h lbp/base/moves.h lbp.h lbp/options/clamped.h lbp/options/tempered.h lbp/options/many.h' pairs_cat test_pairs_cat.c ''
plant 'lbp/options/cat.h lbp/models/potts.h lbp/base/moves.h' powers test_powers.c ''
plant lbp_perm.h pairs_perm test_pairs_perm.c ''
plant lbp.h switches test_switches.c '' -DAPI_QUICK
plant 'lbp.h lbp/options/sweeps.h lbp/base/moves.h lbp/options/clock.h lbp/options/jumps.h lbp/options/path.h lbp/options/cat.h lbp/options/cat_parameters.h lbp_ab.h lbp/run/flip_kernel.h' log_ratio test_log_ratio.c '' -D_POSIX_C_SOURCE=200809L
plant 'lbp.h lbp/options/flip_list.h' flip_list test_flip_list.c ''
plant 'lbp/options/path.h lbp/base/moves.h lbp/options/jumps.h lbp.h' path test_path.c '' -O1 -DAPI_QUICK
plant 'lbp/options/terms.h lbp/options/pairs.h' terms test_terms.c '' -DAPI_QUICK
plant 'lbp/options/terms.h lbp/options/checked.h' terms_checked test_terms_checked.c ''
plant lbp/options/lanes.h lanes test_lanes.c '' -DAPI_QUICK
plant 'lbp/run/lanes_kernel.h lbp/run/chains.h lbp/run/files.h lbp/run/flip_kernel.h lbp/run/runner.h lbp/run/ladder.h lbp/run/schedule.h lbp/run/anneal.h lbp/run/go.h' run_lanes test_run_lanes.c '' -D_POSIX_C_SOURCE=200809L -O1
plant 'lbp/run/chains.h lbp/run/go.h lbp/run/runner.h lbp/run/flip_kernel.h' run_terms test_run_terms.c '' -D_POSIX_C_SOURCE=200809L
plant bench/compare/clusters.h clusters test_clusters.c '' -D_POSIX_C_SOURCE=200809L -O2
wanted=$lists
if ! $cc -march=native -dM -E - </dev/null 2>/dev/null | grep -q __AVX512VL__; then
  case $lists in *' vectors ') echo '  (vectors: only where the compiler has AVX-512; left out)' ;; esac
  lists=
fi
plant 'lbp.h lbp/options/vector.h' vectors test_urn.c '' -O2 -march=native -DAPI_QUICK
lists=$wanted
wanted=$lists
if ! $cc -march=native -mno-avx512f -dM -E - </dev/null 2>/dev/null | grep -q __AVX2__; then
  case $lists in *' avx2 '*|*' exchange ') echo '  (avx2, exchange: only where the compiler has AVX2; left out)' ;; esac
  lists=
fi
plant 'lbp.h lbp/options/vector.h' avx2 test_urn.c '' -O2 -march=native -mno-avx512f -DAPI_QUICK
plant 'lbp.h lbp/options/vector.h lbp/models/local.h' exchange test_flip_list.c '' -O1 -march=native -mno-avx512f
lists=$wanted
wanted=$lists
if ! $cc -march=native -dM -E - </dev/null 2>/dev/null | grep -q __FMA__; then
  case $lists in *' fused ') echo '  (fused: only where the compiler has FMA; left out)' ;; esac
  lists=
fi
plant lbp/models/local.h fused test_fused.c '' -O1 -fexpensive-optimizations -march=native -mtune=generic -ffp-contract=fast -DLBP_MODELS_REAL=double
lists=$wanted
plant 'lbp.h lbp/options/fields.h' check test_check.c '' -DAPI_QUICK
plant 'lbp.h lbp/options/checked.h lbp/base/checked.h lbp/options/many.h' checked test_checked.c ''
plant "$runs lbp/options/clusters.h" run_clusters test_run_clusters.c '' -O1
plant "$runs" run test_run.c '' -D_POSIX_C_SOURCE=200809L -DAPI_QUICK
plant "$runs lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h" run_swap test_run_swap.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "$runs" clock test_run_clock.c '' -O1 -fopenmp
plant "$runs lbp/options/clock.h lbp/base/moves.h lbp/options/path.h lbp/options/swap.h lbp/options/groups.h lbp/options/jumps.h lbp/run/anneal.h" long test_run_stops.c '' -O1 -fopenmp
plant "$runs" wide test_run_wide.c '' -O1
plant "lbp.h lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h $runs" parity test_parity.c '' -D_POSIX_C_SOURCE=200809L -O1 -DAPI_QUICK
plant "$runs" promises test_run_promises.c '' -O1
plant "lbp_bridge.h lbp/base/platform.h" bridge test_bridge.c '' -D_POSIX_C_SOURCE=200809L -O1 -pthread
plant "$runs lbp/run/anneal.h lbp/run/perm_kernel.h" json test_run_json.c '' -D_POSIX_C_SOURCE=200809L
plant "$runs lbp/run/options.h" options test_run_options.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "$runs" ladder test_run_ladder.c '' -O1
plant "$runs" run_parts test_run_parts.c '' -O1 -DAPI_QUICK
plant "$runs" run_laws test_run_laws.c '' -D_POSIX_C_SOURCE=200809L -O1
nan='lbp.h lbp/options/sweeps.h lbp/options/cat.h lbp_perm.h lbp/run/perm_kernel.h lbp_ab.h'
plant "$runs $nan" nan test_run_nan.c '' -D_POSIX_C_SOURCE=200809L
plant "$runs lbp/run/ab_kernel.h lbp_ab.h" run_ab test_run_ab.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "$runs lbp/run/ab_kernel.h lbp_ab.h" run_momentum test_run_momentum.c '' -D_POSIX_C_SOURCE=200809L -DAPI_QUICK
plant 'lbp/run/perm_kernel.h lbp/run/kernel.h' perm_run test_run_perm.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "$runs lbp/run/ab_kernel.h" clamped_run test_run_clamped.c '' -D_POSIX_C_SOURCE=200809L -O1 -DAPI_QUICK
plant "$runs" kernel test_kernel.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "lbp/run/files.h lbp/base/platform.h lbp/run/anneal.h" locks test_run_locks.c '' -D_GNU_SOURCE -O1 -fopenmp
plant "$runs" faults test_run_faults.c '' -D_POSIX_C_SOURCE=200809L -O1 -DFAULTS_STEP=1
plant "$runs lbp/run/ab_kernel.h" marginals test_run_marginals.c '' -D_POSIX_C_SOURCE=200809L -O1
plant "$runs lbp/run/anneal.h" anneal test_anneal.c '' -D_POSIX_C_SOURCE=200809L -O1 -fopenmp
plant "$runs lbp/run/anneal.h lbp/run/ab_kernel.h lbp/models/qubo.h lbp_models.h lbp/models/local.h" scales test_scales.c '' -D_POSIX_C_SOURCE=200809L
plant "$runs lbp/run/anneal.h lbp/options/swap.h lbp/options/groups.h lbp/base/moves.h lbp.h lbp/options/clock.h" numbers test_run_numbers.c '' -D_POSIX_C_SOURCE=200809L
plant "$runs lbp_ab.h lbp/options/cat.h lbp/options/cat_parameters.h lbp/base/moves.h lbp_perm.h lbp/run/ab_kernel.h lbp/run/perm_kernel.h lbp/run/json.h" families test_run_families.c '' -D_POSIX_C_SOURCE=200809L
plant "$runs" chains test_chains.c '' -D_POSIX_C_SOURCE=200809L -O1 -fopenmp
plant "$runs" log_z test_log_z.c '' -D_POSIX_C_SOURCE=200809L -O1 -DAPI_QUICK
plant "$runs" population test_population.c '' -D_POSIX_C_SOURCE=200809L -O1 -DAPI_QUICK
for file in net.h model.h walk.h train.h store.h data.h; do
  only="$file \{1,\}"
  plant examples/ebm/$file ebm ebm.c '' -O2
done
for list in tests/mutants/*.txt; do
  list=$(basename "$list" .txt)
  grep -qE "^ *plant .* $list [a-z_]+\.c " tests/mutants/mutants.sh || say "IS NEVER PLANTED" "$list"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
