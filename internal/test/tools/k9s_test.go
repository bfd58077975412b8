package tools_test

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// terminal is a program in a terminal of 40 lines and 160 columns, which the program script of Linux provides.
type terminal struct {
	in  io.Writer
	out io.Reader
	new string // what the program has printed since the last match of await
}

func openTerminal(t *testing.T, env []string, command string) *terminal {
	t.Helper()
	if _, err := exec.LookPath("script"); err != nil {
		// k9s draws only on a terminal, and the program script makes one.
		t.Skip("NOT RUN: the test needs script; on Debian: apt-get install bsdutils")
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience) // a test ends its context before its cleanups
	cmd := exec.CommandContext(ctx, "script", "--quiet", "--flush", "--return", "--command",
		"stty rows 40 cols 160; exec "+command, os.DevNull)
	cmd.Env = append(append(os.Environ(), "TERM=xterm-256color"), env...)
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_, err := io.WriteString(in, ":q\r")
		assert.NoError(t, err)
		_, err = io.Copy(io.Discard, out)
		assert.NoError(t, err)
		assert.NoError(t, cmd.Wait(), "the program ends when it is asked to")
		cancel()
	})
	return &terminal{in: in, out: out}
}

// press types keys.
func (s *terminal) press(t *testing.T, keys string) {
	t.Helper()
	_, err := io.WriteString(s.in, keys)
	require.NoError(t, err)
}

// await waits until the program has printed all of the texts.
func (s *terminal) await(t *testing.T, texts ...string) {
	t.Helper()
	buffer := make([]byte, 1<<16)
	for !containsAll(s.new, texts) {
		n, err := s.out.Read(buffer)
		require.NoError(t, err, "looking for %s in:\n%s", texts, boxes.ReplaceAllString(s.new, ""))
		s.new += control.ReplaceAllString(string(buffer[:n]), "")
	}
	s.new = ""
}

// control matches the sequences that move the cursor and set colors.
var control = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]|\x1b[()][A-Z0-9]`)

// boxes matches the lines around texts.
var boxes = regexp.MustCompile(`[\x{2500}-\x{257f}]+`)

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// k9s shows a list that follows changes, the document of an object and its description.
func TestK9s(t *testing.T) {
	program := build(t, k9s)
	open := func(t *testing.T, kubeconfig, view string) *terminal {
		home := t.TempDir()
		write(t, home, "config.yaml", "k9s: {skipLatestRevCheck: true, liveViewAutoRefresh: true}\n")
		env := []string{"HOME=" + home, "K9S_CONFIG_DIR=" + home, "K9S_LOGS_DIR=" + home, "XDG_DATA_HOME=" + home,
			"XDG_STATE_HOME=" + home}
		t.Cleanup(func() {
			if log, err := os.ReadFile(filepath.Join(home, "k9s.log")); t.Failed() && err == nil {
				t.Logf("the log of k9s:\n%s", log)
			}
		})
		return openTerminal(t, env, program+" --kubeconfig "+kubeconfig+" --all-namespaces --command "+view)
	}
	t.Run("plain host", func(t *testing.T) {
		url := quickstart(t)
		post(t, url+databases, read(t, root+"/examples/quickstart/sample.yaml"))
		s := open(t, kubeconfig(t, url), "databases")
		s.await(t, "ENGINE", "orders", "postgres")
		post(t, url+databases, `{apiVersion: platform.example.com/v1, kind: Database, metadata: {name: invoices}, spec: {engine: mysql}}`)
		s.await(t, "invoices", "mysql")
		s.press(t, "y")
		s.await(t, "storageGiB")
		s.press(t, "\x1b")
		s.await(t, "ENGINE")
		s.press(t, "d")
		s.await(t, "Engine:")
		s.press(t, "\x1b")
		s.await(t, "ENGINE")
		s.press(t, ":namespaces\r")
		s.await(t, "default", "Active")
	})
	t.Run("kubeapi", func(t *testing.T) {
		path := kubeapi(t)
		kubectl, err := kubectl()
		require.NoError(t, err)
		here := command{input: deployment}
		here.run(t, kubectl, "--kubeconfig", path, "apply", "-f", "-")
		here.run(t, kubectl, "--kubeconfig", path, "run", "shop", "--image", "nginx")
		s := open(t, path, "pods")
		s.await(t, "shop", "Pending")
		s.press(t, "d")
		s.await(t, "Service Account:", "QoS Class:")
		s.press(t, "\x1b")
		s.await(t, "Pending")
		s.press(t, ":deployments\r")
		s.await(t, "web", "0/2")
	})
}
