package ui

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/inspect"
)

// maxRows bounds the rows of the stream that are given at once.
const maxRows = 500

// row is an exchange in the stream, as text.
type row struct {
	Seq      uint64  `json:"n"`
	Outcome  string  `json:"outcome"`
	Bad      bool    `json:"bad"` // a fault, or a status from 500
	Method   string  `json:"method"`
	Target   string  `json:"target"`
	Latency  float64 `json:"ms"`
	Bytes    int64   `json:"bytes"`
	Sequence string  `json:"sequence"`
}

// rows answers with the exchanges from a position on. Those that cannot be read are left out.
func (s *Server) rows(w http.ResponseWriter, r *http.Request) {
	from, err := number(r.URL.Query(), "from")
	count, cerr := number(r.URL.Query(), "count")
	if err != nil || cerr != nil || from == 0 || count == 0 || count > maxRows {
		http.Error(w, "want from and count, which is 500 at most", http.StatusBadRequest)
		return
	}
	at, done := s.live.take()
	defer done()
	out := []row{}
	if at != nil {
		for e, err := range at.exchanges(from - 1) {
			if err != nil {
				s.log.Error("read exchanges for the page", "error", err)
				http.Error(w, "the exchanges cannot be read", http.StatusInternalServerError)
				return
			}
			if e.Seq >= from+count {
				break
			}
			out = append(out, newRow(inspect.Entry(e, at.redactor)))
		}
	}
	answerJSON(w, out)
}

func answerJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // whoever asked is gone
}

func newRow(e report.Entry) row {
	out := row{Seq: e.Seq, Outcome: report.Show(e.Fault, 20), Method: report.Show(e.Method, 12),
		Target: report.ShowEnds(e.RequestTarget, maxShown), Latency: e.Latency, Bytes: e.ResponseBytes,
		Sequence: report.ShowEnds(e.Sequence, 40), Bad: e.Fault != "" || e.Status >= 500}
	if e.Fault == "" {
		out.Outcome = strconv.Itoa(e.Status)
	}
	return out
}

// matches reports whether a row has all words of a search, in any case.
func (r row) matches(words []string) bool {
	text := strings.ToLower(r.Outcome + " " + r.Method + " " + r.Target + " " + r.Sequence)
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// find answers with the position of the next exchange after one that has the words that are searched for, from the
// beginning where there is none behind; 0 where there is none at all.
func (s *Server) find(w http.ResponseWriter, r *http.Request) {
	after, err := number(r.URL.Query(), "after")
	words := strings.Fields(strings.ToLower(r.URL.Query().Get("words")))
	if err != nil || len(words) == 0 {
		http.Error(w, "want words, and the number that they are looked for after", http.StatusBadRequest)
		return
	}
	at, done := s.live.take()
	defer done()
	found := uint64(0)
	if at != nil {
		if found, err = at.find(words, after, at.recording.Count, r); err == nil && found == 0 {
			found, err = at.find(words, 0, after, r)
		}
	}
	if err != nil {
		http.Error(w, "the exchanges cannot be read", http.StatusInternalServerError)
		return
	}
	answerJSON(w, found)
}

// find looks for words behind one position, up to another.
func (s *snapshot) find(words []string, after, last uint64, r *http.Request) (uint64, error) {
	for e, err := range s.exchanges(after) {
		if err == nil {
			err = r.Context().Err()
		}
		switch {
		case err != nil:
			return 0, err
		case e.Seq > last:
			return 0, nil
		case newRow(inspect.Entry(e, s.redactor)).matches(words):
			return e.Seq, nil
		}
	}
	return 0, nil
}
