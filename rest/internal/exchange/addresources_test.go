package exchange_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/admission"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

// Lever is a kind that comes and goes while the API runs. LongLever is a newer declaration of it.
type Lever struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               LeverSpec `json:"spec"`
}

type LeverSpec struct {
	Length int32  `json:"length" api:"min=1"`
	Grip   string `json:"grip,omitempty"`
}

type LongLever struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               LongLeverSpec `json:"spec"`
}

type LongLeverSpec struct {
	Length int32  `json:"length" api:"min=10"`
	Metal  string `json:"metal,omitempty" api:"default=steel"`
}

const (
	levers     = "/apis/example.com/v1/namespaces/default/levers"
	leversV2   = "/apis/example.com/v2/namespaces/default/levers"
	leverText  = `{"apiVersion":"example.com/v1","kind":"Lever","metadata":{"name":"x"},"spec":{"length":12,"grip":"cork"}}`
	leverColum = "Grip"
)

var leverName = apimeta.GroupResource{Group: "example.com", Resource: "levers"}

func leverResource(options ...func(*rest.Resource[Lever])) rest.Resource[Lever] {
	r := rest.Resource[Lever]{Group: "example.com", Version: "v1", Plural: "levers",
		Names: rest.Names{Short: []string{"lv"}}, SelectableFields: []string{"spec.grip"},
		Columns: []rest.Column{{Name: leverColum, Path: ".spec.grip"}}}
	for _, o := range options {
		o(&r)
	}
	return r
}

func longLeverResource(options ...func(*rest.Resource[LongLever])) rest.Resource[LongLever] {
	r := rest.Resource[LongLever]{Group: "example.com", Version: "v1", Plural: "levers", Names: rest.Names{Kind: "Lever"},
		SelectableFields: []string{"spec.metal"}}
	for _, o := range options {
		o(&r)
	}
	return r
}

// hashes returns the addresses of the OpenAPI v3 documents, which hold their hashes.
func hashes(t testing.TB, api *rest.API) map[string]any {
	t.Helper()
	return apitest.Must(t, api, "GET", "/openapi/v3", "").Value(t, "paths").(map[string]any)
}

func TestServeAndWithdraw(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource(),
		rest.Resource[apitest.Cog]{Group: "other.example.com", Version: "v1", Plural: "cogs"})
	before, index := hashes(t, api), apitest.Must(t, api, "GET", "/apis", "").Body
	aggregated := func() apitest.Answer {
		return apitest.Must(t, api, "GET", "/apis", "", "Accept",
			"application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io")
	}
	tag := aggregated().Header.Get("ETag")
	require.Equal(t, 404, apitest.Do(t, api, "GET", levers, "").Code)
	require.NoError(t, api.AddResources(t.Context(), leverResource()))

	made := apitest.Must(t, api, "POST", levers, leverText)
	assert.Equal(t, index, apitest.Must(t, api, "GET", "/apis", "").Body, "the group was there before")
	assert.True(t, containsResource(t, api, "levers"))
	assert.Contains(t, aggregated().Body, `"resource":"levers"`)
	assert.NotEqual(t, tag, aggregated().Header.Get("ETag"))
	assert.Contains(t, apitest.Must(t, api, "GET", "/apis/example.com/v1", "", "Accept",
		"application/vnd.kubernetes.protobuf").Body, "levers")
	assert.Contains(t, apitest.Must(t, api, "GET", "/openapi/v2", "").Body, "com.example.v1.Lever")
	after := hashes(t, api)
	assert.NotEqual(t, before["apis/example.com/v1"], after["apis/example.com/v1"])
	assert.Equal(t, before["apis/other.example.com/v1"], after["apis/other.example.com/v1"])
	assert.Contains(t, apitest.Must(t, api, "GET", levers, "", "Accept",
		"application/json;as=Table;v=v1;g=meta.k8s.io").Body, leverColum)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", levers+"?fieldSelector=spec.grip%3Dcork", "").Code)
	gvk, ok := api.KindOf(new(Lever))
	assert.True(t, ok)
	assert.Equal(t, "Lever", gvk.Kind)
	assert.Equal(t, "levers", api.AccessOf(apitest.NewRequest("GET", levers+"/x", nil)).Resource)
	client := apitest.ClientFor[Lever](t, api).Namespace("default")
	x, err := client.Get(t.Context(), "x")
	require.NoError(t, err)
	assert.Equal(t, made.Text(t, "metadata.uid"), x.UID)
	assert.Equal(t, []string{"widgets.example.com", "cogs.other.example.com", "levers.example.com"}, storedNames(api))

	require.NoError(t, api.WithdrawResources(t.Context(), leverName))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", levers+"/x", "").Code)
	assert.Equal(t, before, hashes(t, api))
	assert.Equal(t, tag, aggregated().Header.Get("ETag"))
	assert.NotContains(t, apitest.Must(t, api, "GET", "/openapi/v2", "").Body, "Lever")
	_, ok = api.KindOf(new(Lever))
	assert.False(t, ok)
	assert.Equal(t, []string{"widgets.example.com", "cogs.other.example.com"}, storedNames(api))
	for name, err := range callsOf(t, client) {
		assert.True(t, status.IsNotFound(err), "%s: %v", name, err)
		assert.ErrorContains(t, err, "the server could not find the requested resource", name)
	}

	require.NoError(t, api.AddResources(t.Context(), longLeverResource()))
	again := apitest.Must(t, api, "GET", levers+"/x", "")
	assert.Equal(t, made.Text(t, "metadata.uid"), again.Text(t, "metadata.uid"))
	assert.Equal(t, made.Text(t, "metadata.resourceVersion"), again.Text(t, "metadata.resourceVersion"))
	assert.JSONEq(t, `{"length":12,"metal":"steel"}`, apitest.JSONOf(t, again.Value(t, "spec")),
		"pruned and defaulted by the new declaration")
	x, err = client.Get(t.Context(), "x")
	require.NoError(t, err, "the client of before works again")
	assert.EqualValues(t, 12, x.Spec.Length)
}

