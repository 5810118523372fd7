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

// callEach sends calls, one after the other has been answered, until one fails.
func (c *connection) callEach(ctx context.Context, session string, calls ...call) error {
	for _, x := range calls {
		if err := c.call(ctx, session, x.method, x.params); err != nil {
			return err
		}
	}
	return nil
}

// call sends a call and waits for its answer. session is the page that it is about, in DevTools; "" for the browser.
func (c *connection) call(ctx context.Context, session, method string, params any) error {
	id := c.last.Add(1)
	call := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		call["sessionId"] = session
	}
	text, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("write call of the browser: %w", err)
	}
	answered := c.await(id)
	if err := c.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("call %s of the browser: %w", method, err)
	}
	select {
	case e := <-answered:
		if why := e.failure(); why != "" {
			return fmt.Errorf("call %s of the browser: %s", method, why)
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
