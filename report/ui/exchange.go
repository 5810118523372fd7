package ui

import (
	"io/fs"
	"net/http"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
)

// exchangeView is one exchange, decoded.
type exchangeView struct {
	*report.Detail
	Asked   messageView
	Answers []messageView // that there is, and what came of one before a fault
	Runs    []runView
}

// messageView is a message without its codings.
type messageView struct {
	*report.Message
	Name string
	Text textView
}

func newMessage(name string, m *report.Message) messageView {
	return messageView{m, name, newBody(m.Body)}
}

// runView is what one run answered.
type runView struct {
	report.Observation
	Words string
}

// step reads the exchange that a query names, with what the runs answered. Whoever has it calls done.
func (s *Server) step(r *http.Request) (at *snapshot, step exchange.Step, done func(), err error) {
	n, err := number(r.URL.Query(), "n")
	if err != nil {
		return nil, step, nil, err
	}
	at, done = s.live.take()
	if at == nil {
		return nil, step, nil, errNothing
	}
	if err = fs.ErrNotExist; n <= at.recording.Count { // of what is behind, the secrets are not known yet
		step, err = at.db.Step(n)
	}
	if err != nil {
		done()
		return nil, step, nil, missing(n, err)
	}
	return at, step, done, nil
}

func showExchange(s *Server, r *http.Request) (any, error) {
	at, step, done, err := s.step(r)
	if err != nil {
		return nil, err
	}
	defer done()
	d := inspect.Detail(step, at.runs, at.knowing(step))
	v := exchangeView{Detail: d, Asked: newMessage("Request", &d.Request)}
	if d.Response != nil {
		v.Answers = append(v.Answers, newMessage("Answer", d.Response))
	}
	if d.Seen != nil {
		v.Answers = append(v.Answers, newMessage("Part of an answer", d.Seen))
	}
	for _, o := range d.Observations {
		words := report.RunWords(exchange.Run{Kind: o.Kind, Conditions: o.Conditions})
		v.Runs = append(v.Runs, runView{o, words})
	}
	return v, nil
}