func storedNames(api *rest.API) (names []string) {
	for _, r := range api.Objects().Resources() {
		names = append(names, r.Name)
	}
	return names
}

// callsOf calls the methods of a client and returns their errors.
func callsOf(t *testing.T, c rest.Client[Lever]) map[string]error {
	errs := map[string]error{}
	lever := &Lever{ObjectMeta: apimeta.ObjectMeta{Name: "y"}, Spec: LeverSpec{Length: 3}}
	_, errs["Get"] = c.Get(t.Context(), "x")
	_, errs["List"] = c.List(t.Context(), rest.ListOptions{})
	_, errs["Create"] = c.Create(t.Context(), lever)
	_, errs["Update"] = c.Update(t.Context(), lever)
	_, errs["Modify"] = c.Modify(t.Context(), "x", func(*Lever) error { return nil })
	_, errs["Apply"] = c.FieldManager("m").Apply(t.Context(), "y", lever, apimeta.ApplyOptions{})
	errs["Delete"] = c.Delete(t.Context(), "x", rest.DeleteOptions{})
	for _, err := range c.Watch(t.Context(), rest.WatchOptions{}) {
		errs["Watch"] = err
	}
	for _, err := range c.Follow(t.Context(), rest.WatchOptions{}) {
		errs["Follow"] = err
	}
	return errs
}

