package hotspot

import (
	"strconv"
	"strings"
)

// frame is one call of a thread: at shop.PagesTest.fetch(PagesTest.java:33).
type frame struct {
	class, method string
	file          string // without its folder
	line          int
}

// stack is a thread with its calls, the latest first.
type stack struct {
	thread string // tells it from the others as long as it runs
	frames []frame
}

// maxFrames bounds what is read of one thread.
const maxFrames = 2000

// threads reads the stacks of a dump. Lines that are none are passed over.
func threads(dump string) (all []stack) {
	all = append(all, stack{})
	for line := range strings.Lines(dump) {
		last := &all[len(all)-1]
		if strings.HasPrefix(line, `"`) { // "main" #1 prio=5 os_prio=0 tid=0x00007f nid=0x1 runnable
			_, id, _ := strings.Cut(line, " tid=")
			id, _, _ = strings.Cut(id, " ")
			all = append(all, stack{thread: id})
		} else if f, ok := readFrame(strings.TrimSpace(line)); ok && len(last.frames) < maxFrames {
			last.frames = append(last.frames, f)
		}
	}
	return all
}

// readFrame reads a line. The class may have its loader and module before it, app//shop.PagesTest.
func readFrame(line string) (f frame, ok bool) {
	call, at, ok := strings.Cut(strings.TrimSuffix(line, ")"), "(")
	call, isCall := strings.CutPrefix(call, "at ")
	file, number, known := strings.Cut(at, ":")
	if !ok || !isCall || !known {
		return f, false
	}
	call = call[strings.LastIndexByte(call, '/')+1:]
	point := strings.LastIndexByte(call, '.')
	n, err := strconv.Atoi(number)
	if point < 0 || err != nil || n < 1 || strings.ContainsAny(file, `/\`) {
		return f, false
	}
	return frame{call[:point], call[point+1:], file, n}, true
}

// sends reports whether a call is that by which Selenium sends a command, and waits for its answer.
func (f *frame) sends() bool {
	return f.method == "execute" && strings.HasPrefix(f.class, "org.openqa.selenium.remote.")
}

// inPackage is where a source file is said to lie by the package of its class: shop/PagesTest.java.
func (f *frame) inPackage() string {
	point := strings.LastIndexByte(f.class, '.')
	if point < 0 {
		return f.file
	}
	return strings.ReplaceAll(f.class[:point], ".", "/") + "/" + f.file
}

// maxPlaces bounds the places of one command.
const maxPlaces = 20

// sender is a thread that sends a command, and where in the suite: the nearest call, and its callers, each in a line.
type sender struct{ thread, place string }

// senders are the threads that send commands, as find names the files of the suite: file:line:0.
func senders(dump string, find func(*frame) string) (all []sender) {
	for _, s := range threads(dump) {
		sent := false
		var places []string
		for i := range s.frames {
			sent = sent || s.frames[i].sends()
			if !sent {
				continue
			}
			if file := find(&s.frames[i]); file != "" && len(places) < maxPlaces {
				places = append(places, file+":"+strconv.Itoa(s.frames[i].line)+":0")
			}
		}
		if len(places) > 0 {
			all = append(all, sender{s.thread, strings.Join(places, "\n")})
		}
	}
	return all
}
