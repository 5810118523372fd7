package mapfile

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/relation"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestCanonical: what a sample decides on is not in the canonical words, and what it cannot is.
func TestCanonical(t *testing.T) {
	one, nine := 1, 9
	for name, c := range map[string]struct{ is, want Holds }{
		"nothing":                    {Holds{}, Holds{}},
		"a length of a spelling":     {Holds{Pattern: "^R-[0-9A-F]{6,20}$"}, Holds{Pattern: "^R-[0-9A-F]+$"}},
		"one length":                 {Holds{Pattern: "^[0-9a-f]{16}$"}, Holds{Pattern: "^[0-9a-f]+$"}},
		"braces that are text":       {Holds{Pattern: `^a\{2\}[0-9]{3}$`}, Holds{Pattern: `^a\{2\}[0-9]+$`}},
		"gaps of a template":         {Holds{Pattern: `^by [0-9A-Za-z_]+ in [0-9.]+\.$`}, Holds{Pattern: `^by .* in [0-9.]+\.$`}},
		"a template of loose text":   {Holds{Pattern: `^[\s\S]* is [\s\S]+$`}, Holds{}},
		"hex digits":                 {Holds{Format: "hex:16"}, Holds{Format: "hex"}},
		"a digest":                   {Holds{Format: "hex:64"}, Holds{Format: "hex:64"}},
		"a range":                    {Holds{Type: "integer", Min: "0", Max: "1958489"}, Holds{Type: "integer"}},
		"lengths":                    {Holds{MinLength: &one, MaxLength: &nine}, Holds{}},
		"the clock":                  {Holds{Clock: 602}, Holds{Clock: 600}},
		"validity of two hours":      {Holds{Clock: 4 * 3600}, Holds{Clock: 24 * 3600}},
		"a day and some":             {Holds{Clock: 119790}, Holds{Clock: 24 * 3600}},
		"four days":                  {Holds{Clock: 376733}, Holds{Clock: 7 * 24 * 3600}},
		"statuses":                   {Holds{OneOf: []json.RawMessage{[]byte("200"), []byte("503")}}, Holds{OneOf: []json.RawMessage{[]byte("200"), []byte("503")}}},
		"null and one value":         {Holds{OneOf: []json.RawMessage{[]byte("null"), []byte(`"x"`)}}, Holds{}},
		"a set":                      {Holds{Order: "set"}, Holds{Order: "any"}},
		"where it comes from":        {Holds{Echo: "/path/1", Bound: "POST /a /body/id", Optional: true}, Holds{Echo: "/path/1", Bound: "POST /a /body/id", Optional: true}},
		"a sum, and what is smaller": {Holds{Relations: []relation.Relation{{Is: relation.AtLeast}, {Is: relation.Sum}}}, Holds{Relations: []relation.Relation{{Is: relation.Sum}}}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.is.Canonical()); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if diff := cmp.Diff(c.is.Canonical(), c.is.Canonical().Canonical()); diff != "" {
				t.Errorf("twice: %s", diff)
			}
		})
	}
}

// shared is a map of so many operations that share a request id, of which one lacks it and one says something else of
// it.
func shared(operations int) *Map {
	m := &Map{}
	for i := range operations {
		op := &Operation{Operation: exchange.Operation{Method: "GET", Template: fmt.Sprintf("/o%d/{id}", i)}, Status: 200, Exchanges: i + 1}
		op.Fields = []*Field{
			{Place: "/body/at", Judgement: Jitter, Category: Time, Changed: 3, Of: 10, Bound: 0.6, Evidence: []string{"moved:3/10", "follows-clock"},
				Holds: Holds{Type: "string", Format: "rfc3339", Clock: 61 + i}},
			{Place: "/header/date", Judgement: Jitter, Category: Time, Changed: 9, Of: 10, Bound: 1, Protocol: true},
			{Place: "/header/x-request-id", Judgement: Jitter, Category: Rand, Changed: 10, Of: 10, Bound: 1,
				Evidence: []string{"moved:10/10", "shape:hex"}, Samples: []json.RawMessage{[]byte(fmt.Sprintf(`"%016x"`, i))},
				Holds: Holds{Type: "string", Format: []string{"hex", "hex:16"}[i%2]}},
			{Place: "/status", Judgement: Stable, Of: 10, Bound: 0.26, Holds: Holds{Type: "integer", Equal: json.RawMessage("200")}},
		}
		switch i {
		case 1:
			op.Fields = slices.Delete(op.Fields, 2, 3)
		case 2:
			op.Fields[2].Judgement, op.Fields[2].Category, op.Fields[2].Changed, op.Fields[2].Holds = Stable, "", 0, Holds{}
		}
		if i > 0 {
			op.Fields[0].Place = exchange.Place(fmt.Sprintf("/body/at%d", i))
		}
		for _, f := range op.Fields {
			if f.check() != nil {
				panic("no field")
			}
		}
		op.Index()
		m.Operations = append(m.Operations, op)
	}
	m.Recount()
	return m
}

