// Package jest is the dialects of tests for Jest: those that EvoMaster writes, with superagent, and those that people
// write, for Vitest and Mocha too, with fetch, axios, got, supertest or a client of their own.
//
// The statements of a file of EvoMaster's are read in order: imports that name the HTTP library, describe and test with
// what they hold (jest.go, body.go); chains of calls that send requests (call.go); expectations (matcher.go).
// superagent shows answers by rules of its own, which superagent.go has. Set-ups are written with superagent too,
// clean-ups in a finally (graft.go).
//
// A file that somebody wrote is read for its tests first, with the hooks that run before them and all that the file
// declares, imports and exports (written.go, module.go). Each test is then followed in the order in which JavaScript
// would run it, into the functions that it calls (follow.go, called.go), those of other files of the suite among them
// (imports.go): what a name or an expression stands for is an answer, a part of one, a text as far as it is written
// out, an object, a function (value.go), a class or an instance of one (object.go). A call of an HTTP library is a
// request (send.go, library.go). An assertion (asserted.go), in the words of Jest, of Chai (suite/js/chai), or by
// assert, is then one of answers and literals, and is written in the same words, by the names that its values have
// where it stands. What other files assert is theirs, and is not listed. A value that other tests, or callbacks that
// are not followed, may have changed by then is not known (changed.go).
//
// An assertion in code that is not read or not sure to run once (a loop, a callback, a catch, a function that tests
// share) is noted and left alone, with the reason.
package jest
