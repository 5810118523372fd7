package main

import (
	"cmp"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// programEnv names the flaketap that tests start. The Makefile sets it to the one that it has built, and a measurement of
// coverage to one that counts statements.
const programEnv = "FLAKETAP_TEST_PROGRAM"

// coverageEnv names the folder for what the program counts, where it is built to: go test sets GOCOVERDIR to one that it takes away.
const coverageEnv = "FLAKETAP_TEST_COVERAGE"

// buildProgram builds the program that tests start, as make build does, unless somebody has: starting the test binary in its place would
// be slower, and under the race detector several times so.
func buildProgram() error {
	if dir := os.Getenv(coverageEnv); dir != "" {
		if err := os.Setenv("GOCOVERDIR", dir); err != nil {
			return err
		}
	}
	given := os.Getenv(programEnv)
	path, err := filepath.Abs(cmp.Or(given, filepath.Join("..", "..", "bin", "flaketap")))
	if err != nil {
		return err
	}
	if given != "" {
		return os.Setenv(programEnv, path)
	}
	build := exec.Command("go", "build", "-trimpath", "-o", path, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return os.Setenv(programEnv, path)
}

// program is the absolute path of the flaketap that tests start.
func program(t testing.TB) string {
	t.Helper()
	path := os.Getenv(programEnv)
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// onPath puts flaketap into a folder .bin of a folder, whatever file the program is, and returns that for the PATH.
func onPath(t testing.TB, dir string) string {
	t.Helper()
	bin := filepath.Join(dir, ".bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(program(t), filepath.Join(bin, "flaketap")); err != nil {
		t.Fatal(err)
	}
	return bin
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
