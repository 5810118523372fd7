package compare

import (
	"github.com/flaketap/flaketap/exchange"
)

// texts compares what two texts at a place hold that is none of a JSON body.
func (d *differ) texts(place exchange.Place, x, y view) {
	if x.tape == nil && y.tape == nil && !d.full {
		return
	}
	last := &d.out[len(d.out)-1]
	d.a, d.b = leaf(last.Before), leaf(last.After)
	d.path.concrete = append(d.path.concrete[:0], place...)
	d.path.general = append(d.path.general[:0], place...)
	d.parts(x, y)
	if d.full { // of this text; the others have places of their own
		d.full = false
		last = &d.out[len(d.out)-1]
		last.Place, last.General = place, place
	}
}

// leaf is the tape of one string.
func leaf(token string) *tape {
	return &tape{src: token, nodes: []node{{end: uint32(len(token)), next: 1, kind: text}}}
}

// parts compares what two different texts at the present place hold. Where they hold the same, they are written
// otherwise, in the order of what they are made of or in anything else. What only one of them is a text of is there in
// that one.
func (d *differ) parts(x, y view) {
	if x.tape == nil && y.tape == nil || d.full {
		return
	}
	if x.marker != y.marker {
		d.part(x, Removed)
		d.part(y, Added)
		return
	}
	mark := d.path.mark()
	defer d.path.up(mark)
	if !d.path.into(x.marker) {
		return
	}
	before := len(d.out)
	sub := differ{a: x.tape, b: y.tape, path: d.path, out: d.out, depth: d.depth + 1}
	sub.value(0, 0)
	d.out = sub.out
	switch {
	case sub.full:
		// The one that stands for the rest is to name the whole, not this text.
		d.out = d.out[:len(d.out)-1]
		d.add(More, "", "")
	case len(d.out) == before && Shuffled(x.tape.src, y.tape.src):
		d.add(Reordered, x.tape.raw(0), y.tape.raw(0))
	case len(d.out) == before && x.marker != exchange.PartBinary: // which does not hold all there is
		d.add(Notation, x.tape.raw(0), y.tape.raw(0))
	}
}

// part adds that one of two texts holds what the other does not.
func (d *differ) part(v view, kind Kind) {
	if v.tape == nil {
		return
	}
	mark := d.path.mark()
	if d.path.into(v.marker) {
		if kind == Removed {
			d.add(kind, v.tape.raw(0), "")
		} else {
			d.add(kind, "", v.tape.raw(0))
		}
	}
	d.path.up(mark)
}
