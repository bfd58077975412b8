package watch_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

// past returns a change from before the start of the log.
func past(revision, groupEnd watch.Revision, scope watch.Key, at time.Time) watch.Past[thing] {
	return watch.Past[thing]{Change: watch.Change[thing]{Key: scope, Revision: revision, Current: &thing{}},
		GroupEnd: groupEnd, At: at}
}

func TestRestore(t *testing.T) {
	now := time.Unix(1000, 0)
	other := watch.Key{Resource: "others", Name: "x"}
	log := newLog(t, watch.LogOptions[thing]{Start: 100, Oldest: 10, MaxAge: time.Minute,
		Now: func() time.Time { return now }})
	require.NoError(t, log.Append(group(101, watch.Key{Resource: "late", Name: "x"})))
	everything, err := log.Cursor(watch.Key{}, 100)
	require.NoError(t, err)
	require.NoError(t, log.Restore(watch.Key{Resource: "others"}, 10,
		[]watch.Past[thing]{past(21, 22, other, now), past(50, 50, other, now)}))
	behind, err := log.Cursor(watch.Key{}, 20)
	require.NoError(t, err)
	require.NoError(t, log.Restore(watch.Key{Resource: "things"}, 15,
		[]watch.Past[thing]{past(20, 22, key("a", "x"), now), past(22, 22, key("a", "y"), now),
			past(30, 30, key("a", "x"), now)}))
	changes, err := behind.Poll(nil)
	require.NoError(t, err)
	assert.Equal(t, []watch.Revision{21, 22, 30, 50, 101}, revisions(changes),
		"a cursor on all resources reads the restored changes after its position")

	for _, c := range []struct {
		scope watch.Key
		after watch.Revision
		want  []watch.Revision
	}{
		{watch.Key{Resource: "things"}, 15, []watch.Revision{20, 22, 30}},
		{watch.Key{Resource: "things"}, 22, []watch.Revision{30}},
		{key("a", "y"), 15, []watch.Revision{22}},
		{watch.Key{Resource: "others"}, 10, []watch.Revision{21, 50}},
		{watch.Key{}, 15, []watch.Revision{20, 21, 22, 30, 50, 101}},
	} {
		cursor, err := log.Cursor(c.scope, c.after)
		require.NoError(t, err, "%+v", c)
		changes, err := cursor.Poll(nil)
		require.NoError(t, err)
		assert.Equal(t, c.want, revisions(changes), "%+v", c)
	}
	assert.Equal(t, watch.Revision(22), log.GroupEnd(20))
	_, err = log.Cursor(watch.Key{Resource: "things"}, 14)
	assert.True(t, status.IsExpired(err), "%v", err)
	changes, err = everything.Poll(nil)
	require.NoError(t, err)
	assert.Len(t, changes, 1)

	for name, bad := range map[string][]watch.Past[thing]{
		"not in order":          {past(30, 30, key("a", "x"), now), past(20, 20, key("a", "x"), now)},
		"in the future":         {past(1000, 1000, key("a", "x"), now)},
		"of another resource":   {past(30, 30, other, now)},
		"at or below the floor": {past(15, 15, key("a", "x"), now)},
	} {
		assert.Error(t, log.Restore(watch.Key{Resource: "things"}, 15, bad), name)
	}
}

// Restore drops changes that are too old or that were compacted.
func TestRestoreKeepsTheBounds(t *testing.T) {
	now := time.Unix(1000, 0)
	log := newLog(t, watch.LogOptions[thing]{Start: 100, Oldest: 10, MaxAge: time.Minute,
		Now: func() time.Time { return now }})
	require.NoError(t, log.Restore(watch.Key{Resource: "things"}, 10,
		[]watch.Past[thing]{past(20, 20, key("a", "x"), now.Add(-time.Hour)), past(30, 30, key("a", "x"), now)}))
	_, err := log.Cursor(watch.Key{Resource: "things"}, 10)
	assert.True(t, status.IsExpired(err), "%v", err)
	cursor, err := log.Cursor(watch.Key{Resource: "things"}, 20)
	require.NoError(t, err)
	changes, err := cursor.Poll(nil)
	require.NoError(t, err)
	assert.Equal(t, []watch.Revision{30}, revisions(changes))

	log.Compact(100)
	require.NoError(t, log.Restore(watch.Key{Resource: "others"}, 10,
		[]watch.Past[thing]{past(40, 40, watch.Key{Resource: "others", Name: "x"}, now)}))
	_, err = log.Cursor(watch.Key{Resource: "others"}, 40)
	assert.True(t, status.IsExpired(err), "%v", err)
	log.Close()
	assert.ErrorIs(t, log.Restore(watch.Key{Resource: "things"}, 10, nil), watch.ErrClosed)
}
