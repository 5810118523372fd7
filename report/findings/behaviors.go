package findings

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
)

// Behavior is one that mock search found: what the API does when its external services answer so.
type Behavior struct {
	Stubs    string   `json:"stubs"` // the folder of what they answer, within that of the search
	Request  string   `json:"request"`
	Status   int      `json:"status"`   // 0 where there was no answer
	End      string   `json:"end"`      // "", or "hang" or "broke" where there was none
	Services []string `json:"services"` // host:port of those that the API asked, in the order of its first calls
	Calls    []string `json:"calls"`    // what the API asked, and what it was answered
	Findings []string `json:"findings"` // what looks wrong
	Waited   *Wait    `json:"waited"`   // nil where it did not hang, or nothing tells
}

// Wait is what came of waiting for an answer that did not come in time.
type Wait struct {
	Seconds float64 `json:"seconds"`
	Status  int     `json:"status"` // of the answer that came in the end; 0: none did
	Broke   bool    `json:"broke"`  // the connection ended without one
}

// Bounds of what is read of a search.
const (
	maxIndex     = 64 << 20
	maxBehaviors = 5000
	maxAsked     = 50 // calls of one behavior
)

// ReadBehaviors reads the index of a folder that mock search wrote.
func ReadBehaviors(dir string) ([]Behavior, error) {
	return readFile("behaviors", filepath.Join(dir, "index.json"), maxIndex, DecodeBehaviors)
}

// DecodeBehaviors reads what [ReadBehaviors] does from the bytes of the file.
func DecodeBehaviors(data []byte) ([]Behavior, error) {
	var index struct {
		Flaketap  string
		Behaviors []struct {
			Stubs, Request, End string
			Status              int
			Calls               []struct {
				Service, Method, Target string
				Status, Times           int
			}
			Findings []string
			Waited   *Wait
		}
	}
	if err := json.Unmarshal(data, &index); err != nil {
		return nil, err
	}
	if index.Flaketap != "mock-search" {
		return nil, errors.New("it is not the index of a search; want DIR of mock search --out DIR")
	}
	all := []Behavior{}
	for _, x := range index.Behaviors[:min(len(index.Behaviors), maxBehaviors)] {
		b := Behavior{Stubs: shown(x.Stubs), Request: shown(x.Request), Status: x.Status, End: shown(x.End),
			Services: []string{}, Calls: []string{}, Findings: []string{}, Waited: x.Waited}
		for _, c := range x.Calls[:min(len(x.Calls), maxAsked)] {
			b.Calls = append(b.Calls, shown(called(c.Method+" "+c.Service+c.Target, c.Status, c.Times)))
			if s := shown(c.Service); !slices.Contains(b.Services, s) {
				b.Services = append(b.Services, s)
			}
		}
		for _, f := range x.Findings[:min(len(x.Findings), maxAsked)] {
			b.Findings = append(b.Findings, shown(f))
		}
		all = append(all, b)
	}
	return all, nil
}

// called is a call in words.
func called(call string, status, times int) string {
	if status == 0 {
		call += ": no answer"
	} else {
		call += fmt.Sprintf(": %d", status)
	}
	if times > 1 {
		call += fmt.Sprintf(", %d times", times)
	}
	return call
}

// Outcome is how a request ended, in words.
func (b Behavior) Outcome() string {
	switch b.End {
	case "":
		return fmt.Sprint(b.Status)
	case "hang":
		return b.Waited.outcome()
	}
	return "broken off"
}

// outcome is what came of the wait, in words.
func (w *Wait) outcome() string {
	switch {
	case w == nil:
		return "no answer"
	case w.Status != 0:
		return fmt.Sprintf("%d after %.1f s", w.Status, w.Seconds)
	case w.Broke:
		return fmt.Sprintf("broken off after %.1f s", w.Seconds)
	}
	return fmt.Sprintf("no answer in %.3g s", w.Seconds)
}
