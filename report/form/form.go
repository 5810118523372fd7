package form

import (
	"io"

	"github.com/flaketap/flaketap/report/findings"
	"github.com/flaketap/flaketap/report/page"
)

// Form is a form of a report.
type Form struct {
	Name  string
	Write func(io.Writer, *findings.Findings) error
}

// Forms lists the forms, the one that is written unasked first.
func Forms() []Form {
	return []Form{
		{"html", page.HTML},
	}
}
