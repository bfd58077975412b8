package resource_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/watch"
)

// revised is an API that holds a, b and c and is at revision 6. What it was before revision 4 is forgotten:
//
//	2 a   3 x   4 x deleted | 5 b   6 c
type revised struct {
	*rest.API
	token, old string // continue tokens of a page of one at revision 5, and at revision 3
}

func newRevised(t testing.TB) revised {
	store := apitest.NewStore(t)
	v := revised{API: apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())}
	apitest.CreateWidget(t, v, "a")
	apitest.CreateWidget(t, v, "x")
	v.old = apitest.Do(t, v, "GET", apitest.Widgets+"?limit=1", "").Text(t, "metadata.continue")
	require.NotEmpty(t, v.old)
	apitest.Must(t, v, "DELETE", apitest.Widgets+"/x", "")
	apitest.CreateWidget(t, v, "b")
	v.token = apitest.Do(t, v, "GET", apitest.Widgets+"?limit=1", "").Text(t, "metadata.continue")
	require.NotEmpty(t, v.token)
	apitest.CreateWidget(t, v, "c")
	require.NoError(t, store.Compact(t.Context(), 4))
	require.EqualValues(t, 6, store.Revision())
	return v
}

// Outcomes of a read, in a word or two.
const (
	noMatchWithoutVersion   = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
	noMatchWithContinue     = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden when continue is provided"
	noSuchMatch             = `resourceVersionMatch: Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""`
	noExactZero             = `resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`
	noInitialEventsInList   = "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"
	noVersionWithContinue   = "400 BadRequest: specifying resource version is not allowed when using continue"
	noNumber                = `400 BadRequest: invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax`
	tooLarge                = "504 Timeout: Timeout: Too large resource version: 99, current: 6"
	tooOld                  = "410 Expired: The resourceVersion for the provided list is too old."
	eventsWantMatch         = "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"
	matchWantsEvents        = "resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
	noSuchWatchMatch        = `resourceVersionMatch: Unsupported value: "Foo": supported values: "NotOlderThan"`
	noExactWatchMatch       = `resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"`
	watchTooLarge           = "ERROR " + tooLarge
	watchTooOld             = "ERROR 410 Expired: too old resource version: 2 (4)"
	all, page, rest1, rest2 = "a,b,c at 6", "a at 6 and 2 more", "b at 5", "b,c at 6"
)

// badOptions is the outcome of options that contradict each other.
func badOptions(errs ...string) string {
	text := strings.Join(errs, ", ")
	if len(errs) > 1 {
		text = "[" + text + "]"
	}
	return `422 Invalid: ListOptions.meta.k8s.io "" is invalid: ` + text
}

// said tells an error in one line.
func said(s status.Status) string { return fmt.Sprintf("%d %s: %s", s.Code, s.Reason, s.Message) }

func listed(t testing.TB, a apitest.Answer) string {
	t.Helper()
	if a.Code != 200 {
		var s status.Status
		a.Decode(t, &s)
		require.Equal(t, a.Code, int(s.Code))
		return said(s)
	}
	out := strings.Join(a.Names(t), ",") + " at " + a.ResourceVersion(t)
	if remaining := a.Value(t, "metadata.remainingItemCount"); remaining != nil {
		out += fmt.Sprintf(" and %v more", remaining)
	}
	return out
}

