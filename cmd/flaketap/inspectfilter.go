package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/internal/console"
)

// exchangeFilter is what the exchanges that are listed must satisfy; zero values ask for nothing.
type exchangeFilter struct {
	method      string
	path        *regexp.Regexp // of the path
	operation   *regexp.Regexp // of method, blank and path, with "//" and the address before it or without
	statuses    []statusRange
	faults      []string // kinds; "any" for all
	fingerprint *exchange.Fingerprint
	pass        int
	positions   map[uint64]struct{} // nil: all
}

// statusRange is one status, or those of a class.
type statusRange struct{ from, to int }

// filter reads the filters from the flags. Statuses and faults are alternatives of each other.
func (in *inspection) filter() (*exchangeFilter, error) {
	c := in.c
	f := &exchangeFilter{method: c.String("method"), pass: c.Int("pass")}
	var err error
	if p := c.String("path"); p != "" {
		f.path = regexp.MustCompile("(?s)^" + strings.ReplaceAll(regexp.QuoteMeta(p), `\*`, ".*") + "$")
	}
	if op := c.String("operation"); op != "" {
		if f.operation, err = operationPattern(op); err != nil {
			return nil, err
		}
	}
	if f.statuses, err = parseStatuses(c.String("status")); err != nil {
		return nil, err
	}
	if s := c.String("fault"); s != "" {
		f.faults = strings.Split(s, ",")
	}
	for _, kind := range f.faults {
		if !slices.Contains(faultKinds(), kind) {
			return nil, console.Usage(fmt.Errorf("--fault %q is none of %s", kind, strings.Join(faultKinds(), ", ")))
		}
	}
	if s := c.String("fingerprint"); s != "" {
		fp, err := exchange.ParseFingerprint(s)
		if err != nil {
			return nil, console.Usage(fmt.Errorf("--fingerprint: %w", err))
		}
		f.fingerprint = &fp
	}
	if name := c.String("sequence"); name != "" {
		if f.positions, err = in.positions(name); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func faultKinds() []string {
	kinds := []string{"any"}
	for _, k := range []exchange.FaultKind{exchange.FaultDial, exchange.FaultTLS, exchange.FaultReset, exchange.FaultEOF,
		exchange.FaultTruncated, exchange.FaultTimeout, exchange.FaultUnparseable, exchange.FaultClient} {
		kinds = append(kinds, string(k))
	}
	return kinds
}

// operationPattern matches the operation that is named by its template: a segment's {name} stands for any one segment.
func operationPattern(op string) (*regexp.Regexp, error) {
	method, template, ok := strings.Cut(strings.TrimSpace(op), " ")
	if !ok {
		return nil, console.Usage(fmt.Errorf("operation %q: a method and a path template are needed, as in \"GET /orders/{id}\"", op))
	}
	parameter := regexp.MustCompile(`\\\{[^{}/]*\\\}`)
	pattern := parameter.ReplaceAllString(regexp.QuoteMeta(strings.TrimSpace(template)), "[^/]+")
	return regexp.MustCompile("(?s)^" + regexp.QuoteMeta(method) + " " + pattern + "$"), nil
}

// parseStatuses reads statuses and classes of statuses with commas between them.
func parseStatuses(s string) ([]statusRange, error) {
	var out []statusRange
	for part := range strings.SplitSeq(s, ",") {
		switch {
		case s == "":
			return nil, nil
		case regexp.MustCompile(`^[0-9]{3}$`).MatchString(part):
			n := int(part[0]-'0')*100 + int(part[1]-'0')*10 + int(part[2]-'0')
			out = append(out, statusRange{n, n})
		case regexp.MustCompile(`^[0-9][xX]{2}$`).MatchString(part):
			n := int(part[0]-'0') * 100
			out = append(out, statusRange{n, n + 99})
		default:
			return nil, console.Usage(fmt.Errorf("--status %q is no status such as 404 or 5xx", part))
		}
	}
	return out, nil
}

func inRanges(ranges []statusRange, status int) bool {
	return slices.ContainsFunc(ranges, func(r statusRange) bool { return r.from <= status && status <= r.to })
}

// positions are the exchanges of the sequences with a name or mark.
func (in *inspection) positions(name string) (map[uint64]struct{}, error) {
	all, sequences, err := in.readSequences()
	if err != nil {
		return nil, err
	}
	out := map[uint64]struct{}{}
	for _, s := range sequences {
		if s.Name != name && all[s.Steps[0]-1].Sequence != name {
			continue
		}
		for _, seq := range s.Steps {
			out[seq] = struct{}{}
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("there is no sequence %q; flaketap inspect sequences lists them", name)
	}
	return out, nil
}

// matches reports whether an exchange is one of those that were asked for.
func (f *exchangeFilter) matches(e *exchange.Exchange) bool {
	if f.positions != nil {
		if _, there := f.positions[e.Seq]; !there {
			return false
		}
	}
	path, _ := exchange.SplitTarget(e.Request.Target)
	switch {
	case f.pass != 0 && e.Pass != f.pass,
		f.method != "" && e.Request.Method != f.method,
		f.path != nil && !f.path.MatchString(path),
		f.operation != nil && !f.operation.MatchString(e.Request.Method+" "+path) && !f.operation.MatchString(e.Request.Method+" //"+e.Addr+path):
		return false
	case f.statuses == nil && f.faults == nil:
		return true
	case e.Fault != nil:
		return slices.Contains(f.faults, "any") || slices.Contains(f.faults, string(e.Fault.Kind))
	}
	return inRanges(f.statuses, e.Response.Status)
}
