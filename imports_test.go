package flaketap_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/flaketap/flaketap"

// policy says who may import whom: on each line a package, and the packages of this module that its production code
// may import. It is the structure of the program, on purpose. Where the test fails, the new import is at fault: declare
// the interface you need in the package that needs it, and let cmd/flaketap tie the two. ARCHITECTURE.md has the same
// lines and the reasons.
const policy = `
internal/wire     <-
internal/tcp      <-
internal/interrupt <-
internal/process  <-
internal/guard    <-
internal/ahead    <-
internal/cldr     <-
internal/literal  <-
internal/jsontree <-
internal/bisect   <-
internal/console  <-
internal/infile   <-
internal/outfile  <-
internal/environ  <-
internal/layout   <-
internal/lazy     <-
exchange          <- internal/wire
exchange/redact   <- exchange internal/wire
internal/certs    <- internal/outfile
store             <- exchange internal/wire internal/outfile
proxy             <- exchange internal/wire internal/tcp
formats           <- exchange internal/wire exchange/redact
flow/words        <-
flow/message      <- exchange internal/wire internal/literal internal/jsontree flow/words
flow/match        <- exchange internal/jsontree flow/words flow/message
flow              <- exchange internal/jsontree flow/words flow/message
flow/align        <- exchange flow/words flow/message flow
suite/setup/listing <- exchange internal/jsontree flow/words flow/message
suite/setup       <- exchange internal/jsontree internal/bisect flow/words flow/message flow/match flow suite/setup/listing
volatility/notation <- internal/lazy
volatility/compare <- exchange internal/wire volatility/notation
waits/settle      <- exchange internal/jsontree volatility/compare
replay/service    <- exchange internal/console internal/guard internal/process exchange/redact
capture/client    <- internal/environ internal/guard internal/interrupt internal/process internal/console internal/outfile internal/tcp internal/certs
mock/intercept    <- internal/tcp internal/process proxy
mock/grpc         <- exchange internal/infile internal/wire
mock              <- exchange internal/console internal/wire internal/tcp mock/grpc
capture/upstream  <- internal/console internal/tcp replay/service
replay            <- exchange internal/ahead internal/wire internal/tcp flow volatility/compare replay/service
replay/proof      <- exchange volatility/compare replay
mock/search/kind  <-
mock/export       <- exchange exchange/redact flow mock mock/search/kind
mock/search/tree  <- exchange
mock/search/records <- exchange
mock/search/given <- exchange internal/lazy mock/search/tree
mock/search/shape <- exchange internal/lazy mock/search/tree
mock/search/lines  <- internal/lazy mock/search/kind mock/search/tree
mock/search/tables <- internal/lazy
mock/search/pace <-
mock/search/bound <-
mock/search/typical <- exchange internal/lazy mock/search/kind mock/search/tree
mock/search/wordings <- exchange internal/lazy mock/search/kind mock/search/tree
mock/search/readings <- internal/lazy
mock/search/borrowed <- exchange mock/search/kind mock/search/tree mock/search/wordings
mock/search/statuses <- mock/search/lines
mock/search/mappings <-
mock/search       <- exchange internal/bisect internal/lazy mock mock/search/borrowed mock/search/bound mock/search/given mock/search/kind mock/search/lines mock/search/mappings mock/search/pace mock/search/readings mock/search/records mock/search/shape mock/search/statuses mock/search/tables mock/search/tree mock/search/typical mock/search/wordings
mock/search/whole <- exchange mock/search mock/search/kind mock/search/mappings mock/search/shape mock/search/tree mock/search/typical
mock/warmup       <- internal/infile mock mock/search
mock/search/index <- exchange exchange/redact mock/search mock/search/kind mock/search/pace
mock/ownfiles     <- mock/search mock/search/kind
mock/described    <- exchange formats internal/console mock/grpc mock/search mock/search/kind
mock/archive      <- exchange flow internal/infile store mock mock/search mock/search/index
mock/hooks        <- exchange internal/environ mock
mock/coverage     <-
mock/recorded     <- exchange internal/wire internal/jsontree flow/message flow/match volatility/notation mock
mock/serve        <- exchange exchange/redact flow flow/message internal/console internal/interrupt internal/outfile internal/tcp internal/wire internal/certs proxy replay/service replay capture/client mock mock/grpc mock/intercept mock/recorded mock/export mock/search mock/search/index mock/search/kind mock/search/whole mock/archive mock/hooks mock/coverage mock/warmup
replay/search     <- exchange internal/bisect replay/service replay
capture/endpoint  <- internal/console internal/tcp
capture/ship/block <- exchange store
capture/ship      <- exchange exchange/redact store capture/ship/block
capture/collect   <- exchange internal/console store capture/ship/block capture/ship
capture/hub/server <- internal/console internal/outfile internal/tcp store
replay/line       <-
replay/queue      <- exchange internal/console flow store replay/service replay replay/line
capture/hub       <- internal/console internal/outfile capture/endpoint capture/ship replay/queue
replay/runs       <- exchange exchange/redact internal/console flow/align store
capture           <- internal/certs exchange exchange/redact flow/align formats proxy store internal/console internal/interrupt internal/tcp replay/service replay/runs capture/client capture/endpoint capture/ship capture/upstream mock mock/export
volatility/relation <- exchange volatility/compare volatility/notation
volatility/confidence <-
volatility/inorder <- volatility/notation
volatility/condition <- exchange volatility/notation
volatility/outside <- exchange volatility/compare volatility/notation
volatility/request <- exchange volatility/compare volatility/notation
volatility/mapfile <- exchange volatility/compare volatility/notation volatility/relation
volatility/rules  <- exchange volatility/mapfile
volatility/across <- exchange volatility/request
volatility/verdict <- exchange volatility/relation volatility/mapfile
volatility        <- exchange internal/ahead internal/lazy volatility/compare volatility/notation volatility/confidence volatility/inorder volatility/condition volatility/request volatility/across volatility/relation volatility/outside volatility/mapfile volatility/verdict
volatility/breach <- exchange flow/message internal/jsontree volatility/compare volatility/relation volatility/mapfile
volatility/analysis <- exchange internal/ahead internal/console flow flow/align store volatility/outside volatility/mapfile volatility/rules volatility
volatility/analysis/parts <- exchange internal/ahead internal/console store replay/queue volatility/across volatility/relation volatility/mapfile volatility/verdict volatility
replay/experiment <- exchange exchange/redact internal/console flow/message flow store replay/service replay replay/search replay/queue replay/runs volatility/mapfile volatility volatility/analysis
suite/expr        <- exchange internal/wire internal/literal volatility/notation volatility/mapfile
suite/script      <- exchange internal/literal internal/jsontree suite/expr
suite/handset     <- exchange suite/script
suite/snapshot    <- internal/literal suite/expr
suite/python/black <-
suite/python/syntax <- suite/script
suite/python/source <- internal/literal suite/expr
suite/python/importing <- suite/script suite/python/syntax
suite/python/approval <- suite/snapshot suite/python/syntax
suite/python/syrupy <- internal/literal suite/snapshot suite/python/syntax
suite/python/keys <- internal/literal suite/python/syntax suite/script
suite/python/before <- internal/literal suite/script suite/handset suite/python/black suite/python/syntax
suite/python/meaning <- suite/expr suite/python/source suite/python/syntax
suite/python/polling <- suite/expr suite/script suite/python/black suite/python/source suite/python/meaning suite/python/importing suite/python/syntax
suite/python      <- exchange internal/literal suite/expr suite/script suite/handset suite/snapshot suite/python/black suite/python/source suite/python/meaning suite/python/syntax suite/python/approval suite/python/syrupy suite/python/importing suite/python/keys suite/python/before suite/python/polling
suite/java        <- suite/script
suite/kotlin/ktlint <- internal/layout
suite/kotlin      <- internal/layout suite/script suite/java suite/kotlin/ktlint
suite/jvm/words   <-
suite/jvm/asserts <- suite/script suite/java
suite/jvm/meaning <- suite/expr suite/script suite/java
suite/jvm/link    <- internal/literal suite/expr suite/script suite/jvm/meaning
suite/jvm/matching <- suite/expr suite/java suite/jvm/meaning suite/jvm/link
suite/jvm/sending <- suite/script suite/java suite/jvm/meaning
suite/jvm/given   <- suite/script suite/java
suite/jvm/polling <- internal/literal suite/expr suite/script suite/java suite/jvm/meaning
suite/jvm/before  <- exchange internal/literal suite/expr suite/script suite/handset suite/java suite/jvm/meaning
suite/jvm/approval <- suite/script suite/java suite/snapshot
suite/jvm         <- exchange internal/literal suite/expr suite/script suite/snapshot suite/java suite/kotlin suite/jvm/words suite/jvm/meaning suite/jvm/link suite/jvm/matching suite/jvm/sending suite/jvm/given suite/jvm/before suite/jvm/approval suite/jvm/polling suite/jvm/asserts
suite/js/prettier <- internal/layout
suite/js          <- exchange internal/layout internal/literal suite/expr suite/script
suite/js/chai     <- exchange internal/literal suite/expr suite/js
suite/js/expect   <- exchange internal/literal suite/expr suite/js
suite/js/assert   <- internal/literal suite/js suite/js/expect
suite/jest/superagent <- exchange internal/literal suite/expr suite/script suite/js
suite/jest/library <- exchange internal/literal suite/expr suite/script suite/jest/superagent suite/js
suite/jest/matching <- internal/literal suite/expr suite/snapshot suite/js
suite/jest/polling <- suite/expr suite/handset suite/js suite/js/prettier suite/script
suite/jest/before <- exchange internal/literal suite/script suite/handset suite/js suite/js/prettier
suite/jest        <- exchange internal/literal suite/expr suite/script suite/handset suite/snapshot suite/js suite/js/chai suite/js/expect suite/js/assert suite/js/prettier suite/jest/superagent suite/jest/library suite/jest/before suite/jest/matching suite/jest/polling
suite/postman     <- exchange internal/literal internal/jsontree suite/expr suite/script suite/js suite/js/chai
suite/hurl        <- exchange internal/literal suite/expr suite/script
suite/golang/pattern <- internal/literal suite/expr
suite/golang/typing <- suite/expr suite/script
suite/golang/source <- suite/golang/typing suite/script
suite/golang/before <- exchange internal/literal suite/expr suite/script suite/handset suite/golang/source
suite/golang/lenient <- suite/expr
suite/golang/logic <- suite/expr suite/golang/pattern
suite/golang/values <- internal/literal suite/expr suite/golang/typing
suite/golang/polling <- internal/literal suite/expr suite/script suite/golang/values suite/golang/source
suite/golang/wording <- internal/literal suite/expr suite/script suite/golang/pattern suite/golang/typing suite/golang/lenient suite/golang/logic suite/golang/values suite/golang/source
suite/golang      <- exchange internal/literal suite/expr suite/script suite/golang/pattern suite/golang/typing suite/golang/lenient suite/golang/logic suite/golang/values suite/golang/source suite/golang/wording suite/golang/before suite/golang/polling
suite/align       <- exchange flow/match suite/script
suite/history     <- exchange suite/expr
suite/textual     <-
suite/slip        <- exchange internal/literal suite/expr suite/script
suite/graft       <- exchange flow/message suite/setup volatility/compare suite/expr suite/script volatility/mapfile
suite/await       <- exchange flow/message suite/expr suite/script waits/settle
suite             <- exchange internal/wire internal/outfile internal/literal flow/message flow/match suite/setup volatility/compare volatility/mapfile suite/expr suite/script suite/align suite/history suite/textual suite/python suite/jvm suite/jest suite/postman suite/hurl suite/golang suite/slip suite/graft suite/await waits/settle
suite/write/plan  <- internal/literal internal/jsontree exchange waits/settle volatility/relation volatility/mapfile suite
suite/write/play  <- exchange flow/message volatility/compare suite/write/plan
suite/write/earlier <- internal/literal exchange volatility/relation suite/write/plan
suite/write/measure <- volatility/notation
suite/write/refute <- internal/wire internal/literal exchange volatility/compare volatility/notation volatility/relation volatility/mapfile suite/write/plan
suite/write/name  <- exchange suite/write/plan
suite/write/fresh <- exchange volatility/mapfile suite/write/plan
suite/write/secret <- internal/wire exchange suite suite/write/plan volatility/compare
suite/write/build <- internal/wire internal/literal exchange flow/message flow/words suite/setup volatility/compare waits/settle volatility/notation volatility/relation volatility/mapfile suite suite/write/plan suite/write/play suite/write/earlier suite/write/name suite/write/secret suite/write/measure suite/write/refute
suite/write/javascript <- internal/literal exchange volatility/notation volatility/mapfile suite suite/write/plan
suite/write/gotest <- internal/literal exchange volatility/notation suite suite/write/plan
suite/write/hurl  <- internal/literal exchange volatility/notation volatility/relation volatility/mapfile suite suite/write/plan suite/write/javascript
suite/write/jest  <- exchange internal/literal suite suite/write/plan suite/write/javascript
suite/write/junit <- internal/literal exchange volatility/notation volatility/mapfile suite suite/write/plan
suite/write/postman <- internal/literal suite suite/write/plan suite/write/javascript
suite/write/pytest <- internal/literal exchange volatility/notation suite suite/write/plan
suite/write       <- suite suite/write/plan suite/write/gotest suite/write/hurl suite/write/jest suite/write/junit suite/write/postman suite/write/pytest
suite/write/mocked <- exchange internal/console internal/outfile flow mock mock/search mock/search/shape mock/archive mock/export mock/warmup volatility/mapfile volatility suite suite/write/plan suite/write/build suite/write
suite/steady      <- exchange internal/wire internal/jsontree flow/words flow/message flow/match flow volatility/compare waits/settle volatility/notation volatility/relation volatility/mapfile
suite/mutant      <- exchange internal/wire internal/jsontree flow/words volatility/compare volatility/request volatility/mapfile
suite/results     <-
suite/probe/golang <-
suite/probe/junit <- internal/literal suite/java suite/kotlin
suite/probe       <- internal/environ suite/probe/golang suite/probe/junit
suite/order       <- internal/environ suite/results
waits/read        <-
waits/rank        <-
waits/past        <- waits/read
waits             <- waits/read waits/rank waits/past
waits/git         <- internal/outfile waits/past
waits/folder      <- internal/console waits/read
waits/oracle      <- waits/settle
waits/marked      <- exchange waits/settle
waits/requests    <- store waits/marked
waits/explicit    <- internal/console internal/literal suite/script suite/js suite/java suite/python/syntax suite/python/importing waits/marked waits/oracle waits/read
waits/webdriver/hotspot <-
waits/playwright  <- waits/oracle
waits/suggest     <- internal/console internal/outfile suite/results waits/read waits/past waits waits/git waits/folder
waits/rewrite     <- waits/read
waits/search      <-
waits/learned     <- exchange suite/setup suite/script suite/await suite waits/settle waits/read
waits/trial       <- internal/environ capture/client replay/service
suite/trial       <- exchange internal/wire flow/message volatility/compare volatility/mapfile replay/service suite suite/mutant suite/write/plan suite/write/play suite/write/build suite/write/fresh
suite/draft       <- exchange flow internal/console suite suite/trial suite/write/build suite/write/plan
suite/write/summary <- exchange internal/console internal/outfile suite suite/trial suite/write/build suite/write/plan
suite/mend        <- exchange internal/console internal/outfile flow suite/setup suite suite/script suite/results waits/settle
waits/tune        <- internal/console internal/outfile volatility/confidence suite suite/mend waits/settle waits/read waits waits/git waits/suggest waits/rewrite waits/search waits/learned waits/trial
suite/verify      <- exchange internal/console capture capture/client proxy flow/match flow volatility/compare replay/service volatility/mapfile volatility/rules suite/mutant suite/results
waits/outcome     <- suite/results waits/oracle suite/verify
waits/webdriver   <- exchange internal/console internal/environ internal/lazy proxy replay/service capture/client waits/folder waits/oracle waits/outcome waits/playwright waits/webdriver/hotspot
suite/steady/serve <- exchange internal/wire internal/console internal/outfile internal/interrupt waits/settle store replay capture replay/runs suite/results suite/steady suite/verify volatility/mapfile volatility/analysis
suite/restore     <- exchange flow internal/console replay replay/search replay/service store suite/mend suite/setup
suite/workers     <- internal/console capture/hub replay/service replay/queue
mock/trials       <- exchange internal/console capture/hub store replay/service replay/queue mock/grpc mock/search mock/serve suite/workers
suite/stabilize   <- exchange internal/console internal/outfile replay/service replay/runs store suite suite/script suite/mend suite/results suite/probe suite/order suite/verify
report            <- exchange internal/jsontree volatility/notation volatility/relation volatility/mapfile
report/inspect    <- exchange internal/wire exchange/redact store internal/console flow flow/message volatility/compare volatility/mapfile volatility/analysis suite suite/script suite/mend report
report/collection <- exchange exchange/redact internal/outfile internal/wire flow flow/message store volatility/analysis report
report/flaky      <- exchange exchange/redact internal/console volatility/compare volatility/mapfile volatility/analysis suite suite/script suite/results report report/inspect
report/waiting    <- exchange exchange/redact volatility/compare waits/settle waits/read waits/folder waits/oracle waits/tune report
report/findings   <- exchange exchange/redact store flow volatility/compare volatility/mapfile volatility/analysis suite suite/script suite/mend suite/verify suite/stabilize report report/inspect report/waiting
report/page       <- exchange volatility/mapfile waits/oracle waits/tune report report/inspect report/waiting report/findings
report/form       <- exchange volatility/mapfile report report/findings report/page
report/flaky/reading <- internal/console suite suite/mend suite/script suite/verify report/flaky
report/triage     <- exchange exchange/redact internal/console volatility/compare volatility/mapfile volatility/breach volatility/analysis suite report report/flaky
report/ui         <- exchange exchange/redact store formats volatility/compare volatility/mapfile volatility/rules volatility/analysis report report/inspect report/findings report/page report/form
internal/testbed/needs <-
internal/testbed/contained <-
internal/testbed/truth <- exchange
internal/testbed/service <-
internal/testbed/proving <- exchange internal/testbed/truth internal/testbed/service
internal/testbed/demoapi <- exchange internal/testbed/truth internal/testbed/service
internal/testbed/wardapi <- internal/testbed/truth internal/testbed/service
internal/testbed/officeapi <- internal/testbed/truth internal/testbed/service
internal/testbed/portapi <- internal/testbed/truth internal/testbed/service
internal/testbed/flakycatch <- exchange
internal/testbed/trial <- exchange flow volatility/mapfile volatility
internal/testbed/evomaster <- exchange internal/literal
internal/testbed/wander <- exchange
internal/testbed/recorded <- exchange store
internal/testbed/onecall <- exchange suite/expr suite/script
internal/testbed/browser <- internal/testbed/needs
internal/testbed/cluster <-
internal/testbed/variant <-
internal/testbed/variant/serve <- internal/testbed/demoapi internal/testbed/wardapi
internal/testbed/pages <-
internal/testbed/rewriting <-
internal/testbed/external <- internal/testbed/needs
internal/book     <- internal/outfile
internal/demo     <- internal/console internal/outfile capture/client mock/intercept internal/testbed/truth internal/testbed/demoapi internal/testbed/officeapi internal/testbed/wardapi volatility/mapfile volatility/analysis suite suite/write/build report
internal/doctor   <- exchange internal/console internal/outfile internal/certs store replay/service replay/proof
internal/project  <- internal/console capture/client replay/service internal/doctor
internal/cmdline  <- exchange internal/console flow replay/service store suite/results volatility/mapfile volatility/rules volatility/analysis
cmd/flaketap      <- everything
`

