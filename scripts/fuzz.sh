#!/bin/sh
# Runs every fuzz target of the repo, one after the other, for the time given for each: scripts/fuzz.sh 60s. Inputs that
# are interesting are not made smaller at length: that would take most of the time.
set -eu
time=${1:-60s}
for pkg in $(go list ./...); do
	dir=$(go list -f '{{.Dir}}' "$pkg")
	for target in $(grep -hoE '^func Fuzz[A-Za-z0-9_]*' "$dir"/*_test.go 2>/dev/null | sed 's/^func //'); do
		echo "fuzz $pkg $target"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 1x "$pkg"
	done
done
