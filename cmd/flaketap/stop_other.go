//go:build !unix

package main

func catchFileLimit() {}

func catchBrokenPipe() {}
