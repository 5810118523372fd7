// What the tests send with, and what they keep. Needs the standard library only.

package apitest

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// pause is how long after an answer a request is sent again that is waited for.
const pause = 100 * time.Millisecond

// timeout bounds each request: FLAKETAP_TIMEOUT seconds, or 30.
func timeout() time.Duration {
	seconds, err := strconv.ParseFloat(os.Getenv("FLAKETAP_TIMEOUT"), 64)
	if err != nil {
		seconds = 30
	}
	return time.Duration(seconds * float64(time.Second))
}

// TestMain resets the API before the first test, where FLAKETAP_RESET says how: a URL that is POSTed to, or a shell command.
func TestMain(m *testing.M) {
	if how := os.Getenv("FLAKETAP_RESET"); how != "" {
		if err := reset(how); err != nil {
			fmt.Fprintln(os.Stderr, "reset:", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func reset(how string) error {
	if !strings.HasPrefix(how, "http://") && !strings.HasPrefix(how, "https://") {
		return exec.Command("sh", "-c", how).Run()
	}
	res, err := http.Post(how, "", nil)
	if err == nil {
		err = res.Body.Close()
	}
	if err == nil && res.StatusCode >= 400 {
		err = fmt.Errorf("%s", res.Status)
	}
	return err
}

// transport sends what it is given: it asks for no compression, follows no redirect, keeps no cookie.
var transport = &http.Transport{
	DisableCompression: true,
	TLSClientConfig:    &tls.Config{InsecureSkipVerify: os.Getenv("FLAKETAP_INSECURE") != ""},
}

// secrets are what the tests send and nobody else is to read: of secrets.json, or of the file named by FLAKETAP_SECRETS.
var secrets = sync.OnceValues(func() (map[string]string, error) {
	path := os.Getenv("FLAKETAP_SECRETS")
	if path == "" {
		path = "secrets.json"
	}
	data, err := os.ReadFile(filepath.Clean(path))
	if err != nil {
		return nil, fmt.Errorf("read the secrets that the tests send: %w", err)
	}
	var out map[string]string
	return out, json.Unmarshal(data, &out)
})

// credentials are the secrets that tests asked for, by environment variable, but for those that the API is to refuse.
var credentials sync.Map

// secret returns a secret: from the environment variable FLAKETAP_ and its name, or from secrets.json. It fails the test
// where there is none.
func (c *client) secret(name string) string {
	c.t.Helper()
	variable := "FLAKETAP_" + name
	value := os.Getenv(variable)
	if value == "" {
		value = c.stored(name, variable)
	}
	if len(value) >= 6 && !strings.HasPrefix(name, "REFUSED_") {
		credentials.Store(variable, value)
	}
	return value
}

// stored returns a secret of secrets.json.
func (c *client) stored(name, variable string) string {
	c.t.Helper()
	hint := ": give it there, or set the environment variable " + variable + ", see README.md"
	all, err := secrets()
	if err != nil {
		c.t.Fatal(err.Error() + ", so there is no " + name + hint)
	}
	if all[name] == "" {
		c.t.Fatal("secrets.json has no value for " + name + hint)
	}
	return all[name]
}

// refused says, where the API refuses a request that bears a credential of the environment, which one that is.
func (c *client) refused(r request, status int) {
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		return
	}
	c.t.Helper()
	credentials.Range(func(name, value any) bool {
		bears := strings.Contains(r.target, inQuery(value.(string)))
		for _, h := range c.sent(r) {
			bears = bears || strings.Contains(h.value, value.(string))
		}
		if bears {
			c.t.Logf("the API refused the credential %s with %d: if it has expired, set another, see README.md", name, status)
		}
		return true
	})
}

// thisRun is a text that is another in each run: an API that keeps what it has refuses an account that is there.
//
//nolint:unused
var thisRun = "r" + strconv.FormatInt(time.Now().UnixNano(), 36)

// shared is what set-ups gave that are sent once for all tests.
var shared = struct {
	sync.Mutex
	done   map[string]bool
	values map[string]string
}{done: map[string]bool{}, values: map[string]string{}}

// once is a set-up that is sent once for all tests.
type once struct {
	name string
	do   func(*client)
}

// client is the client of one test, with the values that its answers gave.
type client struct {
	t      *testing.T
	values map[string]string
	given  map[string]bool
}

// begin begins a test: shared set-ups are sent if they were not sent yet.
func begin(t *testing.T, setUps ...once) *client {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	c := &client{t: t, values: map[string]string{}, given: map[string]bool{}}
	for _, s := range setUps {
		for name, value := range shared.values {
			c.values[name], c.given[name] = value, true
		}
		if shared.done[s.name] {
			continue
		}
		shared.done[s.name] = true
		c.share(s)
	}
	return c
}

// share sends a set-up once. If it fails, it fails this test and is not sent again; what it gave is kept.
func (c *client) share(s once) {
	c.t.Helper()
	own := &client{t: c.t, values: maps.Clone(c.values), given: map[string]bool{}}
	defer func() {
		for name := range own.given {
			shared.values[name] = own.values[name]
			c.values[name], c.given[name] = own.values[name], true
		}
	}()
	s.do(own)
}

// bound returns a value that an answer gave; until then, that of the recording.
func (c *client) bound(name string) string {
	if value, ok := c.values[name]; ok {
		return value
	}
	return c.recorded(name)
}

// after sends a request when the test is over, passed or failed, if its values were given.
func (c *client) after(clean func() request, names ...string) {
	c.t.Cleanup(func() {
		for _, name := range names {
			if !c.given[name] {
				return
			}
		}
		if res, err := c.try(clean()); err != nil {
			c.t.Log("clean-up:", err)
		} else if res.code >= 500 {
			c.t.Log("clean-up: status", res.code)
		}
	})
}

// require fails the test where answers did not give some values: a recorded one may name another's thing, which is not to be
// changed. Tests that are written into a suite call it; none of these does.
//
//nolint:unused
func (c *client) require(names ...string) {
	c.t.Helper()
	for _, name := range names {
		if !c.given[name] {
			c.t.Fatalf("no answer gave %s", name)
		}
	}
}

// header is one line of a request's head.
type header struct{ name, value string }

// request is one request.
type request struct {
	method, target string
	headers        []header // beside the usual ones, or in their place
	without        []string // the usual ones that it does not send
	body           string
	chunked        bool
	base           string // another base URL than that of most requests
	until          until  // what the answer is waited for to say; where it has no code, the first answer counts
}

// sent lists the headers of a request.
func (c *client) sent(r request) []header {
	return append(slices.DeleteFunc(c.usual(), func(u header) bool {
		own := func(h header) bool { return strings.EqualFold(h.name, u.name) }
		return slices.Contains(r.without, u.name) || slices.ContainsFunc(r.headers, own)
	}), r.headers...)
}

// until is what a request is sent again for, at most for so many seconds: a status, and JSON values by place. With one
// of never, a place and a value, there is no more to wait for: no other was seen to follow it.
type until struct {
	code    int
	values  map[string]string
	never   [][2]string
	seconds int
	every   int // milliseconds of the pause; 0 for the usual one
}

// said reports whether an answer has the status and, at each place, the value, or one that nothing good follows.
func (u until) said(a *answer) bool {
	has := func(place, want string) bool {
		return slices.ContainsFunc(a.values(place), func(v any) bool { return canonical(v) == canonical(mustParse(want)) })
	}
	if a.code == u.code && slices.ContainsFunc(u.never, func(n [2]string) bool { return has(n[0], n[1]) }) {
		return true
	}
	for place, want := range u.values {
		if !has(place, want) {
			return false
		}
	}
	return a.code == u.code
}

// send sends a request, again where its answer is waited for; without an answer the test ends.
func (c *client) send(r request) *answer {
	c.t.Helper()
	end := time.Now().Add(time.Duration(r.until.seconds) * time.Second)
	res, err := c.try(r)
	for err == nil && r.until.code != 0 && !r.until.said(res) && time.Now().Before(end) {
		time.Sleep(cmp.Or(time.Duration(r.until.every)*time.Millisecond, pause))
		res, err = c.try(r)
	}
	if err != nil {
		c.t.Fatalf("%s %s: %v", r.method, r.target, err)
	}
	c.refused(r, res.code)
	return res
}

func (c *client) try(r request) (*answer, error) { return c.within(r, timeout()) }

// within sends a request, whose answer may take so long.
func (c *client) within(r request, limit time.Duration) (*answer, error) {
	base := r.base
	if base == "" {
		base = os.Getenv("FLAKETAP_URL")
	}
	if base == "" {
		base = target
	}
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	req := (&http.Request{
		Method: r.method, Host: u.Host, Header: http.Header{"User-Agent": nil},
		URL: &url.URL{Scheme: u.Scheme, Host: u.Host, Opaque: strings.TrimSuffix(u.Path, "/") + r.target},
	}).WithContext(ctx)
	if r.body != "" || r.method == "POST" || r.method == "PUT" || r.method == "PATCH" {
		req.Body, req.ContentLength = io.NopCloser(strings.NewReader(r.body)), int64(len(r.body))
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(r.body)), nil }
		if r.body == "" {
			req.Body = http.NoBody
		}
		if r.chunked {
			req.ContentLength, req.TransferEncoding = -1, []string{"chunked"}
		}
	}
	for _, h := range c.sent(r) {
		req.Header[h.name] = append(req.Header[h.name], latin1(h.value))
	}
	res, err := transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, err
	}
	a := &answer{t: c.t, code: res.StatusCode, head: res.Header, host: u.Host, when: time.Now()}
	a.body, err = decode(body, res.Header.Values("Content-Encoding"))
	return a, err
}

