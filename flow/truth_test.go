package flow

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/testbed/demoapi"
)

// tape is the way to an API without a socket; it keeps what passed.
type tape struct {
	api  http.Handler
	list []*exchange.Exchange
}

// RoundTrip implements http.RoundTripper.
func (p *tape) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	var head bytes.Buffer
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.Method, r.URL.RequestURI(), r.Host)
	_ = r.Header.Write(&head)
	fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n", len(body))
	in := httptest.NewRequest(r.Method, r.URL.String(), bytes.NewReader(body))
	in.Header = r.Header.Clone()
	w := httptest.NewRecorder()
	p.api.ServeHTTP(w, in)
	e := &exchange.Exchange{Seq: uint64(len(p.list) + 1), Pass: 1, Scheme: "http", Addr: r.URL.Host, Sequence: r.Header.Get(demoapi.SequenceHeader)}
	e.Request = exchange.ParseRequest(exchange.Message{Head: head.Bytes(), Body: body})
	var answer bytes.Buffer
	fmt.Fprintf(&answer, "HTTP/1.1 %d %s\r\n", w.Code, http.StatusText(w.Code))
	_ = w.Result().Header.Write(&answer)
	answer.WriteString("\r\n")
	e.Response = exchange.ParseResponse(exchange.Message{Head: answer.Bytes(), Body: w.Body.Bytes(), Plain: true})
	p.list = append(p.list, e)
	return w.Result(), nil
}

// scoreFound holds what is found against what the client says of itself: a use is right where the client took that value
// from that answer and put it at that place, or into the text there. Of an id that can only be the one, an earlier answer
// that gave it too is as good. A whole address that the client followed is right by each part of it.
func scoreFound(t *testing.T, list []*exchange.Exchange, truth []demoapi.Origin) (precision, recall float64) {
	t.Helper()
	found, right, either := 0, 0, 0
	hit := make([]bool, len(truth))
	for _, b := range Bindings(list) {
		for _, u := range b.Uses {
			found++
			i := slices.IndexFunc(truth, func(o demoapi.Origin) bool {
				same := uint64(o.From) == b.Producer.Seq || len(b.Value) > 16 && uint64(o.From) > b.Producer.Seq
				text := o.Value == b.Value || o.Place == "/path" && strings.Contains(o.Value, "/"+b.Value)
				return uint64(o.To) == u.Seq && same && text && u.Place.Within(o.Place)
			})
			if i < 0 && slices.Contains(demoapi.Shared(), b.Value) {
				found--
				either++
				continue
			}
			if i < 0 {
				t.Logf("wrong: %s=%q from %d%s in %d%s (%s %s)", b.Name, b.Value, b.Producer.Seq, b.Producer.Place, u.Seq, u.Place,
					list[u.Seq-1].Request.Method, list[u.Seq-1].Request.Target)
				continue
			}
			right++
			hit[i] = true
		}
	}
	hits := 0
	for i, o := range truth {
		if hit[i] {
			hits++
			continue
		}
		t.Logf("missed: %q from %d in %d%s (%s %s)", o.Value, o.From, o.To, o.Place, list[o.To-1].Request.Method, list[o.To-1].Request.Target)
	}
	precision, recall = float64(right)/float64(max(found, 1)), float64(hits)/float64(max(len(truth), 1))
	t.Logf("%d exchanges, %d uses by the client: precision %.4f (%d of %d; %d more either way), recall %.4f (%d of %d)",
		len(list), len(truth), precision, right, found, either, recall, hits, len(truth))
	return precision, recall
}

func meets(t *testing.T, precision, recall float64) {
	t.Helper()
	if precision < 0.98 || recall < 0.95 {
		t.Errorf("precision %.4f and recall %.4f are less than 0.98 and 0.95", precision, recall)
	}
}

// TestBindingsOfDemo: the client of the demo API says where it took each value from.
func TestBindingsOfDemo(t *testing.T) {
	p := &tape{api: demoapi.New(demoapi.Dials{})}
	truth, err := demoapi.DriveTold(context.Background(), "http://api.test", 6, p)
	if err != nil {
		t.Fatal(err)
	}
	if len(truth) < 150 {
		t.Fatalf("the client told of %d uses only", len(truth))
	}
	precision, recall := scoreFound(t, p.list, truth)
	meets(t, precision, recall)
}
