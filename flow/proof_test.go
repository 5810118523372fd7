package flow

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// observed puts runs beside a recording: each run is a script of as many exchanges.
func observed(t *testing.T, recorded []*exchange.Exchange, runs ...string) iter.Seq2[exchange.Step, error] {
	t.Helper()
	steps := make([]exchange.Step, len(recorded))
	for i, e := range recorded {
		steps[i].Exchange = e
	}
	for n, text := range runs {
		for i, e := range script(t, text) {
			steps[i].Observations = append(steps[i].Observations, &exchange.Observation{Run: n + 1, Seq: e.Seq, Sent: e.Request, Response: e.Response})
		}
	}
	return func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
}

// ordering is a client that makes an order, which has the id made, and sends it twice.
func ordering(made string, status int, sent string) string {
	return fmt.Sprintf("> POST /orders\n< 201\n={\"id\":%s}\n> GET /orders/%s\n< %d\n={\"id\":%s}\n> DELETE /orders/%s\n< %d", made, sent, status, sent, sent, status)
}

func TestProve(t *testing.T) {
	replay, client := exchange.RunReplay, exchange.RunClient
	for _, c := range []struct {
		name string
		kind exchange.RunKind
		runs []string
		want Proof
		says string
	}{
		{"no run", replay, nil, Proof{State: Unproven}, "no run yet"},
		{"the value never moved", replay, []string{ordering("7", 200, "7"), ordering("7", 200, "7")}, Proof{State: Unproven, Still: 2},
			"the value was the same in 2 runs"},
		{"never left out", replay, []string{ordering("8", 200, "8")}, Proof{State: Unproven, With: Tally{Reproduced: 1, Of: 1}},
			"1 of 1 run with it, none without"},
		{"better with it", replay, []string{ordering("8", 200, "8"), ordering("9", 200, "9"), ordering("10", 404, "7")},
			Proof{State: Proven, With: Tally{Reproduced: 2, Of: 2}, Without: Tally{Of: 1}}, "2 of 2 runs with it, 0 of 1 without"},
		{"better without", replay, []string{ordering("8", 404, "8"), ordering("9", 200, "7"), ordering("10", 404, "10")},
			Proof{State: Refused, With: Tally{Of: 2}, Without: Tally{Reproduced: 1, Of: 1}}, "0 of 2 runs with it, 1 of 1 without"},
		{"better without, but once only", replay, []string{ordering("8", 404, "8"), ordering("9", 200, "7")},
			Proof{State: Unproven, With: Tally{Of: 1}, Without: Tally{Reproduced: 1, Of: 1}}, "0 of 1 run with it, 1 of 1 without"},
		{"the same either way", replay, []string{ordering("8", 200, "8"), ordering("9", 200, "7")},
			Proof{State: Needless, With: Tally{Reproduced: 1, Of: 1}, Without: Tally{Reproduced: 1, Of: 1}}, "1 of 1 run with it, 1 of 1 without"},
		{"a body of another shape is no reason to refuse", replay,
			[]string{"> POST /orders\n< 201\n={\"id\":9}\n> GET /orders/9\n< 200\n={\"error\":\"x\"}\n> DELETE /orders/9\n< 200", ordering("8", 200, "7")},
			Proof{State: Needless, With: Tally{Reproduced: 1, Of: 1}, Without: Tally{Reproduced: 1, Of: 1}}, "1 of 1 run with it, 1 of 1 without"},
		{"a body of another shape", replay,
			[]string{ordering("8", 200, "8"), "> POST /orders\n< 201\n={\"id\":9}\n> GET /orders/7\n< 200\n={\"error\":\"x\"}\n> DELETE /orders/7\n< 200"},
			Proof{State: Proven, With: Tally{Reproduced: 1, Of: 1}, Without: Tally{Reproduced: 1, Of: 1}}, "1 of 1 run with it, 1 of 1 without"},
		{"the producer failed: nothing is told", replay, []string{"> POST /orders\n< 500\n> GET /orders/7\n< 404\n> DELETE /orders/7\n< 404"},
			Proof{State: Unproven}, "no run yet"},
		{"the client follows", client, []string{ordering("8", 404, "8")}, Proof{State: Proven, Followed: 1}, "the client sent the new value in 1 of 1 run of its own"},
		{"the client sends a literal", client, []string{ordering("8", 200, "7"), ordering("9", 200, "7")}, Proof{State: Refused, Repeated: 2, Literals: []uint64{2, 3}},
			"the client sent the new value in 0 of 2 runs of its own"},
		{"the client makes it up", client, []string{ordering("8", 200, "55")}, Proof{State: Refused, Other: 1, Literals: []uint64{2, 3}}, "the client sent the new value in 0 of 1 run of its own"},
	} {
		t.Run(c.name, func(t *testing.T) {
			recorded := script(t, ordering("7", 200, "7"))
			bindings := Bindings(recorded)
			var runs []exchange.Run
			for i := range c.runs {
				runs = append(runs, exchange.Run{Number: i + 1, Kind: c.kind})
			}
			got, err := Prove(bindings, runs, observed(t, recorded, c.runs...))
			if err != nil || len(got) != 1 {
				t.Fatalf("%v, %v", got, err)
			}
			if diff := cmp.Diff(c.want, got[0], cmpopts.IgnoreUnexported(Tally{})); diff != "" {
				t.Error(diff)
			}
			if got[0].Evidence() != c.says {
				t.Errorf("it says %q, not %q", got[0].Evidence(), c.says)
			}
			if kept := len(Kept(bindings, got)); (kept == 0) != (c.want.State == Refused) {
				t.Errorf("%d bindings kept", kept)
			}
		})
	}
}

