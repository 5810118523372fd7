package recorded

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

const (
	one   = "0b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b"
	two   = "1b8a6a4e-9a3f-4b1e-8d3a-0c5d7f6e1a2b"
	other = "7c1d2e3f-0a1b-4c2d-9e3f-4a5b6c7d8e9f"
)

// compared is a recording of calls, each "POST /path BODY", which are answered with their numbers, and of runs of it, a
// minute later each. They are for one exchange, or else another one where "2: " goes before.
func compared(stay bool, all ...[]string) *Recording {
	var externals []*exchange.External
	causes := map[uint64]uint64{}
	for run, calls := range all {
		for n, call := range calls {
			call, second := strings.CutPrefix(call, "2: ")
			line, body := parts(call)
			x := answered(line, body, fmt.Sprint(n))
			x.Run, x.Start = run, then.Add(time.Duration(run)*time.Minute)
			externals = append(externals, x)
			causes[uint64(len(externals))] = 1
			if second {
				causes[uint64(len(externals))] = 2
			}
		}
	}
	return Read(numbered(externals), AtOnce, Runs{causes, func(int) bool { return stay }})
}

func parts(call string) (line, body string) {
	words := strings.SplitN(call+" ", " ", 3)
	return words[0] + " " + words[1], strings.TrimSpace(words[2])
}

// What differed between runs is not looked at, whatever it looks like; what was equal has to be; of what runs do not tell,
// the looks decide.
func TestCompare(t *testing.T) {
	for _, tt := range []struct {
		what string
		stay bool
		all  [][]string // the recording, and runs
		ask  string
		want string // the number of the answer, "" for none
	}{
		{"a number, without runs", true, [][]string{{`POST /a {"n":1}`}}, `POST /a {"n":3}`, ""},
		{"a number that moved", true, [][]string{{`POST /a {"n":1}`}, {`POST /a {"n":2}`}}, `POST /a {"n":3}`, "0"},
		{"in one run of two", true, [][]string{{`POST /a {"n":1}`}, {`POST /a {"n":1}`}, {`POST /a {"n":2}`}}, `POST /a {"n":3}`, "0"},
		{"in the other of two", true, [][]string{{`POST /a {"n":1}`}, {`POST /a {"n":2}`}, {`POST /a {"n":1}`}}, `POST /a {"n":3}`, "0"},
		{"another value beside it", true, [][]string{{`POST /a {"n":1,"sku":"lamp"}`}, {`POST /a {"n":2,"sku":"lamp"}`}}, `POST /a {"n":3,"sku":"desk"}`, ""},
		{"another member", true, [][]string{{`POST /a {"n":1}`}, {`POST /a {"n":2}`}}, `POST /a {"n":3,"m":1}`, ""},
		{"of the query", true, [][]string{{"GET /a?n=1&b=x"}, {"GET /a?n=2&b=x"}}, "GET /a?n=3&b=x", "0"},
		{"of the path", true, [][]string{{"GET /a/1"}, {"GET /a/2"}}, "GET /a/3", "0"},
		{"an id that stayed", true, [][]string{{"GET /a?of=" + one}, {"GET /a?of=" + one}}, "GET /a?of=" + other, ""},
		{"an id that stayed where the client sent the same", false, [][]string{{"GET /a?of=" + one}, {"GET /a?of=" + one}}, "GET /a?of=" + other, "0"},
		{"each of its own", true, [][]string{{`POST /a {"n":1}`, `POST /b {"n":1}`}, {`POST /a {"n":1}`, `POST /b {"n":2}`}}, `POST /b {"n":3}`, "1"},
		{"each of its own, the other", true, [][]string{{`POST /a {"n":1}`, `POST /b {"n":1}`}, {`POST /a {"n":1}`, `POST /b {"n":2}`}}, `POST /a {"n":3}`, ""},
		{"evidence before looks", false,
			[][]string{{`POST /a {"id":"` + one + `","of":"` + one + `"}`, `2: POST /a {"id":"` + two + `","of":"` + two + `"}`},
				{`POST /a {"id":"` + two + `","of":"` + one + `"}`, `2: POST /a {"id":"` + one + `","of":"` + two + `"}`}},
			`POST /a {"id":"` + other + `","of":"` + two + `"}`, "1"},
		{"the present time, which was the same one", true, [][]string{{"GET /a?on=2026-03-04"}, {"GET /a?on=2026-03-04"}}, "GET /a?on=2026-03-05", "0"},
		{"the same beside a number that moved", true, [][]string{{"GET /a?on=2026-03-04&n=1"}, {"GET /a?on=2026-03-04&n=2"}}, "GET /a?on=2026-03-05&n=3", "0"},
		{"a time that was the present one by chance", true, [][]string{{"GET /a?at=2026-03-04T05:06:07Z"}, {"GET /a?at=2026-03-04T05:06:07Z"}}, "GET /a?at=2026-03-05T05:06:07Z", ""},
		{"two, in another order", true, [][]string{{"GET /a?b=eur", "GET /a?b=usd"}, {"GET /a?b=usd", "GET /a?b=eur"}}, "GET /a?b=gbp", ""},
		{"two that are no longer equal", true, [][]string{{"GET /a?b=eur", "GET /a?b=usd"}, {"GET /a?b=gbp", "GET /a?b=yen"}}, "GET /a?b=chf", ""},
		{"one beside what is equal", true, [][]string{{"GET /a?b=eur", "GET /a?b=usd"}, {"GET /a?b=gbp", "GET /a?b=eur"}}, "GET /a?b=chf", "1"},
		{"another one of the run", true, [][]string{{"GET /a?b=eur"}, {"GET /a?b=gbp", "GET /a?b=usd"}}, "GET /a?b=chf", ""},
	} {
		line, body := parts(tt.ask)
		if _, r, _ := compared(tt.stay, tt.all...).Begin().Answer(asked(line, body)); string(r.Body) != tt.want {
			t.Errorf("%s: it is answered %q, want %q", tt.what, r.Body, tt.want)
		}
	}
}

// Where an answer is changed, what the API asks behind it may be another thing.
func TestCompareChanged(t *testing.T) {
	of := compared(true, []string{"GET /a?of=" + one}, []string{"GET /a?of=" + one})
	if _, _, ok := of.BeginChanged("rates.example.com/b#/id").Answer(asked("GET /a?of="+other, "")); !ok {
		t.Error("it has no answer")
	}
}

// What the API asked for another exchange, or nobody knows for which, tells nothing.
func TestCompareCauses(t *testing.T) {
	for _, causes := range []map[uint64]uint64{nil, {1: 1}, {2: 1}, {1: 1, 2: 2}} {
		was, is := answered(`POST /a`, `{"n":1}`, "0"), answered(`POST /a`, `{"n":2}`, "0")
		is.Run = 1
		of := Read(numbered([]*exchange.External{was, is}), AtOnce, Runs{causes, func(int) bool { return true }})
		if _, _, ok := of.Begin().Answer(asked("POST /a", `{"n":3}`)); ok {
			t.Errorf("%v: it has an answer", causes)
		}
	}
}
