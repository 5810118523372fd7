package webdriver

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// prompts are what a suite wants to become of dialogs that it does not expect, by their types (W3C WebDriver, § 16).
//
// In a session that has a socket, Firefox closes dialogs at once, unless they are to be ignored. Where flaketap asks
// for the socket, it asks for that too, and does itself what the suite wants, when a command comes upon a dialog.
type prompts map[string]string

// unasked is what becomes of dialogs of which a suite says nothing.
const unasked = "dismiss and notify"

// readPrompts reads what a suite says of dialogs: one handler for all types, or one for each. ok is false where no
// driver would take it.
func readPrompts(says json.RawMessage) (p prompts, ok bool) {
	var one string
	switch {
	case says == nil:
		return prompts{}, true
	case json.Unmarshal(says, &one) == nil:
		p = prompts{"default": one}
	case json.Unmarshal(says, &p) != nil:
		return nil, false
	}
	for _, handler := range p {
		if !slices.Contains([]string{"accept", "accept and notify", "dismiss", "dismiss and notify", "ignore"}, handler) {
			return nil, false
		}
	}
	return p, p != nil
}

// ignoring is what a driver is told of dialogs where a suite says this: to leave those alone that a suite could see.
func ignoring(says json.RawMessage) json.RawMessage {
	var kinds map[string]json.RawMessage
	if json.Unmarshal(says, &kinds) != nil {
		return quoted("ignore")
	}
	for _, kind := range []string{"alert", "confirm", "prompt"} {
		kinds[kind] = quoted("ignore")
	}
	text, err := json.Marshal(kinds)
	if err != nil {
		return quoted("ignore")
	}
	return text
}

// of is what is to become of a dialog of a type, and whether the suite is told.
func (p prompts) of(kind string) (handler string, notify bool) {
	handler, told, _ := strings.Cut(cmp.Or(p[kind], p["default"], unasked), " and ")
	return handler, told == "notify"
}

// alertOpen is the error of a command that comes upon a dialog.
const alertOpen = "unexpected alert open"

// mostDialogs bounds how many dialogs one command closes: a page may open the next one at once.
const mostDialogs = 10

// meets does with a dialog that a command came upon what the suite wants, and returns the answer that the command comes
// to, and its text: nil where that is the driver's first, which passes as it came.
func (t *tap) meets(b *browser, session string, first *exchange.Response, again asking) (*exchange.Response, []byte) {
	r, text := first, []byte(nil)
	for range mostDialogs {
		kind, open := dialogOf(r)
		handler, notify := b.prompts.of(kind)
		if b.prompts == nil || !open || handler == "ignore" {
			return r, text
		}
		ctx, cancel := context.WithTimeout(t.over, connectTimeout)
		_, err := t.besides(ctx, http.MethodPost, "/session/"+session+"/alert/"+handler, "{}")
		if err == nil && !notify {
			r, err = again(ctx)
		}
		cancel()
		switch {
		case err != nil:
			return first, nil
		case notify:
			return r, performed(r, handler)
		}
		text = slices.Concat(r.Head, r.Body)
	}
	return r, text
}

// dialogOf reports whether an answer tells of a dialog that is open, and of which type it is; "" where it does not say.
func dialogOf(r *exchange.Response) (kind string, open bool) {
	if r.Status == http.StatusOK {
		return "", false
	}
	var says struct {
		Value struct{ Error, Message string }
	}
	text, err := r.Payload()
	if err != nil || json.Unmarshal(text, &says) != nil || says.Value.Error != alertOpen {
		return "", false
	}
	words := strings.Fields(says.Value.Message) // Unexpected confirm dialog detected.
	if len(words) > 2 && words[2] == "dialog" {
		kind = words[1]
	}
	return kind, true
}

// performed is an answer that tells of a dialog, with what has become of that.
func performed(r *exchange.Response, handler string) []byte {
	text, err := r.Payload()
	if err != nil {
		return nil
	}
	body, err := within(text, []string{"value"}, func(says map[string]json.RawMessage) {
		var message string
		if json.Unmarshal(says["message"], &message) == nil {
			says["message"], _ = json.Marshal(strings.Replace(message, `"ignore"`, `"`+handler+`"`, 1)) // a text is no error
		}
	})
	if err != nil {
		return nil
	}
	return withBody(r.Head, body)
}
