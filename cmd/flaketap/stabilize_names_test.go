package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// club is an API that keeps the addresses of its members over a reset, and those of members that left.
type club struct {
	mu      sync.Mutex
	next    int
	members []map[string]any
	taken   map[string]bool
}

func (c *club) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	say := func(status int, x any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if status != http.StatusNoContent {
			_ = json.NewEncoder(w).Encode(x)
		}
	}
	found := []map[string]any{}
	for _, m := range c.members {
		if m["email"] == r.URL.Query().Get("email") {
			found = append(found, m)
		}
	}
	var m map[string]any
	_ = json.NewDecoder(r.Body).Decode(&m)
	email := fmt.Sprint(m["email"])
	switch {
	case r.URL.Path == "/reset":
		c.members = nil
		say(204, nil)
	case r.Method == "GET":
		say(200, found)
	case r.Method == "DELETE":
		c.members = slices.DeleteFunc(c.members, func(m map[string]any) bool { return fmt.Sprint("/members/", m["id"]) == r.URL.Path })
		say(204, nil)
	case m["role"] != "guest":
		say(400, map[string]any{"error": "no such role"})
	case c.taken[email]:
		say(409, map[string]any{"error": email + " is taken"})
	default:
		c.next++
		m["id"], c.taken[email] = c.next, true
		c.members = append(c.members, m)
		say(201, m)
	}
}

// An API that keeps names over its reset, and those of what was deleted, refuses a suite that sends the same ones in
// each run. One command has the suite draw them anew, wherever a test sends and expects them; nothing else changes.
func TestRealPythonStabilizeNames(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	b.stabilizesNames("test_members.py", "python -m pytest -q -p no:cacheprovider {}", 3)
	b.asserts("test_members.py", "", "\n", `    res = join(fresh_email, "Ada")`, `    assert res.json()["email"] == fresh_email`,
		`    found = requests.get(f"{BASE}/members?email={fresh_email}")`,
		`    member = {"email": fresh_email, "name": "Grace", "role": "guest"}`,
		`    assert second.json()["error"] == f"{fresh_email} is taken"`, `    assert second.status_code == 409`)
}

// A name that a constant, a fixture or a function has is drawn there, once in a run: all that speak of it follow.
func TestRealPythonStabilizeConstants(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	b.stabilizesNames("test_constants.py", "python -m pytest -q -p no:cacheprovider {}", 3)
	b.asserts("test_constants.py", "", "\n", "EMAIL = fresh_email", `    assert res.json()["email"] == EMAIL`,
		`    assert second.json()["error"] == f"{member['email']} is taken"`)
	b.must("ruff format --diff " + stableSuite)
}

func TestRealNodeStabilizeConstants(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	b.stabilizesNames("constants.test.js", "sh -c 'node_modules/.bin/jest --rootDir . --runInBand --json --outputFile={results} {}'", 2)
	b.asserts("constants.test.js", "", "\n", "const EMAIL = fresh_email;", "    expect((await found.json())[0].email).toBe(EMAIL);",
		"    expect(refused.error).toContain(grace.email);")
}

// In Go a constant is a variable then.
func TestStabilizeConstantsGo(t *testing.T) {
	if testing.Short() {
		t.Skip("runs a suite many times")
	}
	t.Parallel()
	b := newBench(t)
	b.useGo()
	(&generatedSuite{bench: b}).write("suite/go.mod", []byte("module club\n\ngo 1.22\n"))
	b.stabilizesNames("constants_test.go", "go -C {} test -count=1 -json ./...", 2)
	b.asserts("constants_test.go", "", "\n", "var email = fresh_email",
		"func grace() string { return `{\"email\": \"` + fresh_email_2 + `\", \"name\": \"Grace\", \"role\": \"guest\"}` }")
	if out := b.must("gofmt -l " + stableSuite); out != "" {
		b.t.Errorf("gofmt would change %s", out)
	}
}

// So does one for Jest.
func TestRealNodeStabilizeNames(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	b.stabilizesNames("members.test.js", "sh -c 'node_modules/.bin/jest --rootDir . --runInBand --json --outputFile={results} {}'", 2)
	b.asserts("members.test.js", "", "\n", "      email: fresh_email,", "    expect(member.email).toBe(fresh_email);",
		"    const found = await fetch(`${BASE}/members?email=${fresh_email}`);",
		"    expect((await found.json())[0].email).toBe(fresh_email);")
}

// In a Postman collection a script before the first request draws it, for all of the folder.
func TestRealNodeStabilizeNamesPostman(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	readyForJest(t, b)
	b.stabilizesNames("members.json", "sh -c 'node_modules/.bin/newman run {}/members.json --env-var base=$FLAKETAP_URL"+
		" --reporters junit --reporter-junit-export {results}'", 1)
	b.asserts("members.json", "", "", `"raw": "{\"email\": \"{{flaketap_fresh_email}}\", \"name\": \"Ada\", \"role\": \"guest\"}"`,
		`"url": "{{base}}/members?email={{flaketap_fresh_email}}"`)
}

// stabilizesNames stabilizes a suite of testdata, of which some tests are to draw a value, and no assertion is to change.
func (b *bench) stabilizesNames(file, command string, renewed int) {
	b.t.Helper()
	api := httptest.NewServer(&club{taken: map[string]bool{}})
	b.t.Cleanup(api.Close)
	was := string(read(b.t, "testdata/written/names/"+file))
	(&generatedSuite{bench: b}).write("suite/"+file, []byte(was))
	out, status := b.sh("flaketap stabilize --learn 3 --runs 3 --target " + api.URL + " --reset " + api.URL + "/reset suite -- " + command)
	r := readStabilized(b.t, b.dir+"/flaketap.db.stabilize/report.json")
	if status != 0 || !r.Holds || r.Renewed != renewed || r.Assertions.Kept+r.Assertions.Bound != r.Assertions.All || r.SetUps > 0 || r.Before.Failing == 0 {
		b.t.Fatalf("exit status %d, %+v\n%s", status, r, out)
	}
	kept := 0
	stable := string(read(b.t, b.dir+"/"+stableSuite+"/"+file))
	for line := range strings.Lines(was) {
		if strings.Contains(stable, line) {
			kept++
		}
	}
	if lines := strings.Count(was, "\n"); kept < lines-4*renewed {
		b.t.Errorf("%d of %d lines are kept:\n%s", kept, lines, stable)
	}
}

// What draws a value compiles in Java, in Kotlin and in Go.
func TestRealJVMNamesCompile(t *testing.T) {
	t.Parallel()
	const forms = "../../suite/testdata/fresh/"
	j, dir := newJVMTools(t), t.TempDir()
	j.javac(t.TempDir(), putFile(t, dir, "UsersTest.java", read(t, forms+"UsersTest.java.want")),
		putFile(t, dir, "ConstantTest.java", read(t, forms+"ConstantTest.java.want")))
	j.kotlinc(t.TempDir(), putFile(t, dir, "UsersTest.kt", read(t, forms+"UsersTest.kt.want")),
		putFile(t, dir, "ConstantTest.kt", read(t, forms+"ConstantTest.kt.want")))
}

func TestNamesCompileInGo(t *testing.T) {
	dir := t.TempDir()
	putFile(t, dir, "go.mod", []byte("module shop\n\ngo 1.22\n"))
	putFile(t, dir, "users_test.go", read(t, "../../suite/testdata/fresh/users_test.gotest.want"))
	cmd := exec.Command("go", "vet", "./...")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("go vet: %v\n%s", err, out)
	}
}
