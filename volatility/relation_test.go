package volatility

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/mapfile"
)

// stated lists the relations of a map, each on one line.
func stated(m *mapfile.Map) []string {
	var out []string
	for _, o := range m.Operations {
		for _, f := range o.Fields {
			for _, r := range f.Holds.Relations {
				line := fmt.Sprintf("%s %s", f.Place, r.Is)
				for _, p := range r.Of {
					line += " " + string(p)
				}
				if r.By != "" {
					line += " by " + r.By.String()
				}
				out = append(out, line)
			}
		}
	}
	return out
}

// TestRelations: what follows from other places of the same answer is found, and nothing beside it.
func TestRelations(t *testing.T) {
	clock := func(at time.Time) string { return at.Format("2006-01-02T15:04:05.000Z07:00") }
	items := func(c call, n int, one func(i int) string) string {
		var out []string
		for i := range n {
			out = append(out, one(i))
		}
		return "[" + strings.Join(out, ",") + "]"
	}
	for name, c := range map[string]struct {
		answer func(c call) answer
		want   []string
	}{
		"equal": {func(c call) answer {
			id := uuid(c)
			return body(`{"id":%q,"self":{"id":%q},"other":%q}`, id, id, uuid(c))
		}, []string{"/body/self/id equal /body/id"}},
		"a number and its text in a header": {func(c call) answer {
			n := c.rng.IntN(100000)
			return answer{head: fmt.Sprintf("X-Amount: %d\r\n", n), body: fmt.Sprintf(`{"n":%d}`, n)}
		}, []string{"/header/x-amount equal /body/n"}},
		"sum of decimals": {func(c call) answer {
			a, b := c.rng.IntN(5000), c.rng.IntN(5000)
			return body(`{"base":%d.%d,"jitter":%d.%d,"total":%d.%d}`, a/10, a%10, b/10, b%10, (a+b)/10, (a+b)%10)
		}, []string{"/body/total sum /body/base /body/jitter"}},
		"sum of doubles": {func(c call) answer {
			a, b := float64(c.rng.IntN(5000))/10, float64(c.rng.IntN(5000))/10
			return body(`{"base":%v,"jitter":%v,"total":%v}`, a, b, a+b)
		}, []string{"/body/total sum /body/base /body/jitter"}},
		"product with money rounded": {func(c call) answer {
			price, rate := c.rng.IntN(10000)+1, c.rng.IntN(900)+100
			exact := price * rate // of 10^5
			cents := (exact + 500) / 1000
			return body(`{"net":%d.%02d,"rate":0.%03d,"tax":%d.%02d}`, price/100, price%100, rate, cents/100, cents%100)
		}, []string{"/body/tax product /body/net /body/rate"}},
		"constant distance of times": {func(c call) answer {
			return body(`{"startsAt":%q,"endsAt":%q}`, clock(c.at.Add(time.Duration(c.rng.IntN(1e9)))), clock(c.at.Add(time.Hour)))
		}, nil},
		"offset of times": {func(c call) answer {
			at := c.at.Add(time.Duration(c.rng.IntN(1e9)))
			return body(`{"startsAt":%q,"endsAt":%q}`, clock(at), clock(at.Add(90*time.Minute)))
		}, []string{"/body/startsAt offset /body/endsAt by -5400"}},
		"ratio": {func(c call) answer {
			n := c.rng.IntN(100000)
			return body(`{"kb":%d,"bytes":%d}`, n, 1024*n)
		}, []string{"/body/bytes ratio /body/kb by 1024"}},
		"order of times": {func(c call) answer {
			at := c.at.Add(-time.Duration(c.rng.IntN(3600)) * time.Second)
			return body(`{"createdAt":%q,"updatedAt":%q}`, clock(at), clock(at.Add(time.Duration(c.rng.IntN(600))*time.Second)))
		}, []string{"/body/updatedAt at-least /body/createdAt"}},
		"count and total": {func(c call) answer {
			sum, n := 0, c.rng.IntN(30)
			list := items(c, n, func(int) string {
				p := c.rng.IntN(10000)
				sum += p
				return fmt.Sprintf(`{"price":%d.%02d}`, p/100, p%100)
			})
			return answer{head: fmt.Sprintf("X-Total-Count: %d\r\n", n), body: fmt.Sprintf(`{"items":%s,"n":%d,"sum":%d.%02d}`, list, n, sum/100, sum%100)}
		}, []string{"/body/n count /body/items", "/body/sum total /body/items/*/price", "/header/x-total-count equal /body/n"}},
		"total of products": {func(c call) answer {
			sum := 0
			list := items(c, 1+c.rng.IntN(9), func(int) string {
				p, q := c.rng.IntN(1000), 1+c.rng.IntN(9)
				sum += p * q
				return fmt.Sprintf(`{"price":%d,"quantity":%d,"total":%d}`, p, q, p*q)
			})
			return body(`{"items":%s,"sum":%d}`, list, sum)
		}, []string{"/body/items/*/total product /body/items/*/price /body/items/*/quantity", "/body/sum total /body/items/*/price /body/items/*/quantity", "/body/sum total /body/items/*/total"}},
		"contains": {func(c call) answer {
			id := 10000 + c.rng.IntN(80000)
			return answer{head: fmt.Sprintf("Location: /orders/%d\r\n", id), body: fmt.Sprintf(`{"id":%d,"n":%d}`, id, c.rng.IntN(1000))}
		}, []string{"/header/location contains /body/id"}},
		"sorted": {func(c call) answer {
			last := 0
			return body(`{"log":%s}`, items(c, 5+c.rng.IntN(5), func(int) string {
				last += c.rng.IntN(50)
				return fmt.Sprintf(`{"n":%d,"v":%d}`, last, c.rng.IntN(50))
			}))
		}, []string{"/body/log ascending /body/log/*/n"}},
		"texts sorted downwards": {func(c call) answer {
			var names []string
			for range 6 {
				names = append(names, fmt.Sprintf("%q", sha(uuid(c))[:8]))
			}
			slices.Sort(names)
			slices.Reverse(names)
			return body(`{"names":[%s]}`, strings.Join(names, ","))
		}, []string{"/body/names descending /body/names/*"}},
		"constants": {func(c call) answer {
			return body(`{"a":1,"b":2,"c":3,"list":[1,2,3],"n":3,"at":%q}`, clock(c.at))
		}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			a := &api{runs: 10, steps: 8, answer: c.answer}
			if got := stated(a.judge(t)); !slices.Equal(got, c.want) {
				t.Errorf("relations %q, want %q", got, c.want)
			}
		})
	}
}

