package host_test

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/controller"
	"github.com/decorum-go/decorum/rest/election"
	"github.com/decorum-go/decorum/rest/host"
	"github.com/decorum-go/decorum/rest/resttest"
	"github.com/decorum-go/decorum/status"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
)

func newAPI(t *testing.T, options rest.Options, more ...rest.Definition) *rest.API {
	t.Helper()
	api, err := rest.New(options, append(more, builtin.Namespaces(), builtin.Leases())...)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	return api
}

// loopback returns a listener on a free port.
func loopback(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	return listener
}

// running runs the program until the test or the returned function ends it. The returned channel then has its result.
func running(t *testing.T, api *rest.API, options host.Options) (stop func(), ended <-chan error) {
	ctx, cancel := context.WithCancel(t.Context())
	result := make(chan error, 1)
	ready := make(chan struct{})
	options.Ready = func(net.Addr) { close(ready) }
	go func() { result <- host.Run(ctx, api, options) }()
	select {
	case <-ready:
	case err := <-result:
		cancel()
		require.NoError(t, err, "before the program is ready")
	}
	t.Cleanup(cancel)
	return cancel, result
}

// Controllers and services can write until they have ended, a watch does not hold the server up, and afterwards
// everything is closed.
func TestStopsInOrder(t *testing.T) {
	api, listener := newAPI(t, rest.Options{}), loopback(t)
	namespaces := resttest.Client[builtin.Namespace](t, api)
	create := func(name string) error {
		_, err := namespaces.Create(context.Background(), &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: name}})
		return err
	}
	stopped := make(chan string, 2)
	last := func(name string) func(context.Context) error {
		return func(ctx context.Context) error {
			<-ctx.Done()
			err := create(name)
			stopped <- name
			return err
		}
	}
	stop, ended := running(t, api, host.Options{
		Server: &http.Server{}, Listener: listener,
		Controllers: controller.Group{last("controller")}, Services: controller.Group{last("service")},
	})
	watch, err := http.Get("http://" + listener.Addr().String() + "/api/v1/namespaces?watch=true")
	require.NoError(t, err)
	defer watch.Body.Close()
	require.Equal(t, http.StatusOK, watch.StatusCode)

	stop()
	require.NoError(t, <-ended)
	assert.Equal(t, []string{"controller", "service"}, []string{<-stopped, <-stopped})
	_, err = io.Copy(io.Discard, watch.Body)
	require.NoError(t, err, "the watch ends with its response")
	assert.True(t, status.IsServiceUnavailable(create("late")), "the API is closed")
	_, err = net.Dial("tcp", listener.Addr().String())
	require.Error(t, err, "the listener is closed")
}

// While the controllers end, the API already says that it is not ready, and still serves. The drain does not prolong
// the stop if the controllers take as long.
func TestDrainsWhileControllersEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(t, rest.Options{Health: rest.Health{DrainTime: 10 * time.Second}})
		get := func(path string) int {
			answer := httptest.NewRecorder()
			api.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, nil))
			return answer.Code
		}
		stop, ended := running(t, api, host.Options{Controllers: controller.Group{func(ctx context.Context) error {
			<-ctx.Done()
			<-time.After(10 * time.Second)
			assert.Equal(t, http.StatusInternalServerError, get("/readyz"))
			assert.Equal(t, http.StatusOK, get("/api/v1/namespaces"))
			return nil
		}}})
		assert.Equal(t, http.StatusOK, get("/readyz"))
		begin := time.Now()
		stop()
		require.NoError(t, <-ended)
		assert.Equal(t, 10*time.Second, time.Since(begin))
		assert.Equal(t, http.StatusServiceUnavailable, get("/api/v1/namespaces"))
	})
}

func TestDrainMustLeaveTimeToStop(t *testing.T) {
	api := newAPI(t, rest.Options{Health: rest.Health{DrainTime: 13 * time.Second}})
	require.EqualError(t, host.Run(t.Context(), api, host.Options{}),
		"host: the DrainTime of the API is 13s, but must not be longer than 12.5s, half of StopTimeout")
}

