package main

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/kubeconfig"
	"github.com/decorum-go/decorum/status"
)

// internal/test/e2e runs the commands of docs/teams.md against the program.
func TestProgram(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "teams")
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", "127.0.0.1:0", "--dir", dir}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended, "the program ends without an error")
	})
	_, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)

	list := func(person string) error {
		path := filepath.Join(dir, person)
		info, err := os.Stat(path)
		require.NoError(t, err)
		assert.Equal(t, os.FileMode(0o600), info.Mode(), "the file contains a token")
		config, err := kubeconfig.Load(kubeconfig.Options{}, path)
		require.NoError(t, err)
		sites, err := rest.ClientForEndpoint(config.Server, site.Resource())
		require.NoError(t, err)
		_, err = sites.List(ctx, rest.ListOptions{})
		return err
	}
	assert.NoError(t, list("root"))
	assert.True(t, status.IsForbidden(list("alice")))
	assert.True(t, status.IsForbidden(list("bob")))

	config, err := kubeconfig.Load(kubeconfig.Options{}, filepath.Join(dir, "root"))
	require.NoError(t, err)
	namespaces, err := rest.ClientForEndpoint(config.Server, builtin.Namespaces())
	require.NoError(t, err)
	sites, err := rest.ClientForEndpoint(config.Server, site.Resource())
	require.NoError(t, err)
	team, err := namespaces.Create(ctx, &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team-b"}})
	require.NoError(t, err)
	_, err = sites.Namespace("team-b").Create(ctx,
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello"}})
	require.NoError(t, err)
	require.NoError(t, namespaces.Delete(ctx, "team-b", rest.DeleteOptions{}))
	for event, err := range namespaces.Watch(ctx, rest.WatchOptions{ResourceVersion: team.ResourceVersion}) {
		require.NoError(t, err)
		if event.Type == apimeta.EventDeleted {
			break
		}
	}
}

func TestFlagsAreChecked(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
	require.ErrorContains(t, run(t.Context(), nil, io.Discard), "--dir is missing")
}
