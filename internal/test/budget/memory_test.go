package budget_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// holder is a place in the source that holds memory whose size may depend on clients.
type holder struct {
	what string // the file, and what it uses; see holders
	n    int    // how often
	why  string // what bounds the memory
}

// Reasons that several holders share.
const (
	charged   = "taken from the storage.Budget of the API"
	bodies    = "MaxInFlight: 256 KiB of bodies count as one of that many bodies (rest/internal/delivery, places.go)"
	isCleared = "a buffer lent to one request; what it points to is cleared when it is returned, so it holds only its own length"
	byKinds   = "the number of kinds that the API serves, not what clients send"
	isProgram = "a program or a client, whose own process it is"
)

// holders are the places that hold memory whose size clients may choose: buffers that grow, pools, caches and queues.
// Each is taken from a storage.Budget before it is filled, or the table says what else bounds it. A test compares the
// table with the source, so a new place fails the test until it has a row.
var holders = []holder{
	{"rest/api.go Part", 1, charged + ": answers that are built as a whole (256 MiB)"},
	{"rest/internal/front/front.go Part", 1, charged + ": lists in Protobuf (32 MiB)"},
	{"rest/limits.go NewBudget", 1, "the budget of an API whose host sets none: 768 MiB"},
	{"rest/limits.go Part", 1, "the part of an API in a budget that several share; it ends with the API"},
	{"rest/internal/front/guard.go LendTo", 1, charged + ": every answer to a request that takes memory"},
	{"rest/internal/resource/environment.go LendTo", 1, charged + ": what rooms below take for an answer"},
	{"rest/internal/front/answer.go lend", 2, charged + ": an object in YAML, CBOR, Protobuf or indented JSON, as a Table or as metadata"},
	{"rest/internal/front/get.go lend", 1, charged + ": an object in another version than the stored one"},
	{"rest/internal/front/discovery.go lend", 1, charged + ": aggregated discovery in YAML or Protobuf"},
	{"rest/internal/front/pluginpaths.go lend", 1, charged + ": memory that the handler of a plug-in's path takes, such as for the answer to a transaction"},
	{"rest/internal/front/counts.go lend", 1, charged + ": counts by value, with their JSON"},
	{"rest/internal/service/local.go Lend", 1, charged + ": counts for a client in the process"},
	{"rest/internal/past/past.go Lend", 1, charged + ": documents of former versions, differences and their JSON"},
	{"rest/internal/front/list.go lend", 2, charged + ": the list in an answer, for observers that want it as a whole, and a list that a webhook converts"},
	{"rest/internal/front/list.go bytes.Buffer", 1, charged + ", as the row above: the buffer of the list for observers"},
	{"rest/internal/front/listcache.go lend", 1, charged + ": the answer to a list, while this request makes it for others"},
	{"rest/internal/media/listcache.go bytes.Buffer", 1, charged + ", as the row above: the buffer of that answer"},
	{"rest/internal/media/listcache.go Part", 1, charged + ": the cache of lists, Limits.CacheBytes"},
	{"rest/internal/media/listcache.go list.List", 1, charged + ": the order of the cache of lists"},
	{"rest/internal/media/messages.go generations.New", 1, charged + ": the cache of messages, Limits.CacheBytes"},
	{"rest/internal/resource/shown.go generations.New", 1, charged + ": converted objects, Limits.CacheBytes"},
	{"rest/internal/resource/decoded.go generations.New", 1, charged + ": documents, Limits.CacheBytes"},
	{"rest/internal/generations/generations.go Part", 1, charged + ": what a cache of two generations holds"},
	{"rest/controller/stored.go generations.New", 1, "objects that an informer keeps decoded: InformerOptions.DecodedBytes, 32 MiB"},
	{"rest/controller/stored.go NewBudget", 1, "the same; each informer has its own"},
	{"rest/aggregated/reviews.go generations.New", 1, "the answers of the cluster, Options.MaxCacheBytes: 8 MiB"},
	{"rest/aggregated/options.go NewBudget", 1, "the same, if the host shares no budget"},
	{"rest/audit/output.go NewBudget", 1, "the queue of an output: Output.QueueBytes, 64 MiB"},
	{"rest/audit/output.go Part", 1, "the same, if the host shares a budget: Options.Budget of package audit"},

	{"rest/internal/body/body.go io.ReadAll", 2, bodies},
	{"rest/internal/media/list.go sync.Pool", 1, "64 KiB for each list under way"},
	{"rest/internal/media/compress.go sync.Pool", 1, "one compressor, of fixed size, for each answer under way"},
	{"rest/internal/media/compress.go bytes.Buffer", 1, "a chunk of 64 KiB, and what becomes of one more, for each answer under way"},
	{"rest/internal/media/protobuflist.go sync.Pool", 1, isCleared},
	{"rest/internal/resource/list.go sync.Pool", 1, isCleared},
	{"rest/internal/follow/position.go sync.Pool", 1, isCleared},
	{"rest/internal/write/writes.go sync.Map", 1, byKinds},
	{"rest/internal/stream/handshake.go bytes.Buffer", 1, "the refusal of a WebSocket, a Status of the server"},
	{"rest/internal/stream/resizes.go io.ReadAll", 1, "a message of at most maxResize bytes"},
	{"rest/internal/turns/turns.go queue", 2, "tokens: the numbers of calls, which the host sets"},
	{"rest/auth/oidc/provider.go queue", 1, "tokens: maxWaiting requests"},
	{"rest/events/recorder.go queue", 1, "a fixed number of events of the host, each with texts of limited length"},
	{"rest/lifecycle/run.go queue", 1, "an error for each part of the host"},
	{"rest/callout/pools.go list.List", 1, "a fixed number of connections to webhooks"},
	{"rest/callout/answer.go bytes.Buffer", 1, "the answer of a webhook, up to a limit; room turns limits the calls"},
	{"rest/crd/apiextensions/shown.go bytes.Buffer", 4, "a value in the message of a fault, whose list is bounded in bytes"},
	{"rest/requestlog/requestlog.go memo.Map", 1, byKinds},
	{"rest/metrics/metrics.go memo.Map", 1, byKinds},
	{"rest/metrics/requests.go memo.Map", 1, byKinds},
	{"rest/console/console.go bytes.Buffer", 1, "a file of the console, when the program starts"},
	{"rest/audit/parse.go io.ReadAll", 1, "a policy of the host, up to a limit"},
	{"rest/internal/remote/send.go io.ReadAll", 1, isProgram},
	{"rest/internal/remote/failure.go io.ReadAll", 1, isProgram},
	{"rest/crd/cmd/gokinds/file.go bytes.Buffer", 2, isProgram},
	{"rest/kubeconfig/execcredential.go bytes.Buffer", 1, isProgram},
	{"rest/validate/exchange.go bytes.Buffer", 1, isProgram},
	{"storage/engine/update.go sync.Pool", 1, "one write of fixed size for each update under way"},
	{"storage/engine/objects.go sync.Pool", 1, "search keys of fixed size"},
	{"storage/engine/textshard.go list.List", 1, "texts of objects, up to Options.TextBytes of storage/bolt"},
	{"storage/bolt/text.go sync.Pool", 1, "two nodes of a tree for each read under way; larger ones than keptBuffer are not kept"},
}

