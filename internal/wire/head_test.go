package wire

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestParseHead(t *testing.T) {
	tests := []struct {
		name, raw string
		line      string
		fields    Fields
		err       string // a part of the error; "" for none
	}{
		{"empty", "", "", nil, ""},
		{"line alone", "GET / HTTP/1.1", "GET / HTTP/1.1", nil, ""},
		{"no fields", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1", nil, ""},
		{"case, order and duplicates are kept", "A B\r\nx-B: 1\r\nX-A: 2\r\nX-b: 3\r\n\r\n", "A B",
			Fields{{"x-B", "1"}, {"X-A", "2"}, {"X-b", "3"}}, ""},
		{"LF alone", "A B\nx: 1\ny: 2\n\n", "A B", Fields{{"x", "1"}, {"y", "2"}}, ""},
		{"blank lines before", "\r\n\n\r\nA B\r\nx: 1\r\n\r\n", "A B", Fields{{"x", "1"}}, ""},
		{"what follows is left alone", "A B\r\nx: 1\r\n\r\ny: 2\r\n\r\n", "A B", Fields{{"x", "1"}}, ""},
		{"white space around a value", "A B\r\nx: \t 1 2 \t\r\n\r\n", "A B", Fields{{"x", "1 2"}}, ""},
		{"a value without white space", "A B\r\nx:1\r\n\r\n", "A B", Fields{{"x", "1"}}, ""},
		{"an empty value", "A B\r\nx:\r\ny: \r\n\r\n", "A B", Fields{{"x", ""}, {"y", ""}}, ""},
		{"colons in a value", "A B\r\nx: a:b::c\r\n\r\n", "A B", Fields{{"x", "a:b::c"}}, ""},
		{"other white space belongs to the value", "A B\r\nx: \v1\u00a0\r\n\r\n", "A B", Fields{{"x", "\v1\u00a0"}}, ""},
		{"bytes that are no text", "A B\r\nx: \xff\xfe\x01\r\n\r\n", "A B", Fields{{"x", "\xff\xfe\x01"}}, ""},
		{"folds", "A B\r\nx: 1\r\n 2\r\n\t\t3 \r\ny: 4\r\n\r\n", "A B", Fields{{"x", "1 2 3"}, {"y", "4"}}, ""},
		{"a fold with nothing before it", "A B\r\nx:\r\n 1\r\n\r\n", "A B", Fields{{"x", "1"}}, ""},
		{"a fold with nothing in it", "A B\r\nx: 1\r\n \r\ny: 2\r\n\r\n", "A B", Fields{{"x", "1"}, {"y", "2"}}, ""},
		{"cut off in a field", "A B\r\nx: 1\r\ny: 2", "A B", Fields{{"x", "1"}, {"y", "2"}}, ""},

		{"white space before the first field", "A B\r\n x: 1\r\ny: 2\r\n\r\n", "A B", Fields{{"y", "2"}}, "begins with white space"},
		{"no colon", "A B\r\nnonsense\r\n folded\r\ny: 2\r\n\r\n", "A B", Fields{{"y", "2"}}, `without a colon: "nonsense"`},
		{"white space before the colon", "A B\r\nx : 1\r\n\r\n", "A B", Fields{{"x ", "1"}}, `no token: "x "`},
		{"no name", "A B\r\n: 1\r\n\r\n", "A B", Fields{{"", "1"}}, `no token: ""`},
		{"a name that is no token", "A B\r\nx\x00é(: 1\r\n\r\n", "A B", Fields{{"x\x00é(", "1"}}, "no token"},
		{"a bare CR in a value", "A B\r\nx: 1\r2\r\n\r\n", "A B", Fields{{"x", "1\r2"}}, "bare CR"},
		{"a bare CR in a fold", "A B\r\nx: 1\r\n 2\r3\r\n\r\n", "A B", Fields{{"x", "1 2\r3"}}, "bare CR"},
		{"two CRs at the end", "A B\r\nx: 1\r\r\n\r\n", "A B", Fields{{"x", "1\r"}}, "bare CR"},
		{"a NUL in a value", "A B\r\nx: \x00\r\n\r\n", "A B", Fields{{"x", "\x00"}}, "NUL"},
		{"a bare CR in the start line", "A\rB\r\nx: 1\r\n\r\n", "A\rB", Fields{{"x", "1"}}, "start line"},
		{"the first fault is told", "A B\r\nnonsense\r\n: 1\r\n\r\n", "A B", Fields{{"", "1"}}, "without a colon"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ParseHead([]byte(tt.raw))
			if h.Line != tt.line {
				t.Errorf("line %q, want %q", h.Line, tt.line)
			}
			if diff := cmp.Diff(tt.fields, h.Fields); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
			checkError(t, h.Err, tt.err)
		})
	}
}

// checkError checks that err holds the text, or is nil where the text is empty.
func checkError(t *testing.T, err error, text string) {
	t.Helper()
	switch {
	case text == "" && err != nil:
		t.Errorf("error %v, want none", err)
	case text != "" && (err == nil || !strings.Contains(err.Error(), text)):
		t.Errorf("error %v, want one with %q", err, text)
	}
}