// latin1 writes a text of a head as its bytes: one for each character.
func latin1(s string) string {
	out := make([]byte, 0, len(s))
	for _, r := range s {
		if r > 0xff {
			return s
		}
		out = append(out, byte(r))
	}
	return string(out)
}

// decode decodes content codings.
func decode(body []byte, codings []string) ([]byte, error) {
	for _, coding := range slices.Backward(strings.Split(strings.ToLower(strings.Join(codings, ",")), ",")) {
		var r io.Reader
		var err error
		switch coding = strings.TrimSpace(coding); {
		case len(body) == 0:
			return body, nil
		case coding == "gzip" || coding == "x-gzip":
			r, err = gzip.NewReader(bytes.NewReader(body))
		case coding == "deflate":
			if r, err = zlib.NewReader(bytes.NewReader(body)); err != nil {
				r, err = flate.NewReader(bytes.NewReader(body)), nil
			}
		case coding == "br" || coding == "zstd":
			return nil, fmt.Errorf("the answer is coded as %s, which the standard library does not read", coding)
		default:
			continue
		}
		if err == nil {
			body, err = io.ReadAll(r)
		}
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", coding, err)
		}
	}
	return body, nil
}

// take keeps the value that an answer gives; if it gives none, it keeps the known one.
func (c *client) take(name string, a *answer, place string) {
	if value, ok := a.taken(place); ok && value != "" && a.code < 400 {
		c.values[name], c.given[name] = value, true
	}
}

