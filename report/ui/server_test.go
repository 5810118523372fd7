package ui

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/flaketap/flaketap/internal/testbed/recorded"
)

// secretPlaces are what only those may see who were let in.
func secretPlaces() []string {
	out := []string{"/events", "/rows?from=1&count=10", "/find?words=orders"}
	for _, p := range panels() {
		out = append(out, "/panel/"+p.name+"?n=1")
	}
	return out
}

func TestNobodyElseSeesAnything(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3)})
	for name, change := range map[string]func(*http.Request){
		"no key":                    func(r *http.Request) { r.Header.Del(keyHeader) },
		"a wrong key":               func(r *http.Request) { r.Header.Set(keyHeader, "WRONG") },
		"the token as a key":        func(r *http.Request) { r.Header.Set(keyHeader, s.guard.token) },
		"no cookie":                 func(r *http.Request) { r.Header.Set("Cookie", "") },
		"a wrong cookie":            func(r *http.Request) { r.Header.Set("Cookie", s.guard.name+"=WRONG") },
		"another name of the host":  func(r *http.Request) { r.Host = "evil.example:" + r.URL.Port() },
		"another port of the host":  func(r *http.Request) { r.Host = "127.0.0.1:1" },
		"no port":                   func(r *http.Request) { r.Host = "127.0.0.1" },
		"another origin":            func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") },
		"another port as an origin": func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") },
		"a sandbox":                 func(r *http.Request) { r.Header.Set("Origin", "null") },
		"another site":              func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"another port as a site":    func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"an address that was typed": func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "none") },
	} {
		for _, path := range secretPlaces() {
			alone := *s
			if strings.HasSuffix(name, "cookie") {
				alone.http = &http.Client{Timeout: 10 * time.Second} // without the jar
			}
			code, text := alone.send(http.MethodGet, path, nil, change)
			if code != http.StatusForbidden || strings.Contains(text, "orders") || strings.Contains(text, "GET") {
				t.Errorf("%s: %s is answered %d %s", name, path, code, text)
			}
		}
		code, text := s.send(http.MethodPost, "/session", strings.NewReader("WRONG"), change)
		if code != http.StatusForbidden || strings.Contains(text, s.guard.key) {
			t.Errorf("%s: a wrong token is answered %d %s", name, code, text)
		}
	}
	code, _ := s.send(http.MethodPost, "/panel/replays", strings.NewReader(""), func(r *http.Request) { r.Header.Del("Origin") })
	if code != http.StatusForbidden {
		t.Errorf("a POST without an origin is answered %d", code)
	}
}

// What is shown to all holds nothing of the recording, and every answer says what a browser may do with it.
func TestThePageItself(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 3)})
	for _, path := range append(secretPlaces()[1:], "/", "/page.css", "/page.js", "/none") {
		r, _ := http.NewRequest(http.MethodGet, s.base+path, nil)
		answer, err := http.DefaultClient.Do(r)
		check(t, err)
		text, err := io.ReadAll(answer.Body)
		check(t, err)
		answer.Body.Close()
		if strings.Contains(string(text), "/orders") || strings.Contains(string(text), s.guard.key) {
			t.Errorf("%s shows data:\n%s", path, text)
		}
		policy := answer.Header.Get("Content-Security-Policy")
		if answer.Header.Get("Cache-Control") != "no-store" || answer.Header.Get("X-Content-Type-Options") != "nosniff" ||
			!strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %v", path, answer.Header)
		}
		if answer.Header.Get("Access-Control-Allow-Origin") != "" || answer.Header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", path, answer.Header)
		}
	}
	page, _ := files.ReadFile("page.html")
	for _, bad := range []string{"<style", "style=", "onclick", "javascript:", "http://", "https://"} {
		if bytes.Contains(page, []byte(bad)) {
			t.Errorf("the page has %s", bad)
		}
	}
}

func TestTheSessionIsNoScripts(t *testing.T) {
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 1)})
	r, _ := http.NewRequest(http.MethodPost, s.base+"/session", strings.NewReader(s.guard.token))
	r.Header.Set("Origin", s.base)
	answer, err := http.DefaultClient.Do(r)
	check(t, err)
	answer.Body.Close()
	c := answer.Cookies()
	if len(c) != 1 || !c[0].HttpOnly || c[0].SameSite != http.SameSiteStrictMode || c[0].Value == s.guard.token || c[0].Value == s.guard.key {
		t.Errorf("the cookie is %v", c)
	}
}

// A GET changes nothing, whatever it asks for.
func TestGetChangesNothing(t *testing.T) {
	path := recorded.Write(t, recorded.Shop(), 2)
	played := make(chan Request, 1)
	s := serve(t, Options{DB: path, Replay: func(_ context.Context, r Request, _ io.Writer) error { played <- r; return nil }})
	before, err := os.ReadFile(path)
	check(t, err)
	for _, query := range []string{"", "?do=start&runs=1", "?do=stop", "?n=1&do=add", "?n=1&place=/body/total&kind=pin"} {
		for _, p := range panels() {
			s.send(http.MethodGet, "/panel/"+p.name+query, nil, nil)
		}
		if code, _ := s.send(http.MethodGet, "/export"+query, nil, nil); code == http.StatusOK {
			t.Error("an export needs no POST")
		}
	}
	if code, _ := s.send(http.MethodPut, "/panel/replays", nil, func(r *http.Request) { r.Header.Set("Origin", s.base) }); code == http.StatusOK {
		t.Error("a PUT is taken")
	}
	after, err := os.ReadFile(path)
	check(t, err)
	if !bytes.Equal(before, after) {
		t.Error("the recording is another one")
	}
	select {
	case r := <-played:
		t.Errorf("a replay was started: %+v", r)
	default:
	}
}

