package torture

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/watch"
)

// run holds the reports of one child process.
type run struct {
	tight    bool
	opened   watch.Revision // 0 if the process died before
	writes   map[string]*write
	watchers map[string][]watching // the keys are names of watchers
	lists    []listing
	shown    []event // the events without the write
	acks     int
	fault    string // why writes have failed
}

// write is a write of a child.
type write struct {
	id        string
	puts      map[string]bool // true puts the key, and false deletes it
	keys      []string
	revisions []watch.Revision // sorted like the keys; nil unless the write is acknowledged
	refused   bool
}

func (w *write) pending() bool { return w.revisions == nil && !w.refused }

// watching holds the events that a watcher has seen after a revision.
type watching struct {
	after watch.Revision
	seen  []event
}

type listing struct {
	resource string
	revision watch.Revision
	objects  map[string]watch.Revision
}

func newRun() *run { return &run{writes: map[string]*write{}, watchers: map[string][]watching{}} }

// startChild runs a child until it has reported a number of lines about its progress, and kills it.
func startChild(t *testing.T, lines int, environment ...string) *run {
	return watchChild(t, exec.CommandContext(t.Context(), os.Args[0]), lines, environment...)
}

// watchChild reads what a child reports. If lines is 0 the child kills itself.
func watchChild(t *testing.T, cmd *exec.Cmd, lines int, environment ...string) *run {
	cmd.Env = append(os.Environ(), environment...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	r := newRun()
	reader := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := reader.ReadString('\n')
		if err != nil {
			break // the process died while it wrote the last line
		}
		if line[0] == 'e' {
			_ = cmd.Process.Kill()
		}
		require.NoError(t, r.parse(strings.Fields(line)), "%s", line)
		if strings.IndexByte("hoia", line[0]) >= 0 {
			if lines--; lines == 0 {
				require.NoError(t, cmd.Process.Kill())
			}
		}
	}
	require.ErrorContains(t, cmd.Wait(), "signal: killed")
	return r
}

// parse records one line (see [report]).
func (r *run) parse(words []string) error {
	switch verb, words := words[0], words[1:]; verb {
	case "h":
	case "f":
		r.fault = strings.Join(words, " ")
	case "o":
		r.opened = revisionOf(words[0])
	case "i":
		w := &write{id: words[0], puts: map[string]bool{}}
		for i := 1; i < len(words); i += 2 {
			w.keys = append(w.keys, words[i+1])
			w.puts[words[i+1]] = words[i] == "+"
		}
		r.writes[w.id] = w
	case "a":
		r.acks++
		w := r.writes[words[0]]
		for _, word := range words[1:] {
			w.revisions = append(w.revisions, revisionOf(word))
		}
	case "n":
		r.writes[words[0]].refused = true
	case "r":
		r.shown = append(r.shown, event{revision: revisionOf(words[1]), key: words[0]})
	case "s":
		r.watchers[words[0]] = append(r.watchers[words[0]], watching{after: revisionOf(words[1])})
	case "w":
		all := r.watchers[words[0]]
		last := &all[len(all)-1]
		last.seen = append(last.seen, event{revisionOf(words[1]), words[2], strings.TrimPrefix(words[3], "-")})
	case "l":
		l := listing{words[0], revisionOf(words[1]), map[string]watch.Revision{}}
		for _, word := range words[2:] {
			key, revision, _ := strings.Cut(word, "=")
			l.objects[key] = revisionOf(revision)
		}
		r.lists = append(r.lists, l)
	default:
		return fmt.Errorf("the child says: %s", strings.Join(words, " "))
	}
	return nil
}

func revisionOf(word string) watch.Revision {
	n, err := strconv.ParseUint(word, 10, 64)
	if err != nil {
		panic(err)
	}
	return watch.Revision(n)
}

// testBinary returns the path of this program.
func testBinary() string { return os.Args[0] }
