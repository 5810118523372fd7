package ownfiles

import (
	"archive/zip"
	"debug/buildinfo"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Started returns the API's own files, as far as the command tells them that starts it in the folder dir: a program of
// Go, a jar, the folders of a class path and its jars that have the main class, a script or the folder that it lies in,
// a module of Python, or, where a tool runs what the folder has (npm start), dir. They exist. A folder that holds more
// than an API (the home folder, one of the system) is none: of it, a script stands alone.
func Started(dir, command string) (paths []string) {
	return started(dir, command, 0)
}

// maxShells bounds how many shells are started by each other.
const maxShells = 3

func started(dir, command string, shells int) (paths []string) {
	for _, words := range commands(command) {
		for len(words) > 1 && (slices.Contains(before, words[0]) || assignment.MatchString(words[0])) {
			words = words[1:]
		}
		program := tool(words[0])
		switch i := slices.Index(words, "-c"); {
		case program == "cd" && len(words) > 1:
			dir = within(dir, words[1])
		case slices.Contains([]string{"sh", "bash", "dash", "zsh"}, program) && i > 0 && i+1 < len(words) && shells < maxShells:
			paths = append(paths, started(dir, words[i+1], shells+1)...)
		case program == "java":
			paths = append(paths, javaFiles(dir, words[1:])...)
		default:
			paths = append(paths, files(dir, words)...)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

var (
	// before are words that stand before a command.
	before     = []string{"exec", "env", "nohup", "time", "command", "setsid"}
	assignment = regexp.MustCompile(`^\w+=`)
	version    = regexp.MustCompile(`[\d.]*(\.exe)?$`)
	// What a shell makes words of: quoted texts, what stands alone, and signs that end a command.
	shellWord = regexp.MustCompile(`(?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s;&|'"\\])+|[;&|\n]`)
	quotes    = regexp.MustCompile(`'([^']*)'|"((?:[^"\\]|\\.)*)"`)
	module    = regexp.MustCompile(`^([A-Za-z_]\w*(?:\.\w+)*):\w+(?:\(\))?$`)
)

// tool is the name of a program without its folder and its version: python for /usr/bin/python3.12.
func tool(program string) string {
	return version.ReplaceAllString(filepath.Base(program), "")
}

// commands are the words of the commands that a line of a shell has.
func commands(line string) (all [][]string) {
	var words []string
	for _, w := range append(shellWord.FindAllString(line, 1000), ";") {
		switch {
		case strings.HasPrefix(w, "#") && len(words) > 0: // a comment: nothing of it is taken for a file
			return append(all, words)
		case strings.Contains(";&|\n", w):
			if len(words) > 0 {
				all = append(all, words)
			}
			words = nil
		default:
			words = append(words, quotes.ReplaceAllString(w, "$1$2"))
		}
	}
	return all
}

func within(dir, name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(dir, name)
}

func isFile(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.Mode().IsRegular()
}

func isFolder(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}

// javaFiles are the API's own files of a command of java, whose arguments these are.
func javaFiles(dir string, args []string) (paths []string) {
	var classes []string
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option, value, joined := strings.Cut(args[0], "=")
		takesNext := !joined && slices.Contains([]string{"-jar", "-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-opens",
			"--add-exports", "--add-modules"}, option)
		if args = args[1:]; takesNext && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch option {
		case "-jar":
			if jar := within(dir, value); isFile(jar) {
				return []string{jar}
			}
			return nil
		case "-cp", "-classpath", "--class-path":
			classes = filepath.SplitList(value)
		}
	}
	if len(args) == 0 {
		return nil
	}
	if len(classes) == 0 && strings.HasSuffix(args[0], ".java") {
		return files(dir, append([]string{"java"}, args...))
	}
	if len(classes) == 0 {
		classes = []string{"."}
	}
	for _, entry := range classes {
		entry = within(dir, entry)
		jars := []string{entry}
		if star := filepath.Base(entry) == "*"; star {
			jars, _ = filepath.Glob(entry + ".jar")
		}
		for _, p := range jars {
			if isFolder(p) && !tooWide(p) || hasClass(p, args[0]) {
				paths = append(paths, p)
			}
		}
	}
	return paths
}

// hasClass reports whether a jar has a class, by its name.
func hasClass(jar, class string) bool {
	if !isFile(jar) {
		return false
	}
	z, err := zip.OpenReader(jar)
	if err != nil {
		return false
	}
	defer z.Close()
	name := strings.ReplaceAll(class, ".", "/") + ".class"
	return slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Name == name })
}

var (
	// ofFolder are tools that run what the folder has in which they are started.
	ofFolder = []string{"npm", "pnpm", "yarn", "flask", "rails", "cargo", "go", "dotnet", "mvn", "mvnw", "gradle", "gradlew"}
	// runFolders are those that are given a folder to run.
	runFolders = []string{"node", "bun", "deno", "python"}
)

// files are the API's own files of a command that is none of java.
func files(dir string, words []string) []string {
	program := within(dir, words[0])
	own := strings.ContainsRune(filepath.ToSlash(words[0]), '/') && isFile(program)
	if own {
		if _, err := buildinfo.ReadFile(program); err == nil {
			return []string{program}
		}
	}
	for i, w := range words[1:] {
		named := module.FindStringSubmatch(w)
		switch name := within(dir, w); {
		case words[i] == "-m":
			named = []string{w, w}
		case IsCode(w) && isFile(name):
			return []string{scriptOrFolder(name)}
		case slices.Contains(runFolders, tool(words[0])) && isFolder(name) && !tooWide(name):
			return []string{name}
		}
		if named != nil {
			if p := moduleOf(dir, named[1]); p != "" {
				return []string{p}
			}
		}
	}
	switch {
	case slices.Contains(ofFolder, tool(words[0])) && !tooWide(dir):
		return []string{dir}
	case own && isScript(program):
		return []string{scriptOrFolder(program)}
	}
	return nil
}

// moduleOf is where a module of Python lies that is none of a package from elsewhere; "" for that.
func moduleOf(dir, name string) string {
	at := filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(name, ".", "/")))
	switch {
	case isFile(at + ".py"):
		return scriptOrFolder(at + ".py")
	case isFolder(at) && !tooWide(at):
		return at
	}
	return ""
}

// isScript reports whether a file says what runs it.
func isScript(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, err := f.Read(head)
	return err == nil && string(head[:n]) == "#!"
}

// scriptOrFolder is the folder that a script lies in, but for one that holds more than an API.
func scriptOrFolder(script string) string {
	if dir := filepath.Dir(script); !tooWide(dir) {
		return dir
	}
	return script
}

// wideFolders are folders of a system that have more than one program.
var wideFolders = []string{"/", "/bin", "/sbin", "/etc", "/lib", "/opt", "/srv", "/home", "/usr", "/usr/lib", "/usr/local", "/usr/share", "/usr/src"}

// tooWide reports whether a folder holds more than an API: the home folder and what it lies in, one that holds
// many by custom, one of packages.
func tooWide(dir string) bool {
	clean := filepath.ToSlash(filepath.Clean(dir))
	home, _ := os.UserHomeDir()
	for _, wide := range []string{home, os.TempDir()} {
		wide = filepath.ToSlash(filepath.Clean(wide)) + "/"
		if strings.HasPrefix(wide, strings.TrimSuffix(clean, "/")+"/") {
			return true
		}
	}
	for part := range strings.SplitSeq(clean, "/") {
		if slices.Contains(packages, part) {
			return true
		}
	}
	return slices.Contains(wideFolders, clean) || path.Base(clean) == "bin"
}
