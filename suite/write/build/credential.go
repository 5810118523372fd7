package build

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/suite/setup"
	"github.com/flaketap/flaketap/suite/write/plan"
)

// maxOfPlace is how many credentials one place may have to be given names: where there are more, the client made them
// up, and nobody is to give others.
const maxOfPlace = 5

// minCredential is the least length of a credential, in bytes: what is shorter says something, as a cookie theme=dark.
const minCredential = 6

// readCredentials finds the credentials that the client had before the recording: secrets of target and head that no
// answer gave, and with which some request succeeded. Each has a name, by which whoever runs the suite gives another;
// one that was refused in the recording is what a test is about, and stays as it is.
func (b *builder) readCredentials() {
	found := map[string]*plan.Credential{} // by value
	places := map[exchange.Place][]string{}
	for i := range b.src.Steps {
		e := b.src.Steps[i].Exchange
		if setup.Unsendable(e) != "" || e.Response.Status >= 400 {
			continue
		}
		uses := b.usesOf(e)
		for _, s := range b.secretsOf(e) {
			given := func(u setup.Use) bool { return u.Place.Within(s.place) }
			if s.place.Root() == "body" || len(s.value) < minCredential || slices.ContainsFunc(uses, given) {
				continue
			}
			if found[s.value] == nil {
				found[s.value] = &plan.Credential{Place: s.place, First: b.operationName(e)}
				places[s.place] = append(places[s.place], s.value)
			}
			found[s.value].Requests++
		}
	}
	b.named = map[string]string{}
	taken := map[string]bool{}
	for _, place := range slices.Sorted(maps.Keys(places)) {
		if len(places[place]) > maxOfPlace {
			continue
		}
		for _, value := range places[place] {
			c := found[value]
			name := "FLAKETAP_" + strings.ToUpper(plan.Slug(string(place)))
			c.Variable = name
			for n := 2; taken[c.Variable]; n++ {
				c.Variable = fmt.Sprintf("%s_%d", name, n)
			}
			taken[c.Variable] = true
			b.credentials = append(b.credentials, *c)
			b.named[value] = c.Variable
			if given, ok := b.given[value]; ok {
				b.named[given] = c.Variable
			}
		}
	}
	slices.SortFunc(b.credentials, func(x, y plan.Credential) int { return strings.Compare(x.Variable, y.Variable) })
}

// sentCredentials lists the credentials that the tests made so far send.
func (b *builder) sentCredentials() []plan.Credential {
	return slices.DeleteFunc(slices.Clone(b.credentials), func(c plan.Credential) bool {
		_, sent := b.secrets[c.Variable]
		return !sent
	})
}

// minRefused is how many requests must be refused by a credential that ends while trials go on.
const minRefused = 3

// Refused lists the credentials of a plan that the API of the trials does not take, or takes no more. Of the requests
// that bear one, and succeeded in the recording, half at least were answered 401 or 403: in every trial, or, where that
// began between trials, [minRefused] requests at least, and none of them succeeded after it had been refused.
func (a *Answers) Refused(p plan.Plan) []plan.Credential {
	var out []plan.Credential
	for _, c := range p.Credentials {
		seen, always, since := map[uint64]bool{}, 0, 0
		for _, t := range p.Tests {
			for i := range t.Steps {
				s := &t.Steps[i]
				all := slices.Concat(a.setUps[s.Seq], a.tested[s.Seq])
				if len(all) == 0 || seen[s.Seq] || !bears(s, c) || !succeeded(s) {
					continue
				}
				seen[s.Seq] = true
				slices.SortStableFunc(all, func(x, y tried) int { return x.at.Compare(y.at) })
				switch first := slices.IndexFunc(all, tried.refused); {
				case first < 0 || slices.ContainsFunc(all[first:], tried.succeeded):
				case first == 0:
					always++
				default:
					since++
				}
			}
		}
		ended := since > 0 && always+since >= minRefused && 2*(always+since) >= len(seen)
		if always > 0 && 2*always >= len(seen) || ended {
			out = append(out, c)
		}
	}
	return out
}

func (r tried) refused() bool { return r.Status == 401 || r.Status == 403 }

func (r tried) succeeded() bool { return r.Status < 400 }

// bears reports whether a step sends a credential.
func bears(s *plan.Step, c plan.Credential) bool {
	return slices.ContainsFunc(s.Texts(), func(t plan.Text) bool {
		return slices.ContainsFunc(t, func(p plan.Piece) bool { return p.Secret == c.Variable })
	})
}

// succeeded reports whether a step was answered with a success in the recording.
func succeeded(s *plan.Step) bool {
	return len(s.Checks) > 0 && len(s.Checks[0].Statuses) > 0 && s.Checks[0].Statuses[0] < 400
}
