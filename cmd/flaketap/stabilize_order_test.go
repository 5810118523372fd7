package main

import (
	"bytes"
	"go/format"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite/stabilize"
)

// Tests that people wrote, and that read what others before them have made, get a set-up each in their own words: the
// suite holds then whatever way round it runs. What tests hand each other by a variable is weakened, and says so.
func TestRealPythonStabilizeOrder(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	s := &generatedSuite{bench: b}
	for _, name := range []string{"conftest.py", "test_catalogue.py"} {
		s.write("suite/"+name, read(t, "testdata/written/order/"+name))
	}
	r := b.stabilizedBackwards("python -m pytest -q -p no:cacheprovider %s")
	if r.SetUps < 7 || r.Assertions.Weakened > 2 || r.Assertions.Disabled > 0 {
		t.Errorf("%d set-ups, %+v", r.SetUps, r.Assertions)
	}
	b.asserts("test_catalogue.py", "\n", "\n",
		"        setup_0 = requests.post(\n            f\"{BASE}/products\",\n            json={\"name\": \"Pen\", \"tag\": \"book\", \"priceCents\": 120},\n"+
			"            timeout=TIMEOUT,\n        )",
		`        setup_productId = str(setup_0.json()["id"])`,
		`        res = requests.get(f"{BASE}/products/{setup_productId}", timeout=TIMEOUT)`,
		`        assert str(product["id"]) == setup_productId`,
		`        res = get(f"/products/{setup_productId}")`,
		`        path = f"/products/{setup_productId}/reviews"`,
		`def test_price(client, request):`,
		`    request.addfinalizer(lambda: client.delete(f"/products/{setup_productId}"))`,
		`    res = client.get(f"/products/{setup_productId}")`,
		`        self.addCleanup(self.session.delete, url(f"/products/{setup_productId}"))`,
		`        res = self.session.delete(url(f"/products/{setup_productId}"))`)
}

// A suite that holds as it is written is run in other orders, too: what its tests depend on is found by that alone, and
// what holds as it is written is not weakened for what another order shows.
func TestRealPythonStabilizeTurned(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	s := &generatedSuite{bench: b}
	for _, name := range []string{"conftest.py", "test_catalogue.py"} {
		s.write("suite/"+name, read(t, "testdata/written/order/"+name))
	}
	api := " --start 'flaketap demo api --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}/health "
	out, status := b.sh("flaketap stabilize --learn 3 --runs 2" + api + "suite -- python -m pytest -q -p no:cacheprovider {}")
	r := readStabilized(t, b.dir+"/flaketap.db.stabilize/report.json")
	if status != 0 || r.SetUps < 7 || r.Assertions.Weakened > 0 || r.Assertions.Disabled > 0 || len(r.Orders) == 0 {
		t.Fatalf("exit status %d, %+v\n%s", status, r, out)
	}
	if !strings.Contains(out, "holds in its order alone: suite.test_catalogue.TestProducts › test_shared fails in 3 of 3 runs backwards") {
		t.Errorf("it says\n%s", out)
	}
	out, _ = b.sh("BACKWARDS=1 flaketap record --listen 127.0.0.1:0 --db again.db" + api + "-- python -m pytest -q -p no:cacheprovider suite-stable")
	if !strings.Contains(out, "2 failed, 10 passed") {
		t.Errorf("backwards it says\n%s", out)
	}
}

// Runs and trials side by side come to what they come to one after the other.
func TestRealPythonStabilizeWorkers(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	s := &generatedSuite{bench: b}
	for _, name := range []string{"conftest.py", "test_catalogue.py"} {
		s.write("suite/"+name, read(t, "testdata/written/order/"+name))
	}
	var reports []stabilize.Report
	for _, workers := range []string{"1", "3"} {
		b.must("flaketap stabilize --learn 3 --runs 4 --workers " + workers + " --db " + workers + ".db --out stable" + workers +
			" --start 'flaketap demo api --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}/health" +
			" suite -- python -m pytest -q -p no:cacheprovider {}")
		r := readStabilized(t, b.dir+"/"+workers+".db.stabilize/report.json")
		r.Seconds = stabilize.Seconds{}
		reports = append(reports, r)
	}
	if diff := cmp.Diff(reports[0], reports[1], cmpopts.IgnoreUnexported(stabilize.Unhelped{})); diff != "" || reports[0].SetUps < 7 {
		t.Errorf("%d set-ups; with three workers (-one +three):\n%s", reports[0].SetUps, diff)
	}
	b.must("diff -r -I 'was made by' stable1 stable3") // ids that the API drew
}

