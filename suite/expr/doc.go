// Package expr says what an assertion of a test means: a typed tree that belongs to no language, and what can be done
// with one.
//
// Every dialect of suites reads its source to such a tree and writes trees as its source; nothing between the two knows
// of a language, and no tree is made of text. The steps in which a suite is patched lean on the package in this order:
//
//  1. Nodes and constructors ([Cmp], [AnyOf], [Not], [Missing], [OfType] …) build what a dialect reads: a tree of about
//     thirty node types that no other package can add to.
//  2. [Scope.Holds] evaluates a tree in one execution of a test: [Scope] has the answers of the calls by the names of
//     their variables, each shown as the suite's HTTP client shows it ([Client]), and the values that the test took
//     from them. Numbers are exact: 1 is 1.0, and 2^53+1 is not 2^53.
//  3. [Guards], [Learned], [Shapes] and their like make weaker statements of a subject and the values that it had, the
//     strongest first. Who patches takes the first that holds of every execution, and that the suite's dialect can
//     write.
//  4. [Admitted] goes the other way: of a statement that was weakened before, the values that it admits, so that it is
//     weakened further to something that still admits them.
//
// An expression has a value, or it raises an error as the suite would ([ErrRaised]: a missing member, an index beyond
// the end, a body that is no JSON), or it cannot be evaluated ([ErrUnknown]: a name or a function that nothing is known
// of). A raised error makes an assertion false; an unknown one leaves it alone. The two never mix: what cannot be
// evaluated is never taken for wrong.
//
// The values are those of JSON, and are compared as the generators of suites expect: numbers and booleans by value
// across their types, texts by their characters. The package evaluates trees that dialects have bounded in depth, so it
// does not bound them again; it refuses nothing else.
package expr
