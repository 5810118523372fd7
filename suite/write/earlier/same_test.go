package earlier

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// What moves only with the clock says the same where the answers lie further apart than it takes to move.
func TestSaysSame(t *testing.T) {
	begin := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	answers := func(apart time.Duration, texts ...string) (out []Answer) {
		for i, text := range texts {
			out = append(out, Answer{fmt.Sprint(i), begin.Add(time.Duration(i)*time.Minute + apart), map[exchange.Place]string{"/body/made": text}})
		}
		return out
	}
	moving := []string{"10:00:00", "10:01:00", "10:02:00"}
	for _, tt := range []struct {
		name  string
		now   []Answer
		early []string
		unit  time.Duration
		want  bool
	}{
		{"far apart", answers(3*time.Second, moving...), moving, time.Second, true},
		{"within two seconds", answers(time.Second, moving...), moving, time.Second, false},
		{"no time", answers(0, moving...), moving, 0, true},
		{"it never moved", answers(0, "x", "x", "x"), []string{"x", "x", "x"}, 0, false},
		{"one is otherwise", answers(0, "10:00:00", "10:01:00", "10:02:01"), moving, 0, false},
		{"too few", answers(0, moving[:2]...), moving, 0, false},
	} {
		if got := saysSame(tt.now, "/body/made", answers(0, tt.early...), "/body/made", tt.unit); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// Two draws of few values agree by chance: the more often they agreed, and on rare values, the less likely that is.
func TestAgreeByChance(t *testing.T) {
	answers := func(texts ...string) (out []Answer) {
		for i, text := range texts {
			out = append(out, Answer{fmt.Sprint(i), time.Time{}, map[exchange.Place]string{"/body/mode": text}})
		}
		return out
	}
	for _, tt := range []struct {
		said []Answer
		ok   bool
	}{
		{answers("a", "b", "a"), false}, {answers("a", "b", "c"), true}, {answers("a", "a", "a", "a", "a", "a"), false},
		{answers("a", "b", "a", "b", "a", "b", "a", "b", "a", "b"), true}, {answers("a", "b", "a", "b"), false},
		{answers(append([]string{"b", "b", "b"}, slices.Repeat([]string{"a"}, 12)...)...), true},
		{answers(append([]string{"b"}, slices.Repeat([]string{"a"}, 60)...)...), false},
	} {
		if _, ok := Same(tt.said, "/body/mode", tt.said, 0); ok != tt.ok {
			t.Errorf("%v: %t", tt.said, ok)
		}
	}
}
