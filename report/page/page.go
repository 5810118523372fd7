package page

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/flaketap/flaketap/report"
	"github.com/flaketap/flaketap/report/findings"
)

//go:embed page.html
var pageSource string

//go:embed place.html
var placeSource string

//go:embed waits.html
var waitsSource string

//go:embed palette.css
var palette string

//go:embed page.css
var style string

//go:embed page.js
var script string

// HTML writes the page.
func HTML(w io.Writer, f *findings.Findings) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"count": report.Count, "ms": span, "changed": changed, "testID": testID, "show": func(s string) string { return report.Show(s, 400) },
	}).Parse(pageSource)
	for _, source := range []string{placeSource, waitsSource} {
		if err == nil {
			_, err = t.Parse(source)
		}
	}
	if err != nil {
		return fmt.Errorf("read the template of the page: %w", err)
	}
	v := newView(f)
	if err := v.fill(t.Lookup("more")); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	b := bufio.NewWriter(w)
	if err := t.Execute(b, v); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// Palette returns the colors of the page, light and dark, as the start of a style sheet.
func Palette() string { return palette }

// css is the style sheet of the page.
func css() string { return palette + style }

// fill writes what is in each place. On a dense page that stands in a comment, which a browser passes over in no time,
// until the script takes it out of there; a page of fewer places is whole without it. The template has escaped it, so
// that it is markup of this package's alone; what could end a comment stays outside of one.
func (v *view) fill(more *template.Template) error {
	var b strings.Builder
	one := func(p *placeView) error {
		b.Reset()
		if err := more.Execute(&b, p); err != nil {
			return err
		}
		p.More = template.HTML(b.String())
		if v.Dense && !strings.Contains(b.String(), "-->") && !strings.Contains(b.String(), "--!>") {
			p.More = "<!--" + p.More + "-->"
		}
		return nil
	}
	for i := range v.Common {
		if err := one(&v.Common[i]); err != nil {
			return err
		}
	}
	for _, s := range v.Sections {
		for i := range s.Places {
			if err := one(&s.Places[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// policy is the page's Content-Security-Policy: its own style sheet and script, and nothing else from anywhere.
func policy() string {
	return fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		digest(css()), digest(script))
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}
