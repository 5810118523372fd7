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

// maxFrames bounds what is read of one thread.
const maxFrames = 2000

// threads reads the stacks of a dump, each with the latest call first. Lines that are none are passed over.
func threads(dump string) (all [][]frame) {
	var open []frame
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, `"`) { // the head of a thread
			all, open = append(all, open), nil
			continue
		}
		if f, ok := readFrame(strings.TrimSpace(line)); ok && len(open) < maxFrames {
			open = append(open, f)
		}
	}
	return append(all, open)
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

// place is where the one thread that sends a command does so: file:line:0, as find names the files that it knows. It is
// "" where none does, or several.
func place(dump string, find func(*frame) string) (at string) {
	for _, stack := range threads(dump) {
		sent := false
		for i := range stack {
			sent = sent || stack[i].sends()
			if !sent {
				continue
			}
			if file := find(&stack[i]); file != "" {
				if at != "" {
					return ""
				}
				at = file + ":" + strconv.Itoa(stack[i].line) + ":0"
				break
			}
		}
	}
	return at
}
