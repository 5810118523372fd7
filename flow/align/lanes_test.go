package align

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// ask is one request of a made-up client. what is the same in every run; nothing on the wire says it.
type ask struct {
	what   string
	at     int // when it was sent
	conn   uint64
	mark   string
	method string
	target string
	body   string
}

// said makes the exchanges of requests, in the order in which they were sent. Those of different connections overlap.
func said(all []ask) (exchanges []*exchange.Exchange, what []string) {
	slices.SortStableFunc(all, func(a, b ask) int { return cmp.Compare(a.at, b.at) })
	start := time.Unix(1_800_000_000, 0)
	for i, r := range all {
		head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n\r\n", r.method, r.target)
		exchanges = append(exchanges, &exchange.Exchange{
			Seq: uint64(i + 1), Conn: r.conn, Sequence: r.mark, Start: start.Add(time.Duration(r.at) * time.Millisecond), Latency: 1500 * time.Microsecond,
			Request:  exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(r.body), Plain: true}),
			Response: &exchange.Response{Status: 200},
		})
		what = append(what, r.what)
	}
	return exchanges, what
}

// maker is a client that makes up new values in each run.
type maker struct {
	*rand.Rand
	run  int
	date string
}

func newMaker(run int) maker {
	return maker{rand.New(rand.NewPCG(uint64(run), 11)), run, fmt.Sprintf("2026-11-%02d", 10+run)}
}

func (m maker) uuid() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", m.Uint32(), m.Uint32()&0xffff, m.Uint32()&0xfff, m.Uint32()&0xfff, m.Uint64()&0xffffffffffff)
}

// round is what one turn of a test loop asks: users with unique names, orders of random quantities, today's bookings.
func (m maker) round(n int) []ask {
	name, quantity := "user-"+m.uuid(), m.IntN(9)+1
	var out []ask
	add := func(method, target, body string) {
		out = append(out, ask{what: fmt.Sprintf("%d.%d", n, len(out)), method: method, target: target, body: body})
	}
	add("POST", "/users", fmt.Sprintf(`{"name":%q,"born":%q}`, name, m.date))
	add("GET", "/users/"+name, "")
	add("POST", "/orders", fmt.Sprintf(`{"user":%q,"items":[{"id":%d,"quantity":%d}]}`, name, n%7, quantity))
	add("GET", fmt.Sprintf("/bookings/%s?nonce=%d&quantity=%d", m.date, m.IntN(1e9), quantity), "")
	add("DELETE", "/users/"+name, "")
	return out
}

// pairedRightly counts the recorded exchanges that are paired with what is the same in the run, and with something else.
func pairedRightly(a, b []ask) (right, wrong int) {
	rec, recWhat := said(a)
	run, runWhat := said(b)
	for _, p := range Exchanges(rec, run) {
		switch {
		case p.Recorded == nil || p.Run == nil:
		case recWhat[p.Recorded.Seq-1] == runWhat[p.Run.Seq-1]:
			right++
		default:
			wrong++
		}
	}
	return right, wrong
}

// A client that makes up new values in each run is aligned by what it asks and in which order: in loops of many rounds
// that differ in nothing else, with rounds that one side alone has, and single requests too.
func TestAlignMadeUpValues(t *testing.T) {
	for _, c := range []struct {
		name       string
		rounds     int
		lose, add  int // every so many requests; 0 for none
		loseRounds int // the run lacks so many rounds from the middle
		least      float64
	}{
		{name: "the same", rounds: 400, least: 1},
		{name: "some lost, some added", rounds: 400, lose: 97, add: 89, least: 0.99},
		{name: "long", rounds: 4000, lose: 197, add: 189, least: 0.99},
		{name: "rounds lost", rounds: 400, loseRounds: 30, least: 0.4}, // which is only known by a quantity
	} {
		t.Run(c.name, func(t *testing.T) {
			var a, b []ask
			m, n := newMaker(1), newMaker(2)
			kept := 0
			for i := range c.rounds {
				a = append(a, m.round(i)...)
				if k := i - c.rounds/2; 0 <= k && k < c.loseRounds {
					continue
				}
				for _, r := range n.round(i) {
					if c.lose == 0 || n.IntN(c.lose) != 0 {
						b = append(b, r)
						kept++
					}
					if c.add > 0 && n.IntN(c.add) == 0 {
						b = append(b, ask{what: "added", method: "GET", target: "/health"})
					}
				}
			}
			for i := range a {
				a[i].at = 2 * i
			}
			for i := range b {
				b[i].at = 2 * i
			}
			right, wrong := pairedRightly(a, b)
			if float64(right) < c.least*float64(kept) {
				t.Errorf("%d of %d are aligned rightly, %d wrongly", right, kept, wrong)
			}
		})
	}
}

