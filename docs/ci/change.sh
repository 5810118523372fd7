#!/bin/sh
# A change: run the suite through the recorder, and say of each failed test whose fault it is. Where the suite failed, the
# exit status is 0 only if every failed test is explained: 3 for a regression, for a failure that is not known, and where
# no test failed, as when the suite did not come to its end.
#   TARGET  the API, RESET  what puts it back to its start, SUITE_CMD  the suite's command, which leaves RESULTS (default
#   results.xml), SUITE  the folder of its tests (default: none)
set -eu
rm -f run.db "${RESULTS:-results.xml}"
passed=yes
flaketap record --listen 127.0.0.1:0 --db run.db --target "$TARGET" --reset "$RESET" -- sh -c "$SUITE_CMD" || passed=no
[ $passed = no ] || exit 0
set -- "${RESULTS:-results.xml}" --run run.db --db nightly
[ ! -e volatile.lock ] || set -- "$@" --map volatile.lock
[ -z "${SUITE:-}" ] || set -- "$@" --suite "$SUITE"
flaketap triage "$@" --fail-on unexplained --summary triage.md
