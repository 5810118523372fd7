// Package javascript is what suites for Jest and for Postman share: expressions of JavaScript laid out as Prettier
// leaves them ([Node]), recorded JSON and regular expressions as literals, and the library that both call ([Library]).
//
// An expression is a tree of [Node]s. It is written on one line where it fits in [Width] columns, else its outermost
// brackets are broken and the rest tried again. The rules are those of Prettier 3 with its defaults; only what suites
// use is covered.
//
// The library reads JSON with every digit and duplicate key (json.js, decimal.js), finds places in answers (places.js),
// and judges values and relations (statements.js, relations.js, digests.js). It needs nothing but the language, because
// Postman's sandbox offers neither Node nor Jest.
package javascript