// pure names the packages that decide and compute: values in, values out. outside is what they must not touch.
var (
	pure = []string{"internal/wire", "internal/literal", "internal/layout", "internal/jsontree", "internal/bisect", "exchange", "exchange/redact", "flow", "flow/words", "flow/message", "flow/match", "flow/align", "suite/setup", "suite/setup/listing", "volatility", "volatility/compare",
		"volatility/notation", "volatility/confidence", "volatility/inorder", "volatility/condition", "volatility/request", "volatility/relation", "volatility/mapfile", "volatility/rules",
		"suite/expr", "suite/script", "suite/handset", "suite/python/black", "suite/python/source", "suite/python/meaning", "suite/python/syntax", "suite/python/approval", "suite/python/keys", "suite/python/before", "suite/python/polling", "suite/python", "suite/java", "suite/kotlin/ktlint", "suite/kotlin", "suite/jvm/words", "suite/jvm/asserts", "suite/jvm/meaning", "suite/jvm/link", "suite/jvm/matching", "suite/jvm/sending", "suite/jvm/given", "suite/jvm/before", "suite/jvm/polling", "suite/jvm", "suite/js/prettier", "suite/js", "suite/jest/library", "suite/jest/before", "suite/jest/matching", "suite/jest/polling", "suite/jest", "suite/postman", "suite/hurl", "suite/golang/pattern", "suite/golang/typing", "suite/golang/lenient", "suite/golang/logic", "suite/golang/values", "suite/golang/source", "suite/golang/wording", "suite/golang/before", "suite/golang/polling", "suite/golang", "suite/align", "suite/history", "suite/textual", "suite/slip", "suite/await", "suite", "suite/write", "suite/write/plan", "suite/write/play", "suite/write/earlier", "suite/write/name", "suite/write/fresh", "suite/write/secret", "suite/write/measure", "suite/write/refute", "suite/write/build", "suite/write/javascript", "suite/write/gotest",
		"suite/write/hurl", "suite/write/jest", "suite/write/junit", "suite/write/postman", "suite/write/pytest", "suite/steady", "mock/search", "mock/search/tree", "mock/search/records", "mock/search/pace", "mock/search/bound", "mock/search/typical", "mock/search/kind", "mock/search/wordings", "mock/search/index", "waits/rewrite", "waits/search"}
	outside = []string{"os", "os/exec", "os/signal", "net", "net/http", "log", "syscall"}
)

