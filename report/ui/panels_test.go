package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/recorded"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/rules"
)

// has fails where a text lacks one of the parts.
func has(t *testing.T, name, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s lacks %s:\n%s", name, part, text)
		}
	}
}

// Each panel shows what its text says, of the recording of a shop with three runs.
func TestPanels(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3)})
	for path, parts := range map[string][]string{
		"exchange?n=2": {"GET /orders/0a1b2c3d-4e5f-4a6b-8c7d-000007300419 HTTP/1.1", "Content-Type", "application/json",
			"  &#34;state&#34;: &#34;new&#34;", "after a reset, delay=2h", "≠ 2 differences", `href="#/beside?n=2&amp;a=0&amp;b=1"`},
		"exchange?n=4":           {"<td>503</td>"},
		"raw?n=2":                {`HTTP/1.1 200 Some\r`, `Content-Length: 92\r`, "{&#34;orderId&#34;:"},
		"beside?n=2":             {`<option value="1" selected>run 1</option>`, "<mark>02T04</mark>", "≠", "2 places that differ", "#/why?n=2&amp;place=%2fbody%2fat"},
		"beside?n=2&a=2&b=3":     {`<option value="2" selected>run 2</option>`, `<option value="3" selected>run 3</option>`, "<mark>"},
		"beside?n=5":             {"No place differs."},
		"beside?n=4&a=0&b=2":     {"HTTP/1.1 <mark>503</mark>", "/status"},
		"why?n=2":                {"Judged by 5 exchanges and 3 runs.", "/body/at", "/body/state"},
		"why?n=2&place=/body/at": {"<b>jitter</b>", "3 of 3 observations differ", "How it was judged", "run 2: moved in 1 of 1", "<mark>", "#/rules?kind=pin&amp;operation=GET%20%2forders%2f%7bid%7d&amp;status=200"},
		"depends?n=1":            {"Nothing.", "/body/orderId", `href="#/depends?n=2"`, "GET /orders/0a1b2c3d"},
		"depends?n=2":            {"/body/orderId", `href="#/depends?n=1"`, "proven"},
		"rules":                  {"by the runs alone", "with these rules"},
		"exports":                {`value="har"`, `value="map json"`, `value="report html"`},
		"replays":                {"This page was started without replays."},
		"replaying":              {"replayed, after a reset, delay=2h"},
		"judge":                  {"Judged by 5 exchanges and 3 runs."},
	} {
		has(t, path, s.get("/panel/"+path), parts...)
	}
	for path, want := range map[string]string{
		"exchange?n=6": "has no exchange 6", "exchange": "has no exchange 0", "exchange?n=x": "n must be a number", "exchange?n=99999999999999999999": "n must be a number",
		"beside?n=2&b=9": "run 9 has no answer", "why?n=2&place=/body/none": "has a place /body/none",
	} {
		code, text := s.send(http.MethodGet, "/panel/"+path, nil, nil)
		if code != http.StatusBadRequest || !strings.Contains(text, want) {
			t.Errorf("%s is answered %d %s", path, code, text)
		}
	}
}

// What moves is listed before what does not.
func TestMovingPlacesComeFirst(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3)})
	text := s.get("/panel/why?n=4")
	moving, stable := strings.Index(text, "<code>/status</code>"), strings.Index(text, "<code>/body/left</code>")
	if moving < 0 || stable < moving {
		t.Errorf("/status is at %d, /body/left at %d:\n%s", moving, stable, text)
	}
}

