package inspect

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// operationRecord is the JSON of an operation.
type operationRecord struct {
	Operation string         `json:"operation"` // "GET /orders/{id}"
	Method    string         `json:"method"`
	Template  string         `json:"template"`
	Host      string         `json:"host"` // "" for the API that most exchanges went to
	Source    string         `json:"source"`
	Exchanges int            `json:"exchanges"`
	Statuses  map[string]int `json:"statuses"` // exchanges by status; "0" for faults
	Paths     int            `json:"paths"`    // different ones
	Examples  []string       `json:"examples"` // the first of them
}

// Where a template comes from.
const (
	sourceInferred = "inferred"
	sourceOpenAPI  = "openapi"
)

// examplePaths is how many paths of an operation are shown.
const examplePaths = 3

// Operations lists the operations that the exchanges are told apart by, with some of the paths that each is for: the
// way to see whether the templates are those that the API has.
func (in *Inspector) Operations() error {
	traced, err := analysis.Trace(in.db, in.analysis)
	if err != nil {
		return err
	}
	in.mask.redactor = traced.Redactor
	records := map[exchange.Operation]*operationRecord{}
	paths := map[exchange.Operation]map[string]bool{}
	for _, e := range traced.Exchanges {
		op := traced.Operations[e.Seq]
		r := records[op]
		if r == nil {
			r = &operationRecord{Method: op.Method, Template: in.mask.text("", op.Template), Host: op.Host,
				Source: sourceInferred, Statuses: map[string]int{}, Examples: []string{}}
			r.Operation = exchange.Operation{Method: r.Method, Template: r.Template, Host: r.Host}.String()
			records[op], paths[op] = r, map[string]bool{}
		}
		r.Exchanges++
		status := 0
		if e.Response != nil {
			status = e.Response.Status
		}
		r.Statuses[strconv.Itoa(status)]++
		if _, described := in.analysis.Rules.Bindings.Paths.Template(&e.Request); described {
			r.Source = sourceOpenAPI
		}
		path, _ := exchange.SplitTarget(e.Request.Target)
		if !paths[op][path] {
			paths[op][path] = true
			if r.Paths++; len(r.Examples) < examplePaths {
				r.Examples = append(r.Examples, redact.Target(in.mask.redactor, path))
			}
		}
	}
	return in.listOperations(slices.Collect(maps.Values(records)))
}

func (in *Inspector) listOperations(all []*operationRecord) error {
	slices.SortFunc(all, func(a, b *operationRecord) int {
		return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.Template, b.Template), cmp.Compare(a.Method, b.Method))
	})
	l := in.listing(report.Column{Name: "OPERATION", Max: 60}, report.Column{Name: "FROM"},
		report.Column{Name: "EXCHANGES", Right: true},
		report.Column{Name: "STATUSES", Max: 40}, report.Column{Name: "PATHS", Right: true},
		report.Column{Name: "EXAMPLES", Max: 120})
	for _, r := range all {
		if in.enough(l) {
			break
		}
		examples := slices.Clone(r.Examples)
		if r.Paths > len(examples) {
			examples = append(examples, "…")
		}
		if err := l.Add(r, r.Operation, r.Source, strconv.Itoa(r.Exchanges), counts(r.Statuses),
			strconv.Itoa(r.Paths), strings.Join(examples, " ")); err != nil {
			return err
		}
	}
	return l.Close()
}
