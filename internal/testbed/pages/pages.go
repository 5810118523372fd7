// Package pages serves kinds of pages that show something later than a test expects it: what suites for browsers wait
// for. How much later is given. The page of jitter asks twice, and is drawn with each answer: with the first, whichever
// that is, it says that there is more to come. Tests and evaluations alone use it.
package pages

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// Kinds are the kinds of pages, each at a path of its name.
var Kinds = []string{"fetch", "jitter", "list", "value", "ticker", "toast", "confirm", "navigate", "shadow", "poll"}

//go:embed html/*.html
var html embed.FS

// Server serves the pages.
type Server struct {
	// Latency is how long an answer takes; nil is no time.
	Latency func() time.Duration
	// Wrong has the server answer 24 where 23 is right.
	Wrong atomic.Bool
}

// ServeHTTP serves a page, or what one asks for.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/age":
		s.wait(r)
		fmt.Fprint(w, s.age())
	case "/ask":
		if c, err := websocket.Accept(w, r, nil); err == nil {
			defer func() { _ = c.CloseNow() }() // the page may have gone
			s.answer(r, c)
		}
	case "/items":
		s.wait(r)
		items := `["ant","bee","cat","dog","elk"]`
		if s.Wrong.Load() {
			items = `["ant","bee","cat","dog","eel"]`
		}
		fmt.Fprint(w, items)
	case "/events":
		select { // nobody ends a long poll but its client
		case <-r.Context().Done():
		case <-time.After(30 * time.Second):
		}
	case "/feed":
		if c, err := websocket.Accept(w, r, nil); err == nil {
			defer func() { _ = c.CloseNow() }() // the page may have gone
			ctx := c.CloseRead(r.Context())
			feed(ctx, func(text string) error { return c.Write(ctx, websocket.MessageText, []byte(text)) })
		}
	case "/stream":
		w.Header().Set("Content-Type", "text/event-stream")
		feed(r.Context(), func(text string) error {
			_, err := fmt.Fprintf(w, "data: %s\n\n", text)
			return errors.Join(err, http.NewResponseController(w).Flush())
		})
	default:
		page, err := html.ReadFile("html" + r.URL.Path + ".html")
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(page) // the browser may have gone
	}
}

func (s *Server) age() int {
	if s.Wrong.Load() {
		return 24
	}
	return 23
}

// answer answers each message of a socket until the page is gone.
func (s *Server) answer(r *http.Request, c *websocket.Conn) {
	for {
		if _, _, err := c.Read(r.Context()); err != nil {
			return
		}
		s.wait(r)
		if c.Write(r.Context(), websocket.MessageText, fmt.Append(nil, s.age())) != nil {
			return
		}
	}
}

// feed says something at irregular times until nobody listens any more, for 30 s at most.
func feed(ctx context.Context, say func(text string) error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	for n := 1; say(fmt.Sprint(n, " at ", time.Now().UnixMicro())) == nil; n++ {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(20+n*n*37%150) * time.Millisecond):
		}
	}
}

func (s *Server) wait(r *http.Request) {
	if s.Latency == nil {
		return
	}
	select {
	case <-time.After(s.Latency()):
	case <-r.Context().Done():
	}
}
