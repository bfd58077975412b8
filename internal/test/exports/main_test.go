package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const root = "../../.."

// The committed API of each released module matches its code. A review of the file shows each change.
func TestExportedAPIIsCommitted(t *testing.T) {
	all, err := modules(root)
	require.NoError(t, err)
	require.Contains(t, all, "storage/postgres")
	files := map[string]bool{}
	for _, module := range all {
		text, err := api(root, module)
		require.NoError(t, err)
		if len(text) == 0 {
			continue
		}
		file := fileOf(module)
		files[file] = true
		committed, err := os.ReadFile(filepath.Join(root, "docs", "api", file))
		require.NoError(t, err)
		assert.Equal(t, string(committed), string(text), "the exported API of %s has changed: run make api", module)
	}
	written, err := filepath.Glob(filepath.Join(root, "docs", "api", "*.txt"))
	require.NoError(t, err)
	for _, file := range written {
		assert.True(t, files[filepath.Base(file)], "%s belongs to no released module", file)
	}
}

// The text has what others may use, and nothing else.
func TestDeclarations(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.go"), []byte(`// Package a has a kind of each declaration.
package a

// Limit has a comment.
const Limit = 3

const hidden = 4

// Of is generic.
type Of[T any] struct {
	// Value is exported.
	Value T

	secret int
}

// New returns an Of.
func New[T any](v T) *Of[T] { return &Of[T]{v, hidden} }

// Get returns the value.
func (o *Of[T]) Get() T { return o.Value }

func (o *Of[T]) set(v T) { o.Value = v }

type private struct{}

func (private) Method() {}

// Outer has the methods of unexported types.
type Outer[T any] struct{ middle[*T] }

type middle[P any] struct{ *inner }

func (middle[P]) Near() (p P) { return p }

type inner struct{}

func (i *inner) Far(n int) error { return nil }

func (i *inner) Near() {}

func (i *inner) hidden() {}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a_windows.go"), []byte("package a\n\nfunc Windows() {}\n"), 0o600))
	lines, err := declarations(dir)
	require.NoError(t, err)
	assert.Equal(t, []string{
		"const Limit = 3",
		"type Of[T any] struct {", "\tValue T", "\t// contains filtered or unexported fields", "}",
		"func New[T any](v T) *Of[T]",
		"func (o *Of[T]) Get() T",
		"type Outer[T any] struct {", "\t// contains filtered or unexported fields", "}",
		"func (i Outer) Far(n int) error",
		"func (Outer) Near() (p P)",
	}, lines)
}
