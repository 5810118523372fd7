package coverage

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// jaCoCo is JaCoCo's agent in a JVM (output=tcpserver), at an address. What it holds is not reset: it may be somebody
// else's, too.
type jaCoCo string

func openJaCoCo(addr string) (Source, error) {
	if _, port, err := net.SplitHostPort(addr); err != nil || port == "" {
		return nil, fmt.Errorf("jacoco: needs the address of an agent, as jacoco:127.0.0.1:6300, got %q", addr)
	}
	return jaCoCo(addr), nil
}

func (j jaCoCo) Covered(ctx context.Context) (items []string, err error) {
	c, err := dial(ctx, "tcp", string(j))
	if err != nil {
		return nil, fmt.Errorf("ask JaCoCo's agent (-javaagent:jacocoagent.jar=output=tcpserver): %w", err)
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if _, err := c.Write(dumpCommand); err != nil {
		return nil, fmt.Errorf("ask JaCoCo's agent: %w", err)
	}
	if items, err = readDump(c); err != nil {
		return nil, fmt.Errorf("read what JaCoCo's agent says: %w", err)
	}
	return items, nil
}

// The blocks of JaCoCo's execution data, and of its remote control. Numbers are big-endian.
const (
	blockHeader  = 0x01 // two bytes that never change, two of the version
	blockSession = 0x10 // a text, two times
	blockData    = 0x11 // of one class: its number, its name, its probes
	blockDone    = 0x20 // the command is done
	blockDump    = 0x40 // the command: whether to dump, whether to reset
)

const (
	jacocoMagic   = 0xC0C0
	jacocoVersion = 0x1007 // since 0.7.5
)

// dumpCommand has an agent say what has run since it started.
var dumpCommand = []byte{blockHeader, 0xC0, 0xC0, 0x10, 0x07, blockDump, 1, 0}

// maxProbes is how many one class can have.
const maxProbes = 1 << 16

// readDump reads what an agent says until it is done: the probes that were passed.
func readDump(r io.Reader) (items []string, err error) {
	d := dump{r: bufio.NewReader(&bounded{r, maxBytes})}
	for {
		block, err := d.r.ReadByte()
		if err != nil {
			return nil, whole(err)
		}
		switch block {
		case blockHeader:
			err = d.header()
		case blockSession:
			_, err = d.text()
			if err == nil {
				_, err = d.r.Discard(16)
			}
		case blockData:
			items, err = d.class(items)
		case blockDone:
			return items, nil
		default:
			err = fmt.Errorf("a block of kind %#x is not known; is this JaCoCo's agent?", block)
		}
		if err != nil {
			return nil, whole(err)
		}
	}
}

// whole is an error of what ends too early.
func whole(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// dump is what an agent says.
type dump struct{ r *bufio.Reader }

func (d dump) short() (uint16, error) {
	var raw [2]byte
	_, err := io.ReadFull(d.r, raw[:])
	return binary.BigEndian.Uint16(raw[:]), err
}

func (d dump) header() error {
	magic, err := d.short()
	if err != nil {
		return err
	}
	version, err := d.short()
	if err != nil {
		return err
	}
	if magic != jacocoMagic || version != jacocoVersion {
		return fmt.Errorf("its format is %#x of %#x, and not that of JaCoCo 0.7.5 and later", version, magic)
	}
	return nil
}

func (d dump) text() (string, error) {
	n, err := d.short()
	if err != nil {
		return "", err
	}
	raw := make([]byte, n)
	_, err = io.ReadFull(d.r, raw)
	return string(raw), err
}

// class adds the probes of a class that were passed.
func (d dump) class(items []string) ([]string, error) {
	if _, err := d.r.Discard(8); err != nil { // the number of the class
		return nil, err
	}
	name, err := d.text()
	if err != nil {
		return nil, err
	}
	n, err := binary.ReadUvarint(d.r)
	if err != nil {
		return nil, err
	}
	if n > maxProbes {
		return nil, fmt.Errorf("class %q has %d probes, more than a class can have", name, n)
	}
	var bits byte
	for i := range int(n) {
		if i%8 == 0 {
			if bits, err = d.r.ReadByte(); err != nil {
				return nil, err
			}
		}
		if bits>>(i%8)&1 == 1 {
			items = append(items, name+"#"+strconv.Itoa(i))
		}
	}
	return items, nil
}
