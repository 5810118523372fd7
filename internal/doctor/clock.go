package doctor

import (
	"context"
	"time"
)

// nearEnough is how far two clocks may be apart: the header Date has whole seconds.
const nearEnough = 3 * time.Second

// clock compares the API's clock with this machine's, by which values that follow the time are known.
func (v *visit) clock(context.Context) ([]Finding, error) {
	apart := v.dated.Round(time.Second)
	switch {
	case !v.isDated:
		return one(Skipped, "", "no answer of the API with a header Date", "")
	case v.dated.Abs() <= nearEnough:
		return one(OK, "API", "agrees with this machine's", "")
	case v.dated > 0:
		return one(Problem, "API", "is "+apart.String()+" ahead of this machine's", setClocks)
	}
	return one(Problem, "API", "is "+(-apart).String()+" behind this machine's", setClocks)
}

const setClocks = "let both go by the same time server (NTP): values that follow the time are known by this machine's clock"
