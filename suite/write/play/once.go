package play

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// Played is what a tested step was answered in one trial, and the recorded exchange that the step sends again.
type Played struct {
	Seq uint64
	Answer
}

// Once lists what the tested steps were answered in a trial, in the order in which they were asked.
func (a *Answers) Once(trial int) []Played {
	var out []Played
	for seq, all := range a.tested {
		for _, r := range all {
			if r.Trial == trial {
				out = append(out, Played{seq, r})
			}
		}
	}
	slices.SortFunc(out, func(x, y Played) int { return cmp.Or(x.Sent.Compare(y.Sent), cmp.Compare(x.Seq, y.Seq)) })
	return out
}

// With are these answers and those of one trial more, which had the given ones.
func (a *Answers) With(more []Played) Answers {
	out := *a
	out.tested = maps.Clone(a.tested)
	out.trials++
	for _, r := range more {
		r.Trial = out.trials
		out.tested[r.Seq] = append(slices.Clip(out.tested[r.Seq]), r.Answer)
	}
	return out
}

// Exchange is an answer with the request that it was given to.
func (p *Played) Exchange() *exchange.Exchange {
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\n", p.Asked.Method, p.Asked.Target, p.Host)
	for _, h := range p.Asked.Headers {
		fmt.Fprintf(&head, "%s: %s\r\n", h[0], h[1])
	}
	head.WriteString("\r\n")
	request := exchange.ParseRequest(exchange.Message{Head: head.Bytes(), Body: p.Asked.Body, Plain: true})
	return &exchange.Exchange{Seq: p.Seq, Request: request, Response: p.Response}
}
