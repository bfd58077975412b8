package resttest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/status"
)

// patience is how long the functions for tests wait, and the end of a test for running requests and calls. If something
// takes longer, they fail the test.
const patience = 30 * time.Second

// WaitFor waits until the object of that name exists and the function until accepts it, and returns the object. After
// 30 seconds, or when the context of the test ends, it fails the test and shows the last state of the object.
func WaitFor[T any](t testing.TB, c rest.Client[T], name string, until func(*T) bool) *T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	obj, err := Wait(ctx, c, name, until)
	if err != nil {
		t.Fatalf("resttest: waited in vain for %q: %v; its last state: %s", name, err, show(obj))
	}
	return obj
}

// WaitForGone waits until no object of that name exists. It returns at once if none does.
func WaitForGone[T any](t testing.TB, c rest.Client[T], name string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last *T
	err := observe(ctx, c, rest.ListOptions{FieldSelector: "metadata.name=" + name}, func(all []*T) bool {
		if len(all) > 0 {
			last = all[0]
		}
		return len(all) == 0
	})
	if err != nil {
		t.Fatalf("resttest: waited in vain for the deletion of %q: %v; its last state: %s", name, err, show(last))
	}
}

// WaitForAll waits until the function until accepts the objects that the options select, and returns them in the order
// of namespace and name. The function sees every state of the whole selection, including the first one, and never a
// part of a list. WaitForAll ignores Limit and Continue.
func WaitForAll[T any](t testing.TB, c rest.Client[T], options rest.ListOptions, until func([]*T) bool) []*T {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var last []*T
	err := observe(ctx, c, options, func(all []*T) bool {
		last = all
		return until(all)
	})
	if err != nil {
		t.Fatalf("resttest: waited in vain: %v; the last state: %s", err, show(last))
	}
	return last
}

// Wait is [WaitFor] for goroutines other than the test's, and for other times to wait. It returns the last state of the
// object, and the context's error if the context ends first.
func Wait[T any](ctx context.Context, c rest.Client[T], name string, until func(*T) bool) (*T, error) {
	var last *T
	err := observe(ctx, c, rest.ListOptions{FieldSelector: "metadata.name=" + name}, func(all []*T) bool {
		for _, obj := range all {
			last = obj
			if until(obj) {
				return true
			}
		}
		return false
	})
	return last, err
}

// observe calls the function until with each state of the selected objects, from the present one on, and returns when
// it accepts one.
func observe[T any](ctx context.Context, c rest.Client[T], options rest.ListOptions, until func([]*T) bool) error {
	options.Limit, options.Continue = 0, ""
	for {
		page, err := c.List(ctx, options)
		if err != nil {
			return err
		}
		if until(page.Items) {
			return nil
		}
		state := map[objectKey]*T{}
		for _, obj := range page.Items {
			state[keyOf(obj)] = obj
		}
		selected := rest.WatchOptions{LabelSelector: options.LabelSelector, FieldSelector: options.FieldSelector,
			ResourceVersion: page.ResourceVersion}
		content, err := follow(ctx, c, selected, state, until)
		if content {
			return nil
		}
		if !status.IsExpired(err) {
			return err
		}
	}
}

// follow applies the events of a watch to state, and calls the function until after each. It reports whether the
// function accepted a state.
func follow[T any](ctx context.Context, c rest.Client[T], selected rest.WatchOptions, state map[objectKey]*T,
	until func([]*T) bool) (bool, error) {
	for event, err := range c.Watch(ctx, selected) {
		if err != nil {
			return false, err
		}
		if event.Type == apimeta.EventDeleted {
			delete(state, keyOf(event.Object))
		} else {
			state[keyOf(event.Object)] = event.Object
		}
		if until(inOrder(state)) {
			return true, nil
		}
	}
	return false, cmp.Or(ctx.Err(), errors.New("the watch has ended"))
}

type objectKey struct{ Namespace, Name string }

// keyOf reads the key from the JSON of an object, because T can be any type.
func keyOf(obj any) objectKey {
	var o struct{ Metadata objectKey }
	if body, err := json.Marshal(obj); err == nil {
		_ = json.Unmarshal(body, &o) // a stored object is valid JSON
	}
	return o.Metadata
}

func inOrder[T any](state map[objectKey]*T) []*T {
	keys := slices.SortedFunc(maps.Keys(state), func(a, b objectKey) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	out := make([]*T, 0, len(keys))
	for _, key := range keys {
		out = append(out, state[key])
	}
	return out
}

// show prints a state for a message.
func show(v any) string {
	body, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Sprintf("%+v", v)
	}
	if string(body) == "null" {
		return "none"
	}
	return string(body)
}
