package resource_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

func TestList(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200, apitest.WidgetList(`"resourceVersion":"1"`))
	apitest.CreateWidget(t, api, "b")
	apitest.CreateWidget(t, api, "a")
	apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/another/widgets", apitest.WidgetBody(`"name":"z"`))
	b, a := apitest.StoredWidget{Name: "b"}.String(), apitest.StoredWidget{Name: "a", UID: "uid-2", RV: "3"}.String()
	z := strings.Replace(apitest.StoredWidget{Name: "z", UID: "uid-3", RV: "4"}.String(), `"default"`, `"another"`, 1)
	for _, c := range []struct{ name, target, want string }{
		{"in the order of names", apitest.Widgets, apitest.WidgetList(`"resourceVersion":"4"`, a, b)},
		{"of all namespaces, in the order of namespace and name", apitest.AllWidgets,
			apitest.WidgetList(`"resourceVersion":"4"`, z, a, b)},
		{"with an empty namespace", apitest.ExampleV1 + "/namespaces//widgets",
			apitest.WidgetList(`"resourceVersion":"4"`, z, a, b)},
		{"with parameters that do not change it",
			apitest.Widgets + "?timeoutSeconds=5&allowWatchBookmarks=true&watch=false&foo=bar&limit=0&continue=",
			apitest.WidgetList(`"resourceVersion":"4"`, a, b)},
		{"with a negative limit", apitest.Widgets + "?limit=-1", apitest.WidgetList(`"resourceVersion":"4"`, a, b)},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := apitest.Do(t, api, "GET", c.target, "")
			apitest.WantJSON(t, got, 200, c.want)
			assert.Equal(t, "no-cache, private", got.Header.Get("Cache-Control"))
		})
	}
}

// A list is written in chunks; their borders do not show.
func TestListOfLargeObjects(t *testing.T) {
	api := apitest.NewWidgets(t)
	const count = 30
	var want []string
	for i := range count {
		name := fmt.Sprintf("w%02d", i)
		size := 5000
		if i%10 == 7 {
			size = 100_000
		}
		want = append(want, apitest.CreateWidget(t, api, name,
			`"spec":{"size":1,"settings":{"k":"`+strings.Repeat("x", size)+`"}}`).Body)
	}
	apitest.WantJSON(t, apitest.Do(t, api, "GET", apitest.Widgets, ""), 200,
		apitest.WidgetList(`"resourceVersion":"31"`, want...))
	apitest.WantJSON(t, apitest.List(t, api, apitest.Widgets, "pretty", "1"), 200,
		apitest.WidgetList(`"resourceVersion":"31"`, want...))
}

// A client that knows the length of a list needs no chunks, and neither does the server.
func TestListAnnouncesItsLength(t *testing.T) {
	for name, dialect := range map[string]rest.Dialect{"custom": rest.DialectCustom, "built-in": rest.DialectBuiltin} {
		r := apitest.ThingResource()
		r.Wire.Dialect = dialect
		s := apitest.NewThingServer(t, rest.Options{}, r)
		s.Fill(t, 60) // more than one chunk
		for _, query := range []string{"", "?limit=1", "?limit=3", "?labelSelector=absent"} {
			for _, accept := range []string{apitest.TypeJSON, apitest.AcceptPartials} {
				t.Run(name+query+accept, func(t *testing.T) {
					got := s.Do("GET", apitest.Things+query, "", "Accept", accept)
					require.Equal(t, 200, got.Code)
					assert.Equal(t, strconv.Itoa(len(got.Body+"\n")), got.Header.Get("Content-Length"))
				})
			}
		}
	}
}

