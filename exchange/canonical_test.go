package exchange

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestCanonicalJSON(t *testing.T) {
	tests := []struct{ in, want string }{
		{`{"b":1,"a":2}`, `{"a":2,"b":1}`},
		{" {\n\t\"b\" : 1 ,\r\n \"a\" : [ 1 , 2 ] } ", `{"a":[1,2],"b":1}`},
		{`{}`, `{}`},
		{` [ ] `, `[]`},
		{`[{ }, [ ], [{}]]`, `[{},[],[{}]]`},
		{`null`, `null`},
		{` -1.50e+3 `, `-1.50e+3`},
		{`"a b"`, `"a b"`},
		{`[1.0, 1, 1e0, 12345678901234567890123, 0.10]`, `[1.0,1,1e0,12345678901234567890123,0.10]`},
		{`["\u0061", "a", "\"", "\\", "} ]", "\/"]`, `["\u0061","a","\"","\\","} ]","\/"]`},
		{`{"a":1,"a":3,"a":2}`, `{"a":1,"a":3,"a":2}`},
		{`{"b":1,"a":1,"b":0}`, `{"a":1,"b":1,"b":0}`},
		{`{"b":1,"":2," ":3}`, `{" ":3,"":2,"b":1}`},
		{`{"b":{"d":1,"c":2},"\u0061":3,"a":4}`, `{"b":{"c":2,"d":1},"\u0061":3,"a":4}`}, // the last two are one key
		{`{"b":{"d":{"f":1,"e":2},"c":3},"a":[{"z":1,"y":{"x":1,"w":2}},{"b":1,"a":[]}]}`,
			`{"a":[{"y":{"w":2,"x":1},"z":1},{"a":[],"b":1}],"b":{"c":3,"d":{"e":2,"f":1}}}`},
		{`{"c":[],"b":{},"a":{"b":{},"a":{}}}`, `{"a":{"a":{},"b":{}},"b":{},"c":[]}`},
		{`{"b":[true , false , null]}`, `{"b":[true,false,null]}`},
	}
	for _, tt := range tests {
		got, ok := CanonicalJSON([]byte(tt.in))
		if string(got) != tt.want || !ok {
			t.Errorf("%s: %s, %v; want %s", tt.in, got, ok, tt.want)
		}
	}
	for _, bad := range []string{"", " ", "{", `{"a":1`, `{"a":01}`, `[1,]`, `{"a":1}{}`, "tru", `{"a":1}]`, "\ufeff{}", `{'a':1}`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat("[", 5<<20)} {
		if _, ok := CanonicalJSON([]byte(bad)); ok {
			t.Errorf("%.20q is no JSON, or nested too deeply", bad)
		}
	}
}

// value draws a JSON value as it may be written: keys in any order, some twice, white space anywhere.
func value(depth int) *rapid.Generator[string] {
	scalars := rapid.SampledFrom([]string{`1`, `-0.5e7`, `"a"`, `""`, `"\""`, `"\\"`, `true`, `null`, `"]},:"`, `10000000000000000000001`})
	if depth == 0 {
		return scalars
	}
	space := rapid.SampledFrom([]string{"", "", "", " ", "\n\t", "\r\n"})
	list := func(t *rapid.T, open, end string, item func() string) string {
		items := make([]string, rapid.IntRange(0, 4).Draw(t, "length"))
		for i := range items {
			items[i] = space.Draw(t, "space") + item() + space.Draw(t, "space")
		}
		return open + space.Draw(t, "space") + strings.Join(items, ",") + end
	}
	return rapid.Custom(func(t *rapid.T) string {
		inner := value(depth - 1)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			return list(t, "[", "]", func() string { return inner.Draw(t, "element") })
		case 1:
			return list(t, "{", "}", func() string {
				key := rapid.SampledFrom([]string{`"a"`, `"b"`, `"c"`, `""`, `"\""`, `"\u0061"`}).Draw(t, "key")
				return key + space.Draw(t, "space") + ":" + space.Draw(t, "space") + inner.Draw(t, "member")
			})
		default:
			return scalars.Draw(t, "scalar")
		}
	})
}

func TestCanonicalJSONMeansTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := []byte(value(4).Draw(t, "body"))
		checkCanonical(t, body)
	})
}

