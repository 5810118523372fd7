package inspect

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Filter is what the exchanges that are listed must satisfy; zero values ask for nothing. Statuses and faults are
// alternatives of each other.
type Filter struct {
	Method      string
	Path        string     // * stands for any characters
	Operation   *Operation // nil: any
	Statuses    []StatusRange
	Faults      []string // kinds of faults, see [ParseFaults]
	Fingerprint *exchange.Fingerprint
	Sequence    string // the name of a sequence, or its mark
	Pass        int
}

// StatusRange is one status, or those of a class.
type StatusRange struct{ from, to int }

// Operation matches the requests of an operation, see [ParseOperation].
type Operation struct{ pattern *regexp.Regexp }

// anyFault stands for every kind of fault.
const anyFault = "any"

// ParseFaults reads kinds of faults with commas between them; "any" stands for all.
func ParseFaults(s string) ([]string, error) {
	if s == "" {
		return nil, nil
	}
	kinds := []string{anyFault}
	for _, k := range []exchange.FaultKind{exchange.FaultDial, exchange.FaultTLS, exchange.FaultReset, exchange.FaultEOF,
		exchange.FaultTruncated, exchange.FaultTimeout, exchange.FaultUnparseable, exchange.FaultClient} {
		kinds = append(kinds, string(k))
	}
	faults := strings.Split(s, ",")
	for _, f := range faults {
		if !slices.Contains(kinds, f) {
			return nil, fmt.Errorf("unknown kind of fault %q: want one of %s", f, strings.Join(kinds, ", "))
		}
	}
	return faults, nil
}

// ParseOperation reads the template of an operation such as "GET /orders/{id}": a segment's {name} stands for any one
// segment.
func ParseOperation(op string) (*Operation, error) {
	method, template, ok := strings.Cut(strings.TrimSpace(op), " ")
	if !ok {
		return nil, fmt.Errorf("invalid operation %q: want a method and a path template such as \"GET /orders/{id}\"", op)
	}
	parameter := regexp.MustCompile(`\\\{[^{}/]*\\\}`)
	pattern := parameter.ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(template)), "[^/]+")
	return &Operation{regexp.MustCompile("(?s)^" + regexp.QuoteMeta(method) + " " + pattern + "$")}, nil
}

// matches reports whether a request is one of the operation. addr is where it went to: templates may name it, behind
// "//".
func (o *Operation) matches(method, addr, path string) bool {
	return o.pattern.MatchString(method+" "+path) || o.pattern.MatchString(method+" //"+addr+path)
}

// ParseStatuses reads statuses such as 404 and classes of statuses such as 5xx, with commas between them; "" gives
// none.
func ParseStatuses(s string) ([]StatusRange, error) {
	if s == "" {
		return nil, nil
	}
	var out []StatusRange
	for part := range strings.SplitSeq(s, ",") {
		switch {
		case regexp.MustCompile(`^[0-9]{3}$`).MatchString(part):
			n := int(part[0]-'0')*100 + int(part[1]-'0')*10 + int(part[2]-'0')
			out = append(out, StatusRange{n, n})
		case regexp.MustCompile(`^[0-9][xX]{2}$`).MatchString(part):
			n := int(part[0]-'0') * 100
			out = append(out, StatusRange{n, n + 99})
		default:
			return nil, fmt.Errorf("invalid status %q: want one such as 404 or 5xx", part)
		}
	}
	return out, nil
}

func inRanges(ranges []StatusRange, status int) bool {
	return slices.ContainsFunc(ranges, func(r StatusRange) bool { return r.from <= status && status <= r.to })
}

// pathPattern matches the paths that are asked for; nil where all are.
func (f *Filter) pathPattern() *regexp.Regexp {
	if f.Path == "" {
		return nil
	}
	return regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(f.Path), `\*`, ".*") + "$")
}

// matches reports whether an exchange is one of those that were asked for. The sequence is not looked at; pattern is
// that of the path.
func (f *Filter) matches(e *exchange.Exchange, pattern *regexp.Regexp) bool {
	path, _ := exchange.SplitTarget(e.Request.Target)
	switch {
	case f.Pass != 0 && e.Pass != f.Pass,
		f.Method != "" && e.Request.Method != f.Method,
		pattern != nil && !pattern.MatchString(path),
		f.Operation != nil && !f.Operation.matches(e.Request.Method, e.Addr, path):
		return false
	case f.Statuses == nil && f.Faults == nil:
		return true
	case e.Fault != nil:
		return slices.Contains(f.Faults, anyFault) || slices.Contains(f.Faults, string(e.Fault.Kind))
	}
	return inRanges(f.Statuses, e.Response.Status)
}
