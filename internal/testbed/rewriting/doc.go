// Package rewriting plants regressions in an API whose source is not at hand: json-server, which serves a library's
// books, behind a small proxy that rewrites requests or answers. Suites are scored by how many of them they tell.
//
// Start starts json-server with a fresh copy of Database, in memory. Handler is the proxy, with one Variant or none;
// what a variant leaves alone passes as it is, and a body that it changes keeps the order of its fields and gets the
// ETag that Express would derive from it, so that nothing but what is planted gives a variant away. Talk is a client's
// session of sixty requests, each variant changes an answer in it.
//
// The variants were written by someone who had not seen the rules by which suites are written.
package rewriting
