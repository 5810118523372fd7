package junit

import (
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite"
	"github.com/flaketap/flaketap/suite/write/plan"
)

//go:embed runtime/*.java
var runtime embed.FS

// Write writes a Maven project of JUnit 5 tests in Java, which send with REST-assured: a class for each group, in
// src/test/java/flaketap, beside the runtime that asserts what REST-assured has no words for. It is laid out as
// google-java-format does. Credentials are in none of its files but secrets.json, which is for the owner alone to read.
func Write(p plan.Plan) ([]suite.File, error) {
	return project(p, javaLanguage())
}

// WriteKotlin writes the same in Kotlin: its tests, in src/test/kotlin/flaketap, call the runtime of the Java form,
// which stands in src/test/java/flaketap. They are laid out as ktfmt does in Google's style.
func WriteKotlin(p plan.Plan) ([]suite.File, error) {
	return project(p, kotlinLanguage())
}

// mockSources are those of the runtime which only tests need that say what external services answer.
var mockSources = []string{"Mocks.java", "Stubs.java"}

// project writes a project whose tests are in one of the two languages.
func project(p plan.Plan, j *language) ([]suite.File, error) {
	common := plan.CommonOf(p)
	files, order := j.classes(p, common)
	if len(common.Headers) > 0 {
		files = append(files, j.commonChecks(common))
	}
	sources, err := runtime.ReadDir("runtime")
	if err != nil {
		return nil, fmt.Errorf("write %s tests: %w", j.name, err)
	}
	for _, source := range sources {
		if slices.Contains(mockSources, source.Name()) && len(p.Mocks) == 0 {
			continue
		}
		data, err := runtime.ReadFile("runtime/" + source.Name())
		if err != nil {
			return nil, fmt.Errorf("write %s tests: %w", j.name, err)
		}
		files = append(files, suite.File{Name: "src/test/java/flaketap/" + source.Name(), Data: data, Perm: 0o644})
	}
	recorded, err := recordedFile(p, order)
	if err != nil {
		return nil, fmt.Errorf("write %s tests: %w", j.name, err)
	}
	secrets, err := plan.SecretsFile(p)
	if err != nil {
		return nil, fmt.Errorf("write %s tests: %w", j.name, err)
	}
	files = append(files, secrets,
		suite.File{Name: "pom.xml", Data: []byte(j.pom(p)), Perm: 0o644},
		suite.File{Name: ".gitignore", Data: []byte("secrets.json\n/target/\n"), Perm: 0o644},
		suite.File{Name: "src/test/resources/flaketap/recorded.json", Data: recorded, Perm: 0o644},
		suite.File{Name: "src/test/resources/junit-platform.properties", Data: []byte(properties), Perm: 0o644},
	)
	slices.SortFunc(files, func(a, b suite.File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

func (j *language) folder() string { return "src/test/" + j.name + "/flaketap/" }

// properties keeps the tests in the order of the recording: what one of them is given, a later one may send.
const properties = `junit.jupiter.testclass.order.default = flaketap.InOrder
junit.jupiter.testmethod.order.default = flaketap.InOrder
junit.jupiter.execution.parallel.enabled = false
`

// recordedFile writes what the runtime has to know: where the recording was made, the values that its answers gave, and
// the order of the tests. A test that is added is one more line of it.
func recordedFile(p plan.Plan, order []string) ([]byte, error) {
	type value struct {
		Name     string `json:"name"`
		From     string `json:"from"`
		Recorded []any  `json:"recorded"`
	}
	type header struct {
		Name  string `json:"name"`
		Value []any  `json:"value"`
	}
	out := struct {
		Target  string   `json:"target"`
		Headers []header `json:"headers"`
		Bound   []value  `json:"bound"`
		Tests   []string `json:"tests"`
	}{p.Target, []header{}, []value{}, append([]string{}, order...)}
	for _, h := range p.SharedHeaders() {
		out.Headers = append(out.Headers, header{h.Name, recordedText(h.Value)})
	}
	for _, b := range p.Bound {
		recorded := recordedText(b.Recorded)
		if b.Fresh {
			recorded = nil
		}
		out.Bound = append(out.Bound, value{Name: b.Name, From: b.From, Recorded: recorded})
	}
	return plan.PrettyJSON(out)
}

// recordedText lists the pieces of a text: strings, and objects that name secrets.
func recordedText(t plan.Text) []any {
	out := []any{}
	for _, piece := range t {
		if piece.Secret != "" {
			out = append(out, map[string]string{"secret": piece.Secret})
		} else {
			out = append(out, piece.Literal)
		}
	}
	return out
}

// maxClassLines is about how long a class may get: its file holds no more than 65535 constants. maxMethodLines is the
// same of a method, whose code ends at 64 KiB.
const (
	maxClassLines  = 6000
	maxMethodLines = 800
)

// classes writes the test classes, and lists the tests in their order.
func (j *language) classes(p plan.Plan, common plan.Common) (files []suite.File, order []string) {
	groups, byGroup := plan.Groups(p.Tests)
	_, shared := plan.SharedSetUps(p.Tests)
	headers := p.SharedHeaders()
	names := map[string]bool{}
	for _, g := range groups {
		rest := byGroup[g]
		for len(rest) > 0 {
			c := &class{language: j, common: common, used: map[string]bool{}, shared: shared, headers: headers}
			name := unique(names, className(g), "Test")
			body, methods := c.tests(rest)
			rest = rest[len(methods):]
			for _, m := range methods {
				order = append(order, name+"."+m)
			}
			text := c.head(c.annotations()...) + "\n/** Made by flaketap from a recording. */\nclass " + name + " {\n" +
				strings.Join(body, "\n") + "\n}\n"
			files = append(files, suite.File{Name: j.folder() + name + j.suffix, Data: []byte(text), Perm: 0o644})
		}
	}
	return files, order
}

// className makes the name of a class, without what it ends in, of the words of a group.
func className(group string) string {
	name := plan.Camel(group)
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "Api" + name
	}
	return name
}

// unique adds a number to a name that is there already, in any case: file systems may not tell cases apart.
func unique(names map[string]bool, name, end string) string {
	out := name + end
	for n := 2; names[strings.ToLower(out)]; n++ {
		out = name + strconv.Itoa(n) + end
	}
	names[strings.ToLower(out)] = true
	return out
}

// tests writes as many tests as one class holds, and lists their methods.
func (w *class) tests(tests []plan.Test) (body, methods []string) {
	names := map[string]bool{}
	for _, t := range tests {
		name := unique(names, methodName(t.Name), "")
		lines := w.test(t, name)
		if len(body) > 0 && len(body)+len(lines) > maxClassLines {
			break
		}
		if len(body) > 0 {
			body = append(body, "")
		}
		body, methods = append(body, lines...), append(methods, name)
	}
	return body, methods
}

// maxDisplay bounds the name under which a test is shown, in characters.
const maxDisplay = 200

// test writes one test, in as many methods as it needs.
func (w *class) test(t plan.Test, name string) []string {
	display := ""
	if len(t.About) > 0 {
		if runes := []rune(plan.Visible(t.About[0])); len(runes) > maxDisplay {
			display = string(runes[:maxDisplay]) + "…"
		} else {
			display = string(runes)
		}
	}
	if display != "" {
		w.use("DisplayName")
	}
	cleans := slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Role == plan.CleanUp })
	throws := ""
	if slices.ContainsFunc(t.Steps, func(s plan.Step) bool { return s.Role == plan.SetUp && s.Once && s.Left == "" }) {
		throws = "Exception" // as a lambda of once may
	}
	indent := 4
	if cleans {
		indent = 6
	}
	out := w.method(name, display, throws)
	for _, about := range t.About[min(1, len(t.About)):] {
		out = append(out, w.comment(about, 4)...)
	}
	if len(t.About) > 1 {
		out = append(out, "")
	}
	changes := func(s plan.Step) bool { return s.Role == plan.CleanUp || s.Role == plan.SetUp && len(s.Given) > 0 }
	if slices.ContainsFunc(t.Steps, changes) {
		out = append(out, w.statement(w.call(w.use("begin")), 4)...)
	}
	out = append(out, w.mocks(&t)...)
	if cleans {
		out = append(out, "    try {")
	}
	parts, more := w.steps(t.Steps, indent, endless), []string(nil)
	if len(parts) == 1 && len(parts[0]) <= maxMethodLines {
		out = append(out, parts[0]...)
	} else {
		calls, methods := w.parts(t, name, throws)
		for _, call := range calls {
			out = append(out, strings.Repeat(" ", indent)+call)
		}
		more = methods
	}
	if cleans {
		out = append(out, "    } finally {")
		for i, s := range t.Steps {
			if s.Role == plan.CleanUp {
				out = append(out, w.step(s, answerName(i), indent)...)
			}
		}
		out = append(out, "    }")
	}
	return append(append(out, "  }"), more...)
}

