package whole

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// shop is an API that takes money, and books: with what its services answer, by the paths of stubs.
type shop struct {
	trials []string
	handle func(answers map[string]map[string]any) (status int, body string)
	calls  []search.Call
	err    error
}

func (s *shop) Try(_ context.Context, t search.Trial) (search.Outcome, error) {
	s.trials = append(s.trials, string(t.Stubs))
	if !t.Anew || !t.Extra || t.Purpose != Purpose {
		return search.Outcome{}, errors.New("the trial is not run anew, beyond the budget, for its purpose")
	}
	status, body := s.handle(answersOf(t.Stubs))
	return search.Outcome{Status: status, Body: []byte(body), Calls: s.calls, Record: recorded(status, body)}, s.err
}

// answersOf are the responses of stubs, by their paths.
func answersOf(stubs []byte) map[string]map[string]any {
	var file struct {
		Mappings []struct {
			Request  struct{ URLPath string }
			Response map[string]any
		}
	}
	if err := json.Unmarshal(stubs, &file); err != nil {
		panic(err)
	}
	out := map[string]map[string]any{}
	for _, m := range file.Mappings {
		out[m.Request.URLPath] = m.Response
	}
	return out
}

func recorded(status int, body string) []*exchange.Exchange {
	head := "HTTP/1.1 " + map[int]string{200: "200 OK", 503: "503 Service Unavailable"}[status] + "\r\n\r\n"
	return []*exchange.Exchange{{Response: exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(body)})}, {}}
}

// stubsOf are those of services at a.example:80, by path, each with a response.
func stubsOf(responses ...string) []byte {
	var all []string
	for i := 0; i < len(responses); i += 2 {
		all = append(all, `{"name": "GET a.example:80`+responses[i]+`", "request": {"method": "GET", "urlPath": "`+responses[i]+`"}, "response": `+responses[i+1]+`}`)
	}
	return []byte(`{"mappings": [` + strings.Join(all, ",") + `]}`)
}

func behavior(status int, body string, stubs []byte, findings ...search.Finding) *search.Behavior {
	return &search.Behavior{Request: search.Request{Method: "POST", Target: "/book"}, Status: status, Stubs: stubs, Findings: findings,
		Proofs: [][]*exchange.Exchange{recorded(status, body)}}
}

// pays is an API that asks /charge and /confirm, and gives back no money.
func pays(answers map[string]map[string]any) (int, string) {
	charge, _ := answers["/charge"]["jsonBody"].(map[string]any)
	switch {
	case charge["status"] != "ok":
		return 503, `{"error": "no charge"}`
	case answers["/confirm"]["status"] == 500.0:
		return 503, `{"error": "not confirmed"}`
	}
	return 200, `{"booked": true}`
}

const (
	charged = `{"status": 200, "jsonBody": {"status": "ok", "id": "c-1", "of": {"sum": 4, "in": "EUR"}}}`
	fine    = `{"status": 200, "jsonBody": {"at": 12345678901234567890}}`
)