// Every cell of the table of lists (API concepts, Resource versions): which versions a list may ask for, how, and what
// it gets.
func TestVersionsOfLists(t *testing.T) {
	versions := []string{"", "0", "5", "6", "2", "99", "abc"}
	for _, row := range []struct {
		match, paging string
		want          [7]string // the order is that of versions
	}{
		{"", "", [7]string{all, all, all, all, all, tooLarge, noNumber}},
		{"", "limit=1", [7]string{page, all, "a at 5 and 1 more", page, tooOld, tooLarge, noNumber}},
		{"", "limit=-1", [7]string{all, all, all, all, all, tooLarge, noNumber}},
		{"", "continue", [7]string{rest1, rest1, noVersionWithContinue, noVersionWithContinue, noVersionWithContinue,
			noVersionWithContinue, noVersionWithContinue}},
		{"", "continue&limit=1", [7]string{rest1, rest1, noVersionWithContinue, noVersionWithContinue, noVersionWithContinue,
			noVersionWithContinue, noVersionWithContinue}},
		{"NotOlderThan", "", [7]string{badOptions(noMatchWithoutVersion), all, all, all, all, tooLarge, noNumber}},
		{"NotOlderThan", "limit=1", [7]string{badOptions(noMatchWithoutVersion), all, page, page, page, tooLarge, noNumber}},
		{"NotOlderThan", "continue",
			[7]string{badOptions(noMatchWithoutVersion, noMatchWithContinue), badOptions(noMatchWithContinue),
				badOptions(noMatchWithContinue),
				badOptions(noMatchWithContinue), badOptions(noMatchWithContinue), badOptions(noMatchWithContinue),
				badOptions(noMatchWithContinue)}},
		{"Exact", "", [7]string{badOptions(noMatchWithoutVersion), badOptions(noExactZero), "a,b at 5", all, tooOld, tooLarge,
			noNumber}},
		{"Exact", "limit=1", [7]string{badOptions(noMatchWithoutVersion), badOptions(noExactZero), "a at 5 and 1 more", page,
			tooOld, tooLarge, noNumber}},
		{"Exact", "continue", [7]string{badOptions(noMatchWithoutVersion, noMatchWithContinue),
			badOptions(noMatchWithContinue, noExactZero), badOptions(noMatchWithContinue),
			badOptions(noMatchWithContinue), badOptions(noMatchWithContinue), badOptions(noMatchWithContinue),
			badOptions(noMatchWithContinue)}},
		{"Foo", "", [7]string{badOptions(noMatchWithoutVersion, noSuchMatch), badOptions(noSuchMatch),
			badOptions(noSuchMatch), badOptions(noSuchMatch), badOptions(noSuchMatch), badOptions(noSuchMatch),
			badOptions(noSuchMatch)}},
		{"Foo", "continue", [7]string{badOptions(noMatchWithoutVersion, noMatchWithContinue, noSuchMatch),
			badOptions(noMatchWithContinue, noSuchMatch), badOptions(noMatchWithContinue, noSuchMatch),
			badOptions(noMatchWithContinue, noSuchMatch), badOptions(noMatchWithContinue, noSuchMatch),
			badOptions(noMatchWithContinue, noSuchMatch),
			badOptions(noMatchWithContinue, noSuchMatch)}},
		{"", "sendInitialEvents=true", [7]string{badOptions(noInitialEventsInList), badOptions(noInitialEventsInList),
			badOptions(noInitialEventsInList), badOptions(noInitialEventsInList),
			badOptions(noInitialEventsInList), badOptions(noInitialEventsInList), badOptions(noInitialEventsInList)}},
		{"Exact", "sendInitialEvents=0", [7]string{badOptions(noMatchWithoutVersion, noInitialEventsInList),
			badOptions(noExactZero, noInitialEventsInList), badOptions(noInitialEventsInList),
			badOptions(noInitialEventsInList), badOptions(noInitialEventsInList), badOptions(noInitialEventsInList),
			badOptions(noInitialEventsInList)}},
	} {
		for i, version := range versions {
			t.Run(fmt.Sprintf("%s %s %s", row.match, row.paging, version), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { // in a bubble, waiting for a version takes no time
					api := newRevised(t)
					query := strings.Replace(row.paging, "continue", "continue="+api.token, 1)
					query += "&" + url.Values{"resourceVersion": {version}, "resourceVersionMatch": {row.match}}.Encode()
					a := apitest.Do(t, api, "GET", apitest.Widgets+"?"+query, "")
					assert.Equal(t, row.want[i], listed(t, a))
					if a.Code == 504 {
						assert.Equal(t, "1", a.Header.Get("Retry-After"))
						assert.Contains(t, a.Body, `{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}`)
					}
				})
			})
		}
	}
}

