// Package mock answers in the place of the services that an API calls: by stubs, which say what request is answered
// how.
//
// # The way of a request
//
//  1. Stubs are read from files in the format of WireMock's mappings ([ReadStubs]); what of that format is not served
//     is an error that names the file and the mapping, so that a mock never answers otherwise than its file says.
//  2. A [Book] holds them, and the state of each scenario: a list of answers that follow each other.
//  3. A [Server] listens for one service, speaks TLS where the client begins with it, as the host that the client
//     wants, and HTTP/1.1 or HTTP/2, asks the book, and answers. What no stub is for is answered 404, or refused.
//  4. Each call is noted with what came of it ([Calls]): what a mock was never asked for, or asked for in vain, is what
//     its user has to know.
//
// Whose connections come here is the affair of package mock/intercept.
package mock
