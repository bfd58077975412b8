package quota_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/quota"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
	"github.com/decorum-go/decorum/storage/memory"
)

// managed returns an API whose limits are objects.
func managed(t *testing.T, more func(quota.Account) []quota.Limit) (*rest.API, *quota.ResourceQuotas) {
	t.Helper()
	quotas := quota.NewResourceQuotas(more)
	store := memory.New(storage.Options{Ledger: quotas.Ledger})
	t.Cleanup(func() { require.NoError(t, store.Close()) })
	api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{quotas}}, notes())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, api.Close()) })
	return api, quotas
}

type hard = map[string]quota.Quantity

// limit creates or replaces a quota.
func limit(t *testing.T, api *rest.API, namespace, name string, limits hard) error {
	t.Helper()
	_, err := resttest.Client[quota.ResourceQuota](t, api).Namespace(namespace).FieldManager("test").Apply(t.Context(), name,
		map[string]any{"spec": map[string]any{"hard": limits}}, apimeta.ApplyOptions{Force: true})
	return err
}

func write(t *testing.T, api *rest.API, namespace, name string) error {
	t.Helper()
	_, err := resttest.Client[Note](t, api).Namespace(namespace).Create(t.Context(),
		&Note{ObjectMeta: apimeta.ObjectMeta{Name: name}})
	return err
}

func remove(t *testing.T, api *rest.API, namespace, name string) {
	t.Helper()
	require.NoError(t, resttest.Client[Note](t, api).Namespace(namespace).Delete(t.Context(), name, rest.DeleteOptions{}))
}

func TestResourceQuotasLimit(t *testing.T) {
	api, _ := managed(t, quota.Fixed(map[quota.Account][]quota.Limit{{Namespace: "a"}: {{Name: "all", Objects: 5}}}))
	require.NoError(t, write(t, api, "a", "1"), "without a quota")
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(2)}))
	require.NoError(t, write(t, api, "a", "2"))
	err := write(t, api, "a", "3")
	require.True(t, status.IsForbidden(err))
	require.ErrorContains(t, err,
		"exceeded quota: q, requested: count/notes.example.com=1, used: count/notes.example.com=2, limited: count/notes.example.com=2")
	require.NoError(t, write(t, api, "b", "1"), "in another namespace")

	remove(t, api, "a", "1")
	require.NoError(t, write(t, api, "a", "3"), "after a deletion")
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(0)}))
	require.Error(t, write(t, api, "a", "4"), "zero allows nothing")
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(100)}))
	require.NoError(t, write(t, api, "a", "4"))
	require.NoError(t, write(t, api, "a", "5"))
	require.ErrorContains(t, write(t, api, "a", "6"), "exceeded quota: all", "the limits of the host hold, too")

	require.NoError(t, resttest.Client[quota.ResourceQuota](t, api).Namespace("a").Delete(t.Context(), "q",
		rest.DeleteOptions{}))
	remove(t, api, "a", "5")
	require.NoError(t, write(t, api, "a", "6"))
}

func TestResourceQuotasByPlainNameAndBytes(t *testing.T) {
	api, _ := managed(t, nil)
	require.NoError(t, limit(t, api, "a", "few", hard{"resourcequotas": quota.Count(2)}))
	require.NoError(t, limit(t, api, "a", "small", hard{"bytes/notes.example.com": quota.Count(1)}))
	require.ErrorContains(t, limit(t, api, "a", "third", hard{}),
		"exceeded quota: few, requested: resourcequotas=1, used: resourcequotas=2, limited: resourcequotas=2")
	require.ErrorContains(t, write(t, api, "a", "1"), "exceeded quota: small, requested: bytes/notes.example.com=")
}

// used waits until a quota shows what is used.
func used(t *testing.T, api *rest.API, namespace, name string, want hard) {
	t.Helper()
	got := resttest.WaitFor(t, resttest.Client[quota.ResourceQuota](t, api).Namespace(namespace), name,
		func(q *quota.ResourceQuota) bool {
			return fmt.Sprint(q.Status.Used) == fmt.Sprint(want) && fmt.Sprint(q.Status.Hard) == fmt.Sprint(q.Spec.Hard)
		})
	assert.Equal(t, want, got.Status.Used)
}

func TestResourceQuotasShowWhatIsUsed(t *testing.T) {
	api, quotas := managed(t, nil)
	require.NoError(t, write(t, api, "a", "1"))
	require.NoError(t, limit(t, api, "a", "q",
		hard{"count/notes.example.com": quota.Count(10), "resourcequotas": quota.Count(5)}))
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- quotas.Run(ctx, api) }()

	used(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(1), "resourcequotas": quota.Count(1)})
	require.NoError(t, write(t, api, "a", "2"))
	used(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(2), "resourcequotas": quota.Count(1)})
	remove(t, api, "a", "1")
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(3)}))
	used(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(1)})
	stop()
	require.NoError(t, <-ended)

	require.NoError(t, write(t, api, "a", "3")) // nobody runs the controller
	go func() { ended <- quotas.Run(t.Context(), api) }()
	used(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(2)})
	require.NoError(t, api.Close())
	require.Error(t, <-ended, "the API has ended")
}

func TestQuotasNeedTheLedger(t *testing.T) {
	const message = "quota: Ledger is not in the options of the store"
	quotas := quota.NewResourceQuotas(nil)
	_, err := rest.New(rest.Options{Plugins: []rest.Plugin{quotas}})
	require.ErrorContains(t, err, message)
	api, err := rest.New(rest.Options{})
	require.NoError(t, err)
	defer api.Close()
	require.ErrorContains(t, quotas.Run(t.Context(), api), message)
}

