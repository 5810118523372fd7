package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func raws(tokens ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, t := range tokens {
		out = append(out, json.RawMessage(t))
	}
	return out
}

func at(s string) time.Time {
	t, err := time.Parse(time.DateTime, s)
	if err != nil {
		panic(err)
	}
	return t
}

func steady(n int, bound float64) []*mapfile.Field {
	var out []*mapfile.Field
	for i := range n {
		out = append(out, &mapfile.Field{Place: exchange.PlaceBody.Key(fmt.Sprintf("steady%d", i)),
			Judgement: mapfile.Stable, Of: 40, Bound: bound})
	}
	return out
}

func date() *mapfile.Field {
	return &mapfile.Field{Place: "/header/date", Judgement: mapfile.Jitter, Category: mapfile.Time,
		Changed: 38, Of: 40, Bound: 0.99, Protocol: true}
}

func orders() *mapfile.Operation {
	length, five, forty := 36, 5, 40
	return &mapfile.Operation{Operation: exchange.Operation{Method: "POST", Template: "/orders"}, Status: 201, Exchanges: 12,
		Fields: append([]*mapfile.Field{
			{Place: "/body/createdAt", Judgement: mapfile.Jitter, Category: mapfile.Time, Changed: 120, Of: 120, Bound: 1,
				Evidence: []string{"moved:120/120", "follows-clock"}, Samples: raws(`"2026-01-29T12:15:09+07:00"`, `"2026-01-29T12:15:10+07:00"`),
				Holds: mapfile.Holds{Type: "string", Format: "date-time", Clock: 5}},
			{Place: "/body/id", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 120, Of: 120, Bound: 1,
				Evidence: []string{"moved:120/120", "drawn", "shape:uuid"}, Samples: raws(`"7b0d4a52-6b0e-4f5e-9a3e-5a4f4f0f7a11"`),
				Holds: mapfile.Holds{Type: "string", Format: "uuid4", MinLength: &length, MaxLength: &length}},
			{Place: "/body/lines", Judgement: mapfile.Jitter, Category: mapfile.Unord, Changed: 31, Of: 120, Bound: 0.332,
				Evidence: []string{"moved:31/120", "order-only"}, Samples: raws(`["a","b"]`, `["b","a"]`),
				Holds: mapfile.Holds{Type: "array", Order: "any", MinLength: &five, MaxLength: &forty}},
			{Place: "/body/lines/*/price", Judgement: mapfile.Jitter, Category: mapfile.Unk, Changed: 4, Of: 120, Bound: 0.0746,
				Evidence: []string{"moved:4/120"}, Samples: raws(`9.5`, `10.25`, `null`),
				Holds:    mapfile.Holds{Type: "null|number", Min: "9.5", Max: "10.25", Optional: true},
				Warnings: []string{"moved in few of the answers"}},
			{Place: "/header/location", Judgement: mapfile.Jitter, Category: mapfile.Rand, Changed: 120, Of: 120, Bound: 1,
				Evidence: []string{"moved:120/120", "drawn", "bound"}, Samples: raws(`"/orders/7b0d4a52-6b0e-4f5e-9a3e-5a4f4f0f7a11"`),
				Holds: mapfile.Holds{Type: "string", Bound: "POST /orders /body/id", Pattern: `^/orders/[0-9a-f-]{36}$`}},
			date(),
		}, steady(14, 0.0247)...)}
}

func news() *mapfile.Operation {
	return &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/news/{id}"}, Status: 200, Exchanges: 4,
		Fields: append([]*mapfile.Field{
			{Place: "/body/views", Judgement: mapfile.WouldMove, Category: mapfile.Time, Of: 40, Bound: 0.0722,
				Evidence: []string{"near-clock:s", "made-in-session"}, Samples: raws(`1769663709`), Holds: mapfile.Holds{Type: "integer", Clock: 2},
				Warnings: []string{"all runs within one minute"}},
			{Place: "/body/birthday", Judgement: mapfile.Hint, Of: 40, Bound: 0.0722,
				Evidence: []string{"looks:date"}, Samples: raws(`"1987-04-03"`), Holds: mapfile.Holds{Equal: json.RawMessage(`"1987-04-03"`)}},
			{Place: "/status", Judgement: mapfile.Drift, Category: mapfile.State, Changed: 40, Of: 40, Bound: 1,
				Evidence: []string{"moved:40/40", "made-in-session"}, Samples: raws(`200`, `404`),
				Holds: mapfile.Holds{OneOf: raws(`200`, `404`)}, Fingerprints: []string{"00", "01"},
				Warnings: []string{"all runs within one minute"}},
			date(),
		}, steady(3, 0.0722)...)}
}

