package mapfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// The first two members of the file.
const (
	fileKind    = "volatile-map"
	fileVersion = 2
)

// maxFile bounds, in bytes, the map files that are read.
const maxFile = 512 << 20

// The file as docs/map.md describes it. Runs are written without their times, so that the recording's is the only one.
type (
	file struct {
		Flaketap   string             `json:"flaketap"`
		Version    int                `json:"version"`
		Recording  exchange.Recording `json:"recording"`
		Runs       []fileRun          `json:"runs"`
		Summary    Summary            `json:"summary"`
		Warnings   []string           `json:"warnings"`
		Common     []fileCommon       `json:"common"`
		Operations []fileOperation    `json:"operations"`
	}
	fileRun struct {
		Number  int              `json:"number"`
		Kind    exchange.RunKind `json:"kind"`
		Label   string           `json:"label,omitempty"`
		Start   exchange.Start   `json:"start"`
		Perturb []string         `json:"perturb,omitempty"`
		Steps   int              `json:"steps"`
		Lost    int              `json:"lost,omitempty"`
		Added   int              `json:"added,omitempty"`
	}
	fileCommon struct {
		Host   string   `json:"host,omitempty"`
		Except []string `json:"except"`
		fileField
	}
	fileOperation struct {
		Method    string      `json:"method"`
		Template  string      `json:"template"`
		Host      string      `json:"host,omitempty"`
		Status    int         `json:"status"`
		Exchanges int         `json:"exchanges"`
		Fields    []fileField `json:"fields"`
	}
	fileField struct {
		Place        exchange.Place    `json:"place"`
		Judgement    Judgement         `json:"judgement"`
		Category     Category          `json:"category"`
		Changed      int               `json:"changed"`
		Of           int               `json:"of"`
		Bound        float64           `json:"bound"`
		Pooled       int               `json:"pooled,omitempty"`
		Evidence     []string          `json:"evidence"`
		Explanations []Explanation     `json:"explanations"`
		Samples      []json.RawMessage `json:"samples"`
		Holds        Holds             `json:"holds"`
		Fingerprints []string          `json:"fingerprints"`
		Protocol     bool              `json:"protocol"`
		Warnings     []string          `json:"warnings"`
		Rule         *Ruling           `json:"rule,omitempty"`
	}
)

// EncodeOptions changes what is written.
type EncodeOptions struct {
	All bool // stable places too; those that a rule decided on are always written
}

// Encode writes the map as the file that docs/map.md describes: JSON, indented, so that it can be read and diffed. The
// same map gives the same bytes.
func (m *Map) Encode(w io.Writer, o EncodeOptions) error {
	out := file{
		Flaketap: fileKind, Version: fileVersion,
		Recording: m.Recording, Runs: []fileRun{}, Summary: m.Summary,
		Warnings: filled(m.Warnings), Common: []fileCommon{}, Operations: []fileOperation{},
	}
	out.Recording.Passes = filled(out.Recording.Passes)
	for _, r := range m.Runs {
		out.Runs = append(out.Runs, fileRun{r.Number, r.Kind, r.Label, r.Conditions.Start, r.Conditions.Perturb, r.Steps,
			r.Lost, r.Added})
	}
	common, operations := m.Fold(func(f *Field) bool { return o.All || f.Judgement != Stable || f.Rule != nil })
	for _, c := range common {
		out.Common = append(out.Common, fileCommon{c.Host, filled(c.Except), c.Field.file()})
	}
	for _, op := range operations {
		fo := fileOperation{op.Method, op.Template, op.Host, op.Status, op.Exchanges, []fileField{}}
		for _, f := range op.Fields {
			fo.Fields = append(fo.Fields, f.file())
		}
		out.Operations = append(out.Operations, fo)
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		return fmt.Errorf("encode map: %w", err)
	}
	return nil
}

func (f *Field) file() fileField {
	return fileField{f.Place, f.Judgement, f.Category, f.Changed, f.Of, f.Bound, f.Pooled,
		filled(f.Evidence), filled(f.Explanations), filled(f.Samples), f.Holds,
		filled(f.Fingerprints), f.Protocol, filled(f.Warnings), f.Rule}
}

// filled returns a list that encodes as one, be it empty.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ErrNotMap is what [Decode] returns, wrapped, for JSON that is something else.
var ErrNotMap = errors.New("not a volatile map")

