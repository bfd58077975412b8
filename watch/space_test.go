package watch_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/watch"
)

// Objects in several spaces of one log may have the same names.
func TestCursorsSeeOneSpace(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	in := func(space string) watch.Key {
		return watch.Key{Space: space, Resource: "things", Namespace: "a", Name: "x"}
	}
	scopes := []watch.Key{{}, {Space: "b"}, {Resource: "things"}, {Space: "b", Resource: "things"},
		{Resource: "things", Namespace: "a"}, {Space: "b", Resource: "things", Namespace: "a"}, in(""), in("b")}
	early := make([]watch.Cursor[thing], len(scopes))
	for i, s := range scopes {
		early[i] = cursorAt(t, log, s, 0)
	}
	require.NoError(t, log.Append(group(1, in(""), in("b"), in("c"))))
	for i, s := range scopes {
		want := []watch.Revision{1}
		if s.Space == "b" {
			want = []watch.Revision{2}
		}
		assert.Equal(t, want, poll(t, early[i]), "%v, before the changes", s)
		assert.Equal(t, want, poll(t, cursorAt(t, log, s, 0)), "%v, after the changes", s)
	}
}

func TestEndOfAResourceEndsItInOneSpace(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{})
	mine, other := watch.Key{Resource: "things"}, watch.Key{Space: "b", Resource: "things"}
	ended, open := cursorAt(t, log, mine, 0), cursorAt(t, log, other, 0)
	require.NoError(t, log.Append(group(1, watch.Key{Space: "b", Resource: "things", Name: "x"})))
	over := errors.New("over")
	log.EndResource(mine, over)
	require.ErrorIs(t, ended.Err(), over)
	assert.Equal(t, []watch.Revision{1}, poll(t, open))
	assert.Equal(t, watch.Revision(1), log.Floor(mine))
	assert.Equal(t, watch.Revision(0), log.Floor(other))
}
