package main

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/demo"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// runsOf returns the runs of a recording.
func runsOf(t *testing.T, db string) []exchange.Run {
	t.Helper()
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	runs, err := s.Runs()
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// notAlone fails where a run has left anything behind beside the recording.
func notAlone(t *testing.T, db string) {
	t.Helper()
	left, err := filepath.Glob(filepath.Join(filepath.Dir(db), "*rerun*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// A run that is ended by a signal keeps what it has, without an end; no further one begins, and the client exited with status
// returned, which the signal has reached.
func TestRerunStopped(t *testing.T) {
	b, api := newBench(t), httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	needs.That(t, "curl", found("curl"))
	b.must("flaketap record --listen 127.0.0.1:0 --target " + api.URL + " -- sh -c 'curl -s $FLAKETAP_URL/a $FLAKETAP_URL/b >out'")
	p := b.run(nil, "rerun", "--runs", "3", "--", "sh", "-c", "curl -s $FLAKETAP_URL/a >out; echo ready; exec sleep 600")
	p.wait(`(ready)`)
	p.signal(syscall.SIGTERM)
	p.exit(143)
	p.says(1, `run 1 of 3: 1 step, 1 lost, 0 added; it was interrupted; the client exited with status 143`)
	p.says(0, `run 2 of 3`)
	runs := runsOf(t, p.db)
	if len(runs) != 1 || runs[0].Steps != 1 || runs[0].Lost != 1 || !runs[0].Ended.IsZero() {
		t.Errorf("the runs are %+v", runs)
	}
	notAlone(t, p.db)
}

// A client is run again without its port where another program has that by now.
func TestRerunPortTaken(t *testing.T) {
	b, api := newBench(t), httptest.NewServer(http.NotFoundHandler())
	defer api.Close()
	needs.That(t, "curl", found("curl"))
	out := b.must("flaketap record --listen 127.0.0.1:0 --target " + api.URL + " -- sh -c 'curl -s $FLAKETAP_URL/a >out; echo at $FLAKETAP_URL'")
	_, at, _ := strings.Cut(out, "at http://")
	at, _, _ = strings.Cut(at, "\n")
	ln, err := net.Listen("tcp", at)
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	out = b.must("flaketap rerun --runs 2 -- sh -c 'curl -s $FLAKETAP_URL/a >out'")
	if strings.Count(out, at+", the recorded address, is in use") != 1 || strings.Count(out, "1 step, 0 lost, 0 added") != 2 {
		t.Error(out)
	}
	if out, status := b.sh("flaketap rerun --listen " + at + " -- true"); status != 1 || !strings.Contains(out, "listen: ") {
		t.Errorf("exit status %d: %s", status, out)
	}
}

// What was redacted when it was recorded is redacted in further runs, on its way to them too; and is aligned all the same.
func TestRerunRedacted(t *testing.T) {
	b, api := newGossipBench(t, map[string]string{"flaketap.yaml": "secrets: [X-Tenant, /body/tenant]\n"})
	db := filepath.Join(b.dir, "flaketap.db")
	b.must("flaketap record --redact-at-rest --listen 127.0.0.1:0 --target " + api + " -- python client.py")
	out := b.must("flaketap rerun --show-changes 100 -- sh -c 'python client.py; flaketap export --reveal --db flaketap.db.rerun >spilled'")
	noSecret(t, "the recording and what was said", everything(t, db)+out)
	spilled, err := os.ReadFile(filepath.Join(b.dir, "spilled"))
	if err != nil || !strings.Contains(string(spilled), "/whoami") {
		t.Fatalf("%d bytes, %v", len(spilled), err)
	}
	noSecret(t, "what was on disk meanwhile", string(spilled))
	if runs := runsOf(t, db); len(runs) != 1 || runs[0].Lost+runs[0].Added > 0 || runs[0].Steps == 0 {
		t.Errorf("the runs are %+v", runs)
	}
}

// notebook is an API that keeps what it is given: users by name, each with something that it draws itself.
func notebook(t *testing.T) (url string) {
	var mu sync.Mutex
	users := map[string]map[string]any{}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		if err := json.NewEncoder(w).Encode(v); err != nil {
			t.Error(err)
		}
	}
	mux.HandleFunc("POST /users", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var user map[string]any
		if json.NewDecoder(io.LimitReader(r.Body, 1<<16)).Decode(&user) != nil {
			answer(w, 400, "no user")
			return
		}
		user["drawn"] = rand.Text()
		users[user["name"].(string)] = user
		answer(w, 201, user)
	})
	mux.HandleFunc("GET /users/{name}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		user, ok := users[r.PathValue("name")]
		if !ok {
			answer(w, 404, map[string]string{"error": "nobody is called " + r.PathValue("name")})
			return
		}
		answer(w, 200, user)
	})
	mux.HandleFunc("GET /users", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		var found any
		for _, user := range users {
			if fmt.Sprint(user["number"]) == r.URL.Query().Get("number") {
				found = map[string]any{"first": user["name"], "born": user["born"], "kind": "user"}
			}
		}
		answer(w, 200, found)
	})
	mux.HandleFunc("DELETE /users", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		clear(users)
		w.WriteHeader(204)
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// inventive is a suite that makes up names, dates and numbers in each run.
const inventive = `
import datetime, json, os, random, urllib.request, uuid
base = os.environ["FLAKETAP_URL"]
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

def call(method, path, body=None):
    data = json.dumps(body).encode() if body is not None else None
    request = urllib.request.Request(base + path, data, {"Content-Type": "application/json"}, method=method)
    return json.load(opener.open(request))

def test_users():
    number = random.randrange(10**6)
    for i in range(12):
        name, born = "user-" + str(uuid.uuid4()), str(datetime.date.today() - datetime.timedelta(days=random.randrange(9999)))
        assert call("POST", "/users", {"name": name, "born": born, "number": number + i, "quantity": random.randint(1, 5)})["name"] == name
        assert call("GET", "/users/" + name)["born"] == born
        if i % 3 == 0:
            assert call("GET", "/users?number=%d&nonce=%s" % (number + i, uuid.uuid4()))["first"] == name
`

// A suite that makes up its values anew is run again: every request finds its counterpart, and the map says which values
// are the suite's own, in the answer to the request that made them up and to later ones. The same holds of a HAR file of
// such a run.
func TestRerunMadeUpValues(t *testing.T) {
	b := newFuzzBench(t)
	api := notebook(t)
	if err := os.WriteFile(filepath.Join(b.dir, "test_users.py"), []byte(inventive), 0o600); err != nil {
		t.Fatal(err)
	}
	const pytest = " -- python -m pytest -q -p no:cacheprovider test_users.py"
	reset := " --reset 'curl -sf -X DELETE " + api + "/users'"
	b.must("flaketap record --listen 127.0.0.1:0 --target " + api + reset + pytest)
	b.must("flaketap record --listen 127.0.0.1:0 --db elsewhere.db --target " + api + reset + pytest + " && flaketap export --reveal --db elsewhere.db --out elsewhere.har")
	out := b.must("flaketap rerun --runs 3" + reset + pytest)
	out += b.must("flaketap import --as run --condition fresh elsewhere.har")
	for _, want := range []string{"run 3 of 3: 28 steps (28 with different values), 0 lost, 0 added\n", "elsewhere.har: a run of 28 steps (28 with different values), 0 lost, 0 added\n"} {
		if !strings.Contains(out, want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	b.must("flaketap map --all --out volatile.json")
	m := b.readMap("volatile.json")
	for _, c := range []struct {
		op     string
		status int
		place  exchange.Place
		client bool
	}{
		{"POST /users", 201, "/body/name", true}, {"POST /users", 201, "/body/born", true}, {"POST /users", 201, "/body/number", true},
		{"GET /users/{id}", 200, "/body/name", true}, {"GET /users/{id}", 200, "/body/born", true}, {"GET /users/{id}", 200, "/body/quantity", true},
		{"GET /users", 200, "/body/first", true}, {"GET /users", 200, "/body/born", true},
		{"POST /users", 201, "/body/drawn", false}, {"GET /users/{id}", 200, "/body/drawn", false},
	} {
		method, template, _ := strings.Cut(c.op, " ")
		op := m.Operation(exchange.Operation{Method: method, Template: template}, c.status)
		if op == nil {
			t.Errorf("%s %d is not in the map", c.op, c.status)
			continue
		}
		if f := op.At(c.place); f == nil || byClient(f) != c.client {
			t.Errorf("%s %s: %+v, want by the client: %v", c.op, c.place, f, c.client)
		}
	}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if f.Volatile() && f.Counts() && !byClient(f) && f.Place != "/body/drawn" {
				t.Errorf("%s %s is called the API's: %s %q", op.Operation, f.Place, f.Judgement, f.Evidence)
			}
		}
	}
}

func byClient(f *mapfile.Field) bool {
	return strings.Contains(strings.Join(f.Evidence, " "), "client")
}

// A fuzzer with a fixed seed sends the same again: run again from the same start, it is aligned in full, and the map of
// its runs is as good as that of replays.
func TestRealPythonRerunFuzzer(t *testing.T) {
	t.Parallel()
	b := newFuzzBench(t)
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	fuzz := ` -- sh -c "schemathesis run \$FLAKETAP_URL/openapi.json --seed 5 --max-examples 2 --phases examples,coverage,fuzzing --include-path-regex '^/(accounts|guestbook|prices|search)' ` +
		`--checks not_a_server_error --no-color --generation-database none --header 'Authorization: Bearer ` + demoapi.PersonalToken + `' >>fuzzer.log"`
	reset := " --reset " + url + "/admin/reset"
	out, _ := b.sh("flaketap record --listen 127.0.0.1:0 --target " + url + reset + fuzz)
	t.Log(tail(out))
	out, _ = b.sh("flaketap rerun" + reset + fuzz)
	t.Log(tail(out))
	runs := runsOf(t, filepath.Join(b.dir, "flaketap.db"))
	if len(runs) != 1 {
		t.Fatalf("%d runs are stored", len(runs))
	}
	for _, r := range runs {
		if r.Kind != exchange.RunClient || r.Steps < 100 || r.Lost*100 > r.Steps || r.Added*100 > r.Steps {
			t.Errorf("run %d: %+v", r.Number, r)
		}
	}
	b.must("flaketap map --all --out volatile.json")
	labels, err := demoapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	result := demo.Score(b.readMap("volatile.json"), labels)
	if result.Precision < 1 {
		t.Errorf("called volatile and is not: %q", result.FalsePositives)
	}
}
