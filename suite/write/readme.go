package write

import (
	"fmt"
	"maps"
	"slices"
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
- `+"`FLAKETAP_SECRETS`"+`: the file of the secrets, if not %s.
- `+"`FLAKETAP_TIMEOUT`"+`: how many seconds a request may take, if not 30.
- `+"`FLAKETAP_INSECURE`"+`: anything, to accept a certificate that nobody vouches for.
`, plan.Visible(p.Target), f.Run, f.secrets)
	if len(p.Mocks) > 0 {
		f.mocksPart(&b, p)
	}
	f.secretsPart(&b, p)
	return b.String()
}

// mocksPart says how the API's external services come to answer as the tests need it.
func (f *Format) mocksPart(b *strings.Builder, p plan.Plan) {
	serves := "Where it is not, the tests serve the stubs themselves, at one port"
	if f.mocks == wireMock {
		serves = "Where it is not, WireMock serves the stubs, at one port: the tests start it"
	}
	flag, about := "", ""
	if p.WarmUp != nil {
		flag = " --warm-up " + plan.WarmUpFile
		about = fmt.Sprintf("%s has requests that an API which was just started is sent first: what a runtime does for the first time\n"+
			"takes longer than the API may wait for a service.\n\n", plan.WarmUpFile)
	}
	fmt.Fprintf(b, `
## External services

Each test says what the services answer that the API calls: its stubs are a file of the folder %[1]s, in the format of
WireMock's mappings. It asserts what the API answers then, and what it asked of them: by service, method, path and
query, and body, in order, and how often in a row (10 stands for ten times and more; calls that were under way at the
same time are sorted).
A test of what looks wrong says so. It asserts what the API does now, so it fails once that is mended.

Where flaketap is, it starts the API, and leads its connections to the stubs:

    flaketap mock serve --start 'CMD of the API, at port {port}' \
      --ready http://127.0.0.1:{port}/health%[3]s -- sh -c '%[2]s'

%[4]s%[5]s.
Tell the API by its own settings that its services are there, with their names as the first segment of the path:
http://127.0.0.1:9000/rates.example.com:443 for https://rates.example.com.

    export FLAKETAP_MOCKS_PORT=9000 FLAKETAP_URL=http://127.0.0.1:8080
    %[2]s

- `+"`FLAKETAP_RESET`"+`, where it is given, resets the API before each test, not only before the first.
- `+"`FLAKETAP_RESTART`"+`: a URL that is sent a POST, or a command; it starts the API anew, at the same port, after a test that leaves
  it hanging. Without it, such tests are skipped. flaketap mock serve gives it.

The tests run one after the other: they share the API, and its services.
`, plan.MocksFolder, f.Run, flag, about, serves)
	if f.mocks == wireMock {
		beyondWireMock(b, p)
	}
}

// beyondWireMock lists the tests whose stubs flaketap alone serves.
func beyondWireMock(b *strings.Builder, p plan.Plan) {
	said := "\nTests whose stubs WireMock does not know are skipped where flaketap does not serve them:\n\n"
	for _, t := range p.Tests {
		if t.BeyondWireMock != "" {
			fmt.Fprintf(b, "%s- `%s`: %s.\n", said, t.Mock, t.BeyondWireMock)
			said = ""
		}
	}
}

// secretsPart says what the tests send that nobody else is to read, and how it is given.
func (f *Format) secretsPart(b *strings.Builder, p plan.Plan) {
	if len(p.Secrets) == 0 {
		return
	}
	fmt.Fprintf(b, `
## Secrets

What the tests send and nobody else is to read is in %[1]s, which is for its owner alone; .gitignore lists it.
%[2]s has the same names without values: copy it to %[1]s and fill it in, or give each value in
its variable, which goes before the file. A test that needs one for which there is neither fails, and names it.

`, f.secrets, f.example)
	for _, name := range slices.Sorted(maps.Keys(p.Secrets)) {
		about := strings.NewReplacer("`", "'", "*", "\\*", "_", "\\_", "<", "\\<").Replace(plan.OneLine(p.About[name]))
		fmt.Fprintf(b, "- `%s`, in `%s`: %s\n", name, plan.Variable(name), about)
	}
	if len(p.Credentials) == 0 {
		return
	}
	b.WriteString("\nThese are credentials that the client had before the recording, so no test can get another:\n\n")
	for _, c := range p.Credentials {
		fmt.Fprintf(b, "- `%s`: the credential in %s; `%s` is the first of %d recorded requests with it.\n",
			plan.Variable(c.Name), plan.OneLine(c.Where()), strings.ReplaceAll(plan.OneLine(c.First), "`", "'"), c.Requests)
	}
	fmt.Fprintf(b, `
Where the API answers 401 or 403 since one has expired, give another in its variable: it goes before the one in %s, and
is all of a header's value, as "Bearer …". A login that was recorded is sent again, and the tests use the token that it
gives. What is called REFUSED is what the API refused in the recording, and is to refuse again.
`, f.secrets)
}
