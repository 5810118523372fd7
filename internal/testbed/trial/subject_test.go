package trial

import (
	"context"
	"math/rand/v2"
	"net/http"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/flakycatch"
	"github.com/flaketap/flaketap/internal/testbed/portapi"
	"github.com/flaketap/flaketap/internal/testbed/truth"
	"github.com/flaketap/flaketap/internal/testbed/wardapi"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// labelled is an API with labels.
type labelled struct {
	name    string
	labels  func(testing.TB) truth.Truth
	subject func(seed uint64) *Subject // seed 0 leaves the dials as they are
	again   func(seed uint64) *Subject // the API with the dials of seed 0, on another day, with other ids

	recall, category float64 // what is promised of the judgement of ten runs
}

// apis are the APIs that judgements are held against. The rules of judgement have been worked on with the shop in view. The
// labels of the ward were written apart from them, and its first score is told in BENCHMARKS.md. Those of the port were
// written without any knowledge of them.
var apis = []labelled{
	{"shop", shopTruth, shop, shopAgain, 0.97, 0.95},
	{"ward", wardTruth, ward, wardAgain, 0.96, 0.93},
	{"port", portTruth, port, portAgain, 0.85, 0.90},
}

func shopTruth(t testing.TB) truth.Truth {
	t.Helper()
	labels, err := demoapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

func wardTruth(t testing.TB) truth.Truth {
	t.Helper()
	labels, err := wardapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

func portTruth(t testing.TB) truth.Truth {
	t.Helper()
	labels, err := portapi.LoadTruth()
	if err != nil {
		t.Fatal(err)
	}
	return labels
}

// known is what is known of the machine that the APIs say they run on.
var known = []string{"build-7f3c", "runner", "/tmp"}

// rounds is how often the clients do all that they do.
const rounds = 3

// newSubject returns a subject whose clock begins at some time of some day within the year that a seed decides on, whose
// answers are held back for as long as it decides, and a source for its dials; nil for seed 0, which decides nothing.
func newSubject(seed uint64) (*Subject, *rand.Rand) {
	at := time.Date(2026, 6, 16, 9, 23, 11, 123_456_789, time.UTC)
	s := &Subject{Listen: "127.0.0.1:8877", Port: 40311, Environment: known}
	if seed == 0 {
		s.Clock = NewClock(at, seed)
		return s, nil
	}
	rng := rand.New(rand.NewPCG(seed, 0x7365656473))
	s.Clock = NewClock(at.Add(time.Duration(rng.Int64N(int64(250*24*time.Hour)))), seed)
	s.Latency = time.Duration(rng.Int64N(int64(20 * time.Millisecond)))
	return s, rng
}

// shop is the truth API.
func shop(seed uint64) *Subject {
	s, rng := newSubject(seed)
	return newShop(s, rng, seed)
}

func shopAgain(seed uint64) *Subject {
	s, _ := newSubject(seed)
	return newShop(s, nil, seed)
}

func newShop(s *Subject, rng *rand.Rand, seed uint64) *Subject {
	dials := demoapi.Dials{
		Seed: seed + 1, Clock: s.Clock.Read,
		Environment: demoapi.Environment{Hostname: "build-7f3c", PID: 48213, TempDir: "/tmp", User: "uid-1000"},
	}
	if rng != nil {
		dials.ClockOffset = time.Duration(rng.Int64N(int64(6*time.Second))) - 3*time.Second
		dials.NullChance, dials.FieldChance, dials.RareChance = around(rng, 1.0/5), around(rng, 1.0/3), around(rng, 1.0/30)
	}
	s.Handler, s.Reset, s.SequenceHeader = demoapi.New(dials), "/admin/reset", demoapi.SequenceHeader
	s.Drive = inRounds(demoapi.DriveBy)
	return s
}

// ward is the second one, of another domain, whose labels no rule was made for.
func ward(seed uint64) *Subject {
	s, rng := newSubject(seed)
	return newWard(s, rng, seed)
}

func wardAgain(seed uint64) *Subject {
	s, _ := newSubject(seed)
	return newWard(s, nil, seed)
}

func newWard(s *Subject, rng *rand.Rand, seed uint64) *Subject {
	dials := wardapi.Dials{
		Seed: seed + 1, Clock: s.Clock.Read,
		Environment: wardapi.Environment{Hostname: "build-7f3c", PID: 48213, TempDir: "/tmp", User: "uid-1000"},
	}
	if rng != nil {
		dials.ClockOffset = time.Duration(rng.Int64N(int64(6*time.Second))) - 3*time.Second
		dials.LagChance, dials.RareChance = around(rng, 1.0/4), around(rng, 1.0/30)
	}
	s.Handler, s.Reset, s.SequenceHeader = wardapi.New(dials), "/admin/reset", wardapi.SequenceHeader
	s.Drive = inRounds(wardapi.DriveBy)
	return s
}

// port is the third one, of yet another domain, whose labels were written without any knowledge of the rules.
func port(seed uint64) *Subject {
	s, rng := newSubject(seed)
	return newPort(s, rng, seed)
}

func portAgain(seed uint64) *Subject {
	s, _ := newSubject(seed)
	return newPort(s, nil, seed)
}

func newPort(s *Subject, rng *rand.Rand, seed uint64) *Subject {
	dials := portapi.Dials{
		Seed: seed + 1, Clock: s.Clock.Read,
		Environment: portapi.Environment{Hostname: "build-7f3c", PID: 48213, TempDir: "/tmp", User: "uid-1000"},
	}
	if rng != nil {
		dials.ClockOffset = time.Duration(rng.Int64N(int64(6*time.Second))) - 3*time.Second
		dials.LagChance = around(rng, 1.0/4)
	}
	s.Handler, s.Reset, s.SequenceHeader = portapi.New(dials), "/admin/reset", portapi.SequenceHeader
	s.Drive = inRounds(portapi.DriveBy)
	return s
}

// pauser waits, as clients of the APIs do.
type pauser = func(context.Context, time.Duration) error

// inRounds has a client go its rounds.
func inRounds(drive func(context.Context, string, int, http.RoundTripper, pauser) error) func(context.Context, string, http.RoundTripper, pauser) error {
	return func(ctx context.Context, baseURL string, transport http.RoundTripper, pause pauser) error {
		return drive(ctx, baseURL, rounds, transport, pause)
	}
}

// around draws a chance from half to twice of one.
func around(rng *rand.Rand, chance float64) float64 { return chance * (0.5 + 1.5*rng.Float64()) }

// play records and replays an API.
func (l labelled) play(t testing.TB, seed uint64) *Session {
	t.Helper()
	return play(t, l.subject(seed))
}

func play(t testing.TB, subject *Subject) *Session {
	t.Helper()
	s, err := Play(t.Context(), subject, 10)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judges are whose verdicts are held against the labels. FlakyCatch looks at no header, so it is held against the labels of
// all else besides.
var judges = []struct {
	name    string
	verdict func(testing.TB, *Session) []truth.Judged
	labels  func(truth.Label) bool
}{
	{"10 runs", func(t testing.TB, s *Session) []truth.Judged { return verdicts(judge(t, s, 10)) }, every},
	{"10 runs and the clock moved", func(t testing.TB, s *Session) []truth.Judged {
		if err := s.Turn(); err != nil {
			t.Fatal(err)
		}
		return verdicts(judge(t, s, len(s.Runs)))
	}, every},
	{"1 run", func(t testing.TB, s *Session) []truth.Judged { return verdicts(judge(t, s, 1)) }, every},
	{"FlakyCatch", rival, every},
	{"FlakyCatch without headers", rival, func(l truth.Label) bool { return l.Place.Root() != "header" }},
}

func every(truth.Label) bool { return true }

func judge(t testing.TB, s *Session, runs int) *mapfile.Map {
	t.Helper()
	m, err := s.Judge(runs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// verdicts lists what a map says.
func verdicts(m *mapfile.Map) []truth.Judged {
	var all []truth.Judged
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			all = append(all, truth.Judged{
				Method: op.Method, Template: op.Template, Status: op.Status, Place: f.Place, Volatile: f.Volatile(), Category: string(f.Category),
			})
		}
	}
	return all
}

// rival lists what FlakyCatch says of the recording and its first run.
func rival(_ testing.TB, s *Session) []truth.Judged {
	var pairs []flakycatch.Pair
	for _, step := range s.Steps {
		pairs = append(pairs, flakycatch.Pair{
			Operation: s.Operations[step.Exchange.Seq], Recorded: step.Exchange.Response, Again: step.Observations[0].Response,
		})
	}
	var all []truth.Judged
	for _, v := range flakycatch.Judge(pairs) {
		all = append(all, truth.Judged{
			Method: v.Operation.Method, Template: v.Operation.Template, Status: v.Status, Place: v.Place, Volatile: v.Volatile, Category: v.Category,
		})
	}
	return all
}