// A page says how many objects remain. Its token fails if the snapshot is gone or the token is forged.
func TestPagesAndTheirTokens(t *testing.T) {
	api := newRevised(t)
	t.Run("a snapshot that is gone", func(t *testing.T) {
		a := apitest.Do(t, api, "GET", apitest.Widgets+"?continue="+api.old, "")
		assert.True(t, strings.HasPrefix(listed(t, a),
			"410 Expired: The provided continue parameter is too old to display a consistent list result."))
		restart := a.Text(t, "metadata.continue")
		require.NotEmpty(t, restart)
		assert.Equal(t, rest2, listed(t, apitest.Do(t, api, "GET", apitest.Widgets+"?continue="+restart, "")),
			"the rest, as it is now")
	})
	t.Run("a token of another list", func(t *testing.T) {
		forged := func(revision int, start string) string {
			return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, `{"v":"meta.k8s.io/v1","rv":%d,"start":"%s"}`, revision,
				start))
		}
		for start, want := range map[string]string{
			`a\u0000`:              "b,c at 6",
			`other/a\u0000`:        `400 BadRequest: invalid continue token: continue key is not valid: encoded start key does not belong to this server`,
			"../../other/things/a": `400 BadRequest: invalid continue token: continue key is not valid: encoded start key does not belong to this server`,
			"":                     "400 BadRequest: invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)",
		} {
			assert.Equal(t, want, listed(t, apitest.Do(t, api, "GET", apitest.Widgets+"?continue="+forged(-1, start), "")),
				start)
		}
		assert.Equal(t, "400 BadRequest: invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
			listed(t, apitest.Do(t, api, "GET", apitest.Widgets+"?continue="+forged(0, `a\u0000`), "")))
	})
	t.Run("errors about a token come first", func(t *testing.T) {
		assert.True(t, strings.HasPrefix(listed(t,
			apitest.Do(t, api, "GET", apitest.Widgets+"?resourceVersion=abc&continue=!", "")),
			"400 BadRequest: invalid continue token: "))
	})
	t.Run("behind a selector nothing is counted", func(t *testing.T) {
		assert.Equal(t, "a at 6", listed(t,
			apitest.Do(t, api, "GET", apitest.Widgets+"?limit=1&fieldSelector=metadata.namespace%3Ddefault", "")))
		assert.Equal(t, "a at 6", listed(t, apitest.Do(t, api, "GET", apitest.Widgets+"?limit=1&labelSelector=!none", "")))
	})
}

// A GET may ask for a version not to be older than.
func TestVersionsOfGet(t *testing.T) {
	for version, want := range map[string]string{"": "5", "0": "5", "2": "5", "6": "5", "99": tooLarge, "abc": noNumber} {
		synctest.Test(t, func(t *testing.T) {
			a := apitest.Do(t, newRevised(t), "GET", apitest.Widgets+"/b?resourceVersion="+version, "")
			got := a.ResourceVersion(t)
			if a.Code != 200 {
				got = listed(t, a)
			}
			assert.Equal(t, want, got, "resourceVersion=%q", version)
		})
	}
	a := apitest.Do(t, newRevised(t), "GET", apitest.Widgets+"/b?export", "")
	assert.Equal(t, "400 BadRequest: the export parameter, deprecated since v1.14, is no longer supported", listed(t, a))
}

// told tells the events of a watch in one line: the types with names, or with the version for bookmarks.
func told(t testing.TB, lines []string) string {
	t.Helper()
	var out []string
	for _, line := range lines {
		var e struct {
			Type   string
			Object struct {
				Code            int32
				Reason, Message string
				Metadata        struct {
					Name, ResourceVersion string
					Annotations           map[string]string
				}
			}
		}
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		switch {
		case e.Type == "ERROR":
			out = append(out, fmt.Sprintf("ERROR %d %s: %s", e.Object.Code, e.Object.Reason, e.Object.Message))
		case e.Object.Metadata.Annotations["k8s.io/initial-events-end"] == "true":
			out = append(out, "END "+e.Object.Metadata.ResourceVersion)
		default:
			out = append(out, e.Type+" "+e.Object.Metadata.Name)
		}
	}
	return strings.Join(out, " ")
}

