package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/store"
)

// everything returns all that a recording holds, as it is on the disk and as it is read.
func everything(t *testing.T, db string) string {
	t.Helper()
	raw, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var b strings.Builder
	b.Write(raw)
	message := func(m *exchange.Message) {
		for _, part := range [][]byte{m.Head, m.Body, m.Trailer, m.Tunnel} {
			b.Write(part)
			b.WriteByte('\n')
		}
	}
	request := func(q *exchange.Request) {
		message(&q.Message)
		body, _ := q.Payload()
		b.Write(body)
	}
	outcome := func(a *exchange.Response, f *exchange.Fault) {
		if f != nil {
			b.WriteString(f.Text)
			message(&f.Seen)
			return
		}
		message(&a.Message)
		body, _ := a.Payload()
		b.Write(body)
	}
	for step, err := range s.Steps() {
		if err != nil {
			t.Fatal(err)
		}
		request(&step.Exchange.Request)
		outcome(step.Exchange.Response, step.Exchange.Fault)
		for _, o := range step.Observations {
			request(&o.Sent)
			outcome(o.Response, o.Fault)
		}
	}
	return b.String()
}

// However an API is told a secret, and wherever it repeats it, the recording does not have it.
func TestRedactedAtRest(t *testing.T) {
	b, api := newGossipBench(t, map[string]string{"flaketap.yaml": "secrets: [X-Tenant, /body/tenant]\n"})
	db := filepath.Join(b.dir, "flaketap.db")
	b.must("flaketap record --redact-at-rest --listen 127.0.0.1:0 --target " + api + " -- python client.py")
	noSecret(t, "the recording", everything(t, db))
	b.must("flaketap record --append --listen 127.0.0.1:0 --target " + api + " -- python client.py") // it stays redacted
	said := b.must("flaketap replay --auth 'X-Api-Key: " + secretOf("key") + "' --auth 'Authorization: Bearer " + secretOf("bearer") + "'")
	said += b.must("flaketap export --reveal") + b.must("flaketap map --reveal")
	noSecret(t, "what was printed", said)
	noSecret(t, "the recording with a run", everything(t, db))

	b.must("flaketap record --listen 127.0.0.1:0 --db plain.db --target " + api + " -- python client.py")
	b.must("flaketap export --db plain.db --reveal --out plain.har")
	b.must("flaketap import --redact-at-rest --db imported.db plain.har")
	noSecret(t, "the import", everything(t, filepath.Join(b.dir, "imported.db")))
	out := b.must("flaketap import --as run plain.har")
	noSecret(t, "the imported run", everything(t, db)+out)
	if !strings.Contains(out, "a run of 17 steps (2 with different values), 17 lost, 0 added") {
		t.Errorf("the run is not aligned with what was redacted: %s", out)
	}
	if out, status := b.sh("flaketap record --redact-at-rest --append --db plain.db --listen 127.0.0.1:0 -- true"); status == 0 || !strings.Contains(out, "with their secrets; record into another file") {
		t.Errorf("exit status %d: %s", status, out)
	}
}

const bobPassword = "bob's pass, 77" // it has a comma

// truthClient logs in to the truth API, and uses what it is given, and a credential of its own.
func truthClient(t *testing.T, base string) (secrets []string) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	send := func(want int, method, path, body string, header ...string) *http.Response {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			req.Header.Set(header[i], header[i+1])
		}
		if body != "" {
			req.Header.Set("Content-Type", "application/json")
		}
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		data, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != want {
			t.Fatalf("%s %s: %s, %v\n%s", method, path, resp.Status, err, data)
		}
		resp.Body = io.NopCloser(strings.NewReader(string(data)))
		return resp
	}
	login := func(email, password string) (token, cookie string) {
		resp := send(200, "POST", "/login", fmt.Sprintf(`{"email":%q,"password":%q}`, email, password))
		var out struct{ Token string }
		if err := json.NewDecoder(resp.Body).Decode(&out); err != nil {
			t.Fatal(err)
		}
		return out.Token, resp.Cookies()[0].Value
	}
	for _, who := range [][2]string{{"ada@cafe.de", "lovelace"}, {"bob@cafe.de", bobPassword}} {
		if who[0] != "ada@cafe.de" {
			send(201, "POST", "/accounts", fmt.Sprintf(`{"email":%q,"password":%q,"displayName":"Bob","birthDate":"2001-12-31"}`, who[0], who[1]))
		}
		token, cookie := login(who[0], who[1])
		send(200, "GET", "/me", "", "Authorization", "Bearer "+token)
		send(200, "GET", "/me", "", "Cookie", "sid="+cookie)
		secrets = append(secrets, who[1], token, token[:60], cookie)
	}
	send(200, "GET", "/me", "", "Authorization", "Bearer "+demoapi.PersonalToken)
	send(401, "GET", "/me", "", "Authorization", "Bearer nonsense123")
	return append(secrets, demoapi.PersonalToken, "nonsense123")
}

