package syntax

// IsName reports whether an expression is a name.
func IsName(x Node, id string) bool {
	n, ok := x.(Name)
	return ok && n.Id == id
}
