package relation

import (
	"slices"
	"strings"

	"github.com/flaketap/flaketap/exchange"
	"github.com/flaketap/flaketap/volatility/compare"
	"github.com/flaketap/flaketap/volatility/notation"
)

// Relations are found as likely invariants are: what the first answers of an operation satisfy are the candidates,
// every answer after them is held against what is left, and the first counterexample ends a candidate. An answer that
// has no difference from the recorded one is not looked at, as it says what that said.

// The bounds on what is looked at in the answers of one operation.
const (
	maxScopes    = 16  // arrays, beside the answer as a whole
	maxVariables = 64  // places of one scope
	minRows      = 32  // different rows of values that candidates are made from
	minSteps     = 6   // exchanges that these are of, as one request asks for one thing
	maxRows      = 128 // where they are of fewer exchanges
	maxLooked    = 256 // rows that are looked at to find so many
	maxValue     = 512 // bytes of a value
	MaxOpened    = 256 // steps that places are added in
)

// Miner looks for relations in the answers of one operation.
type Miner struct {
	scopes  []*scope
	picker  *compare.Picker
	targets []target
	stale   bool // the picker picks what is not wanted any more
	stack   []frame
	step    int // the number of the exchange that is looked at
}

// target is what a picked place stands for.
type target struct {
	scope    *scope
	variable int // -1 where the place only holds what is wanted
	below    *scope
}

// frame is a row that is being read: the values of one answer, or of one element of an array.
type frame struct {
	scope *scope
	row   []value
}

// scope is the places that have one value in an answer, or one in each element of an array: "" or the elements' place.
type scope struct {
	place  exchange.Place
	vars   []*variable
	found  bool
	rows   [][]value
	hashes []uint64
	looked int
	step   int     // the exchange that the last row is of
	steps  int     // exchanges that rows are of
	last   []value // the element before, in the same array
	spare  []value // a row that is not needed any more

	candidates []*candidate
	order      []*candidate // of the elements: ascending, descending
	tried      int          // candidates that were thought of
	added      []int        // variables that are added up for the scope around this one
}

// derived says what a variable is.
type derived uint8

const (
	isOwn   derived = iota // the value of its place
	isCount                // the number of elements of the array that is its place
	isTotal                // the sum of the elements' members of, or of their products
)

type variable struct {
	place   exchange.Place
	derived derived
	below   *scope // of a count or a total
	of      [2]int // variables of below; the second is -1 where there is but one
	wanted  bool   // by itself, or by a total
	timed   bool   // every text seen is a moment
	epoch   bool   // every number seen is one, to the second or finer
	unit    int64  // of moments: the nanoseconds that they are told to, the least seen
	scale   int    // the most decimals seen
}

// value is one value of a row.
type value struct {
	kind valueKind
	text string // of a text
	d    decimal
	at   int64 // of a moment: nanoseconds since the epoch
	unit int64 // of a moment: what its last digit that is not 0 is worth, in nanoseconds
}

type valueKind uint8

const (
	absent    valueKind = iota // or null
	isDecimal                  // a number that can be computed with
	isText
	isOther // anything else: true, a number beyond decimals
)

func valueOf(raw string) value {
	if len(raw) > maxValue {
		return value{kind: isOther, text: raw[:maxValue]}
	}
	switch v := notation.ScalarOf(raw); {
	case v.Kind == notation.Null:
		return value{}
	case v.Kind == notation.String:
		return value{kind: isText, text: v.Text}
	case v.Numeric():
		if d, ok := decimalOf(raw); ok {
			return value{kind: isDecimal, d: d, text: raw}
		}
	}
	return value{kind: isOther, text: raw}
}

// equal reports whether two values are the same number or text, or a number and its text.
func (v value) equal(w value) bool {
	switch {
	case v.kind == absent || w.kind == absent:
		return false
	case v.kind == isDecimal && w.kind == isDecimal:
		return v.d.equal(w.d)
	case v.kind != w.kind && (v.kind == isOther || w.kind == isOther):
		return false
	}
	return v.written() == w.written()
}

// written is the text of a value; that of a count or a total is not kept.
func (v value) written() string {
	if v.kind == isDecimal && v.text == "" {
		return v.d.String()
	}
	return v.text
}

// Learn takes in the answers of one step: the recorded one and those that differ from it, which it does not keep. fresh
// are the places that were seen for the first time in it.
func (m *Miner) Learn(fresh []SeenPlace, recorded *compare.Answer, others []*compare.Answer) {
	if len(fresh) > 0 {
		m.open(fresh)
	}
	if m.stale {
		m.choose()
	}
	if m.picker == nil {
		return
	}
	m.step++
	m.read(recorded)
	for _, a := range others {
		m.read(a)
	}
}

