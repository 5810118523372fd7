// Package postman writes a plan as a collection of Postman's format 2.1, with an environment of the secrets and a
// package that runs both with Newman.
//
// A group is a folder, a test a folder in it, a step a request whose scripts send, keep and assert. The library that
// the scripts call stands in the collection's own scripts, which run before those of each request; it is the one of
// package javascript with postman.js, and no text is evaluated. Values go into requests as variables in double braces;
// a recorded text that has such braces is written so that Postman takes it for no variable.
package postman
