// Package wordings reads what the errors of parsers, and of the code behind them, say of the fields of an answer that
// was not taken: which one is missing, which type it should have, which values it may have.
//
// A text is read as it is, and each text within it where it holds JSON ([ReadErrors]). All wordings of parsers are
// looked for; where there is none, sentences of the API's own are read, in which only a name is certain. What is told
// of a place from the root of the answer replaces what is told of the same place from somewhere within.
package wordings