// gone notes that a request took away what a value names, so that no clean-up does so again, if its answer says that.
func (c *client) gone(name string, a *answer) {
	if a.code == http.StatusNotFound || a.code == http.StatusGone || a.code < 300 && a.code != http.StatusAccepted {
		delete(c.given, name)
	}
}

// find is like take, but keeps the recorded value while the list still contains it.
func (c *client) find(name string, a *answer, place string) {
	parts := strings.Split(place, "/")
	for i, p := range parts {
		if p != "" && strings.Trim(p, "0123456789") == "" {
			parts[i] = "*"
		}
	}
	known := c.recorded(name)
	for _, v := range a.values(strings.Join(parts, "/")) {
		if textOf(v) == known {
			c.values[name], c.given[name] = known, true
			return
		}
	}
	c.take(name, a, place)
}

// taken returns the text at a place of an answer, as in /body/id, /header/location/path/1, /header/set-cookie/sid.
func (a *answer) taken(place string) (string, bool) {
	parts := segments(place)
	if parts[0] == "body" {
		values := a.values(place)
		if len(values) == 0 || isContainer(values[0]) {
			return "", false
		}
		return textOf(values[0]), true
	}
	value, rest := a.head.Get(parts[1]), parts[2:]
	switch {
	case parts[1] == "set-cookie" && len(rest) > 0:
		value, ok := a.cookies()[rest[0]]
		if len(rest) > 1 && rest[1] == "unescaped" {
			value, _ = url.QueryUnescape(value)
		}
		return value, ok
	case len(rest) == 0 || value == "":
		return value, value != ""
	}
	if _, link, ok := strings.Cut(value, "<"); ok && parts[1] == "link" {
		value, _, _ = strings.Cut(link, ">")
	}
	u, err := url.Parse(value)
	if err != nil || len(rest) < 2 {
		return "", false
	}
	if rest[0] == "path" {
		path := strings.Split(strings.Trim(u.EscapedPath(), "/"), "/")
		if n, err := strconv.Atoi(rest[1]); err == nil && n < len(path) {
			text, err := url.PathUnescape(path[n])
			return text, err == nil
		}
		return "", false
	}
	n := 0
	if len(rest) > 2 {
		n, _ = strconv.Atoi(rest[2])
	}
	if all := u.Query()[rest[1]]; n < len(all) {
		return all[n], true
	}
	return "", false
}

// How values are escaped: in a path, a query or a form, inside a JSON string, as a JSON value.

func inPath(value string) string { return escape(value, "~!$&'()*+,;=:@-._") }

func inQuery(value string) string { return escape(value, "~!$'()*,:@/?-._") }

func escape(value, safe string) string {
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		if '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte(safe, c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func inJSON(value string) string {
	quoted := quote(value)
	return quoted[1 : len(quoted)-1]
}

func asJSON(value string) string {
	var n json.Number
	if json.Unmarshal([]byte(value), &n) == nil && !strings.HasPrefix(value, `"`) && value != "null" {
		return value
	}
	return quote(value)
}

func quote(value string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(value); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// fromBase64 returns the bytes of a body that is not text.
func fromBase64(value string) string {
	b, err := base64.StdEncoding.DecodeString(value)
	if err != nil {
		panic(err)
	}
	return string(b)
}
