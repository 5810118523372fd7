package external

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The APIs are told to wait as long for a service as timeout says. A client that waits patience longer for an API sees it
// hang. For what does not depend on a service that is silent, it waits as long as a busy machine may need.
const (
	timeout  = 1500 * time.Millisecond
	patience = 2 * time.Second
	busy     = time.Minute
)

// subject is an API, how its program is started, and what proves its labels.
type subject struct {
	labels *Labels
	proof  proof
	start  []string
}

func subjectOf(t *testing.T, a API) subject {
	t.Helper()
	a.Need(t)
	start, err := a.Build(t.Context(), "testdata", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	labels, err := Load(filepath.Join("testdata", a.Name))
	if err != nil {
		t.Fatal(err)
	}
	s := subject{labels: labels, start: start}
	if err := decodeFile(filepath.Join("testdata", a.Name, "proof.json"), &s.proof); err != nil {
		t.Fatal(err)
	}
	return s
}

// program is an API's program that runs, beside a fake of its services.
type program struct {
	subject
	fake   *fake
	base   string
	client *http.Client
	stderr *said
	stop   func()
}

// said keeps what a program writes, and tells once that it listens.
type said struct {
	mu      sync.Mutex
	text    strings.Builder
	listens chan struct{}
}

func (s *said) read(from io.Reader) {
	for lines := bufio.NewScanner(from); lines.Scan(); {
		s.mu.Lock()
		s.text.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		if strings.Contains(lines.Text(), "listens on") {
			close(s.listens)
		}
	}
}

func (s *said) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// run starts the program with some of its bugs mended; it ends with the test.
func (s subject) run(t *testing.T, mended ...string) *program {
	t.Helper()
	p := &program{subject: s, fake: newFake(t, s.labels, s.proof.Calls), client: &http.Client{Transport: &http.Transport{}}}
	for attempt := 0; ; attempt++ {
		port := freePort(t)
		cmd := exec.Command(s.start[0], append(slices.Clone(s.start[1:]), "--port", port)...)
		cmd.Env = append(os.Environ(), p.fake.env, "MEND="+strings.Join(mended, ","), "NO_PROXY=*",
			fmt.Sprintf("TIMEOUT=%v", timeout.Seconds()))
		errors, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		p.stderr, p.base = &said{listens: make(chan struct{})}, "http://127.0.0.1:"+port
		ended := make(chan struct{})
		go func() {
			p.stderr.read(errors)
			cmd.Wait()
			close(ended)
		}()
		p.stop = func() {
			p.client.CloseIdleConnections()
			cmd.Process.Kill()
			<-ended
		}
		t.Cleanup(p.stop)
		select {
		case <-p.stderr.listens:
			return p
		case <-ended: // another took the port
			if attempt == 3 {
				t.Fatal("the program does not start: ", p.stderr)
			}
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// try sends a request while the services answer so, after others that have to come before it.
func (p *program) try(t *testing.T, answers map[string]replies, request int, after ...int) *Outcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), busy)
	defer cancel()
	p.fake.begin(answers, cancel)
	for _, r := range append([]Request{{Method: "POST", Path: "/reset"}}, pick(p.labels.Requests, after)...) {
		if o := p.send(ctx, t, r); o.Status == 0 {
			t.Error("no answer to ", r.Path)
		}
	}
	p.fake.taken()
	o := p.send(ctx, t, p.labels.Requests[request])
	o.Request, o.Calls = request, p.fake.taken()
	return o
}

func pick(requests []Request, indexes []int) (out []Request) {
	for _, i := range indexes {
		out = append(out, requests[i])
	}
	return out
}

func (p *program) send(ctx context.Context, t *testing.T, r Request) *Outcome {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, r.Method, p.base+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	begin := time.Now()
	resp, err := p.client.Do(req)
	if err != nil {
		return &Outcome{Hang: ctx.Err() != nil, Duration: time.Since(begin)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return &Outcome{Hang: ctx.Err() != nil, Duration: time.Since(begin)}
	}
	return &Outcome{Status: resp.StatusCode, Header: resp.Header, Body: body, Duration: time.Since(begin)}
}

func (o *Outcome) String() string {
	calls := []string{}
	for _, c := range o.Calls[:min(len(o.Calls), 12)] {
		calls = append(calls, fmt.Sprintf("%s %s%s -> %d", c.Method, c.Host, c.Path, c.Status))
	}
	return fmt.Sprintf("request %d: status %d, hang %v, %v, body %.600s, %d calls:\n\t%s", o.Request, o.Status, o.Hang, o.Duration, o.Body,
		len(o.Calls), strings.Join(calls, "\n\t"))
}

// Each program does what its labels say, and nothing in it fails that has no label. Programs wait more than they work, so
// all are tried at once, whatever -parallel says.
func TestLabelsAreProven(t *testing.T) {
	var all sync.WaitGroup
	for _, a := range APIs() {
		all.Go(func() {
			t.Run(a.Name, func(t *testing.T) {
				s := subjectOf(t, a)
				whole, mended := s.run(t), s.run(t, s.bugs()...)
				for request := range s.labels.Requests {
					whole.try(t, nil, request) // what comes first takes long
					mended.try(t, nil, request)
				}
				t.Run("behaviors", func(t *testing.T) { s.proveBehaviors(t, whole) })
				t.Run("bugs", func(t *testing.T) {
					s.proveBugs(t, whole, mended)
					whole.stop()
					s.findTraces(t, whole.stderr.String(), a.Language)
				})
				t.Run("mended", func(t *testing.T) { s.damageAnswers(t, mended) })
			})
		})
	}
	all.Wait()
}

// bugs returns the IDs of all bugs.
func (s subject) bugs() (ids []string) {
	for _, label := range s.labels.Bugs {
		ids = append(ids, label.ID)
	}
	return ids
}

// proveBehaviors has every behavior come about. Its label tells it, no bug is told, and no other label is told by the very
// same cases.
func (s subject) proveBehaviors(t *testing.T, p *program) {
	cases := map[string][]string{} // by label, the cases in which it is told
	for _, label := range s.labels.Behaviors {
		for _, request := range label.Request {
			o := p.try(t, s.proof.Cases[label.ID], request, label.After...)
			told := matching(s.labels.Behaviors, o)
			if bugs := matching(s.labels.Bugs, o); !slices.Contains(told, label.ID) || len(bugs) > 0 {
				t.Errorf("%s is told as %v and %v: %v", label.ID, told, bugs, o)
			}
			for _, id := range told {
				cases[id] = append(cases[id], label.ID)
			}
		}
	}
	twins := map[string]string{}
	for _, label := range s.labels.Behaviors {
		key := strings.Join(cases[label.ID], " ")
		if twin := twins[key]; twin != "" {
			t.Errorf("%s is not told from %s: both are %s", label.ID, twin, key)
		}
		twins[key] = label.ID
	}
}

// proveBugs has every bug come about, and its label tell it from the others; the program that is mended does not have it.
func (s subject) proveBugs(t *testing.T, whole, mended *program) {
	for _, label := range s.labels.Bugs {
		answers := s.proof.Cases[label.ID]
		own := label.Kind == "hang" || label.Kind == "endless" // the program stays busy with it
		for i, request := range label.Request {
			p := whole
			if own && i > 0 {
				break // one is enough of what takes so long
			} else if own {
				p = s.run(t)
				p.try(t, nil, request) // the first request takes long, in a virtual machine above all
			}
			o := p.try(t, answers, request, label.After...)
			if told := matching(s.labels.Bugs, o); !slices.Equal(told, []string{label.ID}) {
				t.Errorf("%s is told as %v: %v", label.ID, told, o)
			}
			if own {
				p.stop()
			}
			o = mended.try(t, answers, request, label.After...)
			if told := matching(s.labels.Bugs, o); len(told) > 0 || failed(o) {
				t.Errorf("%s, mended, is told as %v: %v", label.ID, told, o)
			}
		}
	}
}

// damageAnswers has a program whose bugs are all mended answer whatever part of the services' answers is missing or odd:
// what fails in it otherwise has a label.
func (s subject) damageAnswers(t *testing.T, mended *program) {
	for request := range s.labels.Requests {
		for _, call := range mended.called(t, request) {
			for _, answers := range damaged(call) {
				o := mended.try(t, answers, request)
				if failed(o) || len(matching(s.labels.Bugs, o)) > 0 {
					t.Fatalf("%s %s: %v\n%s", call.Name, answers[call.Name][0].Body, o, mended.stderr)
				}
			}
		}
	}
}

// findTraces looks for the trace that each crash leaves on stderr.
func (s subject) findTraces(t *testing.T, stderr, language string) {
	marks := map[string]string{"python": "Traceback (most", "node": "    at ", "go": "goroutine ", "jvm": "\tat "}
	crashes := 0
	for _, label := range s.labels.Bugs {
		if label.Kind == "crash" {
			crashes += len(label.Request)
		}
	}
	if n := strings.Count(stderr, marks[language]); n < crashes {
		t.Errorf("%d crashes leave %d traces on stderr: %s", crashes, n, stderr)
	}
}

// called returns the calls that a request brings about while nothing is out of the way.
func (p *program) called(t *testing.T, request int) (out []proofCall) {
	o := p.try(t, nil, request)
	for _, c := range p.proof.Calls {
		if slices.ContainsFunc(o.Calls, func(call Call) bool {
			return c.Method == call.Method && c.Path.in(call.Path)
		}) {
			out = append(out, c)
		}
	}
	return out
}

// proof.json has a case for each label and for nothing else, and each of its answers is that to a call which is there.
func TestProofsAreOfLabels(t *testing.T) {
	for _, a := range APIs() {
		labels, err := Load(filepath.Join("testdata", a.Name))
		if err != nil {
			t.Fatal(err)
		}
		var pr proof
		if err := decodeFile(filepath.Join("testdata", a.Name, "proof.json"), &pr); err != nil {
			t.Fatal(err)
		}
		for _, label := range slices.Concat(labels.Behaviors, labels.Bugs) {
			if _, proven := pr.Cases[label.ID]; !proven {
				t.Errorf("%s: no case proves %s", a.Name, label.ID)
			}
		}
		for id, answers := range pr.Cases {
			if !slices.ContainsFunc(slices.Concat(labels.Behaviors, labels.Bugs), func(l Label) bool { return l.ID == id }) {
				t.Errorf("%s: a case %q, which is no label", a.Name, id)
			}
			for name := range answers {
				if !slices.ContainsFunc(pr.Calls, func(c proofCall) bool { return c.Name == name }) {
					t.Errorf("%s: the case %q answers a call %q that there is not", a.Name, id, name)
				}
			}
		}
		if len(labels.Behaviors) < 30 || len(labels.Bugs) < 8 || len(labels.Services) < 3 || len(labels.Requests) < 6 {
			t.Errorf("%s: %d behaviors, %d bugs, %d services, %d requests", a.Name, len(labels.Behaviors), len(labels.Bugs),
				len(labels.Services), len(labels.Requests))
		}
	}
}
