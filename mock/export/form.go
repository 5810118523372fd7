package export

import (
	"fmt"
	"slices"

	"github.com/flaketap/flaketap/mock"
)

// Form is what stubs are written as for another tool.
type Form string

// The forms.
const (
	FormWireMock Form = "wiremock"
	FormHoverfly Form = "hoverfly"
)

// Write writes stubs in a form, and tells what it has no words for and is left out. What is no form is WireMock's.
func (f Form) Write(stubs []mock.Stub) (data []byte, left []string, err error) {
	if f == FormHoverfly {
		return Hoverfly(stubs)
	}
	return WireMock(stubs)
}

// lacking says why a tool that has none of some faults, and no interim answers, cannot serve an answer; "" where it
// can.
func lacking(tool string, r mock.Response, faults ...mock.Fault) string {
	switch {
	case slices.Contains(faults, r.Fault):
		return fmt.Sprintf("%s has no fault %s", tool, r.Fault)
	case r.Interim != 0:
		return fmt.Sprintf("%s has no interim answers, and this one is behind a %d", tool, r.Interim)
	}
	return ""
}

// leftOut is what people are told of a stub that is not written.
func leftOut(s mock.Stub, why string) string { return fmt.Sprintf("%s is left out: %s", s.Name, why) }