// TestProveLiterals: of a binding that the client follows in most requests, the ones in which it guessed are no uses.
func TestProveLiterals(t *testing.T) {
	text := func(id, guess string) string {
		return ordering(id, 200, id) + "\n> GET /orders/" + guess + "\n< 200"
	}
	recorded := script(t, text("7", "7"))
	bindings := Bindings(recorded)
	proofs, err := Prove(bindings, []exchange.Run{{Number: 1, Kind: exchange.RunClient}}, observed(t, recorded, text("9", "7")))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Proof{{State: Proven, Followed: 1, Literals: []uint64{4}}}, proofs, cmpopts.IgnoreUnexported(Tally{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"orderId=7 1/body/id > 2/path/1 > 3/path/1"}, show(Kept(bindings, proofs))); diff != "" {
		t.Error(diff)
	}
	if len(bindings[0].Uses) != 3 {
		t.Error("Kept changed what it was given")
	}
}

// TestProveStrangeRuns: a run that has little in common with the recording speaks for a binding, but not against it.
func TestProveStrangeRuns(t *testing.T) {
	recorded := script(t, ordering("7", 200, "7"))
	bindings := Bindings(recorded)
	for _, c := range []struct {
		run, sent string
		lost      int
		want      State
	}{{"like it", "55", 3, Refused}, {"strange", "55", 4, Unproven}, {"strange, and followed", "8", 4, Proven}} {
		runs := []exchange.Run{{Number: 1, Kind: exchange.RunClient, Steps: 3, Lost: c.lost - 1, Added: 1}}
		got, err := Prove(bindings, runs, observed(t, recorded, ordering("8", 200, c.sent)))
		if err != nil || got[0].State != c.want || (len(got[0].Literals) > 0) != (c.want == Refused) {
			t.Errorf("%s: %+v, %v", c.run, got, err)
		}
	}
}

