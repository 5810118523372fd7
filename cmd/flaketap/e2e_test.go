package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// These tests put flaketap between fuzzers and APIs that nobody here wrote, started as a user would start them. The
// Python packages come from internal/testbed/tools/requirements.txt; make test installs them.

// suiteRuns is how often each generated suite is run: a few times in every test run, and as often as the promise is
// made (20 runs without a failure) with FLAKETAP_LONG set.
func suiteRuns() int {
	if os.Getenv("FLAKETAP_LONG") != "" {
		return 20
	}
	return 2
}

// python returns the folder of the virtual environment's programs, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	venv := os.Getenv("FLAKETAP_VENV")
	if venv == "" {
		venv = "../../.tools/venv"
	}
	bin, err := filepath.Abs(filepath.Join(venv, "bin"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(bin, "schemathesis"))
	needs.That(t, "Schemathesis (make tools installs it)", err == nil)
	return bin
}

// bench is a folder in which flaketap and its clients are run as a user runs them.
type bench struct {
	t   *testing.T
	dir string
	env []string
	// how long a line of shell, and a process, may take; 0: some minutes, and less of a process
	patience time.Duration
}

// newBench returns a bench on which flaketap is on the PATH.
func newBench(t *testing.T) *bench {
	t.Helper()
	needs.Optional(t, "a Unix shell", runtime.GOOS != "windows")
	dir := t.TempDir()
	bin := onPath(t, dir)
	env := append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FLAKETAP_CA_DIR="+filepath.Join(dir, ".ca"), "HOME="+dir)
	return &bench{t: t, dir: dir, env: env}
}

// writeProgram writes a file that can be run. No process begins meanwhile: it would have the file open until it is another program,
// and a file that somebody has open for writing is too busy to be run.
func writeProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
}

// newFuzzBench returns a bench on which the fuzzer, its APIs and pytest are on the PATH too.
func newFuzzBench(t *testing.T) *bench {
	t.Helper()
	bin := python(t)
	b := newBench(t)
	path := b.dir + "/.bin:" + bin + ":" + os.Getenv("PATH")
	b.env = append(b.env, "PATH="+path, "PYTHONDONTWRITEBYTECODE=", "PYTHONPYCACHEPREFIX="+filepath.Join(b.dir, ".pycache"))
	// The fuzzer brings plugins along that take pytest longer to load than a suite to run, and that no suite uses.
	b.env = append(b.env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD=1")
	return b
}

// useGo lets the go command run on the bench, with the caches that it has elsewhere.
func (b *bench) useGo() {
	b.t.Helper()
	needs.That(b.t, "go", found("go"))
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		cache, err := exec.Command("go", "env", name).Output()
		if err != nil {
			b.t.Fatal(err)
		}
		b.env = append(b.env, name+"="+strings.TrimSpace(string(cache)))
	}
	b.env = append(b.env, "GOFLAGS=")
}

// sh runs a line of shell in the bench's folder and returns what it printed and its status.
func (b *bench) sh(line string, env ...string) (out string, status int) {
	b.t.Helper()
	limit := cmp.Or(b.patience, 20*time.Minute)
	if os.Getenv("FLAKETAP_LONG") != "" {
		limit = 2 * time.Hour
	}
	ctx, cancel := context.WithTimeout(b.t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", line)
	cmd.Dir, cmd.Env = b.dir, append(b.env, env...)
	cmd.WaitDelay = 5 * time.Second
	raw, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		b.t.Fatalf("%s: %v\n%s", line, err, raw)
	}
	return string(raw), cmd.ProcessState.ExitCode()
}

// must runs a line of shell that has to succeed.
func (b *bench) must(line string, env ...string) string {
	b.t.Helper()
	out, status := b.sh(line, env...)
	if status != 0 {
		b.t.Fatalf("%s: exit status %d\n%s", line, status, tail(out))
	}
	b.t.Logf("$ %s\n%s", line, tail(out))
	return out
}

