package mutant

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/google/go-cmp/cmp"
)

// answer makes a response of a head, whose lines are joined here, and a body.
func answer(head, body string) *exchange.Response {
	return exchange.ParseResponse(exchange.Message{Head: []byte(strings.ReplaceAll(head, "\n", "\r\n") + "\r\n\r\n"), Body: []byte(body)})
}

// jsonAnswer makes a response with a JSON body.
func jsonAnswer(body string) *exchange.Response {
	return answer(fmt.Sprintf("HTTP/1.1 200 OK\nContent-Type: application/json\nContent-Length: %d", len(body)), body)
}

// parsed reads what Apply returned.
func parsed(t *testing.T, raw []byte) *exchange.Response {
	t.Helper()
	end := wire.HeadEnd(raw)
	if end < 0 {
		t.Fatalf("no head: %q", raw)
	}
	return exchange.ParseResponse(exchange.Message{Head: raw[:end], Body: raw[end:]})
}

func TestApplyToJSON(t *testing.T) {
	for _, tt := range []struct {
		kind     Kind
		volatile bool
		place    exchange.Place
		body     string
		want     string // "" where nothing changes
	}{
		{Change, false, "/body/a", `{ "a" : 19 , "b": 1}`, `{ "a" : 10 , "b": 1}`},
		{Change, false, "/body/a", `{"a":-1.5e3}`, `{"a":-1.6e3}`},
		{Change, false, "/body/a", `{"a":"x-9\u00e4z"}`, `{"a":"x-9\u00e4a"}`},
		{Change, false, "/body/a", `{"a":"\n"}`, `{"a":"\nx"}`},
		{Change, false, "/body/a", `{"a":true}`, `{"a":false}`},
		{Change, false, "/body/a", `{"a":null}`, ""},
		{Change, false, "/body/*/a", `[{"a":1},{"b":1},{"a":2}]`, `[{"a":2},{"b":1},{"a":3}]`},
		{Change, false, "/body/1/a", `[{"a":1},{"a":2}]`, `[{"a":1},{"a":3}]`},
		{Change, false, "/body/*", `["a", "b"]`, `["b", "c"]`},
		{Change, false, "/body", ` 7 `, ` 8 `},
		{Change, false, "/body/a~1b~0/~2", `{"a/b~":{"*":1,"c":1}}`, `{"a/b~":{"*":2,"c":1}}`},
		{Change, false, "/body/\u00e4", `{"\u00e4":1}`, `{"\u00e4":2}`},
		{Change, false, "/body/a", `{"a":1,"a":2}`, `{"a":2,"a":3}`},
		{Change, true, "/body/a", `{"a":"2026-01-01"}`, `{"a":"~"}`},
		{Change, true, "/body/a", `{"a":12}`, `{"a":-12000}`},
		{Change, true, "/body/a", `{"a":-0.25}`, `{"a":1000.5}`},
		{Change, true, "/body/a", `{"a":1E3}`, `{"a":-1e99}`},
		{Change, true, "/body/a", `{"a":true}`, ""},
		{Drop, false, "/body/a", `{"a":1, "b":2}`, `{ "b":2}`},
		{Drop, false, "/body/b", `{"a":1, "b":2 }`, `{"a":1}`},
		{Drop, false, "/body/a", `{"b":0,"a":1,"a":2}`, `{"b":0}`},
		{Drop, false, "/body/a", `{"a":[{"a":1}]}`, `{}`},
		{Drop, false, "/body/*/a", `[{"a":1},{"c":1}]`, `[{},{"c":1}]`},
		{Drop, false, "/body/l/*", `{"l":[1,2,{"x":[3,4]}]}`, `{"l":[1,2]}`},
		{Drop, false, "/body/m/*", `{"m":{"k1":1,"k2":2}}`, `{"m":{"k1":1}}`},
		{Drop, false, "/body/x", `{"a":1}`, ""},
		{Add, false, "/body", `{"a":1}`, `{"a":1,"flaketap":true}`},
		{Add, false, "/body", ` {} `, ` {"flaketap":true} `},
		{Add, false, "/body/a", `{"a":[1, 2]}`, `{"a":[1, 2, 2]}`},
		{Add, false, "/body/a", `{"a":[ ]}`, `{"a":[0]}`},
		{Retype, false, "/body/a", `{"a":"12"}`, `{"a":12}`},
		{Retype, false, "/body/a", `{"a":"012"}`, `{"a":3}`},
		{Retype, false, "/body/a", `{"a":12.5}`, `{"a":"12.5"}`},
		{Retype, false, "/body/a", `{"a":null}`, `{"a":0}`},
		{Retype, false, "/body/a", `{"a":false}`, `{"a":"false"}`},
		{Retype, false, "/body/a", `{"a":[1]}`, `{"a":{}}`},
		{Retype, false, "/body/a", `{"a":{"b":1}}`, `{"a":[]}`},
		{Reorder, false, "/body", `[1, {"a":[2,3]} ,"]"]`, `["]", {"a":[2,3]} ,1]`},
		{Reorder, false, "/body", `[1,1]`, ""},
		{Truncate, false, "/body/a", `{"a":"grüße"}`, `{"a":"gr"}`},
		{Truncate, false, "/body/a", `{"a":[1,2,3]}`, `{"a":[1]}`},
		{Truncate, false, "/body/a", `{"a":"x"}`, ""},
		{Truncate, false, "/body", `{"a":1}`, `{"a`},
		{Change, false, "/body/a", `{"a":1`, ""},
		{Change, false, "/body/a", ``, ""},
	} {
		m := Mutant{Status: 200, Place: tt.place, Kind: tt.kind, Volatile: tt.volatile}
		raw, changed := m.Apply(jsonAnswer(tt.body))
		if changed != (tt.want != "") {
			t.Errorf("%s of %s: changed is %v", m, tt.body, changed)
		}
		if !changed {
			continue
		}
		got := parsed(t, raw)
		if string(got.Body) != tt.want {
			t.Errorf("%s of %s: got %s, want %s", m, tt.body, got.Body, tt.want)
		}
		if n, _, _ := wire.ContentLength(got.Header); n != int64(len(tt.want)) {
			t.Errorf("%s of %s: Content-Length is %d", m, tt.body, n)
		}
	}
}

