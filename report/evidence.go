package report

import (
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// Evidence says in words what a code of a field's evidence means; "" where the code is not known. docs/map.md has the
// same list.
func Evidence(code string) string {
	e := mapfile.ParseEvidence(code)
	if said, ok := exactly()[code]; ok {
		return said
	}
	if said, ok := byName()[string(e.Sign)]; ok {
		return strings.ReplaceAll(said, "%", e.Detail)
	}
	return ""
}

// exactly are the codes that mean something else than their name alone does.
func exactly() map[string]string {
	return map[string]string{
		"order-only:words":      "nothing but the order of the words of the text ever differed",
		"follows-clock:elapsed": "a number that grew as time passed: an uptime",
		"shape:random-within":   "what varies within the text is random letters and digits",
		"client":                "every change is the client's doing, which made up new values when it ran again",
		"shape:keys":            "the keys of the object have the shape of made values",
		"near-clock:day":        "the value is what a clock showed that tells the day: it will move overnight",
	}
}

// byName are the codes by what stands before their colon; % is what stands behind it.
func byName() map[string]string {
	return map[string]string{
		"moved":             "so many observations differ from the recorded value: %",
		"order-only":        "nothing but the order of the elements ever differed",
		"parts":             "whatever moves in the text, what it holds tells it: see its parts",
		"follows-clock":     "the value changed by as much as time passed, or was made within its own run each time",
		"follows-address":   "nothing but the host and port that was asked for changed",
		"moved-only-by":     "still in runs played as recorded, it moved in those under this condition: %",
		"runs-agree":        "all runs agree with each other, and not with the recording",
		"continued-only":    "runs on a fresh API agree, those that continued on a used one do not",
		"counter":           "a number or size went on from run to run by small steps",
		"same-shift":        "all numbers of a run differ from the recorded ones by the same: they are counted on from another begin",
		"no-return":         "without resets, what was there went for good, or what came stayed",
		"one-run":           "in the only run, something was there or not, or as long or not, as in the recording",
		"shape":             "all values have the shape of: %",
		"pattern":           "what varies within the text looks like: %",
		"name":              "the place is called what such values are called: %",
		"sometimes-null":    "is null now and then, for no reason that the requests give",
		"sometimes-absent":  "is absent now and then, for no reason that the requests give",
		"sometimes-resized": "changes its size now and then, for no reason that the requests give",
		"sometimes-retyped": "changes its type now and then, for no reason that the requests give",
		"sometimes-fails":   "fails now and then, for no reason that the requests give",
		"moves-with":        "moved along with %, which says why",
		"moves-with-input":  "has the form of a digest, and moved when, and only when, something beside it did",
		"as-made":           "some of the dates are those that the answer to a write gave, where the clock explains them",
		"part-of":           "the value is a part of the date at %, which the clock explains",
		"beside":            "what is called a process id stands beside a name of the machine, at %",
		"closed-set":        "one word of a few",
		"message":           "a text of several words of which some vary",
		"near-clock":        "the value is what a clock of this precision showed: %",
		"made-in-session":   "the value is a time within the recording",
		"holds-host":        "the value holds the host and port that was asked for",
		"address-dialed":    "the value holds the API's own address or port",
		"environment":       "the value holds a name of the machine",
		"nonce":             "the same request, sent again within the recording, had another random value so many times: %",
		"looks":             "only the look of it: %",
		"echo":              "the value is that of a part of the request: %",
		"bound":             "the value is one that an earlier answer gave",
		"client":            "every change is the client's doing, which made up new values when it ran again: what it sent in %",
		"notation":          "the value was also written otherwise (1 and 1.0), which is no move",
	}
}
