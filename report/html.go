package report

import (
	"bufio"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
)

//go:embed page.html
var pageSource string

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"part":  part,
	"count": count[int],
}).Parse(pageSource))

// HTML writes the report as one page: no script, no style sheet, font or image from elsewhere, so that it can be
// mailed, kept as a CI artifact and opened years later. It follows the reader's choice of light or dark, fits a
// telephone, and can be printed. Each operation has an anchor.
func HTML(w io.Writer, in Input) error {
	if in.Map == nil {
		return errNoMap
	}
	b := bufio.NewWriter(w)
	if err := page.Execute(b, newView(in)); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// part returns n of a whole as a number from 0 to 100. What is there at all is never shown as nothing.
func part(n, whole int) int {
	if n <= 0 || whole <= 0 {
		return 0
	}
	share := float64(n) / float64(whole) * 100
	return int(min(100, math.Max(2, math.Round(share))))
}
