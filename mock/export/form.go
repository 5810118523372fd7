package export

import "github.com/flaketap/flaketap/mock"

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
	data, err = WireMock(stubs)
	return data, nil, err
}
