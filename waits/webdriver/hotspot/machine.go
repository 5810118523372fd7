package hotspot

import (
	"os"
	"sync"
)

// Machine is a Java virtual machine that sends the commands of one driver.
type Machine struct {
	pid int
	dir string

	mu     sync.Mutex
	files  sources // read when they are asked for first
	thread string  // that sent when no other did
	mute   bool    // it has not answered, and is asked no more
}

// Of is the machine that a process is, with the folder of its suite; nil where it is none, or is not to be asked.
func Of(pid int, dir string) *Machine {
	if !asked(pid) {
		return nil
	}
	return &Machine{pid: pid, dir: dir}
}

// Place is where the suite sends a command just now: file:line:0, the file from the suite's folder. Where several
// threads do so at once, it is that of the one that did before when no other was. "" is not known.
func (m *Machine) Place() string {
	if m == nil {
		return ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mute {
		return ""
	}
	dump, err := dump(m.pid)
	if err != nil {
		m.mute = true
		return ""
	}
	if m.files == nil {
		m.files = sourcesOf(os.DirFS(m.dir))
	}
	return m.among(senders(dump, m.files.find))
}

// among is where the thread sends that is asked about.
func (m *Machine) among(all []sender) string {
	if len(all) == 1 {
		m.thread = all[0].thread
		return all[0].place
	}
	for _, s := range all {
		if s.thread == m.thread && m.thread != "" {
			return s.place
		}
	}
	return ""
}
