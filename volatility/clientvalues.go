package volatility

import (
	"slices"

	"github.com/flaketap/flaketap/volatility/mapfile"
	"github.com/flaketap/flaketap/volatility/notation"
	"github.com/flaketap/flaketap/volatility/request"
)

// fromClient counts the changes of one place that are the client's doing.
type fromClient struct {
	changes int
	labels  candidates[string] // the places of requests that every such value is from
}

// follow sees whether a change is the client's doing.
func (c *fromClient) follow(o *request.MadeUp, before, after notation.Scalar, run int) {
	if labels, made := o.Follow(before, after, run); made {
		c.changes++
		c.labels.narrow(labels)
	}
}

// evidence returns the code for a place whose every change is the client's doing; nothing for any other.
func (c *fromClient) evidence(moves int) []mapfile.Evidence {
	switch {
	case c.changes == 0 || c.changes < moves:
		return nil
	case len(c.labels.list) > 0:
		return saysOf(mapfile.SignClient, slices.Min(c.labels.list))
	}
	return says(mapfile.SignClient)
}
