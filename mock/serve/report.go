package serve

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/internal/console"
	"github.com/flaketap/flaketap/internal/outfile"
	"github.com/flaketap/flaketap/mock"
	"github.com/flaketap/flaketap/mock/intercept"
)

// Report is what a run has seen of an API's external services. It is written as JSON, which docs/external-services.md
// describes.
type Report struct {
	Flaketap string         `json:"flaketap"` // "mock-report"
	Version  int            `json:"version"`
	Engine   Engine         `json:"intercept"`
	Services []Service      `json:"services"`
	Calls    []mock.Counted `json:"calls"` // by service; secrets are tokens
	More     int            `json:"more"`  // further calls that are not told apart
	Refused  []Refused      `json:"refused"`
}

// Engine is by what the API's connections were led.
type Engine struct {
	Name  string `json:"engine"`
	Why   string `json:"why,omitempty"`   // it is none that goes before it
	Blind string `json:"blind,omitempty"` // what it does not see, and lets go
	// Redirected are the API's variables that named another machine and were given an address here.
	Redirected []string `json:"redirected,omitempty"`
}

// Service is a service that the API connected to.
type Service struct {
	Service   string   `json:"service"` // host:port
	Schemes   []string `json:"schemes"`
	Calls     int      `json:"calls"`
	Unmatched int      `json:"unmatched"` // of these, with no stub
	Allowed   bool     `json:"allowed"`   // it is the real one, whose calls are seen where they are recorded
	Failed    int      `json:"failed"`    // calls without an answer
	// Distrusted is how clients ended connections at the certificate that they were shown here.
	Distrusted []mock.Distrust `json:"distrusted,omitempty"`
	// Foreign are the connections that were ended as they do not speak HTTP.
	Foreign mock.Foreign `json:"foreign,omitzero"`
}

// Refused is a connection, or a datagram, that was let go nowhere.
type Refused struct {
	Network string `json:"network"`
	To      string `json:"to"`
	Why     string `json:"why"`
	Times   int    `json:"times"`
}

// report puts together what was seen. connected are the services in the order in which they were first connected to.
func report(by Engine, connected []Service, calls []mock.Counted, more int, distrusted []mock.Distrust,
	foreign map[string]mock.Foreign, refused []intercept.Refusal) Report {
	r := Report{Flaketap: "mock-report", Version: 1, Engine: by, Services: slices.Clone(connected), Calls: calls, More: more, Refused: []Refused{}}
	for _, c := range calls {
		at := slices.IndexFunc(r.Services, func(s Service) bool { return s.Service == c.Service })
		if at < 0 {
			continue
		}
		s := &r.Services[at]
		s.Calls += c.Times
		if c.Status == 0 {
			s.Failed += c.Times
		}
		if c.Stub == "" && !s.Allowed {
			s.Unmatched += c.Times
		}
		if !slices.Contains(s.Schemes, c.Scheme) {
			s.Schemes = append(s.Schemes, c.Scheme)
		}
	}
	for i, s := range r.Services {
		r.Services[i].Foreign = foreign[s.Service]
	}
	for _, d := range distrusted {
		if at := slices.IndexFunc(r.Services, func(s Service) bool { return s.Service == d.Service }); at >= 0 {
			r.Services[at].Distrusted = mock.AddDistrust(r.Services[at].Distrusted, d)
		}
	}
	for _, x := range refused {
		r.Refused = append(r.Refused, Refused(x))
	}
	slices.SortFunc(r.Services, func(a, b Service) int { return cmp.Compare(a.Service, b.Service) })
	return r
}

// JSON writes the report as JSON.
func (r Report) JSON(w io.Writer) error {
	return outfile.JSON(w, r)
}

// Text writes the report for people.
func (r Report) Text(w io.Writer) error {
	p := &printer{w: w}
	if len(r.Services) == 0 {
		p.line("the API connected to no external service")
	}
	for _, s := range r.Services {
		p.service(s, "")
		for _, c := range r.Calls {
			if c.Service == s.Service {
				p.line("  %s", said(c))
			}
		}
	}
	p.ends(r)
	return p.err
}