// TestClockReadTwice: what was made and what was changed last are nearly always of one millisecond, where the clock was
// read for each of them. That they are equal is believed of times alone that are told to the microsecond.
func TestClockReadTwice(t *testing.T) {
	for _, tt := range []struct {
		form  string
		steps int
		want  []string
	}{
		{"2006-01-02 15:04:05.000Z", 4, nil},
		{"2006-01-02T15:04:05Z", 4, nil},
		{"2006-01-02T15:04:05.000Z", 16, nil},
		{"2006-01-02T15:04:05.000000Z", 4, []string{"/body/updated equal /body/created"}},
	} {
		a := &api{runs: 5, steps: tt.steps, answer: func(c call) answer {
			at := c.at.Add(time.Duration(c.rng.IntN(1e6)) * 1001 * time.Microsecond).Format(tt.form)
			return body(`{"created":%q,"updated":%q}`, at, at)
		}}
		if got := stated(a.judge(t)); !slices.Equal(got, tt.want) {
			t.Errorf("%s, %d answers a run: relations %q, want %q", tt.form, tt.steps, got, tt.want)
		}
	}
}

// TestOrderOfClocks: which of two times is the later one is told by those alone that are well apart. A clock that is read
// twice shows the same nearly always, and then once what is later, and once what is earlier.
func TestOrderOfClocks(t *testing.T) {
	const day = 24 * time.Hour
	later := []string{"/body/updated at-least /body/created"}
	for _, tt := range []struct {
		name, form  string
		least, most time.Duration // that one is later than the other, but for each often-th answer
		often       int
		then        time.Duration
		want        []string
	}{
		{"well apart", "2006-01-02T15:04:05.000Z", 5 * time.Millisecond, time.Second, 0, 0, later},
		{"one reading now and then", "2006-01-02T15:04:05.000000Z", 5 * time.Millisecond, time.Second, 4, 0, later},
		{"two readings of one millisecond now and then", "2006-01-02T15:04:05.000Z", 5 * time.Millisecond, time.Second, 4, 0, nil},
		{"the next millisecond now and then", "2006-01-02T15:04:05.000Z", 5 * time.Millisecond, time.Second, 4, time.Millisecond, nil},
		{"the next microsecond now and then", "2006-01-02T15:04:05.000000Z", 5 * time.Millisecond, time.Second, 4, time.Microsecond, nil},
		{"the same but for the next millisecond", "2006-01-02T15:04:05.000Z", 0, 0, 9, time.Millisecond, nil},
		{"digits that the clock has not", "2006-01-02T15:04:05.000000000Z", 0, 0, 9, time.Millisecond, nil},
		{"the same second", "2006-01-02T15:04:05Z", 0, 0, 9, time.Second, nil},
		{"seconds apart", "2006-01-02T15:04:05Z", 3 * time.Second, 60 * time.Second, 0, 0, later},
		{"the same day", "2006-01-02", 0, 0, 9, day, nil},
		{"days apart", "2006-01-02", 3 * day, 9 * day, 0, 0, later},
		{"numbers well apart", "", 5 * time.Millisecond, time.Second, 0, 0, later},
		{"numbers the same but for the next millisecond", "", 0, 0, 9, time.Millisecond, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := &api{runs: 10, steps: 8, answer: func(c call) answer {
				gap := tt.least + time.Duration(c.rng.Int64N(int64(tt.most-tt.least)+1))
				if tt.often > 0 && (c.run*8+c.step)%tt.often == 0 {
					gap = tt.then
				}
				at := c.at.Add(-time.Duration(c.rng.Int64N(int64(90 * day))))
				if tt.form == "" {
					return body(`{"created":%d,"updated":%d}`, at.UnixMilli(), at.Add(gap).UnixMilli())
				}
				return body(`{"created":%q,"updated":%q}`, at.Format(tt.form), at.Add(gap).Format(tt.form))
			}}
			if got := stated(a.judge(t)); !slices.Equal(got, tt.want) {
				t.Errorf("relations %q, want %q", got, tt.want)
			}
		})
	}
}

