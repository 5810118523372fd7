package jsontree_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/internal/jsontree"
)

const text = ` {"a": [1, -2.50e3 , "x\u00e9"], "a" :{ }, "b\n":null,"c":true} `

func TestParseKeepsWhatStandsWhere(t *testing.T) {
	n, err := jsontree.Parse(text, jsontree.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	var list func(prefix string, n *jsontree.Node)
	list = func(prefix string, n *jsontree.Node) {
		if text[n.Start:n.End] != n.Raw {
			t.Errorf("%s is %q, and %q stands at its place", prefix, n.Raw, text[n.Start:n.End])
		}
		if len(n.Children) == 0 {
			lines = append(lines, fmt.Sprintf("%s %c %s", prefix, n.Kind, n.Text()))
		}
		for i := range n.Children {
			name := fmt.Sprint(i)
			if n.Kind == jsontree.Object {
				if k := n.Keys[i]; text[k.Start:k.End] != k.Raw || n.Begin(i) != k.Start {
					t.Errorf("key %q does not stand at its place", k.Raw)
				}
				name = n.Keys[i].Text
			}
			list(prefix+"/"+name, &n.Children[i])
		}
	}
	list("", n)
	want := "/a/0 0 1\n/a/1 0 -2.50e3\n/a/2 \" xé\n/a { { }\n/b\n n null\n/c t true"
	if got := strings.Join(lines, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a := n.At("a"); a == nil || a.Kind != jsontree.Object {
		t.Errorf("of two members of one key At gives %v, not the last", a)
	}
	if n.At("a", "z") != nil || n.At("c", "z") != nil {
		t.Error("At gives what is not there")
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		src    string
		bounds jsontree.Bounds
		offset int
	}{
		{``, jsontree.Bounds{}, 0},
		{`[1,]`, jsontree.Bounds{}, 3},
		{`[1`, jsontree.Bounds{}, 2},
		{`{"a" 1}`, jsontree.Bounds{}, 5},
		{`1 2`, jsontree.Bounds{}, 2},
		{`[[["[[["]]]`, jsontree.Bounds{Depth: 2}, 2},
		{`[1,2,3]`, jsontree.Bounds{Values: 3}, 5},
	} {
		_, err := jsontree.Parse(test.src, test.bounds)
		var s *jsontree.SyntaxError
		if !errors.As(err, &s) || s.Offset != test.offset {
			t.Errorf("%s: %v, want an error at byte %d", test.src, err, test.offset)
		}
	}
	if _, err := jsontree.Parse(`["[[[["]`, jsontree.Bounds{Depth: 1, Values: 2}); err != nil {
		t.Errorf("within the bounds: %v", err)
	}
}

func TestQuoteAndUnquote(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		token := jsontree.Quote(s)
		if got := jsontree.Unquote(token); !json.Valid([]byte(token)) || got != strings.ToValidUTF8(s, "\ufffd") {
			t.Errorf("%q is quoted as %s, which says %q", s, token, got)
		}
	})
	for s, want := range map[string]bool{"1": true, "-0.5e+3": true, "01": false, "": false, "1x": false, "NaN": false, `"1"`: false} {
		if jsontree.IsNumber(s) != want {
			t.Errorf("IsNumber(%q) is %t", s, !want)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	for _, test := range []struct {
		src         string
		end, offset int // where the value ends, or else where it is wrong
	}{
		{"{\"a\": [1]}\nHTTP 200", 10, -1},
		{" 7\n8", 2, -1},
		{"\"a\"", 3, -1},
		{"{\"a\": 1 HTTP", -1, 8},
		{"[1", -1, 2},
		{"", -1, 0},
		{strings.Repeat("[", 300) + strings.Repeat("]", 300), -1, 200},
	} {
		n, err := jsontree.ParsePrefix(test.src, jsontree.Bounds{})
		var s *jsontree.SyntaxError
		switch {
		case test.end >= 0 && (err != nil || n.End != test.end):
			t.Errorf("%q: %v, want a value up to byte %d", test.src, err, test.end)
		case test.end < 0 && (!errors.As(err, &s) || s.Offset != test.offset):
			t.Errorf("%q: %v, want an error at byte %d", test.src, err, test.offset)
		}
	}
}

func TestSource(t *testing.T) {
	const src = ` "a\n\u00e9\ud83d\ude00\ud83d\"é" `
	n, err := jsontree.Parse(src, jsontree.Bounds{})
	if err != nil {
		t.Fatal(err)
	}
	text, at := n.Source()
	if want := "a\n\u00e9\U0001f600\ufffd\"é"; text != want || len(at) != len(want)+1 {
		t.Fatalf("got %q with %d offsets, want %q", text, len(at), want)
	}
	var got []string
	for i := range text {
		got = append(got, src[at[i]:at[i]+1])
	}
	if got := strings.Join(got, ""); got != `a\\\\\`+"\xc3" || src[at[len(text)]] != '"' {
		t.Errorf("the characters begin with %q, and %q ends them", got, src[at[len(text)]:])
	}
}

func TestEqual(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1,"b":[true,null]}`, ` { "b" : [true, null], "\u0061": 1.0 } `, true},
		{`{"a":1,"a":2}`, `{"a":2}`, true},
		{`{"a":1}`, `{"b":1}`, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false},
		{`[1,2]`, `[2,1]`, false},
		{`[1]`, `[1,1]`, false},
		{`"x"`, `"\u0078"`, true},
		{`true`, `1`, false},
		{`1e2`, `100`, true},
		{`0.1000000000000000055`, `0.1`, false},
		{`1`, ``, false},
		{``, ``, false},
	} {
		if jsontree.Same(test.a, test.b) != test.want || jsontree.Same(test.b, test.a) != test.want {
			t.Errorf("Same(%s, %s) is not %t", test.a, test.b, test.want)
		}
	}
}

