package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programEnv names the flaketap that tests start. The Makefile sets it to the one that it has built, and a measurement of
// coverage to one that counts statements.
const programEnv = "FLAKETAP_TEST_PROGRAM"

// buildProgram builds the program that tests start, as make build does, unless somebody has: starting the test binary in its place would
// be slower, and under the race detector several times so.
func buildProgram() error {
	if os.Getenv(programEnv) != "" {
		return nil
	}
	path, err := filepath.Abs(filepath.Join("..", "..", "bin", "flaketap"))
	if err != nil {
		return err
	}
	build := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return os.Setenv(programEnv, path)
}

// program is the path of the flaketap that tests start.
func program(t testing.TB) string {
	t.Helper()
	path, err := filepath.Abs(os.Getenv(programEnv))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// testBinary is the path of this test binary, which is an API or a rival of flaketap where the environment says so: see TestMain.
func testBinary(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}
