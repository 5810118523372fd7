package queue

import (
	"cmp"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/flaketap/flaketap/exchange"
)

// ThisMachine says what an API that is started here may take from its surroundings. version is the API's, "" where
// nobody told it.
func ThisMachine(version string) exchange.Machine {
	host, _ := os.Hostname()
	kernel := runtime.GOOS
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		kernel += " " + strings.TrimSpace(string(release))
	}
	return exchange.Machine{
		Host: cmp.Or(host, "unknown"), Zone: zone(), Kernel: kernel, Version: version,
		Locale: cmp.Or(os.Getenv("LC_ALL"), os.Getenv("LC_MESSAGES"), os.Getenv("LANG"), "C"),
	}
}

// zone is the name of the time zone, as far as it has one here.
func zone() string {
	if tz := strings.TrimPrefix(os.Getenv("TZ"), ":"); tz != "" {
		return tz
	}
	if file, err := os.Readlink("/etc/localtime"); err == nil {
		if _, name, found := strings.Cut(file, "zoneinfo/"); found {
			return name
		}
	}
	return time.Now().Format("UTC-07:00")
}