func TestWhoMayImportWhom(t *testing.T) {
	allowed := readPolicy(t)
	for _, file := range sources(t) {
		may, known := allowed[file.pkg]
		if !known && file.pkg != "." {
			t.Errorf("%s: package %s has no line in the policy", file.path, file.pkg)
			continue
		}
		for _, imported := range file.imports {
			inner, ours := strings.CutPrefix(imported, module+"/")
			if ours && !slices.Contains(may, inner) && !slices.Contains(may, "everything") {
				t.Errorf("%s: %s may not import %s", file.path, file.pkg, inner)
			}
			if slices.Contains(pure, file.pkg) && slices.Contains(outside, imported) {
				t.Errorf("%s: %s is pure and may not import %s", file.path, file.pkg, imported)
			}
		}
	}
}

func readPolicy(t *testing.T) map[string][]string {
	allowed := map[string][]string{}
	for line := range strings.Lines(strings.TrimSpace(policy)) {
		name, may, found := strings.Cut(line, "<-")
		if !found {
			t.Fatalf("policy line %q has no arrow", line)
		}
		name = strings.TrimSpace(name)
		allowed[name] = strings.Fields(may)
		for _, other := range allowed[name] {
			// Only what stands above may be named: the lines are in the order of the layers, so there is no way round.
			if _, above := allowed[other]; !above && other != "everything" {
				t.Fatalf("policy: %s may import %s, which does not stand above it", name, other)
			}
		}
	}
	return allowed
}

