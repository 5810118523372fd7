package webdriver

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/flaketap/flaketap/capture/client"
	"github.com/flaketap/flaketap/internal/console"
)

// program is a kind of driver: how it is started, and how clients find it.
type program struct {
	name      string
	options   string   // besides its port
	strict    bool     // it takes no command whose Host field is another's
	port      int      // that it listens at where none is named
	variables []string // of the environment, in which clients look for its path
	get       string   // how people get it
}

// programs are the drivers that there are. The first one that is in PATH is taken where none is named.
func programs() []program {
	return []program{
		{name: "chromedriver", port: 9515,
			variables: []string{"SE_CHROMEDRIVER", "CHROMEDRIVER_PATH"}, // of Selenium in Python and Java, and of WebdriverIO
			get:       "Debian: apt-get install chromium-driver"},
		{name: "geckodriver", port: 4444, options: " --websocket-port=0", strict: true, // 0 lets several be there at once
			variables: []string{"SE_GECKODRIVER", "GECKODRIVER_PATH"}, // the same
			get:       "cargo install --locked geckodriver"},
	}
}

// driver is the program of a driver on this machine.
type driver struct {
	program
	path string
}

// findDriver finds the driver of a name or path, which tells of which kind it is; with "" one that is in PATH, or nil,
// as a suite of Playwright needs none.
func findDriver(name string) (*driver, error) {
	all := programs()
	if name == "" {
		for _, p := range all {
			if path, err := exec.LookPath(p.name); err == nil {
				path, err = filepath.Abs(path)
				return &driver{p, path}, err
			}
		}
		return nil, nil
	}
	d := driver{program: all[0]}
	for _, p := range all[1:] {
		if strings.HasPrefix(filepath.Base(name), p.name) {
			d.program = p
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, console.Advise(fmt.Errorf("find %s: %w", d.name, err), d.advice())
	}
	if d.path, err = filepath.Abs(path); err != nil {
		return nil, fmt.Errorf("find %s: %w", d.name, err)
	}
	return &d, nil
}

// advice is what to do where there is no such driver.
func (p program) advice() string {
	return "install it (" + p.get + "), or name it with --driver PATH; flaketap downloads none"
}

// command starts the driver, in a shell. {port} is the port that it listens at.
func (d *driver) command() string {
	return "exec " + client.ShellQuoted(d.path) + " --port={port}" + d.options
}

// standIn is a program of the shell that a suite may start in the driver's place: own stands in for it, with what
// listens at an address. A port that the suite names comes behind the one that the driver has by itself.
func (d *driver) standIn(own, address string) []byte {
	return []byte("#!/bin/sh\ncase \" $* \" in *\" --version \"*) exec " + client.ShellQuoted(d.path) + " --version ;; esac\n" +
		"exec " + client.ShellQuoted(own) + " waits driver " + address + " -- --port=" + strconv.Itoa(d.port) + " \"$@\"\n")
}

// silent is the error where a driver did not answer the session that the suite asked for.
func silent(d *driver) error {
	name := "the driver"
	if d != nil {
		name = d.name
	}
	return console.Advise(fmt.Errorf("%s did not answer the session that the suite asked for, so no browser was seen", name),
		"run the suite without flaketap to see whether "+name+" hangs there, too; its version has to be that of the browser. "+
			"Name another one with --driver PATH, and end a run that hangs with --timeout TIME")
}

// nothingSeen is the error where no command came from a suite; d is nil where there was no driver.
func nothingSeen(d *driver) error {
	err := errors.New("no command for a browser came from the suite")
	if d == nil {
		p := programs()
		return console.Advise(err, "no chromedriver is in PATH, and no geckodriver, one of which a suite of Selenium or WebdriverIO needs: "+
			p[0].advice()+". Playwright needs none, and is seen where it runs in Node")
	}
	return console.Advise(err,
		"flaketap stands in for "+d.name+", which Selenium finds by SELENIUM_REMOTE_URL (JavaScript), "+strings.Join(d.variables, ", ")+
			" or PATH; a suite that names a driver of its own is not seen, nor is one for another browser: Chrome and Chromium need "+
			"--driver chromedriver, Firefox needs --driver geckodriver. Playwright is seen where it runs in Node")
}
