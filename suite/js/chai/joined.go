package chai

// joinedStep reads one word about a text that is made of a list: that it is one that is written out.
func (c *reading) joinedStep(l link, _ bool) bool {
	switch {
	case joins(l.word):
		return !l.called
	case l.word == "not":
		c.not = !c.not
		return true
	case isEquality(l.word) && len(l.args) > 0:
		same, ok := c.Joined(c.text, l.args[0])
		return ok && c.say(same)
	}
	return false
}

// isEquality reports whether a word says that a value is another.
func isEquality(word string) bool {
	switch word {
	case "equal", "equals", "eq", "eql", "eqls":
		return true
	}
	return false
}
