//go:build unix

package limits_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/apitest"
)

// serve serves a handler on a socket and returns its address.
func serve(b *testing.B, handler http.Handler) string {
	b.Helper()
	return apitest.Serve(b, handler).Listener.Addr().String()
}

// ready is a handler that sends the same bytes to everybody.
func ready(media string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		h := w.Header()
		h.Set("Content-Type", media)
		h.Set("Cache-Control", "no-cache, private")
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	})
}

// beside compares reads with a bare handler that sends the same bytes.
func beside(b *testing.B, aim float64, s *apitest.ThingServer, target, accept string, connections, requests int) {
	b.Helper()
	answer := s.Do("GET", target, "", "Accept", accept)
	body := []byte(answer.Body)
	if accept == apitest.TypeJSON {
		body = append(body, '\n') // Do has trimmed it
	}
	api, bare := serve(b, s.API), serve(b, ready(answer.Header.Get("Content-Type"), body))
	c := apitest.StartClients(b)
	ours, limit := c.Caller(api, target, accept, connections), c.Caller(bare, target, accept, connections)
	apitest.Compare(b, requests, ours.Send, limit.Send)
	b.ReportMetric(aim, "aim")
}

// Limit: a bare handler that sends the same ready 2 KB.
func BenchmarkGet(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 10_000)
	for _, connections := range []int{8, 64} {
		b.Run(fmt.Sprintf("connections=%d", connections), func(b *testing.B) {
			beside(b, 1.12, s, apitest.Things+"/n005000", apitest.TypeJSON, connections, 4000)
		})
	}
}

// uncached makes an API join each list anew, and encode each object in it.
var uncached = rest.Options{Limits: rest.Limits{CacheBytes: -1}}

// Limit: one Write of the ready 20 MB.
func BenchmarkList(b *testing.B) {
	s := apitest.NewThingServer(b, uncached)
	s.Fill(b, 10_000)
	beside(b, 1.6, s, apitest.Things, apitest.TypeJSON, 1, 10)
}

// Limit: one Write of the ready 20 MB. Nothing changes between the lists.
func BenchmarkListAgain(b *testing.B) {
	s := apitest.NewThingServer(b, rest.Options{})
	s.Fill(b, 10_000)
	s.Do("GET", apitest.Things, "")
	beside(b, 1.15, s, apitest.Things, apitest.TypeJSON, 1, 10)
}

// Card is a kind with a message, like a ConfigMap.
type Card struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Data               map[string]string `json:"data,omitempty" protobuf:"bytes,2,rep,name=data"`
}

// cards is the path of the Cards.
const cards = "/api/v1/namespaces/default/cards"

// cardServer serves n Cards of about 2 KB each.
func cardServer(b *testing.B, options rest.Options, n int) *apitest.ThingServer {
	s := apitest.NewThingServer(b, options,
		rest.Resource[Card]{Version: "v1", Plural: "cards", Wire: rest.Wire{Dialect: rest.DialectBuiltin}})
	data := map[string]string{}
	for i := range 40 {
		data[fmt.Sprintf("key%03d", i)] = fmt.Sprintf("a value of some length that is %03d", i)
	}
	for i := range n {
		body, err := json.Marshal(Card{ObjectMeta: apimeta.ObjectMeta{Name: fmt.Sprintf("n%06d", i),
			Labels: map[string]string{"app": "load"}}, Data: data})
		require.NoError(b, err)
		require.Equal(b, http.StatusCreated, s.Do("POST", cards, string(body)).Code)
	}
	return s
}

func thingServer(b *testing.B, options rest.Options, n int) *apitest.ThingServer {
	s := apitest.NewThingServer(b, options)
	s.Fill(b, n)
	return s
}

