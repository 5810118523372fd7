// Package hurl writes a plan as files for Hurl 8, one per group, with Hurl's own captures and asserts. There is no
// runtime: run.sh calls hurl.
//
// Where Hurl has no predicate, the assertion is a JSONPath filter (RFC 9535) that must find nothing. What cannot be
// said so either is a comment that says what is not asserted. A value that is captured is a variable, once for each way
// in which it is escaped somewhere, since Hurl's templates escape nothing.
//
// A test that ends early where a set-up was refused is left out: Hurl has no such test.
package hurl