// Decode reads what [Map.Encode] wrote. It refuses other files, other versions, and what no map can hold; members that
// it does not know are passed over. Stable places are there only if they were written.
//
// It reads locks too, as [Map.EncodeLock] writes them: the map is then [Map.Locked].
func Decode(r io.Reader) (*Map, error) {
	in := bufio.NewReader(r)
	head, _ := in.Peek(maxHead) // an error comes again
	if first, _, ok := bytes.Cut(head, []byte("\n")); ok && bytes.Contains(first, []byte(`"`+lockKind+`"`)) {
		return decodeLock(in)
	}
	return decodeMap(in)
}

// maxHead is where the first line of a lock has ended.
const maxHead = 200

func decodeMap(r io.Reader) (*Map, error) {
	dec := json.NewDecoder(io.LimitReader(r, maxFile))
	var in file
	if err := dec.Decode(&in); err != nil {
		return nil, fmt.Errorf("decode map: %w", err)
	}
	switch {
	case in.Flaketap != fileKind:
		return nil, fmt.Errorf(`decode map: %w: "flaketap" is %.40q, want %q`, ErrNotMap, in.Flaketap, fileKind)
	case in.Version < 1 || in.Version > fileVersion:
		return nil, fmt.Errorf("decode map: version %d is not supported, only 1 to %d", in.Version, fileVersion)
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("decode map: there is text after the map at byte %d", dec.InputOffset())
	}
	m := &Map{Recording: in.Recording, Summary: in.Summary, Warnings: filled(in.Warnings), Operations: []*Operation{}}
	for _, x := range in.Runs {
		m.Runs = append(m.Runs, exchange.Run{
			Number: x.Number, Kind: x.Kind, Label: x.Label, Steps: x.Steps, Lost: x.Lost, Added: x.Added,
			Conditions: exchange.Conditions{Start: x.Start, Perturb: x.Perturb},
		})
	}
	for i, x := range in.Operations {
		op, err := x.operation()
		if err != nil {
			return nil, fmt.Errorf("decode map: operation %d: %w", i+1, err)
		}
		m.Operations = append(m.Operations, op)
	}
	common := make([]Common, len(in.Common)) // none in version 1
	for i, x := range in.Common {
		f := Field(x.fileField)
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("decode map: common place %d: %w", i+1, err)
		}
		common[i] = Common{Host: x.Host, Field: &f, Except: x.Except}
	}
	if err := spread(common, m.Operations); err != nil {
		return nil, fmt.Errorf("decode map: %w", err)
	}
	return m, nil
}

func (x fileOperation) operation() (*Operation, error) {
	key := exchange.Operation{Method: x.Method, Template: x.Template, Host: x.Host}
	op := &Operation{Operation: key, Status: x.Status, Exchanges: x.Exchanges}
	for i, y := range x.Fields {
		f := Field(y)
		if err := f.check(); err != nil {
			return nil, fmt.Errorf("field %d: %w", i+1, err)
		}
		op.Fields = append(op.Fields, &f)
	}
	return op, nil
}

// check reports what no map that was written here would hold.
func (f *Field) check() error {
	categories := []Category{"", Time, Rand, Crypt, Unord, RunMsg, State, Env, GenErr, Unk}
	switch {
	case !strings.HasPrefix(string(f.Place), "/"):
		return fmt.Errorf("place %.80q does not begin with a slash", f.Place)
	case !slices.Contains(Judgements(), f.Judgement):
		return fmt.Errorf("unknown judgement %.40q", f.Judgement)
	case !slices.Contains(categories, f.Category):
		return fmt.Errorf("unknown category %.40q", f.Category)
	case f.Changed < 0 || f.Changed > f.Of:
		return fmt.Errorf("%d changes in %d observations", f.Changed, f.Of)
	}
	f.Explanations = filled(f.Explanations) // maps of earlier versions have none
	for _, e := range f.Explanations {
		if e.Category == "" || !slices.Contains(categories, e.Category) {
			return fmt.Errorf("unknown category %.40q of an explanation", e.Category)
		}
	}
	for _, fp := range f.Fingerprints {
		if _, err := exchange.ParseFingerprint(fp); err != nil {
			return err
		}
	}
	return nil
}