// A refused call changes nothing.
func TestServeRefuses(t *testing.T) {
	clash := func(change func(*rest.Resource[Lever])) rest.Definition {
		return leverResource(func(r *rest.Resource[Lever]) { r.Plural, r.Names = "bars", rest.Names{Kind: "Bar"}; change(r) })
	}
	serve := func(definitions ...rest.Definition) func(*rest.API) error {
		return func(api *rest.API) error { return api.AddResources(t.Context(), definitions...) }
	}
	replace := func(definitions ...rest.Definition) func(*rest.API) error {
		return func(api *rest.API) error { return api.ReplaceResources(t.Context(), definitions...) }
	}
	cogs := rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs"}
	for name, c := range map[string]struct {
		call func(*rest.API) error
		want string
	}{
		"served": {serve(cogs, apitest.WidgetResource()),
			`rest.API.AddResources: kind "Widget": the API already serves widgets.example.com`},
		"twice": {serve(cogs, cogs), `rest.API.AddResources: kind "Cog": declared twice`},
		"nil":   {serve(cogs, nil), "rest.API.AddResources: a resource is nil"},
		"kind": {serve(clash(func(r *rest.Resource[Lever]) { r.Names.Kind = "Widget" })),
			`rest.API.AddResources: kind "Widget": declared twice`},
		"short name": {serve(clash(func(r *rest.Resource[Lever]) { r.Names.Short = []string{"wd"} })),
			`kind "Bar": kind "Widget" of the same group already has the name "wd"`},
		"singular": {serve(clash(func(r *rest.Resource[Lever]) { r.Names.Singular = "widgets" })),
			`kind "Bar": kind "Widget" of the same group already has the name "widgets"`},
		"declaration": {serve(cogs, clash(func(r *rest.Resource[Lever]) { r.SelectableFields = []string{"spec.x"} })),
			`kind "Bar": SelectableFields: "spec.x": unknown field`},
		"unknown": {replace(cogs), `rest.API.ReplaceResources: kind "Cog": the API does not serve cogs.example.com`},
		"both":    {replace(leverResource(), longLeverResource()), `rest.API.ReplaceResources: kind "Lever": declared twice`},
		"scope": {replace(leverResource(func(r *rest.Resource[Lever]) { r.Scope = rest.ScopeCluster })),
			`rest.API.ReplaceResources: kind "Lever": Scope: must not change`},
		"to a name": {replace(leverResource(func(r *rest.Resource[Lever]) { r.Names.Short = []string{"wd"} })),
			`kind "Lever": kind "Widget" of the same group already has the name "wd"`},
		"not withdrawn": {func(api *rest.API) error {
			return api.WithdrawResources(t.Context(), leverName, apimeta.GroupResource{Group: "example.com", Resource: "cogs"})
		}, "rest.API.WithdrawResources: the API does not serve cogs.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), leverResource())
			before := apitest.Must(t, api, "GET", "/apis/example.com/v1", "").Body
			assert.ErrorContains(t, c.call(api), c.want)
			assert.Equal(t, before, apitest.Must(t, api, "GET", "/apis/example.com/v1", "").Body)
			apitest.Must(t, api, "POST", levers, leverText)
		})
	}
}

func TestExchangeAfterClose(t *testing.T) {
	api, err := rest.New(rest.Options{})
	require.NoError(t, err)
	require.NoError(t, api.Close())
	for _, err := range []error{api.AddResources(t.Context(), leverResource()), api.ReplaceResources(t.Context()),
		api.WithdrawResources(t.Context(), leverName)} {
		assert.ErrorIs(t, err, watch.ErrClosed)
		assert.True(t, status.IsServiceUnavailable(err))
	}
}

