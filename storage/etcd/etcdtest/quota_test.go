package etcdtest_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// Replicas share limits: writers on two of them get exactly the available places, a deletion on one frees a place on
// the other, and a replica that opens later knows who created the objects.
func TestQuotas(t *testing.T) {
	const each, places = 4, 10
	client, prefix := connect(t, shared), newPrefix()
	limits := quota.New(quota.Fixed(map[quota.Account][]quota.Limit{
		{Namespace: "default"}: {{Name: "places", Resource: notes, Objects: places}},
		{User: "carol/1 2"}:    {{Name: "places of carol", Objects: 1}},
	}))
	replica := func() *etcd.Store {
		return serving(t, etcd.Options{Client: client, Prefix: prefix,
			Engine: storage.Options{MaxWait: time.Minute, Ledger: limits}})
	}
	as := func(user string) context.Context { return access.WithUser(t.Context(), access.User{Name: user}) }
	remove := func(store storage.Store, name string) error {
		_, err := store.Update(t.Context(), note(name), func(*storage.Record) ([]byte, error) { return nil, nil })
		return err
	}
	here, there := replica(), replica()
	_, err := put(as("carol/1 2"), here, "of carol", "text")
	require.NoError(t, err)
	_, err = put(as("carol/1 2"), there, "too many", "text")
	assert.True(t, storagetest.Exceeded(t, err))

	var created atomic.Int64
	var all sync.WaitGroup
	for w, store := range []*etcd.Store{here, there, here, there} {
		all.Go(func() {
			for n := range each {
				if _, err := put(as("bob"), store, fmt.Sprint(w, n), "text"); !storagetest.Exceeded(t, err) {
					created.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, places-1, created.Load())

	late := replica()
	_, err = put(as("bob"), late, "x", "text")
	assert.True(t, storagetest.Exceeded(t, err))
	require.NoError(t, remove(late, "of carol"))
	_, err = put(as("carol/1 2"), here, "x", "text")
	require.NoError(t, err)
	_, err = put(as("carol/1 2"), there, "x", "a text that grows")
	require.NoError(t, err, "bytes are not limited")
	got, err := client.Get(t.Context(), prefix+"/accounts/", clientv3.WithPrefix())
	require.NoError(t, err)
	var accounts []string
	for _, kv := range got.Kvs {
		accounts = append(accounts, strings.TrimPrefix(string(kv.Key), prefix+"/accounts/"))
	}
	assert.Equal(t, []string{"namespace%2Fdefault", "user%2Fcarol%2F1%202"}, accounts)
}
