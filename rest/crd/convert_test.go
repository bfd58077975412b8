package crd_test

import (
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/rest"
)

// hang makes the webhook read requests and not answer until release is called. asked receives a value for each request.
func (c *converter) hang() (asked <-chan struct{}, release func()) {
	requests, released := make(chan struct{}, 100), make(chan struct{})
	release = sync.OnceFunc(func() {
		c.behave(nil, nil)
		close(released)
	})
	c.behave(nil, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // the server notices only then that the client is gone
		requests <- struct{}{}
		select {
		case <-released:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	return requests, release
}

// While a webhook hangs that should convert the stored objects to a new storage version, the API serves the older
// definition, and other definitions come and go.
func TestWebhookThatHangsHoldsUpNoOtherKind(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, api *rest.API, c *converter, release func()){
		"the webhook recovers": func(t *testing.T, api *rest.API, c *converter, release func()) {
			release()
			await(t, api, "rods.example.org", has("InitialNamesAccepted"))
			c.taken()
			var list struct{ Items []object }
			require.Equal(t, 200, send(t, api, "GET "+rodsV2, "", &list))
			assert.Empty(t, c.taken(), "the stored version")
			require.Len(t, list.Items, 4)
			for _, item := range list.Items {
				assert.Equal(t, object{"length": 3.0}, item["spec"])
			}
		},
		"the definition changes back": func(t *testing.T, api *rest.API, c *converter, _ func()) {
			c.store(t, api, "v1")
			await(t, api, "rods.example.org", has("InitialNamesAccepted"))
			assert.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "e", `{"size":3}`), nil))
		},
		"the definition is deleted": func(t *testing.T, api *rest.API, c *converter, _ func()) {
			require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/rods.example.org", "", nil))
			await(t, api, "rods.example.org", gone)
		},
		"the host disables definitions": func(*testing.T, *rest.API, *converter, func()) {},
	} {
		t.Run(name, func(t *testing.T) {
			c := newConverter(t)
			api := converting(t, rest.Options{})
			define(t, api, c)
			for _, name := range []string{"a", "b", "c"} {
				require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", name, `{"size":3}`), nil))
			}
			asked, release := c.hang()
			c.store(t, api, "v2")
			<-asked
			await(t, api, "rods.example.org", has("OlderGenerationServed"))
			require.Equal(t, 201, send(t, api, "POST "+definitions, gears, nil))
			await(t, api, "gears.example.org", established)
			assert.Equal(t, 200, send(t, api, "GET "+rodsV1+"/a", "", nil))
			assert.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", "d", `{"size":3}`), nil))
			require.Equal(t, 200, send(t, api, "DELETE "+definitions+"/gears.example.org", "", nil))
			await(t, api, "gears.example.org", gone)
			end(t, api, c, release)
		})
	}
}

// The objects are converted many at a time, and those that clients write during the conversion afterwards, however
// often they write.
func TestWebhookConvertsTheStoredObjectsTogether(t *testing.T) {
	const all = 40
	for _, writes := range []int{0, 1, 8} {
		c := newConverter(t)
		api := converting(t, rest.Options{})
		define(t, api, c)
		for i := range all {
			require.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", fmt.Sprint("r", i), `{"size":1}`), nil))
		}
		late := make(chan string, writes)
		for i := range writes {
			late <- fmt.Sprint("late", i)
		}
		close(late)
		c.behave(func(object) {
			if name, ok := <-late; ok {
				assert.Equal(t, 201, send(t, api, "POST "+rodsV1, rod("v1", name, `{"size":1}`), nil))
			}
		}, nil)
		changed := c.store(t, api, "v2")
		awaitAfter(t, api, "rods.example.org", changed, has("OlderGenerationServed"))
		await(t, api, "rods.example.org", has("InitialNamesAccepted"))
		if calls := c.taken(); assert.Len(t, calls, writes+1) {
			assert.Equal(t, all, calls[0])
		}
		var list struct{ Items []object }
		require.Equal(t, 200, send(t, api, "GET "+rodsV2, "", &list))
		assert.Empty(t, c.taken(), "the stored version")
		assert.Len(t, list.Items, all+writes)
	}
}

// A host that restarts while a webhook hangs that should convert the stored objects starts without waiting for it, and
// serves the older definition until the webhook recovers.
func TestUnfinishedConversionDoesNotHoldUpTheStart(t *testing.T) {
	h, reopen := newHostOfFile(t)
	h.options.Calls = calling(t)
	reopen()
	c := newConverter(t)
	define(t, h.API, c)
	h.post(gears)
	for _, name := range []string{"a", "b", "c"} {
		require.Equal(t, 201, send(t, h, "POST "+rodsV1, rod("v1", name, `{"size":3}`), nil))
	}
	asked, release := c.hang()
	c.store(t, h.API, "v2")
	<-asked
	reopen()
	<-asked
	assert.Empty(t, asked, "the first call of the new process is still under way")
	assert.Equal(t, 200, send(t, h, "GET "+gearPath, "", nil))
	assert.Equal(t, []string{"a", "b", "c"}, h.namesAt(rodsV1))
	release()
	await(t, h.API, "rods.example.org", has("InitialNamesAccepted"))
	c.taken()
	assert.Equal(t, []string{"a", "b", "c"}, h.namesAt(rodsV2))
	before := answerTo(h, definitions+"/rods.example.org")
	reopen()
	assert.Equal(t, []string{"a", "b", "c"}, h.namesAt(rodsV2))
	assert.Empty(t, c.taken(), "the stored version")
	assert.Equal(t, before, answerTo(h, definitions+"/rods.example.org"), "a restart does not write the definition")
}
