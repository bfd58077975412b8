package main_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

var program string

// The tests run the program as its users do.
func TestMain(m *testing.M) {
	directory, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	program = filepath.Join(directory, "decorum-bolt")
	code := 1
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s", out)
	} else {
		code = m.Run()
	}
	_ = os.RemoveAll(directory)
	os.Exit(code)
}

// result is what a command leaves.
type result struct {
	code           int
	stdout, stderr string
}

func run(t *testing.T, arguments ...string) result {
	t.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(t.Context(), program, arguments...)
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		require.NoError(t, err)
	}
	return result{command.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// succeeds runs a command that must succeed, and returns its output.
func succeeds(t *testing.T, arguments ...string) string {
	t.Helper()
	r := run(t, arguments...)
	require.Zero(t, r.code, r.stderr)
	assert.Empty(t, r.stderr)
	return r.stdout
}

// fails runs a command that must fail, and returns its errors.
func fails(t *testing.T, arguments ...string) string {
	t.Helper()
	r := run(t, arguments...)
	require.Equal(t, 1, r.code, r.stdout)
	return r.stderr
}

const objects = 20

// newFile returns the path of a file with objects of two resources.
func newFile(t *testing.T, options bolt.Options) string {
	t.Helper()
	options.Path = filepath.Join(t.TempDir(), "objects.db")
	store, err := bolt.Open(t.Context(), options)
	require.NoError(t, err)
	for _, resource := range []string{"notes", "sketches"} {
		require.NoError(t, store.Register(t.Context(), storage.Resource{Name: resource, Extract: storage.ExtractMetadata}))
		for i := range objects / 2 {
			name := fmt.Sprint("n", i)
			_, err := store.Update(t.Context(), storage.Key{Resource: resource, Name: name},
				func(*storage.Record) ([]byte, error) {
					return fmt.Appendf(nil, `{"metadata":{"name":%q,"resourceVersion":""},"text":"the text of %s %d"}`, name, resource,
						i), nil
				})
			require.NoError(t, err)
		}
	}
	require.NoError(t, store.Close())
	return options.Path
}

// beside returns the path of a file that does not exist yet, in the directory of another one.
func beside(path, name string) string { return filepath.Join(filepath.Dir(path), name) }

func TestBackupRestoreCompactAndDumpKeepAllObjects(t *testing.T) {
	path := newFile(t, bolt.Options{})
	want := succeeds(t, "dump", path)
	assert.Equal(t, objects, strings.Count(want, "\n"))
	assert.Contains(t, want, `"text":"the text of notes 3"}`+"\n")
	assert.Equal(t, path+" is intact\n", succeeds(t, "check", path))

	copied, restored, compacted := beside(path, "backup"), beside(path, "restored.db"), beside(path, "compacted.db")
	succeeds(t, "backup", path, copied)
	succeeds(t, "restore", copied, restored)
	succeeds(t, "compact", path, compacted)
	for _, file := range []string{restored, compacted} {
		assert.Equal(t, want, succeeds(t, "dump", file))
		succeeds(t, "check", file)
		info, err := os.Stat(file)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode())
	}
	notes := succeeds(t, "dump", "-resource", "notes", path)
	assert.Equal(t, objects/2, strings.Count(notes, "\n"))
	assert.NotContains(t, notes, "sketches")
}

