// Package server is a hub in this process: a server of NATS with JetStream, whose streams stand in a folder. It is
// open to this machine alone, or under TLS, and to whoever has the credential that it makes: a key of the kind
// nkey, which is never sent.
package server