// What is written as a head is read back as it was.
func TestParseHeadReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching("[A-Za-z0-9!#$%&'*+.^_`|~-]{1,12}")
		value := rapid.StringMatching(`([!-~\x{80}-\x{2ff}]([ \t!-~]{0,20}[!-~])?)?`)
		fields := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Field {
			return Field{name.Draw(t, "name"), value.Draw(t, "value")}
		}), 1, 8).Draw(t, "fields")
		eol := rapid.SampledFrom([]string{"\r\n", "\n"}).Draw(t, "end of line")
		raw := "GET / HTTP/1.1" + eol
		for _, f := range fields {
			raw += f.Name + ":" + rapid.SampledFrom([]string{"", " ", "\t", " " + eol + " "}).Draw(t, "space") + f.Value + eol
		}
		raw += eol
		h := ParseHead([]byte(raw))
		if diff := cmp.Diff(Fields(fields), h.Fields); diff != "" || h.Err != nil {
			t.Fatalf("%q: error %v, fields (-want +got):\n%s", raw, h.Err, diff)
		}
	})
}

func TestFields(t *testing.T) {
	fields := Fields{{"Accept", "a"}, {"X-List ", "one, Two"}, {"accept", "b"}, {"x-list", ",three,,"}, {"Empty", ""}}
	if got := fields.Get("ACCEPT"); got != "a" {
		t.Errorf("Get is %q, want the first value", got)
	}
	if got := fields.Get("Accep"); got != "" {
		t.Errorf("Get of a missing name is %q", got)
	}
	if diff := cmp.Diff([]string{"a", "b"}, fields.Values("aCCept")); diff != "" {
		t.Errorf("Values (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"one, Two", ",three,,"}, fields.Values("X-List")); diff != "" {
		t.Errorf("Values, a name with white space among them (-want +got):\n%s", diff)
	}
	if fields.Values("none") != nil {
		t.Error("Values of a missing name are not nil")
	}
	for name, want := range map[string]bool{"empty": true, "Accept": true, "Accepts": false, "": false} {
		if fields.Has(name) != want {
			t.Errorf("Has(%q) is %v", name, !want)
		}
	}
	for token, want := range map[string]bool{"one": true, "two": true, "THREE": true, "": true, "on": false, "one, Two": false} {
		if fields.HasToken("X-List", token) != want {
			t.Errorf("HasToken(%q) is %v", token, !want)
		}
	}
}

func TestRequestLine(t *testing.T) {
	tests := []struct {
		line, method, target, proto string
		ok                          bool
	}{
		{"GET / HTTP/1.1", "GET", "/", "HTTP/1.1", true},
		{"get /a?b=c HTTP/1.0", "get", "/a?b=c", "HTTP/1.0", true},
		{"GET /a b  c HTTP/1.1", "GET", "/a b  c", "HTTP/1.1", true},
		{"GET http://h/x HTTP/1.1", "GET", "http://h/x", "HTTP/1.1", true},
		{"CONNECT h:443 HTTP/1.1", "CONNECT", "h:443", "HTTP/1.1", true},
		{"OPTIONS * HTTP/1.1", "OPTIONS", "*", "HTTP/1.1", true},
		{"GET / HTTP/9.9", "GET", "/", "HTTP/9.9", true},
		{"GET /\xff HTTP/1.1", "GET", "/\xff", "HTTP/1.1", true},
		{"GET /x HTTP/1.1 HTTP/1.1", "GET", "/x HTTP/1.1", "HTTP/1.1", true},
		{"", "", "", "", false},
		{"GET", "GET", "", "", false},
		{"GET /", "GET", "/", "", false},
		{"GET / ", "GET", "/ ", "", false},
		{"GET / HTTP/1.1 ", "GET", "/ HTTP/1.1 ", "", false},
		{"GET  HTTP/1.1", "GET", "", "HTTP/1.1", false},
		{"GET HTTP/1.1", "GET", "HTTP/1.1", "", false},
		{" / HTTP/1.1", "", "/", "HTTP/1.1", false},
		{"GET / http/1.1", "GET", "/ http/1.1", "", false},
		{"GET\t/\tHTTP/1.1", "GET\t/\tHTTP/1.1", "", "", false},
	}
	for _, tt := range tests {
		method, target, proto, ok := RequestLine(tt.line)
		if method != tt.method || target != tt.target || proto != tt.proto || ok != tt.ok {
			t.Errorf("RequestLine(%q) is %q, %q, %q, %v", tt.line, method, target, proto, ok)
		}
	}
}

func TestStatusLine(t *testing.T) {
	tests := []struct {
		line, proto string
		status      int
		reason      string
		ok          bool
	}{
		{"HTTP/1.1 200 OK", "HTTP/1.1", 200, "OK", true},
		{"HTTP/1.1 404 Not  Found ", "HTTP/1.1", 404, "Not  Found ", true},
		{"HTTP/1.1 204 ", "HTTP/1.1", 204, "", true},
		{"HTTP/1.1 204", "HTTP/1.1", 204, "", true},
		{"HTTP/1.0 099 Odd", "HTTP/1.0", 99, "Odd", true},
		{"HTTP/9.9 999 \xff", "HTTP/9.9", 999, "\xff", true},
		{"", "", 0, "", false},
		{"HTTP/1.1", "", 0, "", false},
		{"200 OK", "", 0, "", false},
		{"ICY 200 OK", "", 0, "", false},
		{"HTTP/1.1  200 OK", "HTTP/1.1", 0, "200 OK", false},
		{"HTTP/1.1 2000 OK", "HTTP/1.1", 0, "OK", false},
		{"HTTP/1.1 20 OK", "HTTP/1.1", 0, "OK", false},
		{"HTTP/1.1 -20 OK", "HTTP/1.1", 0, "OK", false},
		{"HTTP/1.1 2x0 OK", "HTTP/1.1", 0, "OK", false},
	}
	for _, tt := range tests {
		proto, status, reason, ok := StatusLine(tt.line)
		if ok != tt.ok || proto != tt.proto || reason != tt.reason || ok && status != tt.status {
			t.Errorf("StatusLine(%q) is %q, %d, %q, %v", tt.line, proto, status, reason, ok)
		}
	}
}

func TestHeadEnd(t *testing.T) {
	tests := []struct {
		raw  string
		want int
	}{
		{"", -1},
		{"\r\n", -1},
		{"\r\n\r\n\n", -1},
		{"A", -1},
		{"A\r\n", -1},
		{"A\r\n\r", -1},
		{"A\r\n\r\n", 5},
		{"A\n\n", 3},
		{"A\r\n\n", 4},
		{"A\n\r\n", 4},
		{"A\r\nx: 1\r\n\r\nbody", 11},
		{"\r\n\nA\r\n\r\n\r\n", 8},
		{"A\r\r\n\r\n", 6},
		{"A\r\n\r\r\n", -1},
		{"A\r\n \r\n", -1},
	}
	for _, tt := range tests {
		if got := HeadEnd([]byte(tt.raw)); got != tt.want {
			t.Errorf("HeadEnd(%q) is %d, want %d", tt.raw, got, tt.want)
		}
	}
}

func TestIsToken(t *testing.T) {
	for c := range 256 {
		want := strings.ContainsRune("!#$%&'*+-.^_`|~0123456789", rune(c)) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if got := isToken("x" + string([]byte{byte(c)})); got != want {
			t.Errorf("isToken with byte %#x is %v", c, got)
		}
	}
}

// A head is read in time linear in its size, whatever it is made of: a quadratic reader takes minutes for these.
func TestParseHeadOfAMegabyte(t *testing.T) {
	for name, unit := range map[string]string{
		"folds": " a\n", "empty folds": " \n", "fields": "a:\n", "no fields": "a\n", "blank lines": "\n", "one line": "a",
	} {
		t.Run(name, func(t *testing.T) {
			raw := strings.Repeat(unit, 1<<20/len(unit))
			for _, start := range []string{"", "GET / HTTP/1.1\nx: y\n"} {
				h := ParseHead([]byte(start + raw + "\n\n"))
				if name == "folds" && start != "" && len(h.Fields[0].Value) != len(raw)/len(unit)*2+1 {
					t.Errorf("the folded value has %d bytes", len(h.Fields[0].Value))
				}
			}
		})
	}
}

func FuzzParseHead(f *testing.F) {
	f.Add([]byte("GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\nbody"))
	f.Add([]byte("\r\n\nHTTP/1.1 200\nx : y\n\n"))
	f.Add([]byte("A\r\n :\r\nnonsense\r\n\x00: \r\r\n\r\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		h := ParseHead(raw)
		if end := HeadEnd(raw); end >= 0 {
			if diff := cmp.Diff(h.Fields, ParseHead(raw[:end]).Fields); diff != "" {
				t.Errorf("what follows the head changes it:\n%s", diff)
			}
		}
		if strings.Contains(h.Line, "\n") {
			t.Errorf("line %q has a line end in it", h.Line)
		}
		rebuilt := h.Line + "\r\n"
		for _, field := range h.Fields {
			if strings.Contains(field.Name+field.Value, "\n") {
				t.Errorf("field %q has a line end in it", field)
			}
			rebuilt += fmt.Sprintf("%s:%s\r\n", field.Name, field.Value)
		}
		if h.Err != nil || h.Line == "" {
			return
		}
		again := ParseHead([]byte(rebuilt + "\r\n"))
		if diff := cmp.Diff(h.Fields, again.Fields); diff != "" || again.Line != h.Line || again.Err != nil {
			t.Errorf("%q written again reads %q, error %v, fields (-first +again):\n%s", raw, again.Line, again.Err, diff)
		}
	})
}

func BenchmarkParseHead(b *testing.B) {
	raw := []byte("GET /orders/17?expand=items HTTP/1.1\r\nHost: 127.0.0.1:8080\r\nUser-Agent: client/1.0\r\n" +
		"Accept: application/json\r\nAccept-Encoding: gzip, deflate\r\nConnection: keep-alive\r\nAuthorization: Bearer abc\r\n\r\n")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		ParseHead(raw)
	}
}
