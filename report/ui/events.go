package ui

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// The rhythm of events, so that a page is told at most ten times a second, and a connection that broke is found out.
const (
	tellEvery = 100 * time.Millisecond
	signEvery = 15 * time.Second
)

// events tells a page how the recording stands, each time that this changes, as server-sent events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	out := http.NewResponseController(w)
	sign := time.NewTicker(signEvery)
	defer sign.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	for {
		select {
		case <-pause.C:
		case <-r.Context().Done():
			return
		}
		now, changed := s.live.look()
		data, err := json.Marshal(now)
		if err == nil {
			_, err = fmt.Fprintf(w, "event: state\ndata: %s\n\n", data)
		}
		for waits := true; waits && err == nil; {
			if err = out.Flush(); err != nil {
				break
			}
			select {
			case <-changed:
				waits = false
			case <-sign.C:
				_, err = fmt.Fprint(w, ":\n\n")
			case <-r.Context().Done():
				return
			}
		}
		if err != nil {
			return // nobody listens any more
		}
		pause.Reset(tellEvery)
	}
}
