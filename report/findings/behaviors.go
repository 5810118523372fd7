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
			Services: []string{}, Calls: []string{}, Findings: []string{}}
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
		return "no answer"
	}
	return "broken off"
}
