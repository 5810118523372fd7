package search

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
)

// index is what was found, as JSON, which docs/external-services.md describes.
type index struct {
	Flaketap  string    `json:"flaketap"` // "mock-search"
	Version   int       `json:"version"`
	Seed      uint64    `json:"seed"`
	Behaviors []indexed `json:"behaviors"`
}

type indexed struct {
	Stubs    string        `json:"stubs"` // the folder
	Request  string        `json:"request"`
	Trial    int           `json:"trial"`
	End      End           `json:"end"`
	Status   int           `json:"status"`
	Answer   string        `json:"answer"`
	Calls    []indexedCall `json:"calls"`
	Findings []Finding     `json:"findings"`
}

type indexedCall struct {
	Service string `json:"service"`
	Method  string `json:"method"`
	Target  string `json:"target"`
	Status  int    `json:"status"`
	Times   int    `json:"times"`
}

// File is a file to be written.
type File struct {
	Name string // with slashes
	Data []byte
}

// Folder is the name of the folder of a behavior, by its position.
func Folder(i int) string { return fmt.Sprintf("%03d", i+1) }

// Files are what was found: a folder of stubs for each behavior, and index.json. Secrets in targets are tokens.
func Files(found []*Behavior, seed uint64, r exchange.Redactor) ([]File, error) {
	all := index{Flaketap: "mock-search", Version: 1, Seed: seed, Behaviors: []indexed{}}
	var files []File
	for i, b := range found {
		one := indexed{Stubs: Folder(i), Request: b.Request.Method + " " + redact.Target(r, b.Request.Target), Trial: b.Trial,
			End: b.End, Status: b.Status, Answer: b.Shape, Calls: []indexedCall{}, Findings: append([]Finding{}, b.Findings...)}
		for _, c := range b.Calls {
			c.Target = redact.Target(r, c.Target)
			one.Calls = append(one.Calls, indexedCall(c))
		}
		all.Behaviors = append(all.Behaviors, one)
		files = append(files, File{one.Stubs + "/stubs.json", b.Stubs})
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	return append(files, File{"index.json", out.Bytes()}), nil
}
