// Package source writes expressions as Python: [Source] by the names of the calls' variables, a [Printer] as a test
// calls its values. Each node of package expr is written by itself, in parentheses where it binds less tightly than
// what it stands in; what Python has no words for becomes [NoPython], and the whole is not written.
package source
