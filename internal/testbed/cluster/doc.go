// Package cluster is what tests break of many machines: nodes of a cluster of NATS, each a process of its own, and
// wires between processes, which can be cut.
package cluster
