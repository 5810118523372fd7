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
