package cmdline

import (
	"runtime/debug"
	"strings"
)

// Version is the version that the Go tool wrote into the program; "devel" where it wrote none.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "devel"
	}
	return strings.TrimPrefix(info.Main.Version, "v")
}