// A declaration whose form some object cannot take is refused, and the objects stay as they are.
func TestReplaceByAFormThatObjectsCannotTake(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.CogResource(), leverResource())
	apitest.Must(t, api, "POST", apitest.Cogs,
		`{"apiVersion":"example.com/v1","kind":"Cog","metadata":{"name":"x"},"spec":{"teeth":5,"material":"wood"}}`)
	apitest.Must(t, api, "POST", levers, leverText)
	before := apitest.Must(t, api, "GET", apitest.Cogs, "").Body + apitest.Must(t, api, "GET", levers, "").Body
	stored := apitest.BetaCogResource()
	stored.Group, stored.Plural, stored.Names.Kind = "example.com", "cogs", "Cog"
	stored.Versions = []rest.VersionOf[apitest.CogV1beta1]{rest.Converted(rest.Resource[apitest.Cog]{Version: "v1"},
		apitest.CogFromV1, apitest.CogToV1)}
	err := api.ReplaceResources(t.Context(), longLeverResource(), stored)
	assert.ErrorContains(t, err, `rest.API.ReplaceResources: kind "Cog": cogs.example.com default/x`)
	assert.ErrorContains(t, err, "v1beta1 knows metals only")
	assert.Equal(t, before, apitest.Must(t, api, "GET", apitest.Cogs, "").Body+apitest.Must(t, api, "GET", levers,
		"").Body)
	apitest.Must(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"y"`, 1))
	_, err = apitest.ClientFor[Lever](t, api).Namespace("default").Get(t.Context(), "x")
	assert.NoError(t, err)
}

// A Serve that fails for one resource leaves nothing of the others, so they may come with another scope.
func TestServeFailsHalfway(t *testing.T) {
	api := apitest.New(t, rest.Options{}, leverResource())
	apitest.Must(t, api, "POST", levers, leverText)
	require.NoError(t, api.WithdrawResources(t.Context(), leverName))
	cogs := rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs"}
	cluster := leverResource(func(r *rest.Resource[Lever]) { r.Scope = rest.ScopeCluster })
	assert.ErrorContains(t, api.AddResources(t.Context(), cogs, cluster),
		`kind "Lever": storage: bad resource: "levers.example.com" is registered with another scope`)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/example.com/v1/cogs", "").Code)
	cogs.Scope = rest.ScopeCluster
	require.NoError(t, api.AddResources(t.Context(), cogs, leverResource()))
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/apis/example.com/v1/cogs", "").Code)
	assert.Equal(t, "cork", apitest.Must(t, api, "GET", levers+"/x", "").Text(t, "spec.grip"))
}

// A Replace that cannot create the singleton of a newer declaration leaves the objects as they are, with the fields
// that only the old declaration has.
func TestReplaceFailsHalfway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cluster := leverResource(func(r *rest.Resource[Lever]) { r.Scope = rest.ScopeCluster })
		path := "/apis/example.com/v1/levers"
		api := apitest.New(t, rest.Options{}, cluster)
		made := apitest.Must(t, api, "POST", path, leverText).Body
		watching := apitest.OpenWatch(t, api, path+"?watch=1&resourceVersion=0")
		err := api.ReplaceResources(t.Context(),
			longLeverResource(func(r *rest.Resource[LongLever]) { r.Scope, r.Singleton = rest.ScopeCluster, "only" }))
		assert.ErrorContains(t, err, `rest.API.ReplaceResources: kind "Lever": cannot create the singleton from its defaults`)
		assert.Equal(t, made, apitest.Must(t, api, "GET", path+"/x", "").Body)
		assert.Equal(t, 404, apitest.Do(t, api, "GET", path+"/only", "").Code)
		apitest.MergePatch(t, api, path+"/x", `{"spec":{"grip":"bone"}}`)
		assert.Len(t, watching.Events(), 2, "the watch goes on")
	})
}

// Two APIs that share a store are independent: each serves a resource until it gives it up itself.
func TestWithdrawFromOneOfTwoAPIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		t.Cleanup(func() { assert.NoError(t, store.Close()) })
		one, other := apitest.New(t, rest.Options{Store: store}, leverResource()),
			apitest.New(t, rest.Options{Store: store}, leverResource())
		left, going := apitest.OpenWatch(t, other, levers+"?watch=1"), apitest.OpenWatch(t, one, levers+"?watch=1")
		require.NoError(t, one.WithdrawResources(t.Context(), leverName))
		assert.True(t, going.Ended())
		assert.Equal(t, 404, apitest.Do(t, one, "GET", levers, "").Code)
		apitest.Must(t, other, "POST", levers, leverText)
		assert.Len(t, left.Events(), 1)
		assert.False(t, left.Ended())
		require.NoError(t, one.AddResources(t.Context(), leverResource()))
		assert.Equal(t, 200, apitest.Do(t, one, "GET", levers+"/x", "").Code)
		assert.False(t, left.Ended())
		apitest.Must(t, one, "DELETE", levers+"/x", "")
		require.NoError(t, one.Close())
		require.NoError(t, other.WithdrawResources(t.Context(), leverName))
		require.NoError(t, other.AddResources(t.Context(),
			leverResource(func(r *rest.Resource[Lever]) { r.Scope = rest.ScopeCluster })), "an API that has ended holds nothing")
	})
}

func TestReplace(t *testing.T) {
	api := apitest.New(t, rest.Options{}, leverResource())
	made := apitest.Must(t, api, "POST", levers, leverText)
	client := apitest.ClientFor[Lever](t, api).Namespace("default")
	// Another schema, and another version beside it.
	require.NoError(t, api.ReplaceResources(t.Context(), longLeverResource(func(r *rest.Resource[LongLever]) {
		r.Versions = []rest.VersionOf[LongLever]{rest.Converted[LongLever](rest.Resource[Lever]{Version: "v2"}, nil, nil)}
	})))
	got := apitest.Must(t, api, "GET", levers+"/x", "")
	assert.JSONEq(t, `{"length":12,"metal":"steel"}`, apitest.JSONOf(t, got.Value(t, "spec")))
	assert.Equal(t, made.Text(t, "metadata.resourceVersion"), got.Text(t, "metadata.resourceVersion"))
	assert.Equal(t, "example.com/v2", apitest.Must(t, api, "GET", leversV2+"/x", "").Text(t, "apiVersion"))
	assert.Equal(t, 422, apitest.Do(t, api, "POST", levers, strings.Replace(leverText, "12", "2", 1)).Code)
	assert.Equal(t, 200, apitest.Do(t, api, "GET", levers+"?fieldSelector=spec.metal%3Dsteel", "").Code)
	assert.Equal(t, 400, apitest.Do(t, api, "GET", levers+"?fieldSelector=spec.grip%3Dcork", "").Code)
	_, err := client.Modify(t.Context(), "x", func(l *Lever) error { l.Spec.Length = 2; return nil })
	assert.True(t, status.IsInvalid(err), "the client of before writes under the new declaration: %v", err)
	// The other version becomes the stored one.
	require.NoError(t, api.ReplaceResources(t.Context(), leverResource(func(r *rest.Resource[Lever]) {
		r.Version = "v2"
		r.Versions = []rest.VersionOf[Lever]{rest.Converted[Lever](rest.Resource[LongLever]{Version: "v1"}, nil, nil)}
	})))
	record, err := api.Objects().Get(t.Context(),
		storage.Key{Resource: "levers.example.com", Namespace: "default", Name: "x"})
	require.NoError(t, err)
	assert.Contains(t, string(storagetest.Text(record)), `"apiVersion":"example.com/v2"`)
	assert.JSONEq(t, `{"length":12,"metal":"steel"}`,
		apitest.JSONOf(t, apitest.Must(t, api, "GET", levers+"/x", "").Value(t, "spec")))
	// The first version goes.
	require.NoError(t, api.ReplaceResources(t.Context(),
		leverResource(func(r *rest.Resource[Lever]) { r.Version = "v2" })))
	assert.Equal(t, 404, apitest.Do(t, api, "GET", levers+"/x", "").Code)
	assert.Equal(t, made.Text(t, "metadata.uid"), apitest.Must(t, api, "GET", leversV2+"/x", "").Text(t, "metadata.uid"))
	_, err = client.Get(t.Context(), "x")
	assert.True(t, status.IsNotFound(err), "%v", err)
}

// Watches of what stays go on. Watches of what goes get all that has happened, and end without an error.
func TestWatchesOfAChangingSet(t *testing.T) {
	for name, c := range map[string]struct {
		change func(api *rest.API) error
		last   int                  // how many events come at least, although the watch has not waited since
		again  int                  // the answer to the next watch
		ends   func(err error) bool // whether a watch in process ends with this error
	}{
		"Withdraw": {func(api *rest.API) error { return api.WithdrawResources(context.Background(), leverName) }, 1, 404,
			status.IsNotFound},
		"Replace": {func(api *rest.API) error { return api.ReplaceResources(context.Background(), longLeverResource()) }, 0,
			200, status.IsExpired},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.New(t, rest.Options{}, apitest.WidgetResource(), leverResource())
				going := apitest.OpenWatch(t, api, levers+"?watch=1")
				table := apitest.OpenWatch(t, api, levers+"?watch=1", "Accept", "application/json;as=Table;v=v1;g=meta.k8s.io")
				staying := apitest.OpenWatch(t, api, apitest.Widgets+"?watch=1")
				ended := make(chan error, 1)
				go func() {
					for _, err := range apitest.ClientFor[Lever](t, api).Watch(t.Context(), rest.WatchOptions{}) {
						if err != nil {
							ended <- err
						}
					}
				}()
				apitest.Must(t, api, "POST", levers, leverText)
				assert.Len(t, going.Events(), 1)
				assert.Len(t, table.Events(), 1)
				apitest.Must(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"y"`, 1))
				require.NoError(t, c.change(api))
				events := going.Events()
				assert.GreaterOrEqual(t, len(events), c.last)
				assert.NotContains(t, strings.Join(events, ""), "ERROR")
				assert.True(t, going.Ended())
				assert.GreaterOrEqual(t, len(table.Events()), c.last)
				assert.True(t, table.Ended())
				assert.True(t, c.ends(<-ended))
				next := apitest.RequestWatch(t, api, levers+"?watch=1&resourceVersion=0")
				assert.Equal(t, c.again, next.Code())
				apitest.CreateWidget(t, api, "w")
				assert.Len(t, staying.Events(), 1)
				assert.False(t, staying.Ended())
			})
		})
	}
}

