package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/waits/oracle"
)

// look asks the driver something besides what the suite asks.
func (t *tap) look(ctx context.Context, path string) (*exchange.Response, error) {
	return t.besides(ctx, http.MethodGet, path, "")
}

// besides asks the driver something, or to do something, that the suite does not.
func (t *tap) besides(ctx context.Context, method, path, body string) (*exchange.Response, error) {
	ask := fmt.Sprintf("%s %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s", method, path, t.driver.Host, len(body), body)
	return t.again(ctx, &exchange.Exchange{Scheme: t.driver.Scheme, Addr: t.driver.Host,
		Request: exchange.Request{Method: method}}, []byte(ask))
}

// alertIsOpen reports whether a dialog is open: a read that comes upon one closes it.
func (t *tap) alertIsOpen(ctx context.Context, u *turn) bool {
	if u.session == "" || u.kind() == oracle.Reads && u.last() == "text" && u.about == "" || strings.Contains(u.command.Does, "alert") {
		return false
	}
	r, err := t.look(ctx, "/session/"+u.session+"/alert/text")
	return err == nil && r.Status == http.StatusOK
}

// stale is the error of a command about an element that is no part of its page any more.
const stale = "stale element reference"

// insteadOf is a read that is asked again, of the element that has come in the place of one that is gone meanwhile, as
// where a frame loads itself anew: the one that is found now as that was. It is nil where there is none.
func (t *tap) insteadOf(ctx context.Context, u *turn, r *exchange.Request) []byte {
	was := u.element()
	if u.command.Kind != oracle.Reads || was == "" || len(u.command.Found) == 0 {
		return nil
	}
	is, within := "", ""
	for _, l := range u.command.Found {
		if is = t.findAgain(ctx, "/session/"+u.session+within, l); is == "" {
			return nil
		}
		within = "/element/" + url.PathEscape(is)
		if l.Using == "shadow" {
			within = "/shadow/" + url.PathEscape(is)
		}
	}
	replaced := func(text []byte) []byte { return bytes.ReplaceAll(text, []byte(was), []byte(is)) }
	return withBody(replaced(r.Head), replaced(r.Body))
}

// findAgain is the id of what a locator finds within something; "" where there is nothing.
func (t *tap) findAgain(ctx context.Context, within string, l oracle.Locator) string {
	method, what := http.MethodPost, "/element"
	body, err := json.Marshal(map[string]string{"using": l.Using, "value": l.Value})
	switch {
	case l.Using == "shadow":
		method, what, body = http.MethodGet, "/shadow", nil
	case l.Nth > 0:
		what = "/elements"
	}
	if err != nil {
		return ""
	}
	answered, err := t.besides(ctx, method, within+what, string(body))
	if err != nil {
		return ""
	}
	_, ids := answer(answered)
	if n := max(l.Nth, 1); len(ids) >= n {
		return ids[n-1]
	}
	return ""
}
