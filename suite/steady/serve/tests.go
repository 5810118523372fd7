package serve

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/suite/results"
	"github.com/flaketap/flaketap/suite/verify"
)

// A read that was held belongs to the test that ran meanwhile: the runner's results say when that was. Most JUnit XML
// says roughly, as it has the beginning of all tests and how long each took, or how long each took alone; so a test
// must also have taken as long as the read was held.

const (
	// apart is how far what a runner and flaketap call the same time may be apart.
	apart = 20 * time.Millisecond
	// rounding is how much a runner may round off how long a test took.
	rounding = 10 * time.Millisecond
	// coarse is from when on too little is known of when a test ran to choose among several.
	coarse = time.Second
	// maxNamed bounds the tests that are named as those that a read may be of.
	maxNamed = 3
)

// ran is the tests whose results say when they ran, of those that the client's runner left, which began at a time. What
// cannot be read is told.
func (o Options) ran(began time.Time) []results.Detailed {
	var out []results.Detailed
	read := false
	for _, path := range o.Results {
		files, err := verify.ResultsIn(path)
		for _, f := range files {
			read = true
			out = append(out, f.Dated(began)...)
		}
		if err != nil {
			o.Console.Warn("flaketap: %s", console.OneLine(err.Error()))
		}
	}
	out = slices.DeleteFunc(out, func(r results.Detailed) bool {
		return r.Outcome == results.Skip || r.Start.IsZero() || r.End.IsZero()
	})
	if read && len(out) == 0 {
		o.Console.Warn("flaketap: the results in %s do not say when a test ran", console.OneLine(strings.Join(o.Results, ", ")))
	}
	return out
}

// tie finds the tests that each read may be of.
func tie(all []held, ran []results.Detailed) {
	byStart := make([]*results.Detailed, len(ran))
	for i := range ran {
		byStart[i] = &ran[i]
	}
	slices.SortStableFunc(byStart, func(a, b *results.Detailed) int { return a.Start.Compare(b.Start) })
	byBegin := make([]*held, len(all))
	for i := range all {
		byBegin[i] = &all[i]
	}
	slices.SortStableFunc(byBegin, func(a, b *held) int { return a.begun.Compare(b.begun) })
	var open []*results.Detailed
	for _, k := range byBegin {
		for len(byStart) > 0 && !byStart[0].Start.After(k.begun.Add(apart)) {
			open, byStart = append(open, byStart[0]), byStart[1:]
		}
		open = slices.DeleteFunc(open, func(r *results.Detailed) bool { return r.End.Add(apart).Before(k.begun) })
		k.tieTo(open)
	}
}

// tieTo finds the tests that the read may be of among those that may have run when it began. Of several it is most
// likely of the only one that ran then if what their runner did besides came before them all, as loading does.
func (k *held) tieTo(open []*results.Detailed) {
	var fit, late []*results.Detailed
	over := k.begun.Add(k.took - apart)
	for _, r := range open {
		length := r.End.Sub(r.Start)
		if r.Rough {
			length = r.Duration
		}
		if k.took > length+rounding || over.After(r.End) {
			continue
		}
		fit = append(fit, r)
		if begun := r.End.Add(-length - apart); !begun.After(k.begun) && r.End.Sub(r.Start)-length < coarse {
			late = append(late, r)
		}
	}
	if len(fit) > 1 && len(late) == 1 && !fit[0].Start.Equal(fit[1].Start) { // else they ran at once
		fit, k.likely = late, true
	}
	if k.fit = len(fit); k.fit <= maxNamed {
		k.tests = fit
	}
}

// ofTest says which test a read is of: " of test a"; "" where that is not known.
func (s shower) ofTest(k held) string {
	switch {
	case k.sequence != "":
		return " of test " + console.OneLine(s.redactor.Show("", k.sequence))
	case k.fit > maxNamed:
		return fmt.Sprintf(" of one of %d tests", k.fit)
	case k.fit == 0:
		return ""
	}
	names := make([]string, k.fit)
	for i, r := range k.tests {
		names[i] = s.test(r.ID())
	}
	text := " of test " + strings.Join(names, " or ")
	if k.likely {
		text = " most likely" + text
	}
	return text
}

func (s shower) test(id results.ID) string {
	return console.OneLine(s.redactor.Show("", id.String()))
}

// sayTests says which tests passed with reads that became ready while they were held, and how long those were held.
func (s shower) sayTests(c *console.Console, saved []held) {
	type sum struct {
		id    results.ID
		reads int
		took  time.Duration
	}
	var tests []sum
	at := map[results.ID]int{}
	for _, k := range saved {
		if k.fit != 1 || k.tests[0].Outcome != results.Pass {
			continue
		}
		id := k.tests[0].ID()
		i, known := at[id]
		if !known {
			i = len(tests)
			at[id], tests = i, append(tests, sum{id: id})
		}
		tests[i].reads++
		tests[i].took += k.took
	}
	if len(tests) == 0 {
		return
	}
	slices.SortStableFunc(tests, func(a, b sum) int { return -cmp.Compare(a.took, b.took) })
	c.Say("flaketap: %s passed with what flaketap held:", console.Count(len(tests), "test"))
	for i, t := range tests {
		if i == maxListed {
			c.Say("flaketap:   and %s", console.Count(len(tests)-i, "other"))
			return
		}
		c.Say("flaketap:   %s: %s, %s", s.test(t.id), console.Count(t.reads, "read"), t.took.Round(time.Millisecond))
	}
}

// sayUntied says of how many reads the test is not known, and what would tell. Results say whether the client's runner
// named some.
func sayUntied(c *console.Console, all []held, results bool) {
	n := 0
	for _, k := range all {
		if k.sequence == "" && k.fit == 0 {
			n++
		}
	}
	switch {
	case n == 0:
	case results:
		c.Say("flaketap: no test ran, by the results, while %s held", was(n))
	default:
		c.Say("flaketap: which test asked is not known of %s; --results FILE names the results that the test runner leaves, which tell", console.Count(n, "read"))
	}
}
