package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/volatility/mapfile"
)

// CSV writes one line for each place, below a line with the names of the columns (RFC 4180, but lines end with a line
// feed). Lists are separated by blanks, and what holds is the JSON of the map. A cell that a spreadsheet would take for
// a formula begins with an apostrophe.
func CSV(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := csv.NewWriter(w)
	head := []string{"host", "method", "template", "status", "place", "judgement", "category", "changed", "of", "bound",
		"protocol", "rule", "evidence", "holds", "samples", "warnings"}
	if err := out.Write(head); err != nil {
		return err
	}
	for _, op := range m.Operations {
		for _, f := range op.Fields {
			if !o.lists(f) {
				continue
			}
			holds, err := compactJSON(f.Holds)
			if err != nil {
				return err
			}
			samples, err := compactJSON(append([]json.RawMessage{}, f.Samples...))
			if err != nil {
				return err
			}
			rule := ""
			if f.Rule != nil {
				rule = string(f.Rule.Kind)
			}
			cells := []string{op.Host, op.Method, op.Template, strconv.Itoa(op.Status), string(f.Place), string(f.Judgement),
				string(f.Category),
				strconv.Itoa(f.Changed), strconv.Itoa(f.Of), strconv.FormatFloat(f.Bound, 'f', -1, 64),
				strconv.FormatBool(f.Protocol), rule,
				strings.Join(f.Evidence, " "), holds, samples, strings.Join(f.Warnings, "; ")}
			for i := range cells {
				cells[i] = cell(cells[i])
			}
			if err := out.Write(cells); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// cell makes a text safe to open in a spreadsheet. Texts come from the API and from clients, so they are hostile: line
// ends and characters that do not show are escaped, so that a record stays on one line, and a text that begins as a
// formula does (=, +, -, @) gets an apostrophe, or the spreadsheet would evaluate it. Numbers are never negative here,
// so that none of them is changed; quotes and commas are the business of the CSV writer.
func cell(s string) string {
	s = string(escapeUnseen([]byte(strings.ReplaceAll(s, "\n", `\n`))))
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		s = "'" + s
	}
	return s
}

// compactJSON encodes a value on one line.
func compactJSON(v any) (string, error) {
	doc, err := plainJSON(v, "")
	if err != nil {
		return "", fmt.Errorf("encode: %w", err)
	}
	return strings.TrimSuffix(string(doc), "\n"), nil
}
