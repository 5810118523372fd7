package plan

import "slices"

// Mock is what external services answer while a test runs.
type Mock struct {
	Name     string // of its file, without the ending: "003"
	Mappings []byte // a file of WireMock's mappings
}

// MocksFolder is the folder of the files of mocks in a suite.
const MocksFolder = "mocks"

// WarmUpFile is the file of a suite that warms an API up.
const WarmUpFile = "warm-up.json"

// MocksBase is the base of a step that asks what answers for external services, in the place of the API. Forms know
// where that is.
const MocksBase = "mocks:"

// Ending is how a request ends that the API does not answer.
type Ending string

// The endings.
const (
	Answered  Ending = ""
	Hangs     Ending = "hangs"      // there is no answer within the step's patience
	BreaksOff Ending = "breaks off" // the connection ends without one
)

// Hangs reports whether a test leaves an API that does not answer, and may be at work still: it has to be started anew.
func (t *Test) Hangs() bool {
	return slices.ContainsFunc(t.Steps, func(s Step) bool { return s.Ending != Answered })
}

// EndsWithin is for how many seconds the end is waited for of a request that is not answered: at least one.
func (s *Step) EndsWithin() int { return max(int(s.Patience.Seconds()), 1) }
