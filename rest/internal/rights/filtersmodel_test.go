package rights_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
)

// Under random writes and changes of roles, a user sees exactly the objects that a simple model of the filters
// predicts. A client that lists, watches, and lists again after 410 always holds what a list shows.
func TestFilteredUsersSeeWhatTheyList(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &filterModel{T: t, random: rand.New(rand.NewPCG(seed, 18)), rights: &filters{only: map[string][]access.Filter{}},
					sees: map[string][]modelFilter{}}
				m.api = apitest.New(t, rest.Options{Now: time.Now, Authenticator: apitest.UserFromHeader, Authorizer: m.rights},
					apitest.WidgetResource(func(r *rest.Resource[apitest.Widget]) {
						r.IndexedLabels = []string{"team"}
					}))
				for _, name := range []string{"alice", "bob", "carol"} {
					m.changeRights(name)
					m.readers = append(m.readers, &filteredReader{model: m, user: name})
				}
				for range 40 {
					m.step()
				}
			})
		})
	}
}

// filterModel is an API, what its users may see, and clients of these users.
type filterModel struct {
	*testing.T
	random  *rand.Rand
	api     *rest.API
	rights  *filters
	sees    map[string][]modelFilter // users who are not in it see everything
	readers []*filteredReader
}

// modelFilter is a filter, and what it means.
type modelFilter struct {
	filter  access.Filter
	matches func(modelWidget) bool
}

// modelWidget is what filters can see of a widget.
type modelWidget struct {
	Metadata struct {
		Namespace, Name, ResourceVersion string
		Labels                           map[string]string
	}
	Spec struct{ Owner string }
}

func (w modelWidget) key() string { return w.Metadata.Namespace + "/" + w.Metadata.Name }

func (m *filterModel) pick(from ...string) string { return from[m.random.IntN(len(from))] }

func (m *filterModel) namespace() string { return m.pick("one", "two") }
func (m *filterModel) team() string      { return m.pick("a", "b", "c") }

// randomFilter returns a filter by a label, a field or the namespace.
func (m *filterModel) randomFilter() modelFilter {
	team, namespace := m.team(), m.namespace()
	switch m.random.IntN(6) {
	case 0:
		return modelFilter{labelled(m, "team="+team), func(w modelWidget) bool { return w.Metadata.Labels["team"] == team }}
	case 1:
		return modelFilter{labelled(m, "team!="+team), func(w modelWidget) bool { return w.Metadata.Labels["team"] != team }}
	case 2:
		return modelFilter{withField(m, "spec.owner="+team), func(w modelWidget) bool { return w.Spec.Owner == team }}
	case 3:
		return modelFilter{withField(m, "spec.owner!="+team), func(w modelWidget) bool { return w.Spec.Owner != team }}
	case 4:
		return modelFilter{access.Filter{Namespace: namespace},
			func(w modelWidget) bool { return w.Metadata.Namespace == namespace }}
	default:
		both := labelled(m, "team="+team)
		both.Namespace = namespace
		return modelFilter{both, func(w modelWidget) bool {
			return w.Metadata.Labels["team"] == team && w.Metadata.Namespace == namespace
		}}
	}
}

// changeRights gives a user other filters, or none.
func (m *filterModel) changeRights(user string) {
	if m.random.IntN(6) == 0 {
		m.rights.mu.Lock()
		delete(m.rights.only, user)
		m.rights.mu.Unlock()
		delete(m.sees, user)
	} else {
		sees, only := []modelFilter{}, []access.Filter{}
		for range m.random.IntN(3) {
			f := m.randomFilter()
			sees, only = append(sees, f), append(only, f.filter)
		}
		m.sees[user] = sees
		m.rights.restrict(user, only...)
	}
	m.api.RightsChanged()
}

// visible reports whether the model says that a user sees a widget.
func (m *filterModel) visible(user string, w modelWidget) bool {
	only, restricted := m.sees[user]
	return !restricted || slices.ContainsFunc(only, func(f modelFilter) bool { return f.matches(w) })
}

// send sends a request of a user, with a merge patch as its body or with a new widget.
func (m *filterModel) send(user, method, target, body string) apitest.Answer {
	media := "application/json"
	if method == http.MethodPatch {
		media = apitest.TypeMergePatch
	}
	return apitest.Do(m, m.api, method, target, body, "Test-User", user, "Content-Type", media)
}

// list returns the widgets that a user lists, and the resourceVersion.
func (m *filterModel) list(user string) ([]modelWidget, string) {
	got := m.send(user, "GET", apitest.AllWidgets, "")
	require.Equal(m, 200, got.Code, got.Body)
	var page struct{ Items []modelWidget }
	got.Decode(m, &page)
	return page.Items, got.ResourceVersion(m)
}

func at(namespace string) string { return apitest.ExampleV1 + "/namespaces/" + namespace + "/widgets" }

