package service

import "bytes"

// heard gives on what an API logs, line by line. It is used by one goroutine.
type heard struct {
	tell func(line string) // nil gives nothing on
	part []byte            // of a line that is not whole yet
}

// take takes more of the log. A line that is very long is given on in parts.
func (h *heard) take(p []byte) {
	if h.tell == nil {
		return
	}
	h.part = append(h.part, p...)
	for {
		end := bytes.IndexByte(h.part, '\n')
		if end < 0 && len(h.part) < maxTail {
			return
		}
		if end < 0 || end > maxTail {
			h.tell(string(h.part[:maxTail]))
			h.part = h.part[maxTail:]
			continue
		}
		h.tell(string(bytes.TrimSuffix(h.part[:end], []byte("\r"))))
		h.part = h.part[end+1:]
	}
}

// end gives on the last line, which may have no end.
func (h *heard) end() {
	if len(h.part) > 0 {
		h.tell(string(h.part))
		h.part = nil
	}
}
