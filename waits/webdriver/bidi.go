package webdriver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
)

// relay stands between a suite and the socket of one session, where the suite speaks WebDriver BiDi besides. Messages
// pass as they are, in order; a command that is held lets those behind it pass.
type relay struct {
	tap     *tap
	browser *browser
	session string
	driver  string // the address of the socket
	server  http.Server

	mu     sync.Mutex
	events map[string]bool // that the suite has ever subscribed to, or their modules
}

// relayPath is in the address that a suite is given: what Node loads knows by it that somebody takes its fields away.
const relayPath = "/flaketap/session/"

// maxRelayed bounds a message: one may hold a picture of a page.
const maxRelayed = 64 << 20

// relayed begins to relay the socket of a session, if it has one, and returns what the suite is told of the session.
func (t *tap) relayed(r *exchange.Response, socket, id string, b *browser) []byte {
	if !strings.HasPrefix(socket, "ws://") {
		return nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.say("flaketap: what goes by the socket of browser %d is not seen: %v", b.number, err)
		return nil
	}
	text, err := r.Payload()
	x := &relay{tap: t, browser: b, session: id, driver: socket, events: map[string]bool{}}
	told := bytes.Replace(text, quoted(socket), quoted("ws://"+ln.Addr().String()+relayPath+id), 1)
	if err != nil || bytes.Equal(told, text) {
		ln.Close()
		return nil
	}
	x.server = http.Server{Handler: x, ReadHeaderTimeout: connectTimeout}
	context.AfterFunc(t.over, func() { _ = x.server.Close() })
	go func() { _ = x.server.Serve(ln) }() // until the proxy ends
	return withBody(r.Head, told)
}

func quoted(text string) []byte { return strconv.AppendQuote(nil, text) }

// withBody is a whole message of a head with another body.
func withBody(head, body []byte) (out []byte) {
	for i, line := range bytes.Split(bytes.TrimSuffix(head, []byte("\r\n\r\n")), []byte("\r\n")) {
		name, _, _ := bytes.Cut(line, []byte(":"))
		switch http.CanonicalHeaderKey(string(name)) {
		case "Content-Length", "Content-Encoding", "Transfer-Encoding":
			if i > 0 {
				continue
			}
		}
		out = fmt.Appendf(out, "%s\r\n", line)
	}
	return append(fmt.Appendf(out, "Content-Length: %d\r\n\r\n", len(body)), body...)
}

