// Command journey sends one request of each kind to an API and records which functions of the library each request
// enters.
//
// It writes the coverage of each request into a directory of its own below the one it is given, and prints the names of
// the requests with their directories as JSON. It must be built with -cover -covermode=atomic. TestJourney runs it.
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

// covered is what main prints for each request.
type covered struct {
	Request string // a name for people
	Cover   string // the directory of the request's coverage
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: journey DIRECTORY")
	}
	var all []covered
	for i, r := range requests {
		dir := filepath.Join(os.Args[1], strconv.Itoa(i))
		if err := cover(r, dir); err != nil {
			log.Fatalf("%s: %v", r.name, err)
		}
		all = append(all, covered{Request: r.name, Cover: dir})
	}
	if err := json.NewEncoder(os.Stdout).Encode(all); err != nil {
		log.Fatal(err)
	}
}

// cover sends a request twice, each time about an object of its own, and writes the coverage of the second one to dir.
// The first one builds what is built only once, so that the second one shows what every request does.
func cover(r request, dir string) error {
	h, err := newHost()
	if err != nil {
		return err
	}
	defer h.close()
	for _, name := range []string{"first", "second"} {
		send, err := r.prepare(h, name)
		if err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		if err := send(); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := coverage.WriteCountersDir(dir); err != nil {
		return err
	}
	return coverage.WriteMetaDir(dir)
}
