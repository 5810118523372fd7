package plan

import (
	"strings"
	"time"
)

// Plan is a suite in no language: what each form of it sends, keeps, asserts and leaves behind. A writer of a form adds
// how that is said, and decides nothing.
type Plan struct {
	// the base URL of most exchanges, as recorded: the default where the environment names none
	Target string
	Bound  []Value // what answers gave and later requests use
	// the values of secrets, by name: "ADMIN_PASSWORD"; they belong into a file for the owner's eyes alone
	Secrets     map[string]string
	About       map[string]string // what each secret is, by name, without any secret: "the header x-api-key, GET /report"
	Credentials []Credential      // what whoever runs the suite may have to give, by name
	Tests       []Test            // in the order in which they run
	Left        []Left            // which recorded exchanges are in no test
	Codings     []string          // the content codings that recorded answers had, in lower case, sorted: "br", "gzip"
	Mocks       []Mock            // what external services answer, where tests say it; in the order of their names
	WarmUp      []byte            // a file of package warmup; nil: there is none
}

// Left is how many recorded exchanges are in no test for one reason.
type Left struct {
	Why       string // what holds of them, as in "12 are refused as in another test"
	Do        string // what to do to have them in a test: "--all writes them"
	Exchanges int
}

// Sent are the recorded exchanges that the tests are about: each is sent, and something is asserted of its answer.
// Those, and those that were Left, are all that were recorded.
func (p *Plan) Sent() map[uint64]bool {
	sent := map[uint64]bool{}
	for _, t := range p.Tests {
		for _, s := range t.Steps {
			if (s.Role == Tested || s.Single) && s.Left == "" {
				sent[s.Seq] = true
			}
		}
	}
	return sent
}

// Value is a value that one answer gave and later requests use: an id, a token, an ETag.
type Value struct {
	Name     string // unique in the plan, fit for a variable: "orderId"
	Recorded Text   // what it was in the recording: used until an answer gives another
	From     string // for a comment: "POST /orders /body/id"
	Fresh    bool   // it is another text in each run, of letters and digits, and Recorded says nothing
}

// Test is one test: it makes what it needs, sends, asserts, and cleans up.
type Test struct {
	Name  string   // words of a-z and 0-9, joined by "_", unique in the plan: "post_orders_gives_201"
	About []string // what it does, a line each, fit for a comment
	Group string   // words, as Name's: the tests of a group stand in one file
	Mock  string   // the name of the [Mock] that is there while it runs; "" where it says nothing of external services
	// BeyondWireMock is what WireMock does not know of that mock, in a clause: "WireMock has no fault X"; "" for nothing
	BeyondWireMock string
	Steps          []Step
}

// Role says what a step of a test is for.
type Role string

// The roles of steps, in the order in which they stand in a test.
const (
	// makes what the test depends on; of its answer the status alone is asserted, where it is not Single
	SetUp   Role = "set-up"
	Tested  Role = "tested"   // what the test is about
	CleanUp Role = "clean-up" // takes away what the test made, whether it passed or failed; asserts nothing
)

// Step is one request of a test, and what is asserted of its answer.
type Step struct {
	Role Role
	// Once says that a set-up is needed but once, as a login is: what it gave the first time serves all tests of one
	// execution. A form that cannot share it sends it in each test.
	Once bool
	// Single says of such a set-up that it is refused where it is sent again, as signing up is: there is one of it in
	// all files of a suite. It carries the checks of a test.
	Single bool
	// Ends says of a set-up that sound APIs were seen to refuse it: the rest of the test is skipped where the status is
	// another of the check's Statuses than the first, since what follows depends on what was not made.
	Ends bool
	// Given are the values that answers of the test, or of what tests share, must have given before the request is
	// sent. It changes what they name: with the recorded ones, that might be another's. It is set for set-ups and
	// clean-ups alone.
	Given []string
	// Gone are the values that name what the test made and the request takes away, if it is answered so: the clean-ups
	// of that, which name them too, are not sent then.
	Gone   []string
	Seq    uint64 // the recorded exchange
	Title  string // for a comment: "GET /orders/{id}"
	Left   string // why the exchange cannot be sent, for a comment in its stead; "" where it can
	Method string
	Target Text   // path and query, as sent
	Base   string // the base URL where it is not the plan's, or [MocksBase]; "" mostly
	// Ending says how the request ends where it is not answered: then nothing is asserted of an answer.
	Ending   Ending
	Patience time.Duration // after which a request that hangs is given up, in whole seconds
	Headers  []Header
	Body     *Body // nil where the request has none
	Wait     *Wait // nil where the first answer counts
	Captures []Capture
	Checks   []Check // in the order in which they are to be asserted; the status is the first
}

// Header is a request header; texts of a head hold a character for each byte (Latin-1). Host and what frames the
// message are the client's own business and never among them.
type Header struct {
	Name  string
	Value Text
}

// Body is the body of a request: text, or bytes where it is none.
type Body struct {
	Text    Text
	Bytes   []byte // set where the body is no text; Text is empty then
	Chunked bool   // it was sent chunked
}

// texts lists what a step sends.
func (s *Step) Texts() []Text {
	out := []Text{s.Target}
	for _, h := range s.Headers {
		out = append(out, Text{{Literal: h.Name}}, h.Value)
	}
	if s.Body != nil {
		out = append(out, s.Body.Text)
	}
	return out
}

// echoesHeaders reports whether the answer, as it is asserted, tells of the headers of its request. A client that adds
// some of its own would get another answer.
func (s *Step) EchoesHeaders() bool {
	for _, c := range s.Checks {
		said := strings.ToLower(string(c.JSON))
		if t, ok := c.Text.Constant(); ok {
			said += strings.ToLower(t)
		}
		for _, name := range []string{"user-agent", "user_agent", "accept-language", "accept-encoding", `"accept"`,
			`"connection"`, "sec-fetch-mode"} {
			if strings.Contains(said, name) {
				return true
			}
		}
		for _, h := range s.Headers {
			if v, ok := h.Value.Constant(); ok && strings.EqualFold(h.Name, "user-agent") && v != "" &&
				strings.Contains(said, strings.ToLower(v)) {
				return true
			}
		}
	}
	return false
}
