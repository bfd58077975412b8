package bolt_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/bolt"
)

// A host passes the store to rest.Options. It closes the store after the API.
func Example() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	ctx, path := context.Background(), filepath.Join(directory, "objects.db")
	widgets := storage.Resource{Name: "widgets.example.com", Namespaced: true, Extract: storage.NewExtractor()}
	key := storage.Key{Resource: widgets.Name, Namespace: "default", Name: "first"}
	for range 2 {
		store, err := bolt.Open(ctx, bolt.Options{Path: path})
		if err != nil {
			panic(err)
		}
		if err := store.Register(ctx, widgets); err != nil {
			panic(err)
		}
		_, err = store.Update(ctx, key, func(current *storage.Record) ([]byte, error) {
			fmt.Println("it exists:", current != nil)
			return []byte(`{"metadata":{"name":"first","namespace":"default","resourceVersion":""}}`), nil
		})
		if err != nil {
			panic(err)
		}
		if err := store.Close(); err != nil {
			panic(err)
		}
	}
	// Output:
	// it exists: false
	// it exists: true
}

// The store holds at most 2 GB of texts in memory. It reads the others from the file.
func ExampleOpen_moreObjectsThanMemory() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	ctx, path := context.Background(), filepath.Join(directory, "objects.db")
	store, err := bolt.Open(ctx, bolt.Options{Path: path, TextBytes: 2 << 30})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	fmt.Println(store.StoreStats().Texts.MaxBytes)
	// Output: 2147483648
}

// A backup is made while the store serves. The file that it is restored to must not exist.
func ExampleStore_Backup() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	ctx, path := context.Background(), filepath.Join(directory, "restored.db")
	store, err := bolt.Open(ctx, bolt.Options{Path: filepath.Join(directory, "objects.db")})
	if err != nil {
		panic(err)
	}
	defer store.Close()
	backup := func(w io.Writer) error {
		err := store.Backup(ctx, w)
		return err
	}
	restore := func(r io.Reader) error {
		err := bolt.Restore(ctx, r, bolt.Options{Path: path})
		return err
	}
	var b bytes.Buffer
	fmt.Println(backup(&b), restore(&b))
	// Output: <nil> <nil>
}

// A program checks its file before it serves, or after a fault of the disk. The command decorum-bolt does the same.
func ExampleCheck() {
	directory, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(directory)
	options := bolt.Options{Path: filepath.Join(directory, "objects.db")}
	store, err := bolt.Open(context.Background(), options)
	if err != nil {
		panic(err)
	}
	if err := store.Close(); err != nil {
		panic(err)
	}
	fmt.Println(bolt.Check(context.Background(), options))
	// Output: <nil>
}
