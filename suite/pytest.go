package suite

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

//go:embed python/*.py
var python embed.FS

// The versions that the generated project is pinned to.
const (
	pytestVersion    = "9.2.0"
	brotliVersion    = "1.2.1"
	zstandardVersion = "0.25.0"
)

// maxLines is about how long a generated test file may get; maxSteps is how many exchanges one test may send before it
// is split: a test that fails hides what comes after it.
const (
	maxLines = 1000
	maxSteps = 20
)

// Pytest writes a pytest project from a recording: a test per sequence, in recorded order, each with all its exchanges,
// what they answered asserted place by place. Where sequences interleave they are cut, so that the API sees the order
// that was observed. The project needs pytest and nothing else.
//
// Credentials are in none of its files but secrets.json, which is for the owner alone to read.
func Pytest(src Source, mode Mode) ([]File, error) {
	switch mode {
	case "":
		mode = Relax
	case Relax, Comment, Exact:
	default:
		return nil, fmt.Errorf("write suite: unknown mode %q", mode)
	}
	if len(src.Steps) == 0 {
		return nil, fmt.Errorf("write suite: the recording is empty")
	}
	w := newPytestWriter(src, mode)
	files := w.testFiles(w.plan())
	files = append(files, File{Name: "flaketap_recorded.py", Data: []byte(w.recorded()), Perm: 0o644})
	for _, name := range []string{"conftest.py", "flaketap_checks.py", "flaketap_client.py"} {
		data, err := python.ReadFile("python/" + name)
		if err != nil {
			return nil, fmt.Errorf("write suite: %w", err)
		}
		files = append(files, File{Name: name, Data: data, Perm: 0o644})
	}
	secrets, err := json.MarshalIndent(w.secrets, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write suite: %w", err)
	}
	files = append(files,
		File{Name: "pytest.ini", Data: []byte(pytestINI), Perm: 0o644},
		File{Name: "requirements.txt", Data: []byte(w.requirements()), Perm: 0o644},
		File{Name: ".gitignore", Data: []byte("secrets.json\n__pycache__/\n.pytest_cache/\n"), Perm: 0o644},
		File{Name: "secrets.json", Data: append(secrets, '\n'), Perm: 0o600},
	)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Name, b.Name) })
	return files, nil
}

// requirements names pytest, and what reads the answers whose content coding the standard library does not know.
func (w *pytestWriter) requirements() string {
	br, zstd := false, false
	for _, s := range w.src.Steps {
		if r := s.Exchange.Response; r != nil && !r.Plain {
			br = br || r.Header.HasToken("Content-Encoding", "br")
			zstd = zstd || r.Header.HasToken("Content-Encoding", "zstd")
		}
	}
	out := "pytest==" + pytestVersion + "\n"
	if br {
		out += "brotli==" + brotliVersion + "\n"
	}
	if zstd {
		out += "zstandard==" + zstandardVersion + "\n"
	}
	return out
}

// pytestINI keeps the tests in recorded order: what one of them makes, a later one may read.
const pytestINI = `[pytest]
minversion = 7.0
testpaths = .
addopts = -p no:randomly -p no:xdist
`

// pytestWriter writes one project.
type pytestWriter struct {
	src       Source
	mode      Mode
	target    string // the base URL of most exchanges
	steps     map[uint64]*exchange.Step
	producers map[uint64][]*exchange.Binding
	uses      map[uint64][]use
	byValue   map[string][]*exchange.Binding
	secrets   map[string]string // by token
}

// use is one place of a request that a binding fills.
type use struct {
	place   exchange.Place
	binding *exchange.Binding
}

func newPytestWriter(src Source, mode Mode) *pytestWriter {
	src.known()
	w := &pytestWriter{
		src: src, mode: mode,
		steps:     make(map[uint64]*exchange.Step, len(src.Steps)),
		producers: map[uint64][]*exchange.Binding{},
		uses:      map[uint64][]use{},
		byValue:   map[string][]*exchange.Binding{},
		secrets:   map[string]string{},
	}
	targets := map[string]int{}
	for i := range src.Steps {
		e := src.Steps[i].Exchange
		w.steps[e.Seq] = &src.Steps[i]
		base := baseURL(e)
		if targets[base]++; targets[base] > targets[w.target] {
			w.target = base
		}
	}
	for i := range src.Bindings {
		b := &src.Bindings[i]
		w.producers[b.Producer.Seq] = append(w.producers[b.Producer.Seq], b)
		w.byValue[b.Value] = append(w.byValue[b.Value], b)
		for _, u := range b.Uses {
			w.uses[u.Seq] = append(w.uses[u.Seq], use{u.Place, b})
		}
	}
	return w
}

func baseURL(e *exchange.Exchange) string { return cmp.Or(e.Scheme, "http") + "://" + e.Addr }

// testPlan is one test to be written.
type testPlan struct {
	name  string // the function's
	about string // the sequence's name; "" where it has none of its own
	steps []*exchange.Step
}

// plan cuts the recording into tests: as long as the next exchange belongs to the same sequence, it goes into the same
// test.
func (w *pytestWriter) plan() []testPlan {
	sequence := map[uint64]int{}
	for i, s := range w.src.Sequences {
		for _, seq := range s.Steps {
			sequence[seq] = i + 1
		}
	}
	var tests []testPlan
	last := 0
	for i := range w.src.Steps {
		step := &w.src.Steps[i]
		in := sequence[step.Exchange.Seq]
		long := in > 0 && len(w.src.Sequences[in-1].Steps) > maxSteps
		if n := len(tests); n > 0 && in == last && in > 0 && !long {
			tests[n-1].steps = append(tests[n-1].steps, step)
			continue
		}
		t := testPlan{steps: []*exchange.Step{step}}
		if in > 0 && len(w.src.Sequences) > 1 {
			t.about = w.src.Redactor.Show("", w.src.Sequences[in-1].Name)
		}
		tests = append(tests, t)
		last = in
	}
	width := len(fmt.Sprint(len(tests)))
	for i := range tests {
		tests[i].name = fmt.Sprintf("test_%0*d_%s", width, i+1, w.testName(tests[i]))
	}
	return tests
}

