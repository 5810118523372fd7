package search

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// cause is what is planted in a simulated API: the victim goes otherwise once all of the others were played, or until
// they were.
type cause struct {
	victim int
	after  []int
	setter bool
}

// simulated is an API whose sequences go as recorded but for the causes, and for noise.
type simulated struct {
	t      interface{ Fatalf(string, ...any) }
	n      int
	causes []cause
	noise  float64
	rng    *rand.Rand
	needs  map[int][]int
	trials int
}

// trial tells which sequences go otherwise than in the recording, which had them in the order of their numbers.
func (s *simulated) trial(_ context.Context, order []int) ([]int, error) {
	s.trials++
	recorded := make([]int, s.n)
	for i := range recorded {
		recorded[i] = i
	}
	then, now := s.moved(recorded), s.moved(order)
	var differing []int
	played := map[int]bool{}
	for _, i := range order {
		for _, need := range s.needs[i] {
			if !played[need] {
				s.t.Fatalf("%d was played without %d, which it needs, before it: %v", i, need, order)
			}
		}
		if played[i] {
			s.t.Fatalf("%d was played twice: %v", i, order)
		}
		played[i] = true
		if (now[i] != then[i]) != (s.noise > 0 && s.rng.Float64() < s.noise) {
			differing = append(differing, i)
		}
	}
	return differing, nil
}

// moved are the victims that were played after all that their causes name.
func (s *simulated) moved(order []int) map[int]bool {
	out := map[int]bool{}
	for _, c := range s.causes {
		at := slices.Index(order, c.victim)
		all := true
		for _, p := range c.after {
			i := slices.Index(order, p)
			all = all && i >= 0 && i < at
		}
		out[c.victim] = out[c.victim] || all != c.setter
	}
	return out
}

func (s *simulated) search() *Polluters {
	p := &Polluters{Sequences: s.n, Trial: s.trial}
	if s.needs != nil {
		p.Needs = func(i int) []int { return s.needs[i] }
	}
	return p
}

// TestPolluterNamed: one polluter, or one that has to come first, and its victim anywhere among 200 sequences are named
// in few trials, whichever side of the victim it was recorded on.
func TestPolluterNamed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &simulated{t: t, n: 200}
		victim := rapid.IntRange(0, 199).Draw(t, "victim")
		other := rapid.IntRange(0, 199).Filter(func(i int) bool { return i != victim }).Draw(t, "polluter")
		s.causes = []cause{{victim: victim, after: []int{other}, setter: rapid.Bool().Draw(t, "setter")}}
		p := s.search()
		found, err := p.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		want := []Dependence{{Victim: victim, After: []int{other}, Polluted: other > victim}}
		if diff := cmp.Diff(want, found); diff != "" || len(p.Unsolved) > 0 {
			t.Fatalf("found (-want +got):\n%sunsolved %v", diff, p.Unsolved)
		}
		if p.Trials != s.trials || p.Trials > 18 {
			t.Fatalf("%d trials, %d counted; 18 are enough", s.trials, p.Trials)
		}
	})
}

