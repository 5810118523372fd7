package experiment

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// The calibration of the bound: an API whose places move with chances that are known is judged again and again, as a
// replay with --bound has it judged, and the bounds that are claimed are held against the chances.

// chances are those of the dials.
var chances = []float64{0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5}

// dialKind is a way in which a place moves with a chance p.
type dialKind struct {
	name  string
	about string
	in    exchange.Place // what the places are in; "" for the body
	// of gives the chance in the answers to one of the operation's so many requests, and whether they have the place
	of func(p float64, operation, request, requests int) (chance float64, there bool)
}

func dialKinds() []dialKind {
	same := func(p float64, _, _, _ int) (float64, bool) { return p, true }
	oneOperation := func(p float64, operation, _, _ int) (float64, bool) {
		if operation != 1 {
			return 0, true
		}
		return p, true
	}
	return []dialKind{
		{"each", "every answer alike", "", same},
		{"one", "one request of the operation, as often as makes p on the average", "", func(p float64, _, request, requests int) (float64, bool) {
			if request > 0 {
				return 0, true
			}
			return min(1, p*float64(requests)), true
		}},
		{"op", "one operation of four, the others never", "", oneOperation},
		{"some", "every answer that has the place, every second one", "", func(p float64, _, request, _ int) (float64, bool) {
			return p, request%2 == 0
		}},
		{"gone", "the place is absent that often", "", same},
		{"header", "a header of all operations, in every answer alike", "/header", same},
		{"headerOp", "a header of all operations, in one operation of four", "/header", oneOperation},
		{"type", "a member of an object that all operations have, in every answer alike", "/body/owner", same},
		{"typeOp", "a member of such an object, in one operation of four", "/body/owner", oneOperation},
		{"run", "all answers of a run, that often", "", same},
	}
}

// dialed is one such API: what it said when it was recorded.
type dialed struct {
	rng        *rand.Rand
	kinds      []dialKind
	requests   []int // of each operation
	exchanges  []*exchange.Exchange
	operations map[uint64]exchange.Operation
	first      map[uint64]int      // the number of an exchange in its operation
	of         map[uint64]int      // the number of its operation
	recorded   map[uint64][]string // what each place had
	steps      []*exchange.Step    // what was observed
	runs       []exchange.Run
}

var dialedAt = time.Date(2026, 1, 29, 5, 15, 9, 0, time.UTC)

func newDialed(seed uint64) *dialed {
	d := &dialed{rng: rand.New(rand.NewPCG(seed, 11)), kinds: dialKinds(), requests: []int{6, 3, 1, 12},
		operations: map[uint64]exchange.Operation{}, first: map[uint64]int{}, of: map[uint64]int{}, recorded: map[uint64][]string{}}
	for operation, requests := range d.requests {
		for request := range requests {
			e := &exchange.Exchange{Seq: uint64(len(d.exchanges) + 1), Pass: 1, Addr: "127.0.0.1:8080", Start: dialedAt, Latency: time.Millisecond,
				Request: exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "GET /%d/%d HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n", operation, request)})}
			d.operations[e.Seq] = exchange.Operation{Method: "GET", Template: fmt.Sprintf("/%d/{id}", operation)}
			d.of[e.Seq], d.first[e.Seq] = operation, request
			e.Response = d.answer(e.Seq, d.odd())
			d.exchanges = append(d.exchanges, e)
			d.steps = append(d.steps, &exchange.Step{Exchange: e})
		}
	}
	return d
}

// place is that of a kind and dial.
func (k dialKind) place(dial int) exchange.Place {
	if k.in == "/header" {
		return k.in.Key(strings.ToLower(member(k, dial)))
	}
	return cmp.Or(k.in, exchange.PlaceBody).Key(member(k, dial))
}

// member names the place of a kind and dial.
func member(k dialKind, dial int) string {
	return k.name + []string{"Aim", "Bay", "Cap", "Day", "Eye", "Fee", "Gap", "Hat", "Ink"}[dial]
}

// odd draws for which chances all answers of a run are odd.
func (d *dialed) odd() []bool {
	out := make([]bool, len(chances))
	for i, p := range chances {
		out[i] = d.rng.Float64() < p
	}
	return out
}

