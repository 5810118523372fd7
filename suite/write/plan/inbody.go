package plan

import (
	"slices"

	"github.com/flaketap/flaketap/exchange"
)

// InBody takes those checks of single values out of a list of statements that a form can write where the value stands
// in what the whole body is compared with, and returns them by place: of each place that one mask of that comparison
// names, that stands there once, and of which one thing is said.
func InBody(list []Statement) ([]Statement, map[exchange.Place]*Check) {
	whole := slices.IndexFunc(list, func(s Statement) bool { return s.Assert != nil && s.Assert.Kind == CheckJSON })
	if whole < 0 {
		return list, nil
	}
	body := list[whole].Assert
	stands := map[exchange.Place]int{}
	if root := ReadNode(body.JSON); root != nil {
		root.Walk(func(n *Node) bool {
			if masked := masking(body, n.Place); len(masked) == 1 && exchange.PlaceBody+masked[0] == n.Place {
				stands[n.Place]++
			}
			return true
		})
	}
	times := map[exchange.Place]int{}
	for _, s := range list {
		if s.Assert != nil {
			times[s.Assert.Place]++
		}
	}
	values := map[exchange.Place]*Check{}
	rest := slices.DeleteFunc(slices.Clone(list), func(s Statement) bool {
		c := s.Assert
		if c == nil || stands[c.Place] != 1 || times[c.Place] != 1 || c.Off != "" || c.Holds.Echo != "" ||
			c.Kind != CheckHolds && c.Kind != CheckEqual {
			return false
		}
		values[c.Place] = c
		return true
	})
	return rest, values
}

// masking lists the masks of a body that are for a place.
func masking(body *Check, place exchange.Place) []exchange.Place {
	return slices.DeleteFunc(slices.Clone(body.Masks), func(m exchange.Place) bool {
		return !(exchange.PlaceBody + m).Matches(place)
	})
}
