package serve

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/flaketap/flaketap/internal/console"
)

// sayHeld says which reads were held, of which tests, for how long, and what came of it.
func (s shower) sayHeld(o Options, h *holder) {
	all, more := h.holds()
	if len(all) == 0 {
		return
	}
	c := o.Console
	ran := o.ran(h.began)
	tie(all, ran)
	var saved, others []held
	var total time.Duration
	for _, k := range all {
		if k.outcome == ready {
			saved, total = append(saved, k), total+k.took
		} else {
			others = append(others, k)
		}
	}
	if len(saved) > 0 {
		c.Say("flaketap: %s answered as in passing runs only because flaketap held %s, for %s in all:",
			console.Count(len(saved), "read"), them(len(saved)), total.Round(time.Millisecond))
		s.list(c, saved)
	}
	if len(others) > 0 {
		c.Say("flaketap: %s held, and not answered as in passing runs even so:", was(len(others)))
		s.list(c, others)
	}
	s.sayTests(c, saved)
	if len(ran) > 0 || len(o.Results) == 0 { // else it is told what the results lack
		sayUntied(c, all, len(ran) > 0)
	}
	if more > 0 {
		c.Say("flaketap: and %s that flaketap held", console.Count(more, "other read"))
	}
}

// list tells of reads, those that were held longest first.
func (s shower) list(c *console.Console, all []held) {
	slices.SortStableFunc(all, func(a, b held) int { return -cmp.Compare(a.took, b.took) })
	for i, k := range all {
		if i == maxListed {
			c.Say("flaketap:   and %s", console.Count(len(all)-i, "other"))
			return
		}
		c.Say("flaketap:   %s", s.heldText(k))
	}
}

// heldText tells of one read: which, of which test, for how long, and why it passed then.
func (s shower) heldText(k held) string {
	text := s.operation(k.Operation) + s.ofTest(k)
	text += fmt.Sprintf(" (exchange %d): %s", k.Seq, k.took.Round(time.Millisecond))
	t := k.Oracle.Times
	switch k.outcome {
	case ready:
		return text + fmt.Sprintf("; %s took %s, at most %s", console.Count(t.N, "earlier read"),
			t.Median.Round(time.Millisecond), t.Longest.Round(time.Millisecond))
	case inVain:
		return text + ", passed as " + s.place(k.word.Place) + " is " + console.OneLine(s.redactor.Show("", k.word.JSON)) +
			", from which no read went on"
	case limited:
		return text + ", passed as the API limits how often it is asked; reads like it are not held any more"
	case changed:
		return text + ", passed as it was answered first: asked again, it was refused, so reads like it are not held any more"
	case failed:
		return text + ", passed as the API did not answer when it was asked again"
	}
	return text + ", the longest that it may be held"
}

// them and was fit a number of reads.
func them(n int) string {
	if n == 1 {
		return "it"
	}
	return "them"
}

func was(n int) string {
	if n == 1 {
		return "1 read was"
	}
	return fmt.Sprintf("%d reads were", n)
}
