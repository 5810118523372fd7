// Package jest is the dialect of EvoMaster's tests for Jest, with superagent, and of what people write in that style.
//
// The statements of a file are read in order: imports that name the HTTP library, describe and test with what they hold
// (jest.go, body.go); chains of calls that send requests (call.go); expectations (matcher.go). superagent shows answers
// by rules of its own, which superagent.go has. Set-ups are written with superagent too, clean-ups in a finally
// (graft.go).
//
// An assertion in code that is not read (a loop, a callback, a catch) is noted and left alone.
package jest
