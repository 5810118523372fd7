// Package prettier lays statements of JavaScript out as prettier does, so that it finds nothing to say of what is
// written into a file that it has formatted. The statements are assertions: calls, conditions, lists, objects. What
// they have in them besides is kept on one line.
//
// # How
//
//  1. The tokens of a statement become a layout: texts, and groups on one line or broken (build.go, chain.go).
//  2. The layout is broken into lines (internal/layout).
package prettier
