package watch_test

import (
	"errors"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/watch"
)

func TestEndResourceEndsItsCursorsOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		over := errors.New("over")
		log := watch.NewLog(watch.LogOptions[thing]{Start: 10})
		defer log.Close()
		other := watch.Key{Resource: "others", Name: "x"}
		require.NoError(t, log.Append(group(11, key("a", "x"), other)))
		cursor := func(scope watch.Key, after watch.Revision) watch.Cursor[thing] {
			c, err := log.Cursor(scope, after)
			require.NoError(t, err)
			return c
		}
		behind, waiting, closed := cursor(watch.Key{Resource: "things"}, 10), cursor(key("a", "x"), 12),
			cursor(watch.Key{Resource: "things"}, 12)
		others, all, allBehind := cursor(other, 10), cursor(watch.Key{}, 12), cursor(watch.Key{}, 10)
		ended := make(chan error)
		go func() {
			_, err := waiting.Next(t.Context(), nil)
			ended <- err
		}()
		closed.Ready()
		synctest.Wait()
		log.EndResource(watch.Key{Resource: "things"}, over)
		closed.Close()
		assert.Equal(t, over, <-ended, "EndResource wakes a waiting cursor")
		_, err := behind.Poll(nil)
		assert.Equal(t, over, err)
		changes, err := allBehind.Poll(nil)
		require.NoError(t, err)
		assert.Equal(t, []watch.Revision{11, 12}, revisions(changes), "a cursor on all resources reads what happened before")
		assert.NotNil(t, changes[0].Current)
		changes, err = others.Poll(nil)
		require.NoError(t, err)
		assert.Len(t, changes, 1)
		_, err = all.Poll(nil)
		require.NoError(t, err)
		_, err = log.Cursor(watch.Key{Resource: "things"}, 11)
		assert.True(t, status.IsExpired(err), "%v", err)

		again := cursor(watch.Key{Resource: "things"}, 12)
		behind.Close()
		require.NoError(t, log.Append(group(13, key("a", "x"))))
		changes, err = again.Poll(nil)
		require.NoError(t, err, "EndResource does not affect later cursors")
		assert.Len(t, changes, 1)
	})
}

// A cursor that lags behind does not expire when its resource ends. It returns either the changes or the error of
// EndResource.
func TestEndResourceBesidePolls(t *testing.T) {
	over := errors.New("over")
	for range 50 {
		log := watch.NewLog(watch.LogOptions[thing]{Start: 10})
		behind := make([]watch.Cursor[thing], 1000)
		for i := range behind {
			var err error
			behind[i], err = log.Cursor(watch.Key{Resource: "things"}, 10)
			require.NoError(t, err)
		}
		require.NoError(t, log.Append(group(11, key("a", "x"))))
		started, ended := make(chan struct{}), make(chan error)
		go func() {
			var errs []error
			for i, c := range behind {
				if _, err := c.Poll(nil); err != nil && err != over {
					errs = append(errs, err)
				}
				if i == 0 {
					close(started)
				}
			}
			ended <- errors.Join(errs...)
		}()
		<-started
		log.EndResource(watch.Key{Resource: "things"}, over)
		require.NoError(t, <-ended)
		log.Close()
	}
}

// A cursor on all resources that has read every change of the ended resource still gets the later changes of other
// resources.
func TestEndResourceKeepsWhatOthersHaveNotRead(t *testing.T) {
	log := newLog(t, watch.LogOptions[thing]{Start: 10})
	require.NoError(t, log.Append(group(11, key("a", "x"))))
	require.NoError(t, log.Append(group(12, watch.Key{Resource: "others", Name: "x"})))
	all, err := log.Cursor(watch.Key{}, 11)
	require.NoError(t, err)
	log.EndResource(watch.Key{Resource: "things"}, errors.New("over"))
	changes, err := all.Poll(nil)
	require.NoError(t, err)
	assert.Equal(t, []watch.Revision{12}, revisions(changes))
}

func TestCloseWakesCursorsOfAnEndedResource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := watch.NewLog(watch.LogOptions[thing]{Start: 10})
		cursor, err := log.Cursor(key("a", "x"), 10)
		require.NoError(t, err)
		ready := cursor.Ready()
		log.EndResource(watch.Key{Resource: "things"}, errors.New("over"))
		log.Close()
		<-ready
		log.EndResource(watch.Key{Resource: "things"}, errors.New("over"))
	})
}