func tail(s string) string {
	lines := strings.Split(strings.TrimRight(s, "\n"), "\n")
	if len(lines) > 60 {
		lines = lines[len(lines)-60:]
	}
	return strings.Join(lines, "\n")
}

// steadySuite proves a suite: so many runs without one failure against the API, and the same suite without weakening
// failing in every run.
func (b *bench) steadySuite(target, reset string, exactFails bool) {
	b.t.Helper()
	env := []string{"FLAKETAP_URL=" + target, "FLAKETAP_RESET=" + reset}
	again := ""
	if reset != "" {
		again = " --reset '" + reset + "'"
	}
	b.must("flaketap suite --format pytest --out suite --target " + target + again)
	b.must("flaketap suite --format pytest --mode exact --out exact")
	if _, status := b.sh("ruff --version"); status == 0 || os.Getenv("CI") == "true" {
		b.must("ruff format --quiet --diff suite exact")
	}
	for range suiteRuns() {
		b.must("python -m pytest -q --assert=plain -p no:cacheprovider suite", env...)
		out, status := b.sh("python -m pytest -q --assert=plain -p no:cacheprovider exact", env...)
		if exactFails && status != 1 {
			b.t.Errorf("the suite without weakening: exit status %d, want failures\n%s", status, tail(out))
		}
	}
}

