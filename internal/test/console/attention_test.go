package console_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/resttest"
)

// Machine is a kind with conditions.
type Machine struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`

	Spec   MachineSpec   `json:"spec"`
	Status MachineStatus `json:"status,omitzero"`
}

type MachineSpec struct {
	Size int32 `json:"size,omitempty"`
}

type MachineStatus struct {
	Conditions []apimeta.Condition `json:"conditions,omitempty" api:"list=map,key=type"`
}

func machineResource() rest.Resource[Machine] {
	return rest.Resource[Machine]{Group: "example.com", Version: "v1", Plural: "machines"}
}

// fleet serves machines, items, which have no status, and events.
func fleet(t *testing.T, options rest.Options) (*rest.API, rest.Client[Machine]) {
	t.Helper()
	items := rest.Resource[Item]{Group: "example.com", Version: "v1", Plural: "items"}
	api, err := rest.New(options, machineResource(), items, builtin.Events())
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return api, resttest.Client[Machine](t, api).FieldManager("maker").Namespace("default")
}

func condition(kind string, value apimeta.ConditionStatus, reason string) apimeta.Condition {
	return apimeta.Condition{Type: kind, Status: value, Reason: reason, Message: kind + " says why",
		LastTransitionTime: apimeta.Now()}
}

// report creates the machine if it does not exist, and sets its conditions.
func report(t testing.TB, client rest.Client[Machine], name string, conditions ...apimeta.Condition) {
	t.Helper()
	machine, err := client.Get(t.Context(), name)
	if err != nil {
		machine, err = client.Create(t.Context(), &Machine{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		require.NoError(t, err)
	}
	machine.Status.Conditions = conditions
	_, err = client.UpdateStatus(t.Context(), machine)
	require.NoError(t, err)
}

// warn reports an event about a machine.
func warn(t *testing.T, url, name, kind, reason string, machine *Machine) {
	t.Helper()
	send(t, http.MethodPost, url+"/platform/api/v1/namespaces/default/events", "application/json", fmt.Sprintf(`{
		"apiVersion": "v1", "kind": "Event", "metadata": {"name": %q, "namespace": "default"}, "type": %q, "reason": %q,
		"message": "something has happened", "lastTimestamp": %q, "count": 2,
		"involvedObject": {"apiVersion": "example.com/v1", "kind": "Machine", "namespace": "default", "name": %q, "uid": %q}}`,
		name, kind, reason, apimeta.Now().UTC().Format("2006-01-02T15:04:05Z"), machine.Name, machine.UID))
}

// The first page shows conditions that are not as they should be, objects long in deletion, and warnings, and follows
// their changes.
func TestAttention(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	report(t, client, "fine", condition("Ready", apimeta.ConditionTrue, "Runs"))
	report(t, client, "down", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	url := serve(t, api)
	p := openPage(t, url)
	p.awaitText(".attention .summary", "1 object")
	p.awaitText(".attention h3", "Machine1")
	p.awaitText(".troubles li", "downin default")
	p.awaitText(".troubles ul li", "Ready is False")
	p.awaitText(".troubles ul li", "NoPower")
	p.awaitText(".troubles ul li", "Ready says why")

	report(t, client, "down", condition("Ready", apimeta.ConditionTrue, "Runs"))
	p.awaitText(".attention .summary", "Nothing that the page has looked at needs attention.")
	report(t, client, "late", condition("Degraded", apimeta.ConditionTrue, "Hot"),
		condition("Ready", apimeta.ConditionTrue, "Runs"))
	p.awaitText(".troubles li", "late")
	p.awaitText(".troubles ul li", "Degraded is True")
	p.awaitNoText(".troubles ul li", "Ready is")
	require.NoError(t, client.Delete(t.Context(), "late", rest.DeleteOptions{}))
	p.awaitNoText(".troubles li", "late")

	fine, err := client.Get(t.Context(), "fine")
	require.NoError(t, err)
	warn(t, url, "fine.1", "Warning", "Overheated", fine)
	warn(t, url, "fine.2", "Normal", "Cooled", fine)
	p.awaitText(".troubles ul li", "Warning ×2")
	p.awaitText(".troubles ul li", "Overheated")
	assert.NotContains(t, strings.Join(p.texts(".attention"), ""), "Cooled")

	finalizers := []string{"example.com/cleanup"}
	_, err = client.Create(t.Context(),
		&Machine{ObjectMeta: apimeta.ObjectMeta{Name: "stuck", Finalizers: finalizers}})
	require.NoError(t, err)
	require.NoError(t, client.Delete(t.Context(), "stuck", rest.DeleteOptions{}))
	items := resttest.Client[Item](t, api).Namespace("default")
	_, err = items.Create(t.Context(),
		&Item{ObjectMeta: apimeta.ObjectMeta{Name: "stuck-item", Finalizers: finalizers}})
	require.NoError(t, err)
	require.NoError(t, items.Delete(t.Context(), "stuck-item", rest.DeleteOptions{}))
	report(t, client, "sentinel", condition("Failed", apimeta.ConditionTrue, "Broken"))
	p.awaitText(".troubles li", "sentinel")
	assert.NotContains(t, strings.Join(p.texts(".troubles"), ""), "stuck", "a deletion may take five minutes")
	p.run("const now = Date.now; Date.now = () => now() + 6 * 60000")
	p.awaitText(".troubles li", "stuckin defaultStill in deletion")
	p.awaitText(".troubles li", "stuck-itemin defaultStill in deletion")
	p.awaitText(".troubles ul li", "It waits for the finalizers example.com/cleanup.")
	p.awaitText(".troubles ul li", "Overheated")
	p.run("const now = Date.now; Date.now = () => now() + 60 * 60000")
	p.awaitNoText(".troubles ul li", "Overheated")

	assert.NotContains(t, p.texts(".attention .note")[0], "could not read")
	p.clickText(".subject a", "stuck")
	p.awaitText("h1", "stuck")
}

// Only the keyboard is needed to reach what needs attention.
func TestAttentionByKeyboard(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	for i := range 8 {
		report(t, client, fmt.Sprintf("down-%d", i), condition("Ready", apimeta.ConditionFalse, "NoPower"))
	}
	p := openPage(t, serve(t, api))
	p.awaitText(".attention .summary", "8 objects")
	p.await("document.querySelectorAll('.troubles > li').length === 5")
	p.press("jj")
	p.await("document.activeElement === document.querySelectorAll('.subject a')[1]")
	p.press("k")
	p.await("document.activeElement === document.querySelectorAll('.subject a')[0]")
	p.press("jjjj" + kb.Tab)
	p.await("document.activeElement.textContent === 'Show all 8'")
	p.press(kb.Enter)
	p.await("document.querySelectorAll('.troubles > li').length === 8")
	p.press("k")
	name := eval[string](p, "document.querySelector('.subject a').textContent")
	p.press(kb.Enter)
	p.awaitText("h1", name)
	p.awaitText(".conditions .wrong", "not as it should be")
	p.press("g")
	p.awaitText(".attention .summary", "8 objects")
}

// Which conditions are as they should be, by the rule of docs/console.md.
func TestConditionRule(t *testing.T) {
	const good, bad, unknown = apimeta.ConditionTrue, apimeta.ConditionFalse, apimeta.ConditionUnknown
	tests := []struct {
		condition string
		value     apimeta.ConditionStatus
		reason    string
		wrong     bool
	}{
		{"Ready", good, "Fine", false},
		{"Ready", bad, "Crashed", true},
		{"Ready", unknown, "Silent", true},
		{"Ready", bad, "PodCompleted", false},
		{"Available", bad, "Few", true},
		{"Established", bad, "Waits", true},
		{"example.com/Synced", bad, "Differs", true},
		{"MemoryPressure", bad, "Enough", false},
		{"MemoryPressure", good, "Full", true},
		{"PIDPressure", unknown, "Silent", true},
		{"NetworkUnavailable", good, "NoRoute", true},
		{"Failed", good, "Crashed", true},
		{"Failed", bad, "Runs", false},
		{"ReplicaFailure", good, "Quota", true},
		{"Degraded", good, "Slow", true},
		{"Stalled", bad, "Moves", false},
		{"NotReady", good, "Boots", true},
		{"NotReady", bad, "Runs", false},
		{"NoErrors", good, "Fine", false},
		{"NoErrors", bad, "Crashed", true},
		{"NonStructuralSchema", good, "Missing", true},
		{"Complete", bad, "Runs", false},
		{"Complete", good, "Done", false},
		{"Succeeded", unknown, "Silent", true},
		{"Progressing", good, "Rolls", false},
		{"Progressing", bad, "Paused", false},
		{"Progressing", bad, "ProgressDeadlineExceeded", true},
		{"Reconciling", unknown, "Silent", false},
		{"Terminating", good, "Deleted", false},
		{"Suspended", good, "Asked", false},
		{"Suspended", bad, "Resumed", false},
	}
	api, client := fleet(t, rest.Options{})
	var want []string
	for i, tt := range tests {
		name := fmt.Sprintf("m-%02d", i)
		report(t, client, name, condition(tt.condition, tt.value, tt.reason))
		if tt.wrong {
			want = append(want, fmt.Sprintf("%s: %s is %s %s", name, tt.condition, tt.value, tt.reason))
		}
	}
	p := openPage(t, serve(t, api))
	p.clickText(".attention button", "Show all")
	p.await(fmt.Sprintf("document.querySelectorAll('.troubles > li').length >= %d", len(want)))
	found := eval[[]string](p, `[...document.querySelectorAll('.troubles > li')].map((li) =>
		['a', 'ul b', '.reason'].map((part) => li.querySelector(part).textContent)).map(([a, b, c]) => a + ': ' + b + ' ' + c)`)
	assert.ElementsMatch(t, want, found)
}

// traffic counts what a page asks of an API.
type traffic struct {
	http.Handler
	mutex        sync.Mutex
	bytes, lists int
	watches      int // how many are open
}

func (c *traffic) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	watches := r.URL.Query().Get("watch") != ""
	c.mutex.Lock()
	if watches {
		c.watches++
	} else if r.Method == http.MethodGet {
		c.lists++
	}
	c.mutex.Unlock()
	defer func() {
		if watches {
			c.mutex.Lock()
			c.watches--
			c.mutex.Unlock()
		}
	}()
	r.Header.Del("Accept-Encoding") // the bytes that the API reads, not those that it compresses
	c.Handler.ServeHTTP(&counted{w, c}, r)
}

type counted struct {
	http.ResponseWriter
	traffic *traffic
}

func (w *counted) Write(data []byte) (int, error) {
	w.traffic.mutex.Lock()
	w.traffic.bytes += len(data)
	w.traffic.mutex.Unlock()
	return w.ResponseWriter.Write(data)
}

func (w *counted) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// The first page of an API with 10,000 objects costs no more than that of an API with 1,000. It says how many it has
// looked at, and shows others when they change.
func TestAttentionOfTenThousandObjects(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			name := fmt.Sprintf("machine-%05d", i)
			_, err := client.Create(t.Context(), &Machine{ObjectMeta: apimeta.ObjectMeta{Name: name}})
			require.NoError(t, err)
			if i%100 == 7 {
				report(t, client, name, condition("Ready", apimeta.ConditionFalse, "NoPower"))
			}
		}
	}
	cost := func(total string) (bytes, lists int) {
		counter := &traffic{Handler: api}
		p := openPage(t, serve(t, counter))
		p.awaitText(".attention .note", "Looked at the first 500 of "+total+" machines")
		p.awaitText(".attention .summary", "5 objects")
		p.awaitText(".troubles ul li", "Overheated")
		p.awaitText(".cards a", "Machine"+total)
		p.awaitNoText(".count", "·")
		counter.mutex.Lock()
		defer counter.mutex.Unlock()
		return counter.bytes, counter.lists
	}
	fill(0, 1000)
	down, err := client.Get(t.Context(), "machine-00007")
	require.NoError(t, err)
	warn(t, serve(t, api), "down.1", "Warning", "Overheated", down)
	bytes, lists := cost("1,000")
	fill(1000, 10_000)
	more, same := cost("10,000")
	assert.Equal(t, lists, same, "requests")
	assert.InEpsilon(t, bytes, more, 0.05, "bytes")

	p := openPage(t, serve(t, api))
	p.awaitText(".attention .summary", "5 objects")
	report(t, client, "machine-09999", condition("Degraded", apimeta.ConditionTrue, "Hot"))
	p.awaitText(".troubles li", "machine-09999")
	p.awaitText(".attention .summary", "6 objects")
}

// kinds returns more kinds than the page has connections for.
func kinds(n int) (declared []rest.Definition) {
	for i := range n {
		resource := machineResource()
		resource.Plural = fmt.Sprintf("machine%ds", i)
		resource.Names = rest.Names{Kind: fmt.Sprintf("Machine%d", i)}
		declared = append(declared, resource)
	}
	return declared
}

// The kinds take turns at few connections, and no change is lost between two turns.
func TestManyKindsTakeTurns(t *testing.T) {
	const n = 7
	api, err := rest.New(rest.Options{}, append(kinds(n), builtin.Events())...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	url := serve(t, api)
	p := openPage(t, url)
	// The server notices later than the page that a watch has ended, so the page counts.
	p.run(`const real = fetch, open = new Set();
		window.most = 0;
		window.fetch = (url, init) => {
			if (String(url).includes('watch=true')) {
				open.add(init.signal);
				init.signal.addEventListener('abort', () => open.delete(init.signal));
				window.most = Math.max(window.most, open.size);
			}
			return real(url, init);
		}`)
	p.awaitText(".attention .note", "Changes appear within about 8 seconds.")
	const down = `{"status":{"conditions":[{"type":"Ready","status":"False","reason":"NoPower","message":"",
		"lastTransitionTime":"2026-01-01T00:00:00Z"}]}}`
	for round := range 2 {
		for i := range n {
			path := fmt.Sprintf("%s/platform/apis/example.com/v1/namespaces/default/machine%ds", url, i)
			name := fmt.Sprintf("m-%d-%d", i, round)
			send(t, http.MethodPost, path, "application/json",
				fmt.Sprintf(`{"apiVersion":"example.com/v1","kind":"Machine%d","metadata":{"name":%q},"spec":{}}`, i, name))
			send(t, http.MethodPatch, path+"/"+name+"/status", "application/merge-patch+json", down)
		}
		p.awaitText(".attention .summary", fmt.Sprintf("%d objects", n*(round+1)))
	}
	most := eval[int](p, "window.most")
	assert.LessOrEqual(t, most, 3, "watches at a time")
	assert.NotZero(t, most)
}

// A kind with very many changes is not followed, but read again.
func TestBusyKindIsReadAgain(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	report(t, client, "busy", condition("Ready", apimeta.ConditionTrue, "Runs"))
	link := &link{next: api, cut: make(chan struct{})}
	p := openPage(t, serve(t, link))
	p.awaitText(".attention .summary", "Nothing")
	p.run("const later = setTimeout; window.setTimeout = (f, ms) => later(f, ms === 30000 ? 3000 : ms)")
	link.sever()
	p.awaitText(".attention .note", "Connection lost")
	for i := range 600 {
		report(t, client, "busy", condition("Ready", apimeta.ConditionTrue, fmt.Sprintf("Runs%d", i)))
	}
	link.mend()
	p.awaitText(".attention .note", "Too many changes to follow, so read again every 30 seconds: machines.")
	report(t, client, "busy", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	p.awaitText(".troubles li", "busy")
	p.awaitNoText(".attention .note", "Too many changes")
}

// Two users see what each may see, and what the page could not look at is named.
func TestAttentionUnderTheRightsOfTheUser(t *testing.T) {
	users := &sync.Map{}
	users.Store("admin-token", "admin")
	users.Store("alice-token", "alice")
	authorizer := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		switch {
		case a.User.Name == "admin", a.Group == "authorization.k8s.io", a.Group == "authentication.k8s.io", a.Path != "":
			return access.Allow(""), nil
		case a.User.Name == "alice" && a.Resource == "machines" && a.Namespace == "hers" && a.Verb != "delete":
			return access.Allow(""), nil
		}
		return access.Decision{}, nil
	})
	api, client := fleet(t, rest.Options{Authenticator: bearers(users), Authorizer: authorizer})
	report(t, client, "of-others", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	report(t, client.Namespace("hers"), "her-own", condition("Ready", apimeta.ConditionFalse, "NoPower"))

	p := openPage(t, serve(t, api))
	p.fill("#token", "admin-token")
	p.awaitText(".user", "admin")
	p.awaitText(".attention .summary", "2 objects")
	p.clickText(".user", "admin")
	p.fill("#token", "alice-token")
	p.awaitText(".user", "alice")
	p.awaitText(".attention .note", "You may list none of the kinds here: choose a namespace that is yours.")
	assert.Empty(t, p.texts(".troubles li"))
	p.fill("#namespace", "hers")
	p.awaitText(".troubles li", "her-own")
	p.awaitText(".attention .summary", "1 object")
	p.awaitText(".attention .note", "You may not list items here.")
	p.awaitText(".attention .note", "Warnings are missing: You may not do this")
	p.fill("#namespace", "default")
	p.awaitText(".attention .note", "You may list none of the kinds here")
	p.awaitNoText(".troubles li", "her-own")
}

// A user whose rights hide some objects of a kind learns that the page has read a part of the others, although the API
// does not tell how many there are.
func TestAttentionOfAUserWhoSeesSomeObjects(t *testing.T) {
	users := &sync.Map{}
	users.Store("bob-token", "bob")
	authorizer := access.AuthorizerFunc(func(_ context.Context, a access.Access) (access.Decision, error) {
		if a.Resource == "machines" && a.Verb != "delete" {
			return access.AllowOnly("", access.Filter{Namespace: "his"}), nil
		}
		return access.Allow(""), nil
	})
	api, client := fleet(t, rest.Options{Authenticator: bearers(users), Authorizer: authorizer})
	report(t, client, "of-others", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	client = client.Namespace("his")
	for i := range 600 {
		_, err := client.Create(t.Context(), &Machine{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprintf("m-%03d", i)}})
		require.NoError(t, err)
	}
	report(t, client, "m-017", condition("Ready", apimeta.ConditionFalse, "NoPower"))

	p := openPage(t, serve(t, api))
	p.fill("#token", "bob-token")
	p.awaitText(".user", "bob")
	p.awaitText(".attention .note", "Looked at the first 500")
	p.awaitText(".troubles li", "m-017")
	p.awaitText(".attention .summary", "1 object")
	report(t, client, "m-599", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	p.awaitText(".attention .summary", "2 objects")
}

// A page that nobody sees watches nothing, and finds what has changed when somebody looks at it again.
func TestHiddenFirstPage(t *testing.T) {
	api, client := fleet(t, rest.Options{})
	counter := &traffic{Handler: api}
	p := openPage(t, serve(t, counter))
	p.awaitText(".attention .summary", "Nothing")
	p.hide(true)
	require.Eventually(t, func() bool {
		counter.mutex.Lock()
		defer counter.mutex.Unlock()
		return counter.watches == 0
	}, patience, patience/1000)
	report(t, client, "down", condition("Ready", apimeta.ConditionFalse, "NoPower"))
	p.hide(false)
	p.awaitText(".troubles li", "down")
}
