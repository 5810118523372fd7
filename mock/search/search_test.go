package search

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/mock"
	"github.com/google/go-cmp/cmp"
)

// shop is an API of one service, without a network: it asks GET prices.example:443/items/7.
type shop struct {
	trials int
	broken error // of the trial after which it cannot be run
	until  int
}

func (s *shop) Try(_ context.Context, t Trial) (Outcome, error) {
	if s.trials++; s.broken != nil && s.trials > s.until {
		return Outcome{}, s.broken
	}
	var file struct {
		Mappings []struct {
			Response struct {
				Status int
				JSON   map[string]any `json:"jsonBody"`
				Body   *string
				Delay  int64 `json:"fixedDelayMilliseconds"`
				Fault  string

				Headers map[string]string
			}
		}
	}
	if err := json.Unmarshal(t.Stubs, &file); err != nil {
		return Outcome{}, err
	}
	call := Call{Service: "prices.example:443", Method: "GET", Target: "/items/7", Status: 404, Times: 1}
	answer := func(status int, body string) (Outcome, error) {
		return Outcome{Status: status, Body: []byte(body), Calls: []Call{call}}, nil
	}
	if len(file.Mappings) == 0 {
		return answer(404, `{"error": "no item"}`)
	}
	r := file.Mappings[0].Response
	if r.JSON != nil && r.Headers["Content-Type"] != "application/json" {
		return answer(502, `{"error": "no JSON"}`)
	}
	call.Status = r.Status
	switch {
	case r.Delay > 0:
		return Outcome{End: Hung, Calls: []Call{call}}, nil
	case r.Fault != "":
		call.Status = 0
		return answer(502, `{"error": "unreachable"}`)
	case r.Status == 503:
		call.Times = 40
		return answer(502, `{"error": "down"}`)
	case r.Status != 200:
		return answer(404, `{"error": "no item"}`)
	case r.JSON["hidden"] != nil:
		return answer(403, `{"error": "hidden"}`)
	case r.JSON["id"] != "a7":
		return answer(409, `{"error": "another item"}`)
	case r.JSON["kind"] == "gift":
		return answer(200, `{"price": 0, "gift": true}`)
	case r.JSON["price"] == nil:
		return answer(500, `Traceback (most recent call last): KeyError: 'price'`)
	}
	body, err := json.Marshal(map[string]any{"price": r.JSON["price"]})
	if err != nil {
		return Outcome{}, err
	}
	return answer(200, string(body))
}

func wordsOf(text string) *Words {
	w := &Words{}
	w.Add([]byte(text))
	return w
}

func options() Options {
	return Options{Requests: []Request{{Method: "GET", Target: "/price?item=a7"}}, Words: wordsOf(`"a" "hidden" "b" "id" "c" "kind" "price" "item" "gift"`), Trials: 800, Seed: 1, Patience: time.Second}
}

// outline is what of behaviors the tests compare.
func outline(found []*Behavior) (out []string) {
	for _, b := range found {
		out = append(out, fmt.Sprint(b.End, b.Status, " ", b.Shape, b.Findings))
	}
	slices.Sort(out)
	return out
}

// The search reaches what needs a value of the request, two fields at once, and a constant; names what is wrong, and
// keeps the smallest stubs.
func TestRunReaches(t *testing.T) {
	found, err := Run(t.Context(), &shop{}, options())
	if err != nil {
		t.Fatal(err)
	}
	got := outline(found.Behaviors)
	for _, want := range []string{`404 {error: "no item"}[]`, `502 {error: "unreachable"}[]`, `502 {error: "down"}[endless retries]`,
		`403 {error: "hidden"}[]`, `409 {error: "another item"}[]`, `hang0 ""[hang]`, `200 {gift: true, price: number}[]`,
		`500 trace, Traceback (most recent call last)[5xx stack trace]`, `200 {price: text given}[]`} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not reached", want)
		}
	}
	for _, b := range found.Behaviors {
		if b.Shape != "{gift: true, price: number}" {
			continue
		}
		a := b.setting[Endpoint{"prices.example:443", "GET", "/items/{}"}]
		if diff := cmp.Diff(any(map[string]any{"id": "a7", "kind": "gift"}), a.JSON); diff != "" {
			t.Errorf("stubs of a gift are not the smallest: %s", diff)
		}
	}
	if t.Failed() {
		t.Logf("reached: %q", got)
	}
}

// The same seed finds the same, with the same stubs; what is written can be read as stubs.
func TestRunIsDeterministic(t *testing.T) {
	var told [2][]string
	for i := range told {
		found, err := Run(t.Context(), &shop{}, options())
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range found.Behaviors {
			told[i] = append(told[i], fmt.Sprint(b.Request, b.Trial, b.End, b.Status, b.Shape, b.Calls, b.Findings, string(b.Stubs)))
			if _, err := mock.ParseStubs(b.Stubs, nil); err != nil {
				t.Errorf("%s: %v\n%s", b.Shape, err, b.Stubs)
			}
		}
		told[i] = append(told[i], fmt.Sprint(found.Fields, found.Surfacings))
	}
	if diff := cmp.Diff(told[0], told[1]); diff != "" {
		t.Error(diff)
	}
}

// No more trials run than were asked for, and what was found stays where the API fails.
func TestRunEnds(t *testing.T) {
	for _, trials := range []int{1, 3, 10, 50, 200} {
		o, api := options(), &shop{}
		o.Trials = trials
		if _, err := Run(t.Context(), api, o); err != nil || api.trials > trials {
			t.Errorf("%d trials of %d; %v", api.trials, trials, err)
		}
	}
	broken := errors.New("gone")
	found, err := Run(t.Context(), &shop{broken: broken, until: 30}, options())
	if !errors.Is(err, broken) || len(found.Behaviors) == 0 || found.Behaviors[0].Stubs == nil {
		t.Errorf("%d found; %v", len(found.Behaviors), err)
	}
}

