package build

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/flow/message"
	"github.com/flaketap/flaketap/internal/testbed/needs"
	"github.com/flaketap/flaketap/suite"
)

// shop is an API with all that makes suites flake: a clock, nonces, ids that count on, shuffles, members that come and
// go, a status that moves; and with what must stay exact.
type shop struct {
	mu     sync.Mutex
	next   int
	tokens map[string]bool
	orders map[string]map[string]any
	calls  int
	teas   int
	fault  string // a regression that is planted: "status", "field", "value"
}

const password = "correct horse battery"

func nonce() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}

// plant makes the shop break in one way; "" heals it.
func (s *shop) plant(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault = fault
}

func (s *shop) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	w.Header().Set("X-Version", "1.4")
	w.Header().Set("X-Request-Id", nonce())
	body, _ := io.ReadAll(r.Body)
	path := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch op := r.Method + " " + path[0]; op {
	case "POST login":
		s.login(w, body)
	case "POST orders":
		s.create(w, r, body)
	case "GET orders":
		s.list(w, r, path[1:])
	case "DELETE orders":
		delete(s.orders, path[1])
		w.WriteHeader(http.StatusNoContent)
	case "GET shuffle":
		items := []map[string]any{{"n": 1, "at": nonce()}, {"n": 2, "at": nonce()}, {"n": 3, "at": nonce()}}
		mathrand.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		send(w, 200, items)
	case "GET clock":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprintf(w, "it is %s now", time.Now().UTC().Format(time.RFC3339Nano))
	case "GET exact":
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"a":1,"a":2,"big":9007199254740993,"huge":1e400,"price":12.10,"half":"\ud83d!","":null,"x.y/z~\"q'*":[true,"é\n"],`+
			`"long":"`+strings.Repeat("a long text in which nothing moves ", 8)+`"}`)
	case "GET binary":
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write([]byte{0, 1, 2, 0xff, 0xfe})
	case "HEAD text", "GET text":
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, "it's \"plain\"\n")
	case "POST form":
		r.Body = io.NopCloser(bytes.NewReader(body))
		send(w, 200, map[string]any{"order": r.FormValue("order"), "q": r.URL.Query()["q"]})
	case "GET teapot":
		s.teas++
		send(w, []int{503, 200}[s.teas%2], map[string]any{"calls": s.calls})
	default:
		http.NotFound(w, r)
	}
}

func send(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

func (s *shop) login(w http.ResponseWriter, body []byte) {
	var in struct{ User, Password string }
	if json.Unmarshal(body, &in) != nil || in.Password != password {
		send(w, 401, map[string]any{"error": "who?"})
		return
	}
	token := nonce()
	s.tokens[token] = true
	http.SetCookie(w, &http.Cookie{Name: "sid", Value: nonce()})
	http.SetCookie(w, &http.Cookie{Name: "visit-" + nonce(), Value: "1"}) // a name that moves
	send(w, 200, map[string]any{"token": token, "user": in.User})
}

func (s *shop) create(w http.ResponseWriter, r *http.Request, body []byte) {
	if !s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
		send(w, 401, map[string]any{"error": "who?"})
		return
	}
	var in map[string]any
	json.Unmarshal(body, &in)
	s.next += 1 + mathrand.IntN(50)
	id := fmt.Sprint(s.next)
	order := map[string]any{"id": s.next, "item": in["item"], "created": time.Now().UTC().Format(time.RFC3339Nano),
		"trace": nonce(), "note": nil, "state": "new", "lines": []int{1, 2, 3}}
	if len(s.tokens)%2 == 0 {
		order["hint"] = "sometimes"
	}
	if s.fault == "value" {
		order["state"] = "old"
	}
	s.orders[id] = order
	w.Header().Set("Location", "http://"+r.Host+"/orders/"+id)
	w.Header().Set("ETag", `"`+nonce()+`"`)
	send(w, 201, order)
}

func (s *shop) list(w http.ResponseWriter, r *http.Request, path []string) {
	if len(path) == 0 {
		send(w, 200, []any{})
		return
	}
	order, ok := s.orders[path[0]]
	switch {
	case !ok || s.fault == "status":
		send(w, 404, map[string]any{"error": "no such order"})
	default:
		if s.fault == "field" {
			delete(order, "item")
		}
		send(w, 200, order)
	}
}

// request makes an exchange that holds a request only.
func request(seq uint64, addr, method, target, headers, body string) *exchange.Exchange {
	head := method + " " + target + " HTTP/1.1\r\nHost: " + addr + "\r\nAccept-Encoding: gzip, br\r\n" + headers
	if body != "" {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	return &exchange.Exchange{Seq: seq, Pass: 1, Scheme: "http", Addr: addr,
		Request: exchange.ParseRequest(exchange.Message{Head: []byte(head + "\r\n"), Body: []byte(body)})}
}

// played sends a request as it is and reads the answer.
func played(t testing.TB, addr string, r *exchange.Request) *exchange.Response {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	head := bytes.TrimSuffix(r.Head, []byte("\r\n"))
	if _, err := conn.Write(slices.Concat(head, []byte("Connection: close\r\n\r\n"), r.Body)); err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: r.Method})
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "HTTP/1.1 %s\r\n", resp.Status)
	resp.Header.Write(&b)
	b.WriteString("\r\n")
	return exchange.ParseResponse(exchange.Message{Head: b.Bytes(), Body: body, Plain: true})
}

// visit records a client's visit to the shop and replays it.
func visit(t testing.TB, addr string, runs int) suite.Source {
	t.Helper()
	src := suite.Source{Redactor: exchange.Redactor{Key: []byte("k")}}
	carry := map[string]string{}
	var seq uint64
	do := func(sequence, method, target, headers, body string) *exchange.Response {
		seq++
		for name, value := range carry {
			target, headers, body = strings.ReplaceAll(target, name, value), strings.ReplaceAll(headers, name, value), strings.ReplaceAll(body, name, value)
		}
		e := request(seq, addr, method, target, headers, body)
		e.Sequence, e.Start = sequence, time.Now()
		e.Response = played(t, addr, &e.Request)
		src.Steps = append(src.Steps, exchange.Step{Exchange: e})
		return e.Response
	}
	field := func(r *exchange.Response, name string) string {
		v, _ := message.Value(r, exchange.PlaceBody.Key(name))
		return v
	}
	const asJSON = "Content-Type: application/json\r\n"
	r := do("a", "POST", "/login", asJSON, `{"user":"bob","password":"`+password+`"}`)
	carry["TOKEN"] = field(r, "token")
	r = do("a", "POST", "/orders", asJSON+"Authorization: Bearer TOKEN\r\n", `{"item":"t\"ea {x}"}`)
	carry["ORDER"] = field(r, "id")
	do("a", "GET", "/orders/ORDER", "Authorization: Bearer TOKEN\r\n", "")
	do("b", "GET", "/shuffle", "", "")
	do("b", "GET", "/clock", "", "")
	do("b", "GET", "/exact", "", "")
	do("b", "GET", "/binary", "", "")
	do("c", "HEAD", "/text", "", "")
	do("c", "GET", "/text?q=%27a%20b%27&api_key=s3cr3t-key-123", "X-Odd: a\tb\r\n", "")
	do("c", "POST", "/form?q=1&q=%C3%A4", "Content-Type: application/x-www-form-urlencoded\r\n", "order=ORDER&x=a+b")
	do("d", "POST", "/login", asJSON, `{"user":"eve","password":"guess-it-again"}`)
	do("d", "GET", "/teapot", "Cookie: theme=dark; session=0123-abc-token\r\n", "")
	do("d", "POST", "/orders", asJSON, `{"item":"`+strings.Repeat("a long item ", 20)+`","n":[1,2]}`)
	do("d", "POST", "/orders", "Content-Type: application/octet-stream\r\n", "\xff\xfe"+strings.Repeat("\x00\n\"", 30))
	do("a", "DELETE", "/orders/ORDER", "Authorization: Bearer TOKEN\r\n", "")
	do("a", "GET", "/orders/ORDER", "", "")
	do("e", "GET", "/nowhere/{x}/%2F/a'b", "", "")

	var all []*exchange.Exchange
	for _, s := range src.Steps {
		all = append(all, s.Exchange)
	}
	bindings := flow.Bindings(all)
	src.Sequences = flow.Sequences(all, bindings, flow.Operations(all, bindings))
	for n := 1; n <= runs; n++ {
		carrier := flow.NewCarrier(bindings)
		for i := range src.Steps {
			e := src.Steps[i].Exchange
			o := &exchange.Observation{Run: n, Seq: e.Seq, Start: time.Now(), Sent: carrier.Request(e)}
			o.Response = played(t, addr, &o.Sent)
			carrier.Learn(e.Seq, o.Response)
			src.Steps[i].Observations = append(src.Steps[i].Observations, o)
		}
	}
	return judged(t, src)
}

// writeFiles puts a generated suite into a new folder.
func writeFiles(t testing.TB, files []suite.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, f.Perm); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pytest runs a suite and returns whether it passed, and what it said.
func pytest(t testing.TB, dir, url string) (bool, string) {
	t.Helper()
	cmd := exec.Command("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "FLAKETAP_URL="+url, "PYTHONDONTWRITEBYTECODE=1")
	out, err := cmd.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	return err == nil, string(out)
}

func needPytest(t testing.TB) {
	t.Helper()
	needs.That(t, "python3 with pytest", exec.Command("python3", "-m", "pytest", "--version").Run() == nil)
}

func newShop() *shop {
	return &shop{next: 100, tokens: map[string]bool{}, orders: map[string]map[string]any{}}
}

func TestGeneratedSuiteRuns(t *testing.T) {
	needPytest(t)
	api := newShop()
	server := httptest.NewServer(api)
	defer server.Close()
	src := visit(t, server.Listener.Addr().String(), 8)
	files, err := written(src, suite.Relax)
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, files)
	for range 3 {
		if ok, out := pytest(t, dir, server.URL); !ok {
			for _, f := range files {
				if strings.HasPrefix(f.Name, "test_") {
					t.Logf("%s:\n%s", f.Name, f.Data)
				}
			}
			t.Fatalf("the suite fails:\n%s", out)
		}
	}
	for _, fault := range []string{"status", "field", "value"} {
		api.plant(fault)
		if ok, out := pytest(t, dir, server.URL); ok {
			t.Errorf("fault %s: the suite passes:\n%s", fault, out)
		}
		api.plant("")
	}
	exact, err := written(src, suite.Exact)
	if err != nil {
		t.Fatal(err)
	}
	if ok, out := pytest(t, writeFiles(t, exact), server.URL); ok {
		t.Errorf("the exact suite passes:\n%s", out)
	}
	comment, err := written(src, suite.Comment)
	if err != nil {
		t.Fatal(err)
	}
	if ok, out := pytest(t, writeFiles(t, comment), server.URL); !ok {
		t.Errorf("the commented suite fails:\n%s", out)
	}
}

// TestGeneratedFiles checks what can be seen in the files without running them.
func TestGeneratedFiles(t *testing.T) {
	server := httptest.NewServer(newShop())
	defer server.Close()
	src := visit(t, server.Listener.Addr().String(), 3)
	for _, mode := range []suite.Mode{suite.Relax, suite.Comment, suite.Exact} {
		files, err := written(src, mode)
		if err != nil {
			t.Fatal(err)
		}
		again, err := written(src, mode)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(files, again); diff != "" {
			t.Errorf("%s: written twice (-first +second):\n%s", mode, diff)
		}
		token := src.Steps[0].Exchange.Response
		bearer, _ := message.Value(token, "/body/token")
		secrets := []string{password, "guess-it-again", "s3cr3t-key-123", "0123-abc-token", bearer}
		var code [][]byte
		for _, f := range files {
			for i, line := range strings.Split(string(f.Data), "\n") {
				if len([]rune(line)) > 200 {
					t.Errorf("%s:%d is %d characters long", f.Name, i+1, len([]rune(line)))
				}
			}
			for _, secret := range secrets {
				if held := bytes.Contains(f.Data, []byte(secret)); held != (f.Name == "secrets.json") {
					t.Errorf("%s: %s holds the secret %q: %v", mode, f.Name, secret, held)
				}
			}
			if f.Name == "secrets.json" && f.Perm != 0o600 {
				t.Errorf("secrets.json has mode %o", f.Perm)
			}
			if strings.HasSuffix(f.Name, ".py") {
				code = append(code, f.Data)
			}
		}
		compiles(t, code...)
	}
}

// TestLeftOut checks what becomes of exchanges that cannot be made test steps, and of sequences that interleave.
func TestLeftOut(t *testing.T) {
	steps := []exchange.Step{
		stepOf(1, "/a", replies(`{}`)), stepOf(2, "/b", replies(`{}`)), stepOf(3, "/c", replies(`{}`)),
		stepOf(4, "/d", replies(`{}`)), stepOf(5, "/e", replies(`{}`)),
	}
	steps[1].Exchange.Response, steps[1].Exchange.Fault = nil, &exchange.Fault{Kind: exchange.FaultTimeout, Text: "30 s"}
	steps[4].Exchange.Request.Malformed = true
	src := suite.Source{Steps: steps, Sequences: []exchange.Sequence{{Name: "one", Steps: []uint64{1, 3}}, {Name: "two", Steps: []uint64{2, 4, 5}}}}
	files, err := written(src, suite.Relax)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		if strings.HasPrefix(f.Name, "test_") {
			compiles(t, f.Data)
			text += string(f.Data)
		}
	}
	at := 0
	for _, want := range []string{
		`def test_get_a_then_get_c(api, bound):`, `api.send("GET", "/a")`, `api.send("GET", "/c")`,
		`def test_get_b_then_get_d_then_get_e(api, bound):`, `# GET /b is left out: the recorded attempt failed (timeout).`,
		`api.send("GET", "/d")`, `# GET /e is left out: the request is not well-formed HTTP.`,
	} {
		n := strings.Index(text[at:], want)
		if n < 0 {
			t.Fatalf("%q is missing, or not in its place, in:\n%s", want, text)
		}
		at += n
	}
	if _, err := written(suite.Source{}, suite.Relax); err == nil {
		t.Error("an empty recording makes a suite")
	}
	if _, err := written(src, "loose"); err == nil {
		t.Error("an unknown mode makes a suite")
	}
}