// sampleInput has at least one of everything that a report shows.
func sampleInput() Input {
	health := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/health"}, Status: 200, Exchanges: 1,
		Fields: append([]*mapfile.Field{date()}, steady(2, 0.2589)...)}
	return Input{
		Title: "Truth API, 3 runs",
		Notes: []string{"Precision and recall are computed from the labels that the API itself serves."},
		Score: &ScoreTable{Title: "Against the labels", Rows: []ScoreRow{{"precision", "1.000"}, {"recall", "0.983"}, {"category accuracy", "0.967"}}},
		Map: &mapfile.Map{
			Recording: exchange.Recording{Started: at("2026-01-29 12:15:00"), Count: 17, Passes: []exchange.Pass{{
				Number: 1, Label: "nightly", Started: at("2026-01-29 12:15:00"), Ended: at("2026-01-29 12:15:42"), Source: "record",
				Target: "http://ann:pass@127.0.0.1:8080/api?key=topsecret", Command: []string{"/usr/bin/schemathesis", "run", "-H", "Authorization: Bearer topsecret"},
				Start: exchange.StartFresh}}},
			Runs: []exchange.Run{
				{Number: 1, Kind: exchange.RunReplay, Started: at("2026-01-29 12:20:00"), Ended: at("2026-01-29 12:20:03"),
					Target: "http://127.0.0.1:8080", Conditions: exchange.Conditions{Start: exchange.StartReset}, Steps: 17},
				{Number: 2, Kind: exchange.RunReplay, Started: at("2026-01-29 12:20:04"), Ended: at("2026-01-29 12:20:08"),
					Target: "http://127.0.0.1:8080", Conditions: exchange.Conditions{Start: exchange.StartReset}, Steps: 17},
				{Number: 3, Kind: exchange.RunImport, Label: "ci 4711", Started: at("2026-01-30 02:00:00"), Target: "http://127.0.0.1:9090",
					Conditions: exchange.Conditions{Start: exchange.StartContinued, Perturb: []string{"delay=2s"}}, Steps: 15, Lost: 2, Added: 1}},
			Summary:    mapfile.Summary{Places: 27, Jitter: 5, Drift: 1, WouldMove: 1, Hint: 1, Stable: 19},
			Warnings:   []string{"3 runs only"},
			Operations: []*mapfile.Operation{health, news(), orders()},
		},
	}
}

// the form of a report that is written here, by the name of its golden file.
var forms = map[string]func(Input) (string, error){
	"report.txt": func(in Input) (string, error) { var b bytes.Buffer; err := Text(&b, in); return b.String(), err },
}

// isGolden holds a text against a file; -update writes the file.
func isGolden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs from %s; -update writes it anew (-want +got):\n%s", file, diff)
	}
}

func TestGolden(t *testing.T) {
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			got, err := form(sampleInput())
			if err != nil {
				t.Fatal(err)
			}
			again, err := form(sampleInput())
			if err != nil || again != got {
				t.Errorf("the same input gave other bytes (%v)", err)
			}
			isGolden(t, filepath.Join("testdata", name), got)
		})
	}
}

func TestCredentialsOfTheClientAreLeftOut(t *testing.T) {
	for name, form := range forms {
		got, err := form(sampleInput())
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{"topsecret", "ann:", "pass@"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s shows %q", name, secret)
			}
		}
	}
}

// What there is none of is said in words, with what to do, and not as a share of nothing.
func TestEmptyMap(t *testing.T) {
	ofNothing := regexp.MustCompile(`\b0( of |/)0\b`)
	recorded := mapfile.Map{Recording: exchange.Recording{Count: 3}}
	unjudged := recorded
	unjudged.Operations = []*mapfile.Operation{{Operation: exchange.Operation{Method: "GET", Template: "/"}, Status: 200}}
	norun := recorded
	norun.Operations = []*mapfile.Operation{{Operation: exchange.Operation{Method: "GET", Template: "/"}, Status: 200,
		Fields: []*mapfile.Field{{Place: "/body/id", Judgement: mapfile.WouldMove, Bound: 1},
			{Place: "/header/date", Judgement: mapfile.Jitter, Protocol: true}}}}
	norun.Summary = mapfile.Summary{Places: 1, WouldMove: 1}
	for name, form := range forms {
		for _, c := range []struct {
			m    mapfile.Map
			want string
		}{
			{mapfile.Map{}, "nothing was recorded, so nothing was judged: have a client send requests through flaketap record"},
			{recorded, "nothing was judged: the map has none of the operations that were recorded"},
			{unjudged, "no place was judged: the answers of 1 operation have none beside those of HTTP itself"},
			{norun, "1 volatile place of 1, in 1 of 1 operation, after 0 runs"},
		} {
			got, err := form(Input{Map: &c.m})
			if err != nil {
				t.Fatal(err)
			}
			var table bytes.Buffer
			if err := Markdown(&table, &c.m, FormOptions{}); err != nil {
				t.Fatal(err)
			}
			if ofNothing.MatchString(table.String()) {
				t.Errorf("Markdown tells a share of nothing:\n%s", table.String())
			}
			if !strings.Contains(got, c.want) || ofNothing.MatchString(got) {
				t.Errorf("%s does not say %q alone:\n%s", name, c.want, got)
			}
		}
		if _, err := form(Input{}); err == nil {
			t.Errorf("%s: no error without a map", name)
		}
	}
}