// TestRelationsOfChance: places that have nothing to do with each other are not related, whatever they are drawn from.
func TestRelationsOfChance(t *testing.T) {
	draw := []func(r *rand.Rand) string{
		func(r *rand.Rand) string { return fmt.Sprint(r.IntN(2)) },
		func(r *rand.Rand) string { return fmt.Sprint(r.IntN(5)) },
		func(r *rand.Rand) string { return fmt.Sprint(r.IntN(100)) },
		func(r *rand.Rand) string { return fmt.Sprint(r.IntN(1_000_000)) },
		func(r *rand.Rand) string { return fmt.Sprintf("%.2f", r.ExpFloat64()*10) },
		func(r *rand.Rand) string { return fmt.Sprintf("%.1f", r.NormFloat64()*5+20) },
		func(r *rand.Rand) string { return pick(r.IntN(2) == 0, "true", "false") },
		func(r *rand.Rand) string { return pick(r.IntN(2) == 0, `"open"`, `"shut"`) },
		func(r *rand.Rand) string { return fmt.Sprintf(`"%08x"`, r.Uint32()) },
		func(r *rand.Rand) string {
			return moment0.Add(time.Duration(r.IntN(1e12))).Format(`"` + time.RFC3339Nano + `"`)
		},
	}
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var makes [8]func(r *rand.Rand) string
		for i := range makes {
			makes[i] = draw[rng.IntN(len(draw))]
		}
		a := &api{runs: 1 + rng.IntN(8), steps: 1 + rng.IntN(4), answer: func(c call) answer {
			r := rand.New(rand.NewPCG(seed, uint64(c.run*100+c.step)))
			var members, list []string
			for i, f := range makes[:5] {
				members = append(members, fmt.Sprintf(`"m%d":%s`, i, f(r)))
			}
			for range r.IntN(4) {
				list = append(list, fmt.Sprintf(`{"x":%s,"y":%s,"z":%s}`, makes[5](r), makes[6](r), makes[7](r)))
			}
			return body(`{%s,"list":[%s]}`, strings.Join(members, ","), strings.Join(list, ","))
		}}
		if got := stated(a.judge(t)); len(got) > 0 {
			t.Errorf("seed %d, %d runs of %d: %q", seed, a.runs, a.steps, got)
		}
	}
}

