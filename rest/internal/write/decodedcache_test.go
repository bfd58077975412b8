package write_test

import (
	"context"
	"fmt"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/internal/codec"
	"github.com/decorum-go/decorum/internal/doc"
	"github.com/decorum-go/decorum/internal/test/heaptest"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

// storyKinds are the collections of the kinds that a story writes: of both dialects, and in two versions.
var storyKinds = []struct{ collection, apiVersion, kind, spec string }{
	{apitest.Things, apitest.ThingGroup + "/v1", "Thing", `"spec":{"size":COUNT,"ratio":COUNT.50,"data":{"a":"b"}}`},
	{apitest.Memos, "v1", "Memo", `"locked":true,"data":{"n":"COUNT","é\u2028":"COUNT"}`},
	{apitest.Cogs, "example.com/v1", "Cog", `"spec":{"teeth":COUNT,"note":"COUNT"}`},
	{apitest.BetaCogs, "example.com/v1beta1", "Cog", `"spec":{"toothCount":COUNT,"metal":"mCOUNT"}`},
}

// storyWrites are the writes of a story: a method, a query, a media type, and a body, in which STORED stands for the
// text that a GET returns, OBJECT for the whole object and COUNT for a number.
var storyWrites = []struct{ method, query, media, body string }{
	{"PUT", "", apitest.TypeJSON, "OBJECT"},
	{"PUT", "?fieldManager=other", apitest.TypeJSON, "OBJECT"},
	{"PUT", "?dryRun=All", apitest.TypeJSON, "OBJECT"},
	{"PATCH", "", "application/merge-patch+json", "OBJECT"},
	{"PATCH", "?fieldManager=a%FF", "application/merge-patch+json",
		`{"metadata":{"labels":{"l":"COUNT"},"annotations":{"a":null}}}`},
	{"PATCH", "", "application/json-patch+json", `[{"op":"add","path":"/metadata/annotations","value":{"a":"COUNT"}}]`},
	{"PATCH", "?fieldManager=m&force=true", "application/apply-patch+yaml", "OBJECT"},
	{"PATCH", "?fieldManager=n", "application/apply-patch+yaml", "OBJECT"},
	{"DELETE", "", "", ""},
	{"POST", "", apitest.TypeJSON, "OBJECT"},
	{"PUT", "", apitest.TypeJSON, "STORED"},
	{"PUT", "?fieldManager=other", apitest.TypeJSON, "STORED\n"},
	{"PUT", "", apitest.TypeJSON, " STORED"},
}

// assertStory makes the writes that the bytes stand for, to an API that keeps documents of objects, to one that has no
// room for them, and to one that has room for few. All must answer alike.
func assertStory(t *testing.T, steps []byte) {
	t.Helper()
	var apis []*rest.API
	for _, budget := range []int64{0, -1, 9 * 8 << 10} {
		memos := rest.Resource[apitest.Memo]{Version: "v1", Plural: "memos", Wire: rest.Wire{Dialect: rest.DialectBuiltin}}
		apis = append(apis, apitest.New(t, rest.Options{Limits: rest.Limits{CacheBytes: budget}}, apitest.ThingResource(),
			memos,
			apitest.CogResource()))
	}
	for i := 0; i+1 < len(steps) && i < 128; i += 2 {
		k, w := storyKinds[int(steps[i])%len(storyKinds)], storyWrites[int(steps[i+1])%len(storyWrites)]
		name := string('a' + rune(steps[i]/16%2))
		target := k.collection
		if w.method != "POST" {
			target += "/" + name
		}
		version := ""
		shown := apitest.Do(t, apis[0], "GET", k.collection+"/"+name, "")
		if shown.Code == http.StatusOK && w.method == "PUT" {
			version = `,"resourceVersion":"` + shown.ResourceVersion(t) + `"`
		}
		object := fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"metadata":{"name":%q%s},%s}`, k.apiVersion, k.kind, name, version,
			k.spec)
		body := strings.ReplaceAll(strings.ReplaceAll(w.body, "OBJECT", object), "COUNT", strconv.Itoa(int(steps[i]/32)+2))
		body = strings.ReplaceAll(body, "STORED", shown.Body)
		var want apitest.Answer
		for j, api := range apis {
			got := apitest.Do(t, api, w.method, target+w.query, body, "Content-Type", w.media)
			got.Header.Del("Audit-Id")
			if j == 0 {
				want = got
			}
			require.Equal(t, want, got, "%s %s of %s", w.method, target, body)
		}
	}
}

func FuzzDecodedCache(f *testing.F) {
	all := make([]byte, 0, 80)
	for i := range byte(40) {
		all = append(all, i*37, i)
	}
	f.Add(all)
	f.Add([]byte{0, 9, 0, 0, 32, 0, 32, 0, 0, 3, 32, 3, 32, 3, 64, 4, 0, 5, 0, 6, 32, 7, 0, 8, 0, 9, 32, 3})
	f.Add([]byte{2, 9, 3, 0, 35, 0, 2, 3, 35, 3, 34, 4, 3, 5, 2, 6, 35, 7, 3, 3, 2, 0, 3, 1, 3, 8})
	f.Add([]byte{1, 9, 33, 0, 33, 0, 1, 3, 1, 4, 33, 5, 1, 6, 65, 7, 1, 2, 1, 0})
	f.Add([]byte{0, 9, 0, 10, 0, 10, 0, 11, 32, 0, 0, 10, 0, 12, 0, 11, 2, 9, 2, 10, 2, 10, 3, 10, 3, 10, 35, 0, 3, 10, 2, 10})
	f.Fuzz(assertStory)
}

// The second write of an object finds its document, so it allocates less than without the cache.
func TestDecodedCacheSparesADecode(t *testing.T) {
	patched := func(options rest.Options) float64 {
		s := apitest.NewThingServer(t, options)
		s.Fill(t, 1)
		w, size := apitest.NewThingWriter(s.API, "PATCH", apitest.Things+"/n000000", "application/merge-patch+json"), 0
		return testing.AllocsPerRun(20, func() {
			size++
			require.Equal(t, http.StatusOK, w.Send([]byte(`{"spec":{"size":`+strconv.Itoa(size)+`}}`)))
		})
	}
	require.Less(t, patched(rest.Options{}), patched(rest.Options{Limits: rest.Limits{CacheBytes: -1}}))
}

// A body that is the text of the stored object is not decoded, so a write that changes nothing allocates less than the
// same write in another form.
func TestDecodedCacheSparesDecodingOfBodies(t *testing.T) {
	s := apitest.NewThingServer(t, rest.Options{})
	s.Fill(t, 1)
	target := apitest.Things + "/n000000"
	text := s.Do("GET", target, "").Body
	w := apitest.NewThingWriter(s.API, "PUT", target, apitest.TypeJSON)
	allocations := func(body string) float64 {
		return testing.AllocsPerRun(20, func() { require.Equal(t, http.StatusOK, w.Send([]byte(body))) })
	}
	inAnotherForm := allocations(" " + text)
	require.Less(t, allocations(text), inAnotherForm)
	require.Less(t, allocations(text+"\n"), inAnotherForm)
	require.Equal(t, text, s.Do("GET", target, "").Body)
}

// The cache takes no more than its budget, however many objects clients write. Writes that change nothing leave only
// the cache behind.
func TestDecodedCacheForgets(t *testing.T) {
	const objects = 400
	grown := func(budget int64) int64 {
		s := apitest.NewThingServer(t, rest.Options{Limits: rest.Limits{CacheBytes: budget}})
		s.Fill(t, objects)
		write := func(i int) {
			target := fmt.Sprintf("%s/n%06d", apitest.Things, i)
			require.Equal(t, http.StatusOK,
				s.Do("PATCH", target, `{"spec":{"color":"red"}}`, "Content-Type", "application/merge-patch+json").Code)
		}
		write(0)
		before := heaptest.InUse()
		for i := range objects {
			write(i)
		}
		grown := heaptest.InUse() - before
		runtime.KeepAlive(s)
		return grown
	}
	const budget = 512 << 10
	require.Greater(t, grown(16<<20), int64(2*budget), "with room for all, the documents take more than that")
	require.Less(t, grown(budget), int64(2*budget))
}

// turningStore adds one turn to each Cog that it is given.
type turningStore struct{ storage.Store }

func (s turningStore) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	return s.Store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
		next, err := fn(current)
		if err != nil || next == nil {
			return next, err
		}
		return turned(next), nil
	})
}

func (s turningStore) UpdateAll(
	ctx context.Context, keys []storage.Key, fn storage.UpdateAllFunc,
) ([]*storage.Record, error) {
	return s.Store.UpdateAll(ctx, keys, func(current []*storage.Record) ([][]byte, error) {
		next, err := fn(current)
		for i := range next {
			if next[i] != nil && keys[i].Resource == "cogs.example.com" {
				next[i] = turned(next[i])
			}
		}
		return next, err
	})
}

// turned returns the text of a Cog with one more turn.
func turned(text []byte) []byte {
	obj, _, err := codec.DecodeJSON(text)
	if err != nil {
		panic(err)
	}
	n, _ := obj.Lookup("status", "turns").Int()
	return codec.EncodeObject(obj.WithAt(doc.OfInt(n+1), "status", "turns"))
}

// If a store changes the objects that it is given, the cached documents of the API's own writes do not hide that.
func TestStoreThatChangesObjects(t *testing.T) {
	for _, budget := range []int64{0, -1} {
		memory := memory.New(storage.Options{})
		t.Cleanup(func() { require.NoError(t, memory.Close()) })
		api := apitest.New(t, rest.Options{Store: turningStore{memory}, Limits: rest.Limits{CacheBytes: budget}},
			apitest.CogResource())
		turns := 0
		write := func(method, path, media, body string) {
			t.Helper()
			answer := apitest.Do(t, api, method, path, body, "Content-Type", media)
			require.Less(t, answer.Code, 300, answer.Body)
			turns++
			for _, text := range []string{answer.Body, apitest.Do(t, api, "GET", apitest.Cogs+"/a", "").Body,
				apitest.Do(t, api, "GET", apitest.BetaCogs+"/a", "").Body, apitest.Do(t, api, "GET", apitest.BetaCogs, "").Body} {
				require.Regexp(t, fmt.Sprintf(`"(turns|rotations)":%d\b`, turns), text, "%s %s %s", method, path, body)
			}
		}
		merge := "application/merge-patch+json"
		write("POST", apitest.BetaCogs, apitest.TypeJSON, `{"apiVersion":"example.com/v1beta1","kind":"Cog",
			"metadata":{"name":"a","finalizers":["example.com/f"]},"spec":{"toothCount":4}}`)
		for i := range 3 {
			write("PATCH", apitest.Cogs+"/a", merge, fmt.Sprintf(`{"spec":{"teeth":%d}}`, 10+i))
			write("PATCH", apitest.BetaCogs+"/a", merge, fmt.Sprintf(`{"spec":{"toothCount":%d}}`, 20+i))
			write("PATCH", apitest.Cogs+"/a", "application/json-patch+json",
				fmt.Sprintf(`[{"op":"add","path":"/metadata/labels","value":{"n":"%d"}}]`, i))
			write("PATCH", apitest.Cogs+"/a?fieldManager=m&force=true", "application/apply-patch+yaml", fmt.Sprintf(
				`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"a","labels":{"a":"%d"}}}`, i))
		}
		write("DELETE", apitest.BetaCogs+"/a", apitest.TypeJSON, "")
	}
}
