package explicit

import "strings"

// known are the names from which a text looks for elements, as it is read block by block.
type known struct {
	names []string
	open  []int // for each block that is open, how many names were known before it
}

func (k *known) opens() { k.open = append(k.open, len(k.names)) }

// closes forgets the names of the block that ends, but for those whose first part is known outside of it.
func (k *known) closes(outside func(root string) bool) {
	if len(k.open) == 0 {
		return
	}
	from := k.open[len(k.open)-1]
	within := k.names[from:]
	k.names, k.open = k.names[:from], k.open[:len(k.open)-1]
	for _, name := range within {
		if root, _, _ := strings.Cut(name, "."); outside(root) {
			k.names = append(k.names, name)
		}
	}
}

// add adds a name; "" is none.
func (k *known) add(name string) {
	if name != "" {
		k.names = append(k.names, name)
	}
}

// last is the name that was added last; "" where there is none.
func (k *known) last() string {
	if len(k.names) == 0 {
		return ""
	}
	return k.names[len(k.names)-1]
}
