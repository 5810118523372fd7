package align

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// letters makes one exchange of each word: "a" asks for /a, "a1" for /a/1, so that a1 and a2 are of one operation.
func letters(words string) []*exchange.Exchange {
	var out []*exchange.Exchange
	for _, w := range strings.Fields(words) {
		target := "/" + w[:1]
		if len(w) > 1 {
			target += "/" + w[1:]
		}
		e := &exchange.Exchange{Seq: uint64(len(out) + 1)}
		e.Request = exchange.ParseRequest(exchange.Message{Head: []byte("GET " + target + " HTTP/1.1\r\n\r\n")})
		out = append(out, e)
	}
	return out
}

// showPairs writes an alignment as "a1=a1 a2~a3 -b +c".
func showPairs(pairs []Pair) string {
	word := func(e *exchange.Exchange) string { return strings.ReplaceAll(e.Request.Target, "/", "") }
	var out []string
	for _, p := range pairs {
		switch {
		case p.Run == nil:
			out = append(out, "-"+word(p.Recorded))
		case p.Recorded == nil:
			out = append(out, "+"+word(p.Run))
		case exchange.Exact(p.Recorded) == exchange.Exact(p.Run):
			out = append(out, word(p.Run))
		default:
			out = append(out, word(p.Recorded)+"~"+word(p.Run))
		}
	}
	return strings.Join(out, " ")
}

