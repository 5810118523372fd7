package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/flaketap/flaketap/waits/past"
)

// Options say what is read of a history.
type Options struct {
	Commits int      // the newest ones, at most; 0: DefaultCommits
	Cache   string   // the folder of indexes; "": none is kept
	Paths   []string // of the folder, as git takes them; none: all of it
}

// DefaultCommits is how many commits are read at most where nobody says so.
const DefaultCommits = 20_000

// waitDelay is how long git may take to end once it is told to.
const waitDelay = 2 * time.Second

// maxOutput bounds what git may print, in bytes.
const maxOutput = 512 << 20

// History is what was read of one.
type History struct {
	Commits []past.Commit // the newest first; paths are relative to the folder
	Lacks   []string      // what it does not have, in words
}

// Top is the folder of the repository that a folder belongs to; "" where it belongs to none, or there is no git.
func Top(ctx context.Context, folder string) string {
	out, err := output(ctx, folder, "rev-parse", "--show-toplevel")
	if err != nil {
		return ""
	}
	return strings.TrimRight(out, "\r\n")
}

// Read reads the history of a folder. That there is none is no error: what is lacking is said.
func Read(ctx context.Context, folder string, o Options) (History, error) {
	if o.Commits == 0 {
		o.Commits = DefaultCommits
	}
	if _, err := exec.LookPath("git"); err != nil {
		return lacking("no history is read, as the program git is not found"), nil
	}
	out, err := output(ctx, folder, "rev-parse", "--is-shallow-repository", "HEAD")
	shallow, head, ok := strings.Cut(strings.TrimSpace(out), "\n")
	switch {
	case ctx.Err() != nil:
		return History{}, ctx.Err()
	case err != nil && Top(ctx, folder) == "":
		return lacking("no history is read, as " + folder + " is in no git repository"), nil
	case err != nil || !ok:
		return lacking("no history is read, as the repository has no commit"), nil
	}
	h := History{}
	if shallow == "true" {
		h.Lacks = append(h.Lacks, "the repository is a shallow clone, so its history is short; git fetch --unshallow gets the rest")
	}
	path := indexPath(folder, o)
	known := loadIndex(path)
	switch {
	case known != nil && known.Head == head:
	case known != nil && isAncestor(ctx, folder, known.Head, head):
		newer, err := log(ctx, folder, known.Head+".."+head, o)
		if err != nil {
			return h.unread(ctx, err)
		}
		all := append(newer, known.Commits...)
		known = &index{Head: head, Commits: all[:min(len(all), o.Commits)]}
		saveIndex(path, known)
	default:
		all, err := log(ctx, folder, head, o)
		if err != nil {
			return h.unread(ctx, err)
		}
		known = &index{Head: head, Commits: all}
		saveIndex(path, known)
	}
	h.Commits = known.Commits
	return h, nil
}

func lacking(what string) History { return History{Lacks: []string{what}} }

// unread says that git has a history and does not give it, as where objects are missing (a partial clone) or damaged.
func (h History) unread(ctx context.Context, err error) (History, error) {
	if ctx.Err() != nil {
		return h, ctx.Err()
	}
	what, _, _ := strings.Cut(err.Error(), "\n")
	return History{Lacks: append(h.Lacks, "no history is read, as git does not give it: "+what)}, nil
}

func isAncestor(ctx context.Context, folder, old, head string) bool {
	_, err := output(ctx, folder, "merge-base", "--is-ancestor", old, head)
	return err == nil
}

// log reads the commits of a range.
func log(ctx context.Context, folder, commits string, o Options) ([]past.Commit, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	paths := o.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	cmd := command(ctx, folder, append([]string{"log", "--patch", "--unified=1", "--find-renames", "-l200", "--no-color", "--no-ext-diff",
		"--no-textconv", "--no-show-signature", "--no-notes", "--no-mailmap", "--src-prefix=a/", "--dst-prefix=b/", "--relative",
		"--format=" + past.Format, "--max-count=" + strconv.Itoa(o.Commits), commits, "--"}, paths...)...)
	var said bytes.Buffer
	cmd.Stderr = &limited{&said, 4 << 10}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("read history: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("read history: start git: %w", err)
	}
	bounded := &io.LimitedReader{R: out, N: maxOutput}
	all, err := past.Read(bounded)
	if bounded.N == 0 { // the rest is older
		cancel()
		_ = cmd.Wait() // it was ended
		return all, err
	}
	if failed := cmd.Wait(); err == nil && failed != nil {
		return nil, fmt.Errorf("read history: git log: %w: %s", failed, strings.TrimSpace(said.String()))
	}
	return all, err
}

// output runs git and returns what it prints.
func output(ctx context.Context, folder string, args ...string) (string, error) {
	cmd := command(ctx, folder, args...)
	var out bytes.Buffer
	cmd.Stdout = &limited{&out, 64 << 10}
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("run git: %w", err)
	}
	return out.String(), nil
}

// command is git in a folder, with nothing of the repository's configuration that starts programs or speaks to others.
func command(ctx context.Context, folder string, args ...string) *exec.Cmd {
	safe := []string{"--no-pager", "--no-replace-objects", "-C", folder, "-c", "core.fsmonitor=false", "-c",
		"core.hooksPath=" + os.DevNull, "-c", "protocol.allow=never", "-c", "core.quotePath=false", "-c", "log.showSignature=false",
		"-c", "log.follow=false"}
	cmd := exec.CommandContext(ctx, "git", append(safe, args...)...)
	env := without(os.Environ(), "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_PREFIX")
	cmd.Env = append(env, "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "LC_ALL=C")
	cmd.WaitDelay = waitDelay
	return cmd
}

// without leaves variables out of an environment: those that a hook of git hands to what it runs would lead elsewhere.
func without(env []string, names ...string) []string {
	var out []string
next:
	for _, v := range env {
		for _, n := range names {
			if strings.HasPrefix(v, n+"=") {
				continue next
			}
		}
		out = append(out, v)
	}
	return out
}

// limited keeps the beginning of what is written.
type limited struct {
	to   *bytes.Buffer
	left int
}

func (l *limited) Write(p []byte) (int, error) {
	n := min(len(p), l.left)
	l.to.Write(p[:n])
	l.left -= n
	return len(p), nil
}
