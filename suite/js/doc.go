// Package js reads and writes the part of JavaScript and TypeScript that suites use; it is no dialect itself, but what
// those for Jest and for Postman share.
//
// [Tokens] splits source into tokens, with brackets paired; [Parser] reads statements and expressions from them, and
// steps over what it does not know to the end of the statement; classes have their members (class.go), imports and
// exports are [Link]s. [Reading] says what an expression means, as a tree of package expr; a dialect's own words (an
// answer's parts, helper functions) are asked first. [Writer] writes trees as conditions and as the statements of an
// assertion library, of which [Words] has the vocabulary: the runner then says what was wanted and what was there, and
// not only that something is false.
//
// Numbers are those of JavaScript, floats of 64 bits; truth is never guessed: a value of which only the truth is asked
// is compared with all that is false, and what is not there is undefined (truth.go). An array that is sorted before it
// is compared is one in any order; of one that a statement sorts or changes in its place nothing else is read from then
// on (array.go). Nesting and lengths are bounded.
package js