func TestFailuresEndTheProgram(t *testing.T) {
	fails := controller.Group{func(context.Context) error { return errors.New("no more disk") }}
	for _, c := range []struct {
		name    string
		options func(listener net.Listener) host.Options
		err     string
	}{
		{"controller", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{}, Listener: l, Controllers: fails}
		}, "no more disk"},
		{"service", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{}, Listener: l, Services: fails}
		}, "no more disk"},
		{"server", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{}, Listener: l, Ready: func(net.Addr) { _ = l.Close() }}
		}, "host: the server ended"},
		{"short WriteTimeout", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{WriteTimeout: time.Minute}, Listener: l}
		}, "host: Server.WriteTimeout is 1m0s, but must be longer than 1m0s, the RequestTimeout of the API"},
		{"TLS without certificates", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{TLSConfig: &tls.Config{}}, Listener: l}
		}, "host: Server.TLSConfig has no certificates"},
		{"listener without a server", func(l net.Listener) host.Options { return host.Options{Listener: l} },
			"host: Listener is set, but Server is missing"},
		{"address in use", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{Addr: l.Addr().String()}}
		}, "address already in use"},
		{"election without leases", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{}, Listener: l, Election: &election.Options{}}
		}, "election"},
		{"shards without a name", func(l net.Listener) host.Options {
			return host.Options{Server: &http.Server{}, Listener: l, Sharded: func(context.Context, election.Shard) error { return nil }}
		}, "election"},
	} {
		t.Run(c.name, func(t *testing.T) {
			api, listener := newAPI(t, rest.Options{}), loopback(t)
			defer listener.Close()
			require.ErrorContains(t, host.Run(t.Context(), api, c.options(listener)), c.err)
			_, err := resttest.Client[builtin.Namespace](t, api).List(t.Context(), rest.ListOptions{})
			assert.True(t, status.IsServiceUnavailable(err), "the API is closed")
		})
	}
}

// The host may shut its server down itself, such as in a handler of its own.
func TestServerShutDownByTheHost(t *testing.T) {
	server := &http.Server{}
	_, ended := running(t, newAPI(t, rest.Options{}), host.Options{Server: server, Listener: loopback(t)})
	require.NoError(t, server.Shutdown(t.Context()))
	require.NoError(t, <-ended)
}

func TestCompletesTheServer(t *testing.T) {
	for _, c := range []struct {
		name       string
		given      *http.Server
		header     time.Duration
		read       time.Duration
		write      time.Duration
		idle       time.Duration
		headerSize int
	}{
		{"zero values", &http.Server{}, 10 * time.Second, time.Minute, 30 * time.Second, 2 * time.Minute, 64 << 10},
		{"values of the host", &http.Server{ReadHeaderTimeout: 1, ReadTimeout: 2, WriteTimeout: time.Hour, IdleTimeout: 4,
			MaxHeaderBytes: 5}, 1, 2, time.Hour, 4, 5},
		{"no time limit for answers", &http.Server{WriteTimeout: -1}, 10 * time.Second, time.Minute, -1, 2 * time.Minute,
			64 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			api := newAPI(t, rest.Options{Limits: rest.Limits{RequestTimeout: 20 * time.Second}})
			stop, ended := running(t, api, host.Options{Server: c.given, Listener: loopback(t)})
			stop()
			require.NoError(t, <-ended)
			assert.Equal(t, c.header, c.given.ReadHeaderTimeout)
			assert.Equal(t, c.read, c.given.ReadTimeout)
			assert.Equal(t, c.write, c.given.WriteTimeout)
			assert.Equal(t, c.idle, c.given.IdleTimeout)
			assert.Equal(t, c.headerSize, c.given.MaxHeaderBytes)
		})
	}
}

func TestTLS(t *testing.T) {
	other := httptest.NewTLSServer(nil) // has a certificate for 127.0.0.1, and a client that trusts it
	defer other.Close()
	listener := loopback(t)
	_, _ = running(t, newAPI(t, rest.Options{}), host.Options{
		Server: &http.Server{TLSConfig: &tls.Config{Certificates: other.TLS.Certificates}}, Listener: listener,
	})
	answer, err := other.Client().Get("https://" + listener.Addr().String() + "/livez")
	require.NoError(t, err)
	defer answer.Body.Close()
	assert.Equal(t, http.StatusOK, answer.StatusCode)
}

