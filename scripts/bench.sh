#!/bin/sh
# Runs the benchmarks in interleaved rounds, so that what disturbs the machine disturbs all alike, and prints the median
# of each figure: scripts/bench.sh [rounds] [packages…]
set -eu
rounds=${1:-5}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- ./cmd/flaketap ./proxy ./replay ./exchange/redact ./store ./formats ./volatility/compare ./volatility ./internal/testbed/trial
out=$(mktemp)
trap 'rm -f "$out"' EXIT
round=1
skip='^$'
while [ "$round" -le "$rounds" ]; do
	echo "round $round of $rounds" >&2
	for pkg in "$@"; do
		go test -run '^$' -bench . -skip "$skip" -benchtime 2s "$pkg" >>"$out"
	done
	round=$((round + 1))
	skip='^Benchmark(Corpus|Labels)$' # count the same every time
done
# A line reads: name, iterations, then pairs of value and unit.
awk '
/^pkg: / { sub(".*/", "", $2); pkg = $2 }
/^Benchmark/ && !/^BenchmarkCorpus\// { for (i = 3; i < NF; i += 2) print pkg "/" $1 "\t" $(i + 1) "\t" $i }
' "$out" | sort -t "$(printf '\t')" -k1,1 -k2,2 -k3,3g | awk -F '\t' '
function flush() { if (n) printf "%-50s %14s %s\n", name, (n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2), unit }
$1 != name || $2 != unit { flush(); n = 0; name = $1; unit = $2 }
{ v[++n] = $3 }
END { flush() }'

# The corpus is counted, not timed: one line for each direction and way.
awk '
/^BenchmarkCorpus\// {
	split($1, part, "/"); sub(/-[0-9]+$/, "", part[4]); of = same = ""
	for (i = 3; i < NF; i += 2) { if ($(i + 1) == "identical") same = $i; if ($(i + 1) == "of") of = $i }
	row = part[3] " " part[2]
	if (!(row in seen)) { seen[row] = 1; rows[++n] = row }
	if (!((row, part[4]) in found)) cells[row] = cells[row] (cells[row] == "" ? "" : ", ") part[4] " " same + 0 "/" of + 0
	found[row, part[4]] = 1
}
END { for (i = 1; i <= n; i++) print "identical " rows[i] ": " cells[rows[i]] }' "$out"
