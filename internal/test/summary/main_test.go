package main

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A run with a test that passes, one that fails, and one that needs a program.
const run = `{"Action":"start","Package":"example.com/a"}
{"Action":"run","Package":"example.com/a","Test":"TestPasses"}
{"Action":"output","Package":"example.com/a","Test":"TestPasses","Output":"a detail\n"}
{"Action":"pass","Package":"example.com/a","Test":"TestPasses"}
{"Action":"output","Package":"example.com/a","Test":"TestFails","Output":"the reason\n"}
{"Action":"fail","Package":"example.com/a","Test":"TestFails"}
{"Action":"output","Package":"example.com/a","Test":"TestHangs","Output":"the last word\n"}
{"Action":"output","Package":"example.com/a","Test":"TestStores","Output":"    a_test.go:1: NOT RUN: apt-get install postgresql\n"}
{"Action":"skip","Package":"example.com/a","Test":"TestStores"}
{"Action":"output","Package":"example.com/a","Output":"PASS\n"}
{"Action":"output","Package":"example.com/a","Output":"FAIL\texample.com/a\t1s\n"}
{"Action":"fail","Package":"example.com/a"}
go: a line of the go command
`

func TestSummaryShowsFailuresAndWhatWasNotRun(t *testing.T) {
	var out strings.Builder
	missed, err := summarize(strings.NewReader(run), &out, io.Discard, nil)
	require.NoError(t, err)
	assert.False(t, missed)
	assert.Equal(t, "the reason\nNOT RUN example.com/a TestStores: apt-get install postgresql\nFAIL\texample.com/a\t1s\nthe last word\n"+
		"go: a line of the go command\n", out.String())
}

func TestInstalledPackageMustBeUsed(t *testing.T) {
	missed, err := summarize(strings.NewReader(run), &strings.Builder{}, io.Discard, []string{"chromium", "postgresql"})
	require.NoError(t, err)
	assert.True(t, missed)
	missed, err = summarize(strings.NewReader(run), &strings.Builder{}, io.Discard, []string{"chromium"})
	require.NoError(t, err)
	assert.False(t, missed)
}
