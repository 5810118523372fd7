// Package service is what the labelled APIs of the tests have in common: how requests find their operations, how
// answers are written, how the service runs and stops, where its randomness comes from, what it tells of its machine,
// how its dials are set; and the client that plays scenarios on it ([Client]).
//
// The routes are our own and not net/http.ServeMux's: a fuzzer sends paths that are not clean (//, .., escaped
// slashes), and ServeMux redirects those with 301, whereas the labels say what the API itself answers.
package service
