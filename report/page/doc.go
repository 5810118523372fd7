// Package page writes a report as one HTML page that needs nothing but itself: it can be mailed, kept as a CI artifact,
// and opened years later.
//
// [HTML] takes the [findings.Findings] and writes them; it judges nothing. The page is whole without its script: every
// place, with the values of its runs, is in the document, closed until somebody asks for it. The script filters, and
// opens what a link names. A Content-Security-Policy lets through this very script and style sheet, by their digests,
// and nothing else.
//
// # What keeps it small and quick
//
// A place has as many rows of values as there is room for ([room]): ten places show all of their runs, five thousand
// show the first few, and say how many are left out. Charts are one path for all that looks alike. What is not in view
// is not laid out (content-visibility).
//
// # Invariants
//
//   - All text comes through package report's Show: what an API said can neither be markup nor change how its neighbors
//     are read.
//   - The same findings give the same bytes.
//   - Each place, operation and sequence has an anchor, its id.
package page
