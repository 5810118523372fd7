// Package hotspot tells from which line of a suite a command of Selenium comes that a Java virtual machine is sending.
//
// It asks the machine itself for the stacks of its threads, as jstack does: over the socket that HotSpot opens for
// tools of the same user. No option is set and no agent is loaded, so whatever starts the suite starts it as ever, and
// no class of it changes. A machine that has the mechanism turned off, or that would end by the signal which asks for
// the socket, is left in peace; then no place is known. So it is on systems without /proc.
//
// The place of a command is the nearest call in a file below the working folder: what stands in no such file is a
// library. Lines alone are known, no columns.
package hotspot
