package search

import (
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search/mappings"
	"github.com/flaketap/flaketap/mock/search/tree"
)

// world is an API without a network: handle answers a request by asking services.
type world struct {
	handle func(w *world, r Request) (status int, body string)
	states map[string]string
	file   []worldStub
	stubs  []byte // all of them, as they are given
	calls  []Call
	trials int
	took   time.Duration // of what is under way; handle adds to it
	wait   time.Duration // for which it is waited, where that is longer than the patience
	// watched says that reads are told in this trial.
	watched bool
	reads   []Read
	covered []string // of what runs in this trial
	trusts  bool     // each certificate is taken
	log     string   // of this trial
}

type worldStub struct {
	mappings.Mapping
	Response struct {
		Status  int
		Interim int `json:"interimStatus"`
		JSON    any `json:"jsonBody"`
		Body    *string
		Delay   int64 `json:"fixedDelayMilliseconds"`
		Fault   string
		Headers map[string]string
	} `json:"response"`
}

// reply is what a service answers; gone where there is no answer.
type reply struct {
	status int
	json   any
	gone   bool
	late   bool // for it came too late
	untrue bool // for its certificate is one that nobody trusts
	behind int  // the status of an interim answer before it
	header map[string]string
}

func (w *world) Try(_ context.Context, t Trial) (Outcome, error) {
	w.trials++
	var file struct{ Mappings []worldStub }
	if err := json.Unmarshal(t.Stubs, &file); err != nil {
		return Outcome{}, err
	}
	w.stubs, w.file, w.states, w.calls = t.Stubs, file.Mappings, map[string]string{}, nil
	w.watched, w.reads, w.covered, w.log = t.Watched, nil, nil, ""
	w.took, w.wait = 20*time.Millisecond, t.Wait
	status, body := w.handle(w, t.Request)
	if status == 0 {
		return Outcome{End: Hung, Calls: w.calls, Took: t.Wait}, nil
	}
	return Outcome{Status: status, Body: []byte(body), Calls: w.calls, Reads: w.reads, Covered: w.covered, Took: w.took, Log: w.log}, nil
}

// get asks a service, in TLS at port 443.
func (w *world) get(service, target string) reply {
	scheme := "http"
	if strings.HasSuffix(service, ":443") {
		scheme = "https"
	}
	return w.getBy(scheme, service, target)
}

func (w *world) getBy(scheme, service, target string) reply {
	path, _, _ := strings.Cut(target, "?")
	r := reply{status: 404}
	for _, s := range w.file {
		host := s.Request.Host.EqualTo
		fits := s.Request.Path == path || s.Request.PathPattern != "" && regexp.MustCompile("^(?:"+s.Request.PathPattern+")$").MatchString(path)
		state := cmp.Or(w.states[s.Scenario], "Started")
		if !fits || !strings.HasPrefix(service, host+":") || s.When != "" && s.When != state {
			continue
		}
		if s.Then != "" {
			w.states[s.Scenario] = s.Then
		}
		r = reply{status: s.Response.Status, json: s.Response.JSON, gone: s.Response.Fault != "" && s.Response.Fault != string(mock.Untrusted) || s.Response.Delay > 0,
			late: s.Response.Delay > 0, untrue: s.Response.Fault == string(mock.Untrusted), behind: s.Response.Interim, header: s.Response.Headers}
		if s.Response.Body != nil {
			r.json = nil
		}
		break
	}
	if r.untrue && !w.trusts {
		return reply{gone: true, untrue: true}
	}
	call := Call{Service: service, Scheme: scheme, Method: "GET", Target: target, Status: r.status, Times: 1}
	if r.gone {
		call.Status = 0
	}
	for i, c := range w.calls {
		if c.Service == call.Service && c.Target == call.Target && c.Status == call.Status {
			w.calls[i].Times++
			return r
		}
	}
	w.calls = append(w.calls, call)
	return r
}

// read is what stands at a place of what a service answered to GET, which is told where the trial is watched.
func (w *world) read(service, target string, r reply, p exchange.Place, with Read) any {
	if w.watched {
		with.Service, with.Method, with.Target, with.Place = service, "GET", target, p
		w.reads = append(w.reads, with)
	}
	return at(r.json, tree.Within(p)...)
}

// at is what stands at a path of a value of JSON.
func at(v any, path ...string) any {
	v, _ = tree.Get(v, path)
	return v
}

func reached(found []*Behavior, shape string) *Behavior {
	for _, b := range found {
		if b.Shape == shape {
			return b
		}
	}
	return nil
}

func searchWorld(t *testing.T, o Options, handle func(w *world, r Request) (int, string)) Result {
	t.Helper()
	found, err := Run(t.Context(), &world{handle: handle}, o)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func wanted(t *testing.T, found Result, shapes ...string) {
	t.Helper()
	for _, shape := range shapes {
		if reached(found.Behaviors, shape) == nil {
			t.Errorf("%s is not reached", shape)
		}
	}
	if t.Failed() {
		t.Logf("reached: %q", outline(found.Behaviors))
	}
}
