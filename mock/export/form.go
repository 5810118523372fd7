package export

import (
	"fmt"
	"slices"
	"strings"

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

// Set are stubs that are served together, by a name.
type Set struct {
	Name  string
	Stubs []mock.Stub
}

// WriteEach writes sets of stubs that are alternatives, each to be served alone, as files by their names in a folder,
// with slashes: WireMock's lie in a root folder each. A set with a stub that the form has no words for would be another
// one: it is left out, and told.
func (f Form) WriteEach(sets []Set) (files map[string][]byte, left []string, err error) {
	files = map[string][]byte{}
	place := "/mappings/stubs.json"
	if f == FormHoverfly {
		place = ".json"
	}
	for _, s := range sets {
		data, lacks, err := f.Write(s.Stubs)
		if err != nil {
			return nil, nil, err
		}
		if len(lacks) > 0 {
			left = append(left, s.Name+": "+lacks[0])
			continue
		}
		files[s.Name+place] = data
	}
	return files, left, nil
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

// leftOut tells that a stub is left out, and why.
func leftOut(s mock.Stub, why string) string {
	name, _, _ := strings.Cut(s.Name, "?") // what is asked for may have secrets
	return name + ": " + why
}
