package resttest_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
)

func whatever[T any](*T) bool { return true }

func TestWaitFor(t *testing.T) {
	s, c := fleet(t)
	mustCreate(t, c, "a")
	assert.Equal(t, "a", resttest.WaitFor(t, c, "a", whatever[Ship]).Name, "the object exists already")

	go createSoon(t, c, "b")
	assert.Equal(t, "b", resttest.WaitFor(t, c, "b", whatever[Ship]).Name, "the object is created later")

	go func() {
		for range 5 {
			_, err := c.Modify(t.Context(), "a", func(s *Ship) error { s.Spec.Guns++; return nil })
			assert.NoError(t, err)
		}
	}()
	var seen []int32
	ship := resttest.WaitFor(t, c, "a", func(s *Ship) bool {
		seen = append(seen, s.Spec.Guns)
		return s.Spec.Guns == 13
	})
	assert.Equal(t, int32(13), ship.Spec.Guns)
	for i := 1; i < len(seen); i++ {
		assert.Equal(t, seen[i-1]+1, seen[i], "no state is skipped")
	}
	assert.Empty(t, s.Requests(), "waiting itself is not recorded")
}

// After 410, WaitFor lists again.
func TestWaitForSurvivesAnExpiredWatch(t *testing.T) {
	s, c := fleet(t)
	mustCreate(t, c, "a")
	first := true
	ship := resttest.WaitFor(t, c, "a", func(*Ship) bool {
		if first { // between the list and the watch
			first = false
			for range 3 {
				_, err := c.Modify(t.Context(), "a", func(s *Ship) error { s.Spec.Guns++; return nil })
				require.NoError(t, err)
			}
			s.Expire()
			return false
		}
		return true
	})
	assert.Equal(t, int32(11), ship.Spec.Guns)
}

func TestWaitForInVain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, c := fleet(t)
		mustCreate(t, c, "a")
		began := time.Now()
		errs := inside(t, func(t *fakeT) {
			resttest.WaitFor(t, c, "a", func(s *Ship) bool { return s.Spec.Guns == 99 })
			t.Errorf("WaitFor has returned")
		})
		require.Len(t, errs, 1)
		assert.Contains(t, errs[0], `waited in vain for "a": context deadline exceeded`)
		assert.Contains(t, errs[0], `"guns": 8`, "the last state is shown")
		assert.Equal(t, 30*time.Second, time.Since(began))

		errs = inside(t, func(t *fakeT) { resttest.WaitFor(t, c, "none", whatever[Ship]) })
		require.Len(t, errs, 1)
		assert.Contains(t, errs[0], "its last state: none")
		errs = inside(t, func(t *fakeT) { resttest.WaitForGone(t, c, "a") })
		require.Len(t, errs, 1)
		assert.Contains(t, errs[0], `for the deletion of "a"`)
		assert.Contains(t, errs[0], `"guns": 8`)
		errs = inside(t, func(t *fakeT) {
			resttest.WaitForAll(t, c, rest.ListOptions{}, func(all []*Ship) bool { return len(all) == 7 })
		})
		require.Len(t, errs, 1)
		assert.Contains(t, errs[0], `"guns": 8`)
	})
}

func TestWaitForGone(t *testing.T) {
	_, c := fleet(t)
	resttest.WaitForGone(t, c, "never")
	mustCreate(t, c, "a")
	go func() { assert.NoError(t, c.Delete(t.Context(), "a", rest.DeleteOptions{})) }()
	resttest.WaitForGone(t, c, "a")
	_, err := c.Get(t.Context(), "a")
	assert.True(t, status.IsNotFound(err), "%v", err)
}

// WaitForAll sees all objects in each state, in their order.
func TestWaitForAll(t *testing.T) {
	_, c := fleet(t)
	for _, name := range []string{"c", "a"} {
		mustCreate(t, c, name)
	}
	names := func(all []*Ship) (out []string) {
		for _, ship := range all {
			out = append(out, ship.Name)
		}
		return out
	}
	var states [][]string
	go func() {
		createSoon(t, c, "b")
		assert.NoError(t, c.Delete(t.Context(), "a", rest.DeleteOptions{}))
	}()
	got := resttest.WaitForAll(t, c, rest.ListOptions{Limit: 1}, func(all []*Ship) bool {
		states = append(states, names(all))
		return len(all) == 2 && all[0].Name == "b"
	})
	assert.Equal(t, []string{"b", "c"}, names(got))
	for _, state := range states {
		assert.Contains(t, [][]string{{"a", "c"}, {"a", "b", "c"}, {"b", "c"}}, state)
	}

	labelled := frigate("d")
	labelled.Labels = map[string]string{"fleet": "blue"}
	_, err := c.Create(t.Context(), labelled)
	require.NoError(t, err)
	got = resttest.WaitForAll(t, c, rest.ListOptions{LabelSelector: "fleet=blue"},
		func(all []*Ship) bool { return len(all) > 0 })
	assert.Equal(t, []string{"d"}, names(got))
}

func TestWait(t *testing.T) {
	_, c := fleet(t)
	mustCreate(t, c, "a")
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	ship, err := resttest.Wait(ctx, c, "a", func(*Ship) bool {
		cancel(cause)
		return false
	})
	assert.Error(t, err)
	assert.Equal(t, "a", ship.Name, "the last state")

	ship, err = resttest.Wait(t.Context(), c, "a", whatever[Ship])
	require.NoError(t, err)
	assert.Equal(t, "a", ship.Name)

	s, ships := fleet(t)
	require.NoError(t, s.API.Close())
	_, err = resttest.Wait(t.Context(), ships, "a", whatever[Ship])
	assert.True(t, status.IsServiceUnavailable(err), "%v", err)
}
