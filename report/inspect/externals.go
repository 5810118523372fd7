package inspect

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/exchange/redact"
	"github.com/flaketap/flaketap/flow"
	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/wire"
	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/store"
	"github.com/flaketap/flaketap/volatility/analysis"
)

// Service is an external service that the API asked.
type Service struct {
	Scheme    string `json:"scheme"`
	Host      string `json:"host"` // the name that was looked up, or the address where none was
	Port      int    `json:"port"`
	Literal   bool   `json:"literal"` // it is an address
	Calls     int    `json:"calls"`
	Unmatched int    `json:"unmatched"` // of these, with no stub
	Faults    int    `json:"faults"`    // of these, without an answer
}

// Addr is where the service is, host:port.
func (s *Service) Addr() string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// Name is scheme://host:port, by which an [Asking] names the service.
func (s *Service) Name() string { return s.Scheme + "://" + s.Addr() }

// Asking is what one operation asks of one service by one kind of request.
type Asking struct {
	Operation string         `json:"operation"` // "" where the cause is not known
	Cause     string         `json:"cause"`
	Service   string         `json:"service"` // scheme://host:port
	Method    string         `json:"method"`
	Path      string         `json:"path"` // a template, as those of operations
	Calls     int            `json:"calls"`
	Exchanges int            `json:"exchanges"` // of the operation, in which that was asked
	Unmatched int            `json:"unmatched"`
	Statuses  map[string]int `json:"statuses"` // "0" for faults; those of gRPC by their names
}

// How the cause of a call is known.
const (
	CauseAlone      = "alone"      // one exchange was under way
	CauseValues     = "values"     // it carries distinctive values of one
	CauseTrace      = "trace"      // it belongs to the trace of one
	CauseSeveral    = "several"    // it may be for one of several
	CauseBackground = "background" // none was, or it is asked as often while none is
)

// Externals are the services that an API asked, and what for. docs/inspect.md documents the JSON.
type Externals struct {
	Services []*Service `json:"services"`
	Calls    []*Asking  `json:"calls"`
}

// asking tells the records of calls apart; service is within it as the text of the record has it.
type asking struct {
	operation                    exchange.Operation
	cause, service, method, path string
}

// askings gathers records while externals are gone through.
type askings struct {
	services map[string]*Service
	calls    map[asking]*Asking
	in       map[asking]map[uint64]bool // the exchanges in which it was asked
}

// Externals lists the services that the API asked in a run, 0 for while it was recorded, and what each of its
// operations asked of them.
func (in *Inspector) Externals(run int) error {
	r, err := in.Asked(run)
	if err != nil {
		return err
	}
	return in.showExternals(*r)
}

// Asked gathers what [Inspector.Externals] lists.
func (in *Inspector) Asked(run int) (*Externals, error) {
	traced, err := analysis.Trace(in.db, in.analysis)
	if err != nil {
		return nil, err
	}
	if err := in.learnSecrets(); err != nil {
		return nil, err
	}
	var all []exchange.Outgoing
	for x, err := range in.db.Externals() {
		if err != nil {
			return nil, err
		}
		in.learnExternal(x)
		if x.Run == run {
			carried := flow.Carried(&x.Request)
			all = append(all, exchange.Outgoing{External: outline(x), Carried: carried})
		}
	}
	incoming, err := in.underWay(run)
	if err != nil {
		return nil, err
	}
	a := askings{services: map[string]*Service{}, calls: map[asking]*Asking{},
		in: map[asking]map[uint64]bool{}}
	sent := make([]*exchange.Exchange, len(all))
	for i, x := range all {
		sent[i] = &x.Exchange
	}
	templates := flow.Templates(sent)
	for i, cause := range exchange.Causes(incoming, all) {
		a.add(all[i].External, templates[i].Template, cause, traced.Operations[cause.Seq])
	}
	r := in.shown(&a)
	return &r, nil
}

// underWay says when each exchange was under way in a run, 0 for the recording, and what it carried.
func (in *Inspector) underWay(run int) (all []exchange.Incoming, err error) {
	if run == 0 {
		for e, err := range store.Readable(in.db.Exchanges(), nil) {
			if err != nil {
				return nil, err
			}
			all = append(all, flow.Incoming(e.Seq, e.Start, e.Latency, &e.Request))
		}
		return all, nil
	}
	runs, err := in.db.Runs()
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(runs, func(r exchange.Run) bool { return r.Number == run }) {
		return nil, console.Usage(fmt.Errorf("there is no run %d; flaketap inspect runs lists them", run))
	}
	for s, err := range in.db.RunSteps(run) {
		if err != nil {
			return nil, err
		}
		for _, o := range s.Observations {
			all = append(all, flow.Incoming(o.Seq, o.Start, o.Latency, &o.Sent))
		}
	}
	return all, nil
}

// learnExternal adds the secrets of an external to those that are known.
func (in *Inspector) learnExternal(x *exchange.External) {
	if in.analysis.Reveal {
		return
	}
	in.secrets.Exchange(&x.Exchange)
	in.mask.redactor.Known = in.secrets.Known()
}

// outline is an external without its messages: what is listed takes the memory of its targets.
func outline(x *exchange.External) *exchange.External {
	x.Request.Message, x.Request.Header = exchange.Message{}, nil
	x.Request.Method, x.Request.Target = strings.Clone(x.Request.Method), strings.Clone(x.Request.Target)
	if x.Response != nil {
		x.Response = &exchange.Response{Status: x.Response.Status, Header: named(x.Response.Header)}
	}
	return x
}

// statusName is the field that names the status of a call of gRPC, as mock/grpc records it.
const statusName = "Grpc-Status-Name"

