package webdriver

import (
	"context"
	"encoding/json"
	"strings"
)

// tellsBy is the name of the channel by which page.js speaks in Firefox. No script of a page sees it.
const tellsBy = "flaketap"

// gecko is a channel by WebDriver BiDi, over a second connection to the socket of a session.
type gecko struct {
	*connection
	watcher *watcher
}

// firefox opens the channel of a session, by the address of its socket.
func firefox(socket string) opener {
	return func(ctx context.Context, w *watcher) (channel, error) {
		f := &gecko{watcher: w}
		var err error
		if f.connection, err = connect(ctx, socket, f.hear); err != nil {
			return nil, err
		}
		go f.listen()
		err = f.callAll(ctx, "", call{"script.addPreloadScript", map[string]any{"functionDeclaration": page,
			"arguments": []any{map[string]any{"type": "channel", "value": map[string]any{"channel": tellsBy}}}}},
			call{"session.subscribe", map[string]any{"events": watched()}})
		if err != nil {
			f.close()
			return nil, err
		}
		return f, nil
	}
}

// watched are the events of a session that are subscribed to.
func watched() []string {
	return []string{"script.message", "script.realmDestroyed", "browsingContext.contextDestroyed", "network.beforeRequestSent",
		"network.responseCompleted", "network.fetchError"}
}

// catchUp has nothing to do: a script that is added runs in all pages to come.
func (*gecko) catchUp(context.Context) {}

// look runs look.js in a sandbox. Which page an element is of its id does not say, so each is asked.
func (f *gecko) look(ctx context.Context, element string) (says string, err error) {
	var tree struct{ Contexts []branch }
	if err := f.ask(ctx, "", "browsingContext.getTree", map[string]any{}, &tree); err != nil {
		return "", err
	}
	for _, context := range contextsIn(tree.Contexts) {
		var said struct{ Result struct{ Value string } }
		err = f.ask(ctx, "", "script.callFunction", map[string]any{"functionDeclaration": look, "awaitPromise": false,
			"target":    map[string]any{"context": context, "sandbox": tellsBy},
			"arguments": []any{map[string]any{"sharedId": element}}}, &said)
		if err == nil && said.Result.Value != "" {
			return said.Result.Value, nil
		}
	}
	return "", err
}

// branch is a page, or a frame, with the frames in it.
type branch struct {
	Context  string
	Children []branch
}

func contextsIn(all []branch) (contexts []string) {
	for _, b := range all {
		contexts = append(append(contexts, b.Context), contextsIn(b.Children)...)
	}
	return contexts
}

// hear takes what the browser tells.
func (f *gecko) hear(e event) {
	switch e.Method {
	case "script.message":
		f.told(e.Params)
	case "script.realmDestroyed":
		f.ended(e.Params)
	case "browsingContext.contextDestroyed":
		f.destroyed(e.Params)
	case "network.beforeRequestSent", "network.responseCompleted", "network.fetchError":
		f.request(e)
	}
}

// told takes what page.js says.
func (f *gecko) told(params json.RawMessage) {
	var p struct {
		Channel string
		Data    struct{ Value string }
		Source  struct{ Context, Realm string }
	}
	if json.Unmarshal(params, &p) == nil && p.Channel == tellsBy {
		f.watcher.told(part{p.Source.Context, p.Source.Realm}, p.Data.Value)
	}
}

// ended forgets the timers of a document that is gone.
func (f *gecko) ended(params json.RawMessage) {
	var p struct{ Realm string }
	if json.Unmarshal(params, &p) == nil {
		f.watcher.forgetDocuments(func(of part) bool { return of.id == p.Realm })
	}
}

// destroyed forgets what is of a page, or frame, that is gone.
func (f *gecko) destroyed(params json.RawMessage) {
	var p struct{ Context string }
	if json.Unmarshal(params, &p) == nil {
		f.watcher.forgetPage(p.Context)
	}
}

// request takes what the browser says of a request. One that is sent elsewhere ends, and begins again.
func (f *gecko) request(e event) {
	var p struct {
		Context string
		Request struct {
			ID          string `json:"request"`
			Method, URL string
			Destination string
			Initiator   string `json:"initiatorType"` // "" where no page asks
			Headers     []struct {
				Name  string
				Value struct{ Value string }
			}
		}
	}
	if json.Unmarshal(e.Params, &p) != nil || p.Context == "" { // Firefox itself asks for something
		return
	}
	id := part{p.Context, p.Request.ID}
	if e.Method != "network.beforeRequestSent" {
		f.watcher.ended(id)
		return
	}
	for _, h := range p.Request.Headers {
		if strings.EqualFold(h.Name, "accept") && h.Value.Value == "text/event-stream" {
			return // a stream has no end
		}
	}
	switch p.Request.Initiator {
	case "beacon", "ping":
		return
	case "":
		if p.Request.Destination == "image" { // the icon of a page
			return
		}
	}
	if strings.HasPrefix(p.Request.URL, "ws") {
		return
	}
	f.watcher.requested(id, p.Request.Method, p.Request.URL)
}
