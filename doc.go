// Package flaketap holds nothing but this text and the tests of the tree as a whole.
//
// flaketap stands between any client of a REST API, a fuzzer above all, and the API. It records what they say to each
// other, replays it, works out which parts of the answers are volatile, why, and how sure that is, and writes a map of
// them and a test suite that no longer flakes yet still catches regressions.
//
// The program is cmd/flaketap. Its packages, each named after what it is about, and the way of the data through them:
//
//	wire → proxy → store → flow → replay → volatility → suite, report
//
// [github.com/flaketap/flaketap/exchange] is the vocabulary that all of them speak: start there, or with
// ARCHITECTURE.md, which says who may import whom and why. The packages are no library: their API may change with any
// version. What is promised to stay readable is what leaves the program: the recording (store/FORMAT.md), the map
// (docs/map.md) and the suites.
package flaketap
