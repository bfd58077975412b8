package engine_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/engine"
)

// numbers keeps the forms of a resource as an authority does that many replicas share.
type numbers struct {
	mu    sync.Mutex
	forms []string
	fails error
}

func (n *numbers) replica() *engine.Forms {
	return engine.NewForms(func(context.Context, string) ([]string, error) {
		n.mu.Lock()
		defer n.mu.Unlock()
		return slices.Clone(n.forms), n.fails
	}, func(_ context.Context, _, form string, number int) error {
		n.mu.Lock()
		defer n.mu.Unlock()
		if number == len(n.forms) && !slices.Contains(n.forms, form) {
			n.forms = append(n.forms, form)
		}
		return n.fails
	})
}

// Replicas that announce forms at the same time agree about their numbers.
func TestFormsOfSeveralReplicas(t *testing.T) {
	var shared numbers
	replicas := []*engine.Forms{shared.replica(), shared.replica(), shared.replica()}
	var running sync.WaitGroup
	for i, forms := range replicas {
		running.Go(func() {
			for _, form := range []string{"a", "b", "c"} {
				assert.NoError(t, forms.Announce(t.Context(), "widgets", form), i)
			}
		})
	}
	running.Wait()
	require.ElementsMatch(t, []string{"a", "b", "c"}, shared.forms)
	for _, forms := range replicas {
		require.NoError(t, forms.Refresh(t.Context(), "widgets"))
		for number, form := range shared.forms {
			assert.Equal(t, number, forms.Number("widgets", form))
			got, ok := forms.Form("widgets", number)
			assert.True(t, ok)
			assert.Equal(t, form, got)
		}
		assert.True(t, forms.Newer("widgets", shared.forms[2], shared.forms[0]))
		assert.False(t, forms.Newer("widgets", shared.forms[0], shared.forms[2]))
	}
}

func TestFormsThatAreNotKnown(t *testing.T) {
	shared := numbers{forms: []string{"a"}}
	forms := shared.replica()
	assert.Equal(t, -1, forms.Number("widgets", "a"), "nothing is read before it is needed")
	require.NoError(t, forms.Refresh(t.Context(), "widgets"))
	assert.Zero(t, forms.Number("widgets", "a"))
	for _, number := range []int{-1, 1} {
		_, ok := forms.Form("widgets", number)
		assert.False(t, ok, number)
	}
	shared.fails = errors.New("it is away")
	require.ErrorIs(t, forms.Refresh(t.Context(), "widgets"), shared.fails)
	require.ErrorIs(t, forms.Announce(t.Context(), "widgets", "b"), shared.fails)
	require.NoError(t, forms.Announce(t.Context(), "widgets", "a"), "it has a number already")
}
