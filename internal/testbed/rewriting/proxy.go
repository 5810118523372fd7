package rewriting

import (
	"bytes"
	"context"
	"crypto/sha1"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// Database is what json-server serves: a library's publishers, authors, books,
// members, loans, reviews and settings.
//
//go:embed db.json
var Database []byte

//go:embed server.js
var server string

// A call is a request as the proxy passes it on.
type call struct {
	method string
	path   string
	raw    string // the query as it came
	query  url.Values
	header http.Header
	host   string
	body   []byte
}

// is tells whether the call has the method and the path. A * in the path
// stands for one segment.
func (c call) is(method, path string) bool {
	ok, err := filepath.Match(path, c.path)
	return err == nil && ok && c.method == method
}

// An answer is what comes back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// value is the answer's JSON, nil if it has none.
func (a answer) value() any {
	v, err := decode(a.body)
	if err != nil {
		return nil
	}
	return v
}

// set replaces the answer's JSON and its ETag, which Express derives from the
// body.
func (a *answer) set(v any) {
	a.body = encode(v)
	if a.header.Get("ETag") != "" {
		sum := sha1.Sum(a.body)
		a.header.Set("ETag", fmt.Sprintf(`W/"%x-%s"`, len(a.body), base64.StdEncoding.EncodeToString(sum[:])[:27]))
	}
}

// A next passes a call on to json-server.
type next func(call) answer

// Handler is a proxy in front of target with one planted regression, or none
// for the zero Variant.
func Handler(target *url.URL, v Variant) http.Handler {
	pass := func(c call) answer {
		u := *target
		u.Path, u.RawQuery = c.path, c.raw
		if was, err := url.ParseQuery(c.raw); err != nil || was.Encode() != c.query.Encode() {
			u.RawQuery = c.query.Encode()
		}
		r, err := http.NewRequest(c.method, u.String(), bytes.NewReader(c.body))
		if err != nil {
			return failed(err)
		}
		r.Header, r.Host = c.header.Clone(), c.host
		r.Header.Set("Accept-Encoding", "identity")
		r.Header.Del("Connection")
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			return failed(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err = errors.Join(err, resp.Body.Close()); err != nil {
			return failed(err)
		}
		return answer{resp.StatusCode, resp.Header, body}
	}
	planted := func(c call, n next) answer { return n(c) }
	if v.plant != nil {
		planted = v.plant()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a := planted(call{r.Method, r.URL.Path, r.URL.RawQuery, r.URL.Query(), r.Header, r.Host, body}, pass)
		for name, values := range a.header {
			w.Header()[name] = values
		}
		for _, name := range []string{"Connection", "Keep-Alive", "Transfer-Encoding"} {
			w.Header().Del(name)
		}
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		w.WriteHeader(a.status)
		if r.Method != http.MethodHead {
			_, _ = w.Write(a.body) // the client may have gone
		}
	})
}

func failed(err error) answer {
	return answer{http.StatusBadGateway, http.Header{}, []byte(err.Error())}
}

// Start starts a json-server with a fresh Database; modules is the directory
// that holds it (node_modules). It ends with the context.
func Start(ctx context.Context, modules string) (*url.URL, error) {
	var db bytes.Buffer
	if err := json.Compact(&db, Database); err != nil {
		return nil, err
	}
	db.WriteByte('\n')
	node := exec.CommandContext(ctx, "node", "-e", server)
	node.Env = append(os.Environ(), "NODE_PATH="+modules)
	node.Stderr = os.Stderr
	in, err := node.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := node.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := node.Start(); err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = node.Wait() })
	if _, err := in.Write(db.Bytes()); err != nil {
		return nil, err
	}
	var line [16]byte
	n, err := out.Read(line[:])
	port := strings.TrimSpace(string(line[:n]))
	if _, bad := strconv.Atoi(port); err != nil || bad != nil {
		return nil, errors.Join(fmt.Errorf("json-server said %q in place of its port", port), err)
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1:" + port}, nil
}

// Serve serves the library at an address, with the variant of that name planted in it, until the context ends; modules
// is the directory that holds json-server (node_modules).
func Serve(ctx context.Context, addr, modules, variant string) error {
	v, err := Named(variant)
	if err != nil {
		return err
	}
	target, err := Start(ctx, modules)
	if err != nil {
		return fmt.Errorf("start json-server: %w", err)
	}
	s := &http.Server{Addr: addr, Handler: Handler(target, v)}
	context.AfterFunc(ctx, func() { _ = s.Close() })
	if err := s.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the library: %w", err)
	}
	return nil
}
