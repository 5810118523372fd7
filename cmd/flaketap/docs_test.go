package main

import (
	"cmp"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
	"github.com/flaketap/flaketap/internal/testbed/evomaster"
)

// The commands that README and docs show are run as they stand there, on the demo API, but for what [documented] puts in the
// place of names that only stand for something: the API's address, its reset, the client.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	blocks := commandBlocks(t)
	told := map[string]bool{}
	for _, b := range blocks {
		for _, command := range b.commands {
			told[command] = true
		}
	}
	for command := range runElsewhere {
		if !told[command] {
			t.Errorf("runElsewhere has %q, which no page shows", command)
		}
	}
	python(t)
	// So few runs as these do not show what moves only now and then, and a suite would assert it.
	url, stop := serveTruth(t, demoapi.Dials{RareChance: -1, NullChance: -1, FieldChance: -1, TextChance: -1, Latency: visible})
	defer stop()
	recorded := recordedBench(t, url)
	for len(blocks) > 0 {
		page, n := blocks[0].page, 1
		for n < len(blocks) && blocks[n].page == page {
			n++
		}
		t.Run(page, func(t *testing.T) {
			b := newFuzzBench(t)
			b.must("cp -r " + recorded.dir + "/* .")
			for _, block := range blocks[:n] {
				b.runBlock(block, url)
			}
		})
		blocks = blocks[n:]
	}
}

