// Package jest writes a plan as a project for Jest: a file per group, laid out as Prettier leaves it.
//
// Requests go by fetch. What fetch refuses, or would send otherwise than it was recorded (a header twice, a dot in a
// path, a GET with a body), goes by node:http, and a comment says why (fetchRefuses; the reasons are those of the Fetch
// and URL standards). The assertions are Jest's own where it has them, else matchers that the runtime adds to expect.
package jest
