package script

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/flaketap/flaketap/exchange"
)

// lines is a dialect of tests that are lines: GET /path 200.
func lines() Dialect {
	return Dialect{Name: "lines (.lines)", Extensions: []string{".lines"}, Mark: "# ", Read: func(s *Script) (Writer, error) {
		pos := 0
		for i, line := range s.Lines {
			words := strings.Fields(line)
			if len(words) != 3 {
				return Writer{}, &SyntaxError{File: s.File, Line: i + 1, Reason: "want a method, a target and a status"}
			}
			a := &Assertion{At: Span{FirstLine: i + 1, LastLine: i + 1, Start: pos, End: pos + len(strings.TrimRight(line, "\r\n"))}}
			a.Relation, a.Place, a.Value = exchange.Equal, exchange.PlaceStatus, words[2]
			missing := &Assertion{}
			missing.Relation, missing.Place, missing.Value, missing.Call = exchange.Equal, exchange.PlaceStatus, "1", 1
			s.Tests = append(s.Tests, &Test{Name: words[1], Calls: []*Call{{Method: words[0], Target: words[1]}}, Assertions: []*Assertion{a, missing}})
			pos += len(line)
		}
		return Writer{Escape: func(text string) string { return strings.ReplaceAll(text, `\`, "/") }}, nil
	}}
}

// TestRead: a file is read without its byte-order mark, whatever its line ends are; what it expects of statuses stands
// with its calls; a damaged file tells its line.
func TestRead(t *testing.T) {
	for _, eol := range []string{"\n", "\r\n", "\r"} {
		file := "\xef\xbb\xbf" + "GET /a 200" + eol + "PUT /b 204" + eol
		s, err := Read(lines(), "x.lines", []byte(file))
		if err != nil {
			t.Fatal(err)
		}
		if s.BOM+s.Text != file || strings.Join(s.Lines, "") != s.Text || s.Calls() != 2 {
			t.Errorf("%q is read as %q, %d calls", file, s.Text, s.Calls())
		}
		if got := s.Tests[1].Calls[0].ExpectedStatus; got != "204" {
			t.Errorf("the status of the second test is %q", got)
		}
		if a := s.Tests[0].Assertions[1]; a.Relation != "" || a.Place != "" || a.Value != "" {
			t.Errorf("an assertion about no call claims %+v", a.Claim)
		}
	}
	for file, want := range map[string]string{
		"GET /a 200\nGET /b\n":      "read suite: x.lines:2: want a method, a target and a status",
		"GET /a 200\nGET /\xff 1\n": "read suite: x.lines:2: not valid UTF-8",
	} {
		var e *SyntaxError
		if _, err := Read(lines(), "x.lines", []byte(file)); !errors.As(err, &e) || err.Error() != want {
			t.Errorf("%q: %v, want %s", file, err, want)
		}
	}
	if got := (&SyntaxError{File: "x", Reason: "larger"}).Error(); got != "read suite: x: larger" {
		t.Error(got)
	}
}

// TestComments: a comment of flaketap's is known again by the line that it stands on; it ends with that line, and no
// escape in it is one; a span is commented out line by line.
func TestComments(t *testing.T) {
	s, err := Read(lines(), "x.lines", []byte("GET /a 200\nGET /b 200\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.Comment("a\nb\\c\u2028d"), "# flaketap: a b/c d"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Lines[0] = "  " + s.Comment("why") + "\n"
	if !s.Commented(2) || s.Commented(1) {
		t.Error("a comment is not known again, or known where there is none")
	}
	s.Text, s.Lines = "  one\n  two\nthree", []string{"  one\n", "  two\n", "three"}
	got := s.CommentOut(Span{Indent: "  ", FirstLine: 1, LastLine: 2, Start: 2, End: 11})
	if diff := cmp.Diff([]Edit{{Start: 2, End: 2, Text: "# "}, {Start: 6, End: 6, Text: "# "}}, got); diff != "" {
		t.Error(diff)
	}
	for _, end := range []string{"\n", "\r", "\r\n"} { // behind another statement on its line
		other := &Script{Text: "  a; b(" + end + "    c);" + end, dialect: s.dialect}
		other.Lines = SplitLines(other.Text)
		got = other.CommentOut(Span{Indent: "  ", FirstLine: 1, LastLine: 2, Start: 5, End: 13 + len(end)})
		if diff := cmp.Diff([]Edit{{Start: 5, End: 5, Text: "# "}, {Start: 7 + len(end), End: 7 + len(end), Text: "# "}}, got); diff != "" {
			t.Errorf("%q: %s", end, diff)
		}
	}
	if diff := cmp.Diff([]int{0, 6, 12}, LineStarts(s)); diff != "" {
		t.Error(diff)
	}
}

// TestLines: the lines of a text are the text, and each but the last ends with one line end.
func TestLines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"a", "\n", "\r", "\r\n", "é", ""})).Draw(t, "pieces"), "")
		all := SplitLines(text)
		if strings.Join(all, "") != text {
			t.Fatalf("%q is split into %q", text, all)
		}
		for i, line := range all {
			end := LineEnd(line)
			if strings.ContainsAny(strings.TrimSuffix(line, end), "\r\n") || end == "" && i+1 < len(all) || len(end) > 2 || end == "\n\n" || end == "\r\r" || end == "\n\r" {
				t.Fatalf("%q is a line of %q", line, text)
			}
		}
	})
}

// TestJSON: JSON that is wrong tells the line of the file, however it begins lines.
func TestJSON(t *testing.T) {
	n, err := ParseJSON("x.json", `{"a": [1]}`)
	if err != nil || n.At("a") == nil {
		t.Errorf("%v, %v", n, err)
	}
	for text, line := range map[string]int{"{\n\"a\": }": 2, "{\r\n\r\n\"a\": }": 3, "{\r\r\"a\" 1}": 3, "[1,\n2,\n": 3} {
		var e *SyntaxError
		if _, err := ParseJSON("x.json", text); !errors.As(err, &e) || e.Line != line || e.File != "x.json" {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
	}
	const file = "HTTP 200\n{\"a\":\n1} rest"
	if end, err := JSONEnd("x", file, 9); err != nil || file[end:] != " rest" {
		t.Errorf("it ends at %d, %v", end, err)
	}
	var e *SyntaxError
	if _, err := JSONEnd("x", "HTTP 200\n{\"a\":\n}", 9); !errors.As(err, &e) || e.Line != 3 {
		t.Errorf("%v, want line 3", err)
	}
	if _, err := ParseJSON("x", strings.Repeat("[", MaxDepth+2)); !errors.As(err, &e) {
		t.Errorf("too deep: %v", err)
	}
}

// TestTargets: where a request goes is told from a URL without its base; a set-up's target goes on behind the base that
// the suite writes, with what variables of it hold.
func TestTargets(t *testing.T) {
	for url, want := range map[string]string{
		"http://a:1/b?c#d": "/b?c", "/b#d": "/b", "HTTPS://[::1]:8/": "/", "a/b": "a/b", "http://a": "", "\x00/b": "\x00/b",
	} {
		if got := PathOf(url); got != want {
			t.Errorf("%s leads to %q, want %q", url, got, want)
		}
	}
	for _, tt := range []struct{ raw, sent, target, base, rest string }{
		{"http://a:1/items/4", "/items/4", "/items", "http://a:1", "/items"},
		{"{{base}}/4", "/items/4", "/items/5", "{{base}}", "/5"},
		{"{{base}}/4", "/items/4", "/other", "", ""}, // the base holds /items
		{"{{host}}:{{port}}/items?a=/b", "/items?a=/b", "/x", "{{host}}:{{port}}", "/x"},
		{"{{url}}", "/", "/x", "{{url}}", "/x"},
		{"{{url}}", "/api", "/api/x", "{{url}}", "/x"},
		{"/items", "/items", "/x", "", ""},
		{"http://a/b/c/d", "/d", "/x", "", ""}, // less was sent than is written
	} {
		base, rest, ok := TargetBehind(tt.raw, tt.sent, []TextPart{{Text: tt.target}, {Variable: "v"}})
		if ok != (tt.base != "") || base != tt.base || ok && (rest[0].Text != tt.rest || rest[1].Variable != "v") {
			t.Errorf("%s, sent as %s, and %s: %q, %+v, %t", tt.raw, tt.sent, tt.target, base, rest, ok)
		}
	}
	if _, _, ok := TargetBehind("http://a/b", "/b", []TextPart{{Variable: "v"}}); ok {
		t.Error("a target that begins with a variable stands behind a base")
	}
	if _, _, ok := TargetBehind("http://a/b", "/b", nil); ok {
		t.Error("no target stands behind a base")
	}
}

// TestNames: which variables the generator assigns, which requests a set-up sends, which header of a name is meant.
func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"body": true, "headers": true, "res_0": true, "location_x": true, "resource": false, "setup_0": false} {
		if GeneratedName(name) != want {
			t.Errorf("%s is the generator's: %t", name, !want)
		}
	}
	given := &Test{Calls: []*Call{{Var: "setup_0"}, {Var: "res_0"}}}
	taking := &Test{Extractions: []Extraction{{Name: "setup_id"}}}
	if !given.HasSetUp() || !taking.HasSetUp() || (&Test{Calls: []*Call{{Var: "res_0"}}}).HasSetUp() {
		t.Error("a set-up is not told")
	}
	c := &Call{Headers: []Header{{Name: "X-A", Value: "1"}, {Name: "B", Value: "2"}, {Name: "x-a", Value: "3"}}}
	for n, want := range []string{"1", "3", ""} {
		if h, ok := c.Header("x-A", n); h.Value != want || ok != (want != "") {
			t.Errorf("header %d is %+v, %t", n, h, ok)
		}
	}
	if !HasVariable([]TextPart{{Text: "a"}, {Text: "{{b}}"}}) || HasVariable([]TextPart{{Text: "{b}"}, {Variable: "c"}}) {
		t.Error("a text that would be taken for a variable is not told")
	}
}

// A URL that goes on behind its host with what an answer gave has any path; what is not known of its host is no path.
func TestPathAnswered(t *testing.T) {
	for url, want := range map[string]string{
		Unknown + Unknown:                          "/" + Unknown,
		Unknown + Unknown + "/pay#top":             "/" + Unknown + "/pay",
		"http://127.0.0.1:80" + Unknown + "/pay":   "/" + Unknown + "/pay",
		Unknown + "/orders/" + Unknown:             "/orders/" + Unknown,
		"http://127.0.0.1:80/orders/" + Unknown:    "/orders/" + Unknown,
		"http://127.0.0.1:" + Unknown + "/pay":     "/pay",
		"http://shop" + Unknown + "/pay":           "/pay",
		"http://" + Unknown + "/orders/" + Unknown: "/orders/" + Unknown,
		Unknown:  "",
		"orders": "orders",
		"/orders?next=http://127.0.0.1:1" + Unknown + "/a": "/orders?next=http://127.0.0.1:1" + Unknown + "/a",
	} {
		if got := PathAnswered(url); got != want {
			t.Errorf("%q is %q, want %q", url, got, want)
		}
	}
}

// The path of a URL is what follows where the API is, whether that is written out or not; what only names another URL is
// part of it.
func TestPathWritten(t *testing.T) {
	for url, want := range map[string]string{
		"/a/b?c=1#d": "/a/b?c=1", "http://h:1/a": "/a", "http://h": "/", "http://h?c=1": "/?c=1", "\x00/a": "/a", "\x00": "",
		"\x00://h/a": "/a", "http://\x00/a/\x00": "/a/\x00", "/login?next=http://h/a": "/login?next=http://h/a", "a": "a", "://a": "://a",
	} {
		if got := PathWritten(url); got != want {
			t.Errorf("%q has the path %q, want %q", url, got, want)
		}
	}
}

// Of two texts is known what both have.
func TestEither(t *testing.T) {
	for _, tt := range [][3]string{{"", "", ""}, {"/a", "/a", "/a"}, {"/a", "/b", "/\x00"}, {"/a/x", "/b/x", "/\x00/x"},
		{"/aa", "/a", "/a\x00"}, {"/é", "/è", "/\x00"}, {"/a/a", "/a", "/a\x00"}, {"\x00", "/a", "\x00"}, {"\x00/a", "/b/a", "\x00/a"}} {
		if got := Either(tt[0], tt[1]); got != tt[2] {
			t.Errorf("%q or %q is %q, want %q", tt[0], tt[1], got, tt[2])
		}
	}
}

func TestQueryWritten(t *testing.T) {
	if got, want := QueryWritten("a b\x00&"), "a+b\x00%26"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestClientMethod(t *testing.T) {
	for name, want := range map[string]string{"get": "GET", "delete": "DELETE", "request": "", "GET": "none", "trace": "none"} {
		method, sends := ClientMethod(name)
		if !sends {
			method = "none"
		}
		if method != want {
			t.Errorf("%s is named after %q, want %q", name, method, want)
		}
	}
}

func TestRepeats(t *testing.T) {
	for _, many := range []bool{false, true} {
		s := Script{Tests: []*Test{{Calls: []*Call{{}}}, {Calls: []*Call{{}, {Many: many}}}}}
		if s.Repeats() != many {
			t.Errorf("a call that stands for many: %v", many)
		}
	}
}