// mocks writes what has external services answer as a test needs it.
func (w *class) mocks(t *plan.Test) (out []string) {
	if t.Mock == "" {
		return nil
	}
	if t.BeyondWireMock != "" {
		out = w.statement(w.call(w.use("needsFlaketap"), w.text(t.BeyondWireMock)), 4)
	}
	how := "mocks"
	if t.Hangs() {
		how = "mocksHang"
	}
	return slices.Concat(out, w.statement(w.call(w.use(how), w.text(t.Mock)), 4), []string{""})
}

// parts writes what is done before the clean-up in methods of their own, and the calls of these.
func (w *class) parts(t plan.Test, name, throws string) (calls, methods []string) {
	for i, part := range w.steps(t.Steps, 4, maxMethodLines) {
		called := fmt.Sprintf("%sPart%d", name, i+1)
		calls = append(calls, called+"()"+w.end)
		methods = append(append(append(methods, "", w.opening("private ", called, throws)), part...), "  }")
	}
	return calls, methods
}

// steps writes what is done before the clean-up, in parts of so many lines.
func (w *class) steps(steps []plan.Step, indent, most int) [][]string {
	var parts [][]string
	var lines []string
	for i, s := range steps {
		if s.Role == plan.CleanUp {
			continue
		}
		step := w.step(s, answerName(i), indent)
		if len(lines) > 0 && len(lines)+len(step) > most {
			parts, lines = append(parts, lines), nil
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, step...)
	}
	return append(parts, lines)
}