func TestAlign(t *testing.T) {
	for _, c := range []struct{ name, recorded, run, want string }{
		{"the same", "a b c a", "a b c a", "a b c a"},
		{"nothing ran", "a b", "", "-a -b"},
		{"nothing recorded", "", "a b", "+a +b"},
		{"lost and added", "a b c d", "a c x d", "a -b c +x d"},
		{"new ids", "a b1 c b1 d", "a b7 c b8 d", "a b1~b7 c b1~b8 d"},
		{"new ids, one lost", "b1 c b1 d b2 e", "b7 c d b8 e", "b1~b7 c -b1 d b2~b8 e"},
		{"exact outweighs like", "a1 a2", "a2", "-a1 a2"},
		{"exact outweighs like, in the middle", "a1 a2 b", "a2 c", "-a1 a2 -b +c"},
		{"repeats", "a a b a", "a b a a", "a +b a -b a"},
		{"polled less often", "b1 c1 c1 c1 d", "b1 c7 c7 d", "b1 c1~c7 -c1 c1~c7 d"},
		{"polled more often", "b1 c1 c1 d", "b1 c7 c7 c7 d", "b1 c1~c7 +c7 c1~c7 d"},
		{"polled more often, and another", "b1 c1 c1 c2 d", "b7 c7 c7 c7 c8 d", "b1~b7 c1~c7 +c7 c1~c7 c2~c8 d"},
		{"polled less often, and another", "b1 c1 c1 c1 c2 d", "b7 c7 c7 c8 d", "b1~b7 c1~c7 -c1 c1~c7 c2~c8 d"},
		{"polled, and another polled", "b1 c1 c1 c2 c2 c2 d", "b7 c7 c7 c7 c8 c8 d", "b1~b7 c1~c7 +c7 c1~c7 c2~c8 -c2 c2~c8 d"},
		{"polled, and others of its kind once", "b1 c1 c1 c2 c3 d", "b7 c7 c8 c9 c9 d", "b1~b7 -c1 c1~c7 c2~c8 +c9 c3~c9 d"},
		{"polled in parts, of which one has another counterpart", "c1 c1 b c2 b c2", "c7 c8 c8", "c1~c7 c1~c8 -b c2~c8 -b -c2"},
		{"polled, ahead of others that are paired with some of it and more", "c1 c2 b c3 c4", "c7 c8 c8 c8 d c9", "c1~c7 +c8 c2~c8 -b c3~c8 +d c4~c9"},
		{"polled once", "b c c c d", "b c d", "b -c -c c d"},
		{"polled once in the recording, by a name that stays", "b c d", "b c c c d", "b +c +c c d"},
		{"repeats at the end", "a c c c", "a c c", "a c -c c"},
		{"in another order, as of a loop over a map", "a b1 b2 b3 c", "a b3 b1 b2 c", "a b1 b2 b3 c"},
		{"each in another order", "a b1 b2 b3 b4 c", "a b4 b3 b2 b1 c", "a b1 b2 b3 b4 c"},
		{"in another order, rounds of two", "b1 c1 b2 c2 d", "b2 c2 b1 c1 d", "b1 c1 b2 c2 d"},
		{"in another order, others twice", "b1 b2 b2 c", "b2 b2 b1 c", "b1 b2 b2 c"},
		{"nothing alike", "a b", "c d", "-a -b +c +d"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := showPairs(Exchanges(letters(c.recorded), letters(c.run))); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestAlignProperty: whatever the two sides, with connections and marks, each exchange is in exactly one pair, the
// recorded ones in order; aligned with itself, each is its own counterpart.
func TestAlignProperty(t *testing.T) {
	words := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d1", "d2", "d3", "e1"}), 0, 30)
	rapid.Check(t, func(t *rapid.T) {
		a := letters(strings.Join(words.Draw(t, "recorded"), " "))
		b := letters(strings.Join(words.Draw(t, "run"), " "))
		marks := rapid.SampledFrom([]string{"", "", "one", "two"})
		at, start := rapid.IntRange(0, 3), time.Unix(1_800_000_000, 0)
		for _, side := range [][]*exchange.Exchange{a, b} {
			for _, e := range side {
				e.Conn, e.Sequence, e.Latency = rapid.Uint64Range(0, 2).Draw(t, "connection"), marks.Draw(t, "mark"), 2
				start = start.Add(time.Duration(at.Draw(t, "gap")))
				e.Start = start
			}
		}
		var left, right []*exchange.Exchange
		for _, p := range Exchanges(a, b) {
			if p.Recorded == nil && p.Run == nil {
				t.Fatal("an empty pair")
			}
			if p.Recorded != nil {
				left = append(left, p.Recorded)
			}
			if p.Run != nil {
				right = append(right, p.Run)
			}
		}
		same := cmp.Comparer(func(x, y *exchange.Exchange) bool { return x == y })
		if diff := cmp.Diff(a, left, same); diff != "" {
			t.Fatal("recorded side:", diff)
		}
		slices.SortFunc(right, func(x, y *exchange.Exchange) int { return int(x.Seq) - int(y.Seq) }) // lanes have orders of their own
		if diff := cmp.Diff(b, right, same); diff != "" {
			t.Fatal("run side:", diff)
		}
		for _, p := range Exchanges(a, a) {
			if p.Recorded != p.Run {
				t.Fatal("aligned with itself, it differs")
			}
		}
	})
}

// TestAlignLarge: a long recording whose client makes up new values, with steps lost and added, is aligned well, with
// and without anchors.
func TestAlignLarge(t *testing.T) {
	const n = 20000
	for _, anchors := range []bool{true, false} {
		rnd := rand.New(rand.NewPCG(1, 2))
		var a, b []string
		want := 0
		for i := range n {
			kind := string(rune('a' + rnd.IntN(12)))
			left, right := fmt.Sprintf("%s%d", kind, rnd.IntN(1e9)), fmt.Sprintf("%s%d", kind, rnd.IntN(1e9))
			if anchors && i%50 == 0 {
				right = left
			}
			lose, add := rnd.IntN(200) == 0, rnd.IntN(200) == 0
			a = append(a, left)
			if !lose {
				b = append(b, right)
				want++
			}
			if add {
				b = append(b, "z1")
			}
		}
		pairs := Exchanges(letters(strings.Join(a, " ")), letters(strings.Join(b, " ")))
		got := 0
		for _, p := range pairs {
			if p.Recorded != nil && p.Run != nil {
				got++
			}
		}
		if got < want*98/100 {
			t.Errorf("anchors %v: %d pairs, want about %d", anchors, got, want)
		}
	}
}

// What changes something is not sent again to wait: where a run ends after the first time, that is the first time.
func TestRepeatedChanges(t *testing.T) {
	recorded, run := letters("a a b"), letters("a b")
	for _, e := range slices.Concat(recorded, run) {
		e.Request.Method = "POST"
	}
	if got, want := showPairs(Exchanges(recorded, run)), "a -a b"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
