package store

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Holder is a process that has a recording open for writing. It tells others so in a file beside the recording, and
// answers them on a socket that only its user can reach: whoever wants to read the recording meanwhile asks for a copy.
type Holder struct {
	PID    int       `json:"pid"`
	Doing  string    `json:"doing"` // "recording", "replaying"
	Since  time.Time `json:"since"`
	Socket string    `json:"socket,omitempty"` // "" where the system gave none
}

func (h *Holder) String() string {
	return fmt.Sprintf("a flaketap (process %d) has been %s since %s", h.PID, h.Doing, h.Since.Local().Format("15:04:05"))
}

// answerTime is how long the holder may be silent while it makes a copy: it gives a sign of life each second.
const answerTime = 10 * time.Second

// socketPrefix is how the folders of sockets are called.
const socketPrefix = "flaketap-"

// holderFile is where the holder of a recording says who it is.
func holderFile(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".holder")
}

// readHolder returns who says to hold the recording at path; nil where nobody does. It may be gone.
func readHolder(path string) *Holder {
	data, err := os.ReadFile(holderFile(path))
	h := &Holder{}
	if err != nil || json.Unmarshal(data, h) != nil || h.PID == 0 {
		return nil
	}
	return h
}

// server answers those who want to read what the store writes.
type server struct {
	store    *Store
	file     string // of the holder
	listener net.Listener
	wg       sync.WaitGroup
	mu       sync.Mutex
	asking   net.Conn // who is being answered
	closed   bool
}

// serve makes the store known as the one that holds the file. Where the system does not let it, the store works all the
// same; others cannot read beside it then, and are told less.
func (s *Store) serve(doing string) *server {
	v := &server{store: s, file: holderFile(s.path)}
	if stale := readHolder(s.path); stale != nil {
		removeSocket(stale.Socket) // of a process that was killed: the lock is ours
	}
	h := Holder{PID: os.Getpid(), Doing: cmp.Or(doing, "writing into it"), Since: time.Now().UTC()}
	if dir, err := os.MkdirTemp("", socketPrefix); err == nil {
		socket := filepath.Join(dir, "s")
		if v.listener, err = net.Listen("unix", socket); err != nil {
			os.Remove(dir)
		} else {
			h.Socket = socket
			v.wg.Go(v.run)
		}
	}
	data, err := json.Marshal(h)
	if err == nil {
		err = os.WriteFile(v.file, append(data, '\n'), fileMode)
	}
	if err != nil {
		v.file = ""
	}
	return v
}

// removeSocket removes what a holder that was killed has left.
func removeSocket(socket string) {
	if dir := filepath.Dir(socket); strings.HasPrefix(filepath.Base(dir), socketPrefix) {
		os.Remove(socket)
		os.Remove(dir)
	}
}

// stop stops answering. A copy that is being made is given up. What the file of the holder says stays true until the
// store lets go of the recording.
func (v *server) stop() {
	if v.listener == nil {
		return
	}
	v.mu.Lock()
	v.closed = true
	if v.asking != nil {
		v.asking.Close()
	}
	v.mu.Unlock()
	socket := v.listener.Addr().String()
	v.listener.Close()
	v.wg.Wait()
	removeSocket(socket)
}

// forget removes the file of the holder, just before the lock is free.
func (v *server) forget() {
	if v.file != "" {
		os.Remove(v.file)
	}
}

// stopped reports whether the store is being closed.
func (v *server) stopped() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.closed
}

// run answers one after the other.
func (v *server) run() {
	for {
		c, err := v.listener.Accept()
		if err != nil {
			return
		}
		v.mu.Lock()
		v.asking = c
		closed := v.closed
		v.mu.Unlock()
		if !closed {
			v.answer(c)
		}
		c.Close()
	}
}

// The requests that a holder answers: for a copy of all, and for what there is beyond what the one who asks has
// (an [extent] as JSON follows).
const (
	askCopy = "copy"
	askMore = "more"
)

// answer reads one request, a line, and writes one line: "ok" and the path of a copy, which now belongs to whoever
// asked, or "error" and a text. Lines before it are signs of life.
func (v *server) answer(c net.Conn) {
	_ = c.SetDeadline(time.Now().Add(answerTime))
	request, err := bufio.NewReader(c).ReadString('\n')
	if err != nil {
		return
	}
	var since extent
	what, has, _ := strings.Cut(strings.TrimSpace(request), " ")
	if what == askMore && json.Unmarshal([]byte(has), &since) != nil || what != askMore && what != askCopy {
		fmt.Fprintf(c, "error %q is not known\n", strings.TrimSpace(request))
		return
	}
	if what == askCopy {
		_ = v.store.Flush() // where the writer has failed, what it stored before can be read all the same
	}
	said := time.Now()
	path, err := v.store.copyTo(copyOptions{since: since, alive: func() error {
		switch {
		case v.stopped():
			return ErrClosed
		case time.Since(said) < time.Second:
			return nil
		}
		said = time.Now()
		_ = c.SetDeadline(said.Add(answerTime))
		_, err := fmt.Fprintln(c, "working") // fails where nobody waits any more
		return err
	}})
	_ = c.SetDeadline(time.Now().Add(answerTime))
	if err != nil {
		fmt.Fprintf(c, "error %s\n", strings.ReplaceAll(err.Error(), "\n", "; "))
		return
	}
	if _, err := fmt.Fprintf(c, "ok %s\n", path); err != nil {
		os.Remove(path)
	}
}

// alive reports whether the holder still answers: it may have been killed.
func (h *Holder) alive() bool {
	c, err := net.DialTimeout("unix", h.Socket, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}

// ask has the holder make a copy, and returns its path.
func (h *Holder) ask(request string) (path string, err error) {
	if h.Socket == "" {
		return "", errors.New("it does not serve copies")
	}
	c, err := net.DialTimeout("unix", h.Socket, answerTime)
	if err != nil {
		return "", err
	}
	defer c.Close()
	if _, err := fmt.Fprintln(c, request); err != nil {
		return "", err
	}
	for lines := bufio.NewReader(c); ; {
		_ = c.SetReadDeadline(time.Now().Add(answerTime))
		line, err := lines.ReadString('\n')
		if err != nil {
			return "", err
		}
		switch what, text, _ := strings.Cut(strings.TrimSpace(line), " "); what {
		case "ok":
			return text, nil
		case "error":
			return "", errors.New(text)
		}
	}
}

// openCopy opens a copy that the holder of the recording makes, to read it or, toWrite, to have it grow
// ([Store.CatchUp]). The copy has no name any more when this returns, or loses it when the store is closed.
func (h *Holder) openCopy(path string, purpose access) (*Store, error) {
	at, err := h.ask(askCopy)
	if err != nil {
		return nil, err
	}
	s, err := openDatabase(at, toRead, lockTimeout) // which checks it
	if err == nil && purpose == toWrite {
		if err = s.Close(); err == nil {
			s, err = openDatabase(at, toWrite, lockTimeout)
		}
	}
	if rerr := os.Remove(at); rerr != nil && err == nil {
		s.copied = at
	}
	if err != nil {
		return nil, err
	}
	s.path, s.holder = path, h
	return s, nil
}

// Holder returns the process that is writing into the recording, where this store is a copy that it made; nil where
// the store is the recording itself. A copy holds what there was when it was opened.
func (s *Store) Holder() *Holder { return s.holder }
