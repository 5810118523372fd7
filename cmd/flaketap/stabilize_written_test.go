package main

import (
	"bytes"
	"go/format"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/needs"
)

// One command makes a suite hold that a person wrote, and in which every value is asserted as it was seen one day: through
// fixtures, functions of the file, sessions and names, all but a few assertions are read, and none is lost.
func TestRealPythonStabilizeWritten(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	written, err := os.ReadFile("testdata/written/test_shop.py")
	if err != nil {
		t.Fatal(err)
	}
	(&generatedSuite{bench: b}).write("suite/test_shop.py", written)
	out, status := b.sh("flaketap stabilize --start 'flaketap demo api --set shop --listen 127.0.0.1:{port}' " +
		"--ready http://127.0.0.1:{port}/health --learn 8 --runs 5 suite -- python -m pytest -q -p no:cacheprovider {}")
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	switch {
	case status != 0 || !r.Holds || r.Before.Failing < 5:
		t.Errorf("exit status %d\n%s", status, out)
	case a.All < 70 || a.Disabled > 1 || a.Unknown > 7 || a.Weakened < 10:
		t.Errorf("%+v\n%s", a, out)
	}
	patched := string(read(t, filepath.Join(b.dir, "suite-stable", "test_shop.py")))
	for _, line := range []string{
		`assert product["uuid"] == "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101"`, `assert again["id"] == order["id"]`,
		`assert body["uptimeSeconds"] >= 0`, `assert clock["epochText"] == str(clock["epochSeconds"])`,
		`assert again["items"] == items`, `assert sorted(found["facets"]) == ["author", "currency", "price", "released", "tag"]`, `assert res.status_code == 200, "the shop is down"`,
	} {
		if !strings.Contains(patched, line+"\n") {
			t.Errorf("the patched suite has no %s:\n%s", line, patched)
		}
	}
}

// So does a suite in Jest, with fetch and axios.
func TestRealNodeStabilizeWritten(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	modules, _ := toolsDir(t, "node")
	needs.That(t, "Jest (make tools installs it)", exists(modules+"/node_modules/.bin/jest"))
	(&generatedSuite{bench: b}).write("suite/shop.test.js", read(t, "testdata/written/shop.test.js"))
	b.must("echo {} >package.json && ln -s " + modules + "/node_modules node_modules")
	out, status := b.sh("flaketap stabilize --start 'flaketap demo api --set shop --listen 127.0.0.1:{port}' " +
		"--ready http://127.0.0.1:{port}/health --learn 8 --runs 5 suite -- " +
		"sh -c 'node_modules/.bin/jest --rootDir . --runInBand --json --outputFile={results} {}'")
	if status != 0 {
		t.Fatalf("exit status %d\n%s", status, out)
	}
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	switch {
	case status != 0 || !r.Holds || r.Before.Failing < 5:
		t.Errorf("exit status %d\n%s", status, out)
	case a.All < 65 || a.Disabled > 1 || a.Unknown > 7 || a.Weakened < 10:
		t.Errorf("%+v\n%s", a, out)
	}
	patched := string(read(t, filepath.Join(b.dir, "suite-stable", "shop.test.js")))
	for _, line := range []string{
		`expect(product.uuid).toBe("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101");`, `expect(again.id).toBe(order.id);`,
		`expect(body.uptimeSeconds).toBeGreaterThanOrEqual(0);`, `expect(epochText).toBe(String(body.clock.epochSeconds));`,
		`expect([...found.facets].sort()).toEqual(["author", "currency", "price", "released", "tag"]);`, `expect((await res.json()).error.code).toBe("unauthorized");`,
	} {
		if !strings.Contains(patched, line+"\n") {
			t.Errorf("the patched suite has no %s:\n%s", line, patched)
		}
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
	out, status := b.sh("flaketap stabilize --start 'flaketap demo api --set shop --listen 127.0.0.1:{port}' " +
		"--ready http://127.0.0.1:{port}/health --learn 8 --runs 5 suite -- go -C {} test -count=1 -json ./...")
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	switch {
	case status != 0 || !r.Holds || r.Before.Failing < 5 || r.Rounds > 2:
		t.Errorf("exit status %d\n%s", status, out)
	case a.All < 60 || a.Disabled > 3 || a.Unknown > 3 || a.Weakened < 11:
		t.Errorf("%+v\n%s", a, out)
	}
	patched := read(t, filepath.Join(b.dir, "suite-stable", "shop_test.go"))
	if plain, err := format.Source(patched); err != nil || !bytes.Equal(plain, patched) {
		t.Errorf("the patched suite is not as gofmt writes it: %v", err)
	}
	for _, line := range []string{
		`if p.UUID != "3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101" {`, `if again.ID != made.ID {`, `if made.Number != "A-1001" {`,
		`if up := body["uptimeSeconds"].(float64); up < 0 {`, `if resp.StatusCode != http.StatusOK {`,
		`if diff := cmp.Diff(want, body["checks"]); diff != "" {`, `if author["birthDate"] != "1815-12-10" {`,
	} {
		if !strings.Contains(string(patched), "\t"+line+"\n") {
			t.Errorf("the patched suite has no %s:\n%s", line, patched)
		}
	}
}

// So it is with a suite in Java, which sends by REST-assured and by the JDK's own client, and is compiled before each run.
func TestRealJVMStabilizeWritten(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newFuzzBench(t)
	b.patience = 30 * time.Minute
	(&generatedSuite{bench: b}).write("suite/shop/ShopTest.java", read(t, "testdata/written/ShopTest.java"))
	out, status := b.sh("flaketap stabilize --start 'flaketap demo api --set shop --listen 127.0.0.1:{port}' " +
		"--ready http://127.0.0.1:{port}/health --learn 6 --runs 3 --results {}/reports suite -- sh -c \"cd {} && rm -rf classes reports && " +
		"javac -proc:none -Xlint:-options -cp '" + jars + "/*' -d classes shop/ShopTest.java && java -XX:TieredStopAtLevel=1 -cp 'classes:" + jars +
		"/*' org.junit.platform.console.ConsoleLauncher execute --scan-classpath=classes --details=none --reports-dir=reports\"")
	r := readStabilized(t, filepath.Join(b.dir, "flaketap.db.stabilize", "report.json"))
	a := r.Assertions
	switch {
	case status != 0 || !r.Holds || r.Before.Failing < 5:
		t.Errorf("exit status %d\n%s", status, out)
	case a.All < 80 || a.Disabled > 1 || a.Unknown > 5 || a.Weakened < 15:
		t.Errorf("%+v\n%s", a, out)
	}
	patched := string(read(t, filepath.Join(b.dir, "suite-stable", "shop", "ShopTest.java")))
	for _, line := range []string{
		`assertEquals("3d6f0a5e-4f0c-4a53-9d2c-51f1c2f0a101", uuid);`, `assertEquals(id, again.getString("id"));`,
		`assertEquals(200, res.statusCode(), "the shop is down");`, `.body("status", equalTo("ok"))`,
		`assertTrue(body.getDouble("uptimeSeconds") >= 0);`, `.body("error.code", is("unauthorized"));`,
	} {
		if !strings.Contains(patched, line) {
			t.Errorf("the patched suite has no %s:\n%s", line, patched)
		}
	}
}
