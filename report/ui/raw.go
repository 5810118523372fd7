package ui

import (
	"net/http"

	"github.com/flaketap/flaketap/exchange"
)

// rawView is one exchange as its bytes were on the wire, but for secrets.
type rawView struct {
	N     uint64
	Parts []rawPart
}

// rawPart is a run of bytes.
type rawPart struct {
	Name  string
	Bytes int
	Text  textView
}

func (v *rawView) add(name string, b []byte) {
	if len(b) > 0 {
		v.Parts = append(v.Parts, rawPart{name, len(b), newText(b)})
	}
}

func (v *rawView) message(name string, m exchange.Message) {
	v.add("Head of the "+name, m.Head)
	v.add("Body of the "+name, m.Body)
}

func showRaw(s *Server, r *http.Request) (any, error) {
	at, step, done, err := s.step(r)
	if err != nil {
		return nil, err
	}
	defer done()
	e := step.Exchange
	if at.rest != nil {
		e = at.rest.Exchange(e)
	}
	v := rawView{N: e.Seq}
	v.message("request", e.Request.Message)
	if e.Response != nil {
		v.add("Interim answers", e.Response.Interim)
		v.message("answer", e.Response.Message)
	}
	if e.Fault != nil {
		v.message("answer before the fault", e.Fault.Seen)
		v.message("answer that flaketap gave the client", e.Fault.Told)
	}
	return v, nil
}