// Every cell of the table of watches: where one may begin, and with what.
func TestVersionsOfWatches(t *testing.T) {
	const state, end = "ADDED a ADDED b ADDED c", " END 6"
	versions := []string{"", "0", "4", "6", "2", "99", "abc"}
	for _, row := range []struct {
		match, more string
		want        [7]string // the order is that of versions
	}{
		{"", "", [7]string{state, state, "ADDED b ADDED c", "", watchTooOld, tooLarge, noNumber}},
		{"", "allowWatchBookmarks=true",
			[7]string{state + end, state + end, "ADDED b ADDED c", "", watchTooOld, tooLarge, noNumber}},
		{"", "sendInitialEvents=true",
			[7]string{badOptions(eventsWantMatch), badOptions(eventsWantMatch), badOptions(eventsWantMatch),
				badOptions(eventsWantMatch), badOptions(eventsWantMatch), badOptions(eventsWantMatch),
				badOptions(eventsWantMatch)}},
		{"", "sendInitialEvents=false",
			[7]string{badOptions(eventsWantMatch), badOptions(eventsWantMatch), badOptions(eventsWantMatch),
				badOptions(eventsWantMatch), badOptions(eventsWantMatch), badOptions(eventsWantMatch),
				badOptions(eventsWantMatch)}},
		{"NotOlderThan", "", [7]string{badOptions(matchWantsEvents), badOptions(matchWantsEvents),
			badOptions(matchWantsEvents), badOptions(matchWantsEvents), badOptions(matchWantsEvents),
			badOptions(matchWantsEvents), badOptions(matchWantsEvents)}},
		{"NotOlderThan", "sendInitialEvents=true", [7]string{state, state, state, state, state, watchTooLarge, noNumber}},
		{"NotOlderThan", "sendInitialEvents=true&allowWatchBookmarks=true",
			[7]string{state + end, state + end, state + end, state + end, state + end, watchTooLarge, noNumber}},
		{"NotOlderThan", "sendInitialEvents=false",
			[7]string{"", "", "ADDED b ADDED c", "", watchTooOld, tooLarge, noNumber}},
		{"Exact", "", [7]string{badOptions(matchWantsEvents, noExactWatchMatch),
			badOptions(matchWantsEvents, noExactWatchMatch), badOptions(matchWantsEvents, noExactWatchMatch),
			badOptions(matchWantsEvents, noExactWatchMatch), badOptions(matchWantsEvents, noExactWatchMatch),
			badOptions(matchWantsEvents, noExactWatchMatch), badOptions(matchWantsEvents, noExactWatchMatch)}},
		{"Exact", "sendInitialEvents=true", [7]string{badOptions(eventsWantMatch, noExactWatchMatch),
			badOptions(eventsWantMatch, noExactWatchMatch), badOptions(eventsWantMatch, noExactWatchMatch),
			badOptions(eventsWantMatch, noExactWatchMatch), badOptions(eventsWantMatch, noExactWatchMatch),
			badOptions(eventsWantMatch, noExactWatchMatch), badOptions(eventsWantMatch, noExactWatchMatch)}},
		{"Foo", "sendInitialEvents=true",
			[7]string{badOptions(eventsWantMatch, noSuchWatchMatch), badOptions(eventsWantMatch, noSuchWatchMatch),
				badOptions(eventsWantMatch, noSuchWatchMatch),
				badOptions(eventsWantMatch, noSuchWatchMatch), badOptions(eventsWantMatch, noSuchWatchMatch),
				badOptions(eventsWantMatch, noSuchWatchMatch), badOptions(eventsWantMatch, noSuchWatchMatch)}},
		{"", "continue=x", [7]string{badOptions(noMatchWithContinue), badOptions(noMatchWithContinue), "ADDED b ADDED c", "",
			watchTooOld, tooLarge, noNumber}},
		{"NotOlderThan", "sendInitialEvents=true&continue=x",
			[7]string{badOptions(noMatchWithContinue), badOptions(noMatchWithContinue), badOptions(noMatchWithContinue),
				badOptions(noMatchWithContinue),
				badOptions(noMatchWithContinue), badOptions(noMatchWithContinue), badOptions(noMatchWithContinue)}},
	} {
		for i, version := range versions {
			t.Run(fmt.Sprintf("%s %s %s", row.match, row.more, version), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					target := apitest.Widgets + "?watch=1&" + row.more + "&" + url.Values{"resourceVersion": {version},
						"resourceVersionMatch": {row.match}}.Encode()
					if c := row.want[i]; strings.HasPrefix(c, "4") || c == tooLarge {
						assert.Equal(t, c, listed(t, apitest.Do(t, newRevised(t), "GET", target, "")), "in plain HTTP, before the stream")
						return
					}
					s := apitest.OpenWatch(t, newRevised(t), target)
					if strings.HasPrefix(row.want[i], "ERROR") {
						<-s.Done
					}
					assert.Equal(t, row.want[i], told(t, s.Events()))
					assert.Equal(t, strings.HasPrefix(row.want[i], "ERROR"), s.Ended())
				})
			})
		}
	}
}

