package storagetest_test

import (
	"testing"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/memory"
	"github.com/decorum-go/decorum/storage/storagetest"
)

// A store of your own proves the contract in one test. The other functions of Subject add the chapters for stores that
// survive the process, or that several replicas share.
func ExampleRun() {
	var t *testing.T // of a test of yours
	storagetest.Run(t, storagetest.Subject{
		New: func(*testing.T) storage.Store { return memory.New(storage.Options{}) },
	})
}
