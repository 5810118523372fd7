package notation

// Common sees which notations of [ByChance] strings have in common. One in a few of the strings of such a notation does
// not show it, as it has no digit or no letter: what most of them show, and all of them may be, they are. The zero
// value has seen none.
type Common struct {
	Shapes Shapes // that they have in common
	May    Shapes // that all of them may have

	shown [ByChanceCount]int
}

// Add adds a string, the shapes that it shows, and how many strings there are with it.
func (c *Common) Add(s string, shown Shapes, strings int) {
	may := shown&ByChance | Unshown(s)
	if strings > 1 {
		may &= c.May
	}
	c.May, c.Shapes = may, 0
	for i, shape := range ChanceShapes() {
		if shown&shape != 0 {
			c.shown[i]++
		}
		if may&shape != 0 && 2*c.shown[i] >= strings {
			c.Shapes |= shape
		}
	}
}

// Absorb adds what was seen of strings that were not kept.
func (c *Common) Absorb(u Common) {
	c.May &= u.May
	c.Shapes &= u.Shapes
	for i := range c.shown {
		c.shown[i] += u.shown[i]
	}
}