// checkCanonical holds the canonical form of a body to what it promises. The values that encoding/json reads are equal
// (it takes the last of two equal keys: their order counts), the bytes are the same but for white space and order, and
// it is its own canonical form.
func checkCanonical(t interface{ Fatalf(string, ...any) }, body []byte) {
	got, ok := CanonicalJSON(body)
	if !ok {
		t.Fatalf("%q is not read as JSON", body)
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, got); err != nil || !bytes.Equal(compact.Bytes(), got) {
		t.Fatalf("%q became %q, which is not compact JSON: %v", body, got, err)
	}
	// encoding/json reads all that is no UTF-8 as one character, and so takes different keys for one.
	if want := decode(body); utf8.Valid(body) && !reflect.DeepEqual(decode(got), want) {
		t.Fatalf("%q became %q, which means something else", body, got)
	}
	compact.Reset()
	if json.Compact(&compact, body) == nil && histogram(compact.Bytes()) != histogram(got) {
		t.Fatalf("%q became %q, which has other bytes", body, got)
	}
	if again, ok := CanonicalJSON(got); !ok || !bytes.Equal(again, got) {
		t.Fatalf("%q became %q and then %q", body, got, again)
	}
}

func decode(body []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return err
	}
	return v
}

func histogram(b []byte) (counts [256]int) {
	for _, c := range b {
		counts[c]++
	}
	return counts
}

// These bodies take minutes where an object is copied at every level, or read at every level. The time allowed is far
// above what any machine needs for a linear reading, the race detector's cost included.
func TestCanonicalJSONIsLinear(t *testing.T) {
	const depth = 9_990
	big := `"` + strings.Repeat("x", 4<<20) + `"`
	nest := func(open, inner, end string) string {
		return strings.Repeat(open, depth) + inner + strings.Repeat(end, depth)
	}
	tests := map[string]string{
		"deep arrays":               nest("[", big, "]"),
		"deep objects":              nest(`{"a":`, big, "}"),
		"deep objects to be sorted": nest(`{"b":`, big, `,"a":1}`),
		"deep objects in arrays":    strings.Repeat(`[{"b":`, depth/2) + big + strings.Repeat(`,"a":1}]`, depth/2),
		"many members in reverse":   members(300_000),
		"many equal keys":           `{` + strings.Repeat(`"a":1,`, 1<<18) + `"a":1}`,
		"many elements":             `[` + strings.Repeat(`{"b":1,"a":2},`, 1<<17) + `0]`,
		"much white space":          `{` + strings.Repeat(" ", 4<<20) + `"a"` + strings.Repeat("\n", 1<<20) + `:1}`,
		"nothing but backslashes":   `"` + strings.Repeat(`\\`, 2<<20) + `"`,
	}
	for name, body := range tests {
		t.Run(name, func(t *testing.T) {
			start := time.Now()
			if _, ok := CanonicalJSON([]byte(body)); !ok {
				t.Error("not read as JSON")
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("%d bytes took %v", len(body), took)
			}
		})
	}
}

// members returns an object of n members whose keys fall.
func members(n int) string {
	b := []byte{'{'}
	for ; n > 0; n-- {
		b = append(b, '"')
		b = append(b, []byte{'a' + byte(n/26/26/26/26%26), 'a' + byte(n/26/26/26%26), 'a' + byte(n/26/26%26), 'a' + byte(n/26%26), 'a' + byte(n%26)}...)
		b = append(b, `":1,`...)
	}
	b[len(b)-1] = '}'
	return string(b)
}

func FuzzCanonicalJSON(f *testing.F) {
	f.Add([]byte(`{"b": [1, 2.50, {"d": "\"", "c": null}], "a": {}, "b": 1e400}`))
	f.Add([]byte(" [ true,false , \"\\u00e9\xff\" ] "))
	f.Add([]byte(`{"a":{"b":{"c":{}}}}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, ok := CanonicalJSON(body); ok != json.Valid(body) {
			t.Fatalf("%q is read as JSON: %v", body, ok)
		} else if ok {
			checkCanonical(t, body)
		}
	})
}

func TestFixBoundary(t *testing.T) {
	tests := []struct{ body, want string }{
		{"--XyZ\r\nA: b\r\n\r\nc\r\n--XyZ--\r\n", "--boundary\r\nA: b\r\n\r\nc\r\n--boundary--\r\n"},
		{"preamble\r\n--XyZ\r\n\r\nXyZ --XyZ\r\n--XyZ--", "preamble\r\n--boundary\r\n\r\nXyZ --XyZ\r\n--boundary--"},
		{"--XyZ", "--boundary"},
		{"-XyZ XyZ", "-XyZ XyZ"},
		{"", ""},
	}
	for _, tt := range tests {
		if got := fixBoundary([]byte(tt.body), "XyZ"); string(got) != tt.want {
			t.Errorf("%q: %q, want %q", tt.body, got, tt.want)
		}
	}
}

func BenchmarkCanonicalJSON(b *testing.B) {
	body := []byte(`{"orders":[` + strings.Repeat(`{"id":17,"state":"open","total":12.50,"items":[{"sku":"A-1","n":2},{"sku":"B-2","n":1}],`+
		`"customer":{"name":"Ada","email":"ada@example.com"}},`, 8) + `null],"next":null}`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		CanonicalJSON(body)
	}
}
