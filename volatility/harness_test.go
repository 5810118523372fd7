package volatility

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// moment0 is when the recordings of these tests begin.
var moment0 = time.Date(2026, 1, 29, 5, 15, 9, 630_739_000, time.UTC)

// call is what a made-up API knows when it answers.
type call struct {
	run, step int // run 0 is the recording
	at        time.Time
	rng       *rand.Rand
	host      string
}

// answer is what it says: a JSON body, unless head says otherwise.
type answer struct {
	status int
	head   string
	body   string
}

// api is a recording of a made-up API with its runs.
type api struct {
	runs    int
	steps   int // exchanges, each of another request unless same
	same    bool
	start   exchange.Start // of the runs; fresh where it is ""
	starts  map[int]exchange.Start
	perturb map[int]string // conditions of runs
	refused func(run int) int
	machine func(run, step int) exchange.Machine // that workers played on; nil where none did
	settles func(c call) *exchange.Settling
	later   func(run int) time.Duration // by how much more than gap a run is later
	method  string
	methods map[int]string // by step, where it is another
	hosts   func(run int) string
	gap     time.Duration // between runs; 90 s where it is 0
	// from the begin of a run to the request of a step; 250 ms for each step where it is nil
	pace    func(run, step int) time.Duration
	request func(c call) (target, body string)
	answer  func(c call) answer
	options Options
	bound   []exchange.Binding
}

func body(format string, args ...any) answer {
	return answer{body: fmt.Sprintf(format, args...)}
}

func (a *api) call(run, step int) (call, exchange.Request, *exchange.Response) {
	gap := a.gap
	if gap == 0 {
		gap = 90 * time.Second
	}
	c := call{run: run, step: step, host: "127.0.0.1:8080"}
	c.at = moment0.Add(time.Duration(run)*gap + time.Duration(step)*250*time.Millisecond)
	if a.pace != nil {
		c.at = moment0.Add(time.Duration(run)*gap + a.pace(run, step))
	}
	if a.later != nil {
		c.at = c.at.Add(a.later(run))
	}
	c.rng = rand.New(rand.NewPCG(uint64(run)*1000+uint64(step), 7))
	if a.hosts != nil {
		c.host = a.hosts(run)
	}
	target, sent := fmt.Sprintf("/things/%d", step), ""
	if a.same {
		target = "/things"
	}
	if a.request != nil {
		target, sent = a.request(c)
	}
	method := cmpOr(a.methods[step], a.method, "GET")
	req := exchange.ParseRequest(exchange.Message{Head: fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n\r\n", method, target, c.host), Body: []byte(sent), Plain: true})
	ans := a.answer(c)
	if ans.status == 0 {
		ans.status = 200
	}
	if !strings.Contains(ans.head, "Content-Type:") {
		ans.head = "Content-Type: application/json\r\n" + ans.head
	}
	head := fmt.Sprintf("HTTP/1.1 %d X\r\n%s\r\n", ans.status, ans.head)
	return c, req, exchange.ParseResponse(exchange.Message{Head: []byte(head), Body: []byte(ans.body), Plain: true})
}

// judge runs Judge over it; every exchange is of the operation "/things/{id}".
func (a *api) judge(t testing.TB) *mapfile.Map {
	t.Helper()
	var runs []exchange.Run
	for r := 1; r <= a.runs; r++ {
		start := cmpOr(a.starts[r], a.start, exchange.StartFresh)
		c, _, _ := a.call(r, 0)
		runs = append(runs, exchange.Run{Number: r, Kind: exchange.RunReplay, Started: c.at, Ended: c.at.Add(time.Minute), Conditions: exchange.Conditions{Start: start}})
		if name := a.perturb[r]; name != "" {
			runs[r-1].Conditions.Perturb = []string{name}
		}
		runs[r-1].Machines = a.machines(r)
		if a.refused != nil {
			runs[r-1].Refused = a.refused(r)
		}
	}
	rec := exchange.Recording{Started: moment0, Count: uint64(a.steps), Passes: []exchange.Pass{{Number: 1, Started: moment0, Start: exchange.StartFresh}}}
	operations := make(map[uint64]exchange.Operation)
	for s := range a.steps {
		operations[uint64(s+1)] = exchange.Operation{Method: cmpOr(a.methods[s], a.method, "GET"), Template: "/things/{id}"}
	}
	m, err := Judge(rec, runs, a.all(), operations, a.bound, a.options)
	if err != nil {
		t.Fatal(err)
	}
	a.divided(t, Material{Case: Case{rec, runs, operations, a.bound, a.options}})
	return m
}

// machines says which steps of a run each machine played.
func (a *api) machines(run int) (out []exchange.Played) {
	if a.machine == nil {
		return nil
	}
	steps := map[exchange.Machine][]uint64{}
	for s := range a.steps {
		m := a.machine(run, s)
		steps[m] = append(steps[m], uint64(s+1))
	}
	for m, seqs := range steps {
		out = append(out, exchange.Played{Machine: m, Steps: exchange.StepsOf(seqs)})
	}
	return out
}

func (a *api) all() iter.Seq2[exchange.Step, error] {
	return func(yield func(exchange.Step, error) bool) {
		for s := range a.steps {
			c, req, resp := a.call(0, s)
			step := exchange.Step{Exchange: &exchange.Exchange{Seq: uint64(s + 1), Pass: 1, Addr: "127.0.0.1:8080", Start: c.at, Latency: 20 * time.Millisecond, Request: req, Response: resp}}
			for r := 1; r <= a.runs; r++ {
				c, req, resp := a.call(r, s)
				step.Observations = append(step.Observations, &exchange.Observation{Run: r, Seq: uint64(s + 1), Start: c.at, Latency: 20 * time.Millisecond, Sent: req, Response: resp})
				if a.settles != nil {
					step.Observations[r-1].Settling = a.settles(c)
				}
			}
			if !yield(step, nil) {
				return
			}
		}
	}
}

func cmpOr[T comparable](vals ...T) (zero T) {
	for _, v := range vals {
		if v != zero {
			return v
		}
	}
	return zero
}

// field returns the judgement about one place; the test fails where there is none.
func field(t testing.TB, m *mapfile.Map, place exchange.Place) *mapfile.Field {
	t.Helper()
	for _, o := range m.Operations {
		if f := o.At(place); f != nil {
			return f
		}
	}
	t.Fatalf("no field %s", place)
	return nil
}

func uuid(c call) string {
	b := make([]byte, 16)
	for i := range b {
		b[i] = byte(c.rng.Uint32())
	}
	b[6], b[8] = b[6]&15|64, b[8]&63|128
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func sha(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// kind is what most tables look at.
type kind struct {
	Judgement mapfile.Judgement
	Category  mapfile.Category
}

func pick(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func shuffled(c call, elements ...string) string {
	c.rng.Shuffle(len(elements), func(i, j int) { elements[i], elements[j] = elements[j], elements[i] })
	return "[" + strings.Join(elements, ",") + "]"
}
