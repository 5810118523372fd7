package mapfile

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// The first line of a lock.
const (
	lockKind    = "volatile-lock"
	lockVersion = 1
)

// maxLockLine bounds, in bytes, a line of a lock.
const maxLockLine = 8 << 20

// A lock is JSON Lines: the head; a line for each common place; and for each operation a line that names it, and one
// for each place that it says something of its own about.
type (
	lockHead struct {
		Flaketap string `json:"flaketap"`
		Version  int    `json:"version"`
	}
	lockLine struct {
		Host      string         `json:"host,omitempty"`
		Operation string         `json:"operation,omitempty"` // method, blank, template; "" of a common place
		Status    *int           `json:"status,omitempty"`    // of the operation
		Place     exchange.Place `json:"place,omitempty"`     // "" where the line names the operation
		Judgement Judgement      `json:"judgement,omitempty"`
		Category  Category       `json:"category,omitempty"`
		Holds     *Holds         `json:"holds,omitempty"`
		// not seen often enough: the operation, or the stable place alone
		Unsure bool     `json:"unsure,omitempty"`
		Rule   *Ruling  `json:"rule,omitempty"`
		Except []string `json:"except,omitempty"` // of a common place
	}
)

// EnoughSeen is how many observations make a place known for stable in a lock: one that moves every other time would
// have moved in one of them, but for a chance of 3 %.
const EnoughSeen = 5

// unsure reports whether a place that is called stable was seen too seldom to be known for it.
func (f *Field) unsure() bool { return f.Judgement == Stable && f.Of < EnoughSeen && f.Rule == nil }

// unsure reports whether all places of the operation that are called stable were seen too seldom.
func (o *Operation) unsure() bool {
	some := false
	for _, f := range o.Fields {
		if f.Judgement == Stable && !f.unsure() {
			return false
		}
		some = some || f.unsure()
	}
	return some
}

// Lock returns what a lock says of a map: of each place the judgement, the category and what holds of it in canonical
// words. Places apart are left out, and hints are stable, as they disable nothing. Where a status moves, the operation
// turns up under each of its statuses as often as chance had it recorded so; the lock has it under the lowest. What
// never moved, and whose kind did, too seldom for the place itself to have shown it, moves as its kind does.
func (m *Map) Lock() *Map {
	if m.Locked {
		return m
	}
	out, lent := &Map{Locked: true, Operations: []*Operation{}}, m.lent()
	lower := map[exchange.Operation]bool{} // under a lower status they are there
	for _, op := range m.Operations {
		if s := op.At(exchange.PlaceStatus); lower[op.Operation] && s != nil && s.Volatile() {
			continue
		}
		lower[op.Operation] = true
		locked := &Operation{Operation: op.Operation, Status: op.Status, Exchanges: op.Exchanges}
		for _, f := range op.Fields {
			if f.Apart() {
				continue
			}
			g := *f
			if of := lent[f]; of != nil {
				g = *of
				g.Place = f.Place
			}
			g.Holds, g.Bound, g.Pooled = g.canonical(), 0, 0
			if g.Judgement == Hint {
				g.Judgement = Stable
			}
			locked.Fields = append(locked.Fields, &g)
		}
		slices.SortStableFunc(locked.Fields, func(a, b *Field) int { return cmp.Compare(a.Place, b.Place) })
		locked.Index()
		out.Operations = append(out.Operations, locked)
	}
	out.Recount()
	return out
}

// canonical returns what holds of a place in canonical words: nothing of one that never moved, whose value suites
// assert; and of a date not how it is spelled, as the days of a recording share their month.
func (f *Field) canonical() Holds {
	if !f.Volatile() {
		return Holds{}
	}
	h := f.Holds.Canonical()
	if f.Category == Time {
		h.Pattern = ""
	}
	return h
}