// TestRelationContradicted: one answer in which it is not so ends a relation, wherever among all it stands.
func TestRelationContradicted(t *testing.T) {
	for at := 0; at < 110; at += 7 {
		a := &api{runs: 10, steps: 10, answer: func(c call) answer {
			n, more := c.rng.IntN(100000), 0
			if c.step*11+c.run == at {
				more = 1
			}
			return body(`{"a":%d,"b":%d}`, n, n+more)
		}}
		if got := stated(a.judge(t)); slices.ContainsFunc(got, func(r string) bool { return !strings.Contains(r, "at-least") }) {
			t.Errorf("answer %d: %q", at, got)
		}
	}
}

// TestRelationsWithGaps: answers that lack a place say nothing, and null is as absent.
func TestRelationsWithGaps(t *testing.T) {
	a := &api{runs: 10, steps: 5, answer: func(c call) answer {
		n := c.rng.IntN(100000)
		if c.rng.IntN(3) == 0 {
			return body(`{"a":%d,"b":%s}`, n, pick(c.rng.IntN(2) == 0, "null", "null"))
		}
		return body(`{"a":%d,"b":%d}`, n, n)
	}}
	if got := stated(a.judge(t)); !slices.Equal(got, []string{"/body/b equal /body/a"}) {
		t.Errorf("%q", got)
	}
}

// TestRelationsConceal: what names a value of a secret place is left out, its place is not.
func TestRelationsConceal(t *testing.T) {
	a := &api{runs: 10, steps: 4, answer: func(c call) answer {
		token, pin := sha(uuid(c)), 100000+c.rng.IntN(800000)
		return body(`{"access_token":%q,"again":%q,"secret_pin":%d,"next":%d}`, token, token, pin, pin+4711)
	}, options: Options{Redactor: exchange.Redactor{}}}
	if got := stated(a.judge(t)); !slices.Equal(got, []string{"/body/again equal /body/access_token"}) {
		t.Errorf("%q", got)
	}
}

// TestRelationsOfRequestsAskedOften: what one request is answered again and again has the same base each time, which
// is no constant: another request has another.
func TestRelationsOfRequestsAskedOften(t *testing.T) {
	a := &api{runs: 40, steps: 8, answer: func(c call) answer {
		base, jitter := 100*(c.step+3), c.rng.IntN(90)
		return body(`{"base":%d,"jitter":%d,"total":%d}`, base, jitter, base+jitter)
	}}
	if got := stated(a.judge(t)); !slices.Contains(got, "/body/total sum /body/base /body/jitter") {
		t.Errorf("%q", got)
	}
}
