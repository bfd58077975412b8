package main

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// start runs the program until the test ends and returns the URL that it prints.
func start(t *testing.T) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", "127.0.0.1:0"}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended, "the program ends without an error")
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	go io.Copy(io.Discard, out)
	return strings.TrimPrefix(strings.TrimSpace(line), "ready ")
}

// internal/e2e runs the commands of docs/guide.md against the program.
func TestProgram(t *testing.T) {
	url := start(t)
	sites := rest.ClientAt(rest.Server{URL: url}, site.Resource()).Namespace("default")
	_, err := sites.Create(t.Context(), &site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello <there>"}})
	require.NoError(t, err)
	hello := resttest.WaitFor(t, sites, "hello", func(s *site.Site) bool { return apimeta.IsConditionTrue(s.Status.Conditions, "Ready") })

	answer, err := http.Get(strings.TrimSuffix(url, "/platform") + hello.Status.Path)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(page), "<h1>Hello &lt;there&gt;</h1>")
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
}
