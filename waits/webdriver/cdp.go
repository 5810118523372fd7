package webdriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/coder/websocket"
)

// maxMessage bounds a message of a browser.
const maxMessage = 16 << 20

// devtools is a connection to a browser by the Chrome DevTools Protocol, beside that of its driver.
type devtools struct {
	conn   *websocket.Conn
	events func(event) // is given what the browser tells, in order
	over   chan struct{}
	last   atomic.Uint64 // of the ids of calls
	awaited[event]
}

// event is a message of a browser: an event, or the answer to a call.
type event struct {
	ID      uint64          `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// connectTimeout bounds how long a session of WebDriver waits for the connection beside it.
const connectTimeout = 5 * time.Second

// connect connects to the browser at an address, as a driver tells it in goog:chromeOptions. What the browser tells
// is heard once somebody listens.
func connect(ctx context.Context, addr string, events func(event)) (*devtools, error) {
	ask, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/json/version", nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w", err)
	}
	r, err := http.DefaultClient.Do(ask)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w", err)
	}
	defer r.Body.Close()
	var version struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := json.NewDecoder(http.MaxBytesReader(nil, r.Body, maxMessage)).Decode(&version); err != nil {
		return nil, fmt.Errorf("read the browser's version: %w", err)
	}
	conn, _, err := websocket.Dial(ctx, version.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser: %w", err)
	}
	conn.SetReadLimit(maxMessage)
	return &devtools{conn: conn, events: events, over: make(chan struct{})}, nil
}

// listen hands on what the browser tells until the connection ends.
func (d *devtools) listen() {
	defer close(d.over)
	for {
		_, text, err := d.conn.Read(context.Background()) // close ends it
		if err != nil {
			return
		}
		var e event
		if json.Unmarshal(text, &e) != nil {
			continue
		}
		if e.ID == 0 {
			d.events(e)
			continue
		}
		d.answer(e.ID, e)
	}
}

// call sends a call and waits for its answer.
func (d *devtools) call(ctx context.Context, session, method string, params any) error {
	id := d.last.Add(1)
	call := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		call["sessionId"] = session
	}
	text, err := json.Marshal(call)
	if err != nil {
		return fmt.Errorf("write call of the browser: %w", err)
	}
	answered := d.await(id)
	if err := d.conn.Write(ctx, websocket.MessageText, text); err != nil {
		return fmt.Errorf("call %s of the browser: %w", method, err)
	}
	select {
	case e := <-answered:
		if e.Error != nil {
			return fmt.Errorf("call %s of the browser: %s", method, e.Error.Message)
		}
		return nil
	case <-d.over:
		return errors.New("the connection to the browser has ended")
	case <-ctx.Done():
		return fmt.Errorf("call %s of the browser: %w", method, ctx.Err())
	}
}

// close ends the connection, and waits for what listens to it.
func (d *devtools) close() {
	_ = d.conn.CloseNow() // the browser may be gone already
	<-d.over
}