func TestListInPages(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, name := range []string{"c", "a", "e", "b", "d"} {
		apitest.CreateWidget(t, api, name)
	}
	for _, c := range []struct {
		name   string
		limits []string
		want   [][]string
	}{
		{"of two", []string{"2", "2", "2"}, [][]string{{"a", "b"}, {"c", "d"}, {"e"}}},
		{"of one", []string{"1", "1", "1", "1", "1"}, [][]string{{"a"}, {"b"}, {"c"}, {"d"}, {"e"}}},
		{"with another limit later", []string{"1", "3", "2"}, [][]string{{"a"}, {"b", "c", "d"}, {"e"}}},
		{"with no limit later", []string{"1", ""}, [][]string{{"a"}, {"b", "c", "d", "e"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			token, left := "", 5
			for i, limit := range c.limits {
				page := apitest.List(t, api, apitest.Widgets, "limit", limit, "continue", token)
				assert.Equal(t, c.want[i], page.Names(t))
				assert.Equal(t, "6", page.ResourceVersion(t), "all pages are of one revision")
				token = page.Text(t, "metadata.continue")
				if left -= len(c.want[i]); left > 0 {
					assert.NotEmpty(t, token)
					assert.Equal(t, float64(left), page.Value(t, "metadata.remainingItemCount"))
				} else {
					assert.Empty(t, token)
					assert.Nil(t, page.Value(t, "metadata.remainingItemCount"))
				}
			}
		})
	}
	t.Run("across namespaces", func(t *testing.T) {
		apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/aaa/widgets", apitest.WidgetBody(`"name":"z"`))
		apitest.Must(t, api, "POST", apitest.ExampleV1+"/namespaces/zzz/widgets", apitest.WidgetBody(`"name":"a"`))
		var names []string
		token := ""
		for range 7 {
			page := apitest.List(t, api, apitest.AllWidgets, "limit", "1", "continue", token)
			names = append(names, page.Text(t, "items.0.metadata.namespace")+"/"+page.Text(t, "items.0.metadata.name"))
			token = page.Text(t, "metadata.continue")
		}
		assert.Empty(t, token)
		assert.Equal(t, []string{"aaa/z", "default/a", "default/b", "default/c", "default/d", "default/e", "zzz/a"}, names)
	})
}

// Pages after the first show the state of the first, whatever has been written since.
func TestPagesAreOneSnapshot(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, name := range []string{"a", "b", "d"} {
		apitest.CreateWidget(t, api, name)
	}
	first := apitest.List(t, api, apitest.Widgets, "limit", "1")
	apitest.CreateWidget(t, api, "c")
	apitest.MergePatch(t, api, apitest.Widgets+"/b", `{"spec":{"size":2}}`)
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/d", "")
	rest := apitest.List(t, api, apitest.Widgets, "continue", first.Text(t, "metadata.continue"))
	apitest.WantJSON(t, rest, 200,
		apitest.WidgetList(`"resourceVersion":"4"`, apitest.StoredWidget{Name: "b", UID: "uid-2", RV: "3"}.String(),
			apitest.StoredWidget{Name: "d", UID: "uid-3", RV: "4"}.String()))
	assert.Equal(t, []string{"a", "b", "c"}, apitest.List(t, api, apitest.Widgets).Names(t))
}

func TestRemainingItemsAreNotCountedBehindASelector(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, name := range []string{"a", "c", "d"} {
		apitest.Must(t, api, "POST", apitest.Widgets, apitest.WidgetBody(`"name":"`+name+`","labels":{"x":"y"}`))
	}
	apitest.CreateWidget(t, api, "b")
	page := apitest.List(t, api, apitest.Widgets, "labelSelector", "x=y", "limit", "2")
	assert.Equal(t, []string{"a", "c"}, page.Names(t))
	assert.Nil(t, page.Value(t, "metadata.remainingItemCount"))
	page = apitest.List(t, api, apitest.Widgets, "labelSelector", "x=y", "limit", "2", "continue",
		page.Text(t, "metadata.continue"))
	assert.Equal(t, []string{"d"}, page.Names(t))
	assert.Empty(t, page.Text(t, "metadata.continue"))
}

// A token is good wherever the same objects are served: after a restart, or by another replica.
func TestContinueElsewhere(t *testing.T) {
	store := apitest.NewStore(t)
	one := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	for _, name := range []string{"a", "b", "c"} {
		apitest.CreateWidget(t, one, name)
	}
	first := apitest.List(t, one, apitest.Widgets, "limit", "1")
	require.Equal(t, []string{"a"}, first.Names(t))
	another := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	apitest.Must(t, one, "DELETE", apitest.Widgets+"/b", "")
	require.NoError(t, one.Close())
	left := apitest.List(t, another, apitest.Widgets, "continue", first.Text(t, "metadata.continue"))
	assert.Equal(t, []string{"b", "c"}, left.Names(t), "what was there when the list began")
	assert.Equal(t, first.Text(t, "metadata.resourceVersion"), left.Text(t, "metadata.resourceVersion"))
}

func TestContinueRefuses(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	apitest.CreateWidget(t, api, "b")
	token := apitest.List(t, api, apitest.Widgets, "limit", "1").Text(t, "metadata.continue")
	forged := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	const bad = "invalid continue token: continue key is not valid: "
	for _, c := range []struct{ name, token, message string }{
		{"no base64", "gar!bage", bad + "illegal base64 data at input byte 3"},
		{"another version", forged(`{"v":"v9","rv":2,"start":"a\u0000"}`),
			bad + "server does not recognize this encoded version v9"},
		{"no revision", forged(`{"v":"meta.k8s.io/v1","start":"a\u0000"}`),
			bad + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
		{"no key", forged(`{"v":"meta.k8s.io/v1","rv":2}`), bad + "encoded start key empty (version meta.k8s.io/v1)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.List(t, api, apitest.Widgets, "limit", "1", "continue", c.token), 400, "BadRequest",
				c.message, "")
		})
	}
	t.Run("another start of the caller's own list", func(t *testing.T) {
		for start, want := range map[string][]string{"a": {"a", "b"}, "a-": {"b"}, "b": {"b"}, "c": {}} {
			assert.Equal(t, want, apitest.List(t, api, apitest.Widgets, "continue",
				forged(`{"v":"meta.k8s.io/v1","rv":-1,"start":"`+start+`"}`)).Names(t), start)
		}
	})
	t.Run("together with a version", func(t *testing.T) {
		apitest.WantFailure(t, apitest.List(t, api, apitest.Widgets, "continue", token, "resourceVersion", "2"), 400,
			"BadRequest", "specifying resource version is not allowed when using continue", "")
		assert.Equal(t, 200, apitest.List(t, api, apitest.Widgets, "continue", token, "resourceVersion", "0").Code)
	})
	t.Run("together with a match", func(t *testing.T) {
		apitest.WantInvalid(t, apitest.List(t, api, apitest.Widgets, "continue", token, "resourceVersion", "2",
			"resourceVersionMatch", "NotOlderThan"), "ListOptions.meta.k8s.io", "",
			apitest.Forbidden("resourceVersionMatch", "Forbidden: resourceVersionMatch is forbidden when continue is provided"))
	})
}

