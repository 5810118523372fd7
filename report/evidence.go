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
		"order-only:words":        "only the order of the words in the text ever differed",
		"follows-clock:elapsed":   "a number that grew as time passed: an uptime",
		"follows-clock:countdown": "within each run the number shrank by as much as time passed: what is left until something",
		"follows-clock:age":       "within each run the number grew by as much as time passed since something in it",
		"follows-clock:progress":  "beside a station of life, the number went but one way whenever the same was asked again",
		"shape:digest-within":     "what varies within the text is a digest",
		"shape:temp-name":         "in the path of a temporary file, a name that is drawn for each file",
		"pattern:stack":           "a text with the lines of a stack",
		"shape:random-within":     "what varies within the text is random letters and digits",
		"client":                  "every change comes from the client, which made up new values when it ran again",
		"shape:keys":              "the keys of the object have the shape of generated values",
		"near-clock:day":          "the value is the date that a clock showed: it will move overnight",
		"looks:calendar":          "the weekday, month, year or hour that a clock showed, which it may be by chance",
		"near-clock:elapsed":      "a duration at the end of what its unit can tell, and no longer than the time that had passed",
	}
}

// byName are the codes by what stands before their colon; % is what stands behind it.
func byName() map[string]string {
	return map[string]string{
		"moved":             "number of observations that differ from the recorded value: %",
		"order-only":        "only the order of the elements ever differed",
		"parts":             "all that moves in the text is explained by its parts: see there",
		"follows-clock":     "the value changed by as much as time passed, or was always a time within its own run",
		"follows-external":  "it moved when, and only when, this value of an external service's answer did: %",
		"follows-address":   "only the requested host and port changed",
		"moved-only-by":     "it was the same in runs played as recorded, and moved in those under this condition: %",
		"by-machine":        "all answers of one machine agree, and those of different machines do not",
		"eventual":          "a read that follows a write answers so; asked again, it answered as recorded within %: it settles",
		"per-client":        "each new client has its own value, and keeps it: it is drawn once for each",
		"at-once":           "it moved where so many of the same request were sent at once, and never where one was sent alone: %",
		"cached":            "the answer may be cached for %, and the value moved no sooner than that",
		"clock-step":        "the least change of the API's clock that moves it: %",
		"runs-agree":        "all runs agree with each other, but not with the recording",
		"continued-only":    "runs on a fresh API agree with each other, runs that continued on a used one do not",
		"counter":           "a number or size grew from run to run by small steps",
		"counts-requests":   "from each request of a run to the next the number went on as a counter does",
		"limited":           "the API refuses requests with status % once there were too many, and those in a row",
		"same-shift":        "all numbers of a run differ from the recorded ones by the same amount: they are counted from another start",
		"no-return":         "without resets, something that was there disappeared for good, or something that appeared stayed",
		"one-run":           "in the only run, something appeared, disappeared or changed its size",
		"shape":             "all values have the shape of: %",
		"pattern":           "what varies within the text looks like: %",
		"name":              "the name of the place is typical of such values: %",
		"sometimes-null":    "is sometimes null, for no reason found in the requests",
		"sometimes-absent":  "is sometimes absent, for no reason found in the requests",
		"sometimes-resized": "sometimes changes its size, for no reason found in the requests",
		"sometimes-retyped": "sometimes changes its type, for no reason found in the requests",
		"sometimes-fails":   "sometimes fails, for no reason found in the requests",
		"moves-with":        "moved together with %, which explains it",
		"moves-with-input":  "has the form of a digest, and moved exactly when another part of the answer did",
		"as-made":           "some of the dates were given in the answer to a write, where the clock explains them",
		"part-of":           "the value is a part of the date at %, which the clock explains",
		"beside":            "the name is that of a process id, and a host name is in the same answer, at %",
		"closed-set":        "one of a few words",
		"message":           "a text of several words, some of which vary",
		"near-clock":        "the value is what a clock showed, at this precision: %",
		"made-in-session":   "the value is a time within the recording",
		"holds-host":        "the value contains the requested host and port",
		"address-dialed":    "the value contains the API's own address or port",
		"environment":       "the value contains a name of the machine",
		"nonce":             "number of times that the same request, sent again within the recording, got another random value: %",
		"looks":             "only what it looks like: %",
		"echo":              "the value repeats a part of the request: %",
		"same-as":           "the value is the one at %, where there is better evidence of why it moves",
		"bound":             "the value is one that an earlier answer gave",
		"client":            "every change comes from the client, which made up new values when it ran again, sent in %",
		"notation":          "the value was also written differently (1 and 1.0), which does not count as a move",
	}
}
