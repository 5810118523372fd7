package search

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/mock/search/kind"
)

// API runs trials. An error ends the search.
type API interface {
	Try(ctx context.Context, t Trial) (Outcome, error)
}

// Trial is one request, and what external services answer meanwhile.
type Trial struct {
	Request Request
	Stubs   []byte // a file of mappings, as mock.ParseStubs reads it
	// Wait is how long the API is waited for, where that is longer than the patience; 0: it is not.
	Wait time.Duration `json:",omitempty"`
	// Watched has the reads of the API told, where something tells them: see [Outcome.Reads].
	Watched bool `json:"-"`
	// Anew has the trial run though it is known what became of it: its record is wanted.
	Anew bool `json:"-"`
	// Extra says that it runs beyond the budget, as proofs of behaviors that were found within it.
	Extra bool `json:"-"`
	// Purpose is what it is for.
	Purpose Purpose `json:"-"`
	// Likely tells up to so many trials that are likely to come behind this one, the next first, for who runs several at
	// once; nil tells none. It may be asked until [API.Try] returns.
	Likely func(most int) []Trial `json:"-"`
}

// Request is what the API is asked.
type Request struct {
	Method string
	Target string // path and query
	Header map[string]string
	Body   []byte
}

// End is how a request ended other than by an answer.
type End string

// The ends.
const (
	Answered End = ""
	Hung     End = "hang"  // there was no answer within the bound
	Broke    End = "broke" // the connection ended without one
)

// Outcome is what a trial showed.
type Outcome struct {
	End    End
	Status int
	Body   []byte
	Calls  []Call        // in the order in which they were first made
	Log    string        // what the API logged meanwhile
	Took   time.Duration `json:",omitempty"` // from the request to the end of the answer
	// Covered are the items of its code that ran, as far as something tells: any texts.
	Covered []string
	// Reads are the fields of answers that the API read, as far as something tells. Only those of a trial that is watched.
	Reads []Read `json:",omitempty"`
	// Record is the trial for those who write tests of it: see [Journal]. The search keeps it, and does not look at it.
	Record []*exchange.Exchange `json:"-"`
	// Past says that the trial ran in an earlier search, and has no record.
	Past bool `json:"-"`
}

// Read is a field that the API read of an answer, whether it was there or not.
type Read struct {
	Method, Service, Target string // of the call
	Place                   exchange.Place
	Kind                    kind.Kind `json:",omitempty"` // what it was taken for
	Value                   any       `json:",omitempty"` // what it was compared with, or may have; nil: none is known
}

// Journal is the target of the exchange that stands behind that of the API in the record of a trial: what answers for
// external services is asked what it was asked.
const Journal = "/calls"

// Call is what the API asked of a service.
type Call struct {
	Service string // host:port
	Scheme  string `json:",omitempty"` // "http" or "https"
	Method  string
	Target  string
	Status  int // 0 where the connection was ended instead
	Times   int
	// Sent tells bodies apart by four bytes of SHA-256, in whatever order their members are; "" where there were none.
	Sent string `json:",omitempty"`
}

// Endpoint is a kind of call. Its path is a template, in which {} stands for a segment that varies.
type Endpoint struct {
	Service, Method, Path string
}

// address is the host of the service, and its port; "" where it names none.
func (e Endpoint) address() (host, port string) {
	if i := strings.LastIndexByte(e.Service, ':'); i > 0 {
		return strings.Trim(e.Service[:i], "[]"), e.Service[i+1:]
	}
	return e.Service, ""
}

func (e Endpoint) compare(f Endpoint) int {
	return cmp.Or(strings.Compare(e.Service, f.Service), strings.Compare(e.Path, f.Path),
		strings.Compare(e.Method, f.Method))
}
