package stabilize

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/store"
)

// harmful is why further calls of a suite might do harm; "" where they do none: the API was started for the run, or it
// is on this machine and the runs of the suite as it is show that its reset takes back what they change.
func (s *session) harmful(r *round) (string, error) {
	if s.o.Probe == ProbeAlways {
		return "", nil
	}
	tracks, err := s.tracks(r)
	if err != nil {
		return "", err
	}
	hosts := hostsOf(slices.Concat(tracks...))
	if len(hosts) > 1 {
		return "the suite sends requests to several hosts: " + listed(hosts), nil
	}
	if s.o.Started {
		return "", nil
	}
	for _, at := range hosts {
		if host, _, err := net.SplitHostPort(at); err != nil || !loopback(host) {
			return "the API is on another machine", nil
		}
	}
	return notReset(tracks), nil
}

// hostsOf are the hosts, with their ports, to which exchanges went, in the order in which they were first asked. To one
// that could not be reached, as a library of the suite may try for an update, none went.
func hostsOf(track []*exchange.Exchange) (out []string) {
	for _, e := range track {
		if e.Fault != nil && e.Fault.Kind == exchange.FaultDial {
			continue
		}
		if !slices.Contains(out, e.Addr) {
			out = append(out, e.Addr)
		}
	}
	return out
}

// listed names the first three, and says how many there are beside these.
func listed(hosts []string) string {
	const most = 3
	if len(hosts) <= most {
		return strings.Join(hosts, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(hosts[:most], ", "), len(hosts)-most)
}

// tracks are the exchanges of the runs of a round.
func (s *session) tracks(r *round) (out [][]*exchange.Exchange, err error) {
	for i := range r.runs {
		track, err := exchangesOf(s.work.run(series{round: r.number}, i+1) + ".db")
		if err != nil {
			return nil, err
		}
		out = append(out, track)
	}
	return out, nil
}

func exchangesOf(path string) (out []*exchange.Exchange, err error) {
	db, err := store.OpenReadOnly(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for e, err := range db.Exchanges() {
		if err == nil { // what is damaged is told by whoever judges it
			out = append(out, e)
		}
	}
	return out, nil
}

// notReset is why it is not shown that each run began from the same start; "" where it is: what changed something was
// answered with the same status in each run, and nothing grew from run to run.
func notReset(tracks [][]*exchange.Exchange) string {
	first := keyed(tracks[0])
	grown, changes := map[string]float64{}, 0
	for at, e := range first {
		if e.Request.Method != "GET" && e.Request.Method != "HEAD" && e.Response.Status < 400 {
			changes++
		}
		for place, n := range sizes(e) {
			grown[at+place] = n
		}
	}
	for _, track := range tracks[1:] {
		now := map[string]float64{}
		for at, e := range keyed(track) {
			was := first[at]
			switch {
			case was == nil:
				continue
			case was.Request.Method != "GET" && was.Response.Status != e.Response.Status:
				return fmt.Sprintf("nothing shows that the reset takes back what a run changes: one was answered %d to "+
					"%s %s, another %d", was.Response.Status, was.Request.Method, pathOf(was), e.Response.Status)
			}
			for place, n := range sizes(e) {
				if before, ok := grown[at+place]; ok && n > before {
					now[at+place] = n
				}
			}
		}
		grown = now
	}
	switch {
	case len(tracks) < 2 || changes == 0:
		return "nothing shows that the reset takes back what a run changes: the suite as it is changes nothing"
	case len(grown) > 0:
		return "nothing shows that the reset takes back what a run changes: numbers grow from run to run"
	}
	return ""
}

func pathOf(e *exchange.Exchange) string {
	path, _ := exchange.SplitTarget(e.Request.Target)
	return path
}

// keyed are the answered exchanges of a run by what was asked, and for how many times.
func keyed(track []*exchange.Exchange) map[string]*exchange.Exchange {
	times, out := map[string]int{}, map[string]*exchange.Exchange{}
	for _, e := range track {
		if e.Response == nil {
			continue
		}
		body, _ := e.Request.Payload() // one that cannot be read tells nothing
		key := fmt.Sprintf("%s %s %x", e.Request.Method, e.Request.Target, sha256.Sum256(body))
		times[key]++
		out[fmt.Sprintf("%s %d ", key, times[key])] = e
	}
	return out
}

// sizes are the lengths of the arrays of a JSON answer, and its ids that are numbers, by place.
func sizes(e *exchange.Exchange) map[string]float64 {
	out := map[string]float64{}
	for at, n := range measures(e) {
		out[at] = n.value
	}
	return out
}

// measure is the length of a list, or an id.
type measure struct {
	value float64
	list  bool
}

// measures are the sizes of a JSON answer.
func measures(e *exchange.Exchange) map[string]measure {
	out := map[string]measure{}
	body, err := e.Response.Payload()
	var v any
	if err != nil || json.Unmarshal(body, &v) != nil {
		return out
	}
	var walk func(at string, v any)
	walk = func(at string, v any) {
		switch v := v.(type) {
		case map[string]any:
			for k, e := range v {
				walk(at+"/"+k, e)
			}
		case []any:
			out[at] = measure{float64(len(v)), true}
			for i, e := range v {
				walk(fmt.Sprintf("%s/%d", at, i), e)
			}
		case float64:
			if strings.HasSuffix(strings.ToLower(at), "id") {
				out[at] = measure{value: v}
			}
		}
	}
	walk("", v)
	return out
}
