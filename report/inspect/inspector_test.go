package inspect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/volatility/analysis"
)

func request(method, target, head string) exchange.Request {
	return exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n%s\r\n", method, target, head)})
}

func response(status int, body string) *exchange.Response {
	head := fmt.Sprintf("HTTP/1.1 %d x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", status, len(body))
	return exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})
}

// write makes a recording of an order that is made and looked at, by a client that logged in, and of one fault, with one run.
func write(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	bearer := "Authorization: Bearer q8Zx81kqP0vR7mW2\r\n"
	calls := []struct {
		request  exchange.Request
		recorded *exchange.Response
		seen     *exchange.Response
	}{
		{request("POST", "/login", ""), response(200, `{"token":"q8Zx81kqP0vR7mW2"}`), response(200, `{"token":"q8Zx81kqP0vR7mW3"}`)},
		{request("POST", "/orders", bearer), response(201, `{"orderId":"0a1b2c3d-1"}`), response(201, `{"orderId":"0a1b2c3d-2"}`)},
		{request("GET", "/orders/0a1b2c3d-1", bearer), response(200, `{"echo":"q8Zx81kqP0vR7mW2","n":1}`), response(200, `{"echo":"none","n":2}`)},
		{request("GET", "/broken", ""), nil, response(503, `{}`)},
	}
	pass := exchange.Pass{Started: begin, Target: "http://127.0.0.1:8080", Source: "record"}
	if _, err := db.BeginPass(pass); err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		e := &exchange.Exchange{Conn: 1, Target: exchange.DefaultTarget, Scheme: "http", Addr: "127.0.0.1:8080", Sequence: "shopping",
			Start: begin.Add(time.Duration(i) * time.Second), Request: c.request, Response: c.recorded}
		if c.recorded == nil {
			e.Fault, e.Sequence = &exchange.Fault{Kind: exchange.FaultReset, Text: "connection reset"}, ""
		}
		if err := db.Record(e); err != nil {
			t.Fatal(err)
		}
	}
	ended := func(p *exchange.Pass) {
		p.Ended, p.Marks = begin.Add(time.Minute), []exchange.PassMark{{Name: exchange.OwnMark + "q8Zx81kqP0vR7mW2", At: begin}}
	}
	if err := db.FinishPass(ended); err != nil {
		t.Fatal(err)
	}
	run := exchange.Run{Kind: exchange.RunReplay, Started: begin.Add(time.Hour), Ended: begin.Add(2 * time.Hour)}
	w, err := db.BeginRun(run)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range calls {
		if err := w.Observe(&exchange.Observation{Seq: uint64(i + 1), Start: run.Started, Sent: c.request, Response: c.seen}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Finish(run), db.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

// shown is what a topic shows of that recording.
func shown(t *testing.T, form report.Form, limit int, show func(*Inspector) error) string {
	t.Helper()
	var out bytes.Buffer
	in, err := Open(write(t), analysis.Options{}, Output{Out: &out, Form: form, Limit: limit, Console: &console.Console{}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := show(in); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Every topic shows what is there, in every form, and no secret.
func TestTopics(t *testing.T) {
	reset, _ := ParseFaults("reset")
	for name, topic := range map[string]struct {
		show func(*Inspector) error
		want string // in lines of JSON
	}{
		"overview":   {(*Inspector).Overview, `"statuses":{"200":2,"201":1}`},
		"passes":     {(*Inspector).Passes, `"target":"http://127.0.0.1:8080"`},
		"runs":       {(*Inspector).Runs, `"kind":"replay"`},
		"sequences":  {func(in *Inspector) error { return in.Sequences(1) }, `"mark":"shopping"`},
		"exchanges":  {func(in *Inspector) error { return in.Exchanges(Filter{Faults: reset}) }, `"request_target":"/broken"`},
		"marked":     {func(in *Inspector) error { return in.Exchanges(Filter{Sequence: "shopping", Path: "/ord*/*"}) }, `"seq":3`},
		"exchange":   {func(in *Inspector) error { return in.Exchange(3) }, `"place":"/body/echo","kind":"changed","before":"\"secret:`},
		"operations": {(*Inspector).Operations, `"operation":"GET /orders/{id}"`},
		"traces":     {(*Inspector).Traces, ""},
		"bindings":   {(*Inspector).Bindings, `"value":"0a1b2c3d-1"`},
		"refusals":   {(*Inspector).Refusals, ""},
	} {
		for _, form := range []report.Form{report.FormText, report.FormJSON, report.FormNDJSON} {
			out := shown(t, form, 0, topic.show)
			if strings.Contains(out, "q8Zx81") {
				t.Errorf("%s in %s shows a secret:\n%s", name, form, out)
			}
			if form == report.FormNDJSON && !strings.Contains(out, topic.want) {
				t.Errorf("%s: %s is not shown:\n%s", name, topic.want, out)
			}
			if form == report.FormJSON && !json.Valid([]byte(out)) {
				t.Errorf("%s is no JSON:\n%s", name, out)
			}
		}
	}
	if out := shown(t, report.FormNDJSON, 2, func(in *Inspector) error { return in.Exchanges(Filter{}) }); strings.Count(out, "\n") != 2 {
		t.Errorf("more than two records:\n%s", out)
	}
}

func TestInspectorRefuses(t *testing.T) {
	for want, show := range map[string]func(*Inspector) error{
		"unknown exchange 9: the recording has exchanges 1 to 4":         func(in *Inspector) error { return in.Exchange(9) },
		`unknown sequence "none"; flaketap inspect sequences lists them`: func(in *Inspector) error { return in.Exchanges(Filter{Sequence: "none"}) },
	} {
		in, err := Open(write(t), analysis.Options{}, Output{Out: &bytes.Buffer{}, Form: report.FormText})
		if err != nil {
			t.Fatal(err)
		}
		if err := show(in); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		in.Close()
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none.db"), analysis.Options{}, Output{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there gives %v", err)
	}
}

func TestWhy(t *testing.T) {
	j, err := analysis.JudgeWithSteps(write(t), analysis.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	o := Output{Out: &out, Form: report.FormNDJSON}
	if err := Why(j, "GET /orders/0a1b2c3d-1", "/body/n", nil, o); err != nil {
		t.Fatal(err)
	}
	if want := `"runs":[{"run":1,"outcome":"200","moved":true,"counts":true,"values":[{"place":"/body/n","token":"2"}]}]`; !strings.Contains(out.String(), want) {
		t.Errorf("%s is not shown:\n%s", want, out.String())
	}
	out.Reset()
	if err := Why(j, "POST /login", "/body/token", nil, o); err != nil || strings.Contains(out.String(), "q8Zx81") {
		t.Errorf("%v\n%s", err, out.String())
	}
	out.Reset()
	if err := Why(j, "POST /login", "", nil, o); err != nil || !strings.Contains(out.String(), `"place":"/body/token"`) {
		t.Errorf("%v\n%s", err, out.String())
	}
	err = Why(j, "GET /orders", "", nil, o)
	if err == nil || err.Error() != `the recording has no operation "GET /orders"` || !strings.HasPrefix(console.Advice(err), "did you mean one of GET /orders/{id}") {
		t.Errorf("%v; %s", err, console.Advice(err))
	}
	if err := Why(j, "POST /login", "/body/none", nil, o); err == nil || console.Advice(err) == "" {
		t.Errorf("%v", err)
	}
}

func TestClaimsNeedAFile(t *testing.T) {
	if err := Claims([]string{filepath.Join(t.TempDir(), "none.py")}, suite.Source{}, nil, Output{Out: &bytes.Buffer{}}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// The client of a forward proxy chooses its targets: they are told where the pass names none.
func TestTargetsOfAForwardProxy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flaketap.db")
	db, err := store.Create(path, store.Options{})
	if err == nil {
		_, err = db.BeginPass(exchange.Pass{Source: "record"})
	}
	for _, at := range []string{"a:1", "b:2", "a:1", "c:3", "d:4"} {
		err = errors.Join(err, db.Record(&exchange.Exchange{Target: exchange.DefaultTarget, Scheme: "http", Addr: at,
			Request: request("GET", "/", ""), Response: response(200, "{}")}))
	}
	if err = errors.Join(err, db.EndPass(time.Now()), db.Close()); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	in, err := Open(path, analysis.Options{}, Output{Out: &out, Form: report.FormText, Console: &console.Console{}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Overview(); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5 exchanges in 1 pass, 0 runs", "http://a:1 http://b:2 http://c:3 …"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
}
