package main

import (
	"bytes"
	"go/format"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/stabilize"
)

// One command makes a suite hold that a person wrote, and in which every value is asserted as it was seen one day: through
// fixtures, functions of the file, sessions and names, all but a few assertions are read, and none is lost.
func TestRealPythonStabilizeWritten(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	(&generatedSuite{bench: b}).write("suite/test_shop.py", read(t, "testdata/written/test_shop.py"))
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 8 --runs 5 suite -- python -m pytest -q -p no:cacheprovider {}")
	b.stabilized(out, status, atLeast{all: 70, weakened: 10}, atMost{disabled: 1, unknown: 7})
	b.asserts("test_shop.py", "", "\n",
		`assert product["uuid"] == "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`, `assert again["id"] == order["id"]`,
		`assert body["uptimeSeconds"] >= 0`, `assert clock["epochText"] == str(clock["epochSeconds"])`,
		`assert again["items"] == items`, `assert sorted(found["facets"]) == ["author", "currency", "price", "released", "tag"]`, `assert res.status_code == 200, "the shop is down"`)
}

// So does a suite in Jest, with fetch and axios.
func TestRealNodeStabilizeWritten(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	(&generatedSuite{bench: b}).write("suite/shop.test.js", read(t, "testdata/written/shop.test.js"))
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 8 --runs 5 suite -- sh -c 'node_modules/.bin/jest --rootDir . --runInBand --json --outputFile={results} {}'")
	b.stabilized(out, status, atLeast{all: 65, weakened: 10}, atMost{disabled: 1, unknown: 7})
	b.asserts("shop.test.js", "", "\n",
		`expect(product.uuid).toBe("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101");`, `expect(again.id).toBe(order.id);`,
		`expect(body.uptimeSeconds).toBeGreaterThanOrEqual(0);`, `expect(epochText).toBe(String(body.clock.epochSeconds));`,
		`expect([...found.facets].sort()).toEqual(["author", "currency", "price", "released", "tag"]);`, `expect((await res.json()).error.code).toBe("unauthorized");`)
}

// So do suites for Mocha, with Chai and superagent, and for Vitest, in TypeScript with got: what is written stands as
// prettier has it, as the suites do, and holds in other orders.
func TestRealNodeStabilizeWrittenRunners(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		runner, from, file, command string
		flags                       string
		least                       atLeast
		most                        atMost
		asserts                     []string
	}{
		{"Mocha", "shop.mocha.js", "shop.test.js", "mocha --reporter xunit --reporter-option output={results} {}",
			"--learn 8 --runs 5",
			atLeast{all: 51, weakened: 9}, atMost{}, []string{
				`expect(res.body.checks[0]).to.deep.equal({ name: "store", state: "up" });`, `expect(again.body.id).to.equal(res.body.id);`,
				`expect(res.body.error).to.have.property("thread");`, `expect(last.body.count).to.be.above(first.body.count);`}},
		{"Vitest", "shop.spec.ts", "shop.spec.ts", "vitest run --dir {} --reporter=junit --outputFile={results}",
			"--learn 4 --runs 2 --orders 0", // it takes long to come up
			atLeast{all: 52, weakened: 10}, atMost{disabled: 1, unknown: 2}, []string{
				`expect(product.checksum).toHaveLength(64);`, `expect(again.createdAt).toBe(answer.body.createdAt);`,
				`expect(product).toMatchObject({ id: 1, currency: "EUR", tag: "book" });`}},
	} {
		t.Run(tt.runner, func(t *testing.T) {
			t.Parallel()
			b := newFuzzBench(t)
			readyForJest(t, b)
			(&generatedSuite{bench: b}).write("suite/"+tt.file, read(t, "testdata/written/"+tt.from))
			out, status := b.sh("flaketap stabilize " + shopStarts(t) + tt.flags + " suite -- sh -c 'node_modules/.bin/" + tt.command + "'")
			b.stabilized(out, status, tt.least, tt.most)
			b.asserts(tt.file, "", "\n", tt.asserts...)
			b.must("node_modules/.bin/prettier --check " + stableSuite + "/*.[jt]s")
			if tt.runner == "Mocha" && !strings.Contains(out, "0 in 2 orders") {
				t.Errorf("it was not tried in other orders\n%s", out)
			}
		})
	}
}

// The same of tests in Go, with package testing and go-cmp: what is written compiles and is formatted, and what was
// stable is asserted as it was.
func TestStabilizeWrittenGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a suite many times")
	}
	t.Parallel()
	b := newBench(t)
	b.useGo()
	s := &generatedSuite{bench: b}
	s.write("suite/shop_test.go", read(t, "testdata/written/go/shop_test.go"))
	s.write("suite/go.mod", []byte("module shop\n\ngo 1.26\n\nrequire github.com/google/go-cmp v0.7.0\n"))
	s.write("suite/go.sum", []byte(strings.Join(regexp.MustCompile(`(?m)^github.com/google/go-cmp .*\n`).
		FindAllString(string(read(t, "../../go.sum")), -1), "")))
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 8 --runs 5 suite -- go -C {} test -count=1 -json ./...")
	if r := b.stabilized(out, status, atLeast{all: 60, weakened: 11}, atMost{disabled: 3, unknown: 3}); r.Rounds > 2 {
		t.Errorf("%d rounds\n%s", r.Rounds, out)
	}
	patched := read(t, filepath.Join(b.dir, stableSuite, "shop_test.go"))
	if plain, err := format.Source(patched); err != nil || !bytes.Equal(plain, patched) {
		t.Errorf("the patched suite is not as gofmt writes it: %v", err)
	}
	b.asserts("shop_test.go", "\t", "\n",
		`if p.UUID != "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101" {`, `if again.ID != made.ID {`, `if made.Number != "A-1001" {`,
		`if up := body["uptimeSeconds"].(float64); up < 0 {`, `if resp.StatusCode != http.StatusOK {`,
		`if diff := cmp.Diff(want, body["checks"]); diff != "" {`, `if author["birthDate"] != "1815-12-10" {`)
}