// mains are the programs: flaketap, and what the variants of labelled APIs are built as.
var mains = []string{"cmd/flaketap/main.go", "internal/testbed/variant/serve/main.go"}

// What a program does at its start, and when it ends, is for main to say.
func TestNoHiddenStartOrEnd(t *testing.T) {
	for _, file := range sources(t) {
		ast.Inspect(file.syntax, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Recv == nil && n.Name.Name == "init" {
					t.Errorf("%s: func init", file.at(n))
				}
			case *ast.SelectorExpr:
				x, _ := n.X.(*ast.Ident)
				exits := x != nil && (x.Name == "os" && n.Sel.Name == "Exit" ||
					x.Name == "log" && (strings.HasPrefix(n.Sel.Name, "Fatal") || strings.HasPrefix(n.Sel.Name, "Panic")))
				if exits && !slices.Contains(mains, filepath.ToSlash(file.path)) {
					t.Errorf("%s: %s.%s outside main.go", file.at(n), x.Name, n.Sel.Name)
				}
			}
			return true
		})
	}
}

// ARCHITECTURE.md shows the policy as it is, and gives a reason for each module that the program is built of.
func TestArchitectureIsTrue(t *testing.T) {
	text, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), strings.TrimSpace(policy)) {
		t.Error("ARCHITECTURE.md does not show who may import whom as the test has it")
	}
	_, reasons, found := strings.Cut(string(text), "\n## Dependencies\n")
	if !found {
		t.Fatal(`ARCHITECTURE.md has no section "Dependencies"`)
	}
	reasons, _, _ = strings.Cut(reasons, "\n## ")
	used := map[string]bool{}
	for _, file := range sources(t) {
		for _, imported := range file.imports {
			if first, _, _ := strings.Cut(imported, "/"); strings.Contains(first, ".") && !strings.HasPrefix(imported, module) {
				used[moduleOf(t, imported)] = true
			}
		}
	}
	for line := range strings.Lines(reasons) {
		row, isRow := strings.CutPrefix(line, "| `")
		if name, _, _ := strings.Cut(row, "`"); isRow && !used[name] {
			t.Errorf("ARCHITECTURE.md gives a reason for %s, which is not imported", name)
		} else {
			delete(used, name)
		}
	}
	for name := range used {
		t.Errorf("ARCHITECTURE.md gives no reason for %s", name)
	}
}