// A page older than the retained history gets 410, with a token that continues in the present state.
func TestContinueAfterCompaction(t *testing.T) {
	store := apitest.NewStore(t)
	api := apitest.New(t, rest.Options{Store: store}, apitest.WidgetResource())
	for _, name := range []string{"a", "b", "d"} {
		apitest.CreateWidget(t, api, name)
	}
	first := apitest.List(t, api, apitest.Widgets, "limit", "1")
	apitest.CreateWidget(t, api, "c")
	apitest.Must(t, api, "DELETE", apitest.Widgets+"/b", "")
	require.NoError(t, store.Compact(context.Background(), store.Revision()))

	expired := apitest.List(t, api, apitest.Widgets, "limit", "1", "continue", first.Text(t, "metadata.continue"))
	require.Equal(t, 410, expired.Code, expired.Body)
	assert.Equal(t, "Expired", expired.Text(t, "reason"))
	assert.Equal(t, "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, "+
		"or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - "+
		"objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.", expired.Text(t, "message"))

	rest := apitest.List(t, api, apitest.Widgets, "limit", "1", "continue", expired.Text(t, "metadata.continue"))
	assert.Equal(t, []string{"c"}, rest.Names(t))
	assert.Equal(t, "6", rest.ResourceVersion(t))
	rest = apitest.List(t, api, apitest.Widgets, "limit", "1", "continue", rest.Text(t, "metadata.continue"))
	assert.Equal(t, []string{"d"}, rest.Names(t))

	apitest.WantFailure(t, apitest.List(t, api, apitest.Widgets, "resourceVersion", "3", "resourceVersionMatch", "Exact"),
		410, "Expired", "The resourceVersion for the provided list is too old.", "")
}

