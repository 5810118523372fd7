// Package warmup has the requests by which an API that was just started does for the first time what it has to do: what
// a runtime loads and compiles then takes longer than many clients wait, and on a busy machine longer than most do. So
// tests that begin before see calls given up whose answers were there. A suite carries these requests as a file.
package warmup

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/internal/infile"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/search"
)

// Request is one that an API is sent, and what comes of it once it is warm.
type Request struct {
	Sent     search.Request  `json:"sent"`
	Mappings json.RawMessage `json:"mappings"` // a file of these: what external services answer meanwhile
	Status   int             `json:"status"`
	Services []string        `json:"services"` // that are asked, each once, in their order
}

// Most is how many requests warm an API up, at most.
const Most = 5

// Choose are some of the requests by which an API asks all the services that it asks by any of them: first the one that
// asks most.
func Choose(all []Request) (chosen []Request) {
	asked := map[string]bool{}
	for len(chosen) < Most {
		best, most := -1, 0
		for i, r := range all {
			news := 0
			for _, s := range r.Services {
				if !asked[s] {
					news++
				}
			}
			if news > most {
				best, most = i, news
			}
		}
		if best < 0 {
			return chosen
		}
		chosen = append(chosen, all[best])
		for _, s := range all[best].Services {
			asked[s] = true
		}
	}
	return chosen
}

// Services are those of calls, each once, in their order.
func Services(calls []mock.Asked) (out []string) {
	for _, c := range calls {
		out = append(out, c.Service)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// file is what is written.
type file struct {
	Flaketap string    `json:"flaketap"` // "warm-up"
	Requests []Request `json:"requests"`
}

// Encode writes requests.
func Encode(all []Request) ([]byte, error) {
	out, err := json.MarshalIndent(file{"warm-up", all}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write warm-up: %w", err)
	}
	return append(out, '\n'), nil
}

// maxFile bounds the bytes of the file.
const maxFile = 64 << 20

// Read reads the file of a name. The error says what it has that no warm-up has.
func Read(name string) ([]Request, error) {
	data, err := infile.Read(name, maxFile)
	if err != nil {
		return nil, fmt.Errorf("read warm-up: %w", err)
	}
	var f file
	if err := json.Unmarshal(data, &f); err != nil || f.Flaketap != "warm-up" {
		return nil, fmt.Errorf("read warm-up: %s is no warm-up file; suite --mocks writes one into the folder of a suite, warm-up.json", name)
	}
	if len(f.Requests) > Most {
		return nil, fmt.Errorf("read warm-up: %s has %d requests, want %d at most", name, len(f.Requests), Most)
	}
	for i, r := range f.Requests {
		if _, err := mock.ParseStubs(r.Mappings, mock.NoFile); err != nil {
			return nil, fmt.Errorf("read warm-up: %s: request %d: %w", name, i+1, err)
		}
	}
	return f.Requests, nil
}