// EncodeLock writes the lock of a map, as docs/map.md describes it: a small file for git, with one line for each place
// and nothing that belongs to one recording. The same map gives the same bytes.
func (m *Map) EncodeLock(w io.Writer) error {
	lock := m.Lock()
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(lockHead{lockKind, lockVersion})
	put := func(l lockLine) {
		if err == nil {
			err = enc.Encode(l)
		}
	}
	unsure := map[*Field]bool{} // of an operation that is not
	for _, op := range lock.Operations {
		for _, f := range op.Fields {
			unsure[f] = f.unsure() && !op.unsure()
		}
	}
	common := gatherCommon(lock.Operations, func(f *Field) string { return f.lockLine(unsure[f]).String() })
	for _, c := range common {
		l := c.Field.lockLine(unsure[c.Field])
		l.Host, l.Except = c.Host, c.Except
		put(l)
	}
	said := folded(common)
	for _, op := range lock.Operations {
		name := lockLine{Host: op.Host, Operation: op.Method + " " + op.Template, Status: &op.Status, Unsure: op.unsure()}
		put(name)
		for _, f := range op.Fields {
			if !said[f] {
				l := f.lockLine(unsure[f])
				l.Host, l.Operation, l.Status = name.Host, name.Operation, name.Status
				put(l)
			}
		}
	}
	if err == nil {
		err = out.Flush()
	}
	if err != nil {
		return fmt.Errorf("encode lock: %w", err)
	}
	return nil
}

func (f *Field) lockLine(unsure bool) lockLine {
	l := lockLine{Place: f.Place, Judgement: f.Judgement, Category: f.Category, Unsure: unsure, Rule: f.Rule}
	if !reflect.ValueOf(f.Holds).IsZero() {
		l.Holds = &f.Holds
	}
	return l
}

// String is the line; "" where it cannot be written.
func (l lockLine) String() string {
	text, err := json.Marshal(l)
	if err != nil {
		return ""
	}
	return string(text)
}

// decodeLock reads what [Map.EncodeLock] wrote, the head included.
func decodeLock(r io.Reader) (*Map, error) {
	in := bufio.NewScanner(io.LimitReader(r, maxFile))
	in.Buffer(nil, maxLockLine)
	d := lockDecoder{of: map[string]*Operation{}, unsure: map[*Operation]bool{}}
	for n := 1; in.Scan(); n++ {
		if err := d.line(n, in.Bytes()); err != nil {
			return nil, fmt.Errorf("decode lock: line %d: %w", n, err)
		}
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("decode lock: %w", err)
	}
	m := &Map{Locked: true, Operations: d.operations}
	if err := spread(d.common, m.Operations); err != nil {
		return nil, fmt.Errorf("decode lock: %w", err)
	}
	for op := range d.unsure {
		for _, f := range op.Fields {
			f.Of = 1
		}
	}
	m.Recount()
	return m, nil
}

// lockDecoder gathers the lines of a lock. Their order is of no matter: git may have merged them.
type lockDecoder struct {
	common     []Common
	operations []*Operation
	of         map[string]*Operation // by name
	unsure     map[*Operation]bool
}

func (d *lockDecoder) line(n int, text []byte) error {
	if n == 1 {
		var head lockHead
		if err := json.Unmarshal(text, &head); err != nil {
			return err
		}
		if head.Version != lockVersion {
			return fmt.Errorf("version %d is not supported, only %d", head.Version, lockVersion)
		}
		return nil
	}
	var l lockLine
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	if l.Operation == "" {
		f, err := l.field()
		d.common = append(d.common, Common{Host: l.Host, Field: f, Except: l.Except})
		return err
	}
	op, err := d.operation(l)
	if err != nil {
		return err
	}
	if l.Place == "" {
		if l.Unsure {
			d.unsure[op] = true
		}
		return nil
	}
	f, err := l.field() // what an earlier line says of the same place counts
	if err == nil && !slices.ContainsFunc(op.Fields, func(g *Field) bool { return g.Place == f.Place }) {
		op.Fields = append(op.Fields, f)
	}
	return err
}

// operation returns the operation that a line is about.
func (d *lockDecoder) operation(l lockLine) (*Operation, error) {
	method, template, ok := strings.Cut(l.Operation, " ")
	if !ok || l.Status == nil {
		return nil, fmt.Errorf("operation %.80q: want a method, a blank and a template, and a status", l.Operation)
	}
	op := &Operation{Operation: exchange.Operation{Method: method, Template: template, Host: l.Host}, Status: *l.Status,
		Exchanges: 1}
	if known := d.of[op.Name()]; known != nil {
		return known, nil
	}
	d.of[op.Name()] = op
	d.operations = append(d.operations, op)
	return op, nil
}

// field returns what a line says of its place, and the least number of observations that it may rest on.
func (l lockLine) field() (*Field, error) {
	f := &Field{Place: l.Place, Judgement: l.Judgement, Category: l.Category, Rule: l.Rule, Warnings: []string{}}
	if l.Holds != nil {
		f.Holds = *l.Holds
	}
	if f.Of = EnoughSeen; l.Unsure {
		f.Of = 1
	}
	return f, f.check()
}
