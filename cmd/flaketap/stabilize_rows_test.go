package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// Tests with several values are judged row by row, loops turn by turn, and functions that do nothing but assert by what
// these say: what holds in all rows stays, and what is written stands as prettier has it.
func TestRealNodeStabilizeRows(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, command string
		least         atLeast
		most          atMost
		asserts       []string
	}{
		{"shop.test.js", "jest --ci --rootDir . --runInBand --json --outputFile={results} {}", atLeast{all: 19, weakened: 6}, atMost{}, []string{
			"expect(res.data.name).toBe(name);", "expect(res.data.priceCents).toBe(cents);", "expect(author.birthDate).toBe(born);",
			"expect(product.tag).toBe(tag);", "expect(estimate.currency).toBe(currency);", `expectError(res, 404, "not_found");`,
			`expectError(res, 401, "unauthorized");`, `expect(data.status).toBe("ok");`, `expect(data).toContain("up ");`}},
		{"shop.mocha.js", "mocha --reporter xunit --reporter-option output={results} {}", atLeast{all: 15, weakened: 4}, atMost{unknown: 1}, []string{
			"expect(product.name).to.equal(name);", "expect(product.priceCents).to.equal(cents);", "expect(body.birthDate).to.equal(born);",
			`expect(res.body.currency).to.equal("EUR");`, `expectError(res, 404, "not_found");`, `expect(text).to.include("up ");`,
			`expectError(await get("/orders"), 401, "unauthorized");`}},
	} {
		t.Run(tt.from, func(t *testing.T) {
			t.Parallel()
			b := newFuzzBench(t)
			readyForJest(t, b)
			(&generatedSuite{bench: b}).write("suite/shop.test.js", read(t, "testdata/written/rows/"+tt.from))
			out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 5 --runs 3 suite -- sh -c 'node_modules/.bin/" + tt.command + "'")
			b.stabilized(out, status, tt.least, tt.most)
			b.asserts("shop.test.js", "", "\n", tt.asserts...)
			b.must("node_modules/.bin/prettier --check " + stableSuite + "/*.js")
		})
	}
}

// inn is an API whose table at the door is not to be had in every other run.
type inn struct{ runs atomic.Int64 }

func (i *inn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, menu := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/tables/"), "/menu")
	seats := map[string]int{"window": 4, "door": 2}[name]
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/reset":
		i.runs.Add(1)
		w.WriteHeader(http.StatusNoContent)
	case seats == 0:
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":"no such table"}`)
	case name == "door" && i.runs.Load()%2 == 0:
		w.WriteHeader(http.StatusServiceUnavailable)
		fmt.Fprint(w, `{"error":"busy"}`)
	case menu:
		fmt.Fprint(w, `{"soup":"leek"}`)
	default:
		fmt.Fprintf(w, `{"name":%q,"seats":%d}`, name, seats)
	}
}

// A status that moves in one row is said to be one of a set in all of them; what the answer holds is said of it where the
// status is as expected, and nothing is commented out.
func TestRealNodeStabilizeRowStatuses(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	api := httptest.NewServer(&inn{})
	t.Cleanup(api.Close)
	(&generatedSuite{bench: b}).write("suite/tables.test.js", read(t, "testdata/written/rows/tables.test.js"))
	out, status := b.sh("flaketap stabilize --learn 4 --runs 4 --target " + api.URL + " --reset " + api.URL + "/reset suite -- " +
		"sh -c 'node_modules/.bin/jest --ci --rootDir . --runInBand --json --outputFile={results} {}'")
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	if a := r.Assertions; status != 0 || !r.Holds || a.All != 6 || a.Weakened != 5 || a.Disabled+a.Unknown > 0 {
		t.Errorf("exit status %d, %+v\n%s", status, r, out)
	}
	b.asserts("tables.test.js", "    ", "\n", "expect([200, 503]).toContain(res.status);",
		"if (res.status === 200) expect(table.seats).toBe(seats);", "if (res.status === 200) expect(table.name).toBe(name);",
		`if (res.status === 200) expect((await res.json()).soup).toBe("leek");`)
	b.asserts("tables.test.js", "\n  ", "\n", "expect(res.status).toBe(status);")
	b.must("node_modules/.bin/prettier --check " + stableSuite + "/*.js")
}