// What good answers have is added to the smallest stubs, but for what leads to the behavior; and that is proven.
func TestAnswersAreMadeWhole(t *testing.T) {
	for name, c := range map[string]struct {
		smallest []byte
		body     string
		want     string // of the charge
		others   int    // stubs
		fields   []search.Field
	}{
		"a failure of another service": {stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "ok"}}`, "/confirm", `{"status": 500}`),
			`{"error": "not confirmed"}`, `{"id":"c-1","of":{"in":"EUR","sum":4},"status":"ok"}`, 2, nil},
		"a value": {stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "odd"}}`),
			`{"error": "no charge"}`, `{"id":"c-1","of":{"in":"EUR","sum":4},"status":"odd"}`, 2, nil},
		"what is not there": {stubsOf("/charge", `{"status": 200, "jsonBody": {}}`),
			`{"error": "no charge"}`, `{"id":"c-1","of":{"in":"EUR","sum":4}}`, 2, nil},
		"a part of what is not there": {stubsOf("/charge", `{"status": 200, "jsonBody": {"of": {"sum": 5}}}`),
			`{"error": "no charge"}`, `{"id":"c-1","of":{"in":"EUR","sum":5}}`, 2, nil},
		"what is known otherwise": {stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "odd"}}`),
			`{"error": "no charge"}`, `{"fee":1,"id":"c-1","is_new":true,"kind":"card","of":{"in":"EUR","sum":4},"status":"odd","unknown":"x"}`, 2, []search.Field{
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/fee", Kinds: []kind.Kind{kind.Integer}},
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/kind", Values: []any{"card"}},
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/unknown"},
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/is_new"},
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/more", Kinds: []kind.Kind{kind.Object}},
				{Endpoint: search.Endpoint{Service: "a.example:80", Method: "GET", Path: "/charge"}, Place: "/body/status/within", Kinds: []kind.Kind{kind.String}},
			}},
	} {
		good := behavior(200, `{"booked": true}`, stubsOf("/charge", charged, "/confirm", fine))
		b := behavior(503, c.body, c.smallest)
		api := &shop{handle: pays}
		found := search.Result{Behaviors: []*search.Behavior{b, good}, Fields: c.fields}
		if err := Fill(t.Context(), api, found, 100, nil); err != nil || b.Whole == nil {
			t.Errorf("%s: %v, %v", name, b.Whole, err)
			continue
		}
		answers := answersOf(b.Whole.Stubs)
		got, _ := json.Marshal(answers["/charge"]["jsonBody"])
		if string(got) != c.want || len(answers) != c.others || len(b.Whole.Proofs) != proofs {
			t.Errorf("%s: the charge is %s with %d stubs, proven %d times, want %s", name, got, len(answers), len(b.Whole.Proofs), c.want)
		}
		if string(b.Stubs) != string(c.smallest) {
			t.Errorf("%s: the smallest stubs are %s now", name, b.Stubs)
		}
		if good.Whole != nil && c.fields == nil {
			t.Errorf("%s: what is whole got %s", name, good.Whole.Stubs)
		}
		for _, p := range b.Whole.Proofs {
			if string(p[0].Response.Body) != c.body {
				t.Errorf("%s: it is proven by %s", name, p[0].Response.Body)
			}
		}
	}
}

// A number is written as it was, however large.
func TestNumbersStay(t *testing.T) {
	good := behavior(200, `{"booked": true}`, stubsOf("/charge", charged, "/confirm", fine))
	b := behavior(503, `{"error": "no charge"}`, stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "odd"}}`))
	if err := Fill(t.Context(), &shop{handle: pays}, search.Result{Behaviors: []*search.Behavior{b, good}}, 100, nil); err != nil {
		t.Fatal(err)
	}
	if b.Whole == nil || !strings.Contains(string(b.Whole.Stubs), "12345678901234567890") {
		t.Errorf("the stubs are %+v", b.Whole)
	}
}

