package compare

import (
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Differences lists what differs between a and b: status, headers by name, body. Equal answers give an empty list.
func (a *Answer) Differences(b *Answer) []Difference {
	d := &differ{}
	if a.status != b.status {
		d.one(exchange.PlaceStatus, a.status, b.status)
	}
	if a.reason != b.reason && a.worded && b.worded && a.status == b.status {
		d.one(exchange.PlaceReason, quote(a.reason), quote(b.reason))
	}
	d.headers(a.headers, b.headers)
	d.body(&a.body, &b.body)
	return d.out
}

// SameStatus reports whether two answers have the same status, or the same kind of fault.
func (a *Answer) SameStatus(b *Answer) bool { return a.status == b.status }

// Status returns the raw token of the status: a number, or a string such as "fault:reset".
func (a *Answer) Status() string { return a.status }

// differ gathers the differences of two answers. Its path is a place of the first answer wherever that has one.
type differ struct {
	a, b *tape
	path path
	out  []Difference
	full bool
	look lookup // of elements
	seen lookup

	depth int // how many texts are around the present place
}

// one adds a difference at a place that has nothing below it.
func (d *differ) one(place exchange.Place, before, after string) {
	kind := Changed
	switch {
	case before == "":
		kind = Added
	case after == "":
		kind = Removed
	}
	d.out = append(d.out, Difference{Place: place, General: place, Kind: kind, Before: before, After: after})
}

func (d *differ) headers(a, b []header) {
	for len(a) > 0 || len(b) > 0 {
		switch {
		case len(b) == 0 || len(a) > 0 && a[0].name < b[0].name:
			d.one(a[0].place, quote(a[0].value), "")
			a = a[1:]
		case len(a) == 0 || a[0].name > b[0].name:
			d.one(b[0].place, "", quote(b[0].value))
			b = b[1:]
		default:
			if a[0].value != b[0].value {
				d.one(a[0].place, quote(a[0].value), quote(b[0].value))
				d.texts(a[0].place, ofHeader(a[0].name, a[0].value), ofHeader(b[0].name, b[0].value))
			}
			a, b = a[1:], b[1:]
		}
	}
}

func (d *differ) body(a, b *body) {
	switch {
	case a.there != b.there:
		before, after := "", ""
		if a.there {
			before = a.token()
		} else {
			after = b.token()
		}
		d.one(exchange.PlaceBody, before, after)
		return
	case a.src == b.src:
		return
	}
	d.a, d.b = a.tree(), b.tree()
	if d.a != nil && d.b != nil {
		d.path.reset()
		d.value(0, 0)
		return
	}
	d.one(exchange.PlaceBody, a.token(), b.token())
	if (d.a == nil) != (d.b == nil) {
		d.out[len(d.out)-1].Kind = Retyped
		return
	}
	d.texts(exchange.PlaceBody, a.holds(), b.holds())
}

// add adds a difference at the present place. It reports false once there are too many.
func (d *differ) add(kind Kind, before, after string) *Difference {
	if len(d.out) >= MaxDifferences {
		if !d.full {
			d.full = true
			d.out = append(d.out, Difference{
				Place: exchange.PlaceBody, General: exchange.PlaceBody, Kind: More, Before: d.a.raw(0), After: d.b.raw(0),
			})
		}
		return &Difference{} // for the caller to fill in; it is not kept
	}
	d.out = append(d.out, Difference{
		Place: exchange.Place(d.path.concrete), General: exchange.Place(d.path.general), Kind: kind, Before: before,
		After: after,
	})
	return &d.out[len(d.out)-1]
}

// value compares node i of a with node j of b at the present place.
func (d *differ) value(i, j uint32) {
	x, y := &d.a.nodes[i], &d.b.nodes[j]
	if x.hash == y.hash && x.kind == y.kind || d.full {
		return
	}
	switch {
	case x.kind != y.kind:
		d.add(Retyped, d.a.raw(i), d.b.raw(j))
	case x.kind == object:
		d.object(i, j)
	case x.kind == array:
		d.array(i, j)
	case sameValue(x.kind, d.a.raw(i), d.b.raw(j)):
		d.add(Notation, d.a.raw(i), d.b.raw(j))
	default:
		d.add(Changed, d.a.raw(i), d.b.raw(j))
		if x.kind == text && d.depth < MaxNested {
			d.parts(ofString(d.a.raw(i)), ofString(d.b.raw(j)))
		}
	}
}

// object compares two objects by key. Where a key occurs several times, its first members are compared with each
// other, then its second, and so on.
func (d *differ) object(i, j uint32) {
	if d.zip(i, j) {
		return
	}
	before := len(d.out)
	byKey := make(map[uint64][]uint32, d.b.nodes[j].count)
	for c := j + 1; c < d.b.nodes[j].next; c = d.b.nodes[c].next {
		byKey[d.b.nodes[c].key] = append(byKey[d.b.nodes[c].key], c)
	}
	for c := i + 1; c < d.a.nodes[i].next; c = d.a.nodes[c].next {
		key := d.a.nodes[c].key
		if same := byKey[key]; len(same) > 0 {
			byKey[key] = same[1:]
			d.member(d.a, c, func() { d.value(c, same[0]) }, d.a.raw(c), d.b.raw(same[0]))
			continue
		}
		d.member(d.a, c, func() { d.add(Removed, d.a.raw(c), "") }, d.a.raw(c), "")
	}
	for c := j + 1; c < d.b.nodes[j].next; c = d.b.nodes[c].next {
		if left := byKey[d.b.nodes[c].key]; len(left) > 0 && left[0] == c {
			byKey[d.b.nodes[c].key] = left[1:]
			d.member(d.b, c, func() { d.add(Added, "", d.b.raw(c)) }, "", d.b.raw(c))
		}
	}
	// Members of one key in another order: readers see another value, though the members are the same.
	if len(d.out) == before && (d.a.nodes[i].doubled || d.b.nodes[j].doubled) {
		d.add(Changed, d.a.raw(i), d.b.raw(j))
	}
}

// zip compares two objects whose keys stand in the same order, which is nearly always so, without any look-up. It
// reports false where they do not, having done nothing.
func (d *differ) zip(i, j uint32) bool {
	x, y := &d.a.nodes[i], &d.b.nodes[j]
	if x.count != y.count || x.doubled || y.doubled {
		return false
	}
	for c, e := i+1, j+1; c < x.next; c, e = d.a.nodes[c].next, d.b.nodes[e].next {
		if d.a.nodes[c].key != d.b.nodes[e].key {
			return false
		}
	}
	for c, e := i+1, j+1; c < x.next; c, e = d.a.nodes[c].next, d.b.nodes[e].next {
		if d.a.nodes[c].hash != d.b.nodes[e].hash {
			d.member(d.a, c, func() { d.value(c, e) }, d.a.raw(c), d.b.raw(e))
		}
	}
	return true
}

// member runs compare at the place of member c of t. Where that place would be too long, the two tokens are compared
// as a whole at the place of the object.
func (d *differ) member(t *tape, c uint32, compare func(), before, after string) {
	mark := d.path.mark()
	if d.path.down(t, object, c, 0) {
		compare()
		d.path.up(mark)
		return
	}
	d.path.up(mark)
	if before != after {
		d.add(Changed, before, after)
	}
}

// Same reports whether two raw JSON tokens mean the same value: notation, the order of members and white space aside.
// The order of elements counts.
func Same(a, b string) bool {
	if a == b {
		return true
	}
	x, okX := parse(a)
	y, okY := parse(b)
	if !okX || !okY {
		return strings.TrimSpace(a) == strings.TrimSpace(b)
	}
	d := &differ{a: x, b: y}
	d.path.reset()
	d.value(0, 0)
	for _, one := range d.out {
		if one.Kind != Notation {
			return false
		}
	}
	return true
}