// TestProveOthersGiven: a step in which another value was not the run's own tells nothing of the one.
func TestProveOthersGiven(t *testing.T) {
	with := func(user, order, sentUser, sentOrder string, status int) string {
		return fmt.Sprintf("> POST /users\n< 201\n={\"id\":%s}\n> POST /orders\n< 201\n={\"id\":%s}\n> GET /users/%s/pay?orderId=%s\n< %d", user, order, sentUser, sentOrder, status)
	}
	recorded := script(t, with("3", "7", "3", "7", 200))
	bindings := Bindings(recorded)
	runs := []exchange.Run{{Number: 1, Kind: exchange.RunReplay}, {Number: 2, Kind: exchange.RunReplay}, {Number: 3, Kind: exchange.RunReplay}}
	proofs, err := Prove(bindings, runs, observed(t, recorded, with("4", "8", "4", "8", 200), with("5", "9", "3", "9", 404), with("6", "7", "6", "7", 200)))
	if err != nil {
		t.Fatal(err)
	}
	want := []Proof{
		{State: Proven, With: Tally{Reproduced: 2, Of: 2}, Without: Tally{Of: 1}},
		{State: Unproven, With: Tally{Reproduced: 1, Of: 1}, Still: 1},
	}
	if diff := cmp.Diff(want, proofs, cmpopts.IgnoreUnexported(Tally{})); diff != "" {
		t.Error(diff)
	}
	broken := errors.New("no disk")
	_, err = Prove(bindings, runs, func(yield func(exchange.Step, error) bool) { yield(exchange.Step{}, broken) })
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

func TestRounds(t *testing.T) {
	bindings := Bindings(script(t, `
		> POST /users
		< 201
		={"id": 3}
		> POST /users/3/orders
		< 201
		={"id": 7}
		> GET /orders/7
		> POST /things
		< 201
		={"id": 5}
		> GET /things/5
		> GET /things/5
		> POST /others
		< 201
		={"id": 6}
		> GET /others/6?thingId=5`))
	names := func(rounds [][]exchange.Binding) (out [][]string) {
		for _, r := range rounds {
			var list []string
			for _, b := range r {
				list = append(list, b.Name)
			}
			out = append(out, list)
		}
		return out
	}
	// An order hangs on its user, and both a thing and another one are used in one request.
	want := [][]string{{"userId", "thingId"}, {"orderId", "otherId"}}
	if diff := cmp.Diff(want, names(Rounds(bindings, nil, 0))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[:1], names(Rounds(bindings, nil, 1))); diff != "" {
		t.Error(diff)
	}
	proofs := []Proof{{State: Proven}, {State: Unproven}, {State: Unproven, Still: 2}, {State: Needless}}
	if diff := cmp.Diff([][]string{{"orderId"}}, names(Rounds(bindings, proofs, 0))); diff != "" {
		t.Error(diff)
	}
	left := Without(bindings, "userId", "thingId")
	if len(left) != 2 || slices.ContainsFunc(left, func(b exchange.Binding) bool { return b.Name == "userId" }) {
		t.Errorf("left: %v", show(left))
	}
}

// TestProveOnDemo plays a recording of the demo API against further instances of it, whose ids and tokens are other
// ones: once with all bindings, and once for each round without some.
func TestProveOnDemo(t *testing.T) {
	recorded := &tape{api: demoapi.New(demoapi.Dials{Seed: 1})}
	if _, err := demoapi.DriveTold(context.Background(), "http://api.test", 1, recorded); err != nil {
		t.Fatal(err)
	}
	bindings := Bindings(recorded.list)
	steps := make([]exchange.Step, len(recorded.list))
	for i, e := range recorded.list {
		steps[i].Exchange = e
	}
	var runs []exchange.Run
	play := func(bindings []exchange.Binding) {
		number := len(runs) + 1
		runs = append(runs, exchange.Run{Number: number, Kind: exchange.RunReplay})
		again := &tape{api: demoapi.New(demoapi.Dials{Seed: uint64(100 + number)})}
		carrier := NewCarrier(bindings)
		for i, e := range recorded.list {
			sent := carrier.Request(e)
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(append(bytes.Clone(sent.Head), sent.Body...))))
			if err != nil {
				t.Fatal(err)
			}
			r.URL.Host, r.URL.Scheme = "api.test", "http"
			if _, err := again.RoundTrip(r); err != nil {
				t.Fatal(err)
			}
			answer := again.list[i].Response
			carrier.Learn(e.Seq, answer)
			steps[i].Observations = append(steps[i].Observations, &exchange.Observation{Run: number, Seq: e.Seq, Sent: sent, Response: answer})
		}
	}
	all := func(yield func(exchange.Step, error) bool) {
		for _, s := range steps {
			if !yield(s, nil) {
				return
			}
		}
	}
	play(bindings)
	proofs, err := Prove(bindings, runs, all)
	if err != nil {
		t.Fatal(err)
	}
	rounds := Rounds(bindings, proofs, 0)
	for _, round := range rounds {
		var names []string
		for _, b := range round {
			names = append(names, b.Name)
		}
		play(Without(bindings, names...))
	}
	if proofs, err = Prove(bindings, runs, all); err != nil {
		t.Fatal(err)
	}
	states := map[State]int{}
	for i, b := range bindings {
		states[proofs[i].State]++
		t.Logf("%s=%.40q: %s, %s", b.Name, b.Value, proofs[i].State, proofs[i].Evidence())
		// The API takes any text of the right length for a cursor: that binding makes no difference indeed.
		want := Proven
		switch {
		case proofs[i].Still > 0:
			want = Unproven
		case b.Name == "cursor":
			want = Needless
		}
		if proofs[i].State != want {
			t.Errorf("%s is %s, not %s", b.Name, proofs[i].State, want)
		}
	}
	if len(rounds) > 4 || states[Proven] < 10 {
		t.Errorf("%d bindings in %d rounds: %v", len(bindings), len(rounds), states)
	}
}
