package storagetest

import (
	"bytes"
	"errors"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

var registerRules = []rule{
	{"RegisteredAgain", "Registering a resource again as it was changes nothing.", func(s *subject) {
		before := s.put(widget("a", "x"), "red", 1)
		cursor, err := s.store.Watch(s.ctx, watch.Scope{Resource: widgets}, s.store.Revision())
		require.NoError(s, err)
		defer cursor.Close()
		same := s.resources()[0]
		same.Upgrade = func([]byte) ([]byte, error) { return nil, errors.New("nothing is to be upgraded") }
		require.NoError(s, s.store.Register(same))
		after, err := s.store.Get(s.ctx, widget("a", "x"), 0)
		require.NoError(s, err)
		require.Equal(s, before, after)
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Empty(s, changes)
	}},
	{"Upgrade", "Registering a resource under another fingerprint upgrades its records at their revisions, and ends what was before.", func(s *subject) {
		key := widget("a", "x")
		first := s.put(key, "red", 1)
		second := s.put(key, "red", 2)
		other := s.put(storage.Key{Resource: nodes, Name: "x"}, "red", 1)
		revision := s.store.Revision()
		painted := s.resources()[0]
		painted.Fingerprint = "2"
		painted.Upgrade = func(json []byte) ([]byte, error) {
			return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
		}
		require.NoError(s, s.store.Register(painted))
		require.Equal(s, revision, s.store.Revision(), "an upgrade is no commit")

		got, err := s.store.Get(s.ctx, key, 0)
		require.NoError(s, err)
		assert.Equal(s, second.Revision, got.Revision)
		assert.Contains(s, string(got.JSON), `"crimson"`)
		assert.Equal(s, "crimson", got.Fields[0], "its parts are those of the new form")
		assert.NotContains(s, string(second.JSON), `"crimson"`, "a record never changes")
		kept, err := s.store.Get(s.ctx, other.Key, 0)
		require.NoError(s, err)
		assert.Equal(s, other, kept)

		_, err = s.store.List(s.ctx, storage.ListOptions{Scope: watch.Scope{Resource: widgets}, Revision: first.Revision, Exact: true}, nil)
		assert.True(s, status.IsExpired(err), "%v", err)
		_, err = s.store.Watch(s.ctx, watch.Scope{Resource: widgets}, first.Revision)
		assert.True(s, status.IsExpired(err), "%v", err)
		cursor, err := s.store.Watch(s.ctx, watch.Scope{Resource: widgets}, revision)
		require.NoError(s, err)
		defer cursor.Close()
		changes, err := cursor.Poll(nil)
		require.NoError(s, err)
		require.Empty(s, changes, "an upgrade is no event")

		third := s.put(key, "green", 3)
		changes, err = cursor.Poll(nil)
		require.NoError(s, err)
		require.Len(s, changes, 1)
		assert.Equal(s, got, changes[0].Previous)
		assert.Equal(s, third, changes[0].Current)
	}},
	{"UpgradeFails", "Where one record cannot be upgraded the store stays as it is.", func(s *subject) {
		key := widget("a", "x")
		before := s.put(key, "red", 1)
		s.put(widget("a", "y"), "red", 1)
		broken := errors.New("broken")
		form := s.resources()[0]
		form.Fingerprint = "2"
		for name, upgrade := range map[string]func(json []byte) ([]byte, error){
			"an error":                   func([]byte) ([]byte, error) { return nil, broken },
			"another resourceVersion":    func([]byte) ([]byte, error) { return []byte(`{"metadata":{"resourceVersion":"0"}}`), nil },
			"what is no object":          func([]byte) ([]byte, error) { return []byte(`[]`), nil },
			"an object without metadata": func([]byte) ([]byte, error) { return []byte(`{}`), nil },
		} {
			form.Upgrade = upgrade
			err := s.store.Register(form)
			require.ErrorContains(s, err, widgets+" a/", name)
			if !errors.Is(err, broken) {
				require.ErrorIs(s, err, storage.ErrJSON, name)
			}
			after, err := s.store.Get(s.ctx, key, 0)
			require.NoError(s, err)
			require.Equal(s, before, after)
		}
	}},
	{"UpgradeAmongWrites", "An upgrade loses no write that is committed meanwhile, and leaves no record in the old form.", func(s *subject) {
		key := widget("a", "x")
		s.put(key, "red", 1)
		form := s.resources()[0]
		form.Fingerprint = "2"
		runs := 0
		form.Upgrade = func(json []byte) ([]byte, error) {
			if runs++; runs == 1 { // outside every lock, so it may write
				s.put(key, "red", 2)
				s.put(widget("a", "y"), "red", 1)
			}
			return bytes.ReplaceAll(json, []byte(`"red"`), []byte(`"crimson"`)), nil
		}
		require.NoError(s, s.store.Register(form))
		for _, name := range []string{"x", "y"} {
			got, err := s.store.Get(s.ctx, widget("a", name), 0)
			require.NoError(s, err)
			assert.Equal(s, "crimson", got.Fields[0])
			assert.Equal(s, s.store.Revision()-watch.Revision(map[string]int{"x": 1, "y": 0}[name]), got.Revision)
		}
	}}, {"UpgradeWithinAWrite", "A write that began before an upgrade is prepared again.", func(s *subject) {
		key := widget("a", "x")
		s.put(key, "red", 1)
		form := s.resources()[0]
		form.Fingerprint = "2"
		form.Extract = storage.NewExtractor([]string{"spec", "n"})
		var seen []string
		r, err := s.store.Update(s.ctx, key, func(current *storage.Record) ([]byte, error) {
			seen = append(seen, current.Fields[0])
			if err := s.store.Register(form); err != nil {
				return nil, err
			}
			return object(key, "green", 7), nil
		})
		require.NoError(s, err)
		assert.Equal(s, []string{"red", "1"}, seen, "what the function saw was gone")
		assert.Equal(s, []string{"7"}, r.Fields)
		require.NoError(s, s.store.Register(s.resources()[0]))
	}},
}
