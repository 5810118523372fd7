// Package pytest writes a plan as a pytest project, which needs pytest and the standard library only.
//
// A file holds the tests of a group; a set-up that tests share is a fixture of the session. Source is laid out as Black
// and Ruff do (expr): an expression stands on one line where it fits in 120 columns, else its outermost brackets are
// broken.
//
// The runtime sends with http.client, byte by byte as recorded, and reads JSON with exact numbers and duplicate keys.
package pytest