// A value that says which turn of a loop it is keeps the turns apart, though all else is new.
func TestAlignBySharedValue(t *testing.T) {
	var a, b []ask
	m, n := newMaker(1), newMaker(2)
	step := func(m maker, i int) ask {
		return ask{what: fmt.Sprint(i), method: "PUT", target: "/slots/" + m.uuid(), body: fmt.Sprintf(`{"slot":%d,"by":%q}`, i, m.uuid())}
	}
	kept := 0
	for i := range 9000 {
		a = append(a, step(m, i))
		if i < 3000 || i >= 5000 {
			b = append(b, step(n, i))
			kept++
		}
	}
	for _, side := range [][]ask{a, b} {
		for i := range side {
			side[i].at = 2 * i
		}
	}
	if right, wrong := pairedRightly(a, b); right < kept*99/100 || wrong > 0 {
		t.Errorf("%d of %d are aligned rightly, %d wrongly", right, kept, wrong)
	}
}

// Values that come again by chance, elsewhere, do not pull an alignment apart.
func TestAlignChance(t *testing.T) {
	var a, b []ask
	m, n := newMaker(1), newMaker(2)
	for i := range 12000 {
		for _, r := range []struct {
			m   maker
			out *[]ask
		}{{m, &a}, {n, &b}} {
			*r.out = append(*r.out, ask{what: fmt.Sprint(i), at: 2 * i, method: "GET", target: fmt.Sprintf("/items/%d", r.m.IntN(60_000))})
		}
	}
	if right, wrong := pairedRightly(a, b); right < len(a)*99/100 {
		t.Errorf("%d of %d are aligned rightly, %d wrongly", right, len(a), wrong)
	}
}

// A part of the client's work that is longer than a window and that the run lacks, or has besides, is passed over, though
// every value in it is new.
func TestAlignPartLost(t *testing.T) {
	work := func(m maker, parts ...string) (out []ask) {
		for _, part := range parts {
			for i := range 2500 {
				target := fmt.Sprintf("/%s/%s", part, m.uuid())
				out = append(out, ask{what: fmt.Sprint(part, i), at: 2 * len(out), method: []string{"PUT", "GET", "POST"}[i*i%7%3], target: target})
			}
		}
		return out
	}
	long, short := work(newMaker(1), "a", "b", "c", "d"), work(newMaker(2), "a", "d")
	for _, c := range [][2][]ask{{long, short}, {short, long}} {
		if right, wrong := pairedRightly(c[0], c[1]); right < len(short)*99/100 {
			t.Errorf("%d of %d are aligned rightly, %d wrongly", right, len(short), wrong)
		}
	}
}

// interleave gives the requests of several threads the times at which they are sent.
func interleave(r *rand.Rand, threads ...[]ask) []ask {
	var out []ask
	left := 0
	for _, t := range threads {
		left += len(t)
	}
	at := 0
	for ; left > 0; left-- {
		pick := r.IntN(left)
		for i := range threads {
			if pick < len(threads[i]) {
				next := threads[i][0]
				threads[i] = threads[i][1:]
				next.at = at
				at++
				out = append(out, next)
				break
			}
			pick -= len(threads[i])
		}
	}
	return out
}