// unheard says for people which connections were refused, or ended before anything was asked, as no stub answers there.
// A service that was asked something takes no part in the second.
func (r Report) unheard(w io.Writer, asked func(service string) bool) error {
	p := &printer{w: w, before: "flaketap: "}
	for _, s := range r.Services {
		if asked(s.Service) {
			s.Distrusted = nil
		}
		if s.Foreign != (mock.Foreign{}) || len(s.Distrusted) > 0 {
			p.service(s, "")
		}
	}
	p.ends(Report{Refused: r.Refused})
	return p.err
}

// service prints what was asked of a service, with a word on it behind, and who did not trust it.
func (p *printer) service(s Service, word string) {
	if s.Calls > 0 || s.Allowed || s.Foreign == (mock.Foreign{}) {
		p.line("%s%s", s, word)
	}
	for _, d := range s.Distrusted {
		p.line("%s: %s", s.Service, distrust(d))
	}
	if n := s.Foreign.Spoke; n > 0 {
		p.line("%s: %s refused: the API spoke another protocol than HTTP, which is let through to localhost alone", s.Service, console.Count(n, "connection"))
	}
	if n := s.Foreign.Silent; n > 0 {
		p.line("%s: %s refused: the API waited for the service to begin, as some databases and mail servers do; what is not HTTP is let through to localhost alone",
			s.Service, console.Count(n, "connection"))
	}
}

// distrust says how often a certificate was not taken, and what that may mean.
func distrust(d mock.Distrust) string {
	const variables = "the variables that name flaketap's authority (SSL_CERT_FILE and the like)"
	n := console.Count(d.Times, "connection")
	switch {
	case d.Alert == mock.UnknownAuthority:
		return fmt.Sprintf("%s refused the certificate (%s): the client does not heed %s, but has authorities of its own", n, d.Alert, variables)
	case d.Alert != "":
		return fmt.Sprintf("%s refused the certificate (%s): the client pins another one, or does not heed %s", n, console.OneLine(d.Alert), variables)
	case d.Shaken:
		return fmt.Sprintf("%s ended right behind the handshake: the client may pin another certificate", n)
	}
	return fmt.Sprintf("%s ended at the certificate: the client may pin another one, or not heed %s; in Node both end so", n, variables)
}

// ends prints what stands behind the services.
func (p *printer) ends(r Report) {
	p.led(r.Engine)
	if r.More > 0 {
		p.line("and %s more", console.Count(r.More, "call"))
	}
	for _, x := range r.Refused {
		p.line("refused: %s to %s, %s: %s", x.Network, console.OneLine(cmp.Or(x.To, "an address that cannot be read")),
			console.Count(x.Times, "time"), x.Why)
	}
}

// led prints by what connections were led, where that is not what goes before all else.
func (p *printer) led(e Engine) {
	if e.Why != "" {
		p.line("connections were led by %s: %s", e.Name, console.OneLine(e.Why))
	}
	if e.Blind != "" {
		p.line("warning: %s", e.Blind)
	}
	if len(e.Redirected) > 0 {
		p.line("variables that name a service here: %s", console.OneLine(strings.Join(e.Redirected, ", ")))
	}
}

// said is a call on one line.
func said(c mock.Counted) string {
	line := console.OneLine(fmt.Sprintf("%s %s", c.Method, c.Target))
	if c.Status != 0 {
		line += fmt.Sprintf(" %d", c.Status)
	} else {
		line += " without an answer"
	}
	if c.Times > 1 {
		line += fmt.Sprintf(", %d times", c.Times)
	}
	why := ""
	if c.Why != "" {
		why = ": " + console.OneLine(c.Why)
	}
	switch {
	case c.Stub != "":
		return line + ", by " + console.OneLine(c.Stub) + why
	case c.Nearest != "":
		return line + fmt.Sprintf(", no stub; the nearest is %s, for another %s", console.OneLine(c.Nearest), console.OneLine(c.Misses))
	}
	return line + ", no stub" + why
}

// printer keeps the first error of writing.
type printer struct {
	w      io.Writer
	before string // each line
	err    error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, p.before+format+"\n", args...)
	}
}
