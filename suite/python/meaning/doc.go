// Package meaning says what expressions of Python mean, as trees of package expr: of answers by the variables of their
// calls, and of literals. Whoever follows a test puts these in the place of its names first; what stands for nothing of
// that kind are nodes of this package ([Opaque], [Element], [Items]).
package meaning
