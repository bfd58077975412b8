package crd_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/rest/crd/apiextensions"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

var discard = slog.New(slog.DiscardHandler)

// unreliable is a store that refuses some of the writes and registrations.
type unreliable struct {
	storage.Store
	refuse atomic.Pointer[func(resource string) bool]
}

var errTested = errors.New("refused by the test")

func newUnreliable(t *testing.T) *unreliable {
	store := memory.New(storage.Options{})
	t.Cleanup(func() { assert.NoError(t, store.Close()) })
	return &unreliable{Store: store}
}

// refusing makes the store refuse what concerns a resource a number of times.
func (u *unreliable) refusing(resource string, times int32) {
	left := &atomic.Int32{}
	left.Store(times)
	f := func(of string) bool { return of == resource && left.Add(-1) >= 0 }
	u.refuse.Store(&f)
}

func (u *unreliable) check(resource string) error {
	if f := u.refuse.Load(); f != nil && (*f)(resource) {
		return storage.Unavailable(errTested)
	}
	return nil
}

func (u *unreliable) Update(ctx context.Context, key storage.Key, fn storage.UpdateFunc) (*storage.Record, error) {
	if err := u.check(key.Resource); err != nil {
		return nil, err
	}
	return u.Store.Update(ctx, key, fn)
}

func (u *unreliable) Register(ctx context.Context, r storage.Resource) error {
	if err := u.check(r.Name); err != nil {
		return err
	}
	return u.Store.Register(ctx, r)
}

const storedDefinitions = "customresourcedefinitions.apiextensions.k8s.io"

// host is a program that may be restarted. Its errors are discarded.
type host struct {
	*testing.T
	*rest.API
	store   storage.Store
	options crd.Options
	plugin  *apart
}

func newHost(t *testing.T, store storage.Store, options crd.Options, declared ...rest.Definition) *host {
	t.Helper()
	h := &host{T: t, store: store, options: options}
	h.start(declared...)
	t.Cleanup(func() { h.stop() })
	return h
}

func (h *host) start(declared ...rest.Definition) {
	h.Helper()
	var err error
	h.options.Logger = discard
	h.plugin = &apart{Plugin: crd.New(h.options)}
	h.API, err = rest.New(rest.Options{Store: h.store, Logger: discard, Plugins: []rest.Plugin{h.plugin}}, declared...)
	require.NoError(h, err)
	require.NoError(h, h.Start(h.Context()))
}

func (h *host) stop() {
	if h.plugin != nil {
		assert.NoError(h, h.plugin.stop())
		assert.NoError(h, h.Close())
		h.plugin = nil
	}
}

// apart is a plug-in that ends when the test calls stop, before its API, or never, as in a crash.
type apart struct {
	rest.Plugin
	stop func() error
}

func (p *apart) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	parts, err := p.Plugin.Plug(api)
	start, stop := parts.Start, parts.Stop
	parts.Stop = nil
	parts.Start = func(ctx context.Context, api *rest.API) error {
		ctx, end := context.WithCancel(context.WithoutCancel(ctx))
		p.stop = func() error {
			end()
			return stop(context.Background())
		}
		return start(ctx, api)
	}
	return parts, err
}

// post creates a definition and waits until its kind is served.
func (h *host) post(definition string) {
	h.Helper()
	require.Equal(h, 201, send(h.T, h, "POST "+definitions, definition, nil))
	await(h.T, h.API, nameOf(definition), established)
}

func nameOf(definition string) string {
	_, name, _ := strings.Cut(definition, "metadata: {name: ")
	return name[:strings.IndexAny(name, ",}")]
}

func gear(name string) string {
	return `{"apiVersion":"example.org/v1","kind":"Gear","metadata":{"name":"` + name + `"},"spec":{"teeth":5}}`
}

// namesAt returns the names of the objects of a list.
func (h *host) namesAt(path string) (names []string) {
	h.Helper()
	var list struct {
		Items []struct{ Metadata struct{ Name string } }
	}
	require.Equal(h, 200, send(h.T, h, "GET "+path, "", &list))
	for _, item := range list.Items {
		names = append(names, item.Metadata.Name)
	}
	return names
}

func conditionOf(d *apiextensions.CustomResourceDefinition,
	of apiextensions.ConditionType) (c apiextensions.CustomResourceDefinitionCondition) {
	if d != nil {
		for _, c := range d.Status.Conditions {
			if c.Type == of {
				return c
			}
		}
	}
	return c
}

func TestFailedRegistrationIsRetried(t *testing.T) {
	store := newUnreliable(t)
	h := newHost(t, store, crd.Options{})
	store.refusing("gears.example.org", 4)
	require.Equal(t, 201, send(t, h, "POST "+definitions, gears, nil), "only the registration of the kind fails")
	await(t, h.API, "gears.example.org", established)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
}

func TestStatusIsWrittenOnceTheStoreAllowsIt(t *testing.T) {
	store := newUnreliable(t)
	h := newHost(t, store, crd.Options{})
	var writes atomic.Int32
	refuse := func(resource string) bool { // the creation passes, and then four writes fail
		return resource == storedDefinitions && writes.Add(1) > 1 && writes.Load() < 6
	}
	store.refuse.Store(&refuse)
	h.post(gears)
	assert.Greater(t, writes.Load(), int32(5))
}