// answer draws an answer; the first one of an exchange is the recorded one.
func (d *dialed) answer(seq uint64, odd []bool) *exchange.Response {
	var values []string
	members := map[exchange.Place][]string{}
	for _, k := range d.kinds {
		for i, p := range chances {
			chance, there := k.of(p, d.of[seq], d.first[seq], d.requests[d.of[seq]])
			moves := d.rng.Float64() < chance
			if k.name == "run" {
				moves = odd[i]
			}
			value := "calm"
			switch {
			case !there, moves && k.name == "gone":
				value = ""
			case moves:
				value = fmt.Sprintf("odd %d", d.rng.IntN(1<<30))
			}
			values = append(values, value)
			if value != "" {
				members[k.in] = append(members[k.in], fmt.Sprintf("%q:%q", member(k, i), value))
			}
		}
	}
	if d.recorded[seq] == nil {
		d.recorded[seq] = values
	}
	body := "{" + strings.Join(append(members[""], `"owner":{`+strings.Join(members["/body/owner"], ",")+"}"), ",") + "}"
	head := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	for _, line := range members["/header"] {
		head += strings.ReplaceAll(line, `"`, "") + "\r\n"
	}
	return exchange.ParseResponse(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body), Plain: true})
}

// observe adds a run; again says how often each request is sent again, nil for a run as recorded.
func (d *dialed) observe(again func(*exchange.Exchange) int) {
	run := exchange.Run{Number: len(d.runs) + 1, Kind: exchange.RunReplay, Started: dialedAt, Ended: dialedAt.Add(time.Second)}
	run.Conditions.Start = exchange.StartReset
	if again != nil {
		run.Kind = exchange.RunRepeat
	}
	d.runs = append(d.runs, run)
	odd := d.odd()
	for i, e := range d.exchanges {
		n := 1
		if again != nil {
			n += again(e)
		}
		for range n {
			d.steps[i].Observations = append(d.steps[i].Observations, &exchange.Observation{Run: run.Number, Seq: e.Seq, Start: dialedAt,
				Latency: time.Millisecond, Sent: e.Request, Response: d.answer(e.Seq, odd)})
		}
	}
}