func TestApplyToHeads(t *testing.T) {
	in := answer("HTTP/1.1 200 OK\nContent-Type: application/json; charset=utf-8\nX-A: one\n two\nETag:\t\"a9\"\nx-a: three\nContent-Length: 2", "{}")
	for _, tt := range []struct {
		m    Mutant
		want string // "" where nothing changes
	}{
		{Mutant{Place: "/header/content-type", Kind: Change},
			"HTTP/1.1 200 OK\nContent-Type: application/jsoo; charset=utf-8\nX-A: one\n two\nETag:\t\"a9\"\nx-a: three\nContent-Length: 2\n\n{}"},
		{Mutant{Place: "/header/content-type", Kind: Change, Volatile: true},
			"HTTP/1.1 200 OK\nContent-Type: ~\nX-A: one\n two\nETag:\t\"a9\"\nx-a: three\nContent-Length: 2\n\n{}"},
		{Mutant{Place: "/header/etag", Kind: Change},
			"HTTP/1.1 200 OK\nContent-Type: application/json; charset=utf-8\nX-A: one\n two\nETag:\t\"a0\"\nx-a: three\nContent-Length: 2\n\n{}"},
		{Mutant{Place: "/header/x-a", Kind: Drop},
			"HTTP/1.1 200 OK\nContent-Type: application/json; charset=utf-8\nETag:\t\"a9\"\nContent-Length: 2\n\n{}"},
		{Mutant{Place: "/status", Kind: Status, To: 500},
			"HTTP/1.1 500 Internal Server Error\nContent-Type: application/json; charset=utf-8\nX-A: one\n two\nETag:\t\"a9\"\nx-a: three\nContent-Length: 2\n\n{}"},
		{Mutant{Place: "/header/none", Kind: Drop}, ""},
		{Mutant{Place: "/header/etag", Kind: Reorder}, ""},
	} {
		tt.m.Status = 200
		raw, changed := tt.m.Apply(in)
		if got := strings.ReplaceAll(string(raw), "\r\n", "\n"); got != tt.want || changed != (tt.want != "") {
			t.Errorf("%s: %v\n%s", tt.m, changed, cmp.Diff(tt.want, got))
		}
	}
}

