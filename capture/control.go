package capture

import (
	"fmt"
	"net/http"
	"time"

	"github.com/flaketap/flaketap/capture/endpoint"
	"github.com/flaketap/flaketap/proxy"
)

// markPath is where marks are set: GET or POST, ?name=NAME, an empty one ends the mark before.
const markPath = "/.flaketap/mark"

// maxMark bounds the name of a mark, in bytes.
const maxMark = 256

// openControl has a proxy name its sequences, as the session wants it, and lets clients mark them at an address of its
// own where one is wanted. It comes before a recording is made, which would be left behind where it fails.
func (s *Session) openControl() (*proxy.Sequencer, error) {
	sequences := &proxy.Sequencer{Gap: s.o.Sequences.Gap, PerConnection: s.o.Sequences.PerConnection}
	if s.o.Sequences.Control == "" {
		return sequences, nil
	}
	c, err := endpoint.Control(s.o.Sequences.Control)
	if err != nil {
		return nil, err
	}
	handleMarks(c, sequences)
	c.Serve()
	s.control, s.Proxy.Control = c, c.Addr().String()
	return sequences, nil
}

// announceControl says where sequences are marked: not where only the client that is started here, which has it in its
// environment, can want to know.
func (s *Session) announceControl() {
	if s.Proxy.Control != "" && (len(s.o.Command) == 0 || s.o.Sequences.SayControl) {
		s.console.Say("flaketap: mark sequences at http://%s%s?name=NAME", s.Proxy.Control, markPath)
	}
}

// handleMarks lets clients mark where sequences begin.
func handleMarks(c *endpoint.Server, s *proxy.Sequencer) {
	c.Handle(markPath, func(w http.ResponseWriter, r *http.Request) {
		at := time.Now()
		names, there := r.URL.Query()["name"]
		switch {
		case r.Method != http.MethodGet && r.Method != http.MethodPost:
			w.Header().Set("Allow", "GET, POST")
			http.Error(w, "flaketap: use GET or POST to set a mark", http.StatusMethodNotAllowed)
		case !there || len(names) > 1:
			http.Error(w, "flaketap: "+markPath+"?name=NAME begins a sequence, ?name= ends it", http.StatusBadRequest)
		case len(names[0]) > maxMark:
			http.Error(w, fmt.Sprintf("flaketap: a name may have at most %d bytes", maxMark), http.StatusBadRequest)
		default:
			s.Mark(names[0], at)
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