// forTests are folders that only tests link.
var forTests = []string{"testdata", "resttest", "storagetest", "etcdtest", "postgrestest", "apitest", "observing", "conformance"}

// The table of holders is complete.
func TestMemoryOfClientsIsBudgeted(t *testing.T) {
	found := map[string]int{}
	for _, folder := range []string{"rest", "storage", "watch"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "..", folder), func(path string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case entry.IsDir() && slices.Contains(forTests, entry.Name()):
				return filepath.SkipDir
			case entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			name, err := filepath.Rel(filepath.Join("..", "..", ".."), path)
			for _, what := range holdersIn(file) {
				found[filepath.ToSlash(name)+" "+what]++
			}
			return err
		})
		require.NoError(t, err)
	}
	for _, h := range holders {
		assert.NotEmpty(t, h.why, h.what)
		assert.Equal(t, h.n, found[h.what], "%s: the table of holders says %d, and the source has %d", h.what, h.n,
			found[h.what])
		delete(found, h.what)
	}
	for what, n := range found {
		assert.Fail(t, fmt.Sprintf("%s (%d): take its memory from a storage.Budget, or say in the table of holders what bounds it",
			what, n))
	}
}

// holdersIn returns what a file uses to hold memory.
func holdersIn(file *ast.File) (all []string) {
	types := []string{"bytes.Buffer", "sync.Pool", "sync.Map", "list.List", "memo.Map", "generations.New", "io.ReadAll",
		"httptest.NewRecorder"}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			pkg, ok := n.X.(*ast.Ident)
			if name := ""; ok {
				if name = pkg.Name + "." + n.Sel.Name; slices.Contains(types, name) {
					all = append(all, name)
				}
			}
		case *ast.CallExpr:
			taking := []string{"Part", "Lend", "LendTo", "lend", "NewBudget"}
			if of, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(taking, of.Sel.Name) &&
				(len(n.Args) == 1 || strings.EqualFold(of.Sel.Name, "Lend")) {
				all = append(all, of.Sel.Name)
			}
			if isQueue(n) {
				all = append(all, "queue")
			}
		}
		return true
	})
	return all
}

// isQueue reports whether a call makes a channel with room for more than one value.
func isQueue(call *ast.CallExpr) bool {
	name, ok := call.Fun.(*ast.Ident)
	if !ok || name.Name != "make" || len(call.Args) != 2 {
		return false
	}
	room, literal := call.Args[1].(*ast.BasicLit)
	_, isChannel := call.Args[0].(*ast.ChanType)
	return isChannel && !(literal && (room.Value == "0" || room.Value == "1"))
}