func TestRows(t *testing.T) {
	s := serve(t, Options{DB: many(t, 1234)})
	read := func(query string) (out []row) {
		t.Helper()
		check(t, json.Unmarshal([]byte(s.get("/rows?"+query)), &out))
		return out
	}
	for query, want := range map[string][2]uint64{"from=1&count=100": {1, 100}, "from=1201&count=100": {1201, 1234}, "from=700&count=500": {700, 1199}} {
		rows := read(query)
		if rows[0].Seq != want[0] || rows[len(rows)-1].Seq != want[1] || len(rows) != int(want[1]-want[0]+1) {
			t.Errorf("%s: %d rows from %d", query, len(rows), rows[0].Seq)
		}
	}
	if rows := read("from=9999&count=10"); len(rows) != 0 {
		t.Errorf("rows behind the end: %v", rows)
	}
	for _, query := range []string{"", "from=0&count=10", "from=1&count=501", "from=-1&count=1", "from=1&count=x"} {
		if code, text := s.send(http.MethodGet, "/rows?"+query, nil, nil); code != http.StatusBadRequest {
			t.Errorf("%s is answered %d %s", query, code, text)
		}
	}
	for query, want := range map[string]string{"after=0&words=page%3D8+get": "9", "after=9&words=PAGE%3D8": "18", "after=1234&words=page%3D8": "9", "after=3&words=none": "0"} {
		if got := strings.TrimSpace(s.get("/find?" + query)); got != want {
			t.Errorf("%s finds %s, want %s", query, got, want)
		}
	}
}

// A secret that a later exchange names is a token in the first, in every panel and export.
func TestSecretsAreTokens(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	const secret = "q8Zx81kkPw77TrQ0"
	record(t, path, exchangeOf("GET /echo/"+secret+"?x="+secret+" HTTP/1.1\nHost: x\nX-Odd: "+secret, "HTTP/1.1 200 OK\nContent-Type: text/plain\n\nyou said "+secret),
		exchangeOf("POST /login HTTP/1.1\nHost: x\nAuthorization: Bearer "+secret, "HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"ok\":true}"))
	s := serve(t, Options{DB: path})
	show := func(name, text string) {
		t.Helper()
		if strings.Contains(text, secret) {
			t.Errorf("%s shows the secret:\n%s", name, text)
		}
	}
	show("rows", s.get("/rows?from=1&count=9"))
	for _, p := range panels() {
		for n := 1; n <= 2; n++ {
			show(p.name, s.get(fmt.Sprintf("/panel/%s?n=%d&place=/body", p.name, n)))
		}
	}
	for _, g := range exportGroups() {
		for _, x := range g.All {
			code, text := s.post("/export", url.Values{"name": {x.Name}})
			if code != http.StatusOK {
				t.Errorf("%s is answered %d", x.Name, code)
			}
			show(x.Name, text)
		}
	}
	revealed := serve(t, Options{DB: path, Analysis: analysis.Options{Reveal: true}})
	has(t, "revealed", revealed.get("/panel/raw?n=1"), secret)
	has(t, "revealed", revealed.get("/panel/exchange?n=1"), secret)
}

// What is recorded while a page is open is shown on it, by itself.
func TestLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	record(t, path, exchangeOf("GET /1 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"))
	s := serve(t, Options{DB: path})
	db, err := store.Open(path, store.Options{Doing: "recording"}) // the page is in nobody's way
	check(t, err)
	_, err = db.BeginPass(exchange.Pass{})
	check(t, err)
	check(t, db.Record(exchangeOf("GET /2 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n")))
	now := s.until(func(now state) bool { return now.Count == 2 })
	if !strings.Contains(now.Holder, "has been recording since") {
		t.Errorf("who holds it is said to be %q", now.Holder)
	}
	has(t, "the stream", s.get("/rows?from=2&count=9"), "GET", "/2")
	run, err := db.BeginRun(exchange.Run{Kind: exchange.RunReplay})
	check(t, err)
	check(t, run.Observe(&exchange.Observation{Seq: 1, Response: exchangeOf("GET / HTTP/1.1", "HTTP/1.1 500 Bad\n\n").Response}))
	s.until(func(now state) bool { return len(now.Runs) == 1 && now.Runs[0].Steps == 1 && !now.Runs[0].Ended })
	has(t, "the exchange", s.get("/panel/exchange?n=1"), "<td>500</td>")
	check(t, db.Close())
	s.until(func(now state) bool { return now.Holder == "" })
}

