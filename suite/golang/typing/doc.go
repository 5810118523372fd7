// Package typing knows the static types of tests in Go: which are texts, numbers, lists, maps, and what encoding/json
// makes of an answer in a variable of each: the members that fill in fields, the zero values of what an answer lacks.
//
// It refuses types that decode themselves, and those of other packages, of which nothing but the name is known: what it
// says of them is that nothing is known.
package typing