// open adds the places that were seen for the first time in this step, to scopes whose candidates are not made yet.
func (m *Miner) open(fresh []SeenPlace) {
	if m.full() {
		return
	}
	for _, p := range fresh {
		s := m.scope(scopeOf(p.Place))
		if s == nil || s.found || len(s.vars) >= maxVariables || p.Skip {
			continue
		}
		v := &variable{place: p.Place, wanted: true, of: [2]int{-1, -1}}
		if p.Array {
			if v.derived, v.below = isCount, m.scope(p.Place.Each()); v.below == nil {
				continue
			}
		}
		s.vars = append(s.vars, v)
	}
	m.totals(fresh)
	m.stale = true
}

// maxTotaled bounds the members of an array's elements that are added up, and of which two are multiplied before that.
const maxTotaled = 6

// totals adds the sums over an array to the places around it: of the numbers that were seen for the first time, and of
// their products with those before them.
func (m *Miner) totals(fresh []SeenPlace) {
	for _, t := range fresh {
		s := m.scope(scopeOf(t.Place))
		if s == nil || s.found || s.place == "" || !t.Whole {
			continue
		}
		outer := m.scope(scopeOf(s.place.Parent()))
		i := slices.IndexFunc(s.vars, func(v *variable) bool { return v.place == t.Place && v.derived == isOwn })
		if i < 0 || outer == nil || outer.found || len(s.added) >= maxTotaled {
			continue
		}
		outer.vars = append(outer.vars, &variable{place: t.Place, derived: isTotal, below: s, of: [2]int{i, -1},
			wanted: true})
		for _, k := range s.added {
			outer.vars = append(outer.vars, &variable{place: t.Place, derived: isTotal, below: s, of: [2]int{k, i},
				wanted: true})
		}
		s.added = append(s.added, i)
	}
}

// full reports whether no place could be added any more.
func (m *Miner) full() bool {
	return len(m.scopes) > maxScopes && !slices.ContainsFunc(m.scopes, func(s *scope) bool { return !s.found })
}

// scope returns the scope of a place, and makes it where there is none yet; nil where there are too many.
func (m *Miner) scope(place exchange.Place) *scope {
	for _, s := range m.scopes {
		if s.place == place {
			return s
		}
	}
	if len(m.scopes) > maxScopes {
		return nil
	}
	s := &scope{place: place}
	m.scopes = append(m.scopes, s)
	return s
}

// choose makes the picker anew, of what candidates still need.
func (m *Miner) choose() {
	m.stale, m.picker, m.targets = false, nil, m.targets[:0]
	for _, s := range m.scopes {
		if s.found {
			s.want()
		}
	}
	for _, s := range m.scopes { // a total needs what it is the total of
		for _, v := range s.vars {
			if v.wanted && v.derived == isTotal {
				for _, i := range v.of {
					if i >= 0 {
						v.below.vars[i].wanted = true
					}
				}
			}
		}
	}
	var places []exchange.Place
	add := func(p exchange.Place, t target) {
		if i := slices.Index(places, p); i >= 0 {
			if m.targets[i].below == nil {
				m.targets[i].below = t.below
			}
			if m.targets[i].variable < 0 {
				m.targets[i].scope, m.targets[i].variable = t.scope, t.variable
			}
			return
		}
		places, m.targets = append(places, p), append(m.targets, t)
	}
	for _, s := range m.scopes {
		for i, v := range s.vars {
			if !v.wanted || v.derived == isTotal {
				continue
			}
			add(v.place, target{s, i, v.below})
			for inner := s; inner != nil && inner.place != ""; { // every array around it
				array := inner.place.Parent()
				outer := m.scope(scopeOf(array))
				add(array, target{outer, -1, inner})
				inner = outer
			}
		}
	}
	if len(places) > 0 {
		m.picker = compare.NewPicker(places)
	}
}

// want marks the variables that candidates still need.
func (s *scope) want() {
	for _, v := range s.vars {
		v.wanted = false
	}
	for _, c := range slices.Concat(s.candidates, s.order) {
		for _, i := range []int{c.a, c.b, c.c} {
			if i >= 0 {
				s.vars[i].wanted = true
			}
		}
	}
}

func (m *Miner) read(a *compare.Answer) {
	root := m.scopes[0]
	if i := slices.IndexFunc(m.scopes, func(s *scope) bool { return s.place == "" }); i >= 0 {
		root = m.scopes[i]
	}
	m.stack = append(m.stack[:0], frame{root, root.blank()})
	a.Pick(m.picker, m)
	m.take(m.stack[0])
	root.spare = m.stack[0].row
	for _, s := range m.scopes {
		s.leave() // the answer need not be kept for it
	}
}