func (b *bench) readMap(name string) *mapfile.Map {
	b.t.Helper()
	m, err := analysis.ReadMap(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// TestReadmeFuzzing runs the four commands of the README as they stand there, with the truth API in the place of the
// user's own.
func TestReadmeFuzzing(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	for _, line := range readmeCommands(t, "With your own fuzzer") {
		line = strings.ReplaceAll(line, "http://127.0.0.1:8080", url)
		line = strings.Replace(line, "flaketap record ", "flaketap record --listen 127.0.0.1:0 ", 1)
		line = strings.Replace(line, "schemathesis run ", "schemathesis run --seed 1 --max-examples 5 --phases examples,coverage,fuzzing,stateful ", 1)
		out, status := b.sh(line)
		fuzzing := strings.Contains(line, "schemathesis") // it reports faults of the truth API, which has some
		if status != 0 && !fuzzing || fuzzing && !strings.Contains(out, "exchanges recorded in") {
			t.Fatalf("%s: exit status %d\n%s", line, status, tail(out))
		}
		t.Logf("$ %s\n%s", line, tail(out))
	}
	if err := os.RemoveAll(filepath.Join(b.dir, "suite")); err != nil {
		t.Fatal(err)
	}
	stillDeterministic(t, b.readMap("volatile.json"), "/static/json", "/static/xml", "/static/html")
	b.steadySuite(url, url+"/admin/reset", true)
	// Another instance has another process id and the like, which never moved; what a fault breaks comes on top.
	healthy := failures(b, demoapi.FaultNone)
	for _, fault := range demoapi.Faults() {
		seen := 0
		for name := range failures(b, fault) {
			switch {
			case healthy[name]:
			case strings.Contains(name, "product"): // every planted fault is one of products
				seen++
			default:
				t.Errorf("with the fault %s planted %s fails, which has nothing to do with it", fault, name)
			}
		}
		if seen < 2 { // of a kind of answer there is one test
			t.Errorf("with the fault %s planted %d tests of products fail", fault, seen)
		}
	}
	if len(healthy) > 20 {
		t.Errorf("on another healthy instance %d tests fail: %v", len(healthy), healthy)
	}
}

// failures runs the suite against a new instance of the truth API with a fault planted, and returns the names of the
// failing tests.
func failures(b *bench, fault demoapi.Fault) map[string]bool {
	b.t.Helper()
	url, stop := serveTruth(b.t, demoapi.Dials{Fault: fault})
	defer stop()
	out, _ := b.sh("python -m pytest -q --tb=no --assert=plain -p no:cacheprovider suite", "FLAKETAP_URL="+url, "FLAKETAP_RESET="+url+"/admin/reset")
	failed := map[string]bool{}
	for line := range strings.Lines(out) {
		if name, ok := strings.CutPrefix(line, "FAILED "); ok {
			name, _, _ = strings.Cut(name, " - ")
			failed[strings.TrimSpace(name)] = true
		}
	}
	return failed
}

// TestRealPythonReverse fuzzes the truth API with nothing but the recorder's own address.
func TestRealPythonReverse(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	out, _ := b.sh("flaketap record --listen 127.0.0.1:0 --target " + url + " -- sh -c 'HTTP_PROXY= http_proxy= ALL_PROXY= all_proxy= " +
		"schemathesis run $FLAKETAP_URL/openapi.json --seed 2 --max-examples 3 --phases examples,coverage,stateful'")
	if !strings.Contains(out, "exchanges recorded in") {
		t.Fatal(tail(out))
	}
	if share := b.share("flaketap.db"); share > 0.25 {
		t.Errorf("the recording takes %.3f of the bytes that passed, more than 0.25", share)
	} else {
		t.Logf("the recording takes %.3f of the bytes that passed", share)
	}
	b.must("flaketap replay --runs 10 --bound 0.01 --reset " + url + "/admin/reset")
	b.steadySuite(url, url+"/admin/reset", true)
}

// share is the size of a recording as a part of the bytes of its messages.
func (b *bench) share(name string) float64 {
	b.t.Helper()
	info, err := os.Stat(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	s, err := store.OpenReadOnly(filepath.Join(b.dir, name))
	if err != nil {
		b.t.Fatal(err)
	}
	defer s.Close()
	passed := 0
	for e, err := range s.Exchanges() {
		if err != nil {
			b.t.Fatal(err)
		}
		passed += len(e.Request.Head) + len(e.Request.Body)
		if e.Response != nil {
			passed += len(e.Response.Head) + len(e.Response.Body)
		}
	}
	return float64(info.Size()) / float64(passed)
}

// TestRealPythonHttpbin fuzzes httpbin through the reverse proxy and, in a second recording, by HTTP_PROXY alone.
func TestRealPythonHttpbin(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url := b.start("gunicorn -b ADDR -w 1 --threads 8 httpbin:app", "/get")
	fuzz := "schemathesis run --seed 7 --phases examples,coverage --checks not_a_server_error --request-timeout 20 " +
		"--exclude-path-regex '^/(delay|drip|stream|links|redirect|absolute-redirect|relative-redirect|status|bytes|range)' "
	ways := map[string]string{
		"reverse": fuzz + "--url $FLAKETAP_URL $FLAKETAP_URL/spec.json",
		"forward": fuzz + "--url " + url + " " + url + "/spec.json",
	}
	for way, client := range ways {
		b := b.below(way)
		record := "flaketap record --listen 127.0.0.1:0 --target " + url
		if way == "forward" {
			record = "flaketap record --listen 127.0.0.1:0"
		}
		out, _ := b.sh(record + " -- sh -c '" + strings.ReplaceAll(client, "'", `'\''`) + "'")
		if !strings.Contains(out, "exchanges recorded in") {
			t.Fatalf("%s: %s", way, tail(out))
		}
		t.Log(tail(out))
		b.must("flaketap replay --runs 3")
		b.must("flaketap map --all --out volatile.json")
		b.steadySuite(url, "", true)
		stillDeterministic(t, b.readMap("volatile.json"), "/json", "/xml", "/html")
	}
}

// stillDeterministic checks that a map has no volatile place, beside the protocol's own, on the given paths.
func stillDeterministic(t *testing.T, m *mapfile.Map, templates ...string) {
	t.Helper()
	for _, want := range templates {
		found := false
		for _, op := range m.Operations {
			if op.Template != want {
				continue
			}
			found = true
			for _, f := range op.Fields {
				if f.Volatile() && !f.Protocol {
					t.Errorf("%s %s: %s is called %s (%s), but the endpoint is deterministic", op.Method, op.Template, f.Place, f.Judgement, f.Category)
				}
			}
		}
		if !found {
			t.Errorf("%s is not in the map", want)
		}
	}
}

// TestRealPythonJupyter fuzzes jupyter_server, whose state is files, kernels and terminals, with its token.
func TestRealPythonJupyter(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url := b.start("jupyter server --allow-root --no-browser --ServerApp.ip=127.0.0.1 --ServerApp.port=PORT --ServerApp.port_retries=0 "+
		"--IdentityProvider.token=jupyter-test-token --ServerApp.root_dir=root --ServerApp.shutdown_no_activity_timeout=0", "/api")
	reset := "sh " + filepath.Join(b.dir, "reset.sh")
	script := "cd '" + b.dir + "/root' && find . -mindepth 1 -delete && mkdir -p notes && printf 'hello\\n' > notes/a.txt && touch -d 2026-01-02T03:04:05Z notes/a.txt notes .\n"
	if err := os.WriteFile(filepath.Join(b.dir, "reset.sh"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	b.must(reset)
	spec := b.must("curl -sf -H 'Authorization: token jupyter-test-token' " + url + "/api/spec.yaml")
	if err := os.WriteFile(filepath.Join(b.dir, "spec.yaml"), []byte(spec), 0o644); err != nil {
		t.Fatal(err)
	}
	fuzz := "schemathesis run spec.yaml -H \"Authorization: token jupyter-test-token\" --seed 3 --max-examples 3 " +
		"--phases examples,coverage,fuzzing --checks not_a_server_error --exclude-path-regex terminals --url "
	out, _ := b.sh("flaketap record --listen 127.0.0.1:0 --target " + url + " --reset '" + reset + "' -- sh -c '" + fuzz + "$FLAKETAP_URL'")
	if !strings.Contains(out, "exchanges recorded in") {
		t.Fatal(tail(out))
	}
	t.Log(tail(out))
	b.must("flaketap replay --runs 3 --reset '" + reset + "'")
	b.must("flaketap map --out volatile.json")
	b.steadySuite(url, reset, true)
	if out, status := b.sh("grep -rl jupyter-test-token --include='*.py' --include='*.json' --exclude=secrets.json volatile.json suite"); status == 0 {
		t.Errorf("the token stands in %s", out)
	}
}

// below returns the bench in a folder of its own below the present one.
func (b *bench) below(name string) *bench {
	b.t.Helper()
	dir := filepath.Join(b.dir, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	return &bench{t: b.t, dir: dir, env: b.env}
}

// start runs a server until the test ends, with ADDR and PORT in its command line replaced, and returns its URL once
// the path answers.
func (b *bench) start(line, ready string) string {
	b.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.t.Fatal(err)
	}
	addr := ln.Addr().String()
	_, port, _ := net.SplitHostPort(addr)
	ln.Close()
	for _, dir := range []string{"root"} {
		if err := os.MkdirAll(filepath.Join(b.dir, dir), 0o755); err != nil {
			b.t.Fatal(err)
		}
	}
	var log bytes.Buffer
	cmd := exec.Command("sh", "-c", "exec "+strings.NewReplacer("ADDR", addr, "PORT", port).Replace(line))
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = b.dir, b.env, &log, &log
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.t.Cleanup(func() {
		killGroup(cmd)
		_ = cmd.Wait()
	})
	url := "http://" + addr
	if err := waitReady(b.t.Context(), url+ready); err != nil {
		b.t.Fatalf("%s: %v\n%s", line, err, log.String())
	}
	return url
}

// waitReady asks until there is an HTTP answer, for five minutes at the most: a JVM on a busy machine takes more than one.
func waitReady(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_, err = io.Copy(io.Discard, resp.Body)
			return errors.Join(err, resp.Body.Close())
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("no answer from %s", url)
		case <-tick.C:
		}
	}
}