func TestFinalizerIsRemovedOnceTheStoreAllowsIt(t *testing.T) {
	store := newUnreliable(t)
	h := newHost(t, store, crd.Options{})
	h.post(gears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	var writes atomic.Int32
	refuse := func(resource string) bool { // the deletion passes, and then four writes of objects and definitions fail
		return writes.Add(1) > 1 && writes.Load() < 6
	}
	store.refuse.Store(&refuse)
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, h.API, "gears.example.org", gone)
	h.post(gears)
	assert.Empty(t, h.namesAt(gearPath))
}

// Until the API serves the kind of a definition, its paths answer 503.
func TestPathsOfAKindToComeAnswer503(t *testing.T) {
	store := newUnreliable(t)
	h := newHost(t, store, crd.Options{})
	seen := make(chan struct{}, 100)
	var serves atomic.Bool
	refuse := func(resource string) bool {
		if resource == "gears.example.org" && !serves.Load() {
			seen <- struct{}{}
			return true
		}
		return false
	}
	store.refuse.Store(&refuse)
	require.Equal(t, 201, send(t, h, "POST "+definitions, gears, nil))
	<-seen
	assert.Equal(t, 503, send(t, h, "GET "+gearPath, "", nil))
	assert.Equal(t, 503, send(t, h, "GET /apis/example.org/v1/gears", "", nil))
	assert.Equal(t, 404, send(t, h, "GET /apis/example.org/v1/wheels", "", nil))
	serves.Store(true)
	await(t, h.API, "gears.example.org", established)
	assert.Equal(t, 200, send(t, h, "GET "+gearPath, "", nil))
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, h.API, "gears.example.org", gone)
}

// ruledGears is a definition that a host without rules refuses to create.
var ruledGears = strings.Replace(gears, "teeth: {type: integer,",
	`teeth: {x-kubernetes-validations: [{rule: "self != 7"}], type: integer,`, 1)

// A host that cannot evaluate the rules of a stored definition reports this in a condition, does not serve the kind,
// and keeps its objects.
func TestHostThatCannotServeAStoredDefinitionSaysSo(t *testing.T) {
	store := newUnreliable(t)
	able := crd.Options{IgnoreRules: true}
	h := newHost(t, store, able)
	h.post(ruledGears)
	h.post(strings.NewReplacer("gears", "wheels", "Gear", "Wheel", "gr]", "wh]").Replace(gears))
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	h.stop()

	h.options = crd.Options{}
	h.start()
	d := await(t, h.API, "gears.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return !d.Is(apiextensions.Established) })
	c := conditionOf(d, apiextensions.Established)
	assert.Equal(t, "NotServed", c.Reason)
	assert.Contains(t, c.Message, "x-kubernetes-validations")
	assert.True(t, d.Is(apiextensions.NamesAccepted))
	assert.Equal(t, 503, send(t, h, "GET "+gearPath, "", nil))
	assert.Equal(t, 422, send(t, h, "PATCH "+definitions+"/gears.example.org", `{"spec":{"scope":"Cluster"}}`, nil),
		"its objects have namespaces")
	assert.Empty(t, h.namesAt("/apis/example.org/v1/wheels"), "other kinds are served")
	h.stop()

	h.options = able
	h.start()
	await(t, h.API, "gears.example.org", established)
	assert.Equal(t, []string{"a"}, h.namesAt(gearPath))
}

// The objects of a definition go with it even if the API cannot serve them.
func TestObjectsOfAKindThatIsNotServedGoWithTheirDefinition(t *testing.T) {
	h := newHost(t, newUnreliable(t), crd.Options{IgnoreRules: true})
	h.post(ruledGears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	require.Equal(t, 201, send(t, h, "POST "+gearPath,
		strings.Replace(gear("held"), `"metadata":{`, `"metadata":{"finalizers":["example.org/hold"],`, 1), nil))
	h.stop()

	h.options = crd.Options{}
	h.start()
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, h.API, "gears.example.org", func(d *apiextensions.CustomResourceDefinition) bool {
		return conditionOf(d, apiextensions.Terminating).Reason == "InstanceDeletionInProgress"
	})
	assert.Equal(t, []string{"held"}, h.namesAt(gearPath))
	require.Equal(t, 200, send(t, h, "PATCH "+gearPath+"/held", `{"metadata":{"finalizers":null}}`, nil))
	await(t, h.API, "gears.example.org", gone)
	h.post(gears)
	assert.Empty(t, h.namesAt(gearPath))
}

// As above, but another kind has the names meanwhile, so that the API cannot show the objects.
func TestObjectsGoWithTheirDefinitionEvenIfItsNamesAreTaken(t *testing.T) {
	h := newHost(t, newUnreliable(t), crd.Options{})
	h.post(gears)
	require.Equal(t, 201, send(t, h, "POST "+gearPath, gear("a"), nil))
	h.stop()

	h.start(rest.Resource[Lamp]{Group: "example.org", Version: "v1", Plural: "lamps",
		Names: rest.Names{Short: []string{"gr"}}})
	d := await(t, h.API, "gears.example.org",
		func(d *apiextensions.CustomResourceDefinition) bool { return !d.Is(apiextensions.Established) })
	assert.Equal(t, apimeta.ConditionFalse, conditionOf(d, apiextensions.NamesAccepted).Status)
	require.Equal(t, 200, send(t, h, "DELETE "+definitions+"/gears.example.org", "", nil))
	await(t, h.API, "gears.example.org", gone)
	h.stop()

	h.start()
	h.post(gears)
	assert.Empty(t, h.namesAt(gearPath))
}