// moody answers otherwise each time.
type moody struct{ n int }

func (m *moody) Try(context.Context, Trial) (Outcome, error) {
	m.n++
	return Outcome{Status: 200 + m.n}, nil
}

func TestRunKeepsNothingUnsteady(t *testing.T) {
	found, err := Run(t.Context(), &moody{}, options())
	if err != nil || len(found.Behaviors) != 0 {
		t.Errorf("%d found; %v", len(found.Behaviors), err)
	}
	if diff := cmp.Diff(options().Requests, found.Unsteady); diff != "" {
		t.Errorf("who uses it is not told what was not searched: %s", diff)
	}
}

// A budget that ends before a request is confirmed says nothing of how the request ends.
func TestRunSaysWhatItNeverBegan(t *testing.T) {
	for trials, confirmed := range map[int]bool{1: false, 2: false, 3: true} {
		for _, api := range []API{&shop{}, &moody{}, &cold{}} {
			o := options()
			o.Requests, o.Trials = append(o.Requests, Request{Method: "GET", Target: "/never"}), trials
			want := o.Requests
			if _, steady := api.(*shop); steady && confirmed {
				want = want[1:]
			}
			found, err := Run(t.Context(), api, o)
			if err != nil || len(found.Unsteady) > 0 {
				t.Errorf("%T, %d trials: %v is said to end otherwise each time; %v", api, trials, found.Unsteady, err)
			}
			if diff := cmp.Diff(want, found.Unbegun); diff != "" {
				t.Errorf("%T, %d trials: what was not searched is told otherwise: %s", api, trials, diff)
			}
		}
	}
}

// cold does otherwise at its first trial than ever after.
type cold struct {
	shop
	begun bool
}

func (c *cold) Try(ctx context.Context, t Trial) (Outcome, error) {
	if !c.begun {
		c.begun = true
		return Outcome{Status: 504}, nil
	}
	return c.shop.Try(ctx, t)
}

// A request whose first answer does not come again is searched all the same.
func TestRunBeginsAnew(t *testing.T) {
	found, err := Run(t.Context(), &cold{}, options())
	if err != nil {
		t.Fatal(err)
	}
	if got := outline(found.Behaviors); !slices.Contains(got, `200 {gift: true, price: number}[]`) {
		t.Errorf("reached: %q", got)
	}
	if len(found.Unsteady) > 0 {
		t.Errorf("%v is said not to be searched", found.Unsteady)
	}
}

// clocked is an API that has a clock: its time is up after so many trials.
type clocked struct {
	remembered
	upAt       int
	past       bool // the trials ran in an earlier search, so that each behavior is proven anew
	late, none int  // trials that began after the time was up, and those of them that prove nothing
}

func (c *clocked) Try(ctx context.Context, t Trial) (Outcome, error) {
	if c.up() && t.Wait == 0 { // what waits longer has a bound of its own
		c.late++
		if !t.Anew || !t.Extra {
			c.none++
		}
	}
	out, err := c.remembered.Try(ctx, t)
	out.Past = out.Past && c.past
	return out, err
}

func (c *clocked) up() bool { return c.trials >= c.upAt }

// Once the time of a search is up, no trial begins but those that prove what was found.
func TestRunEndsInTime(t *testing.T) {
	for _, upAt := range []int{1, 2, 3, 10, 50, 200, 400} {
		for _, past := range []bool{false, true} {
			o, api := options(), &clocked{upAt: upAt, past: past}
			o.Used = func() float64 {
				if api.up() {
					return 1
				}
				return float64(api.trials) / float64(api.upAt)
			}
			found, err := Run(t.Context(), api, o)
			if err != nil {
				t.Fatal(err)
			}
			most := proofs - 1 // of the behavior whose proof is under way
			if past {
				most = proofs * len(found.Behaviors)
			}
			if api.none > 0 || api.late > most {
				t.Errorf("up after %d trials: %d begin later, %d of them prove nothing; %d are wanted at most", upAt, api.late, api.none, most)
			}
		}
	}
}

// What tells which code has run leads a search to what lies behind an answer that looks like a known one.
func TestCoverageLeads(t *testing.T) {
	o := oneRequest("/offer")
	gap := strings.Repeat("\n", 300)
	o.Words, o.Trials = wordsOf(`read("kind")`+gap+`"gift"`+gap+`read("wrap")`+gap+`"silk"`), 400
	for _, covers := range []bool{true, false} {
		found := searchWorld(t, o, func(w *world, _ Request) (int, string) {
			r := w.get("prices.example:443", "/items")
			cover := func(line string) {
				if covers {
					w.covered = append(w.covered, line)
				}
			}
			switch {
			case r.status != 200:
				return 502, `{"ok": false}`
			case at(r.json, "kind") == nil:
				return 502, `{"error": "KeyError: 'kind'"}`
			case at(r.json, "wrap") == nil:
				return 502, `{"error": "KeyError: 'wrap'"}`
			case at(r.json, "kind") != "gift":
				return 200, `{"ok": true}`
			}
			if cover("offer.py:12"); at(r.json, "wrap") != "silk" {
				return 200, `{"ok": true}`
			}
			return 200, `{"ok": true, "wrapped": true}`
		})
		if b := reached(found.Behaviors, "{ok: true, wrapped: true}"); (b != nil) != covers {
			t.Errorf("coverage: %v, reached: %v, of %q", covers, b != nil, outline(found.Behaviors))
		}
	}
}
