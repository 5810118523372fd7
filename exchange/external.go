package exchange

import (
	"strconv"
	"strings"
)

// External is one request of the API to a service outside of it, and what came back. It is no exchange of the API:
// stores keep the two apart.
//
// Of the embedded Exchange, Seq counts externals, Pass is 0 where the API asked outside of a pass, as while it was
// started; Addr is the service as the API named it, a name or an address with the port; and Conn, Sequence and Target
// are empty. But for what a real service was asked, the fields of a head stand in their usual spelling, sorted, as it
// is only known what they say.
type External struct {
	Exchange
	Run  int    // the run in which the API asked; 0 where that was while it was recorded
	Stub string // the name of the stub that answered; "" where there was none
	Real bool   // the service itself answered
}

// Answered reports whether somebody had an answer: the service itself, or a stub.
func (x *External) Answered() bool { return x.Real || x.Stub != "" }

// again begins the name of a stub that is the answer to a recorded request; its Seq follows.
const again = "recorded "

// GivenAgain names, as a stub, the answer to a recorded external of that Seq.
func GivenAgain(seq uint64) (stub string) { return again + strconv.FormatUint(seq, 10) }

// Again returns the Seq of the recorded external whose answer was given again; ok is false where another one was.
func (x *External) Again() (seq uint64, ok bool) {
	text, ok := strings.CutPrefix(x.Stub, again)
	seq, err := strconv.ParseUint(text, 10, 64)
	return seq, ok && err == nil
}

// Service names the service that was asked as a URL does: without the port that is its scheme's own.
func (x *External) Service() string {
	port := map[string]string{"http": ":80", "https": ":443"}[x.Scheme]
	if host, usual := strings.CutSuffix(x.Addr, port); port != "" && usual {
		return strings.Trim(host, "[]")
	}
	return x.Addr
}
