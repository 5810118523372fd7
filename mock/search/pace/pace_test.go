package pace

import (
	"testing"
	"time"
)

const ms = time.Millisecond

func trial(behavior string, took time.Duration, late bool, size int) Trial[string] {
	return Trial[string]{Of: behavior, Size: size, Late: late, Took: took}
}

// usually is a log of trials that took so long each.
func usually(took time.Duration, n int) (l Log[string]) {
	for range n {
		l.Add(trial("well", took, false, 0))
	}
	return l
}

// What is slow is told by what the trials of the request take: on a busy machine nothing is.
func TestOf(t *testing.T) {
	for name, test := range map[string]struct {
		of    Log[string]
		trial Trial[string]
		want  Class
	}{
		"a bound of its own":         {usually(20*ms, 5), trial("down", time.Second, true, 1), CutShort},
		"a wait of its own":          {usually(20*ms, 5), trial("down", time.Second, false, 1), Paused},
		"nobody waited":              {usually(20*ms, 5), trial("down", 30*ms, true, 1), Usual},
		"somewhat slow":              {usually(20*ms, 5), trial("down", 399*ms, true, 1), Usual},
		"all are slow":               {usually(200*ms, 5), trial("down", time.Second, true, 1), Usual},
		"too few tell what is usual": {usually(20*ms, 4), trial("down", time.Second, true, 1), Usual},
	} {
		if got := test.of.Of(test.trial); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

// Of a behavior that was seen at two paces the smallest of each is told; one pace is none.
func TestPairs(t *testing.T) {
	l := usually(20*ms, 9)
	for _, one := range []Trial[string]{trial("down", time.Second, true, 3), trial("gone", time.Second, true, 1), trial("down", 20*ms, false, 2),
		trial("down", 2*time.Second, true, 1), trial("down", 20*ms, false, 4), trial("well, noted", time.Second, false, 1)} {
		l.Add(one)
	}
	same := func(behavior string) string { return behavior }
	got := l.Pairs(same)
	if len(got) != 1 || got[0].Class != CutShort || got[0].Slow.Size != 1 || got[0].Usual.Size != 2 {
		t.Errorf("%+v", got)
	}
	if got := l.Pairs(func(behavior string) string { return behavior[:4] }); len(got) != 2 || got[0].Class != Paused {
		t.Errorf("%+v", got)
	}
}

// Paces hold where each slow trial is far slower than what ran between them.
func TestHolds(t *testing.T) {
	l := usually(20*ms, 9)
	slow, fast := trial("down", time.Second, true, 1), trial("down", 20*ms, false, 1)
	for name, test := range map[string]struct {
		slow, usual []Trial[string]
		want        bool
	}{
		"each":              {[]Trial[string]{slow, slow}, []Trial[string]{fast}, true},
		"one was fast":      {[]Trial[string]{slow, fast}, []Trial[string]{fast}, false},
		"the other is slow": {[]Trial[string]{slow, slow}, []Trial[string]{trial("down", 390*ms, false, 1)}, false},
		"nothing between":   {[]Trial[string]{slow, slow}, nil, false},
	} {
		if got := l.Holds(CutShort, test.slow, test.usual); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if l.Holds(Paused, []Trial[string]{slow}, []Trial[string]{fast}) {
		t.Error("it is of another class")
	}
}