// Follow continues under a newer declaration, and ends when the resource is withdrawn.
func TestFollowAChangingKind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := apitest.New(t, rest.Options{}, leverResource())
		var seen []string
		ended := make(chan error, 1)
		go func() {
			for e, err := range apitest.ClientFor[Lever](t, api).Follow(t.Context(), rest.WatchOptions{}) {
				if err != nil {
					ended <- err
					return
				}
				seen = append(seen, fmt.Sprint(e.Type, " ", e.Object.Name, " ", e.Object.Spec))
			}
		}()
		apitest.Must(t, api, "POST", levers, leverText)
		synctest.Wait()
		require.NoError(t, api.ReplaceResources(t.Context(), longLeverResource()))
		synctest.Wait()
		apitest.Must(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"y"`, 1))
		apitest.Must(t, api, "DELETE", levers+"/x", "")
		synctest.Wait()
		assert.Equal(t, []string{"ADDED x {12 cork}", "ADDED y {12 }", "DELETED x {12 }"}, seen)
		require.NoError(t, api.WithdrawResources(t.Context(), leverName))
		assert.True(t, status.IsNotFound(<-ended))
	})
}

// hooked declares Levers whose writes wait in the Default hook: each sends on entered, and goes on when it receives
// from leave.
func hooked(entered, leave chan struct{}) rest.Resource[Lever] {
	return leverResource(func(r *rest.Resource[Lever]) {
		r.Hooks.Default = func(context.Context, *Lever) error {
			entered <- struct{}{}
			<-leave
			return nil
		}
	})
}

// A write that is in progress when its declaration is replaced becomes a write under the new declaration, with every
// verb.
func TestAWriteDuringReplace(t *testing.T) {
	for name, write := range map[string]func(t *testing.T, api *rest.API) apitest.Answer{
		"create": func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"new"`, 1))
		},
		"update": func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PUT", levers+"/x",
				strings.NewReplacer(`"x"`, `"x","resourceVersion":"2"`, "12", "13").Replace(leverText))
		},
		"patch": func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.MergePatch(t, api, levers+"/x", `{"spec":{"length":13}}`)
		},
		"apply": func(t *testing.T, api *rest.API) apitest.Answer {
			return apitest.Do(t, api, "PATCH", levers+"/x?fieldManager=m&force=true",
				strings.NewReplacer("12", "13", `,"grip":"cork"`, "").Replace(leverText), "Content-Type",
				"application/apply-patch+yaml")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				api := apitest.New(t, rest.Options{}, leverResource())
				apitest.Must(t, api, "POST", levers, leverText)
				entered, leave := make(chan struct{}), make(chan struct{})
				require.NoError(t, api.ReplaceResources(t.Context(), hooked(entered, leave)))
				answers := make(chan apitest.Answer)
				go func() { answers <- write(t, api) }()
				<-entered
				require.NoError(t, api.ReplaceResources(t.Context(), longLeverResource()), "it does not wait for the write")
				close(leave)
				a := <-answers
				assert.Less(t, a.Code, 300, a.Body)
				assert.Equal(t, "steel", a.Text(t, "spec.metal"))
				assert.Empty(t, a.Text(t, "spec.grip"))
			})
		})
	}
}