// Nothing is added to what hangs, is told by its pace, or has no proof; nor where it is not seen each time, or there are
// no trials left; and what is wrong with the API ends it.
func TestNotMadeWhole(t *testing.T) {
	smallest := stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "odd"}}`)
	for name, c := range map[string]struct {
		change func(b *search.Behavior, api *shop)
		most   int
		trials int
	}{
		"it hangs":         {func(b *search.Behavior, _ *shop) { b.End = search.Hung }, 100, 0},
		"its pace":         {func(b *search.Behavior, _ *shop) { b.Pace = "slow" }, 100, 0},
		"it is not proven": {func(b *search.Behavior, _ *shop) { b.Proofs = nil }, 100, 0},
		"nothing else is missing": {func(b *search.Behavior, _ *shop) {
			b.Stubs = stubsOf("/charge", `{"status": 200, "jsonBody": {"id": "c-1", "of": {"sum": 4, "in": "EUR"}}}`, "/confirm", fine)
		}, 100, 0},
		"no trials": {func(*search.Behavior, *shop) {}, proofs - 1, 0},
		"it ends":   {func(_ *search.Behavior, api *shop) { api.err = errors.New("gone") }, 100, 1},
		"not each time": {func(_ *search.Behavior, api *shop) {
			api.handle = func(answers map[string]map[string]any) (int, string) {
				if len(api.trials) > 1 {
					return 200, `{"booked": true}`
				}
				return pays(answers)
			}
		}, 100, 2},
		"other calls": {func(b *search.Behavior, _ *shop) { b.Calls = []search.Call{{Service: "a.example:80", Times: 1}} }, 100, 5},
	} {
		good := behavior(200, `{"booked": true}`, stubsOf("/charge", charged, "/confirm", fine))
		b, api := behavior(503, `{"error": "no charge"}`, smallest), &shop{handle: pays}
		c.change(b, api)
		err := Fill(t.Context(), api, search.Result{Behaviors: []*search.Behavior{b, good}}, c.most, nil)
		if (err != nil) != (api.err != nil) || b.Whole != nil || len(api.trials) != c.trials {
			t.Errorf("%s: %d trials, %+v, %v", name, len(api.trials), b.Whole, err)
		}
	}
}

// What is asked and has no stub is answered that nothing is known, and stays so, without a trial.
func TestUnknownStaysUnknown(t *testing.T) {
	for target, stubs := range map[string]int{"/confirm?of=c": 1, "/refunds/7": 2, "/refunds": 3, "/else": 3} {
		good := behavior(200, `{"booked": true}`, []byte(strings.Replace(string(stubsOf("/charge", charged, "/confirm", fine, "/refunds/{}", fine)),
			`"urlPath": "/refunds/{}"`, `"urlPathPattern": "/refunds/[^/]+"`, 1)))
		b := behavior(503, `{"error": "no charge"}`, stubsOf("/charge", `{"status": 200, "jsonBody": {"status": "odd"}}`))
		b.Calls = []search.Call{{Service: "a.example:80", Method: "GET", Target: target, Times: 1}}
		if target == "/confirm?of=c" {
			b.Calls = append(b.Calls, search.Call{Service: "a.example:80", Method: "GET", Target: "/refunds/7", Times: 1})
		}
		api := &shop{handle: pays, calls: b.Calls}
		if err := Fill(t.Context(), api, search.Result{Behaviors: []*search.Behavior{b, good}}, 100, nil); err != nil {
			t.Fatal(err)
		}
		if b.Whole == nil || strings.Count(string(b.Whole.Stubs), `"name"`) != stubs || len(api.trials) != proofs {
			t.Errorf("%s: %d trials, %+v", target, len(api.trials), b.Whole)
		}
	}
}

// Those with findings have their turn first, then failures.
func TestWhatLooksWrongIsFirst(t *testing.T) {
	good := behavior(200, `{"booked": true}`, stubsOf("/charge", charged, "/confirm", fine))
	small := `{"status": 200, "jsonBody": {"status": "odd"}}`
	fails, wrong := behavior(503, `{"error": "no charge"}`, stubsOf("/charge", small)), behavior(503, `{"error": "no charge"}`, stubsOf("/charge", small), search.LeakedTrace)
	if err := Fill(t.Context(), &shop{handle: pays}, search.Result{Behaviors: []*search.Behavior{good, fails, wrong}}, proofs, nil); err != nil {
		t.Fatal(err)
	}
	if wrong.Whole == nil || fails.Whole != nil {
		t.Errorf("with findings %+v, without %+v", wrong.Whole, fails.Whole)
	}
	asks := behavior(503, `{"error": "no charge"}`, stubsOf("/charge", small))
	asks.Calls = []search.Call{{Service: "a.example:80", Method: "GET", Target: "/else", Times: 1}}
	api := &shop{handle: pays, calls: asks.Calls}
	if err := Fill(t.Context(), api, search.Result{Behaviors: []*search.Behavior{good, fails, asks}}, proofs, nil); err != nil {
		t.Fatal(err)
	}
	if asks.Whole == nil || fails.Whole != nil {
		t.Errorf("with a call %+v, without %+v", asks.Whole, fails.Whole)
	}
}
