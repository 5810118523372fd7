package trial

import (
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
	"github.com/flaketap/flaketap/suite/write/play"
)

// RefusedError says that the API does not take credentials that tests send. What it answers then is no evidence.
type RefusedError struct {
	Credentials []plan.Credential
	Values      []string // of these, in the same order; secrets
}

// Error names the credentials, without their values.
func (e *RefusedError) Error() string {
	names := make([]string, len(e.Credentials))
	for i, c := range e.Credentials {
		names[i] = c.Where()
	}
	return "the API refused the credential in " + strings.Join(names, " and in ")
}

// refusal is a RefusedError where trials of a plan say so.
func refusal(answers *play.Answers, p plan.Plan) error {
	all := answers.Refused(p)
	if len(all) == 0 {
		return nil
	}
	e := &RefusedError{Credentials: all}
	for _, c := range all {
		e.Values = append(e.Values, p.Secrets[c.Name])
	}
	return e
}
