#!/bin/sh
# Runs a Windows program under Wine, without a display: sh tests/tools/wine.sh PROGRAM [ARGUMENT...]. Its lines end as
# lines here do. Environment: WINE (a command), WINEPREFIX (a folder, which Wine makes).
export WINEDEBUG=-all LC_ALL=C.UTF-8
unset DISPLAY
lines=$(mktemp) || exit 2
trap 'rm -f "$lines"' EXIT
"${WINE:-wine}" "$@" > "$lines"
status=$?
tr -d '\r' < "$lines"
exit $status
