package intercept

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// asks is what the filter is to ask about. A file that is opened takes longer where it is asked about, so that is done
// only where resolvers that look at who answers would get no answer otherwise, and ours can name our name server.
func (s *supervisor) asks() byte {
	if s.rewrite && s.i.server.addr.Port() == dnsPort {
		return stageOpened
	}
	return stageConnections
}

// namesServers is the file that says which name servers there are, as calls name it: with the zero behind it.
const namesServers = "/etc/resolv.conf\x00"

// open decides about open(2) and openat(2), which name a path: who opens the file that names name servers gets ours,
// which names our own. All else is opened as it is, and so is that one where ours cannot be given: then questions to
// other name servers are led.
func (s *supervisor) open(n notification, path, flags uint64) response {
	b := make([]byte, len(namesServers))
	if err := readMemory(n.Thread, path, b); err != nil || string(b) != namesServers {
		return goOn(n) // a shorter path may end where memory does
	}
	f, err := os.Open(filepath.Join(s.i.dir, resolvConf)) // anew, as everybody reads it from its beginning
	if err != nil {
		return goOn(n)
	}
	defer f.Close()
	fd, err := s.listener.install(n.ID, int(f.Fd()), uint32(flags&unix.O_CLOEXEC))
	if err != nil {
		return goOn(n)
	}
	return response{ID: n.ID, Value: int64(fd)}
}
