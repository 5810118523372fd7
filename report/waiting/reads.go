package waiting

import (
	"strconv"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/waits/settle"
)

// maxAnswers bounds the answers that are kept to learn from them, in bytes.
const maxAnswers = 64 << 20

// Reads gathers the reads of a recording that are ready later.
type Reads struct {
	learner *settle.Learner
	show    shower
	size    int // of the answers that were taken
}

// NewReads gathers from a recording whose operations are given.
func NewReads(operations map[uint64]exchange.Operation, r exchange.Redactor) *Reads {
	return &Reads{learner: settle.New(operations), show: shower{r}}
}

// Add takes the next step, with the observations of runs that send each request once and are not misled.
func (r *Reads) Add(s exchange.Step) {
	if r.size > maxAnswers {
		return
	}
	if method := s.Exchange.Request.Method; method == "GET" || method == "HEAD" {
		r.size += bodyOf(s.Exchange.Response)
		for _, o := range s.Observations {
			r.size += bodyOf(o.Response)
		}
	}
	r.learner.Add(s)
}

func bodyOf(r *exchange.Response) int {
	if r == nil {
		return 0
	}
	return len(r.Body)
}

// Panel tells of them.
func (r *Reads) Panel() *Panel {
	p := New()
	for _, c := range r.learner.Courses() {
		if len(p.Reads) >= maxReads {
			p.Left.Reads++
			continue
		}
		p.Reads = append(p.Reads, r.read(c))
	}
	return p
}

// read tells of one.
func (r *Reads) read(c settle.Course) Read {
	o := c.Oracle
	out := Read{Operation: report.ShowEnds(r.show.Show("", c.Operation.String()), maxText), Seqs: c.Seqs[:min(len(c.Seqs), maxSeqs)],
		Until: "the status is " + strconv.Itoa(o.Status), Vain: []string{}, N: o.Times.N, Median: millis(o.Times.Median),
		Longest: millis(o.Times.Longest), Every: millis(o.Every()), Cap: millis(o.Cap()), Pruned: []Pruned{}}
	for _, v := range o.Needed {
		out.Until += ", " + r.show.words(v)
	}
	for _, v := range o.InVain {
		out.Vain = append(out.Vain, r.show.words(v))
	}
	for _, t := range c.Trails {
		if len(out.Trails) >= maxTrails {
			out.Left++
			continue
		}
		out.Trails = append(out.Trails, r.trail(t, o))
	}
	for _, a := range c.Aside[:min(len(c.Aside), maxPruned)] {
		why := "it changes, and its values do not tell that the API is ready"
		if a.Why == settle.Needless {
			why = "it changes, but what is waited for tells as much"
		}
		out.Pruned = append(out.Pruned, Pruned{string(r.show.ShowPlace(a.Place)), why, 1})
	}
	return out
}

// trail tells how one execution went.
func (r *Reads) trail(t settle.Trail, o *settle.Oracle) Trail {
	out := Trail{Run: t.Run, Looks: []Look{}}
	for _, k := range t.Looks[:min(len(t.Looks), maxLooks)] {
		look := Look{After: millis(k.After), Says: strconv.Itoa(k.Response.Status), State: Early}
		for _, v := range o.Needed {
			if raw, ok := compare.At(k.Response, v.Place); ok {
				look.Says += ", " + r.show.value(v.Place, raw)
			}
		}
		look.Says = report.Show(look.Says, maxText)
		if _, vain := o.Vain(k.Response); vain {
			look.State = Vain
		}
		if o.Ready(k.Response) {
			look.State = Ready
		}
		out.Looks = append(out.Looks, look)
	}
	return out
}

func millis(d time.Duration) float64 { return tenths(float64(d) / float64(time.Millisecond)) }