// Withdraw waits for writes, which finish, but not for ever.
func TestAWriteDuringWithdraw(t *testing.T) {
	for name, c := range map[string]struct {
		patient bool
		code    int
	}{"the write ends soon": {true, 201}, "the write takes too long": {false, 404}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				entered, leave := make(chan struct{}), make(chan struct{})
				api := apitest.New(t, rest.Options{}, hooked(entered, leave))
				answers, withdrawn := make(chan apitest.Answer), make(chan error, 1)
				go func() { answers <- apitest.Do(t, api, "POST", levers, leverText) }()
				<-entered
				begun := time.Now()
				go func() { withdrawn <- api.WithdrawResources(t.Context(), leverName) }()
				synctest.Wait()
				assert.Equal(t, 404, apitest.Do(t, api, "GET", levers, "").Code, "nobody new comes in")
				if !c.patient {
					require.NoError(t, <-withdrawn)
					assert.Equal(t, 10*time.Second, time.Since(begun))
				}
				close(leave)
				assert.Equal(t, c.code, (<-answers).Code)
				if c.patient {
					require.NoError(t, <-withdrawn)
					assert.Zero(t, time.Since(begun))
				}
			})
		})
	}
}

// A resource may come back while a write of its former self is under way. The write then ends under the new
// declaration.
func TestServeAgainDuringWithdraw(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		entered, leave := make(chan struct{}), make(chan struct{})
		api := apitest.New(t, rest.Options{}, hooked(entered, leave))
		answers, withdrawn := make(chan apitest.Answer), make(chan error, 1)
		go func() { answers <- apitest.Do(t, api, "POST", levers, leverText) }()
		<-entered
		go func() { withdrawn <- api.WithdrawResources(t.Context(), leverName) }()
		synctest.Wait()
		require.NoError(t, api.AddResources(t.Context(), longLeverResource()))
		close(leave)
		a := <-answers
		assert.Equal(t, 201, a.Code)
		assert.Equal(t, "steel", a.Text(t, "spec.metal"))
		require.NoError(t, <-withdrawn)
		assert.Equal(t, 200, apitest.Do(t, api, "GET", levers+"/x", "").Code)
	})
}