func TestApplyToFraming(t *testing.T) {
	var zipped bytes.Buffer
	z := gzip.NewWriter(&zipped)
	z.Write([]byte(`{"a":1}`))
	z.Close()
	chunked := answer("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: gzip\nTrailer: X\nContent-Type: application/json", string(wire.Chunk(zipped.Bytes())))
	for name, tt := range map[string]struct {
		m    Mutant
		in   *exchange.Response
		want string // "" where nothing changes
	}{
		"codings are undone": {Mutant{Status: 200, Place: "/body/a", Kind: Change}, chunked,
			"HTTP/1.1 200 OK\nContent-Length: 7\nContent-Type: application/json\n\n{\"a\":2}"},
		"codings stay where the body does": {Mutant{Status: 200, Place: "/header/trailer", Kind: Drop}, chunked,
			"HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Encoding: gzip\nContent-Type: application/json\n\n" + string(wire.Chunk(zipped.Bytes()))},
		"a body that ends with the connection gets a length": {Mutant{Status: 200, Place: "/body", Kind: Change},
			answer("HTTP/1.0 200 OK\nContent-Type: text/plain", "abc"), "HTTP/1.0 200 OK\nContent-Type: text/plain\nContent-Length: 3\n\nabd"},
		"a text that moves": {Mutant{Status: 200, Place: "/body", Kind: Change, Volatile: true},
			answer("HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 3", "abc"), "HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 1\n\n~"},
		"no content becomes a body of no bytes": {Mutant{Status: 204, Place: "/status", Kind: Status, To: 200},
			answer("HTTP/1.1 204 No Content\nX: y", ""), "HTTP/1.1 200 OK\nX: y\nContent-Length: 0\n\n"},
		"empty lines before the head": {Mutant{Status: 200, Place: "/status", Kind: Status, To: 404},
			answer("\nHTTP/1.1 200 OK\nContent-Length: 0", ""), "HTTP/1.1 404 Not Found\nContent-Length: 0\n\n"},
		"another status":      {Mutant{Status: 201, Place: "/status", Kind: Status, To: 500}, jsonAnswer("{}"), ""},
		"a broken coding":     {Mutant{Status: 200, Place: "/body", Kind: Truncate}, answer("HTTP/1.1 200 OK\nContent-Encoding: gzip\nContent-Length: 3", "abc"), ""},
		"HTTP/2":              {Mutant{Status: 200, Place: "/status", Kind: Status, To: 500}, answer("HTTP/2.0 200\nx: y", ""), ""},
		"JSON of a text type": {Mutant{Status: 200, Place: "/body/a", Kind: Change}, answer("HTTP/1.1 200 OK\nContent-Type: text/plain\nContent-Length: 7", `{"a":1}`), ""},
	} {
		raw, changed := tt.m.Apply(tt.in)
		if got := strings.ReplaceAll(string(raw), "\r\n", "\n"); got != strings.ReplaceAll(tt.want, "\r\n", "\n") || changed != (tt.want != "") {
			t.Errorf("%s: %v\n%s", name, changed, cmp.Diff(tt.want, got))
		}
	}
	cut := jsonAnswer(`{"a":1}`)
	cut.Cut = 1
	if _, changed := (Mutant{Status: 200, Place: "/body/a", Kind: Change}).Apply(cut); changed {
		t.Error("an answer of which bytes are missing was changed")
	}
	interim := jsonAnswer(`{"a":1}`)
	interim.Interim = []byte("HTTP/1.1 103 Early Hints\r\n\r\n")
	if raw, _ := (Mutant{Status: 200, Place: "/body/a", Kind: Change}).Apply(interim); !bytes.HasPrefix(raw, interim.Head[:12]) {
		t.Errorf("not the answer alone: %q", raw)
	}
}

