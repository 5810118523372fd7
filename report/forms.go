package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// FormOptions changes what the forms of a map hold.
type FormOptions struct {
	All bool // stable places too, where the form lists places
	// Description is the OpenAPI document that an Overlay is for, as JSON is decoded; nil for none.
	Description map[string]any
	// Asked is what requests were beside their paths, for a form that sends them; nil leaves that out.
	Asked Asked
}

// lists reports whether a form that lists places has one.
func (o FormOptions) lists(f *mapfile.Field) bool {
	return o.All || f.Judgement != mapfile.Stable || f.Rule != nil
}

// speaks reports whether a form of another tool has something to say of an operation beside what HTTP itself moves.
func (o FormOptions) speaks(op *mapfile.Operation) bool {
	return o.All || slices.ContainsFunc(op.Fields, func(f *mapfile.Field) bool { return unsettled(f) && !f.Protocol })
}

// The forms that callers have to know: a lock is a small file for git, which goes on from an earlier one, an
// Overlay is for a description of the API, and a pact has requests.
const (
	LockForm    = "lock"
	OverlayForm = "overlay"
	PactForm    = "pact"
)

// MapForms names the forms that a map can be written in, the map's own first.
func MapForms() []string {
	var out []string
	for _, f := range mapForms() {
		out = append(out, f.name)
	}
	return out
}

// mapForm is a form of a map.
type mapForm struct {
	name  string
	write func(io.Writer, *mapfile.Map, FormOptions) error
}

func mapForms() []mapForm {
	return []mapForm{
		{"json", func(w io.Writer, m *mapfile.Map, o FormOptions) error {
			return m.Encode(w, mapfile.EncodeOptions{All: o.All})
		}},
		{"yaml", YAML},
		{LockForm, lock},
		{"csv", CSV},
		{"markdown", Markdown},
		{"wiremock", WireMock},
		{"keploy", Keploy},
		{"schemathesis", Schemathesis},
		{"hurl", Hurl},
		{"jsonpath", JSONPath},
		{"jest", Jest},
		{OverlayForm, Overlay},
		{"evomaster", EvoMaster},
		{"syrupy", Syrupy},
		{PactForm, Pact},
	}
}

// WriteMap writes a map in one of the forms that [MapForms] names. docs/map-forms.md describes them. The same map gives
// the same bytes in each.
func WriteMap(w io.Writer, form string, m *mapfile.Map, o FormOptions) error {
	forms := mapForms()
	i := slices.IndexFunc(forms, func(f mapForm) bool { return f.name == form })
	if i < 0 {
		return fmt.Errorf("write map: unknown format %q: want one of %s", form, strings.Join(MapForms(), ", "))
	}
	if err := forms[i].write(w, m, o); err != nil {
		return fmt.Errorf("write map as %s: %w", form, err)
	}
	return nil
}

// lock writes the lock of a map. What a terminal would obey in the names of an API is escaped.
func lock(w io.Writer, m *mapfile.Map, _ FormOptions) error {
	var doc bytes.Buffer
	if err := m.EncodeLock(&doc); err != nil {
		return err
	}
	_, err := w.Write(escapeUnseen(doc.Bytes()))
	return err
}