// What the tree says is what encoding/json says, and each of its texts stands where it says.
func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add(`{"a":"\ud800","b":[[]]}`)
	f.Fuzz(func(t *testing.T, src string) {
		n, err := jsontree.Parse(src, jsontree.Bounds{})
		if (err == nil) != json.Valid([]byte(src)) && !strings.Contains(fmt.Sprint(err), "deeper") && !strings.Contains(fmt.Sprint(err), "too many") {
			t.Fatalf("err = %v, valid %t", err, json.Valid([]byte(src)))
		}
		if err == nil {
			check(t, src, n)
		}
	})
}

func check(t *testing.T, src string, n *jsontree.Node) {
	var part any
	if src[n.Start:n.End] != n.Raw || json.Unmarshal([]byte(n.Raw), &part) != nil {
		t.Fatalf("%q is no value at its place", n.Raw)
	}
	if n.Kind == jsontree.String {
		said, at := n.Source()
		if len(at) != len(said)+1 || utf8.ValidString(n.Raw) && said != n.Text() || !slices.IsSorted(at) || src[at[len(said)]] != '"' {
			t.Fatalf("%s says %q, with %q at %v", n.Raw, n.Text(), said, at)
		}
	}
	if !jsontree.Equal(n, n) {
		t.Fatalf("%q is not equal to itself", n.Raw)
	}
	if n.Kind == jsontree.Object && len(n.Keys) != len(n.Children) {
		t.Fatalf("%d keys, %d members", len(n.Keys), len(n.Children))
	}
	for i := range n.Children {
		check(t, src, &n.Children[i])
	}
}

// FuzzScalars: the walk visits what encoding/json sees, token by token.
func FuzzScalars(f *testing.F) {
	for _, s := range []string{`{"a":[1,-2.5e+3,"x\"y"],"a":{"b":[]},"":true}`, `[[[]]]`, `"x"`, ` 7 `, `{`, `{"a":1}x`, "\ufeff{}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var got []string
		jsontree.Scalars(src, func(_ []jsontree.Step, start, end int) {
			if !json.Valid(src[start:end]) {
				t.Fatalf("[%d, %d) of %q is no token", start, end, src)
			}
			got = append(got, string(src[start:end]))
			_ = jsontree.Unquote(src[start:end])
		})
		if !json.Valid(src) && got != nil {
			t.Fatalf("%q is no JSON but gave %q", src, got)
		}
		if !json.Valid(src) || len(src) > 4096 {
			return
		}
		dec := json.NewDecoder(bytes.NewReader(src))
		dec.UseNumber()
		want := 0
		for tok, err := dec.Token(); err == nil; tok, err = dec.Token() {
			switch tok.(type) {
			case string, json.Number:
				want++
			}
		}
		if keys := countKeys(src); len(got) != want-keys {
			t.Fatalf("%q: visited %d, want %d", src, len(got), want-keys)
		}
	})
}

// countKeys counts the members of all objects.
func countKeys(src []byte) int {
	n := 0
	dec := json.NewDecoder(bytes.NewReader(src))
	type level struct{ object, key bool }
	var stack []level
	for {
		tok, err := dec.Token()
		if err != nil {
			return n
		}
		top := len(stack) - 1
		if d, ok := tok.(json.Delim); ok && (d == '}' || d == ']') {
			stack = stack[:top]
			continue
		}
		if top >= 0 && stack[top].object {
			if stack[top].key = !stack[top].key; stack[top].key {
				n++
				continue
			}
		}
		if d, ok := tok.(json.Delim); ok {
			stack = append(stack, level{object: d == '{'})
		}
	}
}
