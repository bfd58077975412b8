package program

import (
	"context"
	"os"
	"runtime/debug"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
)

// startGC lets the heap grow to five times what is in use while the server starts. With Go's default, the program would
// collect garbage more often before it serves its first request. With more, what remains would lie scattered among the
// garbage, and the process could give back less of it.
const startGC = 400

// start starts the server of the process. What a server reads from its store stays in memory, so such a start has no
// spare memory. The process then gives back the memory that only the start has needed.
func start(ctx context.Context, config server.Config) (*server.Server, error) {
	if config.Store == nil {
		defer debug.SetGCPercent(debug.SetGCPercent(startGC))
	}
	var err error
	if config.Host, err = os.Hostname(); err != nil {
		return nil, err
	}
	s, err := server.New(ctx, config)
	go debug.FreeOSMemory()
	return s, err
}