func encodedMap(t *testing.T, m *Map, o EncodeOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.Encode(&b, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func locked(t *testing.T, m *Map) string {
	t.Helper()
	var b bytes.Buffer
	if err := m.EncodeLock(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func decoded(t *testing.T, text string) *Map {
	t.Helper()
	m, err := Decode(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCommonIsSaidOnce: a place that most operations share is one member of the file and one line of the lock, and
// every operation has it again once they are read.
func TestCommonIsSaidOnce(t *testing.T) {
	const operations = 12
	m := shared(operations)
	for name, text := range map[string]string{
		"map": encodedMap(t, m, EncodeOptions{}), "whole map": encodedMap(t, m, EncodeOptions{All: true}), "lock": locked(t, m),
	} {
		if n := strings.Count(text, `"/header/x-request-id"`); n > 2 {
			t.Errorf("%s: the request id stands %d times in it, want once, and once where it is stable", name, n)
		}
		if n := strings.Count(text, `"/header/date"`); n > 1 {
			t.Errorf("%s: the date stands %d times in it", name, n)
		}
		again := decoded(t, text)
		if name != "map" && again.Summary.Volatile() != m.Summary.Volatile() {
			t.Errorf("%s: %+v, want %+v", name, again.Summary, m.Summary)
		}
		for i, op := range again.Operations {
			f := op.At("/header/x-request-id")
			switch {
			case i == 1 && f != nil, i == 2 && f != nil && f.Judgement != Stable, i != 1 && i != 2 && (f == nil || f.Judgement != Jitter || f.Category != Rand):
				t.Errorf("%s: %s: %+v", name, op.Name(), f)
			}
		}
		if name != "map" {
			if c := Diff(m, again); len(c.Changes) > 0 {
				t.Errorf("%s: what was read differs: %v", name, said(c))
			}
		}
	}
	if text := encodedMap(t, decoded(t, encodedMap(t, m, EncodeOptions{All: true})), EncodeOptions{All: true}); !strings.Contains(text, `"moved:`) {
		t.Error("a map that was read cannot be written")
	}
}

// TestFewOperationsShareNothing: what three operations say alike is said by each.
func TestFewOperationsShareNothing(t *testing.T) {
	if common, _ := shared(3).Fold(func(*Field) bool { return true }); len(common) > 0 {
		t.Errorf("%+v", common)
	}
}

// TestVersion1: maps of the first version are read as they were.
func TestVersion1(t *testing.T) {
	f, err := os.Open(filepath.Join("testdata", "version1.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m, err := Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Operations) != 5 || !m.Complete() {
		t.Fatalf("%d operations, complete: %t", len(m.Operations), m.Complete())
	}
	for _, op := range m.Operations {
		if f := op.At("/header/x-request-id"); f == nil || f.Changed != 10 || len(f.Samples) == 0 {
			t.Errorf("%s: %+v", op.Name(), f)
		}
	}
	second := decoded(t, encodedMap(t, m, EncodeOptions{All: true}))
	if c := Diff(m, second); len(c.Changes) > 0 || c.Same == 0 {
		t.Errorf("the second version says something else: %v", said(c))
	}
	if c := Diff(m, decoded(t, locked(t, m))); len(c.Changes) > 0 || c.Same == 0 {
		t.Errorf("a lock says something else: %v", said(c))
	}
}

// TestLock: the lock of a map, line by line.
func TestLock(t *testing.T) {
	m := shared(11)
	m.Operations[0].Fields = append(m.Operations[0].Fields,
		&Field{Place: "/body/x", Judgement: Hint, Of: 2, Bound: 0.8}, &Field{Place: "/body/y", Judgement: Stable, Of: 30, Bound: 0.1},
		&Field{Place: "/reason", Judgement: Jitter, Category: Rand, Changed: 1, Of: 2})
	m.Operations[3].At("/status").Judgement, m.Operations[3].At("/status").Category = Jitter, Rand
	other := *m.Operations[3]
	other.Status = 503
	m.Operations = append(m.Operations, &other)
	got := locked(t, m)
	golden := filepath.Join("testdata", "lock.jsonl")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if again := locked(t, decoded(t, got)); again != got {
		t.Errorf("read and written: %s", cmp.Diff(got, again))
	}
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Reverse(lines[1:])
	merged := decoded(t, strings.Join(slices.Concat(lines, lines[1:]), "\n"))
	if c := Diff(m, merged); len(c.Changes) > 0 {
		t.Errorf("the order of lines is of no matter, nor that some stand twice: %v", said(c))
	}
}

func TestDecodeLockRefuses(t *testing.T) {
	head := `{"flaketap":"volatile-lock","version":1}` + "\n"
	for text, want := range map[string]string{
		strings.Replace(head, "1", "2", 1):                  "line 1: version 2 is not supported, only 1",
		head + "{":                                          "line 2: unexpected end of JSON input",
		head + `{"operation":"GET"}`:                        "line 2: operation \"GET\": want a method, a blank and a template, and a status",
		head + `{"place":"x","judgement":"stable"}`:         "line 2: place \"x\" does not begin with a slash",
		head + `{"place":"/x","judgement":"odd"}`:           "line 2: unknown judgement \"odd\"",
		head + "<<<<<<< HEAD":                               "line 2: invalid character '<'",
		`{"flaketap":"volatile-map-of-others","version":1}`: "not a volatile map",
	} {
		if _, err := Decode(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	many := head + strings.Repeat(`{"place":"/x","judgement":"stable"}`+"\n", 4000)
	for i := range 4000 {
		many += fmt.Sprintf(`{"operation":"GET /%d","status":200}`+"\n", i)
	}
	if _, err := Decode(strings.NewReader(many)); err == nil || !strings.Contains(err.Error(), "more than a map holds") {
		t.Errorf("a lock that would be huge: %v", err)
	}
}

// TestSettle: what is said stays as it was said where nothing speaks against it, and changes where something does.
func TestSettle(t *testing.T) {
	field := func(j Judgement, c Category, changed, of int, h Holds, evidence ...string) *Field {
		f := &Field{Place: "/body/a", Judgement: j, Category: c, Changed: changed, Of: of, Holds: h, Samples: []json.RawMessage{[]byte(`"a1"`)}}
		if c != "" {
			f.Explanations = []Explanation{{Category: c, Evidence: evidence}}
		}
		return f
	}
	text := Holds{Type: "string", Pattern: "^[0-9a-z]+$"}
	for name, c := range map[string]struct {
		old, new *Field
		kept     bool
	}{
		"another pattern that is true of it":  {field(Jitter, Rand, 9, 10, text), field(Jitter, Rand, 9, 10, Holds{Type: "string"}), true},
		"a pattern that is true no more":      {field(Jitter, Rand, 9, 10, Holds{Type: "string", Pattern: "^[0-9]+$"}), field(Jitter, Rand, 9, 10, text), false},
		"another type":                        {field(Jitter, Rand, 9, 10, text), field(Jitter, Rand, 9, 10, Holds{Type: "null|string"}), false},
		"fewer types":                         {field(Jitter, Rand, 9, 10, Holds{Type: "null|string"}), field(Jitter, Rand, 9, 10, text), true},
		"it comes and goes now":               {field(Jitter, Rand, 9, 10, text), field(Jitter, Rand, 9, 10, Holds{Type: "string", Optional: true}), false},
		"further from the clock":              {field(Jitter, Time, 9, 10, Holds{Clock: 60}), field(Jitter, Time, 9, 10, Holds{Clock: 7200}), false},
		"nearer to the clock":                 {field(Jitter, Time, 9, 10, Holds{Clock: 7200}), field(Jitter, Time, 9, 10, Holds{Clock: 60}), true},
		"another category that it looks like": {field(Jitter, Time, 9, 10, text), field(Jitter, Rand, 9, 10, text, "shape:hex"), true},
		"a category that was measured":        {field(Jitter, Rand, 9, 10, text), field(Jitter, Time, 9, 10, text, "follows-clock:steady"), false},
		"a rare event that was not seen":      {field(Jitter, Rand, 1, 30, text), field(Stable, "", 0, 30, text), true},
		"an event that would have been seen":  {field(Jitter, Rand, 20, 30, text), field(Stable, "", 0, 300, text), false},
		"what would move":                     {field(WouldMove, Time, 0, 30, text), field(Stable, "", 0, 30, text), true},
		"what would move did":                 {field(WouldMove, Time, 0, 30, text), field(Jitter, Time, 2, 30, text, "follows-clock"), true},
		"it began to move":                    {field(Stable, "", 0, 30, text), field(Jitter, Rand, 20, 30, text), false},
		"seen less often":                     {field(Stable, "", 0, 30, text), field(Stable, "", 0, 3, text), true},
		"seen often enough at last":           {field(Stable, "", 0, 3, text), field(Stable, "", 0, 30, text), false},
		"not there now":                       {field(Stable, "", 0, 3, text), nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			other := func() *Field { return &Field{Place: "/body/b", Judgement: Stable, Of: 30} }
			old, is := mapOf("/o/{order}", c.old, other()), mapOf("/o/{id}", other())
			if c.new != nil {
				is = mapOf("/o/{id}", c.new, other())
			}
			before, settled := locked(t, old), locked(t, is.Settle(old))
			if (before == settled) != c.kept {
				t.Errorf("want it kept: %t\n%s", c.kept, cmp.Diff(before, settled))
			}
			if again := locked(t, is.Settle(decoded(t, settled))); again != settled {
				t.Errorf("a lock that is written anew over itself changes: %s", cmp.Diff(settled, again))
			}
		})
	}
	gone := mapOf("/p", &Field{Place: "/body/a", Judgement: Stable, Of: 30})
	got := mapOf("/q", &Field{Place: "/body/a", Judgement: Stable, Of: 30}).Settle(gone)
	if len(got.Operations) != 2 || got.Operations[0].Template != "/p" {
		t.Errorf("an operation that was not seen this time is lost: %v", got.Operations)
	}
}

// TestLockOfKinds: at which of two things a rare event was seen is chance, and their locks are the same; what a thing
// was seen often enough not to do, or what it does by itself, is its own.
func TestLockOfKinds(t *testing.T) {
	place := func(name exchange.Place, changed, of int) *Field {
		f := &Field{Place: name, Judgement: Stable, Of: of}
		if changed > 0 {
			f.Judgement, f.Category, f.Changed, f.Holds = Jitter, Rand, changed, Holds{Type: "string"}
		}
		return f
	}
	stations := func(one, two int, of int, more ...exchange.Place) *Map {
		m := &Map{}
		for i, changed := range []int{one, two} {
			op := &Operation{Operation: exchange.Operation{Method: "GET", Template: fmt.Sprintf("/stations/S%d", i)}, Status: 200, Exchanges: 3,
				Fields: []*Field{place("/body/alarm", changed, of), place("/body/beds", 0, of), place("/body/name", 0, of), place("/header/warning", changed, of)}}
			for _, name := range more[:min(i, len(more))] {
				op.Fields = append(op.Fields, place(name, 0, of))
			}
			op.Index()
			m.Operations = append(m.Operations, op)
		}
		m.Recount()
		return m
	}
	alarms := func(m *Map) (moving []string) {
		for _, op := range m.Lock().Operations {
			for _, f := range op.Fields {
				if f.Volatile() {
					moving = append(moving, op.Template+string(f.Place))
				}
			}
		}
		return moving
	}
	for name, c := range map[string]struct {
		m    *Map
		want []string
	}{
		"seen at one":                {stations(2, 0, 30), []string{"/stations/S0/body/alarm", "/stations/S0/header/warning", "/stations/S1/body/alarm"}},
		"seen at the other":          {stations(0, 2, 30), []string{"/stations/S0/body/alarm", "/stations/S1/body/alarm", "/stations/S1/header/warning"}},
		"seen at neither":            {stations(0, 0, 30), nil},
		"it would have been seen":    {stations(30, 0, 30), []string{"/stations/S0/body/alarm", "/stations/S0/header/warning"}},
		"they are not of one kind":   {stations(2, 0, 30, "/body/ward"), []string{"/stations/S0/body/alarm", "/stations/S0/header/warning"}},
		"seen rarely in many trials": {stations(30, 0, 300), []string{"/stations/S0/body/alarm", "/stations/S0/header/warning"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, alarms(c.m)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
	for name, c := range map[string]struct {
		old, is *Map
		began   int
	}{
		"rare at the other":             {stations(2, 0, 30), stations(0, 2, 30), 0},
		"rare where it was not seen":    {stations(0, 0, 30), stations(0, 2, 30), 0},
		"it began to move all the time": {stations(0, 0, 30), stations(0, 30, 30), 2},
	} {
		if got := len(Diff(decoded(t, locked(t, c.old)), c.is).Of(Began)); got != c.began {
			t.Errorf("%s: %d places began to move, want %d", name, got, c.began)
		}
	}
}

func FuzzDecodeLock(f *testing.F) {
	f.Add("{\"place\":\"/header/x\",\"judgement\":\"jitter\",\"category\":\"Rand\",\"except\":[\"GET /a 200\"]}\n{\"operation\":\"GET /a\",\"status\":200}\n")
	f.Add("{\"operation\":\"GET /a\",\"status\":200,\"place\":\"/body/a\",\"judgement\":\"stable\",\"unsure\":true}\n")
	f.Fuzz(func(t *testing.T, lines string) {
		m, err := Decode(strings.NewReader(`{"flaketap":"volatile-lock","version":1}` + "\n" + lines))
		if err != nil {
			return
		}
		var b bytes.Buffer
		if m.EncodeLock(&b) != nil {
			return
		}
		again, err := Decode(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatalf("what was written cannot be read: %v\n%s", err, b.String())
		}
		if diff := cmp.Diff(m.Summary, again.Summary, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s\n%s", diff, b.String())
		}
	})
}
