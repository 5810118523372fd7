package tree

import (
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/exchange"
)

// Steps are the names and numbers in a path, however it is written, up to so many of them: items[0].price,
// items.0.price, /items/0/price.
func Steps(path string, most int) []string {
	all := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(`.[]'"/ `, r) })
	return all[:min(len(all), most)]
}

// Below is the place of a member, or, by a number, of an element.
func Below(p exchange.Place, step string) exchange.Place {
	if _, err := strconv.ParseUint(step, 10, 32); err == nil || step == exchange.Wildcard {
		return p.Each()
	}
	return p.Key(step)
}
