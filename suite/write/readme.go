package write

import (
	"fmt"
	"strings"

	"github.com/flaketap/flaketap/suite/write/plan"
)

// readme is what whoever gets the project has to know: how it is run, and what it takes from the environment.
func (f *Format) readme(p plan.Plan) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# API tests

Written by flaketap from a recording of %s. This runs them:

    %s

Each test makes what it needs, and takes away what it made where the recording shows how. The rest stays, and the tests
expect the API as it was when the recording began: start it anew, or reset it, before they run again.

Comments say why less is asserted than was recorded: `+"`Time, moved in 9 of 10`"+` is a value that moved with the clock, in 9 of
10 answers. `+"`Rand`"+` is drawn anew, `+"`Crypt`"+` are tokens and digests, `+"`Unord`"+` has no order, `+"`Env`"+` names the machine or the host,
`+"`RunMsg`"+` is a message about one run, `+"`State`"+` follows what was sent before.

The environment says:

- `+"`FLAKETAP_URL`"+`: where the API is, if not where it was recorded.
- `+"`FLAKETAP_RESET`"+`: a URL that is sent a POST, or a command; it resets the API before the first test.
- `+"`FLAKETAP_SECRETS`"+`: the file of the credentials, if not %s.
- `+"`FLAKETAP_TIMEOUT`"+`: how many seconds a request may take, if not 30.
- `+"`FLAKETAP_INSECURE`"+`: anything, to accept a certificate that nobody vouches for.
`, plan.Visible(p.Target), f.Run, f.secrets)
	for _, c := range p.Credentials {
		fmt.Fprintf(&b, "- `%s`: the credential in %s, if not the one in %s; ", c.Variable, plan.OneLine(c.Where()), f.secrets)
		fmt.Fprintf(&b, "`%s` is the first of %d recorded requests with it.\n",
			strings.ReplaceAll(plan.OneLine(c.First), "`", "'"), c.Requests)
	}
	if len(p.Credentials) > 0 {
		fmt.Fprintf(&b, `
The last ones are credentials that the client had before the recording, so no test can get another. Where the API
answers 401 or 403 since one has expired, give another in its variable: it goes before the one in %s, and is all of a
header's value, as "Bearer …". A login that was recorded is sent again, and the tests use the token that it gives.
`, f.secrets)
	}
	return b.String()
}
