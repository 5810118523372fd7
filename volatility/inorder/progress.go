package inorder

import "time"

// Progress counts how the numbers of one place go on while something is under way: the rows that a job has read.
type Progress struct {
	last map[asked]float64

	// Answers to a request that was asked before in the same run, the number larger than then, or smaller.
	rises, falls int
	// The recorded answer of a step and that of a run, of which the one that came later after what was made in its own
	// run had the larger number, or the smaller one.
	older, younger int
}

// asked is a request that was sent in a run, 0 for the recording.
type asked struct {
	run     int
	request [16]byte
}

// maxAsked bounds the requests of all runs whose numbers are kept.
const maxAsked = 4096

// Answer is a number with what it was the answer to.
type Answer struct {
	Run    int // 0 is the recording
	Value  float64
	Age    time.Duration // since the last request of the run that made something; 0 where there was none
	Unsure time.Duration // how much of that may be the answer's own time
}

// Add takes in one answer to the request that is recorded as the given one.
func (p *Progress) Add(request [16]byte, a Answer) {
	key := asked{a.Run, request}
	before, again := p.last[key]
	switch {
	case !again && len(p.last) >= maxAsked:
		return
	case again && a.Value > before:
		p.rises++
	case again && a.Value < before:
		p.falls++
	}
	if p.last == nil {
		p.last = make(map[asked]float64)
	}
	p.last[key] = a.Value
}

// Compare holds the answer of a run against the recorded one of the same step.
func (p *Progress) Compare(recorded, run Answer) {
	if recorded.Age == 0 || run.Age == 0 || recorded.Value == run.Value {
		return
	}
	later := run.Age - recorded.Age
	switch {
	case later.Abs() <= max(recorded.Unsure, run.Unsure):
	case (later > 0) == (run.Value > recorded.Value):
		p.older++
	default:
		p.younger++
	}
}

// How often it has to go on in one direction: by itself, and beside something that says that a thing is under way.
const (
	minGrows  = 5
	minBeside = 3
)

// GoesOn reports whether the number went but one way whenever the same was asked again in a run, often enough for it to
// be no chance.
func (p *Progress) GoesOn() bool {
	return min(p.rises, p.falls) == 0 && max(p.rises, p.falls) >= minGrows
}

// Leans reports whether it went one way, of what was asked again and of what was asked later, four times of five: that
// is enough where it is known that something is under way.
func (p *Progress) Leans() bool {
	up, down := p.rises+p.older, p.falls+p.younger
	return max(up, down) >= minBeside && 4*min(up, down) <= max(up, down)
}

// Absorb adds what was seen of another place.
func (p *Progress) Absorb(u Progress) {
	p.rises += u.rises
	p.falls += u.falls
	p.older += u.older
	p.younger += u.younger
}