// The older way to ask for a watch, by the path.
func TestWatchByPath(t *testing.T) {
	const base = apitest.ExampleV1 + "/watch"
	for _, c := range []struct{ target, want string }{
		{base + "/widgets", "ADDED a ADDED b ADDED c"},
		{base + "/namespaces/default/widgets", "ADDED a ADDED b ADDED c"},
		{base + "/namespaces/other/widgets", ""},
		{base + "/namespaces/default/widgets/b", "ADDED b"},
		{base + "/namespaces/default/widgets/none", ""},
		{base + "/namespaces/default/widgets/b?fieldSelector=metadata.name%3Db", "ADDED b"},
		{base + "/namespaces/default/widgets?watch=true&resourceVersion=5", "ADDED c"},
	} {
		synctest.Test(t, func(t *testing.T) {
			assert.Equal(t, c.want, told(t, apitest.OpenWatch(t, newRevised(t), c.target).Events()), c.target)
		})
	}
	api := newRevised(t)
	assert.Equal(t, "400 BadRequest: fieldSelector metadata.name doesn't match requested name",
		listed(t, apitest.Do(t, api, "GET", base+"/namespaces/default/widgets/b?fieldSelector=metadata.name%3Da", "")))
	assert.Equal(t, 405, apitest.Do(t, api, "POST", base+"/widgets", apitest.WidgetBody(`"name":"d"`)).Code)
	assert.Equal(t, 404, apitest.Do(t, api, "GET", base+"/gadgets", "").Code)
}

// An object is got by its own URL, whatever is asked of it: a watch of one object goes over its collection.
func TestObjectIsNotWatchedAtItsOwnURL(t *testing.T) {
	api := newRevised(t)
	a := apitest.Do(t, api, "GET", apitest.Widgets+"/b?watch=true", "")
	assert.Equal(t, 200, a.Code)
	assert.Equal(t, "b", a.Text(t, "metadata.name"))
}

// askedStore notes which revision a read asks for.
type askedStore struct {
	storage.Store
	asked []string
}

func (s *askedStore) note(revision watch.Revision) {
	switch revision {
	case storage.MostRecent:
		s.asked = append(s.asked, "most recent")
	case storage.Any:
		s.asked = append(s.asked, "any")
	default:
		s.asked = append(s.asked, fmt.Sprint("from ", revision))
	}
}

func (s *askedStore) Get(ctx context.Context, key storage.Key, atLeast watch.Revision) (*storage.Record, error) {
	s.note(atLeast)
	return s.Store.Get(ctx, key, atLeast)
}

func (s *askedStore) List(ctx context.Context, options storage.Query, into []*storage.Record) (storage.Listing, error) {
	s.note(options.Revision)
	return s.Store.List(ctx, options, into)
}

// A read that names no version is one of the most recent state, for a replica too; "0" is any state that it has.
func TestReadsAskTheStoreForAVersion(t *testing.T) {
	memory := apitest.NewStore(t)
	store := &askedStore{Store: memory}
	api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	apitest.CreateWidget(t, api, "a")
	for _, target := range []string{"/a", "/a/status", "", "?limit=1", "?labelSelector=x"} {
		for version, want := range map[string]string{"": "most recent", "resourceVersion=0": "any",
			"resourceVersion=2": "from 2"} {
			if target == "?limit=1" && version == "resourceVersion=2" {
				continue
			}
			store.asked = nil
			apitest.Must(t, api, "GET",
				apitest.Widgets+target+map[bool]string{true: "&", false: "?"}[strings.Contains(target, "?")]+version, "")
			assert.Equal(t, []string{want}, store.asked, "%s %s", target, version)
		}
	}
	objects, key := api.Objects(), storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "a"}
	client := apitest.WidgetClient(t, api)
	for name, read := range map[string]func() error{
		"Objects.Get":  func() error { _, err := objects.Get(t.Context(), key); return err },
		"Objects.List": func() error { _, err := objects.List(t.Context(), key.Resource, ""); return err },
		"Client.Get":   func() error { _, err := client.Get(t.Context(), "a"); return err },
		"Client.List":  func() error { _, err := client.List(t.Context(), rest.ListOptions{}); return err },
	} {
		store.asked = nil
		require.NoError(t, read(), name)
		assert.Equal(t, []string{"most recent"}, store.asked, name)
	}
}