// Threads of a client interleave otherwise in each run: order holds within a connection, or within a marked sequence.
func TestAlignThreads(t *testing.T) {
	thread := func(m maker, k, rounds int, change func(*ask)) []ask {
		var out []ask
		for i := range rounds {
			for j, r := range m.round(1000*k + i) {
				if k == 1 && j == 2 {
					r.target = "/baskets" // what tells the two apart
				}
				change(&r)
				out = append(out, r)
			}
		}
		return out
	}
	connections := func(m maker, order ...int) []ask {
		var threads [][]ask
		for place, k := range order {
			threads = append(threads, thread(m, k, 150, func(r *ask) { r.conn = uint64(place + 1) }))
		}
		return interleave(m.Rand, threads...)
	}
	marks := func(m maker, order ...int) []ask {
		var threads [][]ask
		for _, k := range order {
			threads = append(threads, thread(m, k, 20, func(r *ask) { r.conn, r.mark = m.Uint64N(4)+1, fmt.Sprintf("test_%d", k) }))
		}
		return interleave(m.Rand, threads...)
	}
	oneAfterTheOther := func(m maker, order ...int) []ask {
		var out []ask
		for _, k := range order {
			out = append(out, thread(m, k, 20, func(r *ask) { r.conn, r.mark = 1, fmt.Sprintf("test_%d", k) })...)
		}
		for i := range out {
			out[i].at = 2 * i
		}
		return out
	}
	each := func(m maker, order ...int) []ask { // each request on a connection of its own, as curl does
		all := connections(m, order...)
		for i := range all {
			all[i].conn = uint64(i + 1)
			mark := "?"
			if strings.Contains(all[i].target, "?") {
				mark = "&"
			}
			all[i].target += mark + "case=" + all[i].what
		}
		return all
	}
	some := func(all []ask, r *rand.Rand) []ask {
		return slices.DeleteFunc(all, func(ask) bool { return r.IntN(100) == 0 })
	}
	for _, c := range []struct {
		name string
		a, b []ask
	}{
		{"connections, some lost", connections(newMaker(1), 0, 1), some(connections(newMaker(2), 1, 0), newMaker(3).Rand)},
		{"connections", connections(newMaker(1), 0, 1), connections(newMaker(2), 1, 0)},
		{"marks", marks(newMaker(1), 0, 1, 2, 3), marks(newMaker(2), 2, 0, 3, 1)},
		{"marked tests in another order", oneAfterTheOther(newMaker(1), 0, 1, 2, 3), oneAfterTheOther(newMaker(2), 3, 1, 0, 2)},
		{"a connection each", each(newMaker(1), 0, 1), each(newMaker(2), 1, 0)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if right, wrong := pairedRightly(c.a, c.b); right < len(c.b)*97/100 {
				t.Errorf("%d of %d are aligned rightly, %d wrongly", right, len(c.b), wrong)
			}
		})
	}
}

// An alignment of 100 000 exchanges with as many takes seconds, and holds none of their bodies.
func TestAlignScale(t *testing.T) {
	rounds := 3_000
	if os.Getenv("FLAKETAP_LONG") != "" {
		rounds = 20_000 // 100 000 exchanges on either side
	}
	track := func(m maker, lose int) (*Track, []string) {
		var out Track
		var what []string
		for i := range rounds {
			exchanges, names := said(m.round(i))
			for j, e := range exchanges {
				if lose == 0 || m.IntN(lose) != 0 {
					out.Add(e)
					what = append(what, names[j])
				}
			}
		}
		return &out, what
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	a, aWhat := track(newMaker(1), 0)
	b, bWhat := track(newMaker(2), 300)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > int64(rounds)*4<<10 {
		t.Errorf("the tracks of %d exchanges hold %d MiB", a.Len()+b.Len(), grown>>20)
	}
	right := 0
	for _, m := range Tracks(a, b) {
		if m.Recorded >= 0 && m.Run >= 0 && aWhat[m.Recorded] == bWhat[m.Run] {
			right++
		}
	}
	t.Logf("%d with %d exchanges, %d rightly; they take %d MiB", a.Len(), b.Len(), right, (after.HeapAlloc-before.HeapAlloc)>>20)
	if right < b.Len()*98/100 {
		t.Errorf("%d of %d are aligned rightly", right, b.Len())
	}
}

// A name that a client makes up is no route, though it reads like one: it stands in what the client sends as well. A route
// that one side alone asks for stays a route.
func TestAlignMadeUpNames(t *testing.T) {
	visit := func(name string) []ask {
		return []ask{
			{method: "POST", target: "/api/users", body: fmt.Sprintf(`{"name":%q}`, name)},
			{method: "GET", target: "/api/users/" + name},
			{method: "GET", target: "/api/users/" + name + "/orders"},
		}
	}
	a := append(visit("brandon"), ask{method: "GET", target: "/api/health"})
	b := append(visit("melissa"), ask{method: "GET", target: "/api/status"})
	for _, side := range [][]ask{a, b} {
		for i := range side {
			side[i].at = 2 * i
		}
	}
	recorded, _ := said(a)
	run, _ := said(b)
	want := []string{"changed", "changed", "changed", "lost", "added"}
	var got []string
	for _, p := range Exchanges(recorded, run) {
		switch {
		case p.Run == nil:
			got = append(got, "lost")
		case p.Recorded == nil:
			got = append(got, "added")
		case p.Changed:
			got = append(got, "changed")
		default:
			got = append(got, "same")
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
