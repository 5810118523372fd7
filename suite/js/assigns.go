package js

import "strings"

// Assigns reports whether an expression of two operands gives the first of them a value: x = 1, x += 1.
func (n *Node) Assigns() bool {
	switch n.Text {
	case "==", "===", "!=", "!==", "<=", ">=":
		return false
	}
	return strings.HasSuffix(n.Text, "=")
}
