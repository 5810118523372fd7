#!/bin/sh
# A night: record the suite, keep the newest recordings, and write the lock that is committed beside the code.
#   TARGET  the API, RESET  what puts it back to its start, SUITE_CMD  the suite's command
#   NIGHTS  how many recordings count (default 14), RERUNS  how often the suite runs again in one night (default 1)
set -eu
mkdir -p nightly
db=nightly/$(date -u +%Y%m%d-%H%M%S)-$$.db
flaketap record --listen 127.0.0.1:0 --db "$db" --target "$TARGET" --reset "$RESET" -- sh -c "$SUITE_CMD" || echo "the suite failed: its answers count all the same" >&2
flaketap rerun --listen 127.0.0.1:0 --db "$db" --runs "${RERUNS:-1}" --reset "$RESET" -- sh -c "$SUITE_CMD" || echo "the suite failed: its answers count all the same" >&2
ls nightly/*.db | sort -r | tail -n +$((${NIGHTS:-14} + 1)) | while read -r old; do rm "$old"; done
set -- map --db nightly --last "${NIGHTS:-14}" --format lock --out volatile.lock
if [ -e volatile.lock ]; then
  cp volatile.lock before.lock
  flaketap "$@" --baseline volatile.lock --force
  flaketap diff before.lock volatile.lock
  rm before.lock
else
  flaketap "$@"
fi