func TestExistingFilesAreNotOverwritten(t *testing.T) {
	path := newFile(t, bolt.Options{})
	copied, existing := beside(path, "backup"), beside(path, "existing")
	succeeds(t, "backup", path, copied)
	require.NoError(t, os.WriteFile(existing, []byte("precious"), 0o600))
	for _, arguments := range [][]string{{"backup", path, existing}, {"restore", copied, existing},
		{"compact", path, existing}} {
		assert.Contains(t, fails(t, arguments...), "file exists")
		text, err := os.ReadFile(existing)
		require.NoError(t, err)
		assert.Equal(t, "precious", string(text))
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	assert.Len(t, entries, 3, "nothing temporary is left")
}

// refused checks that all commands that read a file fail, and leave no result behind.
func refused(t *testing.T, path, want string) {
	t.Helper()
	result := beside(path, "result")
	for _, arguments := range [][]string{{"check", path}, {"backup", path, result}, {"compact", path, result}} {
		stderr := fails(t, arguments...)
		assert.Contains(t, stderr, path, arguments[0])
		assert.Contains(t, stderr, want, arguments[0])
		assert.NoFileExists(t, result)
	}
}

func TestTruncatedFile(t *testing.T) {
	path := newFile(t, bolt.Options{})
	require.NoError(t, os.Truncate(path, 16<<10)) // some of the pages in use
	refused(t, path, "the file is damaged")
	assert.Contains(t, fails(t, "dump", path), path)
}

func TestFlippedBit(t *testing.T) {
	path := newFile(t, bolt.Options{})
	file, err := os.ReadFile(path)
	require.NoError(t, err)
	damaged := bytes.ReplaceAll(file, []byte("the text of notes 7"), []byte("the text of notes 6"))
	require.NotEqual(t, file, damaged)
	require.NoError(t, os.WriteFile(path, damaged, 0o600))
	refused(t, path, "notes /n7")
	r := run(t, "dump", path)
	assert.Equal(t, 1, r.code)
	assert.Contains(t, r.stderr, "notes /n7")
	assert.Equal(t, objects-1, strings.Count(r.stdout, "\n"), "the others are intact")
	assert.NotContains(t, r.stdout, `"n7"},"text":"the text of notes`)
}

func TestDamagedBackup(t *testing.T) {
	path := newFile(t, bolt.Options{})
	whole, broken, restored := beside(path, "whole"), beside(path, "broken"), beside(path, "restored.db")
	succeeds(t, "backup", path, whole)
	backup, err := os.ReadFile(whole)
	require.NoError(t, err)
	flipped := bytes.Clone(backup)
	flipped[len(flipped)/2] ^= 4
	for name, content := range map[string][]byte{"truncated": backup[:len(backup)-5], "flipped bit": flipped,
		"no backup": []byte("other\n")} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, os.WriteFile(broken, content, 0o600))
			assert.NotEmpty(t, fails(t, "restore", broken, restored))
			assert.NoFileExists(t, restored)
		})
	}
}

func TestEncryptedFile(t *testing.T) {
	secret := bytes.Repeat([]byte("k"), 32)
	keys, err := bolt.NewAEAD(bolt.Key{ID: "2026", Secret: secret})
	require.NoError(t, err)
	path := newFile(t, bolt.Options{Transformer: keys})
	keyFile := beside(path, "keys")
	require.NoError(t, os.WriteFile(keyFile, []byte("2026 "+base64.StdEncoding.EncodeToString(secret)+"\n"), 0o600))
	assert.Contains(t, fails(t, "check", path), `sealed with key "2026"`)
	r := run(t, "dump", path)
	assert.Equal(t, 1, r.code)
	assert.Empty(t, r.stdout)
	succeeds(t, "check", "-keys", keyFile, path)
	want := succeeds(t, "dump", "-keys", keyFile, path)
	assert.Equal(t, objects, strings.Count(want, "\n"))

	copied, restored, compacted := beside(path, "backup"), beside(path, "restored.db"), beside(path, "compacted.db")
	succeeds(t, "backup", path, copied)
	succeeds(t, "restore", copied, restored)
	succeeds(t, "compact", path, compacted)
	for _, file := range []string{copied, restored, compacted} {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.NotContains(t, string(content), "the text of", "it stays encrypted")
	}
	assert.Equal(t, want, succeeds(t, "dump", "-keys", keyFile, restored))
	assert.Equal(t, want, succeeds(t, "dump", "-keys", keyFile, compacted))

	for content, wanted := range map[string]string{
		"":                "has no keys",
		"2026":            "keys:1: want the id of a key, a space, and its secret in base64",
		"\n2026 hunter2?": "keys:2: want the id of a key, a space, and its secret in base64",
		"2026 c2hvcnQ=":   "invalid key size 5",
	} {
		require.NoError(t, os.WriteFile(keyFile, []byte(content), 0o600))
		stderr := fails(t, "check", "-keys", keyFile, path)
		assert.Contains(t, stderr, wanted)
		assert.NotContains(t, stderr, "hunter2")
	}
}

func TestFileInUse(t *testing.T) {
	path := newFile(t, bolt.Options{})
	store, err := bolt.Open(t.Context(), bolt.Options{Path: path})
	require.NoError(t, err)
	defer store.Close()
	refused(t, path, "another process has the file open")
}

func TestOtherFilesAreRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notes.txt")
	require.NoError(t, os.WriteFile(path, []byte("no database"), 0o600))
	refused(t, path, "not a file of a known format")
	assert.Contains(t, fails(t, "check", beside(path, "absent.db")), "no such file")
}

func TestWrongArguments(t *testing.T) {
	for _, arguments := range [][]string{{}, {"repair"}, {"check"}, {"backup", "a"}, {"dump", "a", "b"},
		{"check", "-nothing", "a"},
		{"backup", "-keys", "k", "a", "b"}} {
		r := run(t, arguments...)
		assert.Equal(t, 2, r.code, arguments)
		assert.Contains(t, r.stderr, "usage: decorum-bolt", arguments)
		assert.Empty(t, r.stdout)
	}
}
