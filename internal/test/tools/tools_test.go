package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/test/hangtest"
	"github.com/decorum-go/decorum/internal/test/pagetest"
)

const root = "../../.."

// patience limits each step of a tool. It is long, because a busy machine may be slow.
const patience = hangtest.Deadline

// programs is a folder for the programs of this repository, which each run builds.
var programs string

func TestMain(m *testing.M) {
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "decorum-tools-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	programs = dir
	if err := errors.Join(
		pagetest.Build(filepath.Join(dir, "quickstart"), root, "./examples/quickstart"),
		pagetest.Build(filepath.Join(dir, "kubeapi"), root+"/k8s/kubeapi", "."),
	); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// quickstart starts examples/quickstart, and returns its address.
func quickstart(t *testing.T) string {
	t.Helper()
	return pagetest.Start(t, []string{"ready"}, filepath.Join(programs, "quickstart"), "--listen", "127.0.0.1:0")[0]
}

// kubeapi starts the program kubeapi, and returns the path of a kubeconfig with its address and an administrator.
func kubeapi(t *testing.T) string {
	t.Helper()
	return pagetest.Start(t, []string{"ready", "kubeconfig"}, filepath.Join(programs, "kubeapi"), "--kubeconfig",
		filepath.Join(t.TempDir(), "kubeconfig"), "--controllers", "*")[1]
}

// kubeconfig writes a kubeconfig for a host that asks for no credentials, and returns its path.
func kubeconfig(t *testing.T, url string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(`apiVersion: v1
kind: Config
clusters: [{name: host, cluster: {server: "`+url+`"}}]
users: [{name: me, user: {}}]
contexts: [{name: host, context: {cluster: host, user: me, namespace: default}}]
current-context: host
`), 0o600))
	return path
}

// source is the folder of a module in the module cache. If the module proxy refuses the module, the test is not run.
func source(t *testing.T, r release) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", r.module+"@"+r.version)
	cmd.Dir = t.TempDir() // outside of a module, so that it changes no go.sum
	out, err := cmd.Output()
	var downloaded struct{ Dir, Error string }
	if json.Unmarshal(out, &downloaded) != nil || err != nil {
		// Some module proxies do not serve every module, which says nothing about the API.
		t.Skipf("NOT RUN: %s %s could not be fetched: %v %s", r.module, r.version, err, downloaded.Error)
	}
	return downloaded.Dir
}

// build builds a tool with the requirements of its module, and returns the path of the program. The program stays in
// .cache, because some tools take minutes to build.
func build(t *testing.T, r release) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(root, ".cache", strings.ReplaceAll(r.name, " ", "-")+"-"+r.version))
	require.NoError(t, err)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	dir := source(t, r)
	built := filepath.Join(programs, filepath.Base(path))
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", built, r.pkg)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOFLAGS=-mod=readonly")
	out, err := cmd.CombinedOutput()
	if err != nil && bytes.Contains(out, []byte(": reading http")) {
		// The module proxy refuses a module that the tool requires, which says nothing about the API.
		t.Skipf("NOT RUN: a module that %s %s requires could not be fetched: %s", r.module, r.version,
			strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "))
	}
	require.NoError(t, err, "%s", out)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, move(built, path))
	return path
}

// move moves a file, also to another file system, so that a program with its final name is whole.
func move(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	part := to + ".part"
	return errors.Join(os.WriteFile(part, text, 0o755), os.Rename(part, to), os.Remove(from))
}

// npm installs packages into a folder, and returns the folder. Without npm, or if the registry refuses a package, the
// test is not run.
func npm(t *testing.T, packages ...release) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		// A contributor without Node.js can test the other tools.
		t.Skip("NOT RUN: install Node.js 20 or newer, which has npm")
	}
	dir := t.TempDir()
	args := []string{"install", "--no-audit", "--no-fund", "--loglevel", "error", "--save-exact", "--prefix", dir}
	for _, p := range packages {
		args = append(args, p.module+"@"+p.version)
	}
	if out, err := exec.CommandContext(t.Context(), "npm", args...).CombinedOutput(); err != nil {
		// Some registries do not serve every package, which says nothing about the API.
		t.Skipf("NOT RUN: npm could not install %s %s: %v: %s", packages[0].module, packages[0].version, err,
			strings.ReplaceAll(strings.TrimSpace(string(out)), "\n", " "))
	}
	return dir
}

// command is a run of a tool.
type command struct {
	dir   string
	env   []string // added to the environment of the test
	input string
}

// run runs a tool that must succeed, and returns its standard output.
func (c command) run(t *testing.T, program string, args ...string) string {
	t.Helper()
	out, problems, err := c.try(t, program, args...)
	require.NoError(t, err, "%s %s\n%s%s", program, strings.Join(args, " "), out, problems)
	return out
}

// try runs a tool, and returns what it prints on both outputs.
func (c command) try(t *testing.T, program string, args ...string) (string, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = c.dir, append(os.Environ(), c.env...), strings.NewReader(c.input)
	var out, problems strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &problems
	err := cmd.Run()
	return out.String(), problems.String(), err
}

// kubectl builds the kubectl that internal/test/e2e pins, and returns its path.
var kubectl = sync.OnceValues(func() (string, error) {
	path := filepath.Join(programs, "kubectl")
	return path, pagetest.Build(path, root+"/internal/test/e2e", "./cmd/kubectl", "-ldflags=-s -w")
})

// raw returns the answer of kubeapi to a GET.
func raw(t *testing.T, kubeconfig, path string) []byte {
	t.Helper()
	program, err := kubectl()
	require.NoError(t, err)
	return []byte(command{}.run(t, program, "--kubeconfig", kubeconfig, "get", "--raw", path))
}

// get returns the answer of a plain host to a GET.
func get(t *testing.T, url string) []byte {
	t.Helper()
	answer, err := http.Get(url)
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s", body)
	return body
}

// post creates an object on a plain host.
func post(t *testing.T, url, object string) {
	t.Helper()
	answer, err := http.Post(url, "application/yaml", bytes.NewReader([]byte(object)))
	require.NoError(t, err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusCreated, answer.StatusCode, "%s", body)
}

// write writes a file into a folder, and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// read returns the text of a file.
func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

const databases = "/apis/platform.example.com/v1/namespaces/default/databases"