// moduleOf returns the module of go.mod that a package belongs to.
func moduleOf(t *testing.T, imported string) string {
	t.Helper()
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	best := ""
	for line := range strings.Lines(string(text)) {
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "require "), " ")
		if (imported == name || strings.HasPrefix(imported, name+"/")) && len(name) > len(best) {
			best = name
		}
	}
	if best == "" {
		t.Errorf("go.mod does not require the module of %s", imported)
	}
	return best
}

// The repository speaks of itself alone: no file names a place of the machine that it was written on.
func TestNoMachinePaths(t *testing.T) {
	needles := checkoutPlaces(t)
	walk(t, func(name string) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(text[:min(len(text), 8000)], 0) >= 0 {
			return // no text
		}
		for _, needle := range needles {
			if i := bytes.Index(text, needle); i >= 0 {
				t.Errorf("%s:%d: names %s", name, 1+bytes.Count(text[:i], []byte("\n")), needle)
			}
		}
	})
}

// checkoutPlaces returns the folder of this checkout, and those beside it where they are of its making: not in a folder that
// every machine has, whose names may well stand in an example.
func checkoutPlaces(t *testing.T) [][]byte {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	places := [][]byte{[]byte(here)}
	above := filepath.Dir(here)
	if home, _ := os.UserHomeDir(); above == filepath.Dir(above) || above == filepath.Clean(os.TempDir()) || above == home {
		return places
	}
	beside, err := os.ReadDir(above)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range beside {
		places = append(places, []byte(filepath.Join(above, d.Name())))
	}
	return places
}