func TestResourceQuotasAreValidated(t *testing.T) {
	api, _ := managed(t, nil)
	for _, c := range []struct{ name, spec, err string }{
		{"what no quota limits", `{"hard": {"cpu": "2"}}`,
			`spec.hard[cpu]: Invalid value: "cpu": must be count/PLURAL.GROUP, bytes/PLURAL.GROUP, or one of configmaps`},
		{"name without a resource", `{"hard": {"count/": "2"}}`, "spec.hard[count/]"},
		{"size of the quotas themselves", `{"hard": {"bytes/resourcequotas": "2"}}`, "spec.hard[bytes/resourcequotas]"},
		{"negative number", `{"hard": {"pods": "-1"}}`,
			`spec.hard[pods]: Invalid value: "-1": must be greater than or equal to 0`},
		{"scope", `{"scopes": ["Terminating"]}`, "spec.scopes: Invalid value"},
		{"fraction", `{"hard": {"pods": "1.5"}}`, `not "1.5"`},
		{"text", `{"hard": {"pods": "many"}}`, `not "many"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := resttest.Client[quota.ResourceQuota](t, api).Namespace("a").FieldManager("test").Apply(t.Context(), "q",
				map[string]any{"spec": json.RawMessage(c.spec)}, apimeta.ApplyOptions{})
			require.ErrorContains(t, err, c.err)
		})
	}
}

func TestQuantity(t *testing.T) {
	for _, c := range []struct {
		text string
		n    int64
		back string
	}{
		{`5`, 5, `"5"`}, {`"5"`, 5, `"5"`}, {`"2k"`, 2000, `"2k"`}, {`"2000"`, 2000, `"2k"`}, {`"1Ki"`, 1024, `"1024"`},
		{`"3M"`, 3e6, `"3M"`},
		{`"9E"`, 9e18, `"9E"`},
		{`"-7"`, -7, `"-7"`}, {`0`, 0, `"0"`}, {`"9223372036854775807"`, math.MaxInt64, `"9223372036854775807"`},
	} {
		var q quota.Quantity
		require.NoError(t, json.Unmarshal([]byte(c.text), &q), c.text)
		assert.Equal(t, c.n, q.Value(), c.text)
		back, err := json.Marshal(q)
		require.NoError(t, err)
		assert.Equal(t, c.back, string(back), c.text)
	}
	for _, text := range []string{`""`, `"k"`, `"1.5"`, `1.5`, `"1kk"`, `"1 k"`, `"10E"`, `true`, `{}`} {
		var q quota.Quantity
		assert.Error(t, json.Unmarshal([]byte(text), &q), text)
	}
}

// The limits are there again when the program restarts, before anybody reads or writes a quota.
func TestResourceQuotasSurviveARestart(t *testing.T) {
	path := filepath.Join(t.TempDir(), "objects.db")
	start := func() (*rest.API, func()) {
		quotas := quota.NewResourceQuotas(nil)
		store, err := bolt.Open(t.Context(), bolt.Options{Path: path, Engine: storage.Options{Ledger: quotas.Ledger}})
		require.NoError(t, err)
		api, err := rest.New(rest.Options{Store: store, Plugins: []rest.Plugin{quotas}}, notes())
		require.NoError(t, err)
		return api, func() { require.NoError(t, errors.Join(api.Close(), store.Close())) }
	}
	api, stop := start()
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(2)}))
	require.NoError(t, write(t, api, "a", "1"))
	stop()
	api, stop = start()
	defer stop()
	require.NoError(t, write(t, api, "a", "2"))
	require.ErrorContains(t, write(t, api, "a", "3"), "exceeded quota: q")
}

// Exactly as many concurrent writers succeed as the quota has room for.
func TestResourceQuotasAreExact(t *testing.T) {
	api, quotas := managed(t, nil)
	go func() { _ = quotas.Run(t.Context(), api) }()
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(5)}))
	var writers sync.WaitGroup
	var accepted atomic.Int64
	for i := range 20 {
		writers.Go(func() {
			if write(t, api, "a", fmt.Sprint(i)) == nil {
				accepted.Add(1)
			}
		})
	}
	writers.Wait()
	assert.EqualValues(t, 5, accepted.Load())
	used(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(5)})
}

// kubectl create quota sends Protobuf.
func TestResourceQuotasInProtobuf(t *testing.T) {
	const path, protobuf = "/api/v1/namespaces/a/resourcequotas/q", "application/vnd.kubernetes.protobuf"
	api, _ := managed(t, nil)
	require.NoError(t, limit(t, api, "a", "q", hard{"count/notes.example.com": quota.Count(2000)}))
	exchange := func(method, accept string, body []byte) []byte {
		r := httptest.NewRequest(method, path, bytes.NewReader(body))
		r.Header.Set("Accept", accept)
		r.Header.Set("Content-Type", protobuf)
		w := httptest.NewRecorder()
		api.ServeHTTP(w, r)
		require.Equal(t, http.StatusOK, w.Code, w.Body)
		return w.Body.Bytes()
	}
	text := exchange(http.MethodGet, protobuf, nil)
	require.Contains(t, string(text), "\x0a\x17count/notes.example.com\x12\x04\x0a\x022k",
		"a map from a text to a message with a text")
	text = bytes.Replace(text, []byte("\x022k"), []byte("\x023k"), 1)
	var got quota.ResourceQuota
	require.NoError(t, json.Unmarshal(exchange(http.MethodPut, "application/json", text), &got))
	assert.Equal(t, hard{"count/notes.example.com": quota.Count(3000)}, got.Spec.Hard)
}