func TestOnlyThisMachine(t *testing.T) {
	for _, at := range []string{"0.0.0.0:80", "192.0.2.1:80", "[2001:db8::1]:80"} {
		a, err := net.ResolveTCPAddr("tcp", at)
		check(t, err)
		if _, err := New(a, Options{}); err == nil {
			t.Errorf("%s is taken", at)
		}
	}
	a, err := net.ResolveTCPAddr("tcp", "[::1]:80")
	check(t, err)
	if _, err := New(a, Options{}); err != nil {
		t.Error(err)
	}
}

// Browsers leave the port out where it is that of http.
func TestPort80(t *testing.T) {
	for port, want := range map[int]int{80: http.StatusOK, 8080: http.StatusForbidden} {
		s, err := New(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}, Options{})
		check(t, err)
		for _, host := range []string{"127.0.0.1", "localhost"} {
			r, w := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil), httptest.NewRecorder()
			r.Header.Set("Origin", "http://"+host)
			if s.Handler().ServeHTTP(w, r); w.Code != want {
				t.Errorf("port %d called %s: got %d, want %d", port, host, w.Code, want)
			}
		}
	}
}

// With its port, the server is called by the address and by the name of this machine; its cookie is called after the
// port, as browsers send cookies to all ports of a machine.
func TestNamesOfTheHost(t *testing.T) {
	s, err := New(&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}, Options{})
	check(t, err)
	for _, host := range []string{"127.0.0.1:8080", "localhost:8080"} {
		r, w := httptest.NewRequest(http.MethodGet, "http://"+host+"/", nil), httptest.NewRecorder()
		if s.Handler().ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Errorf("called %s, it answers %d", host, w.Code)
		}
		r, w = httptest.NewRequest(http.MethodPost, "http://"+host+"/session", strings.NewReader(s.guard.token)), httptest.NewRecorder()
		r.Header.Set("Origin", "http://"+host)
		s.Handler().ServeHTTP(w, r)
		if c := w.Result().Cookies(); len(c) != 1 || c[0].Name != "flaketap-8080" {
			t.Errorf("called %s, it gives the cookies %v", host, c)
		}
	}
}

// hostile are texts that are none of a page's markup.
func hostile() []string {
	return []string{`<script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `</pre></template><svg onload=alert(1)>`,
		"{{.}}", "\xff\xfe\x00binary", "‮reversed", "javascript:alert(1)", strings.Repeat("A", 1<<20), "]]>--><!--", "\x1b[31mred"}
}

func TestHostileTextStaysText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "<script>alert(1)<script>.db")
	for _, text := range hostile() {
		value := strings.NewReplacer("\r", "", "\n", "").Replace(text)
		record(t, path, exchangeOf("GET /"+url.PathEscape(value)+"?q="+value+" HTTP/1.1\nHost: x\nX-Text: "+value,
			"HTTP/1.1 200 "+value+"\nContent-Type: text/html\nX-Text: "+value+"\n\n"+text),
			exchangeOf("POST /x HTTP/1.1\nHost: x\n\n{"+fmt.Sprintf("%q", text)+":1}",
				"HTTP/1.1 200 OK\nContent-Type: application/json\n\n{\"<b>\":"+fmt.Sprintf("%q", text)+"}"))
	}
	s := serve(t, Options{DB: path})
	n := len(hostile()) * 2
	for i := 1; i <= n; i++ {
		for _, p := range panels() {
			harmless(t, p.name, s.get(fmt.Sprintf("/panel/%s?n=%d&place=/body", p.name, i)), 2<<20)
		}
	}
	rows := s.get("/rows?from=1&count=500")
	harmless(t, "rows", rows, 100_000)
	if strings.Count(rows, `"n":`) != n {
		t.Errorf("want %d rows:\n%s", n, rows)
	}
	code, text := s.send(http.MethodGet, "/panel/why?n=1&place="+url.QueryEscape(hostile()[1]), nil, nil)
	harmless(t, "an error", text, 10_000)
	if code != http.StatusBadRequest {
		t.Errorf("a place that is not there is answered %d", code)
	}
	for i, text := range hostile() {
		form := url.Values{"place": {text, "/body"}, "operation": {text, ""}, "because": {text}, "kind": {text}, "do": {"add"}}
		_, answer := s.post("/panel/rules", form)
		harmless(t, fmt.Sprint("rules ", i), answer, 8<<20)
	}
}

// harmless fails where a text holds markup that no template of this package has, or what nobody can see.
func harmless(t *testing.T, name, text string, most int) {
	t.Helper()
	if len(text) > most {
		t.Errorf("%s: %d bytes", name, len(text))
	}
	for _, bad := range []string{"<script", "<img", "<svg", "onerror=alert(1)>", "\x00", "\x1b", "‮", "\xff"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s holds %q:\n%.3000s", name, bad, text)
		}
	}
}

// Nothing that is logged lets anybody in.
func TestNoTokenInLogs(t *testing.T) {
	var log bytes.Buffer
	s := serve(t, Options{DB: recorded.Write(t, recorded.Shop(), 1), Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	for _, path := range secretPlaces()[1:] {
		s.send(http.MethodGet, path, nil, nil)
	}
	s.post("/export", url.Values{"name": {"none"}, "key": {s.key}})
	for _, secret := range []string{s.guard.token, s.guard.key, s.guard.cookie} {
		if strings.Contains(log.String(), secret) {
			t.Errorf("the log holds %s:\n%s", secret, log.String())
		}
	}
}
