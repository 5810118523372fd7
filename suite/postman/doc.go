// Package postman is the dialect of Postman's collections, with the tests that their scripts make.
//
// A collection is read as JSON with offsets; the items of one folder are one test, as they hand values on to each other
// (postman.go). Scripts stand in JSON strings: they are read as JavaScript by package js, and each byte of a script is
// known by where it stands in the file, so that an edit of the script is one of the file. Assertions are Chai's chains
// (chai.go) and those before pm.test. What is written is escaped for JSON again (write.go); set-ups are items of their
// own (graft.go).
//
// Only the answer of its own request can be asked by a script: what would compare two answers is not written.
package postman
