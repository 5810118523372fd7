package cmdline

import (
	"strings"

	"github.com/urfave/cli/v2"
)

// Examples are what the help of a command shows to be typed, by the name by which it is started. A test holds that each
// command has some, and takes them.
func Examples() map[string][]string {
	return map[string][]string{
		"flaketap init": {"flaketap init",
			"flaketap init --target http://127.0.0.1:8080 --reset ./reset-db.sh -- pytest tests/"},
		"flaketap doctor": {"flaketap doctor", "flaketap doctor --target http://127.0.0.1:8080 --reset ./reset-db.sh --yes"},
		"flaketap record": {"flaketap record --target http://127.0.0.1:8080 -- pytest tests/",
			"flaketap record --start './api --port {port}' --ready http://127.0.0.1:{port}/health -- npm test"},
		"flaketap inspect": {"flaketap inspect", "flaketap inspect exchanges --status 5xx",
			`flaketap inspect why "GET /orders/{id}" /body/total`},
		"flaketap ui": {"flaketap ui", "flaketap ui --db nightly.db -- --reset ./reset-db.sh"},
		"flaketap ca": {"flaketap ca print", "flaketap ca export --format p12 --out flaketap.p12"},
		"flaketap replay": {"flaketap replay --runs 10 --bound 0.01 --reset ./reset-db.sh",
			"flaketap replay --runs 3 --reset ./reset-db.sh --perturb default"},
		"flaketap rerun":  {"flaketap rerun --runs 5 --reset ./reset-db.sh -- pytest tests/"},
		"flaketap steady": {"flaketap steady --target http://127.0.0.1:8080 -- npm test"},
		"flaketap import": {"flaketap import run-01.har.gz", "flaketap import --as run run-02.har.gz run-03.har.gz"},
		"flaketap export": {"flaketap export --out recording.har.gz", "flaketap export --format wiremock --out mappings.json"},
		"flaketap map":    {"flaketap map --out volatile.json", "flaketap map --baseline volatile.json --fail-on new"},
		"flaketap diff":   {"flaketap diff OLD.json NEW.json --format markdown"},
		"flaketap suite":  {"flaketap suite --format pytest --out suite/ --target http://127.0.0.1:8080 --reset ./reset-db.sh"},
		"flaketap patch":  {"flaketap patch --db suite.db --out suite-stable/ suite/"},
		"flaketap verify": {"flaketap verify --reset ./reset-db.sh --mutate all suite/ suite-stable/ -- pytest {}"},
		"flaketap stabilize": {
			"flaketap stabilize --target http://127.0.0.1:8080 --reset ./reset-db.sh suite/ -- pytest {}"},
		"flaketap why":    {"flaketap why test_order --results results.xml --suite tests/"},
		"flaketap triage": {"flaketap triage results.xml --run run.db --db nightly --map volatile.lock"},
		"flaketap mock serve": {
			"flaketap mock serve stubs/ --start './api --port {port}' --ready http://127.0.0.1:{port}/health -- pytest tests/"},
		"flaketap mock search": {"flaketap mock search --request 'GET /quote' --start './api --port {port}' " +
			"--ready http://127.0.0.1:{port}/health --out found",
			"flaketap mock search --start './api --port {port}' --ready http://127.0.0.1:{port}/health --out found " +
				"-- sh -c 'schemathesis run $FLAKETAP_URL/openapi.json --url $FLAKETAP_URL'"},
		"flaketap waits suggest": {"flaketap waits suggest --results results.xml"},
		"flaketap waits tune":    {"flaketap waits tune tests/test_jobs.py:22 --from 2000 -- pytest {file} -k after_a_while"},
		"flaketap waits record":  {"flaketap waits record --out session.json -- npx mocha e2e"},
		"flaketap waits mark":    {"flaketap waits mark --in-place cypress"},
		"flaketap waits hold":    {"flaketap waits hold --session session.json -- npx mocha e2e"},
		"flaketap waits patch":   {"flaketap waits patch --session session.json --in-place e2e"},
		"flaketap hub":           {"flaketap hub", "flaketap hub --listen 10.0.0.7:4222 --tls-cert hub.crt --tls-key hub.key"},
		"flaketap hub status":    {"flaketap hub status", "flaketap hub status tls://hub.example.com/nightly --format json"},
		"flaketap hub remove":    {"flaketap hub remove nats://127.0.0.1:4222/nightly", "flaketap hub remove nats://127.0.0.1:4222/shop --plan dn5ykygz0dtg"},
		"flaketap ship":          {"flaketap ship --to nats://127.0.0.1:4222/nightly --token-key token.key --db api.db"},
		"flaketap collect":       {"flaketap collect nats://127.0.0.1:4222/nightly --token-key token.key --db all.db"},
		"flaketap worker": {
			"flaketap worker nats://127.0.0.1:4222/shop --token-key token.key --start './api --port {port}' " +
				"--ready http://127.0.0.1:{port}/health",
		},
		"flaketap report":      {"flaketap report --out report.html", "flaketap report --format markdown --since volatile.json"},
		"flaketap demo":        {"flaketap demo --out demo-out"},
		"flaketap demo api":    {"flaketap demo api --listen 127.0.0.1:8080 --fault status"},
		"flaketap demo client": {"flaketap demo client --url http://127.0.0.1:8877"},
		"flaketap demo truth":  {"flaketap demo truth"},
		"flaketap demo score":  {"flaketap demo score volatile.json"},
		"flaketap completion":  {"flaketap completion bash"},
		"flaketap man":         {"flaketap man record"},
		"flaketap version":     {"flaketap version"},
	}
}

// WithExamples adds to what the help of a command says what to type: all of its examples.
func WithExamples(c *cli.Command, all []string) {
	if len(all) == 0 {
		return
	}
	title := "Example:"
	if len(all) > 1 {
		title = "Examples:"
	}
	c.Description = strings.TrimLeft(c.Description+"\n\n"+title+"\n   "+strings.Join(all, "\n   "), "\n")
}
