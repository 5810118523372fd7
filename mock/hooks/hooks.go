package hooks

import (
	"bufio"
	_ "embed" // the files of the runtimes
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/environ"
	"github.com/flaketap/flaketap/mock"
)

var (
	//go:embed node/hooks.cjs
	nodeHooks []byte
	//go:embed python/sitecustomize.py
	pythonStart []byte
	//go:embed python/flaketap_hooks.py
	pythonHooks []byte
)

// Of the folder.
const (
	nodeFile     = "hooks.cjs"
	pythonFolder = "python"
	readsFile    = "reads"
)

// agentFile has the hooks of the JVM: a file of its own, which make agent builds, since a JVM loads nothing else.
const agentFile = "flaketap-hooks.jar"

// variable names the file that reads are appended to.
const variable = "FLAKETAP_READS"

// Hooks are put into an API that is started. Its methods may be called from several goroutines.
type Hooks struct {
	dir   string
	agent string // of the JVM; "": there is none

	mu     sync.Mutex
	marked bool
	marks  map[Call]int
	calls  []Call
}

// Call is what the API asked, by which its answers are told from each other.
type Call struct {
	Service, Method, Target string
}

// Read is one field that the API read of an answer to a call, whether it was there or not; or the answer as a whole.
type Read struct {
	Call  Call
	Place exchange.Place // below the body; elements of lists are *
	Kind  string         // of JSON, or integer, where the API shows what it takes the field for; "" else
	Value any            // a text or number that the field was compared with, or may have; nil: none
}

// FindAgent returns the agent of the JVM: beside a program, or in share/flaketap beside the program's folder, where
// packages put it. It is "" where there is none.
func FindAgent(program string) string {
	if real, err := filepath.EvalSymlinks(program); err == nil {
		program = real
	}
	dir := filepath.Dir(program)
	for _, at := range []string{dir, filepath.Join(dir, "..", "share", "flaketap")} {
		name := filepath.Join(at, agentFile)
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
	}
	return ""
}

// Install writes what Node and Python load into a folder, which is made. A JVM loads an agent, as FindAgent returns it.
func Install(dir, agent string) (*Hooks, error) {
	for _, f := range []struct {
		name string
		data []byte
	}{
		{nodeFile, nodeHooks},
		{filepath.Join(pythonFolder, "sitecustomize.py"), pythonStart},
		{filepath.Join(pythonFolder, "flaketap_hooks.py"), pythonHooks},
		{readsFile, nil},
	} {
		name := filepath.Join(dir, f.name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, fmt.Errorf("install hooks: %w", err)
		}
		if err := os.WriteFile(name, f.data, 0o644); err != nil {
			return nil, fmt.Errorf("install hooks: %w", err)
		}
	}
	return &Hooks{dir: dir, agent: agent, marks: map[Call]int{}}, nil
}

// Variables are an environment in which Node, Python and, where there is an agent, JVMs load the hooks.
func (h *Hooks) Variables(env []string) []string {
	env = environ.Require(env, filepath.Join(h.dir, nodeFile))
	env = environ.Prepend(env, "PYTHONPATH", filepath.Join(h.dir, pythonFolder), string(os.PathListSeparator))
	if h.agent != "" {
		env = environ.Prepend(env, "JAVA_TOOL_OPTIONS", environ.JavaQuoted("-javaagent:"+h.agent), " ")
	}
	return append(env, variable+"="+filepath.Join(h.dir, readsFile))
}

// Begin forgets the reads that were told, and says whether answers are marked from now on.
func (h *Hooks) Begin(marked bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.marked = marked
	if err := os.Truncate(filepath.Join(h.dir, readsFile), 0); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("begin reads: %w", err)
	}
	return nil
}

// Bounds of the mark: how many blanks it has, and so how many calls it tells apart.
const (
	markBits = 16
	maxCalls = 1 << markBits
)

// Mark is the body of an answer to a call with the mark of the call, where it is an object or a list of JSON.
func (h *Hooks) Mark(c mock.Call, body []byte) []byte {
	at := 0
	for at < len(body) && (body[at] == ' ' || body[at] == '\n' || body[at] == '\r' || body[at] == '\t') {
		at++
	}
	if at == len(body) || body[at] != '{' && body[at] != '[' {
		return body
	}
	n, ok := h.number(Call{c.Service, c.Method, c.Target})
	if !ok {
		return body
	}
	out := append(make([]byte, 0, len(body)+markBits), body[:at+1]...)
	for bit := markBits - 1; bit >= 0; bit-- {
		out = append(out, " \t"[n>>bit&1])
	}
	return append(out, body[at+1:]...)
}

// number is that of a call: always the same, so that an API that gives back the text of an answer gives back the same.
func (h *Hooks) number(c Call) (n int, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.marked {
		return 0, false
	}
	n, ok = h.marks[c]
	if !ok && len(h.calls) < maxCalls {
		n, ok = len(h.calls), true
		h.marks[c] = n
		h.calls = append(h.calls, c)
	}
	return n, ok
}

// Bounds of what is read of a trial.
const (
	maxReads = 20_000
	maxLine  = 64 << 10
	maxDepth = 32
	maxText  = 200
)

// line is how a read is told.
type line struct {
	Mark  int    `json:"mark"`
	Path  []any  `json:"path"` // names, and 0 for the elements of a list
	Kind  string `json:"kind"`
	Value any    `json:"value"`
}

// Reads are the reads since Begin. Lines that are none, which an API could write itself, are passed over.
func (h *Hooks) Reads() (out []Read, err error) {
	f, err := os.Open(filepath.Join(h.dir, readsFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil // it has gone, and nothing is told any more
	}
	if err != nil {
		return nil, fmt.Errorf("read reads: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	h.mu.Lock()
	defer h.mu.Unlock()
	lines := bufio.NewReaderSize(f, maxLine)
	for range maxReads {
		raw, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) || errors.Is(err, bufio.ErrBufferFull) { // so long is none of ours
			break
		}
		if err != nil {
			return out, fmt.Errorf("read reads: %w", err)
		}
		if r, ok := h.read(raw); ok {
			out = append(out, r)
		}
	}
	return out, nil
}

// read understands one line.
func (h *Hooks) read(raw []byte) (r Read, ok bool) {
	var l line
	if json.Unmarshal(raw, &l) != nil || l.Mark < 0 || l.Mark >= len(h.calls) || len(l.Path) > maxDepth {
		return r, false
	}
	r = Read{Call: h.calls[l.Mark], Place: exchange.PlaceBody}
	for _, s := range l.Path {
		switch s := s.(type) {
		case string:
			if len(s) > maxText {
				return r, false
			}
			r.Place = r.Place.Key(s)
		case float64:
			r.Place = r.Place.Each()
		default:
			return r, false
		}
	}
	switch l.Kind {
	case "string", "number", "integer", "boolean", "list", "object":
		r.Kind = l.Kind
	}
	switch v := l.Value.(type) {
	case string:
		if len(v) <= maxText && !exchange.Secret(r.Place) { // what secrets are compared with is one
			r.Value = v
		}
	case float64:
		r.Value = v
	}
	return r, true
}
