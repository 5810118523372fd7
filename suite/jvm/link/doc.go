// Package link writes what assertions of tests for the JVM say as links behind REST-assured's then(), with Hamcrest's
// matchers: one link in the place of one (write.go), of statements that are each about one subject (atoms.go), of lists
// (array.go) and of what JSON web tokens hold (jwt.go). What cannot be said in one link it refuses.
package link
