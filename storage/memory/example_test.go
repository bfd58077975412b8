package memory_test

import (
	"context"
	"fmt"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
	"github.com/decorum-go/decorum/watch"
)

func ExampleNew() {
	store := memory.New(storage.Options{Start: 1})
	defer store.Close()
	err := store.Register(context.Background(), storage.Resource{Name: "widgets.example.com", Namespaced: true,
		Extract: storage.NewExtractor([]string{"spec", "size"})})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	key := storage.Key{Resource: "widgets.example.com", Namespace: "default", Name: "first"}
	created, _ := store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
		return []byte(`{"metadata":{"name":"first","namespace":"default","resourceVersion":""},"spec":{"size":3}}`), nil
	})
	fmt.Println(created.Fields[0], string(storagetest.Text(created)))

	changes, _ := store.Watch(ctx, watch.Key{Resource: "widgets.example.com"}, created.Revision)
	defer changes.Close()
	_, _ = store.Update(ctx, key, func(*storage.Record) ([]byte, error) { return nil, nil }) // delete
	next, _ := changes.Next(ctx, nil)
	event, last := next[0].Select(nil)
	fmt.Println(event, string(storagetest.TextAt(last, next[0].Revision)))
	// Output:
	// 3 {"metadata":{"name":"first","namespace":"default","resourceVersion":"2"},"spec":{"size":3}}
	// DELETED {"metadata":{"name":"first","namespace":"default","resourceVersion":"3"},"spec":{"size":3}}
}