// maxTestName bounds the name of a test, in bytes.
const maxTestName = 80

// testName tells what a test does: its operations, as many as fit.
func (w *pytestWriter) testName(t testPlan) string {
	e := t.steps[0].Exchange
	name := slug(w.operationName(e))
	switch {
	case len(t.steps) > 1:
	case e.Response != nil:
		return fmt.Sprintf("%s_gives_%d", name, e.Response.Status)
	default:
		return name + "_fails"
	}
	for i, s := range t.steps[1:] {
		next := slug(w.operationName(s.Exchange))
		if len(name)+len(next) > maxTestName {
			return fmt.Sprintf("%s_and_%d_more", name, len(t.steps)-1-i)
		}
		name += "_" + next
	}
	return name
}

// operationName is what comments call a request: method and template, without the query and the values in it.
func (w *pytestWriter) operationName(e *exchange.Exchange) string {
	if op, ok := w.src.Operations[e.Seq]; ok {
		return w.src.Redactor.Show("", op.String())
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	return w.src.Redactor.Show("", e.Request.Method+" "+path)
}

// slug makes a Python name of words.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !('a' <= r && r <= 'z' || '0' <= r && r <= '9') })
	name := strings.Join(words, "_")
	if len(name) > 60 {
		name = strings.TrimRight(name[:60], "_")
	}
	return cmp.Or(name, "request")
}

// testFiles writes the tests, in order, to as many files as they need.
func (w *pytestWriter) testFiles(tests []testPlan) []File {
	type chunk struct {
		segments []string
		body     []string
	}
	chunks := []chunk{{}}
	for _, t := range tests {
		lines := w.test(t)
		c := &chunks[len(chunks)-1]
		if len(c.body) > 0 && len(c.body)+len(lines) > maxLines {
			chunks = append(chunks, chunk{})
			c = &chunks[len(chunks)-1]
		}
		c.body = append(append(c.body, "", ""), lines...)
		for _, s := range t.steps {
			c.segments = append(c.segments, w.src.Redactor.Show("", firstSegment(s.Exchange)))
		}
	}
	width := max(3, len(fmt.Sprint(len(chunks))))
	files := make([]File, 0, len(chunks))
	for i, c := range chunks {
		name := "api"
		if s := slices.Compact(slices.Clone(c.segments)); len(s) == 1 {
			name = slug(s[0])
		}
		text := testHead(c.body) + strings.Join(c.body, "\n") + "\n"
		files = append(files, File{Name: fmt.Sprintf("test_%0*d_%s.py", width, i+1, name), Data: []byte(text), Perm: 0o644})
	}
	return files
}

func firstSegment(e *exchange.Exchange) string {
	path, _ := exchange.SplitTarget(e.Request.Target)
	segment, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return segment
}

// testHead is what a test file begins with: what it is, and the imports that its body uses.
func testHead(body []string) string {
	text := strings.Join(body, "\n")
	used := func(names ...string) string {
		var out []string
		for _, n := range names {
			if strings.Contains(text, n+"(") {
				out = append(out, n)
			}
		}
		return strings.Join(out, ", ")
	}
	head := `"""Made by flaketap from a recording. The tests run in the order in which they stand."""` + "\n"
	if strings.Contains(text, "Decimal(") {
		head += "\nfrom decimal import Decimal\n"
	}
	checks := used("at", "between", "each", "is_format", "is_type", "masked", "matches", "near_clock", "related", "same_items", "sha256")
	client := used("Pairs", "as_json", "from_base64", "in_json", "in_path", "in_query", "parse_json", "secret", "text_of")
	if checks+client != "" {
		head += "\n"
	}
	if checks != "" {
		head += "from flaketap_checks import " + checks + "\n"
	}
	if client != "" {
		head += "from flaketap_client import " + client + "\n"
	}
	return head
}

// recorded writes the module of what was recorded.
func (w *pytestWriter) recorded() string {
	var b strings.Builder
	b.WriteString(`"""Where the recording was made, and the values that its answers gave."""` + "\n")
	var lines []string
	secrets := false
	for i := range w.src.Bindings {
		v := &w.src.Bindings[i]
		value := pyString(v.Value)
		if w.secretBinding(v) {
			value = w.secret(v.Value)
			secrets = true
		}
		from := ""
		if s := w.steps[v.Producer.Seq]; s != nil {
			from = fmt.Sprintf("  # %s %s", w.operationName(s.Exchange), oneLine(w.src.Redactor.Show("", string(v.Producer.Place))))
		}
		lines = append(lines, fmt.Sprintf("    %s: %s,%s\n", pyString(v.Name), value, from))
	}
	if secrets {
		b.WriteString("\nfrom flaketap_client import secret\n")
	}
	fmt.Fprintf(&b, "\nTARGET = %s\n\n", pyString(w.target))
	if len(lines) == 0 {
		b.WriteString("BOUND = {}\n")
		return b.String()
	}
	b.WriteString("BOUND = {\n" + strings.Join(lines, "") + "}\n")
	return b.String()
}
