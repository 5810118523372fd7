package replay

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"sync"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/flow"
)

// shop is an API whose ids, tokens, cookies and validators differ from instance to instance.
type shop struct {
	mu     sync.Mutex
	next   int
	tokens map[string]bool
	carts  map[string]bool
	orders map[string]map[string]any
}

func random() string {
	b := make([]byte, 12)
	_, _ = rand.Read(b)
	return hex.EncodeToString(b)
}

func newShop() http.Handler {
	b := make([]byte, 1)
	_, _ = rand.Read(b)
	s := &shop{next: 10 + int(b[0]), tokens: map[string]bool{}, carts: map[string]bool{}, orders: map[string]map[string]any{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /orders", s.guard(s.create))
	mux.HandleFunc("GET /orders/{id}", s.guard(s.read))
	mux.HandleFunc("PUT /orders/{id}", s.guard(s.update))
	mux.HandleFunc("DELETE /orders/{id}", s.guard(s.remove))
	mux.HandleFunc("POST /payments", s.guard(s.pay))
	mux.HandleFunc("GET /find", s.guard(s.find))
	mux.HandleFunc("GET /cart", s.cart)
	return mux
}

func (s *shop) guard(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !s.tokens[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")] {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		next(w, r)
	}
}

func (s *shop) login(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := random()
	s.tokens[token] = true
	reply(w, 200, map[string]any{"access_token": token})
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *shop) create(w http.ResponseWriter, r *http.Request) {
	order := map[string]any{}
	_ = json.NewDecoder(r.Body).Decode(&order)
	s.next++
	order["id"], order["tag"] = s.next, `"`+random()+`"`
	s.orders[fmt.Sprint(s.next)] = order
	w.Header().Set("Location", fmt.Sprintf("/orders/%d", s.next))
	reply(w, 201, order)
}

func (s *shop) read(w http.ResponseWriter, r *http.Request) {
	order := s.orders[r.PathValue("id")]
	if order == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("ETag", order["tag"].(string))
	if r.Header.Get("If-None-Match") == order["tag"] {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	reply(w, 200, order)
}

func (s *shop) update(w http.ResponseWriter, r *http.Request) {
	order := s.orders[r.PathValue("id")]
	var in map[string]any
	if json.NewDecoder(r.Body).Decode(&in) != nil || order == nil || fmt.Sprint(in["id"]) != r.PathValue("id") {
		w.WriteHeader(http.StatusConflict)
		return
	}
	reply(w, 200, order)
}

func (s *shop) remove(w http.ResponseWriter, r *http.Request) {
	if s.orders[r.PathValue("id")] == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	delete(s.orders, r.PathValue("id"))
	w.WriteHeader(http.StatusNoContent)
}

func (s *shop) pay(w http.ResponseWriter, r *http.Request) {
	if s.orders[r.FormValue("order_id")] == nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}

func (s *shop) find(w http.ResponseWriter, r *http.Request) {
	if s.orders[r.URL.Query().Get("orderId")] == nil {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	reply(w, 200, []int{1})
}

func (s *shop) cart(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := r.Cookie("cart")
	switch {
	case err != nil:
		id := random()
		s.carts[id] = true
		http.SetCookie(w, &http.Cookie{Name: "cart", Value: id, Path: "/"})
		w.WriteHeader(http.StatusCreated)
	case s.carts[c.Value]:
		w.WriteHeader(http.StatusOK)
	default:
		w.WriteHeader(http.StatusForbidden)
	}
}

// tape is a recording in memory; it serves as a Source.
type tape struct {
	t    testing.TB
	addr string
	list []*exchange.Exchange
}

func (p *tape) Exchanges() iter.Seq2[*exchange.Exchange, error] {
	return func(yield func(*exchange.Exchange, error) bool) {
		for _, e := range p.list {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// add appends an exchange with the given bytes and no answer yet.
func (p *tape) add(head, body string) *exchange.Exchange {
	e := &exchange.Exchange{Seq: uint64(len(p.list) + 1), Pass: 1, Scheme: "http", Addr: p.addr}
	e.Request = exchange.ParseRequest(exchange.Message{Head: []byte(head), Body: []byte(body)})
	p.list = append(p.list, e)
	return e
}

// send records one exchange with the API at p.addr and returns its answer with its body. It sends with nothing of the
// code under test.
func (p *tape) send(method, target, headers, body string) (*http.Response, string) {
	p.t.Helper()
	head := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\n%s", method, target, p.addr, headers)
	if body != "" {
		head += fmt.Sprintf("Content-Length: %d\r\n", len(body))
	}
	e := p.add(head+"\r\n", body)
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, head+"\r\n"+body); err != nil {
		p.t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method})
	if err != nil {
		p.t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	dump, err := httputil.DumpResponse(resp, false)
	if err != nil {
		p.t.Fatal(err)
	}
	e.Response = exchange.ParseResponse(exchange.Message{Head: dump, Body: got, Plain: true})
	return resp, string(got)
}

// field returns a member of a JSON object as text.
func field(t testing.TB, body, name string) string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(body))
	dec.UseNumber()
	var m map[string]any
	if err := dec.Decode(&m); err != nil || m[name] == nil {
		t.Fatalf("no %s in %q: %v", name, body, err)
	}
	return fmt.Sprint(m[name])
}

// shopping records a client that uses everything a shop gives it.
func shopping(t testing.TB, addr string) *tape {
	p := &tape{t: t, addr: addr}
	_, body := p.send("POST", "/login", "Content-Type: application/json\r\n", `{"user":"ada"}`)
	auth := "Authorization: Bearer " + field(t, body, "access_token") + "\r\nContent-Type: application/json\r\n"
	for range 3 {
		_, body = p.send("POST", "/orders", auth, `{"qty": 2}`)
		id := field(t, body, "id")
		resp, _ := p.send("GET", "/orders/"+id, auth, "")
		p.send("GET", "/orders/"+id, auth+"If-None-Match: "+resp.Header.Get("ETag")+"\r\n", "")
		p.send("PUT", "/orders/"+id, auth, `{ "id" : `+id+`, "qty":3}`)
		p.send("POST", "/payments", strings.Replace(auth, "application/json", "application/x-www-form-urlencoded", 1), "order_id="+id+"&how=card")
		p.send("GET", "/find?q=x&orderId="+id, auth, "")
		p.send("DELETE", "/orders/"+id, auth, "")
		p.send("GET", "/orders/"+id, auth, "")
	}
	resp, _ := p.send("GET", "/cart", "", "")
	p.send("GET", "/cart", "Cookie: a=1; cart="+resp.Cookies()[0].Value+"; b=2\r\n", "")
	return p
}

// sink keeps observations.
type sink struct{ list []*exchange.Observation }

func (s *sink) Observe(o *exchange.Observation) error {
	s.list = append(s.list, o)
	return nil
}

// play plays a tape with the bindings that flow finds in it.
func play(t testing.TB, p *Player, source *tape) (Summary, []*exchange.Observation) {
	t.Helper()
	p.Bindings = flow.Bindings(source.list)
	var s sink
	sum, err := p.Play(context.Background(), source, &s)
	if err != nil {
		t.Fatalf("Play: %v", err)
	}
	return sum, s.list
}

// rawServer answers every connection with what handle does.
func rawServer(t testing.TB, handle func(conn net.Conn, r *bufio.Reader)) (addr string) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer conn.Close()
				handle(conn, bufio.NewReader(conn))
			})
		}
	})
	t.Cleanup(func() { ln.Close(); wg.Wait() })
	return ln.Addr().String()
}

// readHead reads a request head.
func readHead(r *bufio.Reader) (string, error) {
	var b bytes.Buffer
	for {
		line, err := r.ReadString('\n')
		b.WriteString(line)
		if err != nil || line == "\r\n" || line == "\n" {
			return b.String(), err
		}
	}
}

func serve(t testing.TB, h http.Handler) (addr string) {
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	return srv.Listener.Addr().String()
}