// named are the fields by which a status is named.
func named(h wire.Fields) wire.Fields {
	if name := h.Get(statusName); name != "" {
		return wire.Fields{{Name: statusName, Value: strings.Clone(name)}}
	}
	return nil
}

// add counts a call, of a path that its template stands for. op means something only where the cause is one exchange.
func (a *askings) add(x *exchange.External, path string, cause exchange.Cause, op exchange.Operation) {
	base := x.Scheme + "://" + x.Addr
	key := asking{service: base, method: x.Request.Method, path: path}
	switch {
	case cause.Seq != 0:
		key.operation = op
		key.cause = map[exchange.CauseBy]string{exchange.ByTime: CauseAlone, exchange.ByValues: CauseValues,
			exchange.ByTrace: CauseTrace}[cause.By]
	case cause.UnderWay > 0 && !cause.Background:
		key.cause = CauseSeveral
	default:
		key.cause = CauseBackground
	}
	s, c := a.services[base], a.calls[key]
	if s == nil {
		host, port, _ := net.SplitHostPort(x.Addr)
		number, _ := strconv.Atoi(port)
		_, literal := netip.ParseAddr(host)
		s = &Service{Scheme: x.Scheme, Host: host, Port: number, Literal: literal == nil}
		a.services[base] = s
	}
	if c == nil {
		c = &Asking{Cause: key.cause, Service: base, Method: key.method, Statuses: map[string]int{}}
		a.calls[key], a.in[key] = c, map[uint64]bool{}
	}
	status := "0"
	if x.Response != nil {
		status = cmp.Or(x.Response.Header.Get(statusName), strconv.Itoa(x.Response.Status))
	} else {
		s.Faults++
	}
	c.Statuses[status]++
	s.Calls, c.Calls = s.Calls+1, c.Calls+1
	if !x.Answered() {
		s.Unmatched, c.Unmatched = s.Unmatched+1, c.Unmatched+1
	}
	if cause.Seq != 0 {
		a.in[key][cause.Seq] = true
		c.Exchanges = len(a.in[key])
	}
}

// shown is what was gathered, in order, without secrets.
func (in *Inspector) shown(a *askings) Externals {
	r := Externals{Services: filled(slices.Collect(maps.Values(a.services))), Calls: []*Asking{}}
	slices.SortFunc(r.Services, func(x, y *Service) int {
		return cmp.Or(cmp.Compare(x.Host, y.Host), cmp.Compare(x.Port, y.Port), cmp.Compare(x.Scheme, y.Scheme))
	})
	for key, c := range a.calls {
		c.Path = in.mask.text("", redact.Target(in.mask.redactor, key.path))
		if key.operation != (exchange.Operation{}) {
			key.operation.Template = in.mask.text("", key.operation.Template)
			c.Operation = key.operation.String()
		}
		r.Calls = append(r.Calls, c)
	}
	slices.SortFunc(r.Calls, func(x, y *Asking) int {
		return cmp.Or(cmp.Compare(x.Cause, y.Cause), cmp.Compare(x.Operation, y.Operation), cmp.Compare(x.Service, y.Service),
			cmp.Compare(x.Path, y.Path), cmp.Compare(x.Method, y.Method))
	})
	return r
}

// showExternals shows services and calls: one list after the other for people, one document for programs.
func (in *Inspector) showExternals(r Externals) error {
	if in.Form != report.FormText {
		return in.document(r)
	}
	services := in.listing(report.Column{Name: "SERVICE", Max: 80}, report.Column{Name: "CALLS", Right: true},
		report.Column{Name: "NO STUB", Right: true}, report.Column{Name: "FAULTS", Right: true})
	for _, s := range r.Services {
		err := services.Add(s, s.Name(), strconv.Itoa(s.Calls), strconv.Itoa(s.Unmatched), strconv.Itoa(s.Faults))
		if err != nil {
			return err
		}
	}
	if err := services.Close(); err != nil || len(r.Calls) == 0 {
		return err
	}
	fmt.Fprintln(in.Out)
	calls := in.listing(report.Column{Name: "OPERATION", Max: 60}, report.Column{Name: "ASKS", Max: 120}, report.Column{Name: "CALLS", Right: true},
		report.Column{Name: "EXCHANGES", Right: true}, report.Column{Name: "NO STUB", Right: true}, report.Column{Name: "STATUSES", Max: 40})
	for _, c := range r.Calls {
		if in.enough(calls) {
			break
		}
		if err := calls.Add(c, asks(c), cmp.Or(c.Method, "(no request got through)")+" "+c.Service+c.Path, strconv.Itoa(c.Calls), strconv.Itoa(c.Exchanges),
			strconv.Itoa(c.Unmatched), counts(c.Statuses)); err != nil {
			return err
		}
	}
	return calls.Close()
}

// asks is who made a call, for people.
func asks(c *Asking) string {
	switch c.Cause {
	case CauseSeveral:
		return "(one of several)"
	case CauseBackground:
		return "(in the background)"
	case CauseValues:
		return c.Operation + " (by its values)"
	case CauseTrace:
		return c.Operation + " (by its trace)"
	}
	return c.Operation
}

// counts are statuses with how often each came.
func counts(statuses map[string]int) string {
	var all []string
	for _, s := range slices.Sorted(maps.Keys(statuses)) {
		all = append(all, fmt.Sprintf("%s ×%d", s, statuses[s]))
	}
	return strings.Join(all, ", ")
}

// Services gathers the services that the API asked while the recording in a database file was made, and what for; nil
// where it asked none.
func Services(path string, a analysis.Options) (*Externals, error) {
	in, err := Open(path, a, Output{})
	if err != nil {
		return nil, err
	}
	defer in.Close()
	for _, err := range in.db.Externals() {
		if err != nil {
			return nil, err
		}
		return in.Asked(0)
	}
	return nil, nil
}
