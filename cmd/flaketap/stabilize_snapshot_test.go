package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// One command makes a suite hold that compares all with snapshots: what moves gets types in the place of values, in the
// test and in what is stored, or is said without the snapshot; what does not move is compared as it was.
func TestRealPythonStabilizeSnapshots(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	_, status := b.sh("python -c 'import syrupy'")
	needs.That(t, "syrupy (make tools installs it)", status == 0)
	s := &generatedSuite{bench: b}
	s.write("suite/test_shop.py", read(t, "testdata/written/snapshots/test_shop.py"))
	const stored = "__snapshots__/test_shop.ambr"
	s.write("suite/"+stored, read(t, "testdata/written/snapshots/"+stored))
	const run = "python -m pytest -q -p no:cacheprovider -p syrupy "
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 12 --runs 5 suite -- " + run + "{}")
	b.stabilized(out, status, atLeast{all: 24, weakened: 9}, atMost{disabled: 0, unknown: 1})
	b.asserts("test_shop.py", "", "\n", "from syrupy.matchers import path_type", `assert body["checks"] == snapshot`,
		`assert author == snapshot(name="ada")`, `assert product["name"] == snapshot, "it has another name"`)
	b.asserts(stored, "", "\n", "# name: TestCatalogue.test_product.1\n  'Notes on the Analytical Engine'", "    'stockCheckedAt': str,",
		"# name: TestCatalogue.test_search.2\n  'notes'", "    'currency': 'EUR',")
	b.tells(run, stored, `'currency': 'EUR'`, `'name': 'Ada Lovelace'`, `'number': 'A-1001'`, "\n  'notes'")
}

// So does a suite in Jest, whose snapshots get property matchers.
func TestRealNodeStabilizeSnapshots(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	s := &generatedSuite{bench: b}
	s.write("suite/shop.test.js", read(t, "testdata/written/snapshots/shop.test.js"))
	const stored = "__snapshots__/shop.test.js.snap"
	s.write("suite/"+stored, read(t, "testdata/written/snapshots/"+stored))
	const run = "node_modules/.bin/jest --ci --rootDir . --runInBand "
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 12 --runs 5 suite -- sh -c '" + run +
		"--json --outputFile={results} {}'")
	b.stabilized(out, status, atLeast{all: 23, weakened: 10}, atMost{disabled: 0, unknown: 0})
	b.asserts("shop.test.js", "", "\n", "expect(checks).toMatchInlineSnapshot(`", "expect({ status, data }).toMatchSnapshot();",
		"expect(found.query).toMatchSnapshot();", `        "name": "A Field Guide to Clocks",`)
	b.asserts("shop.test.js", "expect(product).toMatchSnapshot({ ", ", ", "links: expect.any(Object), responseTimeInMilliseconds: expect.any(Number)")
	b.asserts(stored, "", "\n", "exports[`catalogue search 3`] = `\"notes\"`;", `  "issuedAt": Any<Number>,`, `  "number": "A-1001",`)
	b.tells(run, stored, `"currency": "EUR"`, `"number": "A-1001"`, `"tokenType": "Bearer"`, "= `\"notes\"`")
}

// tells wants the stable suite to hold on a fresh shop, and to fail where a value that does not move is another than is
// stored. run is the command without the suite.
func (b *bench) tells(run, stored string, values ...string) {
	b.t.Helper()
	path := filepath.Join(b.dir, stableSuite, filepath.FromSlash(stored))
	text := string(read(b.t, path))
	for _, value := range append([]string{""}, values...) {
		other := text
		if value != "" {
			other = strings.Replace(text, value, value[:len(value)-2]+"X"+value[len(value)-1:], 1)
			if other == text {
				b.t.Errorf("no %s is stored", value)
			}
		}
		if err := os.WriteFile(path, []byte(other), 0o644); err != nil {
			b.t.Fatal(err)
		}
		out, status := b.sh("rm -f told.db; flaketap record --db told.db --listen 127.0.0.1:0 " + shopStarts(b.t) + "-- " + run + stableSuite)
		if told := strings.Contains(out, "1 failed"); told != (value != "") || told != (status != 0) {
			b.t.Errorf("with another %q it ends with status %d\n%s", value, status, out)
		}
	}
}
