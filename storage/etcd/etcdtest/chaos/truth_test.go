package chaos_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	gopath "path"
	"sort"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// entry is one change of an object in the history of etcd.
type entry struct {
	revision uint64 // the resourceVersion
	name     string
	value    string
	gone     bool
	was      string // the value before the change; "" if the object did not exist
}

// truth is everything that was committed, in order.
type truth struct {
	entries []entry
	byValue map[string]entry
	after   map[string]entry // the change that replaced or deleted a value, by the value
}

// truth reads the history of etcd.
func (f *fleet) truth() *truth {
	f.Helper()
	ctx := f.Context()
	meta, err := f.client.Get(ctx, prefix+"/meta")
	require.NoError(f, err)
	var store struct {
		Base uint64 `json:"base"`
	}
	require.NoError(f, json.Unmarshal(meta.Kvs[0].Value, &store))
	require.NotZero(f, store.Base)
	all := &truth{byValue: map[string]entry{}, after: map[string]entry{}}
	values := map[string]string{}
	objects := prefix + "/objects/registers.example.com/"
	end, err := f.client.Put(ctx, prefix+"-end", "") // everything before it is the history
	require.NoError(f, err)
	for response := range f.client.Watch(ctx, prefix, clientv3.WithPrefix(), clientv3.WithRev(1)) {
		require.NoError(f, response.Err())
		for _, e := range response.Events {
			if e.Kv.ModRevision == end.Header.Revision {
				return all
			}
			if !bytes.HasPrefix(e.Kv.Key, []byte(objects)) {
				continue
			}
			name := gopath.Base(string(e.Kv.Key))
			change := entry{revision: store.Base + uint64(e.Kv.ModRevision)*256, name: name, was: values[name],
				gone: e.Type == clientv3.EventTypeDelete}
			if !change.gone {
				_, text, _ := bytes.Cut(e.Kv.Value, []byte("\n"))
				var r Register
				require.NoError(f, json.Unmarshal(text, &r), "%s", e.Kv.Value)
				change.value = r.Spec.Value
				all.byValue[change.value] = change
			}
			values[name] = change.value
			if change.was != "" {
				all.after[change.was] = change
			}
			all.entries = append(all.entries, change)
		}
	}
	require.Fail(f, "the history of etcd ends")
	return nil
}

// between returns the changes after a revision, up to and including another one.
func (t *truth) between(after, through uint64) []entry {
	i := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].revision > after })
	j := sort.Search(len(t.entries), func(i int) bool { return t.entries[i].revision > through })
	return t.entries[i:max(i, j)]
}

// state returns the values of all objects at a revision.
func (t *truth) state(revision uint64) map[string]string {
	all := map[string]string{}
	for _, e := range t.between(0, revision) {
		if e.gone {
			delete(all, e.name)
		} else {
			all[e.name] = e.value
		}
	}
	return all
}

// kind returns the type of the event of a change.
func (e entry) kind() string {
	switch {
	case e.gone:
		return "DELETED"
	case e.was == "":
		return "ADDED"
	}
	return "MODIFIED"
}

func (e entry) String() string {
	return fmt.Sprintf("%d %s %s %s", e.revision, e.kind(), e.name, e.value)
}