var get = exchange.Operation{Method: "GET", Template: "/x"}

func TestSurvey(t *testing.T) {
	var s Survey
	s.Add(get, jsonAnswer(`{"id":7,"tags":["a","b"],"at":"2026-01-01","on":true,"none":null,"l":[{"p":1}],"word":"a"}`))
	s.Add(get, jsonAnswer(`{"word":"nine"}`))
	s.Add(get, answer("HTTP/1.1 404 Not Found\nDate: now\nServer: Werkzeug/3\nContent-Type: text/plain\nContent-Length: 2", "no"))
	judge := func(_ exchange.Operation, _ int, p exchange.Place) Judgement {
		return Judgement{Volatile: p == "/body/at" || p == "/body/word" || p == "/body/id" || p == "/body/on", Optional: p == "/body/none", Unordered: p == "/body/l"}
	}
	var names []string
	for _, m := range s.Mutants(Kinds(), 0, 1, judge) {
		name := m.String()
		if m.Volatile {
			name = "~ " + name
		}
		names = append(names, strings.TrimSuffix(strings.TrimSuffix(name, " of GET /x 200"), " of GET /x"))
	}
	slices.Sort(names)
	want := []string{
		"add /body", "add /body/l", "add /body/l/*", "add /body/tags",
		"change /body of GET /x 404", "change /body/l/*/p", "change /body/tags/*", "change /header/content-type", "change /header/content-type of GET /x 404",
		"drop /body/l", "drop /body/l/*", "drop /body/l/*/p", "drop /body/tags", "drop /body/tags/*", "drop /header/content-type", "drop /header/content-type of GET /x 404",
		"element doubled /body/tags", "element removed /body/tags", "element replaced /body/l", "element replaced /body/tags", "empty /body/l", "empty /body/tags",
		"format upper /body/tags/*", "off -1 /body/l/*/p",
		"reorder /body/tags",
		"retype /body", "retype /body/l", "retype /body/l/*", "retype /body/l/*/p", "retype /body/none", "retype /body/tags", "retype /body/tags/*",
		"status 200 to 201", "status 200 to 404", "status 200 to 500", "status 404 to 200", "status 404 to 201", "status 404 to 400",
		"truncate /body", "truncate /body of GET /x 404", "truncate /body/tags",
		"~ change /body/at", "~ change /body/id", "~ change /body/word", "~ drop /body/at", "~ drop /body/id", "~ drop /body/on", "~ drop /body/word", "~ off +1 /body/id", "~ off -1 /body/id",
		"~ retype /body/at", "~ retype /body/id", "~ retype /body/on", "~ retype /body/word", "~ truncate /body/at",
	}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

// Keys that are made up anew have one mutant of each kind together, which is planted under whatever key there is.
func TestMutantsOfMadeUpKeys(t *testing.T) {
	var s Survey
	s.Add(get, jsonAnswer(`{"sessions":{"f9ac":{"user":"ada"},"07b1":{"user":"bob"}},"n":1}`))
	s.Add(get, jsonAnswer(`{"sessions":{"11c2":{"user":"eve"}},"n":1}`))
	judge := func(_ exchange.Operation, _ int, p exchange.Place) Judgement {
		if strings.HasSuffix(string(p), "/user") {
			return Judgement{Place: "/body/sessions/*/user", Volatile: true}
		}
		return Judgement{Ignored: true}
	}
	var names []string
	for _, m := range s.Mutants(Kinds(), 0, 1, judge) {
		names = append(names, m.String())
		if _, changed := m.Apply(jsonAnswer(`{"sessions":{"new1":{"user":"joe"}},"n":1}`)); !changed {
			t.Errorf("%s changes nothing under another key", m)
		}
	}
	slices.Sort(names)
	want := []string{"change /body/sessions/*/user of GET /x 200", "drop /body/sessions/*/user of GET /x 200", "retype /body/sessions/*/user of GET /x 200",
		"truncate /body/sessions/*/user of GET /x 200"}
	if d := cmp.Diff(want, names); d != "" {
		t.Error(d)
	}
}

func TestMutantsAreChosenBySeed(t *testing.T) {
	var s Survey
	for i := range 20 {
		s.Add(exchange.Operation{Method: "GET", Template: fmt.Sprintf("/%d", i)}, jsonAnswer(`{"a":1,"b":"two","c":[1,2],"t":"now"}`))
	}
	there := map[Kind]bool{} // of answers alone, none can be given again
	for _, m := range s.Mutants(Kinds(), 0, 1, func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{} }) {
		there[m.Kind] = true
	}
	judge := func(_ exchange.Operation, _ int, p exchange.Place) Judgement {
		return Judgement{Volatile: p == "/body/t"}
	}
	one, same, other := s.Mutants(Kinds(), 120, 1, judge), s.Mutants(Kinds(), 120, 1, judge), s.Mutants(Kinds(), 120, 2, judge)
	if d := cmp.Diff(one, same); d != "" {
		t.Errorf("one seed gives two choices: %s", d)
	}
	if cmp.Equal(one, other) {
		t.Error("two seeds give one choice")
	}
	operations, kinds, volatile := map[string]bool{}, map[Kind]int{}, 0
	for _, m := range one {
		operations[m.Operation.Template] = true
		kinds[m.Kind]++
		if m.Volatile {
			volatile++
		}
	}
	if len(one) != 120 || len(operations) != 20 || len(kinds) != len(there) || len(kinds) < 10 || volatile < 20 {
		t.Errorf("%d mutants of %d operations, %v, %d of them volatile: not every operation and kind has its share", len(one), len(operations), kinds, volatile)
	}
	for _, m := range s.Mutants([]Kind{Drop}, 0, 1, judge) {
		if m.Kind != Drop {
			t.Errorf("%s was not wanted", m)
		}
	}
}