// So it is with Jest, by fetch and axios. A variable that has no value yet is given one by the set-up there.
func TestRealNodeStabilizeOrder(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	s := &generatedSuite{bench: b}
	for _, name := range []string{"backwards.js", "catalogue.test.js"} {
		s.write("suite/"+name, read(t, "testdata/written/order/"+name))
	}
	r := b.stabilizedBackwards("node_modules/.bin/jest --rootDir . --env ./suite/backwards.js --runInBand --json --outputFile={results} %s")
	if r.SetUps < 6 || r.Assertions.Weakened > 0 || r.Assertions.Disabled > 0 {
		t.Errorf("%d set-ups, %+v", r.SetUps, r.Assertions)
	}
	b.asserts("catalogue.test.js", "\n", "\n",
		"    if (!shared) {\n      const setup_0 = await fetch(`${BASE}/products`, {\n        method: \"POST\",",
		"      const setup_productId = (await setup_0.json()).id;\n      shared = setup_productId;\n    }",
		"    const setup_0 = await fetch(`${BASE}/products`, {\n      method: \"POST\",\n      headers: { \"Content-Type\": \"application/json\" },",
		"    const setup_productId = String((await setup_0.json()).id);\n\n    try {\n      // by its number",
		"      const res = await fetch(`${BASE}/products/${setup_productId}`);",
		"      const text = `several\n  lines`;",
		"      await fetch(`${BASE}/products/${setup_productId}`, { method: \"DELETE\" });",
		"      await api.delete(`/products/${setup_productId}`).catch(() => {});",
		"      const res = await api.post(`/products/${setup_productId}/reviews`, {\n        author: \"Ada\",",
		"    const res = await api.delete(`/products/${setup_productId}`);")
}

// What a hook logs in for is set up before the hook, for each test that fails without; and the test that signs up draws
// another name then.
func TestRealNodeStabilizeOrderHook(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	(&generatedSuite{bench: b}).write("suite/account.mocha.js", read(t, "testdata/written/order/account.mocha.js"))
	out, status := b.sh("flaketap stabilize --learn 2 --runs 1 --orders 1 --start 'flaketap demo api --listen 127.0.0.1:{port}'" +
		" --ready http://127.0.0.1:{port}/health suite -- node_modules/.bin/mocha --reporter xunit {}")
	r := readStabilized(t, b.dir+"/flaketap.db.stabilize/report.json")
	if status != 0 || r.SetUps != 3 || r.Assertions.Weakened > 0 || !strings.Contains(out, "0 in 1 order") {
		t.Fatalf("exit status %d, %+v\n%s", status, r, out)
	}
	b.asserts("account.mocha.js", "\n", "\n",
		"  beforeEach(async function () {\n    if (this.currentTest.fullTitle() !== \"the cart knows who it is\") return;",
		"    const setup_0 = await fetch(BASE + \"/accounts\", {\n      method: \"POST\",",
		"    const fresh_email = `grace${Math.random().toString(16).slice(2, 10)}@example.com`;")
	b.must("node_modules/.bin/prettier --check " + stableSuite + "/*.js")
}

// stabilizedBackwards records the suite as it is written, has it stabilized the other way round, and wants what comes of
// it to hold both ways. run is the command, with %s in the place of the suite.
func (b *bench) stabilizedBackwards(run string) stabilize.Report {
	b.t.Helper()
	api := " --start 'flaketap demo api --listen 127.0.0.1:{port}' --ready http://127.0.0.1:{port}/health "
	runs := func(suite string) string { return " -- sh -c '" + strings.Replace(run, "%s", suite, 1) + "'" }
	b.must("flaketap record --listen 127.0.0.1:0 --db order.db" + api +
		strings.Replace(runs("suite"), "{results}", "order.json", 1))
	out, status := b.sh("export BACKWARDS=1; flaketap stabilize --session order.db --probe never --learn 3 --runs 2" + api + "suite" + runs("{}"))
	if handed := strings.Contains(out, "has no set-up: it shares the "); status != 0 || handed == strings.Contains(run, "jest") {
		b.t.Fatalf("exit status %d\n%s", status, out)
	}
	for _, way := range []string{"", "BACKWARDS=1 "} {
		b.must("rm -f again.db; " + way + "flaketap record --listen 127.0.0.1:0 --db again.db" + api +
			strings.Replace(runs(stableSuite), "{results}", "again.json", 1))
	}
	return readStabilized(b.t, b.dir+"/flaketap.db.stabilize/report.json")
}

