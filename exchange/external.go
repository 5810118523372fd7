package exchange

import (
	"slices"
	"strings"
	"time"
)

// External is one request of the API to a service outside of it, and what came back. It is no exchange of the API:
// stores keep the two apart.
//
// Of the embedded Exchange, Seq counts externals, Pass is 0 where the API asked outside of a pass, as while it was
// started; Addr is the service as the API named it, a name or an address with the port; and Conn, Sequence and Target
// are empty. But for what a real service was asked, the fields of a head stand in their usual spelling, sorted, as it
// is only known what they say.
type External struct {
	Exchange
	Run  int    // the run in which the API asked; 0 where that was while it was recorded
	Stub string // the name of the stub that answered; "" where there was none
	Real bool   // the service itself answered
}

// Answered reports whether somebody had an answer: the service itself, or a stub.
func (x *External) Answered() bool { return x.Real || x.Stub != "" }

// Service names the service that was asked as a URL does: without the port that is its scheme's own.
func (x *External) Service() string {
	port := map[string]string{"http": ":80", "https": ":443"}[x.Scheme]
	if host, usual := strings.CutSuffix(x.Addr, port); port != "" && usual {
		return strings.Trim(host, "[]")
	}
	return x.Addr
}

// Cause says which exchange of the API an external belongs to.
type Cause struct {
	Seq        uint64 // of the exchange that alone was under way when the API asked; 0 where none was, or several were
	UnderWay   int    // how many were
	Background bool   // some were, but the API asks that as often while none is: Seq is 0
}

// Causes returns the causes of externals, by the times alone: nothing else is known of what a process does inside. A
// background call that falls into an exchange is known as such where quiet times show how often it is made, a second at
// least in which it was made three times; else it is taken for the exchange's. It takes the time of sorting both.
func Causes(incoming []*Exchange, externals []*External) []Cause {
	begun := slices.Clone(incoming)
	ended := slices.Clone(incoming)
	end := func(e *Exchange) time.Time { return e.Start.Add(e.Latency) }
	slices.SortFunc(begun, func(a, b *Exchange) int { return a.Start.Compare(b.Start) })
	slices.SortFunc(ended, func(a, b *Exchange) int { return end(a).Compare(end(b)) })
	order := make([]int, len(externals))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return externals[a].Start.Compare(externals[b].Start) })
	causes := make([]Cause, len(externals))
	// Where one is under way, its position is the sum of those that have begun, less that of those that have ended.
	var sum uint64
	first, past := 0, 0
	for _, i := range order {
		at := externals[i].Start
		for ; first < len(begun) && !begun[first].Start.After(at); first++ {
			sum += begun[first].Seq
		}
		for ; past < len(ended) && end(ended[past]).Before(at); past++ {
			sum -= ended[past].Seq
		}
		if causes[i].UnderWay = first - past; causes[i].UnderWay == 1 {
			causes[i].Seq = sum
		}
	}
	apart := background(stretches(begun), externals, order)
	for i, x := range externals {
		if causes[i].UnderWay > 0 && apart(x) {
			causes[i].Seq, causes[i].Background = 0, true
		}
	}
	return causes
}
