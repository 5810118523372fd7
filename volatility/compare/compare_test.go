package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// answer makes a response with a body of the given type.
func answer(contentType, body string) *exchange.Response {
	head := "HTTP/1.1 200 OK\r\n"
	if contentType != "" {
		head += "Content-Type: " + contentType + "\r\n"
	}
	return exchange.ParseResponse(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body), Plain: true})
}

func jsonAnswer(body string) *exchange.Response { return answer("application/json", body) }

// lines writes differences as "kind place before after".
func lines(ds []Difference) []string {
	var out []string
	for _, d := range ds {
		s := fmt.Sprintf("%s %s %s %s", d.Kind, d.Place, d.Before, d.After)
		if d.Sizes != [2]int{} {
			s = fmt.Sprintf("%s %s %d %d", d.Kind, d.Place, d.Sizes[0], d.Sizes[1])
		}
		out = append(out, strings.TrimSpace(s))
	}
	return out
}

func TestJSON(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       []string
	}{
		{"equal but for white space and the order of members", `{"a":1,"b":[1,2]}`, "{ \"b\" : [1, 2],\n\"a\":1}", nil},
		{"a number beyond 2^53", `{"n":9007199254740993}`, `{"n":9007199254740992}`, []string{"changed /body/n 9007199254740993 9007199254740992"}},
		{"a number of many digits", `1.00000000000000000000000000000001`, `1.0`, []string{"changed /body 1.00000000000000000000000000000001 1.0"}},
		{"1 and 1.0", `{"n":1}`, `{"n":1.0}`, []string{"notation /body/n 1 1.0"}},
		{"1e400 and 10e399", `1e400`, `10e399`, []string{"notation /body 1e400 10e399"}},
		{"0 and -0", `0`, `-0.0`, []string{"notation /body 0 -0.0"}},
		{"1 and 10", `1`, `10`, []string{"changed /body 1 10"}},
		{"an exponent beyond reason", `1e99999999999999999999`, `1e99999999999999999998`, []string{"changed /body 1e99999999999999999999 1e99999999999999999998"}},
		{"an escape", `"A"`, `"\u0041"`, []string{`notation /body "A" "\u0041"`}},
		{"two lone surrogates", `"\ud800"`, `"\ud801"`, []string{`changed /body "\ud800" "\ud801"`}},
		{"null is not absent", `{"a":null}`, `{}`, []string{"removed /body/a null"}},
		{"absent is not null", `{}`, `{"a":null}`, []string{"added /body/a  null"}},
		{"null is a type", `{"a":null}`, `{"a":"x"}`, []string{`retyped /body/a null "x"`}},
		{"a number as a string", `{"a":1}`, `{"a":"1"}`, []string{`retyped /body/a 1 "1"`}},
		{"an object as an array", `{"a":{}}`, `{"a":[]}`, []string{`retyped /body/a {} []`}},
		{"a duplicate key", `{"a":1,"a":2}`, `{"a":1,"a":3}`, []string{"changed /body/a 2 3"}},
		{"duplicate keys in another order", `{"a":1,"a":2}`, `{"a":2,"a":1}`, []string{"changed /body/a 1 2", "changed /body/a 2 1"}},
		{"one of two duplicates gone", `{"a":1,"a":2}`, `{"a":1}`, []string{"removed /body/a 2"}},
		{"an empty key", `{"":1}`, `{"":2}`, []string{"changed /body/ 1 2"}},
		{"keys with dots, slashes, quotes, tildes, a star", `{"a.b":1,"c/d":1,"e\"f":1,"g~h":1,"*":1}`, `{"a.b":2,"c/d":2,"e\"f":2,"g~h":2,"*":2}`,
			[]string{"changed /body/a.b 1 2", "changed /body/c~1d 1 2", `changed /body/e"f 1 2`, "changed /body/g~0h 1 2", "changed /body/~2 1 2"}},
		{"a key with an escape is the same key", `{"a":1}`, `{"\u0061":1}`, nil},
		{"members in another order, one changed", `{"a":1,"b":2,"c":3}`, `{"c":3,"b":9,"a":1}`, []string{"changed /body/b 2 9"}},
		{"a scalar document", `"x"`, `"y"`, []string{`changed /body "x" "y"`}},
		{"broken JSON is text", `{"a":1`, `{"a":2`, []string{`changed /body "{\"a\":1" "{\"a\":2"`}},
		{"JSON no more", `{"a":1}`, `oops`, []string{`retyped /body {"a":1} "oops"`}},
		{"empty no more", ``, `{}`, []string{`retyped /body "" {}`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(Responses(jsonAnswer(c.a), jsonAnswer(c.b)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestArrays(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       []string
	}{
		{"another order", `[1,2,3]`, `[3,1,2]`, []string{"reordered /body 3 3"}},
		{"another order of equal ones", `[1,1,2]`, `[2,1,1]`, []string{"reordered /body 3 3"}},
		{"not the same multiset", `[1,1,2]`, `[2,2,1]`, []string{"changed /body/0 1 2", "changed /body/1 1 2", "changed /body/2 2 1"}},
		{"objects in another order, members too", `[{"a":1,"b":2},{"a":3,"b":4}]`, `[{"b":4,"a":3},{"a":1,"b":2}]`, []string{"reordered /body 2 2"}},
		{"order within, not without", `{"x":[[1,2],[3,4]]}`, `{"x":[[2,1],[3,4]]}`, []string{"reordered /body/x/0 2 2"}},
		{"order within and without", `[[1,2],[3,4]]`, `[[4,3],[1,2]]`, []string{"reordered /body 2 2", "reordered /body/1 2 2"}},
		{"grown", `[1,2]`, `[0,1,2]`, []string{"resized /body 2 3"}},
		{"shrunk to nothing", `{"l":[{"a":1}]}`, `{"l":[]}`, []string{"resized /body/l 1 0"}},
		{"a new object at the front", `[{"id":1,"v":1},{"id":2,"v":2}]`, `[{"id":9,"v":9},{"id":1,"v":1},{"id":2,"v":2}]`, []string{"resized /body 2 3"}},
		{"by key, in another order, with a change", `[{"id":1,"t":10},{"id":2,"t":20},{"id":3,"t":30}]`, `[{"id":3,"t":31},{"id":1,"t":10},{"id":2,"t":20}]`,
			[]string{"reordered /body 3 3", "changed /body/2/t 30 31"}},
		{"all changed but the key, whatever its name", `[{"t":1,"sku":"a"},{"t":2,"sku":"b"},{"t":3,"sku":"c"}]`, `[{"t":7,"sku":"c"},{"t":8,"sku":"a"},{"t":9,"sku":"b"}]`,
			[]string{"reordered /body 3 3", "changed /body/0/t 1 8", "changed /body/1/t 2 9", "changed /body/2/t 3 7"}},
		{"a position is no key beside an id", `[{"pos":0,"id":"x"},{"pos":1,"id":"y"}]`, `[{"pos":0,"id":"y"},{"pos":1,"id":"x"}]`,
			[]string{"reordered /body 2 2", "changed /body/0/pos 0 1", "changed /body/1/pos 1 0"}},
		{"ids made anew: by position", `[{"id":1,"n":"a"},{"id":2,"n":"a"}]`, `[{"id":3,"n":"a"},{"id":4,"n":"a"}]`, []string{"changed /body/0/id 1 3", "changed /body/1/id 2 4"}},
		{"no key, one of three changed", `[{"a":1,"b":1},{"a":1,"b":2},{"a":1,"b":3}]`, `[{"a":1,"b":1},{"a":1,"b":7},{"a":1,"b":3}]`, []string{"changed /body/1/b 2 7"}},
		{"random numbers are no shuffle", `[3,7,1]`, `[7,2,9]`, []string{"changed /body/0 3 7", "changed /body/1 7 2", "changed /body/2 1 9"}},
		{"one element took another's place", `[{"id":1},{"id":2},{"id":3}]`, `[{"id":1},{"id":9},{"id":3}]`, []string{"changed /body/1/id 2 9"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(Responses(jsonAnswer(c.a), jsonAnswer(c.b)))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestGeneralPlace(t *testing.T) {
	ds := Responses(jsonAnswer(`{"0":[[{"7":1}]]}`), jsonAnswer(`{"0":[[{"7":2}]]}`))
	if len(ds) != 1 || ds[0].Place != "/body/0/0/0/7" || ds[0].General != "/body/0/*/*/7" {
		t.Errorf("got %+v", ds)
	}
}

func TestOtherParts(t *testing.T) {
	raw := func(head, body string) *exchange.Response {
		return exchange.ParseResponse(exchange.Message{Head: []byte(head + "\r\n\r\n"), Body: []byte(body)})
	}
	for _, c := range []struct {
		name string
		a, b *Answer
		want []string
	}{
		{"status; the reason phrase is for people", Read(raw("HTTP/1.1 200 OK", ""), nil), Read(raw("HTTP/1.1 404 Gone fishing", ""), nil), []string{"changed /status 200 404"}},
		{"reason alone", Read(raw("HTTP/1.1 200 OK", ""), nil), Read(raw("HTTP/1.1 200 Fine", ""), nil), []string{`changed /reason "OK" "Fine"`}},
		{"no reason in HTTP/2", Read(raw("HTTP/1.1 200 OK", ""), nil), Read(raw("HTTP/2.0 200", ""), nil), nil},
		{"a fault", Read(raw("HTTP/1.1 200 OK", ""), nil), Read(nil, &exchange.Fault{Kind: exchange.FaultReset}),
			[]string{`changed /status 200 "fault:reset"`, `removed /body ""`}},
		{"two faults", Read(nil, &exchange.Fault{Kind: exchange.FaultReset, Text: "a"}), Read(nil, &exchange.Fault{Kind: exchange.FaultReset, Text: "b"}), nil},
		{"headers", Read(raw("HTTP/1.1 200 OK\r\nX-A: 1\r\nX-B: 1\r\nX-C: 1", ""), nil), Read(raw("HTTP/1.1 200 OK\r\nx-c: 1\r\nx-b: 2\r\nX-D: 1", ""), nil),
			[]string{`removed /header/x-a "1"`, `changed /header/x-b "1" "2"`, `added /header/x-d  "1"`}},
		{"several of a name", Read(raw("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nVia: x\r\nset-cookie: b=1", ""), nil), Read(raw("HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nVia: x", ""), nil),
			[]string{`changed /header/set-cookie "a=1\nb=1" "a=1\nb=2"`, `changed /header/set-cookie/@cookie/b/value "1" "2"`}},
		{"chunks and content coding are not the body", Read(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "1\r\n1\r\n0\r\n\r\n"), nil), Read(raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked", "2\r\n 1\r\n0\r\n\r\n"), nil), nil},
		{"text", Read(answer("text/plain", "a"), nil), Read(answer("text/plain", "b"), nil), []string{`changed /body "a" "b"`}},
		{"JSON under another type is text", Read(answer("text/plain", `{"a":1}`), nil), Read(answer("text/plain", `{"a": 1}`), nil), []string{`changed /body "{\"a\":1}" "{\"a\": 1}"`, `notation /body/@json {"a":1} {"a": 1}`}},
		{"JSON without a type", Read(answer("", `{"a":1}`), nil), Read(answer("", `{"a": 1}`), nil), nil},
		{"JSON of a vendor", Read(answer("application/hal+json; charset=utf-8", `{"a":1}`), nil), Read(answer("application/hal+json; charset=utf-8", `{"a":2}`), nil), []string{`changed /body/a 1 2`}},
		{"binary", Read(answer("image/png", "\x89PNG\x00"), nil), Read(answer("image/png", "\x89PNG\x01"), nil),
			[]string{`changed /body "binary:5:849ccaccabb7c4cd1d8bb2dbc6ab4a1d" "binary:5:a70ac62bbd1ff9ade4c88be8ef5b1cb4"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := lines(c.a.Differences(c.b))
			if c.name == "binary" {
				if len(got) != 1 || !strings.HasPrefix(got[0], `changed /body "binary:5:`) {
					t.Errorf("got %q", got)
				}
				return
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}

func TestWalk(t *testing.T) {
	r := jsonAnswer(`{"a":[1,{"b":null}],"":"x","d":1,"d":2}`)
	var got []string
	Walk(r, func(place exchange.Place, raw string) { got = append(got, string(place)+" "+raw) })
	want := []string{"/status 200", `/header/content-type "application/json"`, `/body {"a":[1,{"b":null}],"":"x","d":1,"d":2}`,
		`/body/a [1,{"b":null}]`, "/body/a/0 1", `/body/a/1 {"b":null}`, "/body/a/1/b null", `/body/ "x"`, "/body/d 2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	var general []string
	Read(r, nil).Each(func(g []byte, _ string) { general = append(general, string(g)) })
	if !slices.Contains(general, "/body/a/*/b") {
		t.Errorf("general places: %q", general)
	}
}

// TestAt holds At against Walk over documents with every awkward key there is.
func TestAt(t *testing.T) {
	for _, body := range []string{
		`{"a.b":{"*":1,"?":2,"#":3,"@this":4,"..0":5,"p|q":6,"":7},"x/y":[[],[{"z~":1}]],"q\"":8,"\u00e9":9,"d":1,"d":{"e":2}}`,
		`[1,"two",null,{"0":[0]}]`, `"scalar"`, ``, `{"broken":`, `{"a":1} {"b":2}`, "\ufeff{}", strings.Repeat("[", MaxDepth+1),
	} {
		r := jsonAnswer(body)
		Walk(r, func(place exchange.Place, raw string) {
			if got, ok := At(r, place); !ok || got != raw {
				t.Errorf("At(%q, %s) = %q, %v; Walk says %q", body, place, got, ok, raw)
			}
		})
		for _, place := range []exchange.Place{"/body/none", "/body/0/0/0/0", "/header/none", "/body/01"} {
			if got, ok := At(r, place); ok {
				t.Errorf("At(%q, %s) = %q, want nothing", body, place, got)
			}
		}
	}
}

// A fault has a status alone, and where there is no answer there is nothing.
func TestAtWithoutAResponse(t *testing.T) {
	for want, a := range map[string]*Answer{`"fault:timeout"`: Read(nil, &exchange.Fault{Kind: "timeout"}), "": Read(nil, nil)} {
		if got, ok := a.At(exchange.PlaceStatus); got != want || ok != (want != "") {
			t.Errorf("the status is %q, %v, want %q", got, ok, want)
		}
		for _, place := range []exchange.Place{exchange.PlaceBody, "/body/a", "/header/a"} {
			if got, ok := a.At(place); ok {
				t.Errorf("%s is %q, want nothing", place, got)
			}
		}
	}
}

func TestDepth(t *testing.T) {
	deep := func(n int, leaf string) string {
		return strings.Repeat(`{"a":`, n) + leaf + strings.Repeat("}", n)
	}
	ds := Responses(jsonAnswer(deep(MaxDepth, "1")), jsonAnswer(deep(MaxDepth, "2")))
	if len(ds) != 1 || ds[0].Place != "/body"+exchange.Place(strings.Repeat("/a", MaxDepth)) {
		t.Errorf("at the bound: %v", lines(ds))
	}
	ds = Responses(jsonAnswer(deep(MaxDepth+1, "1")), jsonAnswer(deep(MaxDepth+1, "2")))
	if len(ds) != 1 || ds[0].Place != exchange.PlaceBody {
		t.Errorf("beyond it: %v", lines(ds))
	}
}

// TestHostile bounds the time that bodies made to hurt may take: each is some megabytes, and what is quadratic in
// depth, breadth or key length takes minutes.
func TestHostile(t *testing.T) {
	n := 300_000
	list := func(f func(i int) string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = f(i)
		}
		return strings.Join(parts, ",")
	}
	key := strings.Repeat("k", 5000)
	for name, pair := range map[string][2]string{
		"deep":          {strings.Repeat("[", 30*n), strings.Repeat("[", 30*n) + "1"},
		"wide array":    {"[" + list(func(i int) string { return fmt.Sprint(i) }) + "]", "[" + list(func(i int) string { return fmt.Sprint(i + 1) }) + "]"},
		"equal objects": {"[" + list(func(i int) string { return `{"a":1}` }) + "]", "[" + list(func(i int) string { return `{"a":1}` }) + `,{"a":2}]`},
		"wide object":   {"{" + list(func(i int) string { return fmt.Sprintf(`"%d":1`, i) }) + "}", "{" + list(func(i int) string { return fmt.Sprintf(`"%d":2`, n-i) }) + "}"},
		"one key":       {"{" + list(func(i int) string { return `"a":1` }) + "}", "{" + list(func(i int) string { return `"a":2` }) + "}"},
		"long keys": {strings.Repeat(`{"`+key+`":`, 500) + "[" + list(func(i int) string { return "1" }) + "]" + strings.Repeat("}", 500),
			strings.Repeat(`{"`+key+`":`, 500) + "[" + list(func(i int) string { return "2" }) + "]" + strings.Repeat("}", 500)},
		"keyed shuffle": {"[" + list(func(i int) string { return fmt.Sprintf(`{"id":%d,"v":1}`, i) }) + "]", "[" + list(func(i int) string { return fmt.Sprintf(`{"id":%d,"v":2}`, n-1-i) }) + "]"},
	} {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			ds := Responses(jsonAnswer(pair[0]), jsonAnswer(pair[1]))
			if len(ds) == 0 || len(ds) > MaxDifferences+1 {
				t.Errorf("%d differences", len(ds))
			}
			Walk(jsonAnswer(pair[0]), func(exchange.Place, string) {})
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func TestSame(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{{`1`, `1.0`, true}, {`{"a":1,"b":2}`, `{"b":2, "a":1}`, true}, {`[1,2]`, `[2,1]`, false}, {`null`, `""`, false}, {`"é"`, `"\u00e9"`, true}} {
		if got := Same(c.a, c.b); got != c.want {
			t.Errorf("Same(%s, %s) = %v", c.a, c.b, got)
		}
	}
}

// value draws a JSON text together with one that means the same: members shuffled, white space added.
func value(depth int) *rapid.Generator[[2]string] {
	return rapid.Custom(func(t *rapid.T) [2]string {
		kind := rapid.IntRange(0, 5).Draw(t, "kind")
		if depth == 0 {
			kind %= 4
		}
		switch kind {
		case 0:
			return twice(rapid.SampledFrom([]string{"null", "true", "false", "0", "-1", "1.5", "9007199254740993"}).Draw(t, "scalar"))
		case 1, 2, 3:
			return twice(quote(rapid.StringN(0, 6, -1).Draw(t, "string")))
		case 4:
			elements := rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "elements")
			a, b := make([]string, len(elements)), make([]string, len(elements))
			for i, e := range elements {
				a[i], b[i] = e[0], " "+e[1]
			}
			return [2]string{"[" + strings.Join(a, ",") + "]", "[" + strings.Join(b, " ,\n") + "]"}
		}
		members := rapid.MapOfN(rapid.StringN(0, 3, -1), value(depth-1), 0, 4).Draw(t, "members")
		var a, b []string
		for k, v := range members {
			a, b = append(a, quote(k)+":"+v[0]), append(b, quote(k)+" : "+v[1])
		}
		b = rapid.Permutation(b).Draw(t, "order")
		return [2]string{"{" + strings.Join(a, ",") + "}", "{" + strings.Join(b, ",\t") + "}"}
	})
}

func twice(s string) [2]string { return [2]string{s, s} }

// TestMetamorphic: what means the same gives no difference, and does not change what differs from a third.
func TestMetamorphic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, w := value(3).Draw(t, "v"), value(3).Draw(t, "w")
		if ds := Responses(jsonAnswer(v[0]), jsonAnswer(v[1])); len(ds) != 0 {
			t.Fatalf("%s and %s differ: %v", v[0], v[1], lines(ds))
		}
		places := func(a, b string) []string {
			var out []string
			for _, d := range Responses(jsonAnswer(a), jsonAnswer(b)) {
				out = append(out, string(d.Kind)+string(d.Place))
			}
			slices.Sort(out)
			return out
		}
		if diff := cmp.Diff(places(v[0], w[0]), places(v[1], w[1])); diff != "" {
			t.Fatalf("the way of writing changes what differs:\n%s\n%s\n%s", v, w, diff)
		}
		if (len(places(v[0], w[0])) == 0) != (len(places(w[0], v[0])) == 0) {
			t.Fatalf("a differs from b, but b not from a: %s %s", v[0], w[0])
		}
	})
}

func FuzzBodies(f *testing.F) {
	for _, s := range []string{`{"a":[1,2,{"b":null}]}`, `[[[[]]]]`, `{"a":1,"a":2}`, `"\ud800"`, `1e5`, "\x00\xff", `{"":{}}`, `[1,`, `{"a" 1}`} {
		f.Add([]byte(s), []byte(`[{"id":1},{"id":2}]`), true)
	}
	f.Fuzz(func(t *testing.T, a, b []byte, typed bool) {
		kind := ""
		if !typed {
			kind = "text/plain"
		}
		x, y := answer(kind, string(a)), answer(kind, string(b))
		if ds := Responses(x, x); len(ds) != 0 {
			t.Fatalf("differs from itself: %v", lines(ds))
		}
		ds := Responses(x, y)
		if string(a) == string(b) && len(ds) != 0 {
			t.Fatalf("equal bytes differ: %v", lines(ds))
		}
		Walk(x, func(place exchange.Place, raw string) {
			if got, ok := At(x, place); !ok || got != raw {
				t.Fatalf("At(%s) = %q, %v; Walk says %q", place, got, ok, raw)
			}
		})
	})
}
