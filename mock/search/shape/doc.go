// Package shape says what is the same of answers, logs and paths that are of one kind, whatever their values: by that a
// search tells behaviors apart. An answer comes down to names, types and short texts ([Of]), the log to the lines that
// say what broke ([Broken]), or to all of them ([Lines]), and a path to the segments that do not vary ([Path]).
package shape