// Scalar takes in a value of the row that is being read.
func (m *Miner) Scalar(id int, raw string) {
	t, f := m.targets[id], m.top()
	if t.variable >= 0 && t.scope == f.scope && f.scope.vars[t.variable].derived == isOwn {
		f.row[t.variable] = valueOf(raw)
	}
}

// Array takes in the number of elements.
func (m *Miner) Array(id, elements int) {
	t, f := m.targets[id], m.top()
	if t.below == nil || t.scope != f.scope {
		return
	}
	t.below.leave()
	for i, v := range f.scope.vars {
		switch {
		case v.below != t.below || !v.wanted:
		case v.derived == isCount:
			f.row[i] = value{kind: isDecimal, d: decimal{m: int64(elements)}}
		case v.derived == isTotal:
			f.row[i] = value{kind: isDecimal}
		}
	}
}

// Element begins a row of what is in an array.
func (m *Miner) Element(id int) {
	s := m.targets[id].below
	if s == nil { // an array within one that is not looked into
		s = &scope{}
	}
	m.stack = append(m.stack, frame{s, s.blank()})
}

// blank returns a row without values.
func (s *scope) blank() []value {
	if row := s.spare; len(row) == len(s.vars) {
		s.spare = nil
		clear(row)
		return row
	}
	return make([]value, len(s.vars))
}

// leave forgets the last element of an array.
func (s *scope) leave() {
	if s.last != nil {
		s.spare, s.last = s.last, nil
		clear(s.spare)
	}
}

// Done takes in the row.
func (m *Miner) Done(int) {
	f := *m.top()
	m.stack = m.stack[:len(m.stack)-1]
	outer := m.top()
	for i, v := range outer.scope.vars {
		if v.derived == isTotal && v.wanted && v.below == f.scope {
			outer.row[i] = v.add(outer.row[i], f.row)
		}
	}
	m.take(f)
}

func (m *Miner) top() *frame { return &m.stack[len(m.stack)-1] }

// add adds an element to a total. What cannot be added makes it a value that equals nothing.
func (v *variable) add(total value, row []value) value {
	x := row[v.of[0]]
	if v.of[1] >= 0 && x.kind == isDecimal {
		y := row[v.of[1]]
		product, ok := x.d.times(y.d)
		if x.d = product; !ok || y.kind != isDecimal {
			x.kind = isOther
		}
	}
	sum, ok := total.d.plus(x.d)
	if x.kind != isDecimal || total.kind != isDecimal || !ok {
		return value{kind: isOther}
	}
	return value{kind: isDecimal, d: sum}
}

// take holds a row against the candidates, or keeps it for them to be made from.
func (m *Miner) take(f frame) {
	s := f.scope
	if len(s.vars) == 0 {
		return
	}
	if s.found {
		n := len(s.candidates) + len(s.order)
		s.test(f.row)
		m.stale = m.stale || n != len(s.candidates)+len(s.order)
		return
	}
	s.looked++
	if s.step != m.step {
		s.step = m.step
		s.steps++
	}
	s.keep(f.row)
	s.sorted(f.row)
	if len(s.rows) >= minRows && s.steps >= minSteps || len(s.rows) >= maxRows || s.looked >= maxLooked {
		s.find()
		m.stale = true
	}
}

// keep keeps a row that differs from those kept. Its values are copied: the answer is not to be held in memory for
// them.
func (s *scope) keep(row []value) {
	hash := hashOf(row)
	if slices.Contains(s.hashes, hash) {
		return
	}
	s.hashes = append(s.hashes, hash)
	kept := slices.Clone(row)
	for i := range kept {
		kept[i].text = strings.Clone(kept[i].text)
	}
	s.rows = append(s.rows, kept)
}

// The parameters of FNV-1a.
const (
	hashBegin = 14695981039346656037
	hashPrime = 1099511628211
)

// hashOf tells rows apart, and single values.
func hashOf(row []value) uint64 {
	h := uint64(hashBegin)
	for i := range row {
		v := &row[i]
		h = (h ^ uint64(v.kind)) * hashPrime
		if v.kind == isDecimal {
			h = (h ^ uint64(v.d.m)) * hashPrime
			h = (h ^ uint64(v.d.scale)) * hashPrime
			continue
		}
		for k := range len(v.text) {
			h = (h ^ uint64(v.text[k])) * hashPrime
		}
		h = (h ^ 0x100) * hashPrime
	}
	return h
}

// SeenPlace is what was known of a place after the step in which it was seen for the first time.
type SeenPlace struct {
	Place exchange.Place
	Skip  bool // it has values, and none that could be related
	Array bool
	Whole bool // its values are numbers alone
}
