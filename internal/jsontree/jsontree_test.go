package jsontree_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

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
