package outside

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
)

// answered is what a service answered to a request with a body.
func answered(path, sent, answer string) *exchange.External {
	head := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: rates.example.com\r\nContent-Type: application/json\r\n\r\n", path)
	return &exchange.External{Exchange: exchange.Exchange{Scheme: "https", Addr: "rates.example.com:443",
		Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(sent)}),
		Response: exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"), Body: []byte(answer)})}}
}

// said is what a service and the API answered in one execution.
type said struct{ outside, own string }

// followed is what the API's answer, one value, follows over executions, the first of which is the recording.
func followed(all []said, arranged ...int) string {
	var (
		b     Book
		seen  Seen
		moves Moves
	)
	for run, s := range all {
		if s.outside != "" {
			b.Add(1, run, answered("/latest", `{"mine":"7f3a"}`, s.outside), "/latest")
		}
		if run == 0 {
			continue
		}
		pair := b.Pair(1, run)
		seen.Count(pair)
		if s.own != all[0].own && pair != nil {
			isArranged := false
			for _, a := range arranged {
				isArranged = isArranged || a == run
			}
			moves.Count(pair, all[0].own, s.own, Arranged(isArranged))
		}
	}
	return strings.Join(b.Followed(&seen, &moves), " ")
}

func TestFollowed(t *testing.T) {
	usd := func(v ...int) (all []said) { // the value itself
		for _, v := range v {
			all = append(all, said{fmt.Sprintf(`{"usd":%d}`, v), fmt.Sprint(v)})
		}
		return all
	}
	twice := func(v ...int) (all []said) { // computed
		for _, v := range v {
			all = append(all, said{fmt.Sprintf(`{"usd":%d}`, v), fmt.Sprint(2 * v)})
		}
		return all
	}
	const name = "rates.example.com/latest#/usd"
	for _, tt := range []struct {
		what     string
		all      []said
		arranged []int
		want     string
	}{
		{"equal at each change", usd(100, 101, 102), nil, name},
		{"equal once, which may be chance", usd(100, 101), nil, ""},
		{"another value, which always moves as this does", twice(100, 101, 102, 103, 104, 105, 106), nil, ""},
		{"another value, which stays when this does", twice(100, 101, 102, 103, 100, 100, 100), nil, name},
		{"too little to tell", twice(100, 101, 100), nil, ""},
		{"moved on purpose, once", twice(100, 100, 100, 100, 101), []int{4}, name},
		{"moved on purpose, with nothing beside it", twice(100, 101), []int{1}, ""},
		{"the place moves without it", append(usd(100, 101, 102), said{`{"usd":100}`, "103"}), nil, ""},
		{"it moves without the place", append(usd(100, 101, 102), said{`{"usd":104}`, "100"}), nil, ""},
		{"never moves", usd(100, 100, 100), nil, ""},
		{"what the API sent itself", []said{{`{"id":"7f3a"}`, `"7f3a"`}, {`{"id":"8f3a"}`, `"8f3a"`}, {`{"id":"9f3a"}`, `"9f3a"`}}, nil, ""},
		{"a list, of which all count", []said{{`[{"n":1},{"n":2}]`, "1"}, {`[{"n":1},{"n":3}]`, "2"}, {`[{"n":4},{"n":2}]`, "3"}, {`[{"n":1},{"n":2}]`, "1"}, {`[{"n":1},{"n":2}]`, "1"}, {`[{"n":1},{"n":2}]`, "1"}, {`[{"n":1},{"n":2}]`, "1"}, {`[{"n":1},{"n":2}]`, "1"}}, nil, "rates.example.com/latest#/*/n"},
		{"what is not asked any more", append(usd(100, 101, 102), said{`{"eur":1}`, `"none"`}, said{`{"usd":100}`, "100"}), nil, name},
		{"nothing is known of the run", []said{{`{"usd":100}`, "100"}, {"", "101"}, {"", "102"}}, nil, ""},
	} {
		if got := followed(tt.all, tt.arranged...); got != tt.want {
			t.Errorf("%s: it follows %q, want %q", tt.what, got, tt.want)
		}
	}
}

// What fails outside is a value, too.
func TestFollowedStatus(t *testing.T) {
	down := answered("/latest", "", "")
	down.Response = exchange.ParseResponse(exchange.Message{Head: []byte("HTTP/1.1 503 Service Unavailable\r\n\r\n")})
	var (
		b     Book
		seen  Seen
		moves Moves
	)
	for run := range 12 {
		x := answered("/latest", "", `{"usd":100}`)
		if run >= 5 {
			x = down
		}
		b.Add(1, run, x, "/latest")
		if pair := b.Pair(1, run); run > 0 {
			seen.Count(pair)
			if run >= 5 {
				moves.Count(pair, "200", "502", false)
			}
		}
	}
	if got := fmt.Sprint(b.Followed(&seen, &moves)); got != "[rates.example.com/latest#/usd rates.example.com/latest#status]" {
		t.Errorf("it follows %s", got)
	}
}

// What moves by itself is said to follow something seldom, whatever the number of values beside it.
func TestFollowedByChance(t *testing.T) {
	const trials = 500
	for _, fields := range []int{1, 5, 30} {
		wrong, random := 0, rand.New(rand.NewPCG(1, uint64(fields)))
		for range trials {
			n := 4 + random.IntN(16)
			all := make([]said, n)
			often := random.Float64()
			for run := range all {
				var members []string
				for f := range fields {
					v := 100
					if run > 0 && random.Float64() < often {
						v += run
					}
					members = append(members, fmt.Sprintf(`"f%d":%d`, f, v))
				}
				own := 100
				if run > 0 && random.Float64() < often {
					own += 1000 + run
				}
				all[run] = said{"{" + strings.Join(members, ",") + "}", fmt.Sprint(own)}
			}
			if followed(all) != "" {
				wrong++
			}
		}
		if share := float64(wrong) / trials; share > 0.05 {
			t.Errorf("with %d values, %.1f %% of places that move by themselves follow one", fields, 100*share)
		} else {
			t.Logf("with %d values, %.2f %% of places that move by themselves follow one", fields, 100*share)
		}
	}
}