// ServeHTTP relays one connection of the suite.
func (x *relay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(x.tap.over)
	defer cancel()
	up, _, err := websocket.Dial(ctx, x.driver, nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer func() { _ = up.CloseNow() }() // it may be gone already, as the other may
	down, err := websocket.Accept(w, r, nil)
	if err != nil {
		return // the suite has been told
	}
	defer func() { _ = down.CloseNow() }()
	s := &socket{relay: x, down: down, up: up}
	go func() {
		defer cancel()
		pump(ctx, up, s.fromDriver)
	}()
	pump(ctx, down, s.fromSuite)
	cancel()
	s.held.Wait()
}

// socket is one connection of a suite, with that to the driver behind it.
type socket struct {
	*relay
	down, up *websocket.Conn
	held     sync.WaitGroup // commands that wait
	last     atomic.Uint64  // of the ids of own commands
	awaited[[]byte]
}

// firstOwn is where the ids of own commands begin; clients count from 1.
const firstOwn = 1 << 50

// pump hands on what one side says until it ends.
func pump(ctx context.Context, from *websocket.Conn, hand func(context.Context, websocket.MessageType, []byte)) {
	from.SetReadLimit(maxRelayed)
	for {
		kind, text, err := from.Read(ctx)
		if err != nil {
			return
		}
		hand(ctx, kind, text)
	}
}

// fromSuite passes on what the suite says, and follows the commands that are about a page.
func (s *socket) fromSuite(ctx context.Context, kind websocket.MessageType, text []byte) {
	s.subscribes(text)
	c, bare := readBiDi(text, s.session)
	if c == nil {
		_ = s.up.Write(ctx, kind, bare) // a side that is gone is found to be when it is read from
		return
	}
	u, answered := s.browser.turn(c.request, time.Now()), s.await(c.id)
	s.held.Go(func() {
		if c.kind() == oracle.Acts {
			s.tap.goesOn(u)
		}
		if s.up.Write(ctx, kind, bare) != nil {
			return
		}
		select {
		case <-ctx.Done():
		case first := <-answered:
			_ = s.down.Write(ctx, websocket.MessageText, s.given(c, u, bare, first))
		}
	})
}

// fromDriver passes on what the driver says, but for the answers that somebody waits for.
func (s *socket) fromDriver(ctx context.Context, kind websocket.MessageType, text []byte) {
	var says struct {
		ID     *uint64
		Method string
		Params struct{ Channel string }
	}
	if json.Unmarshal(text, &says) == nil && (says.ID != nil && s.answer(*says.ID, text) ||
		says.Params.Channel == tellsBy || s.unasked(says.Method)) {
		return
	}
	_ = s.down.Write(ctx, kind, text)
}

// subscribes follows which events a suite wants. A subscription is of the whole session, so what flaketap subscribes to
// comes by all of its sockets.
func (x *relay) subscribes(text []byte) {
	var m struct {
		Method string
		Params struct{ Events []string }
	}
	if json.Unmarshal(text, &m) != nil || m.Method != "session.subscribe" {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, name := range m.Params.Events {
		x.events[name] = true
	}
}

// unasked reports whether an event comes to the suite because flaketap has subscribed to it, and only so.
func (x *relay) unasked(event string) bool {
	module, _, _ := strings.Cut(event, ".")
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Contains(watched(), event) && !x.events[event] && !x.events[module]
}

// given is what the suite is given for an answer: that, or a later one.
func (s *socket) given(c *bidi, u *turn, text, first []byte) []byte {
	if c.aside {
		given := c.reply(first)
		s.browser.learn(u, given.ids)
		s.tap.name(u, given)
		return first
	}
	s.tap.went(u)
	given := s.tap.ask(u, c.reply(first), func(ctx context.Context) (reply, error) {
		text, err := s.again(ctx, c, text)
		if err != nil {
			return reply{}, err
		}
		return c.reply(text), nil
	})
	s.tap.note(u)
	return given.text
}

// again sends a command of the suite once more, and returns the answer as one to the suite's own.
func (s *socket) again(ctx context.Context, c *bidi, text []byte) ([]byte, error) {
	id := firstOwn + s.last.Add(1)
	answered := s.await(id)
	ask, err := withID(text, id)
	if err != nil {
		return nil, err
	}
	if err := s.up.Write(ctx, websocket.MessageText, ask); err != nil {
		return nil, fmt.Errorf("send command again: %w", err)
	}
	select {
	case r := <-answered:
		return withID(r, c.id)
	case <-ctx.Done():
		return nil, fmt.Errorf("send command again: %w", ctx.Err())
	}
}

// withID is a message with another id.
func withID(text []byte, id uint64) ([]byte, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read message: %w", err)
	}
	all["id"] = strconv.AppendUint(nil, id, 10)
	return json.Marshal(all)
}

// bidi is a command of WebDriver BiDi, read as the one of WebDriver that does the same.
type bidi struct {
	request
	id uint64
	// aside says that it is only learned from: it belongs to a client that waits by itself.
	aside bool
}

// message is what of a command is looked at.
type message struct {
	ID     uint64 `json:"id"`
	Method string `json:"method"`
	Params struct {
		Locator struct {
			Type  string `json:"type"`
			Value any    `json:"value"`
			Match string `json:"matchType"`
		} `json:"locator"`
		StartNodes []node `json:"startNodes"`
		Accept     *bool  `json:"accept"`
		Delta      int    `json:"delta"`
		Function   string `json:"functionDeclaration"`
		Arguments  []node `json:"arguments"`
	} `json:"params"`
	// Node adds this, and it is the last field.
	Flaketap struct {
		Source string `json:"source"` // "" where the client waits by itself
		First  bool   `json:"first"`  // of what is found, the first alone is wanted
		// Globals is as the field of this name in the header of a command is.
		Globals bool `json:"globals"`
	} `json:"flaketap"`
}

// node is a reference to an element, or to something else in a page.
type node struct {
	ID string `json:"sharedId"`
}

// readBiDi reads a command, and returns its text without what Node added. c is nil where it is none that is followed.
func readBiDi(text []byte, session string) (c *bidi, bare []byte) {
	var m message
	if json.Unmarshal(text, &m) != nil {
		return nil, text
	}
	bare = text
	if at := bytes.LastIndex(text, []byte(`,"flaketap":{`)); at > 0 {
		if cut := append(bytes.Clone(text[:at]), '}'); json.Valid(cut) {
			bare = cut
		}
	}
	c = &bidi{id: m.ID, request: request{session: session, method: http.MethodPost, globals: m.Flaketap.Globals}}
	c.from(m.Flaketap.Source)
	p := &m.Params
	switch m.Method {
	case "browsingContext.navigate":
		c.path = []string{"url"}
	case "browsingContext.reload":
		c.path = []string{"refresh"}
	case "browsingContext.traverseHistory":
		c.path = []string{"forward"}
		if p.Delta < 0 {
			c.path = []string{"back"}
		}
	case "browsingContext.handleUserPrompt":
		c.path = []string{"alert", "accept"}
		if p.Accept != nil && !*p.Accept {
			c.path[1] = "dismiss"
		}
	case "input.performActions":
		c.path = []string{"actions"}
	case "browsingContext.locateNodes":
		c.locates(&m)
	case "script.callFunction": // WebdriverIO has no other command for what is displayed
		if !strings.Contains(p.Function, "function checkVisibility(") || len(p.Arguments) == 0 || c.source == "" {
			return nil, bare
		}
		c.method, c.about = http.MethodGet, p.Arguments[0].ID
		c.path = []string{"element", c.about, "displayed"}
	default:
		return nil, bare
	}
	return c, bare
}

// locates reads a command that looks for elements.
func (c *bidi) locates(m *message) {
	c.aside, c.path = c.source == "", []string{"elements"}
	if m.Flaketap.First {
		c.path = []string{"element"}
	}
	if len(m.Params.StartNodes) > 0 {
		c.about = m.Params.StartNodes[0].ID
	}
	l := &m.Params.Locator
	c.body.Using, c.body.Value = l.Type, l.Value
	switch l.Type {
	case "css":
		c.body.Using = "css selector"
	case "innerText":
		c.body.Using = "link text"
		if l.Match == "partial" {
			c.body.Using = "partial link text"
		}
	case "accessibility":
		if by, _ := l.Value.(map[string]any); len(by) == 1 {
			c.body.Using, c.body.Value = "aria", by["name"]
		}
	}
}

// reply is what a driver answered, in the words of WebDriver.
func (c *bidi) reply(text []byte) reply {
	var says struct {
		Error  string `json:"error"`
		Result struct {
			Nodes  []node `json:"nodes"`
			Result struct {
				Value json.RawMessage `json:"value"`
			} `json:"result"`
		} `json:"result"`
	}
	out := reply{text: text}
	if err := json.Unmarshal(text, &says); err != nil {
		out.Error = "an answer that is no JSON"
		return out
	}
	out.Error = shortened(says.Error)
	finds, all := c.finds()
	switch {
	case out.Error != "":
	case !finds:
		out.Value = kept(cmp.Or(string(says.Result.Result.Value), "null"))
	case all:
		out.Value = strconv.Itoa(len(says.Result.Nodes))
		for _, n := range says.Result.Nodes {
			out.ids = append(out.ids, n.ID)
		}
	case len(says.Result.Nodes) == 0:
		out.Error = "no such element"
	default:
		out.Value, out.ids = anElement, []string{says.Result.Nodes[0].ID}
	}
	return out
}