// source is one file of production code.
type source struct {
	path    string // from the root of the repository
	pkg     string // its folder, with slashes
	imports []string
	syntax  *ast.File
	fset    *token.FileSet
}

func (s source) at(n ast.Node) string {
	return fmt.Sprintf("%s:%d", s.path, s.fset.Position(n.Pos()).Line)
}

// sources parses every Go file but tests, for whichever system it is. What stands in internal/testbed/tools is of modules of its own.
func sources(t *testing.T) []source {
	t.Helper()
	var files []source
	fset := token.NewFileSet()
	walk(t, func(name string) {
		slashed := filepath.ToSlash(name)
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.Contains(slashed, "testdata/") || strings.HasPrefix(slashed, "internal/testbed/tools/") {
			return
		}
		syntax, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		file := source{path: name, pkg: path.Dir(slashed), syntax: syntax, fset: fset}
		for _, spec := range syntax.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			file.imports = append(file.imports, imported)
		}
		files = append(files, file)
	})
	if len(files) == 0 {
		t.Fatal("no source files found")
	}
	return files
}

// walk visits the files of the repository, without what is built or fetched.
func walk(t *testing.T, visit func(name string)) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" || name == "bin" || name == "demo-out"):
			return filepath.SkipDir
		case d.Type().IsRegular() && name != ".git": // which is a file, with a path in it, where a checkout shares another's
			visit(name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
