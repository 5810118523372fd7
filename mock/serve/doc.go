// Package serve runs an API whose external services are mocks: one API for one client ([Run]), for the trials of a
// search ([Trials]), or, as the Leader of a service that other packages start, each of its processes ([Outside]).
//
// # The way of a run
//
//  1. The stubs are read, and a certificate authority is made for this run alone, in a folder of its own: two runs at
//     once do not get into each other's way.
//  2. The API is started under an interceptor (package mock/intercept), in an environment in which it trusts that
//     authority and uses no proxy.
//  3. Each service that it connects to is answered from the stubs, or as it was recorded; one that the user allows is
//     joined with the real one, byte for byte: in its own TLS, or, where what is asked is recorded, by package proxy.
//  4. The client's command runs, or clients come until the user ends it.
//  5. The API ends, with all that it started, and the [Report] says which services it asked for what, what no stub was
//     for, and what was refused.
package serve
