//go:build linux || darwin

package growth_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// largeFile is a file with Things, of which a store holds only some texts in memory.
type largeFile struct {
	path    string
	objects int
	texts   int64 // the limit for texts in memory, or 0
}

// An API over a file answers as usual although its texts do not fit into the memory that the store may use for them.
func TestMoreObjectsThanMemory(t *testing.T) {
	f := largeFile{path: filepath.Join(t.TempDir(), "objects.db"), objects: 3000, texts: 1 << 20}
	f.load(t)
	api := apitest.Start(t, rest.Options{Store: f.open(t)}, apitest.ThingResource())
	require.Equal(t, f.objects, api.Stats().Store.Resources["things."+apitest.ThingGroup].Objects)
	for size := range 100 {
		path := thing(rand.IntN(f.objects))
		apitest.MergePatch(t, api, path, fmt.Sprintf(`{"spec":{"size":%d}}`, 1000+size))
		a := apitest.Must(t, api, http.MethodGet, path, "")
		require.Equal(t, float64(1000+size), a.Value(t, "spec.size"))
	}
	for n := range namespaces {
		a := apitest.Must(t, api, http.MethodGet, thingsIn(n), "")
		require.Len(t, a.Names(t), f.objects/namespaces)
		require.LessOrEqual(t, api.Stats().Store.Texts.Bytes, f.texts)
	}
	require.Greater(t, api.Stats().Store.Texts.Reads, uint64(f.objects/2), "most texts come from the file")
}

// load writes the file, unless it has the objects, and returns the bytes of an object. It leaves nothing in memory.
func (r *largeFile) load(t testing.TB) (bytesOfObject int) {
	// The history of the load would leave free pages, and each commit writes the list of free pages.
	store, err := r.openStore(t, storage.Options{MaxLogBytes: 1 << 20})
	require.NoError(t, err)
	defer func() { require.NoError(t, store.Close()) }()
	if store.Stats().Objects == int64(r.objects) {
		return 0
	}
	api, err := rest.New(rest.Options{Store: store}, apitest.ThingResource())
	require.NoError(t, err)
	defer apitest.Close(t, api)
	const name, uid = "n000000000", "00000000-0000-4000-8000-000000000000"
	const sample = "sample"
	w := apitest.NewThingWriter(api, http.MethodPost, thingsIn(0), apitest.TypeJSON)
	require.Equal(t, http.StatusCreated, w.Send(apitest.PaddedThing(sample, apitest.BenchObject)))
	key := storage.Key{Resource: "things." + apitest.ThingGroup, Namespace: "ns0", Name: sample}
	record, err := store.Get(t.Context(), key, storage.MostRecent)
	require.NoError(t, err)
	text, err := record.JSON(t.Context())
	require.NoError(t, err)
	text = bytes.ReplaceAll(text, []byte(record.UID), []byte(uid))
	text = bytes.ReplaceAll(text, []byte(`"`+sample+`"`), []byte(`"`+name+`"`))
	const group = 500
	for from := 0; from < r.objects; from += group {
		var keys []storage.Key
		var next [][]byte
		for n := from; n < min(from+group, r.objects); n++ {
			// The objects of a namespace follow each other, as their keys do in the file.
			namespace := fmt.Sprintf("ns%d", n%namespaces)
			key := storage.Key{Resource: key.Resource, Namespace: namespace, Name: fmt.Sprintf("n%09d", n)}
			one := bytes.Replace(text, []byte(name), []byte(key.Name), 1)
			one = bytes.Replace(one, []byte(`"ns0"`), []byte(`"`+namespace+`"`), 1)
			one = bytes.Replace(one, []byte(uid), fmt.Appendf(nil, "%s%012d", uid[:24], n), 1)
			keys, next = append(keys, key), append(next, one)
		}
		_, err := store.UpdateAll(t.Context(), keys, func([]*storage.Record) ([][]byte, error) { return next, nil })
		require.NoError(t, err)
	}
	_, err = store.Update(t.Context(), key, func(*storage.Record) ([]byte, error) { return nil, nil })
	require.NoError(t, err)
	require.NoError(t, store.Compact(t.Context(), store.Revision()))
	return len(text)
}

func (r *largeFile) openStore(t testing.TB, engine storage.Options) (*bolt.Store, error) {
	return bolt.Open(t.Context(), bolt.Options{Path: r.path, TextBytes: r.texts, Engine: engine})
}

// open opens the file until the end of the test.
func (r *largeFile) open(t testing.TB) *bolt.Store {
	store, err := r.openStore(t, storage.Options{})
	require.NoError(t, err)
	return apitest.CloseAtEnd(t, store)
}
