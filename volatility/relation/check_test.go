package relation

import (
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

func TestRelationCheck(t *testing.T) {
	of := []exchange.Place{"/body/a", "/body/b"}
	for _, c := range []struct {
		r   Relation
		row string // the value, then the others
		ok  bool
	}{
		{Relation{Is: Equal, Of: of[:1]}, `7 "7"`, true},
		{Relation{Is: Equal, Of: of[:1]}, `7 8`, false},
		{Relation{Is: Sum, Of: of}, `0.3 0.1 0.2`, true},
		{Relation{Is: Sum, Of: of}, `0.4 0.1 0.2`, false},
		{Relation{Is: Difference, Of: of}, `1 3 2`, true},
		{Relation{Is: Difference, Of: of}, `2 3 2`, false},
		{Relation{Is: Product, Of: of}, `6.67 3.333 2`, true},
		{Relation{Is: Product, Of: of}, `7.67 3.333 2`, false},
		{Relation{Is: Offset, Of: of[:1], By: "5"}, `12 7`, true},
		{Relation{Is: Offset, Of: of[:1], By: "5"}, `13 7`, false},
		{Relation{Is: Offset, Of: of[:1], By: "60"}, `"2026-01-01T00:01:00Z" "2026-01-01T00:00:00Z"`, true},
		{Relation{Is: Offset, Of: of[:1], By: "60"}, `"2026-01-01T00:02:00Z" "2026-01-01T00:00:00Z"`, false},
		{Relation{Is: Ratio, Of: of[:1], By: "1.5"}, `3 2`, true},
		{Relation{Is: Ratio, Of: of[:1], By: "1.5"}, `4 2`, false},
		{Relation{Is: AtLeast, Of: of[:1]}, `3 3`, true},
		{Relation{Is: AtLeast, Of: of[:1]}, `2 3`, false},
		{Relation{Is: AtMost, Of: of[:1]}, `2 3`, true},
		{Relation{Is: AtMost, Of: of[:1]}, `4 3`, false},
		{Relation{Is: Contains, Of: of[:1]}, `"order-1234/x" "1234"`, true},
		{Relation{Is: Contains, Of: of[:1]}, `"order-1235/x" "1234"`, false},
		{Relation{Is: Count, Of: of[:1]}, `3 1 {} "x"`, true},
		{Relation{Is: Count, Of: of[:1]}, `2 1 {} "x"`, false},
		{Relation{Is: Total, Of: of[:1]}, `6 1 2 3`, true},
		{Relation{Is: Total, Of: of[:1]}, `7 1 2 3`, false},
		{Relation{Is: Total, Of: of}, `14 1 2 3 1 2 3`, true},
		{Relation{Is: Total, Of: of}, `13 1 2 3 1 2 3`, false},
		{Relation{Is: Sum, Of: of}, `null 1 2`, true},
		{Relation{Is: Sum, Of: of}, `1 null 2`, true},
	} {
		row := strings.Fields(c.row)
		if err := c.r.Check(row[0], row[1:]...); (err == nil) != c.ok {
			t.Errorf("%s of %s: %v", c.r.Is, c.row, err)
		}
	}
}

// TestFixed: numbers are computed with as they are written.
func TestFixed(t *testing.T) {
	for raw, want := range map[string]string{
		"0": "0", "-0": "0", "1.50": "1.5", "-0.05": "-0.05", "100": "100", "1e3": "1000", "1.5E2": "150", "0.30000000000000004": "0.3",
		"123456789012345678": "123456789012345678", "1234567890123456789": "", "1e300": "", "0.0000000000000001": "0.0000000000000001",
		"-12345.000000000001": "-12345",
	} {
		d, ok := decimalOf(raw)
		if ok != (want != "") || ok && d.String() != want {
			t.Errorf("%s: %s %t, want %q", raw, d, ok, want)
		}
	}
	for _, c := range []struct {
		d, exact string
		scale    int
		want     bool
	}{
		{"1.23", "1.2349", 2, true}, {"1.23", "1.225", 2, true}, {"1.22", "1.225", 2, true}, {"1.24", "1.2349", 2, false}, {"1.2", "1.24", 1, false}, {"1.2", "1.2", 1, true},
		{"-1.23", "-1.2349", 2, true},
	} {
		d, _ := decimalOf(c.d)
		exact, _ := decimalOf(c.exact)
		if d.rounded(exact, c.scale) != c.want {
			t.Errorf("%s for %s: want %t", c.d, c.exact, c.want)
		}
	}
}

// TestPlainNumbers: a short number is read quickly as it is read otherwise.
func TestPlainNumbers(t *testing.T) {
	for _, raw := range []string{"0", "-0", "7", "42", "-42", "1.5", "-1.50", "0.001", "1000000.99", "99999999999999", "999999999999999", "-9999999999999",
		"123456789012345", "1234567.8901234", "12345678.9012345", "1e3", "1E3", "-1.5e-3", "1234567890123456"} {
		want, okWant := roundedOf(raw)
		if d, ok := decimalOf(raw); d != want || ok != okWant {
			t.Errorf("%s: %+v %v, want %+v %v", raw, d, ok, want, okWant)
		}
		if d, ok := plain(raw); ok && d != want {
			t.Errorf("%s: %+v, want %+v", raw, d, want)
		}
	}
	if _, ok := plain("1234.5"); !ok {
		t.Error("1234.5 is not read quickly")
	}
}

func TestCheckOrder(t *testing.T) {
	for _, tt := range []struct {
		is       Kind
		elements []string
		ok       bool
	}{
		{Ascending, []string{"1", "2", "10"}, true},
		{Ascending, []string{"2", "1"}, false},
		{Descending, []string{"2", "2", "1"}, true},
		{Descending, []string{`"A"`, `"b"`}, false},
		{Ascending, []string{`"2026-01-02T00:00:00+01:00"`, `"2026-01-01T23:30:00Z"`}, true},
		{Ascending, []string{"1", `"x"`}, false},
		{Ascending, nil, true},
	} {
		if err := (Relation{Is: tt.is}).CheckOrder(tt.elements); (err == nil) != tt.ok {
			t.Errorf("%s %v: %v", tt.is, tt.elements, err)
		}
	}
}
