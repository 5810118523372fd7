package java

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/suite/script"
)

// Turns says in which order the tests of classes run: those of a class before those of the classes nested in it, which
// JUnit takes by the hash codes of their names.
func (m *File) Turns() map[string]int {
	out := map[string]int{}
	pkg := ""
	for i := range m.Tokens {
		if m.Tokens[i].Is("package") {
			end := i + 1
			for end < len(m.Tokens) && !m.Tokens[end].Is(";") {
				end++
			}
			pkg = m.Joined(i+1, end) + "."
			break
		}
	}
	var walk func(of, path string, depth int)
	walk = func(of, path string, depth int) {
		if depth > maxClasses {
			return
		}
		var inner []string
		for _, class := range slices.Sorted(maps.Keys(m.nested)) {
			if m.nested[class] == of && class != "" {
				inner = append(inner, class)
			}
		}
		slices.SortStableFunc(inner, func(a, b string) int {
			return cmp.Compare(script.JavaHash(path+a), script.JavaHash(path+b))
		})
		for _, class := range inner {
			if _, again := out[class]; !again {
				out[class] = len(out) * maxOrder
				walk(class, path+class+"$", depth+1)
			}
		}
	}
	walk("", pkg, 0)
	return out
}

// maxOrder bounds what @Order says of a test.
const maxOrder = 1 << 16

// Order is what @Order says of a method, in a file whose tests run by it; 0 where it says nothing.
func (m *File) Order(f *Method, text string) int {
	if !strings.Contains(text, "OrderAnnotation") {
		return 0
	}
	for i := f.Head; i+3 < f.Keyword; i++ {
		if m.Tokens[i].Is("Order") && m.Tokens[i+1].Is("(") && m.Tokens[i+2].Kind == tokNumber {
			n, _ := strconv.Atoi(m.Tokens[i+2].Text)
			return min(max(n, 0), maxOrder/2)
		}
	}
	return maxOrder / 2
}