// stabilizesJava has one command stabilize a class of testdata/written, which is compiled before each run.
func stabilizesJava(t *testing.T, class, flags string, least atLeast, most atMost) *bench {
	t.Helper()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newFuzzBench(t)
	b.patience = 30 * time.Minute
	(&generatedSuite{bench: b}).write("suite/shop/"+class+".java", read(t, "testdata/written/"+class+".java"))
	b.junit(jars, quickJavac+" -Xlint:-options -cp '"+jars+"/*'", "shop/"+class+".java")
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + flags + " --results {}/reports suite -- " + junit)
	b.stabilized(out, status, least, most)
	return b
}

// So it is with a suite in Java, which sends by REST-assured and by the JDK's own client, and is compiled before each run.
func TestRealJVMStabilizeWritten(t *testing.T) {
	t.Parallel()
	b := stabilizesJava(t, "ShopTest", "--learn 4 --runs 2 --orders 1", atLeast{all: 80, weakened: 15}, atMost{disabled: 1, unknown: 5})
	b.asserts("shop/ShopTest.java", "", "",
		`assertEquals("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101", uuid);`, `assertEquals(id, again.getString("id"));`,
		`assertEquals(200, res.statusCode(), "the shop is down");`, `.body("status", equalTo("ok"))`,
		`assertTrue(body.getDouble("uptimeSeconds") >= 0);`, `.body("error.code", is("unauthorized"));`)
}

// Tests with several values are judged run by run, loops turn by turn, and calls of methods that do nothing but assert by
// what these say: what holds in all of them stays, and the methods are as they were.
func TestRealJVMStabilizeRows(t *testing.T) {
	t.Parallel()
	b := stabilizesJava(t, "RowsTest", "--learn 4 --runs 2 --orders 0", atLeast{all: 18, weakened: 6}, atMost{})
	b.asserts("shop/RowsTest.java", "", "\n",
		`assertEquals(name, res.jsonPath().getString("name"));`, `assertEquals(born, author.getString("birthDate"));`,
		`assertEquals(id, res.jsonPath().getInt("id"));`, `assertEquals(tag.name(), res.jsonPath().getString("items[0].tag"));`,
		`checkError(res, 404, "not_found");`, `checkError(res, 401, "unauthorized");`,
		`assertEquals(epoch, res.jsonPath().getString("clock.epochText"));`)
}

// So it is in Kotlin, whose compiler takes a while.
func TestRealJVMStabilizeWrittenKotlin(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("java"))
	b := newFuzzBench(t)
	b.patience = 30 * time.Minute
	(&generatedSuite{bench: b}).write("suite/shop/ShopTest.kt", read(t, "testdata/written/ShopTest.kt"))
	b.junit(jars, kotlinCompiler(jars), "shop/ShopTest.kt")
	out, status := b.sh("flaketap stabilize " + shopStarts(t) + "--learn 4 --runs 2 --orders 0 --results {}/reports suite -- " + junit)
	b.stabilized(out, status, atLeast{all: 80, weakened: 15}, atMost{disabled: 1, unknown: 5})
}

// atLeast and atMost bound the assertions of a suite that was stabilized.
type (
	atLeast struct{ all, weakened int }
	atMost  struct{ disabled, unknown int }
)

// stabilized wants a stabilize to have ended well on a suite that flaked, with so many assertions.
func (b *bench) stabilized(out string, status int, least atLeast, most atMost) stabilize.Report {
	b.t.Helper()
	if status != 0 {
		b.t.Fatalf("exit status %d\n%s", status, out)
	}
	r := readStabilized(b.t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	if !r.Holds || r.Before.Failing < 5 || a.All < least.all || a.Weakened < least.weakened || a.Disabled > most.disabled ||
		a.Unknown > most.unknown {
		b.t.Errorf("it holds: %v; %d of %d failed before; %+v\n%s", r.Holds, r.Before.Failing, r.Before.Tests, a, out)
	}
	return r
}

// asserts wants a file of the stable suite to have lines, each between what begins and what ends it.
func (b *bench) asserts(file, begin, end string, lines ...string) {
	b.t.Helper()
	stable := string(read(b.t, filepath.Join(b.dir, stableSuite, filepath.FromSlash(file))))
	for _, line := range lines {
		if !strings.Contains(stable, begin+line+end) {
			b.t.Errorf("the stable suite has no %s:\n%s", line, stable)
		}
	}
}