// Hooks may change what the API serves, also their own kind. A hook that runs because of such a change may not.
func TestHooksMayExchangeResources(t *testing.T) {
	var api *rest.API
	var change func(ctx context.Context) error
	withHook := leverResource(func(r *rest.Resource[Lever]) {
		r.Hooks.Default = func(ctx context.Context, _ *Lever) error {
			if change == nil {
				return nil
			}
			err := change(ctx)
			change = nil
			return err
		}
	})
	api = apitest.New(t, rest.Options{}, withHook)
	change = func(ctx context.Context) error { return api.ReplaceResources(ctx, longLeverResource()) }
	assert.Equal(t, "steel", apitest.Must(t, api, "POST", levers, leverText).Text(t, "spec.metal"))
	require.NoError(t, api.ReplaceResources(t.Context(), withHook))
	change = func(ctx context.Context) error { return api.WithdrawResources(ctx, leverName) }
	assert.Equal(t, 404, apitest.Do(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"y"`, 1)).Code)

	inner := errors.New("not called")
	only := rest.Resource[apitest.Cog]{Group: "example.com", Version: "v1", Plural: "cogs", Scope: rest.ScopeCluster,
		Singleton: "only"}
	only.Hooks.Default = func(ctx context.Context, c *apitest.Cog) error {
		c.Spec.Teeth = 1
		inner = api.AddResources(ctx, leverResource())
		return nil
	}
	require.NoError(t, api.AddResources(t.Context(), only))
	assert.ErrorContains(t, inner, "called by a hook that runs within another AddResources or ReplaceResources")
	assert.Equal(t, 200, apitest.Do(t, api, "GET", "/apis/example.com/v1/cogs/only", "").Code)
}

// A grace period that began under one declaration ends under the next, and one that ends while the resource is not
// served ends when it comes back.
func TestGracePeriodsOfAChangingSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := leverResource(func(r *rest.Resource[Lever]) {
			r.RemoveWhenDue = true
			r.Hooks.GracePeriod = func(context.Context, *Lever, *int64) (int64, error) { return 60, nil }
		})
		api := apitest.New(t, rest.Options{Now: time.Now, Store: memory.New(storage.Options{})}, slow)
		for _, name := range []string{"x", "y"} {
			apitest.Must(t, api, "POST", levers, strings.Replace(leverText, `"x"`, `"`+name+`"`, 1))
		}
		apitest.Must(t, api, "DELETE", levers+"/x", "")
		require.NoError(t, api.ReplaceResources(t.Context(), slow))
		<-time.After(time.Minute)
		synctest.Wait()
		assert.Equal(t, 404, apitest.Do(t, api, "GET", levers+"/x", "").Code)
		apitest.Must(t, api, "DELETE", levers+"/y", "")
		require.NoError(t, api.WithdrawResources(t.Context(), leverName))
		<-time.After(time.Hour)
		require.NoError(t, api.AddResources(t.Context(), slow))
		synctest.Wait()
		assert.Equal(t, 404, apitest.Do(t, api, "GET", levers+"/y", "").Code)
	})
}

// An expected resource is answered with 503 until it is served.
func TestExpectedResourceAnswers503(t *testing.T) {
	api := apitest.New(t, rest.Options{}, apitest.WidgetResource())
	lever := apimeta.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "levers"}
	other := apimeta.GroupVersionResource{Group: "new.example.com", Version: "v1", Resource: "levers"}
	api.Expect(lever, other)
	for _, target := range []string{levers, levers + "/x", levers + "/x/status", "/apis/example.com/v1/levers?watch=1",
		"/apis/new.example.com/v1/levers"} {
		a := apitest.Do(t, api, "GET", target, "")
		assert.Equal(t, 503, a.Code, target)
		assert.Equal(t, "1", a.Header.Get("Retry-After"))
		assert.Equal(t, "ServiceUnavailable", a.Text(t, "reason"))
	}
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/example.com/v2/namespaces/default/levers", "").Code)
	require.NoError(t, api.AddResources(t.Context(), leverResource()))
	assert.Equal(t, 200, apitest.Do(t, api, "GET", levers, "").Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", levers+"/x/log", "").Code,
		"a path that the served resource does not have")
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/example.com/v1/levers/x", "").Code)
	api.Expect()
	assert.Equal(t, 404, apitest.Do(t, api, "GET", "/apis/new.example.com/v1/levers", "").Code)
}

// Admission hooks see the resources that arrive later, as long as they are served.
func TestHooksOfLaterResources(t *testing.T) {
	for pattern, sees := range map[string][]string{
		"levers.example.com":        {"levers"},
		"levers.example.com/status": {"levers/status"},
		"levers.example.com/*":      {"levers/status"},
		"*.example.com":             {"widgets", "levers"},
		"*.example.com/*":           {"levers/status"},
		"*":                         {"widgets", "levers"},
		"*/*":                       {"widgets", "levers", "levers/status"},
		"cogs.example.com":          nil,
		"*.other.example.com":       nil,
	} {
		t.Run(pattern, func(t *testing.T) {
			var seen []string
			hook := admission.Hook{Name: "a", Resources: []string{pattern},
				Validate: func(_ context.Context, r *admission.Request) error {
					seen = append(seen, strings.TrimSuffix(r.Resource.Resource+"/"+r.Subresource, "/"))
					return nil
				}}
			api := apitest.New(t, rest.Options{Admission: []admission.Hook{hook}}, apitest.WidgetResource())
			apitest.CreateWidget(t, api, "w")
			require.NoError(t, api.AddResources(t.Context(), leverResource()))
			require.NoError(t, api.ReplaceResources(t.Context(), statusLeverResource()))
			apitest.Must(t, api, "POST", levers, leverText)
			apitest.MergePatch(t, api, levers+"/x/status", `{"status":{"turns":1}}`)
			require.NoError(t, api.WithdrawResources(t.Context(), leverName))
			assert.Equal(t, sees, seen)
		})
	}
}

func statusLeverResource() rest.Resource[apimeta.Document] {
	return rest.Resource[apimeta.Document]{Group: "example.com", Version: "v1", Plural: "levers",
		Names: rest.Names{Kind: "Lever"}, Schema: rest.Schema{Status: true,
			OpenAPI: []byte(`{"type":"object","properties":{"spec":{"type":"object","properties":{"length":{"type":"integer"}}},"status":{"type":"object","properties":{"turns":{"type":"integer"}}}}}`)}}
}