// A part that ignores its end does not hold the program up for ever, and the error names it.
func TestStopTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		api := newAPI(t, rest.Options{})
		release := make(chan struct{})
		defer close(release)
		stop, ended := running(t, api, host.Options{
			Controllers: controller.Group{func(context.Context) error { <-release; return nil }}, StopTimeout: 10 * time.Second,
		})
		begin := time.Now()
		stop()
		require.ErrorContains(t, <-ended, "host: the controllers did not end in time")
		assert.Equal(t, 5*time.Second, time.Since(begin), "half of the time, so that the API has the rest")
	})
}

// awaitEvents waits until a watch has reported a type of event so many times.
func awaitEvents[T any](t *testing.T, client rest.Client[T], after string, typ apimeta.EventType, times int) {
	t.Helper()
	for event, err := range client.Watch(t.Context(), rest.WatchOptions{ResourceVersion: after}) {
		require.NoError(t, err)
		if event.Type == typ {
			times--
		}
		if times == 0 {
			return
		}
	}
}

func TestControllersOfOneReplicaRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		defer func() { assert.NoError(t, store.Close()) }()
		leads := make(chan string, 2)
		replica := func(name string) (func(), <-chan error) {
			api := newAPI(t, rest.Options{Store: store})
			return running(t, api, host.Options{
				Election: &election.Options{Name: "platform", Identity: name},
				Controllers: controller.Group{func(ctx context.Context) error {
					leads <- name
					<-ctx.Done()
					return nil
				}},
			})
		}
		stopA, endedA := replica("a")
		require.Equal(t, "a", <-leads)
		stopB, endedB := replica("b")
		leases := resttest.Client[builtin.Lease](t, newAPI(t, rest.Options{Store: store})).Namespace("default")
		awaitEvents(t, leases, "", apimeta.EventModified, 5) // a renews its Lease as often as b asks for it
		require.Empty(t, leads, "b waits while a leads")
		stopA()
		require.NoError(t, <-endedA)
		require.Equal(t, "b", <-leads)
		stopB()
		require.NoError(t, <-endedB)
	})
}

// All replicas work: each on its shards, and on the shards of a replica that has ended.
func TestReplicasShareTheWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := memory.New(storage.Options{})
		defer func() { assert.NoError(t, store.Close()) }()
		var mu sync.Mutex
		works := map[int]string{}
		replica := func(name string) (func(), <-chan error) {
			api := newAPI(t, rest.Options{Store: store})
			return running(t, api, host.Options{
				Shards: election.ShardOptions{Shards: 8, Options: election.Options{Name: "parts", Identity: name}},
				Sharded: func(ctx context.Context, shard election.Shard) error {
					mu.Lock()
					works[shard.Number] = name
					mu.Unlock()
					<-ctx.Done()
					return nil
				},
			})
		}
		shares := func() map[string]int {
			<-time.After(time.Minute) // on the clock of the bubble; each shard is with its replica then
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			count := map[string]int{}
			for name := range maps.Values(works) {
				count[name]++
			}
			return count
		}
		stopA, endedA := replica("a")
		require.Equal(t, map[string]int{"a": 8}, shares())
		stopB, endedB := replica("b")
		both := shares()
		assert.Positive(t, both["a"])
		assert.Positive(t, both["b"])
		assert.Equal(t, 8, both["a"]+both["b"])
		stopA()
		require.NoError(t, <-endedA)
		assert.Equal(t, map[string]int{"b": 8}, shares())
		stopB()
		require.NoError(t, <-endedB)
	})
}

// Deletions complete, unless the host runs the controllers of package lifecycle elsewhere.
func TestLifecycle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, without := range []bool{false, true} {
			api := newAPI(t, rest.Options{})
			stop, ended := running(t, api, host.Options{NoLifecycle: without})
			namespaces := resttest.Client[builtin.Namespace](t, api)
			made, err := namespaces.Create(t.Context(), &builtin.Namespace{ObjectMeta: apimeta.ObjectMeta{Name: "team-a"}})
			require.NoError(t, err)
			require.NoError(t, namespaces.Delete(t.Context(), "team-a", rest.DeleteOptions{}))
			if !without {
				awaitEvents(t, namespaces, made.ResourceVersion, apimeta.EventDeleted, 1)
			}
			synctest.Wait()
			_, err = namespaces.Get(t.Context(), "team-a")
			assert.Equal(t, !without, status.IsNotFound(err))
			stop()
			require.NoError(t, <-ended)
		}
	})
}
