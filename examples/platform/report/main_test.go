package main

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/examples/platform/site"
	"github.com/decorum-go/decorum/rest/resttest"
)

func TestReport(t *testing.T) {
	s := resttest.New(t, site.Resource())
	own := resttest.Client[site.Site](t, s.API).Namespace("default")
	_, err := own.Create(t.Context(),
		&site.Site{ObjectMeta: apimeta.ObjectMeta{Name: "hello"}, Spec: site.SiteSpec{Title: "Hello"}})
	require.NoError(t, err)

	var out strings.Builder
	require.NoError(t, report(t.Context(), &out, s.URL(), false))
	assert.Equal(t, "default/hello is not published yet\n", out.String())

	ctx, stop := context.WithCancel(t.Context())
	lines, in := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- report(ctx, in, s.URL(), true) }()
	read := bufio.NewReader(lines)
	next := func() string {
		line, err := read.ReadString('\n')
		require.NoError(t, err)
		return line
	}
	assert.Equal(t, "ADDED default/hello is not published yet\n", next())
	_, err = own.ModifyStatus(t.Context(), "hello", func(s *site.Site) error {
		s.Status.Path = "/pages/default/hello"
		apimeta.SetCondition(&s.Status.Conditions,
			apimeta.Condition{Type: "Ready", Status: apimeta.ConditionTrue, Reason: "Published", Message: "m"})
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, "MODIFIED default/hello is at /pages/default/hello\n", next())
	stop()
	<-ended // a client that was told to stop
}
