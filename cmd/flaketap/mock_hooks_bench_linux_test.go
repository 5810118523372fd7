package main

import (
	"os/exec"
	"testing"

	"github.com/flaketap/flaketap/mock/hooks"
	"github.com/flaketap/flaketap/replay/service"
)

// BenchmarkHooksStart starts the API of TestRealJVMMockSearchHooks as it is and with the hooks of the JVM.
func BenchmarkHooksStart(b *testing.B) {
	path, agent := javaTools(b)
	dir := b.TempDir()
	if out, err := exec.Command("javac", "-nowarn", "-d", dir, "-cp", path, "testdata/external/Library.java").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	h, err := hooks.Install(b.TempDir(), agent)
	if err != nil {
		b.Fatal(err)
	}
	if err := h.Begin(true); err != nil {
		b.Fatal(err)
	}
	s := service.Service{Command: "exec " + quickJava + " -cp " + path + ":" + dir + " Library {port}", Ready: "http://127.0.0.1:{port}/health"}
	hooked := s
	hooked.Env = h.Variables(nil)
	benchmarkStart(b, s, hooked)
}