// step lets a few things happen at once, and then checks what each user sees.
func (m *filterModel) step() {
	var all sync.WaitGroup
	for range m.random.IntN(5) {
		namespace, name, team, owner := m.namespace(), fmt.Sprintf("w%d", m.random.IntN(6)), m.team(), m.team()
		switch m.random.IntN(5) {
		case 0:
			all.Go(func() { m.send("root", "DELETE", at(namespace)+"/"+name, "") })
		case 1:
			all.Go(func() {
				m.send("root", "PATCH", at(namespace)+"/"+name,
					`{"metadata":{"labels":{"team":"`+team+`"}},"spec":{"owner":"`+owner+`"}}`)
			})
		default:
			all.Go(func() {
				m.send("root", "POST", at(namespace),
					apitest.WidgetBody(`"name":"`+name+`","labels":{"team":"`+team+`"}`, `"spec":{"size":1,"owner":"`+owner+`"}`))
			})
		}
	}
	if m.random.IntN(3) == 0 { // while the writes are under way
		m.changeRights(m.pick("alice", "bob", "carol"))
	}
	all.Wait()
	m.writeAsUser()
	<-time.After(time.Second) // of the bubble: the watches of users with changed rights have ended
	existing, _ := m.list("root")
	for _, r := range m.readers {
		watched := r.state()
		var want []string
		for _, w := range existing {
			if m.visible(r.user, w) {
				want = append(want, w.key()+" "+w.Metadata.ResourceVersion)
			}
		}
		listed, _ := m.list(r.user)
		var got []string
		for _, w := range listed {
			got = append(got, w.key()+" "+w.Metadata.ResourceVersion)
		}
		require.Equal(m, want, got, "what %s lists", r.user)
		require.Equal(m, want, watched, "what %s has watched", r.user)
	}
}

// writeAsUser lets a user relabel an object, which succeeds exactly if the object is visible before and after.
func (m *filterModel) writeAsUser() {
	user, team := m.pick("alice", "bob", "carol"), m.team()
	existing, _ := m.list("root")
	if len(existing) == 0 {
		return
	}
	w := existing[m.random.IntN(len(existing))]
	want, after := 200, w
	after.Metadata.Labels = map[string]string{"team": team}
	switch {
	case !m.visible(user, w):
		want = 404
	case !m.visible(user, after):
		want = 403
	}
	got := m.send(user, "PATCH", at(w.Metadata.Namespace)+"/"+w.Metadata.Name,
		`{"metadata":{"labels":{"team":"`+team+`"}}}`)
	require.Equal(m, want, got.Code, got.Body)
}

// filteredReader is a client that keeps up with the widgets of its user by list and watch.
type filteredReader struct {
	model *filterModel
	user  string
	watch *apitest.Watching
	known map[string]modelWidget
}

// state returns what the client holds after all events that have come. It lists and watches again if its watch has
// ended.
func (r *filteredReader) state() (all []string) {
	for r.watch == nil || r.takeEvents() {
		r.begin()
	}
	for key, w := range r.known {
		all = append(all, key+" "+w.Metadata.ResourceVersion)
	}
	slices.Sort(all)
	return all
}

// begin lists and watches. If the rights of the user change in between, the watch is refused, and begin lists again.
func (r *filteredReader) begin() {
	m := r.model
	for {
		r.known = map[string]modelWidget{}
		listed, rv := m.list(r.user)
		for _, w := range listed {
			r.known[w.key()] = w
		}
		if m.random.IntN(4) == 0 {
			m.changeRights(r.user)
		}
		r.watch = apitest.RequestWatch(m.T, m.api, apitest.AllWidgets+"?watch=1&resourceVersion="+rv, "Test-User", r.user)
		code := r.watch.Code()
		if code == http.StatusOK {
			return
		}
		require.Equal(m, http.StatusGone, code)
	}
}

// takeEvents applies the events that have come, and reports whether the watch has ended.
func (r *filteredReader) takeEvents() (ended bool) {
	for _, text := range r.watch.Events() {
		var e struct {
			Type   string
			Object modelWidget
		}
		require.NoError(r.model, json.Unmarshal([]byte(text), &e))
		_, had := r.known[e.Object.key()]
		switch e.Type {
		case "ADDED":
			require.False(r.model, had, text)
			r.known[e.Object.key()] = e.Object
		case "MODIFIED":
			require.True(r.model, had, text)
			r.known[e.Object.key()] = e.Object
		case "DELETED":
			require.True(r.model, had, text)
			delete(r.known, e.Object.key())
		default:
			require.Contains(r.model, strings.ToLower(text), "expired")
		}
	}
	return r.watch.Ended()
}

// A watch does not continue a list that was read under another filter, even if no watch was open when the filter
// changed.
func TestWatchDoesNotContinueAListUnderOtherRights(t *testing.T) {
	all := []access.Filter{{}}
	for _, c := range []struct {
		name          string
		first, second []access.Filter // nil for no restriction
		code          int
	}{
		{"no restriction", nil, nil, 200},
		{"the same filter", all, all, 200},
		{"a filter comes", nil, []access.Filter{labelled(t, "team=a")}, 410},
		{"another filter", []access.Filter{labelled(t, "team=b")}, []access.Filter{labelled(t, "team=a")}, 410},
		{"the filter goes", []access.Filter{labelled(t, "team=b")}, nil, 410},
	} {
		for _, written := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s %t", c.name, written), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					api, f := teams(t)
					client := apitest.WidgetClient(t, api).AsUser(access.User{Name: "bob"})
					allow := func(only []access.Filter) {
						for _, user := range []string{"alice", "bob"} {
							f.restrict(user, only...)
							if only == nil {
								delete(f.only, user)
							}
						}
					}
					allow(c.first)
					rv := apitest.Must(t, api, "GET", apitest.Widgets, "", "Test-User", "alice").ResourceVersion(t)
					page, err := client.List(t.Context(), rest.ListOptions{})
					require.NoError(t, err)
					if written {
						apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"later","labels":{"team":"a"}`),
							"Test-User", "root")
					}
					allow(c.second)
					require.Equal(t, c.code, apitest.RequestWatch(t, api, apitest.Widgets+"?watch=1&resourceVersion="+rv, "Test-User",
						"alice").Code())
					ctx, stop := context.WithTimeout(t.Context(), time.Second)
					defer stop()
					for _, err = range client.Watch(ctx, rest.WatchOptions{ResourceVersion: page.ResourceVersion}) {
						break
					}
					require.Equal(t, c.code == 410, status.IsExpired(err), err)
				})
			})
		}
	}
}
