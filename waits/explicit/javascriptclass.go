package explicit

import (
	"strings"

	"github.com/flaketap/flaketap/suite/js"
)

// jsClass is a class of a file.
type jsClass struct {
	name, base  string
	open, close int // the brackets of its body
}

// classes are those of a file, in order.
func (j *javaScript) classes() (all []jsClass) {
	for i, t := range j.tokens {
		if !t.Is("class") || t.Kind != js.Word || i > 0 && j.tokens[i-1].Is(".") {
			continue
		}
		c := jsClass{}
		for k := i + 1; k < len(j.tokens) && c.open == 0; k++ {
			switch at := j.tokens[k]; {
			case at.Is("{"):
				c.open = k
			case at.Is("extends"):
			case at.Kind != js.Word:
				c.base = "" // what it extends is made by a call, or a member
			case j.tokens[k-1].Is("extends"):
				c.base = at.Text
			case j.tokens[k-1].Is("class"):
				c.name = at.Text
			}
		}
		if end, ok := j.pairs[c.open]; ok && c.open > 0 {
			c.close = end
			all = append(all, c)
		}
	}
	return all
}

// member is a driver that an object of the class around a token keeps: one from which a method of the class, or of one
// of the file that it extends, looks for elements. "" is none.
func (j *javaScript) member(at int) (name string) {
	all, base := j.classes(), ""
	for _, c := range all {
		if c.open < at && at < c.close && j.isThis(c, at) {
			name, base = j.memberOf(c), c.base
		}
	}
	for range all {
		for _, c := range all {
			if name == "" && base != "" && c.name == base {
				name, base = j.memberOf(c), c.base
				break
			}
		}
	}
	return name
}

func (j *javaScript) memberOf(c jsClass) (name string) {
	for i := c.open; i < c.close; i++ {
		if root := j.root(j, i); strings.HasPrefix(root, "this.") {
			name = root
		}
	}
	return name
}

// isThis reports whether this is the object of a class where a token stands: in a method that is not static, and in no
// function of its own.
func (j *javaScript) isThis(c jsClass, at int) bool {
	for i := c.open + 1; i < at; i++ {
		end, opens := j.pairs[i]
		switch {
		case j.tokens[i].Is("function") || j.tokens[i].Is("static"):
			for i < at && !j.tokens[i].Is("{") {
				i++
			}
			if end, ok := j.pairs[i]; ok && i < at && at < end {
				return false
			}
		case opens && end > i && end < at:
			i = end
		}
	}
	return true
}
