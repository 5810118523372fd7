// Package values writes values of JSON as those of static types in Go: as encoding/json decodes them where a type is
// any, and as constants of the type where it is another.
//
// It refuses types of the file and of other packages, whose names mean something there alone, and numbers that a type
// has no room for.
package values
