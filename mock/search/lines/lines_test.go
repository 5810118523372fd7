package lines

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/mock/search/kind"
)

// A line tells what it compares something with, of which type that is, and of which statuses it speaks.
func TestLine(t *testing.T) {
	for line, want := range map[string]struct {
		texts    []string
		kind     kind.Kind
		statuses []int
	}{
		`if (state.equals("LOST")) {`:                                   {texts: []string{"LOST"}},
		`case 'paid in full': return str(v["a"])`:                       {texts: []string{"paid in full"}, kind: kind.String},
		`total = float(d["total"]) if str(d["x"]) else 0`:               {},
		`if r.StatusCode == http.StatusConflict || r.StatusCode == 423`: {statuses: []int{409, 423}},
	} {
		if diff := cmp.Diff(want.texts, Texts(line)); diff != "" {
			t.Errorf("%s: texts %s", line, diff)
		}
		if k := Kind([]byte(line)); k != want.kind {
			t.Errorf("%s: it is of %v", line, k)
		}
		if diff := cmp.Diff(want.statuses, Statuses(line)); diff != "" {
			t.Errorf("%s: statuses %s", line, diff)
		}
	}
	if !NamesStatus("StatusConflict") || !NamesStatus("NOT_FOUND") || NamesStatus("Conflicted") {
		t.Error("names of statuses are not known")
	}
}

// Headers that a line looks up are told with the name that holds them, and what they are compared with: a number with
// those beside it, but for a status.
func TestLookups(t *testing.T) {
	for line, want := range map[string][]Lookup{
		`left = r.headers.get("X-Left")`:                    {{Header: "X-Left", Name: "left"}},
		`if (res.headers['x-left'] === '0') {`:              {{Header: "x-left", Compared: []string{"0"}}},
		`if n, _ := resp.Header.Get("X-Left"); n < 5 {`:     {{Header: "X-Left", Name: "_", Compared: []string{"5", "4", "6"}}},
		`if int(r.headers.get("X-Left")) < 100:`:            {{Header: "X-Left", Compared: []string{"100", "99", "101"}}},
		`if headers.get("X-Code") == 409:`:                  {{Header: "X-Code"}},
		`if request.headers.get("X-Left") == "0":`:          nil,
		`res.setHeader("X-Left", "0")`:                      nil,
		`if r.headers.get("Retry-After") == "0": read("a")`: nil,
	} {
		if diff := cmp.Diff(want, Lookups(line)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

// In a line of many statements, as of a bundle, a header is held by the name that stands next before it.
func TestLookupsInLongLines(t *testing.T) {
	line := strings.Repeat("a=1;", 300) + `left=r.headers.get("X-Left");` + strings.Repeat("b=2;", 300)
	if diff := cmp.Diff([]Lookup{{Header: "X-Left", Name: "left"}}, Lookups(line)); diff != "" {
		t.Error(diff)
	}
}

// Members of members are told as they are read one after the other, as a list, and as a path.
func TestChains(t *testing.T) {
	for line, want := range map[string][][]string{
		`amount = body["price"]["amount"]`: {{"price", "amount"}},
		`dig("price", "amount")`:           {{"price", "amount"}},
		`at("/price/amount")`:              {{"price", "amount"}},
		`quote.items[0].price.toFixed(2)`:  {{"items", "0", "price"}},
		`x = read("price")`:                nil,
	} {
		if diff := cmp.Diff(want, Chains([]byte(line))); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
}

// Lines are hostile: what is told of one is part of it, but for numbers beside those that it has.
func FuzzLine(f *testing.F) {
	f.Add(`left = r.headers.get("X-Left") == 5`)
	f.Add(`if resp.Header.Get("a"); "b" in self.headers: headers["c"] = x.price[0].amount(`)
	f.Fuzz(func(t *testing.T, line string) {
		for _, l := range Lookups(line) {
			if !strings.Contains(line, l.Header) || !strings.Contains(line, l.Name) {
				t.Errorf("%q looks up %+v", line, l)
			}
		}
		for _, path := range Chains([]byte(line)) {
			for _, name := range path {
				if !strings.Contains(line, name) {
					t.Errorf("%q names %q", line, path)
				}
			}
		}
		for _, text := range Texts(line) {
			if !strings.Contains(line, text) {
				t.Errorf("%q is compared with %q", line, text)
			}
		}
		Kind([]byte(line))
		Statuses(line)
	})
}

// A line tells names that it declares, what they are called in the source, what they are compared with, and its numbers.
func TestNames(t *testing.T) {
	for line, want := range map[string][]Name{
		"\tTotal float64 `json:\"total_due\"`":             {{Name: "total_due", Own: "Total"}, {Name: "total_due", Kind: kind.Number}},
		`@JsonProperty("total_due") private String total;`: {{Name: "total_due", Own: "total"}, {Name: "total", Kind: kind.String}},
		`    fee: Optional[int] = None`:                    {{Name: "fee", Kind: kind.Integer}},
		`fee = total`:                                      nil,
	} {
		if diff := cmp.Diff(want, append(Renamed([]byte(line)), Declared([]byte(line))...)); diff != "" {
			t.Errorf("%s: %s", line, diff)
		}
	}
	if diff := cmp.Diff([]Pair{{"total", "", 30.5}, {"state", "LOST", 0}}, Pairs(`if d["total"] > 30.5 || "x" == state || state.equals("LOST")`)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]float64{3, 0.5}, Numbers([]byte(`a1 = b[3] * 0.5 + x2`))); diff != "" {
		t.Error(diff)
	}
}
