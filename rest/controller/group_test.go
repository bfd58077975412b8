package controller_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest/controller"
)

func TestGroup(t *testing.T) {
	untilEnd := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	fails := func(context.Context) error { return errors.New("no more disk") }
	panics := func(context.Context) error { panic("oh") }
	done := func(context.Context) error { return nil }
	for _, c := range []struct {
		name  string
		group controller.Group
		err   string // empty for none
	}{
		{"empty group", nil, ""},
		{"function that has done its work", controller.Group{done, done}, ""},
		{"error ends the others", controller.Group{untilEnd, fails, untilEnd}, "no more disk"},
		{"panic ends the others", controller.Group{untilEnd, panics}, "panicked: oh"},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.group.Run(t.Context())
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.err)
		})
	}
}

func TestGroupEndsWithItsContext(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	running := make(chan string, 2)
	wait := func(name string, result error) func(context.Context) error {
		return func(ctx context.Context) error {
			running <- name
			<-ctx.Done()
			if result == nil {
				return ctx.Err()
			}
			return result
		}
	}
	ended := make(chan error, 1)
	group := controller.Group{wait("a", nil), wait("b", nil)}
	go func() { ended <- group.Run(ctx) }()
	assert.ElementsMatch(t, []string{"a", "b"}, []string{<-running, <-running}, "both run at the same time")
	stop()
	require.NoError(t, <-ended, "the error of the ended context is none")

	ctx, stop = context.WithCancel(t.Context())
	group = controller.Group{wait("a", errors.New("the last write failed"))}
	go func() { ended <- group.Run(ctx) }()
	<-running
	stop()
	require.ErrorContains(t, <-ended, "the last write failed")
}
