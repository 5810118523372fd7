#!/bin/sh
# A change: run the suite through the recorder, and say of each failed test whose fault it is. The exit status is that of
# triage where a test failed: 3 for a regression, 0 where none is one.
#   TARGET  the API, RESET  what puts it back to its start, SUITE_CMD  the suite's command, which leaves RESULTS (default
#   results.xml), SUITE  the folder of its tests (default: none)
set -eu
rm -f run.db
passed=yes
flaketap record --listen 127.0.0.1:0 --db run.db --target "$TARGET" --reset "$RESET" -- sh -c "$SUITE_CMD" || passed=no
[ $passed = no ] || exit 0
set -- "${RESULTS:-results.xml}" --run run.db --db nightly
[ ! -e volatile.lock ] || set -- "$@" --map volatile.lock
[ -z "${SUITE:-}" ] || set -- "$@" --suite "$SUITE"
flaketap triage "$@" --summary triage.md
