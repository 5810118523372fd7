package align

import (
	"encoding/binary"
	"slices"

	"github.com/flaketap/flaketap/flow"
)

// lane is a part of one side within which order holds: a test case, or a connection.
type lane struct {
	name  string // the client's mark, "" for a connection
	steps []int
}

// lanes parts two tracks into lanes, where that may tell more than the order of all: the client sent requests side by
// side, or gave its test cases the same names again.
func lanes(recorded, run *Track) (a, b []lane, ok bool) {
	names := map[string]bool{}
	for i := range recorded.steps {
		names[recorded.steps[i].thread.Mark] = true
	}
	named := 0
	for i := range run.steps {
		if mark := run.steps[i].thread.Mark; mark != "" && names[mark] {
			named++
		}
	}
	concurrent := recorded.concurrent || run.concurrent
	if !concurrent && named == 0 {
		return nil, nil, false
	}
	of := byMark
	if concurrent {
		of = byConnection
	}
	a, b = recorded.lanes(of), run.lanes(of)
	return a, b, len(a) > 1 || len(b) > 1
}

// byMark and byConnection tell by what exchanges are grouped: by mark alone, or, where connections were used side by
// side, those without one by connection.
func byMark(t flow.Thread) flow.Thread {
	t.Conn = 0
	return t
}

func byConnection(t flow.Thread) flow.Thread { return t }

// lanes groups the exchanges.
func (t *Track) lanes(of func(flow.Thread) flow.Thread) []lane {
	var out []lane
	at := map[flow.Thread]int{}
	for i := range t.steps {
		key := of(t.steps[i].thread)
		n, ok := at[key]
		if !ok {
			n = len(out)
			at[key] = n
			out = append(out, lane{name: key.Mark})
		}
		out[n].steps = append(out[n].steps, i)
	}
	return out
}

// alignLanes aligns each lane of the recording with the one of the run that it belongs to, and what is left over then
// with what is left over.
func alignLanes(a, b side, recorded, run []lane) []int {
	pairOf := make([]int, len(a.exact))
	taken := make([]bool, len(b.exact))
	for i := range pairOf {
		pairOf[i] = -1
	}
	take := func(rec, own []int) {
		for i, j := range alignSides(a.pick(rec), b.pick(own)) {
			if j >= 0 {
				pairOf[rec[i]] = own[j]
				taken[own[j]] = true
			}
		}
	}
	for i, j := range pairLanes(a, b, recorded, run) {
		if j >= 0 {
			take(recorded[i].steps, run[j].steps)
		}
	}
	var rec, own []int
	for i, j := range pairOf {
		if j < 0 {
			rec = append(rec, i)
		}
	}
	for j, t := range taken {
		if !t {
			own = append(own, j)
		}
	}
	take(rec, own)
	return pairOf
}

// pairLanes finds for each recorded lane the one of the run that it belongs to, or -1: by name; then the first that
// says the same, exactly, but for values that were made up, or by operations; then the one that has most in common with
// it.
func pairLanes(a, b side, recorded, run []lane) []int {
	p := lanePairs{a: a, b: b, recorded: recorded, run: run, of: make([]int, len(recorded)), taken: make([]bool, len(run))}
	for i := range p.of {
		p.of[i] = -1
	}
	p.by(func(_ side, l *lane) string { return l.name })
	for _, ids := range []func(side) []int32{
		func(s side) []int32 { return s.exact }, func(s side) []int32 { return s.masked },
		func(s side) []int32 { return s.alike },
	} {
		p.by(func(s side, l *lane) string {
			var key []byte
			for _, i := range l.steps {
				key = binary.BigEndian.AppendUint32(key, uint32(ids(s)[i]))
			}
			return string(key)
		})
	}
	p.byOverlap()
	return p.of
}

// lanePairs is the state of pairing lanes.
type lanePairs struct {
	a, b          side
	recorded, run []lane
	of            []int  // by recorded lane
	taken         []bool // lanes of the run
}

// by pairs the lanes that are left and have the same key, in their order; "" is none.
func (p *lanePairs) by(key func(side, *lane) string) {
	waiting := map[string][]int{}
	for j := range p.run {
		if k := key(p.b, &p.run[j]); !p.taken[j] && k != "" {
			waiting[k] = append(waiting[k], j)
		}
	}
	for i := range p.recorded {
		k := key(p.a, &p.recorded[i])
		if list := waiting[k]; p.of[i] < 0 && len(list) > 0 {
			p.of[i] = list[0]
			p.taken[list[0]] = true
			waiting[k] = list[1:]
		}
	}
}

// maxOverlaps bounds, in exchanges that are looked at, how long lanes are held against each other.
const maxOverlaps = 1 << 24

// byOverlap pairs the lanes that are left with those that have most in common with them, the longest first.
func (p *lanePairs) byOverlap() {
	var left []int
	for i, j := range p.of {
		if j < 0 {
			left = append(left, i)
		}
	}
	slices.SortStableFunc(left, func(i, j int) int { return len(p.recorded[j].steps) - len(p.recorded[i].steps) })
	work := 0
	for _, i := range left {
		rec := bag(p.a, p.recorded[i].steps)
		best, most := -1, 0
		for j := range p.run {
			if p.taken[j] {
				continue
			}
			if work += len(p.recorded[i].steps) + len(p.run[j].steps); work > maxOverlaps {
				return
			}
			if n := overlap(rec, bag(p.b, p.run[j].steps)); n > most {
				best, most = j, n
			}
		}
		if best >= 0 {
			p.of[i], p.taken[best] = best, true
		}
	}
}

// bag returns what is said in a lane, sorted: the operations, and those with their values.
func bag(s side, steps []int) []int32 {
	out := make([]int32, 0, 2*len(steps))
	for _, i := range steps {
		out = append(out, s.masked[i], -1-s.alike[i])
	}
	slices.Sort(out)
	return out
}

// overlap counts what two sorted lists have in common.
func overlap(a, b []int32) int {
	n := 0
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			n++
			i++
			j++
		}
	}
	return n
}