func answerName(i int) string {
	if i == 0 {
		return "res"
	}
	return "res" + strconv.Itoa(i+1)
}

// head writes the package and the imports of a class: those of what it uses, and others that come after them.
func (w *class) head(others ...string) string {
	var static, plain []string
	for name := range w.used {
		switch name {
		case "Response", "DisplayName":
		case "equalTo", "oneOf":
			static = append(static, "org.hamcrest.Matchers."+name)
		case "assumeTrue":
			static = append(static, "org.junit.jupiter.api.Assumptions."+name)
		case "Duration":
			plain = append(plain, "java.time.Duration")
		case "await":
			static = append(static, "org.awaitility.Awaitility.await")
		case "answer":
			static = append(static, "flaketap.Answer.answer")
		case "checkCommon", "except":
			static = append(static, "flaketap.Common."+name)
		case "mocks", "mocksHang", "needsFlaketap", "services", "hangs", "breaksOff":
			static = append(static, "flaketap.Mocks."+name)
		default:
			static = append(static, "flaketap.Api."+name)
		}
	}
	if w.kotlin {
		static = append(static, plain...)
	}
	slices.Sort(static)
	if w.kotlin {
		return "package flaketap\n\nimport " + strings.Join(append(static, others...), "\nimport ") + "\n"
	}
	if w.used["Response"] {
		plain = append([]string{"io.restassured.response.Response"}, plain...)
	}
	plain = append(plain, others...)
	out := "package flaketap;\n\n"
	if len(static) > 0 {
		out += "import static " + strings.Join(static, ";\nimport static ") + ";\n\n"
	}
	return out + "import " + strings.Join(plain, ";\nimport ") + ";\n"
}

func (w *class) annotations() []string {
	if w.used["DisplayName"] {
		return []string{"org.junit.jupiter.api.DisplayName", "org.junit.jupiter.api.Test"}
	}
	return []string{"org.junit.jupiter.api.Test"}
}
