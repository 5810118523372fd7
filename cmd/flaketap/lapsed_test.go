package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// knownTokenClient is a client that has a token before it begins, in the variable TOKEN, and reads with it.
const knownTokenClient = `
import json, os, urllib.request
proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
def ask(method, path, body=None):
    headers = {"Authorization": "Bearer " + os.environ["TOKEN"], "Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["FLAKETAP_RECORDER"] + path, headers=headers, method=method, data=body)
    with proxy.open(request) as answer:
        return json.load(answer)
ask("GET", "/me")
ask("GET", "/orders")
order = ask("POST", "/orders", b'{"items":[{"product":1,"quantity":1}]}')["id"]
ask("GET", "/orders/" + order)
`

// loggedIn returns a token of the demo API's seed account.
func loggedIn(t *testing.T, url string) string {
	t.Helper()
	res, err := http.Post(url+"/login", "application/json", strings.NewReader(`{"email":"ada@cafe.de","password":"lovelace"}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var in struct{ Token string }
	if err := json.NewDecoder(res.Body).Decode(&in); err != nil || in.Token == "" {
		t.Fatalf("log in: %d, %v", res.StatusCode, err)
	}
	return in.Token
}

// expiringBench is a bench with a recording of a client whose token was good for it and for two runs, and ended before the
// next two. again logs in anew.
func expiringBench(t *testing.T) (b *bench, url, token string, again func() string) {
	t.Helper()
	b = newFuzzBench(t)
	// A token lives for an hour by the clock of the API, of which less than a minute is left: that clock is slow, so that
	// no token ends before it is moved on.
	var later atomic.Int64
	later.Store(int64(55*time.Second - time.Hour))
	begun := time.Now()
	clock := func() time.Time { return begun.Add(time.Since(begun)/20 + time.Duration(later.Load())) }
	url, stop := serveTruth(t, demoapi.Dials{OrderLife: 100 * time.Hour, Clock: clock})
	t.Cleanup(stop)
	token = loggedIn(t, url)
	if err := os.WriteFile(filepath.Join(b.dir, "client.py"), []byte(knownTokenClient), 0o644); err != nil {
		t.Fatal(err)
	}
	b.must("flaketap record --target "+url+" --listen 127.0.0.1:0 -- sh -c 'FLAKETAP_RECORDER=$FLAKETAP_URL python client.py'", "TOKEN="+token)
	b.must("flaketap replay --runs 2 --reset " + url + "/admin/reset")
	later.Add(int64(time.Hour))
	if out := b.must("flaketap replay --runs 2 --reset " + url + "/admin/reset"); !strings.Contains(out, "with an expired token") && !strings.Contains(out, "differently") {
		t.Fatalf("the token was not refused:\n%s", out)
	}
	return b, url, token, func() string { return loggedIn(t, url) }
}

// TestExpiredTokenIsNoEvidence: a token that the client had before the recording and that ended between two runs is told
// of, and moves nothing; a suite takes another from the environment, and says which is refused or missing.
func TestExpiredTokenIsNoEvidence(t *testing.T) {
	t.Parallel()
	b, url, token, again := expiringBench(t)
	out := b.must("flaketap map --out map.json")
	for _, want := range []string{"warning: the credential in the header authorization (secret:", "of exchange 1 ", "is no evidence; replay again with --auth 'authorization: "} {
		if !strings.Contains(out, want) {
			t.Errorf("map does not say %q:\n%s", want, out)
		}
	}
	m, err := os.ReadFile(filepath.Join(b.dir, "map.json"))
	if err != nil || strings.Contains(string(m), token) || strings.Contains(string(m), `"place": "/status"`) {
		t.Errorf("a status moves, or the token is shown: %v", err)
	}

	b.must("flaketap suite --format pytest --out suite")
	tests := b.must("cat suite/test_*.py suite/README.md")
	if strings.Contains(tests, "401") && strings.Contains(tests, "status in (") || strings.Contains(b.must("cat suite/*.py")+tests, token) {
		t.Errorf("the suite allows for 401, or has the token:\n%s", tests)
	}
	if !strings.Contains(tests, "- `FLAKETAP_AUTHORIZATION`: the credential in the header authorization") {
		t.Errorf("README.md does not name the variable of the token:\n%s", tests)
	}
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + url + "/admin/reset"}
	const pytest = "python -m pytest -q -p no:cacheprovider suite"
	refused := "the API refused the credential FLAKETAP_AUTHORIZATION"
	if out, status := b.sh(pytest, env...); status != 1 || strings.Count(out, refused) < 2 {
		t.Errorf("with the token that has ended: exit status %d\n%s", status, tail(out))
	}
	b.must(pytest, append(env, "FLAKETAP_AUTHORIZATION=Bearer "+again())...)
	b.must("rm suite/secrets.json")
	if out, status := b.sh(pytest, env...); status != 1 || !strings.Contains(out, "set the environment variable FLAKETAP_AUTHORIZATION, see README.md") {
		t.Errorf("without a token: exit status %d\n%s", status, tail(out))
	}
	b.must(pytest, append(env, "FLAKETAP_AUTHORIZATION=Bearer "+again())...)
}

// TestSuiteAuth: suite tries the tests with the credentials that it is given, writes them, and says where the API takes
// the recorded ones no more.
func TestSuiteAuth(t *testing.T) {
	t.Parallel()
	b, url, _, again := expiringBench(t)
	api := " --target " + url + " --reset " + url + "/admin/reset"
	out, status := b.sh("flaketap suite --out suite" + api)
	if want := "try tests: the API refused the credential in the header authorization; give others with --auth or --auth-file"; status != 1 || !strings.Contains(out, want) {
		t.Errorf("exit status %d, want %q in\n%s", status, want, out)
	}
	token := again()
	out = b.must("flaketap suite --out suite --auth env:AUTH"+api, "AUTH=Authorization: Bearer "+token+"\nX-Other: x")
	if !strings.Contains(out, "--auth X-Other: no recorded request has a redacted, expired or refused credential there") {
		t.Errorf("nothing is said of a credential without use:\n%s", out)
	}
	if strings.Contains(b.must("cat suite/*.py suite/*.md"), token) || !strings.Contains(b.must("cat suite/secrets.json"), token) {
		t.Error("the token is in another file than secrets.json")
	}
	b.must("python -m pytest -q -p no:cacheprovider suite", "FLAKETAP_URL="+url, "FLAKETAP_RESET="+url+"/admin/reset")
	b.must("flaketap replay --runs 1 --reset "+url+"/admin/reset --auth env:AUTH", "AUTH=Authorization: Bearer "+token)
}

// TestExpiredTokenInGo: the same of a suite in Go.
func TestExpiredTokenInGo(t *testing.T) {
	t.Parallel()
	b, url, _, again := expiringBench(t)
	b.useGo()
	b.must("flaketap suite --format go --out suite")
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + url + "/admin/reset"}
	if out, status := b.sh("cd suite && go test -count=1 ./...", env...); status != 1 || !strings.Contains(out, "the API refused the credential FLAKETAP_AUTHORIZATION with 401") {
		t.Errorf("with the token that has ended: exit status %d\n%s", status, tail(out))
	}
	b.must("cd suite && go test -count=1 ./...", append(env, "FLAKETAP_AUTHORIZATION=Bearer "+again())...)
}

// TestRealNodeExpiredToken: the same of suites for Jest, Newman and Hurl.
func TestRealNodeExpiredToken(t *testing.T) {
	t.Parallel()
	b, url, _, again := expiringBench(t)
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + url + "/admin/reset"}
	for _, form := range webForms() {
		t.Run(form.format, func(t *testing.T) {
			form.needed(t)
			own := *b
			own.t = t
			form.project(&own, form.format, "relax")
			run := "cd " + form.format + " && " + form.run
			want := "the API refused the credential FLAKETAP_AUTHORIZATION with 401"
			if form.format == "hurl" {
				want = "a credential may have expired"
			}
			if out, status := own.sh(run, env...); status == 0 || !strings.Contains(out, want) {
				t.Errorf("with the token that has ended: exit status %d\n%s", status, tail(out))
			}
			given := append(slices.Clone(env), "FLAKETAP_AUTHORIZATION=Bearer "+again())
			own.must(run, given...)
			own.must("cd " + form.format + " && rm -f secrets.json secrets.env environment.json")
			if out, status := own.sh(run, env...); status == 0 || !strings.Contains(out, "set the environment variable FLAKETAP_AUTHORIZATION, see README.md") {
				t.Errorf("without a token: exit status %d\n%s", status, tail(out))
			}
			own.must(run, given...)
		})
	}
}

// TestRealJVMExpiredToken: the same of a suite in Java.
func TestRealJVMExpiredToken(t *testing.T) {
	t.Parallel()
	j := jvms(t)["junit5"]
	b, url, _, again := expiringBench(t)
	j.bench = b
	b.must("flaketap suite --format junit5 --out suite")
	j.formatted("suite")
	j.compile("suite", "")
	env := []string{"FLAKETAP_URL=" + url, "FLAKETAP_RESET=" + url + "/admin/reset"}
	if out, _, failed := j.run("suite", "", env...); failed == 0 || !strings.Contains(out, "the API refused the credential FLAKETAP_AUTHORIZATION with 401") {
		t.Errorf("with the token that has ended %d failed\n%s", failed, tail(out))
	}
	if out, _, failed := j.run("suite", "", append(env, "FLAKETAP_AUTHORIZATION=Bearer "+again())...); failed > 0 {
		t.Errorf("with another %d failed\n%s", failed, tail(out))
	}
}
