package postman

import "github.com/flaketap/flaketap/internal/jsontree"

// textAt returns the text at the end of a path of keys, "" where no string stands there.
func textAt(n *jsontree.Node, path ...string) string {
	if n = n.At(path...); n != nil && n.Kind == jsontree.String {
		return n.Text()
	}
	return ""
}

// elements lists those of an array; nil is none.
func elements(n *jsontree.Node) []jsontree.Node {
	if n == nil || n.Kind != jsontree.Array {
		return nil
	}
	return n.Children
}