// While the recording is not there yet, what is being made for it is shown; then that, and who is at work beside it.
func TestWorkUnderWay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	part := path + ".part"
	s := serveAtOnce(t, Options{DB: path, Working: func() string { return part }})
	db, err := store.Create(part, store.Options{Doing: "stabilizing"})
	check(t, err)
	_, err = db.BeginPass(exchange.Pass{})
	check(t, err)
	check(t, db.Record(exchangeOf("GET /1 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n")))
	s.until(func(now state) bool {
		return now.Count == 1 && strings.Contains(now.Holder, "has been stabilizing since")
	})
	has(t, "the exchange", s.get("/panel/exchange?n=1"), "GET /1 HTTP/1.1")
	record(t, path, exchangeOf("GET /2 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"), exchangeOf("GET /3 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"))
	s.until(func(now state) bool {
		return now.Count == 2 && strings.Contains(now.Holder, "has been stabilizing since")
	})
	has(t, "the exchange", s.get("/panel/exchange?n=1"), "GET /2 HTTP/1.1")
	check(t, db.Close())
	s.until(func(now state) bool { return now.Count == 2 && now.Holder == "" })
}

// Between two runs there is neither: what was shown stays.
func TestBetweenRuns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	part := path + ".part"
	s := serveAtOnce(t, Options{DB: path, Working: func() string {
		if store.HolderOf(part) == nil {
			return ""
		}
		return part
	}})
	db, err := store.Create(part, store.Options{Doing: "stabilizing"})
	check(t, err)
	s.until(func(now state) bool { return now.Holder != "" })
	check(t, db.Close())
	s.until(func(now state) bool { return strings.Contains(now.Trouble, "this run is over") })
}

// A page may be opened before there is a recording.
func TestThereIsNoRecordingYet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	s := serveAtOnce(t, Options{DB: path})
	for _, p := range panels() {
		code, text := s.send(http.MethodGet, "/panel/"+p.name+"?n=1", nil, nil)
		if code != http.StatusOK && !strings.Contains(text, "there is no recording yet") {
			t.Errorf("%s is answered %d %s", p.name, code, text)
		}
	}
	if rows := s.get("/rows?from=1&count=9"); strings.TrimSpace(rows) != "[]" {
		t.Errorf("the rows of nothing are %s", rows)
	}
	record(t, path, exchangeOf("GET /1 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"))
	s.until(func(now state) bool { return now.Count == 1 })
	has(t, "the exchange", s.get("/panel/exchange?n=1"), "GET /1 HTTP/1.1")
}

// A page is told what changes, as events.
func TestEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	record(t, path, exchangeOf("GET /1 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"))
	s := serve(t, Options{DB: path})
	r, _ := http.NewRequest(http.MethodGet, s.base+"/events", nil)
	r.Header.Set(keyHeader, s.key)
	answer, err := s.http.Do(r)
	check(t, err)
	defer answer.Body.Close()
	if kind := answer.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("events are %s", kind)
	}
	told := func() (out state) {
		t.Helper()
		var text strings.Builder
		for one := make([]byte, 1); !strings.HasSuffix(text.String(), "\n\n"); {
			if _, err := io.ReadFull(answer.Body, one); err != nil {
				t.Fatal(err)
			}
			text.Write(one)
		}
		_, data, _ := strings.Cut(text.String(), "data: ")
		check(t, json.Unmarshal([]byte(data), &out))
		return out
	}
	if now := told(); now.Count != 1 || now.File != "flaketap.db" {
		t.Errorf("told %+v", now)
	}
	record(t, path, exchangeOf("GET /2 HTTP/1.1\nHost: x", "HTTP/1.1 200 OK\n\n"))
	for told().Count != 2 {
	}
}

