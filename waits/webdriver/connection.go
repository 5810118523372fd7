package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// maxMessage bounds a message of a browser.
const maxMessage = 16 << 20

// connectTimeout bounds how long a session of WebDriver waits for the connection beside it.
const connectTimeout = 5 * time.Second

// connection is one to a browser, beside that of its driver: calls and answers, with ids, and events. The Chrome
// DevTools Protocol and WebDriver BiDi have it alike.
type connection struct {
	conn   *websocket.Conn
	events func(event) // is given what the browser tells, in order
	over   chan struct{}
	last   atomic.Uint64 // of the ids of calls
	awaited[event]
}

// event is a message of a browser: an event, or the answer to a call.
type event struct {
	ID      uint64          `json:"id"`
	Session string          `json:"sessionId"` // of DevTools: the page that it is about
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`   // an object of DevTools, a word of BiDi
	Message string          `json:"message"` // of BiDi, with an error
}

// failure is what went wrong, in the words of the browser; "" where nothing did.
func (e *event) failure() string {
	var of struct {
		Message string `json:"message"`
	}
	switch {
	case len(e.Error) == 0 || bytes.Equal(e.Error, []byte("null")):
		return ""
	case json.Unmarshal(e.Error, &of) == nil && of.Message != "":
		return of.Message
	}
	return string(e.Error) + " " + e.Message
}

// connect connects to the socket of a browser. What the browser tells is heard once somebody listens.
func connect(ctx context.Context, socket string, events func(event)) (*connection, error) {
	conn, _, err := websocket.Dial(ctx, socket, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	return &connection{conn: conn, events: events, over: make(chan struct{})}, nil
}

// listen hands on what the browser tells until the connection ends.
func (c *connection) listen() {
	defer close(c.over)
	for {
		_, text, err := c.conn.Read(context.Background()) // close ends it
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(text, &e) != nil {
			continue
		}
		if e.ID == 0 {
			c.events(e)
			continue
		}
		c.answer(e.ID, e)
	}
}

// call is something that a browser is asked to do.
type call struct {
	method string
	params map[string]any
}

// callAll sends calls at once, in their order, and waits for all answers: a page may go on between two of them. It
// returns the first failure.
func (c *connection) callAll(ctx context.Context, session string, calls ...call) (failed error) {
	var sent []<-chan event
	for _, x := range calls {
		answered, err := c.send(ctx, session, x.method, x.params)
		if err != nil {
			return err
		}
		sent = append(sent, answered)
	}
	for i, answered := range sent {
		if err := c.receive(ctx, calls[i].method, answered, nil); err != nil && failed == nil {
			failed = err
		}
	}
	return failed
}

// call sends a call and waits for its answer. session is the page that it is about, in DevTools; "" for the browser.
func (c *connection) call(ctx context.Context, session, method string, params any) error {
	return c.ask(ctx, session, method, params, nil)
}

// ask is a call whose result is wanted: it is read into what result points to, if that is not nil.
func (c *connection) ask(ctx context.Context, session, method string, params, result any) error {
	answered, err := c.send(ctx, session, method, params)
	if err != nil {
		return err
	}
	return c.receive(ctx, method, answered, result)
}

// send sends a call, and returns where its answer will come.
func (c *connection) send(ctx context.Context, session, method string, params any) (<-chan event, error) {
	id := c.last.Add(1)
	call := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		call["sessionId"] = session
	}
	text, err := json.Marshal(call)
	if err != nil {
		return nil, fmt.Errorf("write call of the browser: %w", err)
	}
	answered := c.await(id)
	if err := c.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return nil, fmt.Errorf("call %s of the browser: %w", method, err)
	}
	return answered, nil
}

// receive waits for the answer to a call.
func (c *connection) receive(ctx context.Context, method string, answered <-chan event, result any) error {
	select {
	case e := <-answered:
		if why := e.failure(); why != "" {
			return fmt.Errorf("call %s of the browser: %s", method, why)
		}
		if result == nil {
			return nil
		}
		if err := json.Unmarshal(e.Result, result); err != nil {
			return fmt.Errorf("read what %s of the browser says: %w", method, err)
		}
		return nil
	case <-c.over:
		return errors.New("the connection to the browser has ended")
	case <-ctx.Done():
		return fmt.Errorf("call %s of the browser: %w", method, ctx.Err())
	}
}

// close ends the connection, and waits for what listens to it.
func (c *connection) close() {
	_ = c.conn.CloseNow() // the browser may be gone already
	<-c.over
}