type fullDisk struct{}

var errFull = errors.New("disk full")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestWriteErrorsAreReported(t *testing.T) {
	if err := Text(fullDisk{}, sampleInput()); !errors.Is(err, errFull) {
		t.Errorf("Text: got %v", err)
	}
}

// hostile is a text that tries to leave its place: in HTML, in attributes, on a terminal, and by sheer length.
var hostile = []string{
	`<script>alert(1)</script>`,
	`</style><script>alert(1)</script>`,
	`" onmouseover="alert(1)" x="`,
	`javascript:alert(1)`,
	`{{.Title}}`,
	"\x1b[31mred\x1b[0m\x07\r\n\t\x00\x7f\u009b31m",
	"\u202egnp.exe\u2066\u200b\ufeff\u2028\u2029",
	"\xff\xfe\xc3(",
	strings.Repeat("a", 1<<20),
	"e" + strings.Repeat("\u0301\u0302\u0303", 1<<10),
	strings.Repeat("漢字", 1<<10),
	strings.Repeat("\x00", 1<<12),
	"\U000e0041\U0010ffff",
}

// hostileInput puts s wherever a map has a text.
func hostileInput(s string) Input {
	quoted, _ := json.Marshal(s)
	texts := []string{s, s}
	f := func(place exchange.Place, j mapfile.Judgement) *mapfile.Field {
		return &mapfile.Field{Place: place, Judgement: j, Category: mapfile.Category(s), Changed: 1, Of: 2, Bound: 0.5,
			Evidence: texts, Samples: []json.RawMessage{quoted, json.RawMessage(s)}, Fingerprints: texts, Warnings: texts,
			Holds: mapfile.Holds{Type: s, OneOf: raws(s, s), Format: s, Pattern: s, Echo: s, Bound: s, Min: json.Number(s), Max: json.Number(s)}}
	}
	p := exchange.PlaceBody.Key(s)
	moved := &mapfile.Operation{Operation: exchange.Operation{Method: s, Template: s}, Status: 200, Exchanges: 1,
		Fields: []*mapfile.Field{f(p, mapfile.Jitter), f(p, mapfile.Drift), f(p, mapfile.WouldMove), f(p, mapfile.Hint)}}
	protocol := f(p, mapfile.Judgement(s))
	protocol.Protocol = true
	quiet := &mapfile.Operation{Operation: exchange.Operation{Method: s, Template: s}, Fields: []*mapfile.Field{protocol, f(p, mapfile.Stable)}}
	return Input{Title: s, Notes: texts, Score: &ScoreTable{Title: s, Rows: []ScoreRow{{s, s}}}, Map: &mapfile.Map{
		Warnings: texts, Operations: []*mapfile.Operation{moved, moved, quiet},
		Recording: exchange.Recording{Passes: []exchange.Pass{{Label: s, Source: s, Target: s, Command: texts, Start: exchange.Start(s)}}},
		Runs:      []exchange.Run{{Kind: exchange.RunKind(s), Label: s, Target: "http://" + s, Conditions: exchange.Conditions{Perturb: texts}}},
	}}
}

func TestHostileText(t *testing.T) {
	for i, s := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			got, err := forms["report.txt"](hostileInput(s))
			if err != nil {
				t.Fatal(err)
			}
			visibleOnly(t, got)
			for line := range strings.Lines(got) {
				if n := columns(strings.TrimSuffix(line, "\n")); n > lineWidth {
					t.Errorf("a line of %d columns: %s", n, line)
				}
			}
			if n := strings.Count(got, "\n"); n > 60 {
				t.Errorf("%d lines", n)
			}
		})
	}
}

func visibleOnly(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Error("the report is no UTF-8")
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("the report holds %U", r)
			return
		}
	}
}

func TestLongMapsAreCounted(t *testing.T) {
	op := &mapfile.Operation{Operation: exchange.Operation{Method: "GET", Template: "/x"}, Status: 200}
	for i := range maxFields + 7 {
		op.Fields = append(op.Fields, &mapfile.Field{Place: exchange.PlaceBody.Index(i), Judgement: mapfile.Jitter, Category: mapfile.Unk})
	}
	in := Input{Map: &mapfile.Map{Operations: []*mapfile.Operation{op}, Runs: make([]exchange.Run, maxRuns+1)}}
	for name, form := range forms {
		got, err := form(in)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, "nd 7 more places") || !strings.Contains(got, "nd 1 more run") {
			t.Errorf("%s does not say what it left out", name)
		}
	}
}