// TestEveryMutantShows holds what mutants do against package compare: an answer differs where the mutant says, and
// nowhere else that is not part of it.
func TestEveryMutantShows(t *testing.T) {
	body := `{"id":7,"tags":["a","b"],"at":"2026-01-01T00:00:00Z","on":true,"none":null,"l":[{"p":1.5,"q":"é"},{"p":2}],"o":{"k":{}},"e":[]}`
	in := jsonAnswer(body)
	var s Survey
	s.Add(get, in)
	for _, volatile := range []bool{false, true} {
		all := s.Mutants(Kinds(), 0, 0, func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{Volatile: volatile} })
		if len(all) < 20 {
			t.Fatalf("only %d mutants", len(all))
		}
		for _, m := range all {
			raw, changed := m.Apply(in)
			if !changed {
				t.Errorf("%s changes nothing", m)
				continue
			}
			got := parsed(t, raw)
			differences := slices.DeleteFunc(compare.Responses(in, got), func(d compare.Difference) bool {
				return d.Place == "/header/content-length" || d.Place == exchange.PlaceReason
			})
			if len(differences) == 0 {
				t.Errorf("%s does not show in %s", m, got.Body)
			}
			for _, d := range differences {
				general := strings.NewReplacer("/0", "/*", "/1", "/*").Replace(string(d.Place))
				if p := exchange.Place(general); !p.Within(m.Place) && !m.Place.Within(p) {
					t.Errorf("%s shows at %s", m, d.Place)
				}
			}
			if m.Place.Root() == "body" && !(m.Kind == Truncate && m.Place == "/body") && !json.Valid(got.Body) {
				t.Errorf("%s gives no JSON: %s", m, got.Body)
			}
		}
	}
}

