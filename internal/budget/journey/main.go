// Command journey sends one request of each kind to an API and measures how far it goes: how deep the stack is at the
// host's Default hook and at the store, and which files of the library it enters.
//
// It prints the depths as JSON and writes the coverage of each request into a directory of its own below the one it is
// given. It must be built with -cover -covermode=atomic. The budget's tests run it.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"
)

// measured is what main prints for each request.
type measured struct {
	Request string // a name for people
	Cover   string // the directory of the request's coverage
	Hook    int    // functions of the library on the stack at the Default hook; 0 if the request does not call it
	Store   int    // the same at the store; the deepest of several calls
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: journey DIRECTORY")
	}
	var all []measured
	for i, r := range requests {
		m, err := measure(r, filepath.Join(os.Args[1], strconv.Itoa(i)))
		if err != nil {
			log.Fatalf("%s: %v", r.name, err)
		}
		all = append(all, m)
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}

// measure sends a request twice, each time about an object of its own. The first one builds what is built only once, so
// that the second one shows what every request does.
func measure(r request, dir string) (measured, error) {
	h, err := newHost()
	if err != nil {
		return measured{}, err
	}
	defer h.close()
	for _, name := range []string{"first", "second"} {
		send, err := r.prepare(h, name)
		if err != nil {
			return measured{}, fmt.Errorf("prepare: %w", err)
		}
		h.atHook.reset()
		h.atStore.reset()
		if err := coverage.ClearCounters(); err != nil {
			return measured{}, err
		}
		if err := send(); err != nil {
			return measured{}, err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return measured{}, err
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return measured{}, err
	}
	return measured{Request: r.name, Cover: dir, Hook: h.atHook.deepest(), Store: h.atStore.deepest()}, coverage.WriteMetaDir(dir)
}
