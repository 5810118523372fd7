package python

import (
	"github.com/flaketap/flaketap/suite/python/syntax"
	"github.com/flaketap/flaketap/suite/script"
)

// pyRaised is the exception that a block raises, as pytest.raises and assertRaises give it; from and to are the calls
// that the block sends, to being 0 within it.
type pyRaised struct {
	from, to int
	unittest bool
}

// attribute is how the answer is asked for.
func (x *pyRaised) attribute() string {
	if x.unittest {
		return ".exception.response"
	}
	return ".value.response"
}

// answerRaised is the answer that an exception has, as raise_for_status and clients that raise give it: that of the one
// request that was sent; nil where there is not exactly one.
func (r *follower) answerRaised(x syntax.Node) *script.Call {
	of, _ := x.(syntax.Attr)
	raised, ok := of.X.(*pyRaised)
	if !ok || (of.Name == "exception") != raised.unittest || of.Name != "exception" && of.Name != "value" {
		return nil
	}
	return r.calledIn(raised)
}

func (r *follower) calledIn(raised *pyRaised) *script.Call {
	if raised.to != raised.from+1 || r.test.Calls[raised.from].Many {
		return nil
	}
	return r.test.Calls[raised.from]
}