// runBlock runs those commands of a block that are not run elsewhere, from the API's start.
func (b *bench) runBlock(block commandBlock, url string) {
	b.t.Helper()
	reset, err := http.Post(url+"/admin/reset", "", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	reset.Body.Close()
	if slices.ContainsFunc(block.commands, aboutSuite.MatchString) {
		b.must("rm -rf suite && cp -r fuzzed suite") // in the place of one that an earlier block has written
	}
	for _, command := range block.commands {
		if runElsewhere[command] != "" {
			continue
		}
		if made := makesRecording.FindStringSubmatch(command); made != nil {
			b.must("rm -f " + cmp.Or(made[1], "flaketap.db")) // a recording is not written over
		}
		b.must(documented(command, url), "API_AUTH=password: none")
	}
}

// aboutSuite is a command that takes a fuzzer's suite.
var aboutSuite = regexp.MustCompile(`^flaketap (patch|verify) `)

// makesRecording is a command that makes a recording, in the file that it names.
var makesRecording = regexp.MustCompile(`^flaketap (?:record|import run-01)(?: .*?--db (\S+))?`)

// recordedBench is a bench with what the pages take to be there: recordings with runs, maps, files of other tools, and a
// fuzzer's suite, as fuzzed, and in the place of a patched one.
func recordedBench(t *testing.T, url string) *bench {
	b := newBench(t)
	b.must("flaketap record --listen 127.0.0.1:0 --target " + url + " --reset " + url + "/admin/reset -- flaketap demo client")
	b.must("flaketap replay --runs 2 --reset " + url + "/admin/reset")
	b.must("flaketap map --out OLD && cp OLD NEW && cp OLD main.json && cp flaketap.db suite.db && cp flaketap.db session.db")
	session, err := sessionOf(filepath.Join(b.dir, "session.db"))
	if err != nil {
		t.Fatal(err)
	}
	tests := evomaster.Choose(session, flow.Operations(session, flow.Bindings(session)), 1)[:8]
	b.must("mkdir fuzzed")
	b.write("fuzzed/test_generated.py", evomaster.Python("EvoMaster_Test", url, tests))
	b.write("fuzzed/em_test_utils.py", evomaster.PythonHelper())
	b.must("cp -r fuzzed suite-patched")
	for _, name := range []string{"run-01", "run-02", "run-03", "run-04"} {
		b.must("flaketap record --db " + name + ".db --listen 127.0.0.1:0 --target " + url + " --reset " + url + "/admin/reset -- flaketap demo client")
		b.must("flaketap export --db " + name + ".db --out " + name + ".har.gz")
	}
	b.write("credentials", []byte("password: none\n"))
	b.write("openapi.json", demoapi.OpenAPI())
	return b
}

// runElsewhere are the commands that are not run here, with the reason.
var runElsewhere = map[string]string{
	"flaketap verify --start './api --port {port}' --variants builds/ suite/ -- python -m pytest {}":                                       "TestScripts/verify has builds of an API",
	"flaketap verify --start './api --port {port}' --variants './api-bug-17 --port {port}' suite/ -- python -m pytest {}":                  "so it has",
	"flaketap stabilize --target http://127.0.0.1:8080 --reset … suite/ -- pytest {}":                                                      "TestRealPythonStabilize has a suite whose helper lies beside it",
	"flaketap stabilize --target http://127.0.0.1:8080 --reset ./reset-db.sh suite/ -- python -m pytest {}":                                "so it has",
	"flaketap stabilize --start './api --port {port}' --ready http://127.0.0.1:{port}/health suite/ -- python -m pytest {}":                "TestRealPythonStabilizeStarted starts one",
	"flaketap stabilize --start './api --port {port}' --ready http://127.0.0.1:{port}/health suite/ -- go -C {} test -count=1 -json ./...": "TestStabilizeWrittenGo starts one too",
	"flaketap record --start './api --port {port}' --ready URL --db order.db -- npx mocha suite":                                           "TestRealNodeStabilizeOrder records such an order, with Jest",
	"flaketap stabilize --session order.db --start './api --port {port}' --ready URL suite -- npx mocha --file suite/backwards.js {}":      "and mends its reverse",
	"flaketap record --target http://127.0.0.1:8080 --reset ./reset-db.sh -- pytest suite":                                                 "TestWhyPytest does so with a suite of its own",
	"flaketap rerun --runs 5 --reset ./reset-db.sh -- pytest --junitxml=results.xml suite":                                                 "so it does",
	"flaketap triage results.xml --run run.db --db nightly --map volatile.lock":                                                            "TestScripts/triage and TestRecipesOfCI do so",
	"flaketap why test_order --results results.xml --suite suite":                                                                          "so it does",
	"flaketap why test_order --results results.xml --suite tests/":                                                                         "so it does",
	"flaketap rerun --runs 10 --reset ./reset.sh -- pytest --junitxml=results.xml tests/":                                                  "so it does",
	"flaketap why test_order --results results.xml":                                                                                        "so it does",
	"flaketap record --start './api --port {port}' --ready http://127.0.0.1:{port}/health --external --stubs stubs/ -- pytest suite":       "TestRecordExternal has an API that calls others",
	"flaketap hub": "TestManyMachines has one",
	"flaketap record --target http://127.0.0.1:8080 --db api.db --to nats://127.0.0.1:4222/nightly --hub-credential flaketap-hub/credential --token-key token.key -- pytest tests/": "it records so",
	"flaketap collect nats://127.0.0.1:4222/nightly --hub-credential flaketap-hub/credential --token-key token.key --db all.db":                                                     "it collects so",
	"flaketap hub status": "it asks for it",
	"flaketap worker nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key --start './api --port {port}' --ready http://127.0.0.1:{port}/health --reset http://127.0.0.1:{port}/reset": "TestManyWorkers has two",
	"flaketap worker nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key":                                                                                                            "TestMapByWorkers has one",
	"flaketap worker nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key --start './api --port {port}' --ready http://127.0.0.1:{port}/health --external":                            "TestManySearch has two of them run trials",
	"flaketap mock search --request 'GET /quote?currency=EUR' --words src --workers nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key --out found":                                 "TestManySearch has workers run its trials",
	"flaketap map --workers nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key --out volatile.json":                                                                                 "it has it judge",
	"flaketap replay --runs 5 --workers nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key":                                                                                         "it has them play",
	"flaketap verify --runs 10 --mutate all --workers nats://127.0.0.1:4222/shop --hub-credential flaketap-hub/credential --token-key token.key tests/ -- python -m pytest {}":                                             "TestManyTrials has workers lend their APIs to it",
	"flaketap hub --listen 10.0.0.7:4222 --tls-cert hub.crt --tls-key hub.key":                                                                                                                                             "TestEncrypted of capture/hub has one with TLS",
	"flaketap inspect externals": "TestRecordExternal lists those of such an API",
	"flaketap record --start './api --port {port}' --ready http://127.0.0.1:{port}/health --external --allow rates.example.com -- pytest suite":             "TestRealPythonExternalRuns has an API that asks a real service",
	"flaketap replay --runs 3 --start './api --port {port}' --ready http://127.0.0.1:{port}/health --external":                                              "the same test",
	"flaketap mock serve stubs/ --start './api --port {port}' --ready http://127.0.0.1:{port}/health -- pytest suite":                                       "TestMockServe has an API that calls others",
	"flaketap mock search --request 'GET /quote?currency=EUR' --start './api --port {port}' --ready http://127.0.0.1:{port}/health --words src --out found": "TestMockSearch has an API that calls others",
	"flaketap mock search --db flaketap.db --start './api --port {port}' --ready http://127.0.0.1:{port}/health --out found":                                "TestMockSearchRecording has one",
	"flaketap mock serve stubs/ --spec rates.example.com=rates.proto --start './api --port {port}' --ready http://127.0.0.1:{port}/health -- pytest suite":  "TestRealPythonGRPC has an API that makes such calls",
	"flaketap mock serve --start './api --port {port}' --ready http://127.0.0.1:{port}/health -- pytest suite":                                              "so it has",

	"flaketap mock search --start './api --port {port}' --ready http://127.0.0.1:{port}/health --out found -- sh -c 'schemathesis run $FLAKETAP_URL/openapi.json --url $FLAKETAP_URL'": "TestMockSearchFuzzer has a command that sends requests",

	"flaketap suite --mocks found --format pytest --out suite": "TestRealPythonMockSuite has what was found",
	"flaketap mock serve --start './api --port {port}' --ready http://127.0.0.1:{port}/health --warm-up suite/warm-up.json -- python3 -m pytest suite": "so it has",
	"flaketap export --format wiremock --out mappings.json":                                                   "TestExportServices has a recording with services",
	"flaketap export --format hoverfly --stubs found/015 --out simulation.json":                               "so it has",
	"flaketap export --format wiremock --stubs found --out behaviors/":                                        "TestExportFound has what was found",
	"flaketap steady --hold --results results.xml --reset ./reset.sh -- pytest --junitxml=results.xml tests/": "TestRealPythonSteadyHeldTest has an API that is ready later",
	"flaketap export --format openapi --out services/":                                                        "so it has",
	"flaketap export --format openapi --stubs found --out services/":                                          "TestSamplesOfSearch (mock/serve) has what was found",
	"flaketap waits suggest cypress/e2e/menu.cy.js:12":                                                        "TestScripts/waits has such a suite",
	"flaketap waits suggest --results results.xml":                                                            "so it has",
	"flaketap waits tune tests/test_jobs.py:22 --from 2000 -- pytest {file} -k after_a_while":                 "TestRealNodeTuneWaits tunes such a sleep",
	"flaketap waits tune tests/test_jobs.py:22 --workers 4 --start './api --port {port}' --ready http://127.0.0.1:{port}/health --in-place -- pytest {file} -k after_a_while": "TestScripts/waits_tune starts an API for each run",
	"flaketap waits record --out session.json -- npx mocha e2e":                        "TestRealNodeWaits has a suite and a browser",
	"flaketap waits hold --session session.json -- npx mocha e2e":                      "so it has",
	"flaketap waits record --out session.json -- npx playwright test --workers=1":      "TestRealNodePlaywright has one of Playwright",
	"flaketap waits hold --session session.json -- npx playwright test --workers=1":    "so it has",
	"flaketap waits record --driver geckodriver --out session.json -- npx mocha e2e":   "TestRealNodeFirefox has one for Firefox",
	"flaketap waits hold --driver geckodriver --session session.json -- npx mocha e2e": "so it has",
	"flaketap waits patch --session session.json --in-place tests":                     "and is patched",
	"flaketap waits patch --session session.json --in-place e2e":                       "so it has",
	"flaketap waits patch --in-place cypress":                                          "testdata/script/waits_cypress.txt has a spec",
	"flaketap waits mark --in-place cypress":                                           "TestRealNodeCypress has one that is marked",
	"flaketap waits patch --db page.db --replace-sleeps --in-place cypress":            "so it has",
	"flaketap record --db page.db --control 127.0.0.1:8878 --target http://127.0.0.1:3000 -- sh -c 'for i in 1 2 3 4 5; do npx cypress run --config baseUrl=$FLAKETAP_URL; done'": "and is recorded",

	"flaketap init": "TestTerminalInit types the answers",
	"flaketap ui":   "TestRealNodeUI looks at its page; it goes on until somebody ends it",
	"flaketap ui --db nightly.db -- --reset ./reset-db.sh": "so it does",

	"make demo": "a target of its own; TestScripts/demo and TestReadmeFuzzing run its parts",
	"make test": "this test is a part of it",

	"HTTP_PROXY=http://127.0.0.1:8877 schemathesis run http://127.0.0.1:8080/openapi.json":  "the client of the command above it, which is over by then",
	"SCHEMATHESIS_HOOKS=flaketap_hooks schemathesis run http://127.0.0.1:8080/openapi.json": "no test runs the fuzzer with these hooks; TestForms holds the file that it would load",
}

// standIns is what is put in the place of what only stands for something: the first that fits, for each.
var standIns = []struct{ shown, run string }{
	{`(schemathesis run \S+|evomaster …|pytest tests/|npm test|python -m unittest( discover .*)?)`, "flaketap demo client"},
	{`http://127\.0\.0\.1:8080`, "$API"},
	{`\./reset(-db)?\.sh|\bRESET\b`, "$API/admin/reset"},
	{`--reset …`, "--reset $API/admin/reset"},
	{`\bURL\b`, "$API"},
	{`172\.17\.0\.1:8877`, "127.0.0.1:0"},
	{`^(flaketap record( --\S+ [^- ]\S*| --\S+)*)$`, "$1 -- curl -s -o answer $API/health"}, // it would record until it is interrupted
	{`^flaketap (record|rerun|steady|doctor)( |$)`, "flaketap $1 --listen 127.0.0.1:0 "},
	{`^flaketap (map|report|suite|patch) `, "flaketap $1 --force "},
	{`--runs \d+`, "--runs 2"}, // as many as show that it works
	{`^(flaketap verify) (--reset)`, "$1 --runs 2 $2"},
	{`^flaketap replay --auth`, "flaketap replay --settle 0 --auth"}, // without a reset there is more to wait for than to see
	{`--mutate all`, "--mutate all --mutants 2"},
	{`--bound 0\.01`, "--bound 0.6"},
}

// documented returns a command as it is run.
func documented(command, url string) string {
	for _, s := range standIns {
		command = regexp.MustCompile(s.shown).ReplaceAllString(command, strings.ReplaceAll(s.run, "$API", url))
	}
	return command
}

// commandBlock is what a page shows to be typed one after the other.
type commandBlock struct {
	page     string
	commands []string
}

// aCommand is a line that is typed: the program itself, or another with variables set before it.
var aCommand = regexp.MustCompile(`^(flaketap|make|[A-Z_]+=\S+ \S+) \S|^flaketap$`)

// commandBlocks reads the blocks of README and docs: lines between fences, or indented by four blanks. Those that a transcript
// shows are for TestReadmeTranscript.
func commandBlocks(t *testing.T) []commandBlock {
	t.Helper()
	pages, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	var out []commandBlock
	for _, page := range append([]string{"../../README.md"}, pages...) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		fenced, open := false, false
		joined := strings.ReplaceAll(string(data), "\\\n", " ")
		for line := range strings.Lines(joined) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, "```") {
				fenced, open = !fenced && line == "```sh", false
				continue
			}
			text, indented := strings.CutPrefix(line, "    ")
			if !fenced && !indented {
				open = false
				continue
			}
			text, _, _ = strings.Cut(strings.Join(strings.Fields(text), " "), " # ")
			if !aCommand.MatchString(text) {
				continue
			}
			if !open {
				out = append(out, commandBlock{page: filepath.Base(page)})
				open = true
			}
			last := &out[len(out)-1]
			last.commands = append(last.commands, text)
		}
	}
	return out
}