// A replay of a redacted recording carries what the API gives now, and is given the rest.
func TestReplayWithAuth(t *testing.T) {
	url, stop := serveTruth(t, demoapi.Dials{})
	defer stop()
	b := newBench(t)
	p := b.run(nil, "record", "--redact-at-rest", "--listen", "127.0.0.1:0", "--target", url)
	secrets := truthClient(t, p.url())
	p.signal(os.Interrupt)
	p.exit(0)
	absent := func(what, text string) {
		t.Helper()
		for _, s := range secrets {
			if strings.Contains(text, s) {
				t.Errorf("%s has %q", what, s)
			}
		}
	}
	absent("the recording", everything(t, p.db))

	stored := exchange.Tokens(everything(t, p.db))
	for _, command := range []string{"inspect exchange 1", "inspect exchange 2", "inspect exchange 4", "export", "map --all"} {
		shown := b.must("flaketap " + command)
		found := exchange.Tokens(shown)
		if len(found) == 0 {
			t.Errorf("%s shows no tokens:\n%s", command, shown)
		}
		for _, token := range found {
			if !slices.Contains(stored, token) {
				t.Errorf("%s shows %s, which is not stored", command, token)
			}
		}
	}
	reset := " --reset " + url + "/admin/reset "
	out := b.must("flaketap replay" + reset)
	if want := "5 requests without credentials, the first of them in exchange 1 at /body/password"; !strings.Contains(out, want) {
		t.Errorf("it does not say %q:\n%s", want, out)
	}
	token := regexp.MustCompile(`secret:[0-9a-f]{12}`)
	var tokens []string // of ada's password, of bob's, of her own token, of nonsense
	for _, e := range p.recorded() {
		if body := token.FindString(string(e.Request.Body)); body != "" {
			tokens = append(tokens, body)
		}
	}
	if len(tokens) != 3 || tokens[0] == tokens[1] || tokens[1] != tokens[2] {
		t.Fatalf("the passwords are %q", tokens)
	}
	own := p.recorded()
	nonsense := token.FindString(own[len(own)-1].Request.Header.Get("Authorization"))
	if err := os.WriteFile(filepath.Join(b.dir, "auth"), []byte("# of the truth API\npassword: "+bobPassword+"\n\n"+tokens[0]+": lovelace\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out = b.must("flaketap replay --auth-file auth --auth env:TOKEN --auth '"+nonsense+": nonsense123' --auth 'X-None: x1'"+reset,
		"TOKEN=Authorization: Bearer "+demoapi.PersonalToken)
	if strings.Contains(out, "without credentials") || !strings.Contains(out, "--auth X-None: no recorded request has a redacted, expired or refused credential there") {
		t.Errorf("it says\n%s", out)
	}
	absent("what was printed", out)
	absent("the recording with runs", everything(t, p.db))
	statusesAgain(t, p.db, 9)
}

// statusesAgain wants the second run of a recording to have been answered with the recorded statuses.
func statusesAgain(t *testing.T, db string, want int) {
	t.Helper()
	s, err := store.OpenReadOnly(db)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	steps := 0
	for step, err := range s.Steps() {
		if err != nil || len(step.Observations) != 2 {
			t.Fatalf("%d observations, %v", len(step.Observations), err)
		}
		steps++
		if got, want := step.Observations[1].Response.Status, step.Exchange.Response.Status; got != want {
			t.Errorf("exchange %d was answered %d, and is now %d", step.Exchange.Seq, want, got)
		}
	}
	if steps != want {
		t.Errorf("%d steps, want %d", steps, want)
	}
}

// A suite of a redacted recording holds once its user has put the secrets into its secrets.json, those within longer
// values too.
func TestSuiteOfRedacted(t *testing.T) {
	b := newFuzzBench(t)
	const password, key = "PWconst7788", "KEYconst9911aa"
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"db": "postgres://svc:%s@db/x", "api_key": %q, "note": "use %[2]s here", "path": "/x?token=%[2]s"}`, password, key)
	}))
	defer api.Close()
	b.must("flaketap record --redact-at-rest --listen 127.0.0.1:0 --target " + api.URL + ` -- sh -c 'curl -s -H "X-Api-Key: ` + key + `" $FLAKETAP_URL/x'`)
	b.must("flaketap replay --runs 2 --auth 'X-Api-Key: " + key + "'")
	b.must("flaketap suite --out suite")
	path := filepath.Join(b.dir, "suite", "secrets.json")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var secrets map[string]string
	if err := json.Unmarshal(data, &secrets); err != nil {
		t.Fatal(err)
	}
	if len(secrets) != 2 {
		t.Errorf("the suite has the secrets %v, want two", secrets)
	}
	run := func(values map[string]string) int {
		t.Helper()
		for token := range secrets {
			secrets[token] = values[token]
		}
		data, err := json.Marshal(secrets)
		if err == nil {
			err = os.WriteFile(path, data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, status := b.sh("python -m pytest -q -p no:cacheprovider suite", "FLAKETAP_URL="+api.URL)
		return status
	}
	var tokens []string
	for token := range secrets {
		tokens = append(tokens, token)
	}
	if len(tokens) != 2 {
		return
	}
	one, other := map[string]string{tokens[0]: password, tokens[1]: key}, map[string]string{tokens[0]: key, tokens[1]: password}
	if first, second := run(one), run(other); first+second != 1 { // it holds with the one, and fails with the other
		t.Errorf("the suite ends with %d, and with the secrets changed about with %d", first, second)
	}
}
