package index

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/mock/search"
	"github.com/flaketap/flaketap/mock/search/kind"
	"github.com/flaketap/flaketap/mock/search/pace"
)

// index is what was found, as JSON, which docs/external-services.md describes.
type index struct {
	Flaketap  string         `json:"flaketap"` // "mock-search"
	Version   int            `json:"version"`
	Seed      uint64         `json:"seed"`
	Behaviors []indexed      `json:"behaviors"`
	Fields    []indexedField `json:"fields"`
	Traces    []indexedTrace `json:"traces"`
}

type indexed struct {
	Stubs    string           `json:"stubs"` // the folder
	Whole    string           `json:"whole,omitempty"`
	Request  string           `json:"request"`
	Trial    int              `json:"trial"`
	End      search.End       `json:"end"`
	Status   int              `json:"status"`
	Answer   string           `json:"answer"`
	Calls    []indexedCall    `json:"calls"`
	Findings []search.Finding `json:"findings"`
	Latency  pace.Class       `json:"latency,omitempty"`
	Waited   *indexedWait     `json:"waited,omitempty"` // where the end is a hang
}

// indexedWait is what came of waiting longer than the patience.
type indexedWait struct {
	Seconds float64 `json:"seconds"`
	Status  int     `json:"status"` // of the answer that came; 0: none did
	Broke   bool    `json:"broke"`
}

type indexedCall struct {
	Service string `json:"service"`
	Method  string `json:"method"`
	Target  string `json:"target"`
	Status  int    `json:"status"`
	Times   int    `json:"times"`
}

type indexedField struct {
	Endpoint indexedEndpoint `json:"endpoint"`
	Field    exchange.Place  `json:"field"`
	Types    []kind.Kind     `json:"types"`
	Values   []any           `json:"values"`
	Source   search.Source   `json:"source"`
}

type indexedTrace struct {
	Request  string            `json:"request"`
	Endpoint indexedEndpoint   `json:"endpoint"`
	Field    exchange.Place    `json:"field"`
	Answer   []exchange.Place  `json:"answer"`
	Calls    []indexedEndpoint `json:"calls"`
	Log      bool              `json:"log"`
}

type indexedEndpoint struct {
	Service string `json:"service"`
	Method  string `json:"method"`
	Path    string `json:"path"` // a template, in which {} varies
}

// learnt are the fields and traces of what was found as the index has them.
func learnt(found search.Result, x exchange.Redactor) (fields []indexedField, traces []indexedTrace) {
	fields, traces = []indexedField{}, []indexedTrace{}
	for _, f := range found.Fields {
		fields = append(fields, indexedField{indexedEndpoint(f.Endpoint), f.Place, append([]kind.Kind{}, f.Kinds...),
			append([]any{}, f.Values...), f.Source})
	}
	for _, t := range found.Surfacings {
		one := indexedTrace{t.Request.Method + " " + redact.Target(x, t.Request.Target), indexedEndpoint(t.Endpoint), t.Field,
			append([]exchange.Place{}, t.Answer...), []indexedEndpoint{}, t.Log}
		for _, e := range t.Calls {
			one.Calls = append(one.Calls, indexedEndpoint(e))
		}
		traces = append(traces, one)
	}
	return fields, traces
}

// File is a file to be written.
type File struct {
	Name string // with slashes
	Data []byte
}

// Folder is the name of the folder of a behavior, by its position.
func Folder(i int) string { return fmt.Sprintf("%03d", i+1) }

// WholeFolder is that of the stubs of a behavior whose answers are whole, see [search.Whole].
func WholeFolder(i int) string { return Folder(i) + "/whole" }

// Files are what was found: a folder of stubs for each behavior, and index.json. Secrets in targets are tokens.
func Files(found search.Result, seed uint64, r exchange.Redactor) ([]File, error) {
	all := index{Flaketap: "mock-search", Version: 1, Seed: seed, Behaviors: []indexed{}, Fields: []indexedField{}, Traces: []indexedTrace{}}
	var files []File
	for i, b := range found.Behaviors {
		one := indexed{Stubs: Folder(i), Request: b.Request.Method + " " + redact.Target(r, b.Request.Target), Trial: b.Trial,
			End: b.End, Status: b.Status, Answer: b.Shape, Calls: []indexedCall{},
			Findings: append([]search.Finding{}, b.Findings...), Latency: b.Pace}
		for _, c := range b.Calls {
			c.Target = redact.Target(r, c.Target)
			one.Calls = append(one.Calls, indexedCall{c.Service, c.Method, c.Target, c.Status, c.Times})
		}
		if b.End == search.Hung {
			one.Waited = &indexedWait{b.Wait.Waited.Round(time.Millisecond).Seconds(), b.Wait.Status, b.Wait.Broke}
		}
		files = append(files, File{one.Stubs + "/stubs.json", b.Stubs})
		if b.Whole != nil {
			one.Whole = WholeFolder(i)
			files = append(files, File{one.Whole + "/stubs.json", b.Whole.Stubs})
		}
		all.Behaviors = append(all.Behaviors, one)
	}
	all.Fields, all.Traces = learnt(found, r)
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(all); err != nil {
		return nil, fmt.Errorf("write index: %w", err)
	}
	return append(files, File{Name, out.Bytes()}), nil
}
