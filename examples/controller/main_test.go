package main

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// patience bounds every wait, so that a hang becomes a failure with a name.
const patience = 2 * time.Minute

// newUser returns a client of a host whose manager runs until the test ends. The
// test uses no socket.
func newUser(t *testing.T) client.WithWatch {
	t.Helper()
	api, err := newAPI()
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, api.Close()) })
	manager, err := newManager(api, slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		assert.NoError(t, <-ended, "the manager ends without an error")
	})
	user, err := client.NewWithWatch(clientConfig(api, "alice"), client.Options{Scheme: manager.GetScheme()})
	require.NoError(t, err)
	return user
}

// A database starts, grows, shrinks, repairs itself, and is deleted with its
// instances.
func TestDatabaseLives(t *testing.T) {
	user := newUser(t)
	ctx := t.Context()
	events, err := user.Watch(ctx, &DatabaseList{}, client.InNamespace("shop"))
	require.NoError(t, err)
	defer events.Stop()

	database := &Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"},
		Spec: DatabaseSpec{Engine: "postgres", Replicas: 2}}
	require.NoError(t, user.Create(ctx, database))
	awaitReady(t, events, 1, 2)
	assert.Equal(t, []string{"orders-0", "orders-1"}, instances(t, user))

	scale(t, user, database, 3)
	awaitReady(t, events, 2, 3)
	assert.Len(t, instances(t, user), 3)

	// The controller replaces a lost instance.
	instanceEvents, err := user.Watch(ctx, &InstanceList{}, client.InNamespace("shop"))
	require.NoError(t, err)
	defer instanceEvents.Stop()
	lost := &Instance{}
	require.NoError(t, user.Get(ctx, client.ObjectKey{Namespace: "shop", Name: "orders-1"}, lost))
	require.NoError(t, user.Delete(ctx, lost.DeepCopyObject().(*Instance)))
	await(t, instanceEvents, "another orders-1", func(e watch.Event) bool {
		i := e.Object.(*Instance)
		return i.Name == "orders-1" && i.UID != lost.UID && i.Status.Address != ""
	})

	scale(t, user, database, 1)
	awaitReady(t, events, 3, 1)

	require.NoError(t, user.Delete(ctx, database))
	await(t, events, "the end", func(e watch.Event) bool { return e.Type == watch.Deleted })
	assert.Empty(t, instances(t, user))
}

func TestRefusals(t *testing.T) {
	user := newUser(t)
	database := &Database{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "orders"},
		Spec: DatabaseSpec{Engine: "oracle"}}
	err := user.Create(t.Context(), database)
	assert.True(t, apierrors.IsInvalid(err), "%v", err)
}

// The program serves kubectl over a socket, and ends on a signal.
func TestProgram(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, []string{"--listen", "127.0.0.1:0"}, in)
		in.CloseWithError(err)
		ended <- err
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	require.True(t, ok, line)
	answer, err := http.Get(url + "/apis/platform.example.com/v1/databases")
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, answer.StatusCode)
	require.NoError(t, answer.Body.Close())
	stop()
	require.NoError(t, <-ended)
}

func TestWrongFlagIsAnError(t *testing.T) {
	require.ErrorContains(t, run(t.Context(), []string{"--port", "1"}, io.Discard), "port")
}

func scale(t *testing.T, user client.Client, database *Database, replicas int32) {
	t.Helper()
	require.NoError(t, user.Get(t.Context(), client.ObjectKeyFromObject(database), database))
	before := database.DeepCopyObject().(*Database)
	database.Spec.Replicas = replicas
	require.NoError(t, user.Patch(t.Context(), database, client.MergeFrom(before)))
}

// instances returns the names of the instances, once the database is ready.
func instances(t *testing.T, user client.Client) []string {
	t.Helper()
	var list InstanceList
	require.NoError(t, user.List(t.Context(), &list, client.InNamespace("shop")))
	var names []string
	for _, i := range list.Items {
		assert.Equal(t, i.Name+".shop.db.internal", i.Status.Address)
		assert.NotNil(t, metav1.GetControllerOf(&i))
		names = append(names, i.Name)
	}
	return names
}

func awaitReady(t *testing.T, events watch.Interface, generation int64, replicas int32) {
	t.Helper()
	await(t, events, "ready", func(e watch.Event) bool {
		s := e.Object.(*Database).Status
		return meta.IsStatusConditionTrue(s.Conditions, "Ready") && s.ObservedGeneration == generation &&
			s.ReadyReplicas == replicas
	})
}

// await reads events until one satisfies the condition.
func await(t *testing.T, events watch.Interface, what string, holds func(watch.Event) bool) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case e, open := <-events.ResultChan():
			require.True(t, open, "the watch ended before: %s", what)
			if holds(e) {
				return
			}
		case <-deadline:
			require.Fail(t, "not in time", what)
		}
	}
}
