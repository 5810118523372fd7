package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestShow(t *testing.T) {
	for _, tt := range []struct {
		in    string
		limit int
		want  string
	}{
		{"", 5, ""},
		{"plain", 5, "plain"},
		{"plainer", 5, "plai…"},
		{"a\nb\r\tc", 20, `a\nb\r\tc`},
		{"\x1b[1m", 20, `\u001b[1m`},
		{"\u202eabc", 20, `\u202eabc`},
		{"\U000e0041", 20, `\u{e0041}`},
		{"a\xffb", 20, `a\xffb`},
		{"漢字漢字", 5, "漢字…"},
		{"ab\x1bcd", 6, "ab…"}, // an escape is never cut in two
		{"שלום", 10, "שלום"},
		{"no\u00a0break", 20, `no\u00a0break`},
	} {
		if got := show(tt.in, tt.limit); got != tt.want {
			t.Errorf("show(%q, %d) = %q, want %q", tt.in, tt.limit, got, tt.want)
		}
	}
	if got, want := showEnds("/body/very/long/way/to/the/price", 16), "/body/v…he/price"; got != want {
		t.Errorf("showEnds = %q, want %q", got, want)
	}
	if got, want := token(json.RawMessage(strings.Repeat("9", 1000)), 20), "9999999… (1000 bytes)"; columns(got) > 21 || got[len(got)-12:] != want[len(want)-12:] {
		t.Errorf("token = %q, want one like %q", got, want)
	}
}

func TestShowIsBounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) })).Draw(t, "s")
		limit := rapid.IntRange(1, 60).Draw(t, "limit")
		for name, f := range map[string]func(string, int) string{"show": show, "showEnds": showEnds} {
			got := f(s, limit)
			if columns(got) > limit {
				t.Fatalf("%s(%q, %d) = %q: %d columns", name, s, limit, got, columns(got))
			}
			if again := f(got, limit); again != got {
				t.Fatalf("%s of what %s gave is %q, not %q", name, name, again, got)
			}
		}
	})
}

func TestPercent(t *testing.T) {
	for share, want := range map[float64]string{
		0: "0 %", 0.0001: "0.1 %", 0.0722: "7.3 %", 0.2589: "26 %", 0.26: "26 %", 0.95: "95 %", 0.999: "100 %", 1: "100 %",
		math.NaN(): "100 %", math.Inf(1): "100 %", -1: "0 %",
	} {
		if got := percent(share); got != want {
			t.Errorf("percent(%v) = %q, want %q", share, got, want)
		}
	}
}

func TestStatements(t *testing.T) {
	three := 3
	for _, tt := range []struct {
		holds mapfile.Holds
		want  string
	}{
		{mapfile.Holds{}, "only that it is there"},
		{mapfile.Holds{Optional: true}, "not always there"},
		{mapfile.Holds{Type: "null|string", Format: "uuid4"}, "null or string (uuid4)"},
		{mapfile.Holds{Type: "string", Echo: "/header/host"}, "string; names the host that was asked"},
		{mapfile.Holds{Format: "hex"}, "written as hex"},
		{mapfile.Holds{Type: "integer", Min: "0", Max: "9"}, "integer; 0 to 9"},
		{mapfile.Holds{Type: "null|number", Min: "-1"}, "null or number; at least -1"},
		{mapfile.Holds{Type: "string", MaxLength: &three}, "string; length at most 3"},
		{mapfile.Holds{Type: "array", Order: "any", MinLength: &three, MaxLength: &three}, "array; the recorded elements in any order; length 3"},
		{mapfile.Holds{Type: "string", Equal: json.RawMessage(`"a"`)}, `equals "a"`},
		{mapfile.Holds{OneOf: raws("200", "404")}, "one of 200, 404"},
		{mapfile.Holds{Type: "integer", Clock: 2}, "integer; within 2 s of the answer"},
		{mapfile.Holds{Bound: "POST /orders /body/id", Echo: "/path/1"}, "given earlier by POST /orders /body/id; repeats the request's /path/1"},
	} {
		if diff := cmp.Diff(tt.want, strings.Join(statements(&tt.holds, 60), "; ")); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

func TestAddressHidesCredentials(t *testing.T) {
	for in, want := range map[string]string{
		"":                              "",
		"http://127.0.0.1:8080":         "http://127.0.0.1:8080",
		"https://u:p@api.test/v1?k=s#f": "https://api.test/v1",
		"http://u:p@[::1":               "not readable",
		"u:p@host":                      "not readable",
	} {
		if got := address(in, 80); got != want {
			t.Errorf("address(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTook(t *testing.T) {
	from := at("2026-01-29 12:00:00")
	for d, want := range map[time.Duration]string{1234567 * time.Microsecond: "1.23s", 83*time.Second + 400*time.Millisecond: "1m23s"} {
		if got := took(from, from.Add(d)); got != want {
			t.Errorf("took(%v) = %q, want %q", d, got, want)
		}
	}
	if got := took(from, time.Time{}); got != "cut off" {
		t.Errorf("took without an end = %q", got)
	}
}