// So it is with JUnit, by REST-assured and the JDK's own client.
func TestRealJVMStabilizeOrder(t *testing.T) {
	t.Parallel()
	jars, there := toolsDir(t, "java")
	needs.That(t, "the Java libraries (make tools installs them)", there && found("javac"))
	b := newFuzzBench(t)
	b.patience = 30 * time.Minute
	s := &generatedSuite{bench: b}
	for _, name := range []string{"Backwards.java", "CatalogueTest.java"} {
		s.write("suite/shop/"+name, read(t, "testdata/written/order/"+name))
	}
	b.junit(jars, quickJavac+" -Xlint:-options -cp '"+jars+"/*'", "shop/*.java", "--config junit.jupiter.testmethod.order.default=shop.Backwards")
	r := b.stabilizedBackwards("sh junit.sh %s {results}")
	if r.SetUps < 5 || r.Assertions.Weakened > 1 || r.Assertions.Disabled > 0 {
		t.Errorf("%d set-ups, %+v", r.SetUps, r.Assertions)
	}
	b.asserts("shop/CatalogueTest.java", "\n", "\n",
		"    Response setup_0 =\n        given()\n            .contentType(ContentType.JSON)\n"+
			`            .body("{\"name\": \"Pen\", \"tag\": \"book\", \"priceCents\": 120}")`,
		`    String setup_productId = setup_0.path("id").toString();`, "    try {\n      // by its number",
		`          .get(BASE + "/products/" + setup_productId)`, `      given().when().delete(BASE + "/products/" + setup_productId);`,
		"    HttpResponse<String> setup_0 =\n        client.send(\n            HttpRequest.newBuilder(URI.create(BASE + \"/products\"))",
		`    assertEquals(201, setup_0.statusCode());`, `    String setup_productId = JsonPath.from(setup_0.body()).getString("id");`)
}

// So it is with tests in Go, by net/http and by functions of the file around it; this seed of go test has the last test
// first.
func TestStabilizeOrderGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a suite many times")
	}
	t.Parallel()
	b := newBench(t)
	b.useGo()
	b.patience = 10 * time.Minute
	s := &generatedSuite{bench: b}
	s.write("suite/catalogue_test.go", read(t, "testdata/written/order/catalogue_test.go"))
	s.write("suite/go.mod", []byte("module catalogue\n\ngo 1.26\n"))
	r := b.stabilizedBackwards("go -C %s test -count=1 -json ${BACKWARDS:+-shuffle=1795} ./...")
	if r.SetUps < 5 || r.Assertions.Weakened > 1 || r.Assertions.Disabled > 0 {
		t.Errorf("%d set-ups, %+v", r.SetUps, r.Assertions)
	}
	patched := read(t, filepath.Join(b.dir, stableSuite, "catalogue_test.go"))
	if plain, err := format.Source(patched); err != nil || !bytes.Equal(plain, patched) {
		t.Errorf("the patched suite is not as gofmt writes it: %v", err)
	}
	b.asserts("catalogue_test.go", "\n", "\n",
		"\tsetup_0, setup_err := http.Post(base()+\"/products\", \"application/json\", "+
			"strings.NewReader(`{\"name\": \"Pen\", \"tag\": \"book\", \"priceCents\": 120}`))",
		`	setup_productId := fmt.Sprint(setup_0_body["id"])`, "\n\t// by its number\n\tres, err := http.Get(base() + \"/products/\" + setup_productId)",
		`	if res := call(t, "GET", "/products/"+setup_productId, "", &got); res.StatusCode != 200 {`,
		`	path := "/products/" + setup_productId + "/reviews"`, `	if fmt.Sprint(got.ID) != setup_productId {`,
		`	res := call(t, http.MethodDelete, "/products/"+setup_productId, "", nil)`)
}
