package certs

import (
	"errors"
	"fmt"
	"path"
)

// System is what must be known of a machine to have it trust a certificate.
type System struct {
	OS         string                 // as runtime.GOOS
	Home       string                 // the user's home directory
	HasCommand func(name string) bool // whether there is a program of that name
	HasDir     func(path string) bool // whether there is a directory
}

// Step is one command of an installation.
type Step struct {
	Args []string
	Root bool // it is for the superuser
}

// anchors is a directory of certificates to be trusted, the command that has the system read it, and what that command
// wants to hear to notice that one is gone.
type anchors struct{ dir, suffix, command, gone string }

// Install returns the commands that make the system trust the CA, and those that undo it. Java, Node, Firefox and
// Python's certifi have stores of their own, which the system's does not reach.
func (a *Authority) Install(s System) (install, undo []Step, err error) {
	file := a.CertFile()
	switch s.OS {
	case "darwin":
		keychain := path.Join(s.Home, "Library/Keychains/login.keychain-db")
		return []Step{{Args: []string{"security", "add-trusted-cert", "-r", "trustRoot", "-k", keychain, file}}},
			[]Step{{Args: []string{"security", "remove-trusted-cert", file}}}, nil
	case "windows":
		return []Step{{Args: []string{"certutil", "-user", "-addstore", "Root", file}}},
			[]Step{{Args: []string{"certutil", "-user", "-delstore", "Root", fmt.Sprintf("%x", a.cert.SerialNumber)}}}, nil
	}
	for _, at := range []anchors{
		{"/etc/pki/ca-trust/source/anchors", ".pem", "update-ca-trust", ""},               // Fedora, RHEL
		{"/etc/ca-certificates/trust-source/anchors", ".pem", "update-ca-trust", ""},      // Arch
		{"/etc/pki/trust/anchors", ".pem", "update-ca-certificates", "--fresh"},           // openSUSE
		{"/usr/local/share/ca-certificates", ".crt", "update-ca-certificates", "--fresh"}, // Debian, Ubuntu, Alpine
	} {
		if !s.HasDir(at.dir) || !s.HasCommand(at.command) {
			continue
		}
		// Named after the CA: several users of one machine have one each.
		to := path.Join(at.dir, fmt.Sprintf("flaketap-%x%s", a.cert.SerialNumber.Bytes()[:4], at.suffix))
		update, again := Step{Args: []string{at.command}, Root: true}, Step{Args: []string{at.command}, Root: true}
		if at.gone != "" {
			again.Args = append(again.Args, at.gone)
		}
		return []Step{{Args: []string{"install", "-m", "0644", file, to}, Root: true}, update},
			[]Step{{Args: []string{"rm", "-f", to}, Root: true}, again}, nil
	}
	return nil, nil, errors.New("install CA: this system is not known (Debian, Fedora, Arch, openSUSE and macOS are); export it with --format pem and install it by hand")
}
