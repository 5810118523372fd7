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

// CSV writes one line for each place, the common ones first (their operation is * * *), below a line with the names of
// the columns (RFC 4180, but lines end with a line feed). Lists are separated by blanks, and what holds is the JSON of
// the map. A cell that a spreadsheet would take for a formula begins with an apostrophe.
func CSV(w io.Writer, m *mapfile.Map, o FormOptions) error {
	out := csv.NewWriter(w)
	head := []string{"host", "method", "template", "status", "place", "judgement", "category", "changed", "of", "bound",
		"protocol", "rule", "evidence", "holds", "samples", "warnings", "except"}
	if err := out.Write(head); err != nil {
		return err
	}
	common, operations := m.Fold(o.lists)
	for _, c := range common {
		record, err := csvRecord([]string{c.Host, "*", "*", "*"}, c.Field, c.Except)
		if err != nil {
			return err
		}
		if err := out.Write(record); err != nil {
			return err
		}
	}
	for _, op := range operations {
		for _, f := range op.Fields {
			record, err := csvRecord([]string{op.Host, op.Method, op.Template, strconv.Itoa(op.Status)}, f, nil)
			if err != nil {
				return err
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

// csvRecord writes a place; operation are the cells that name what it is a place of.
func csvRecord(operation []string, f *mapfile.Field, except []string) ([]string, error) {
	holds, err := compactJSON(f.Holds)
	if err != nil {
		return nil, err
	}
	samples, err := compactJSON(append([]json.RawMessage{}, f.Samples...))
	if err != nil {
		return nil, err
	}
	rule := ""
	if f.Rule != nil {
		rule = string(f.Rule.Kind)
	}
	record := append(operation, string(f.Place), string(f.Judgement), string(f.Category), strconv.Itoa(f.Changed),
		strconv.Itoa(f.Of), strconv.FormatFloat(f.Bound, 'f', -1, 64), strconv.FormatBool(f.Protocol), rule,
		strings.Join(f.Evidence, " "), holds, samples, strings.Join(f.Warnings, "; "), strings.Join(except, "; "))
	for i := range record {
		record[i] = cell(record[i])
	}
	return record, nil
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