// An operation whose answers hold much is not the first for that, and an empty body has nothing to change.
func TestOperationsComeInTurn(t *testing.T) {
	var s Survey
	large := exchange.Operation{Method: "GET", Template: "/large"}
	var members []string
	for i := range 200 {
		members = append(members, fmt.Sprintf(`"m%d":1`, i))
	}
	s.Add(large, jsonAnswer("{"+strings.Join(members, ",")+"}"))
	s.Add(exchange.Operation{Method: "GET", Template: "/empty"}, answer("HTTP/1.1 302 Found\nContent-Length: 0", ""))
	for i := range 20 {
		s.Add(exchange.Operation{Method: "GET", Template: fmt.Sprintf("/%d", i)}, jsonAnswer(`{"a":1}`))
	}
	stable := func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{} }
	for _, m := range s.Mutants(Kinds(), 0, 1, stable) {
		if m.Operation.Template == "/empty" && m.Place == "/body" {
			t.Errorf("%s: there is nothing in it", m)
		}
	}
	first := 0
	for seed := range uint64(20) {
		if m := s.Mutants([]Kind{Drop}, 1, seed, stable)[0]; m.Operation == large {
			first++
		}
	}
	if first > 8 { // one in 22 is its share
		t.Errorf("of 20 seeds %d choose one operation in 22", first)
	}
}

func TestParseKinds(t *testing.T) {
	got, err := ParseKinds([]string{"drop", " change", "drop"})
	if err != nil || !slices.Equal(got, []Kind{Change, Drop}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, _ := ParseKinds([]string{"all"}); len(got) != len(Kinds()) {
		t.Errorf("all is %v", got)
	}
	if _, err := ParseKinds([]string{"swap"}); err == nil || !strings.Contains(err.Error(), `unknown kind of fault "swap"`) {
		t.Errorf("%v", err)
	}
}

func FuzzApply(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), []byte(`{"a":[{"b":1}]}`), "/body/a/*/b", uint8(0), true)
	f.Add([]byte("HTTP/1.1 200 OK\nX: y\n z\n\n"), []byte(`text`), "/header/x", uint8(1), false)
	f.Add([]byte("HTTP/1.1 204 \r\n\r\n"), []byte(``), "/status", uint8(4), false)
	f.Add([]byte("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), []byte("2\r\n[]\r\n0\r\n\r\n"), "/body", uint8(2), false)
	f.Fuzz(func(t *testing.T, head, body []byte, place string, kind uint8, volatile bool) {
		r := exchange.ParseResponse(exchange.Message{Head: head, Body: body})
		of := faults()[int(kind)%len(faults())]
		m := Mutant{Status: r.Status, Place: exchange.Place(place), Kind: of.kind, Way: of.way, To: 500, Volatile: volatile}
		raw, changed := m.Apply(r)
		if !changed && raw != nil {
			t.Error("raw bytes for an answer that stays")
		}
		if changed && m.Place.Root() == "body" {
			payload, _ := r.Payload()
			end := wire.HeadEnd(raw)
			if end < 0 {
				return // nor had the answer one
			}
			if json.Valid(payload) && compare.IsJSON(r.MediaType()) && !(m.Kind == Truncate && m.Place == "/body") && !json.Valid(raw[end:]) {
				t.Errorf("%s makes %q of %q", m, raw[end:], payload)
			}
		}
		if r.Status > 0 {
			var s Survey
			s.Add(get, r)
			for _, target := range []string{"/x", "/x", "/y"} { // the same again, then what it may be given in the place of
				e := &exchange.Exchange{Request: exchange.Request{Method: "GET", Target: target}, Response: r}
				s.AddExchange(get, e)
				e.Response = jsonAnswer(place)
				s.AddExchange(get, e)
			}
			var past Past
			for _, m := range s.Mutants([]Kind{Relation, Stale, Resource}, 3, 1, func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{Volatile: volatile} }) {
				for _, target := range []string{"/x", "/y", "/x"} {
					past.Plant(m, &exchange.Exchange{Request: exchange.Request{Method: "GET", Target: target}, Response: r})
				}
				m.Assertion()
			}
			for _, m := range s.Mutants(Kinds(), 3, 1, func(exchange.Operation, int, exchange.Place) Judgement { return Judgement{Volatile: volatile} }) {
				m.Apply(r)
			}
		}
	})
}
