package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestListingText(t *testing.T) {
	var out strings.Builder
	l := NewListing(&out, FormText, Column{Name: "N", Right: true}, Column{Name: "NAME", Max: 9}, Column{Name: "LAST"})
	for _, r := range [][]string{{"1", "short", "a"}, {"10", "a name that is long", "b\x1b[2Jc"}, {"2", "世界", ""}} {
		if err := l.Add(nil, r...); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	want := " N  NAME       LAST\n" + " 1  short      a\n" + "10  a na…long  b\\u001b[2Jc\n" + " 2  世界\n"
	if d := cmp.Diff(want, out.String()); d != "" {
		t.Errorf("listing (-want +got):\n%s", d)
	}
}

// A listing holds no more than its first rows: what is added later is written at once, be it wider or not.
func TestListingStreams(t *testing.T) {
	w := &countingWriter{}
	l := NewListing(w, FormText, Column{Name: "X"})
	for i := range 50 * settleAfter {
		if err := l.Add(nil, fmt.Sprint(i)); err != nil {
			t.Fatal(err)
		}
	}
	if len(l.held) > 0 || w.n < 20_000 {
		t.Errorf("%d rows are held, %d bytes written before the end", len(l.held), w.n)
	}
	w.err = errors.New("disk full")
	if l.Close() == nil {
		t.Error("an error of the writer was lost")
	}
}

type countingWriter struct {
	n   int
	err error
}

func (w *countingWriter) Write(b []byte) (int, error) {
	w.n += len(b)
	return len(b), w.err
}

func TestListingJSON(t *testing.T) {
	for _, test := range []struct {
		form Form
		n    int
		want string
	}{
		{FormJSON, 0, "[]\n"},
		{FormJSON, 1, "[\n{\"n\":0}\n]\n"},
		{FormJSON, 3, "[\n{\"n\":0},\n{\"n\":1},\n{\"n\":2}\n]\n"},
		{FormNDJSON, 0, ""},
		{FormNDJSON, 2, "{\"n\":0}\n{\"n\":1}\n"},
		{FormText, 0, ""},
	} {
		var out strings.Builder
		l := NewListing(&out, test.form, Column{Name: "N"})
		for i := range test.n {
			if err := l.Add(map[string]int{"n": i}); err != nil {
				t.Fatal(err)
			}
		}
		if err := l.Close(); err != nil || out.String() != test.want {
			t.Errorf("%s of %d: %q, %v; want %q", test.form, test.n, out.String(), err, test.want)
		}
	}
}

// Whatever a string holds, its JSON has no character that is not printed, and reads back as the same.
func TestPlainJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := []string{strings.ToValidUTF8(string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")), "?"), rapid.String().Draw(t, "text"),
			string(rapid.SliceOf(rapid.SampledFrom([]rune{0x1b, 0x7f, 0x9b, 0x202e, 0xfeff, 0xe0001, 0x1f600, '"', '\\', '<'})).Draw(t, "runes"))}
		doc, err := plainJSON(in, "  ")
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range string(doc) {
			if r != '\n' && !unicode.IsPrint(r) {
				t.Fatalf("%U is written raw in %q", r, doc)
			}
		}
		var back []string
		if err := json.Unmarshal(doc, &back); err != nil {
			t.Fatalf("%v in %q", err, doc)
		}
		if d := cmp.Diff(in, back); d != "" {
			t.Fatalf("read back (-in +back):\n%s", d)
		}
	})
}

// Every code that docs/map.md lists is said in words.
func TestEvidence(t *testing.T) {
	doc, err := os.ReadFile("../docs/map.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(doc), "| code | says |")
	table, _, _ = strings.Cut(table, "\n\n")
	var codes []string
	for line := range strings.Lines(table) {
		cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		before := ""
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cell, -1) {
			code := m[1]
			if strings.HasPrefix(code, "-") { // `sometimes-null`, `-absent`: the ending alone
				before, _, _ = strings.Cut(before, "-")
				code = before + code
			}
			before = code
			codes = append(codes, code)
		}
	}
	if len(codes) < 30 {
		t.Fatalf("docs/map.md lists %d codes only: %q", len(codes), codes)
	}
	for _, code := range codes {
		switch code {
		case "year", "month", "week", "hour", "minute", "second", "fraction":
			code = "near-clock:" + code // listed without what stands before them
		}
		if Evidence(code) == "" {
			t.Errorf("%s is not said in words", code)
		}
		if strings.Contains(Evidence(code), "%") {
			t.Errorf("%s is said as %q", code, Evidence(code))
		}
	}
}
