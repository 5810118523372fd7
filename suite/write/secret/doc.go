// Package secret finds the secrets that requests bear, and gives those of a plan names that say what they are: whose,
// and at which place they stand. Names follow from the recording, so the same recording gives the same ones.
package secret
