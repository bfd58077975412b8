package main

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/examples/program/programtest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
)

// sitesAt returns the client of the sites in the namespace default of a platform.
func sitesAt(t *testing.T, url string) rest.Client[site.Site] {
	t.Helper()
	sites, err := rest.ClientForEndpoint(rest.Endpoint{URL: url}, site.Resource())
	require.NoError(t, err)
	return sites.Namespace("default")
}

// internal/test/e2e runs the commands of docs/guide.md against the program.
func TestProgram(t *testing.T) {
	url, _ := programtest.Start(t, run)
	sites := sitesAt(t, url)
	_, err := sites.Create(t.Context(),
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello <there>"}})
	require.NoError(t, err)
	hello := resttest.WaitFor(t, sites, "hello",
		func(s *site.Site) bool { return apimeta.IsConditionTrue(s.Status.Conditions, "Ready") })

	answer, err := http.Get(strings.TrimSuffix(url, "/platform") + hello.Status.Path)
	require.NoError(t, err)
	defer answer.Body.Close()
	page, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	assert.Contains(t, string(page), "<h1>Hello &lt;there&gt;</h1>")
}

func TestObjectsStayInTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sites.db")
	url, end := programtest.Start(t, run, "--store", path)
	created, err := sitesAt(t, url).Create(t.Context(),
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello"}})
	require.NoError(t, err)
	end()

	url, _ = programtest.Start(t, run, "--store", path)
	found, err := sitesAt(t, url).Get(t.Context(), "hello")
	require.NoError(t, err)
	assert.Equal(t, created.UID, found.UID)
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
}
