package plan

import (
	"cmp"
	"fmt"
	"slices"
)

// Groups lists the groups of a plan's tests in the order of their first tests, with their tests.
func Groups(tests []Test) (names []string, by map[string][]Test) {
	by = map[string][]Test{}
	for _, t := range tests {
		if by[t.Group] == nil {
			names = append(names, t.Group)
		}
		by[t.Group] = append(by[t.Group], t)
	}
	return names, by
}

// Together puts all tests into one group where those of several share what can be sent only once: for forms whose files
// share nothing.
func Together(tests []Test) []Test {
	in := map[uint64]string{}
	for _, t := range tests {
		for _, s := range t.Steps {
			if s.Single && cmp.Or(in[s.Seq], t.Group) != t.Group {
				return inGroup(tests, "tests")
			}
			in[s.Seq] = t.Group
		}
	}
	return tests
}

func inGroup(tests []Test, group string) []Test {
	out := slices.Clone(tests)
	for i := range out {
		out[i].Group = group
	}
	return out
}

// SharedSetUps lists the set-ups that tests share, each once, in recorded order, with a name for each: words of a-z and
// 0-9, Joined by "_".
func SharedSetUps(tests []Test) (steps []Step, names map[uint64]string) {
	names = map[uint64]string{}
	taken := map[string]bool{}
	for _, t := range tests {
		for _, s := range t.Steps {
			if s.Once && names[s.Seq] == "" {
				names[s.Seq] = "?"
				steps = append(steps, s)
			}
		}
	}
	slices.SortFunc(steps, func(a, b Step) int { return int(a.Seq) - int(b.Seq) })
	for _, s := range steps {
		name := Slug(s.Title)
		for _, c := range s.Captures {
			if taken[name] {
				name += "_" + Slug(c.Name)
			}
		}
		for n := 2; taken[name]; n++ {
			name = fmt.Sprintf("%s_%d", Slug(s.Title), n)
		}
		taken[name] = true
		names[s.Seq] = name
	}
	return steps, names
}