// The table of API concepts, The resourceVersion parameter: three objects at 2, 3 and 4, one of them changed at 5.
func TestListAtAVersion(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, name := range []string{"a", "b", "c"} {
		apitest.CreateWidget(t, api, name)
	}
	apitest.MergePatch(t, api, apitest.Widgets+"/a", `{"spec":{"size":2}}`)
	for _, c := range []struct {
		match, version, limit string
		names                 []string
		at                    string
		size                  float64 // the size of a in lists that contain it
	}{
		{"", "", "", []string{"a", "b", "c"}, "5", 2},
		{"", "", "2", []string{"a", "b"}, "5", 2},
		{"", "0", "", []string{"a", "b", "c"}, "5", 2},
		{"", "0", "2", []string{"a", "b", "c"}, "5", 2}, // a limit does not count then
		{"", "3", "", []string{"a", "b", "c"}, "5", 2},
		{"", "3", "1", []string{"a"}, "3", 1}, // by the letter of the first releases: exactly
		{"NotOlderThan", "0", "", []string{"a", "b", "c"}, "5", 2},
		{"NotOlderThan", "3", "", []string{"a", "b", "c"}, "5", 2},
		{"NotOlderThan", "3", "1", []string{"a"}, "5", 2},
		{"Exact", "3", "", []string{"a", "b"}, "3", 1},
		{"Exact", "4", "2", []string{"a", "b"}, "4", 1},
		{"Exact", "5", "", []string{"a", "b", "c"}, "5", 2},
	} {
		t.Run(fmt.Sprintf("match %s version %s limit %s", c.match, c.version, c.limit), func(t *testing.T) {
			a := apitest.List(t, api, apitest.Widgets, "resourceVersionMatch", c.match, "resourceVersion", c.version, "limit",
				c.limit)
			require.Equal(t, 200, a.Code, a.Body)
			assert.Equal(t, c.names, a.Names(t))
			assert.Equal(t, c.at, a.ResourceVersion(t))
			assert.Equal(t, c.size, a.Value(t, "items.0.spec.size"))
		})
	}
	t.Run("pages of an exact version", func(t *testing.T) {
		page := apitest.List(t, api, apitest.Widgets, "resourceVersionMatch", "Exact", "resourceVersion", "4", "limit", "2")
		page = apitest.List(t, api, apitest.Widgets, "limit", "2", "continue", page.Text(t, "metadata.continue"))
		assert.Equal(t, []string{"c"}, page.Names(t))
		assert.Equal(t, "4", page.ResourceVersion(t))
	})
}

