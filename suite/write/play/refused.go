package play

import (
	"slices"

	"github.com/flaketap/flaketap/suite/write/plan"
)

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
				slices.SortStableFunc(all, func(x, y Answer) int { return x.At.Compare(y.At) })
				switch first := slices.IndexFunc(all, Answer.refused); {
				case first < 0 || slices.ContainsFunc(all[first:], Answer.succeeded):
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

func (a Answer) refused() bool { return a.Status == 401 || a.Status == 403 }

func (a Answer) succeeded() bool { return a.Status < 400 }

// bears reports whether a step sends a credential.
func bears(s *plan.Step, c plan.Credential) bool {
	return slices.ContainsFunc(s.Texts(), func(t plan.Text) bool {
		return slices.ContainsFunc(t, func(p plan.Piece) bool { return p.Secret == c.Name })
	})
}

// succeeded reports whether a step was answered with a success in the recording.
func succeeded(s *plan.Step) bool {
	return len(s.Checks) > 0 && len(s.Checks[0].Statuses) > 0 && s.Checks[0].Statuses[0] < 400
}
