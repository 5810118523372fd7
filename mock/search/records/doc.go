// Package records tells which fields an API's own files declare together: those of a struct whose fields have names in
// JSON. Such a struct is decoded as a whole, so that where one of its fields is read of an answer, the others are.
package records