func TestListRefusesOptions(t *testing.T) {
	api := apitest.NewWidgets(t)
	apitest.CreateWidget(t, api, "a")
	const needsVersion = "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided"
	for _, c := range []struct {
		name   string
		query  []string
		causes []apitest.Cause
	}{
		{"Exact without a version", []string{"resourceVersionMatch", "Exact"},
			[]apitest.Cause{apitest.Forbidden("resourceVersionMatch", needsVersion)}},
		{"NotOlderThan without a version", []string{"resourceVersionMatch", "NotOlderThan", "limit", "1"},
			[]apitest.Cause{apitest.Forbidden("resourceVersionMatch", needsVersion)}},
		{"exactly any", []string{"resourceVersionMatch", "Exact", "resourceVersion", "0"},
			[]apitest.Cause{apitest.Forbidden("resourceVersionMatch",
				`Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"`)}},
		{"an unknown match", []string{"resourceVersionMatch", "Foo", "resourceVersion", "2"},
			[]apitest.Cause{apitest.NotSupported("resourceVersionMatch",
				`Unsupported value: "Foo": supported values: "Exact", "NotOlderThan", ""`)}},
		{"initial events", []string{"sendInitialEvents", "true"},
			[]apitest.Cause{apitest.Forbidden("sendInitialEvents", "Forbidden: sendInitialEvents is forbidden for list")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantInvalid(t, apitest.List(t, api, apitest.Widgets, c.query...), "ListOptions.meta.k8s.io", "", c.causes...)
		})
	}
	for _, c := range []struct{ name, parameter, value, message string }{
		{"a limit that is not an integer", "limit", "1.5", `strconv.ParseInt: parsing "1.5": invalid syntax`},
		{"timeoutSeconds", "timeoutSeconds", "abc", `strconv.ParseInt: parsing "abc": invalid syntax`},
		{"a timeout that is not a duration", "timeout", "abc",
			`invalid timeout specified in the request URL - time: invalid duration "abc"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			apitest.WantFailure(t, apitest.List(t, api, apitest.Widgets, c.parameter, c.value), 400, "BadRequest", c.message, "")
		})
	}
	t.Run("a version from the future", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			apitest.WantFailure(t, apitest.List(t, apitest.NewWidgets(t), apitest.Widgets, "resourceVersion", "9999"), 504,
				"Timeout", "Timeout: Too large resource version: 9999, current: 1",
				`{"causes":[{"reason":"ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1}`)
		})
	})
}

func TestSelectors(t *testing.T) {
	api := apitest.NewWidgets(t)
	for name, labels := range map[string]string{"none": `{}`, "x1": `{"x":"1"}`, "x2": `{"x":"2"}`,
		"x2y": `{"x":"2","y":"v","example.com/k":"v"}`, "xe": `{"x":""}`} {
		color := map[string]string{"x1": "green", "x2": "blue"}[name]
		if color == "" {
			color = "red"
		}
		owner := ""
		if strings.HasPrefix(name, "x2") {
			owner = `,"owner":"me"`
		}
		apitest.Must(t, api, "POST", apitest.Widgets,
			apitest.WidgetBody(`"name":"`+name+`","labels":`+labels, `"spec":{"size":1,"color":"`+color+`"`+owner+`}`))
	}
	for _, c := range []struct {
		labels, fields string
		want           []string
	}{
		{"", "", []string{"none", "x1", "x2", "x2y", "xe"}},
		{"x=2", "", []string{"x2", "x2y"}},
		{"x==2", "", []string{"x2", "x2y"}},
		{"x!=2", "", []string{"none", "x1", "xe"}},
		{"x in (1, 2)", "", []string{"x1", "x2", "x2y"}},
		{"x notin (1,2)", "", []string{"none", "xe"}},
		{"x in ()", "", []string{"xe"}},
		{"x in (,1)", "", []string{"x1", "xe"}},
		{"x", "", []string{"x1", "x2", "x2y", "xe"}},
		{"!x", "", []string{"none"}},
		{"x=2,y", "", []string{"x2y"}},
		{"x=2,!y", "", []string{"x2"}},
		{"x=1,x=2", "", []string{}},
		{"x=", "", []string{"xe"}},
		{"x>1", "", []string{"x2", "x2y"}},
		{"x<2", "", []string{"x1"}},
		{"  x  =  2  ,  y  ", "", []string{"x2y"}},
		{"example.com/k=v", "", []string{"x2y"}},
		{"", "metadata.name=x1", []string{"x1"}},
		{"", "metadata.name!=x1", []string{"none", "x2", "x2y", "xe"}},
		{"", "metadata.namespace=default,metadata.name=none", []string{"none"}},
		{"", "metadata.namespace=other", []string{}},
		{"", "metadata.namespace!=default", []string{}},
		{"", "metadata.name=x1,metadata.name=x2", []string{}},
		{"", "spec.color=green", []string{"x1"}},
		{"", "spec.color!=red", []string{"x1", "x2"}},
		{"", "spec.owner=me,spec.color=blue", []string{"x2"}},
		{"", "spec.owner=", []string{"none", "x1", "xe"}},
		{"x", "metadata.name!=x1,spec.color=red", []string{"x2y", "xe"}},
	} {
		t.Run(c.labels+" "+c.fields, func(t *testing.T) {
			for _, target := range []string{apitest.Widgets, apitest.AllWidgets} {
				a := apitest.List(t, api, target, "labelSelector", c.labels, "fieldSelector", c.fields)
				require.Equal(t, 200, a.Code, a.Body)
				assert.Equal(t, c.want, a.Names(t), target)
			}
		})
	}
}

func TestSelectorsRefuse(t *testing.T) {
	api := apitest.NewWidgets(t)
	for _, c := range []struct{ labels, fields, message string }{
		{"x in 1", "", "unable to parse requirement: found '1' expected: '('"},
		{"x in (1", "", "unable to parse requirement: found '', expected: ',' or ')'"},
		{"=1", "", "found '=', expected: !, identifier, or 'end of string'"},
		{"x=1,,y", "", "found ',', expected: identifier after ','"},
		{"a b", "", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
		{"x>a", "", `unable to parse requirement: values[0]: Invalid value: "a": for 'Gt', 'Lt' operators, the value must be an integer`},
		{"", "spec.size=1", "field label not supported: spec.size"},
		{"", "metadata.labels=v", "field label not supported: metadata.labels"},
		{"", "metadata.name", `invalid selector: 'metadata.name'; can't understand 'metadata.name'`},
		{"", `metadata.name=a\b`, `invalid field selector: invalid escape sequence: \b`},
	} {
		t.Run(c.labels+" "+c.fields, func(t *testing.T) {
			apitest.WantFailure(t, apitest.List(t, api, apitest.Widgets, "labelSelector", c.labels, "fieldSelector", c.fields),
				400, "BadRequest", c.message, "")
		})
	}
}

// Lists and watches by an index have the same result as without it.
func TestIndexedLabels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(context.Background())
		defer stop()
		resource := apitest.WidgetResource()
		resource.IndexedLabels = []string{"side"}
		store := apitest.NewStore(t)
		client := apitest.WidgetClient(t, apitest.New(t, rest.Options{Store: store}, resource))
		for i, side := range []string{"left", "right", "left", "", "left"} {
			w := apitest.NewWidget(fmt.Sprint("w", i), 1)
			if side != "" {
				w.Labels = map[string]string{"side": side, "number": fmt.Sprint(i)}
			}
			_, err := client.Create(ctx, w)
			require.NoError(t, err)
		}
		list := func(options rest.ListOptions) (names []string) {
			for w, err := range client.All(ctx, options) {
				require.NoError(t, err)
				names = append(names, w.Name)
			}
			return names
		}
		assert.Equal(t, []string{"w0", "w2", "w4"}, list(rest.ListOptions{LabelSelector: "side=left", Limit: 2}))
		assert.Equal(t, []string{"w2", "w4"},
			list(rest.ListOptions{LabelSelector: "side in (left),number notin (0)", Limit: 1}))
		assert.Equal(t, []string{"w1", "w3"}, list(rest.ListOptions{LabelSelector: "side!=left"}))
		assert.Equal(t, []string{"w2"}, list(rest.ListOptions{LabelSelector: "side=left", FieldSelector: "metadata.name=w2"}))
		assert.Empty(t, list(rest.ListOptions{LabelSelector: "side=left,side=right"}))

		var events []string
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for e, err := range client.Watch(ctx, rest.WatchOptions{LabelSelector: "side=left"}) {
				if err != nil {
					return
				}
				events = append(events, apitest.DescribeEvent(e))
			}
		}()
		synctest.Wait()
		turn := func(name, side string) {
			_, err := client.Modify(ctx, name,
				func(w *apitest.Widget) error { w.Labels = map[string]string{"side": side}; return nil })
			require.NoError(t, err)
		}
		turn("w1", "left")
		turn("w0", "right")
		turn("w0", "middle")
		require.NoError(t, client.Delete(ctx, "w4", rest.DeleteOptions{}))
		synctest.Wait()
		assert.Equal(t, []string{"ADDED w0 2", "ADDED w2 4", "ADDED w4 6", "ADDED w1 7", "DELETED w0 8", "DELETED w4 10"},
			events)
		stop()
		<-ended
		require.NoError(t, store.Close())
	})
}