func (d *dialed) judge(t *testing.T) *mapfile.Map {
	t.Helper()
	rec := exchange.Recording{Started: dialedAt, Count: uint64(len(d.exchanges)), Passes: []exchange.Pass{{Number: 1, Started: dialedAt}}}
	m, err := volatility.Judge(rec, d.runs, func(yield func(exchange.Step, error) bool) {
		for _, s := range d.steps {
			if !yield(*s, nil) {
				return
			}
		}
	}, d.operations, nil, volatility.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// truth returns the chance that an answer differs from the recorded one at a place: the average over the observations,
// and the largest of an exchange. It is false where no recorded answer has the place.
func (d *dialed) truth(operation, kind, dial int) (mean, most float64, known bool) {
	sum, observations := 0.0, 0.0
	for i, e := range d.exchanges {
		if d.of[e.Seq] != operation {
			continue
		}
		k := d.kinds[kind]
		chance, there := k.of(chances[dial], operation, d.first[e.Seq], d.requests[operation])
		recorded := d.recorded[e.Seq][kind*len(chances)+dial]
		switch {
		case !there:
			continue
		case k.name == "gone" && recorded == "":
			chance = 1 - chance
		case strings.HasPrefix(recorded, "odd"):
			chance = 1
		}
		known = known || recorded != ""
		n := float64(len(d.steps[i].Observations))
		sum, observations, most = sum+n*chance, observations+n, max(most, chance)
	}
	return sum / observations, most, known
}

// cell is a line of the table.
type cell struct {
	places, stable, held int
	stableMissed         int // that never moved, and whose bound does not hold
	bounds, stableBounds float64
}

func (c *cell) coverage() float64 { return float64(c.held) / float64(c.places) }

// tolerance is how far below 95 % the coverage of so many claims may be by chance, but for once in a thousand times.
func tolerance(places int) float64 { return 3.09 * math.Sqrt(0.05*0.95/float64(places)) }

// calibrate judges so many APIs, and returns the claims by kind and dial.
func calibrate(t *testing.T, seeds int, bound float64) [][]cell {
	t.Helper()
	cells := make([][]cell, len(dialKinds()))
	for kind := range cells {
		cells[kind] = make([]cell, len(chances))
	}
	for seed := range seeds {
		d := newDialed(uint64(seed))
		for range 10 {
			d.observe(nil)
		}
		m := d.judge(t)
		if bound > 0 {
			looks, err := LooksFor(volatility.DoubtsAbout(m, bound), func(yield func(*exchange.Exchange, error) bool) {
				for _, e := range d.exchanges {
					if !yield(e, nil) {
						return
					}
				}
			}, d.operations, func(*exchange.Exchange) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			d.observe(looks.Again)
			m = d.judge(t)
		}
		for operation := range d.requests {
			o := m.Operation(exchange.Operation{Method: "GET", Template: fmt.Sprintf("/%d/{id}", operation)}, 200)
			for kind, k := range d.kinds {
				for dial := range chances {
					mean, most, known := d.truth(operation, kind, dial)
					f := o.At(k.place(dial))
					if f == nil || !known {
						continue
					}
					cells[kind][dial].take(f, mean, most)
				}
			}
		}
	}
	return cells
}

// take counts a claim: the bound is no lower than the average chance, nor than the largest where it says so.
func (c *cell) take(f *mapfile.Field, mean, most float64) {
	c.places++
	c.bounds += f.Bound
	if f.Changed == 0 {
		c.stable++
		c.stableBounds += f.Bound
	}
	claimed := mean
	if strings.Contains(strings.Join(f.Warnings, ";"), "the bound is that of the worst") {
		claimed = max(mean, most)
	}
	switch {
	case f.Bound >= claimed-1e-9:
		c.held++
	case f.Changed == 0:
		c.stableMissed++
	}
}

// TestBoundHolds: over all places, those that never moved and those that did, the chance lies above the bound no more
// often than once in twenty times.
func TestBoundHolds(t *testing.T) {
	for _, bound := range []float64{0, 0.01} {
		cells := calibrate(t, 12, bound)
		var all cell
		for kind, k := range dialKinds() {
			for dial, p := range chances {
				c := cells[kind][dial]
				if k.name == "run" {
					// The answers of one run are not independent there, see doc.go of package volatility: nothing that was
					// observed tells of a place that never moved, and the bound of one that did is told by its runs.
					if missed := c.places - c.held - c.stableMissed; float64(missed) > (0.05+tolerance(c.places))*float64(c.places) {
						t.Errorf("--bound %v, %s %v: of %d bounds %d of places that moved do not hold", bound, k.name, p, c.places, missed)
					}
					continue
				}
				all.places, all.held = all.places+c.places, all.held+c.held
				if c.coverage() < 0.95-tolerance(c.places) {
					t.Errorf("--bound %v, %s %v: %d of %d bounds hold", bound, k.name, p, c.held, c.places)
				}
			}
		}
		if all.coverage() < 0.95-tolerance(all.places) {
			t.Errorf("--bound %v: %d of %d bounds hold", bound, all.held, all.places)
		}
	}
}

// TestEvalBound writes the tables of BENCHMARKS.md: first after ten runs, then with --bound 0.01 besides.
func TestEvalBound(t *testing.T) {
	const seeds = 400
	for _, bound := range []float64{0, 0.01} {
		cells := calibrate(t, seeds, bound)
		var b strings.Builder
		fmt.Fprintf(&b, "\n--bound %v\n\n| chance | places | never moved | mean bound of these |", bound)
		for _, k := range dialKinds() {
			fmt.Fprintf(&b, " %s |", k.name)
		}
		fmt.Fprint(&b, "\n|---|---|---|---|", strings.Repeat("---|", len(dialKinds())), "\n")
		for dial, p := range chances {
			var all cell
			coverage := ""
			for kind, k := range dialKinds() {
				c := cells[kind][dial]
				coverage += fmt.Sprintf(" %.3f |", c.coverage())
				if k.name != "run" {
					all.places, all.stable, all.stableBounds = all.places+c.places, all.stable+c.stable, all.stableBounds+c.stableBounds
				}
			}
			fmt.Fprintf(&b, "| %v | %d | %d | %.4f |%s\n", p, all.places, all.stable, all.stableBounds/float64(max(all.stable, 1)), coverage)
		}
		t.Log(b.String())
	}
}
