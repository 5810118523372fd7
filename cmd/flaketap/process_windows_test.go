package main

import (
	"errors"
	"os/exec"
	"time"
)

// These tests run commands of a Unix shell, and are skipped here (newBench); they are compiled all the same.

var errNoUnix = errors.New("no Unix")

func ownSession(*exec.Cmd) {}

func ownGroup(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) { _ = cmd.Process.Kill() }

func runAs(*exec.Cmd, uint32) {}

func makeFIFO(string) error { return errNoUnix }

func ownTime() (time.Duration, error) { return 0, errNoUnix }
