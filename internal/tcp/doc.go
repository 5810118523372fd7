// Package tcp has what package net does not: what the system knows of TCP connections, and listeners.
//
//	WasReset     whether the peer reset a connection that reads as ended, so that the recorder can pass a reset on as one
//	Acknowledge  sends the acknowledgement that the kernel holds back, so that a relay costs no 40 ms
//	Redirected   where a connection was going before a rule of the packet filter led it here
//	Mark         marks our own connections, so that such a rule can leave them alone
//	ParseAddress an address as the kernel's tables of connections have it
//	Handed       a listener of connections that were accepted elsewhere
//
// Linux answers all of it; elsewhere each function says what is true without knowing (no reset, not redirected), so
// that callers need no build tags.
package tcp