func TestRulesShowTheirEffect(t *testing.T) {
	pin := rules.Rule{Place: "/body/state", Kind: mapfile.Force, Category: mapfile.Time, Because: "it will"}
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3), Analysis: analysis.Options{Rules: analysis.Rules{Places: []rules.Rule{pin}}}})
	has(t, "the editor", s.get("/panel/rules"), `value="/body/state"`, "<option selected>force</option>", "<option selected>Time</option>", `value="it will"`, "<td>would-move Time</td>")
	has(t, "why", s.get("/panel/why?n=2&place=/body/state"), "A rule decides on it (force: it will)", "The runs say: stable")

	form := url.Values{"kind": {"ignore", "pin", "force"}, "place": {"/body/tags", "/body/at", "body"}, "operation": {"", "GET /orders/{id}", ""}, "because": {"", "a \"quoted\" reason: yes", ""}}
	code, text := s.post("/panel/rules", form)
	if code != http.StatusOK || strings.Contains(text, "<form data-post=\"rules\"") {
		t.Errorf("the effect alone is asked for: %d %s", code, text)
	}
	has(t, "the effect", text, "rule 3: &#34;body&#34; is not a place", "it pins a place that moved in 3 of 3 observations",
		"<td>jitter Time</td><td>stable</td>", "<td>ignored</td>", "places:\n    - place: /body/tags\n      rule: ignore\n", "because: &#39;a &#34;quoted&#34; reason: yes&#39;")
	_, text = s.post("/panel/rules", url.Values{"kind": {"ignore"}, "place": {"/body/tags"}, "do": {"add"}})
	has(t, "the editor", text, `value="/body/tags"`, "<legend>rule 2</legend>", "<form data-post=\"rules\"")
	_, text = s.post("/panel/rules", url.Values{"kind": {"ignore", "pin"}, "place": {"/body/tags", "/body/at"}, "do": {"remove 0"}})
	if has(t, "the editor", text, `value="/body/at"`); strings.Contains(text, "/body/tags") {
		t.Errorf("the rule is still there:\n%s", text)
	}
	for _, do := range []string{"remove -1", "remove 9", "remove x"} {
		_, text = s.post("/panel/rules", url.Values{"kind": {"ignore"}, "place": {"/body/tags"}, "do": {do}})
		has(t, do, text, `value="/body/tags"`)
	}
	if code, text := s.post("/panel/rules", url.Values{"place": make([]string, maxRules+1)}); code != http.StatusBadRequest {
		t.Errorf("too many rules are answered %d %s", code, text)
	}
	if code, text := s.post("/panel/rules", url.Values{"place": {strings.Repeat("x", maxForm)}}); code == http.StatusOK {
		t.Errorf("a form that is too large is answered %d %.200s", code, text)
	}
	// What was tried has changed nothing.
	has(t, "why", s.get("/panel/why?n=2&place=/body/at"), "<b>jitter</b>")
}

func TestExports(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3), Version: "1.2.3"})
	for name, want := range map[string]string{"har": `"1.2.3"`, "map json": `"flaketap": "volatile-map"`, "report html": "<!DOCTYPE html>", "report sarif": `"version": "2.1.0"`} {
		code, text := s.post("/export", url.Values{"name": {name}})
		if code != http.StatusOK || !strings.Contains(text, want) {
			t.Errorf("%s is answered %d %.300s", name, code, text)
		}
	}
	if code, _ := s.post("/export", url.Values{"name": {"none"}}); code != http.StatusNotFound {
		t.Errorf("an unknown form is answered %d", code)
	}
	// A browser sends the form by itself, with the key among its fields, and saves what comes.
	form := url.Values{"name": {"har"}, "key": {s.key}}
	r, _ := http.NewRequest(http.MethodPost, s.base+"/export", strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", s.base)
	answer, err := s.http.Do(r)
	check(t, err)
	answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Disposition") != `attachment; filename="recording.har"` || answer.Header.Get("Content-Type") != "application/octet-stream" {
		t.Errorf("a form that a browser sends is answered %d %v", answer.StatusCode, answer.Header)
	}
}

// A file ends in the name of its form, where that is an ending.
func TestExportsAreNamed(t *testing.T) {
	names := map[string]string{}
	for _, g := range exportGroups() {
		for _, x := range g.All {
			names[x.Name] = x.File
		}
	}
	for name, want := range map[string]string{"har": "recording.har", "map json": "map.json", "map lock": "map.lock",
		"map pact": "map-pact.txt", "report html": "report.html", "report text": "report-text.txt"} {
		if names[name] != want {
			t.Errorf("%s is saved as %q, want %q", name, names[name], want)
		}
	}
}