// TestPolluterNoise: where one answer in twenty moves by itself, the two are named all the same in at most 40 trials;
// only chance that piles up may leave them unnamed, or name others.
func TestPolluterNoise(t *testing.T) {
	const games = 400
	named, wrong, most := 0, 0, 0
	for seed := range uint64(games) {
		rng := rand.New(rand.NewPCG(seed, 1))
		victim, other := rng.IntN(200), rng.IntN(199)
		if other >= victim {
			other++
		}
		s := &simulated{t: t, n: 200, noise: 0.05, rng: rng, causes: []cause{{victim: victim, after: []int{other}, setter: rng.IntN(2) == 0}}}
		p := s.search()
		found, err := p.Find(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if slices.ContainsFunc(found, func(d Dependence) bool { return d.Victim == victim && slices.Equal(d.After, []int{other}) }) {
			named++
		}
		if slices.ContainsFunc(found, func(d Dependence) bool { return d.Victim != victim }) {
			wrong++
		}
		most = max(most, s.trials)
	}
	t.Logf("named in %d of %d games, others in %d, with at most %d trials", named, games, wrong, most)
	if named < games*97/100 || wrong > games*2/100 || most > 40 {
		t.Errorf("named in %d of %d games, others named in %d, at most %d trials", named, games, wrong, most)
	}
}

// TestPolluterKinds: several causes, those that act together, many victims of one, and sequences that need others.
func TestPolluterKinds(t *testing.T) {
	chain := map[int][]int{} // a login that everything takes a token from, and pairs
	for i := 1; i < 60; i++ {
		chain[i] = []int{0}
		if i%2 == 0 {
			chain[i] = append(chain[i], i-1)
		}
	}
	many := func(after ...int) (out []cause) {
		for i := 20; i < 50; i++ {
			out = append(out, cause{victim: i, after: after})
		}
		return out
	}
	for _, c := range []struct {
		name   string
		api    simulated
		want   []Dependence
		trials int
	}{
		{"nothing", simulated{n: 50}, nil, 2},
		{"no sequences", simulated{}, nil, 2},
		{"two at once", simulated{n: 60, causes: []cause{{5, []int{20, 40}, false}}}, []Dependence{{5, []int{20, 40}, true}}, 25},
		{"three that come first", simulated{n: 200, causes: []cause{{150, []int{20, 40, 100}, true}}}, []Dependence{{150, []int{20, 40, 100}, false}}, 40},
		{"either of two", simulated{n: 60, causes: []cause{{5, []int{20}, false}, {5, []int{40}, false}}}, []Dependence{{5, []int{40}, true}}, 15},
		{"two pairs", simulated{n: 100, causes: []cause{{10, []int{70}, false}, {90, []int{30}, true}}},
			[]Dependence{{10, []int{70}, true}, {90, []int{30}, false}}, 30},
		{"a victim of a victim", simulated{n: 100, causes: []cause{{10, []int{70}, false}, {70, []int{80}, false}}},
			[]Dependence{{10, []int{70}, true}, {70, []int{80}, true}}, 30},
		{"a login and pairs", simulated{n: 60, needs: chain, causes: []cause{{7, []int{33}, false}}}, []Dependence{{7, []int{33}, true}}, 20},
		{"who brings the polluter along", simulated{n: 60, needs: chain, causes: []cause{{7, []int{34}, false}}}, []Dependence{{7, []int{34}, true}}, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.api.t = t
			p := c.api.search()
			found, err := p.Find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, found); diff != "" || len(p.Unsolved) > 0 {
				t.Errorf("found (-want +got):\n%sunsolved %v", diff, p.Unsolved)
			}
			if p.Trials > c.trials {
				t.Errorf("%d trials, %d are enough", p.Trials, c.trials)
			}
		})
	}
	t.Run("thirty victims of one", func(t *testing.T) {
		s := &simulated{t: t, n: 60, causes: many(55)}
		p := s.search()
		found, err := p.Find(t.Context())
		if err != nil || len(found) != 30 || p.Trials > 18 {
			t.Errorf("%d found in %d trials, %v", len(found), p.Trials, err)
		}
		for _, d := range found {
			if !slices.Equal(d.After, []int{55}) || !d.Polluted {
				t.Errorf("%+v", d)
			}
		}
	})
}

// TestPolluterLimit: a search that has no more trials says what it did not come to; one whose trial fails says so.
func TestPolluterLimit(t *testing.T) {
	s := &simulated{t: t, n: 100, causes: []cause{{10, []int{70}, false}, {90, []int{30}, true}}}
	p := s.search()
	p.Limit = 20
	found, err := p.Find(t.Context())
	if err != nil || len(found) != 1 || len(p.Unsolved) != 1 || s.trials != 20 || p.Trials != 20 {
		t.Errorf("found %v, unsolved %v after %d trials, %v", found, p.Unsolved, s.trials, err)
	}
	if p.Undecided {
		t.Error("the victims were told, and are said not to have been")
	}
	p = s.search()
	p.Limit = 2
	p.Note([]int{0, 1, 2}, []int{1}) // it differs in the recorded order too, so that one trial of each says little
	if found, err := p.Find(t.Context()); err != nil || len(found) > 0 || !p.Undecided {
		t.Errorf("found %v, undecided %v, %v", found, p.Undecided, err)
	}
	gone := errors.New("the API is gone")
	p = &Polluters{Sequences: 3, Trial: func(context.Context, []int) ([]int, error) { return nil, gone }}
	if _, err := p.Find(t.Context()); !errors.Is(err, gone) {
		t.Errorf("error %v", err)
	}
}

// TestPolluterNoted: runs that were made already are not made again.
func TestPolluterNoted(t *testing.T) {
	s := &simulated{t: t, n: 50, causes: []cause{{10, []int{40}, false}}}
	p := s.search()
	order := p.Reverse()
	differing, _ := s.trial(t.Context(), order)
	p.Note(order, differing)
	p.Note([]int{0, 1, 2}, nil)
	before := s.trials
	if _, err := p.Find(t.Context()); err != nil || p.Trials != s.trials+1 || s.trials-before > 12 {
		t.Errorf("%d trials made after %d, %d counted, %v", s.trials-before, before, p.Trials, err)
	}
}
