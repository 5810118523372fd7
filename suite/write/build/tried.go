package build

import (
	"maps"
	"slices"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/refute"
)

// tried weakens what the trials of the plan contradict.
func (b *builder) tried(a *asserting, l *dependence) {
	for _, r := range b.answers.Tested(a.e.Seq) {
		if r.Status != a.e.Response.Status {
			if !slices.Contains(l.statuses, r.Status) {
				l.statuses = append(l.statuses, r.Status)
			}
			continue
		}
		answer := r.Response
		if a.own {
			answer = b.retold(a.e, r)
		}
		l.differ(a, refute.Differences(a.e.Response, answer))
	}
}

// applyTrials takes back what checks say where an answer of a trial contradicts it. What moves is known of runs alone
// that sent the same as the recording, and they may never have shown all that can come.
func (a *asserting) applyTrials() {
	if a.mode != suite.Relax {
		return
	}
	for _, r := range a.answers.Tested(a.e.Seq) {
		bound := maps.Clone(r.Given)
		maps.DeleteFunc(bound, func(name, _ string) bool { return !a.said.bound[name] })
		a.out = refute.Weaken(a.out, a.e.Response, refute.Answer{Response: r.Response, At: r.At, Host: r.Host,
			Bound: bound, Secrets: a.secrets}, whyState)
	}
}