func TestReplays(t *testing.T) {
	began, wait := make(chan Request), make(chan error)
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 1), Conditions: []string{"double", "delay"},
		Replay: func(ctx context.Context, r Request, out io.Writer) error {
			began <- r
			fmt.Fprintf(out, "run 1: <b>under way</b>\n%s", bytes.Repeat([]byte("line\n"), maxOutput/4))
			select {
			case err := <-wait:
				return err
			case <-ctx.Done():
				fmt.Fprintln(out, "stored what there was")
				return ctx.Err()
			}
		}})
	has(t, "the form", s.get("/panel/replays"), `name="runs"`, `value="double"`, "5 recorded requests", "http://127.0.0.1:8080")
	start := url.Values{"do": {"start"}, "runs": {"3"}, "condition": {"double"}}
	s.post("/panel/replays", start)
	if r := <-began; r.Runs != 3 || len(r.Conditions) != 1 || r.Conditions[0] != "double" {
		t.Errorf("asked for %+v", r)
	}
	_, text := s.post("/panel/replays", start)
	has(t, "a second one", text, "a replay is running already")
	has(t, "the replay", s.get("/panel/replaying"), "Running", "3 runs, double", "Stop the replay")
	wait <- nil
	s.ended()
	has(t, "the replay", s.get("/panel/replaying"), "The last replay", "; done", "line\nline")

	s.post("/panel/replays", start)
	<-began
	s.post("/panel/replays", url.Values{"do": {"stop"}})
	s.ended()
	has(t, "the replay", s.get("/panel/replaying"), "stopped; what it had done is kept", "stored what there was")
	s.post("/panel/replays", start)
	<-began
	wait <- errors.New("exit status 1")
	s.ended()
	has(t, "the replay", s.get("/panel/replaying"), "; exit status 1")
	for form, want := range map[string]string{"do=start&runs=0": "want 1 to 1000 runs", "do=start&runs=1001": "want 1 to 1000 runs", "do=start&runs=x": "runs must be a number",
		"do=start&runs=1&condition=--reset": "unknown condition", "do=stop": "no replay is running", "do=x": "started or stopped"} {
		values, _ := url.ParseQuery(form)
		_, text := s.post("/panel/replays", values)
		has(t, form, text, want)
	}
}

// ended waits until no replay runs.
func (s *served) ended() {
	s.t.Helper()
	s.until(func(state) bool { return !s.replay.view().Running })
}

// A replay that the page started ends with the page, and is waited for.
func TestReplayEndsWithThePage(t *testing.T) {
	began, over := make(chan struct{}), make(chan struct{})
	t.Run("page", func(t *testing.T) {
		s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 1), Replay: func(ctx context.Context, _ Request, _ io.Writer) error {
			close(began)
			<-ctx.Done()
			close(over)
			return nil
		}})
		s.post("/panel/replays", url.Values{"do": {"start"}, "runs": {"1"}})
		<-began
	})
	select {
	case <-over:
	default:
		t.Error("the replay goes on")
	}
}

func TestChild(t *testing.T) {
	var out bytes.Buffer
	check(t, Child("echo", "x.db", []string{"--reset", "./r"})(t.Context(), Request{Runs: 3, Conditions: []string{"double", "delay"}}, &out))
	if got, want := out.String(), "replay --db x.db --runs 3 --reset ./r --perturb double,delay\n"; got != want {
		t.Errorf("started with %s, want %s", got, want)
	}
}

func TestPairs(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"a b c", "a b c", "=a|a =b|b =c|c"},
		{"a x c", "a y c", "=a|a ≠[x]|[y] =c|c"},
		{"a c", "a b c", "=a|a +|[b] =c|c"},
		{"a b c", "a c", "=a|a −[b]| =c|c"},
		{"a b c d e", "x b y d z", "≠[a]|[x] =b|b ≠[c]|[y] =d|d ≠[e]|[z]"},
		{"", "a", "≠|[a]"},
	} {
		var got []string
		for _, row := range pairs(strings.Split(c.a, " "), strings.Split(c.b, " ")) {
			sign := row.Sign
			if sign == "" {
				sign = "="
			}
			side := func(p part) string {
				if p.Differs != "" {
					return p.Before + "[" + p.Differs + "]" + p.Behind
				}
				return p.Before
			}
			got = append(got, sign+side(row.A)+"|"+side(row.B))
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s and %s: %s, want %s", c.a, c.b, text, c.want)
		}
	}
}