// lists are other forms of a list.
var lists = []struct {
	name, target, accept string
	serve                func(b *testing.B, options rest.Options, objects int) *apitest.ThingServer
	options              rest.Options
	changes              bool // an object changes before each list
	objects, requests    int  // the numbers in each round
	aim                  float64
	byBytes              bool // compares the time for each byte
}{
	{name: "metadata", target: apitest.Things, accept: apitest.AcceptPartials, serve: thingServer, options: uncached,
		objects: 10_000, requests: 10, aim: 1, byBytes: true},
	{name: "Protobuf", target: cards, accept: apitest.TypeProtobuf, serve: cardServer, changes: true, objects: 2000,
		requests: 20, aim: 1, byBytes: true},
	{name: "first,Protobuf", target: cards, accept: apitest.TypeProtobuf, serve: cardServer, options: uncached,
		objects: 2000, requests: 5, byBytes: true},
	{name: "indented", target: apitest.Things, accept: apitest.TypeJSON + ";pretty=1", serve: thingServer,
		options: uncached, objects: 10_000, requests: 10, aim: 3},
	{name: "Table", target: apitest.Things, accept: apitest.AcceptTable, serve: thingServer, options: uncached,
		objects: 500, requests: 200, aim: 3},
}

// afterChanges returns a function that changes the first object of a list before it sends each request.
func afterChanges(b *testing.B, s *apitest.ThingServer, list string, send func(n int)) func(n int) {
	w := apitest.NewThingWriter(s.API, "PATCH", list+"/n000000", "application/merge-patch+json")
	return func(n int) {
		for range n {
			labels := fmt.Appendf(nil, `{"metadata":{"labels":{"at":"%d"}}}`, s.Store.Revision())
			require.Equal(b, http.StatusOK, w.Send(labels))
			send(1)
		}
	}
}

// Limit: the same list as JSON.
func BenchmarkListAs(b *testing.B) {
	for _, l := range lists {
		b.Run(l.name, func(b *testing.B) {
			s := l.serve(b, l.options, l.objects)
			address := serve(b, s.API)
			c := apitest.StartClients(b)
			ours, limit := c.Caller(address, l.target, l.accept, 1).Send, c.Caller(address, l.target, apitest.TypeJSON, 1).Send
			if l.changes {
				ours, limit = afterChanges(b, s, l.target, ours), afterChanges(b, s, l.target, limit)
			}
			ratio, spread := apitest.Compare(b, l.requests, ours, limit)
			if l.byBytes {
				size := func(accept string) int { return len(s.Do("GET", l.target, "", "Accept", accept).Body) }
				scale := float64(size(apitest.TypeJSON)) / float64(size(l.accept))
				b.ReportMetric(ratio*scale, "ratio")
				b.ReportMetric(spread*scale, "spread")
			}
			if l.aim > 0 {
				b.ReportMetric(l.aim, "aim")
			}
		})
	}
}

// Limit: a list of 100 objects. 100,000 objects are beside those that the selector selects.
func BenchmarkListSelected(b *testing.B) {
	for _, indexed := range []bool{true, false} {
		b.Run(fmt.Sprintf("indexed=%t", indexed), func(b *testing.B) {
			resource := apitest.ThingResource()
			if indexed {
				resource.IndexedLabels = []string{"picked"}
			}
			s := apitest.NewThingServer(b, uncached, resource)
			s.Fill(b, 100_000)
			few := apitest.ThingsV1 + "/namespaces/few/things"
			for i := range 100 {
				object := bytes.Replace(apitest.PaddedThing(fmt.Sprintf("m%06d", i), apitest.BenchObject), []byte(`"app"`),
					[]byte(`"picked":"yes","app"`), 1)
				for _, namespace := range []string{apitest.Things, few} {
					require.Equal(b, http.StatusCreated, s.Do("POST", namespace, string(object)).Code)
				}
			}
			address := serve(b, s.API)
			c := apitest.StartClients(b)
			ours := c.Caller(address, apitest.Things+"?labelSelector=picked%3Dyes", apitest.TypeJSON, 1)
			limit := c.Caller(address, few, apitest.TypeJSON, 1)
			apitest.Compare(b, 20, ours.Send, limit.Send)
			if indexed {
				b.ReportMetric(1.5, "aim")
			}
		})
	}
}
