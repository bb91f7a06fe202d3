#!/bin/sh
# A benchmark goes on only with what the same library, program, compiler and processor have made: times of two commits or
# machines make no table. `sh bench/common/fresh.sh PATH SETTINGS RESULT...` before it: PATH is the folder or file that it
# goes on with, SETTINGS the compiler and flags, and whatever else decides its rows, RESULT what comes of it, by the names
# of bench/depends.txt. What is of something else is moved to PATH.old, as is PATH-quick. PATH.made says what it is of.
set -u
cd "$(dirname "$0")/../.." || exit 2
path=$1 settings=$2
shift 2
machine=$(sh bench/common/made.sh | sed 's/^[^;]*; //; s/; [^;]*$//')
made=$(sh bench/provenance.sh sums "$@" | sed 's/ [^ ]*//') || exit 2 # programs and library
for its in "$path" "$path-quick"; do
  [ -e "$its" ] || [ "$its" = "$path" ] || continue
  mkdir -p "${its%/*}" || exit 2
  printf '%s\n' "$machine" "$settings" "$made" > "$its.now" || exit 2
  if [ -e "$its" ] && ! cmp -s "$its.now" "$its.made"; then
    rm -rf "$its.old" && mv "$its" "$its.old" || exit 2
    echo "bench: $its is of another library, program, compiler, setting or processor: now $its.old"
  fi
  mv "$its.now" "$its.made" || exit 2
done
