package chaos_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/apimeta"
	"github.com/decorum-go/decorum/internal/test/loopback"
	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/builtin"
	"github.com/decorum-go/decorum/rest/crd"
	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/etcd/embedded"
	"github.com/decorum-go/decorum/storage/etcd/etcdtest"
)

func TestMain(m *testing.M) {
	etcdtest.Member()
	if text := os.Getenv(environment); text != "" {
		if err := serve(text); err != nil {
			fmt.Fprintln(os.Stderr, "replica:", err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// Register is the kind of the tests.
type Register struct {
	apimeta.TypeMeta   `json:",inline"`
	apimeta.ObjectMeta `json:"metadata,omitempty"`
	Spec               RegisterSpec `json:"spec"`
}

type RegisterSpec struct {
	Value string `json:"value"`
}

func registers() rest.Resource[Register] {
	return rest.Resource[Register]{Group: "example.com", Version: "v1", Plural: "registers"}
}

const (
	prefix = "/chaos"
	path   = "/apis/example.com/v1/namespaces/default/registers"
)

// environment is the variable that makes a program a replica.
const environment = "DECORUM_REPLICA"

// configuration configures the process of a replica.
type configuration struct {
	Endpoints []string
	Address   string
	Embedded  *embeddedMember // nil unless the process also runs a member of etcd
	Worker    string          // the name with which the replica works on shards; empty if it does not
}

// open opens the store of a replica.
func (c *configuration) open(ctx context.Context) (storage.Store, error) {
	if c.Embedded == nil {
		return openStore(ctx, c.Endpoints)
	}
	return openEmbedded(ctx, c.Embedded)
}

// openStore opens the store of a replica. Its timeouts are short, so that a test need not wait long for a fault to
// show.
func openStore(ctx context.Context, endpoints []string) (*etcd.Store, error) {
	return etcd.Open(ctx, etcd.Options{
		Config: clientv3.Config{Endpoints: endpoints, DialKeepAliveTime: time.Second, DialKeepAliveTimeout: time.Second},
		Prefix: prefix, Timeout: 2 * time.Second,
		Engine: storage.Options{MaxWait: 2 * time.Second, Logger: slog.New(slog.DiscardHandler)},
	})
}

// serve runs a replica until its standard input ends.
func serve(text string) error {
	var c configuration
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	store, err := c.open(ctx)
	for err != nil { // until etcd has a leader again
		if ctx.Err() != nil || errors.Is(err, embedded.ErrOldCopy) {
			return err
		}
		store, err = c.open(ctx)
	}
	defer store.Close()
	api, err := rest.New(rest.Options{
		Store: store, Logger: slog.New(slog.DiscardHandler),
		Plugins: []rest.Plugin{crd.New(crd.Options{Logger: slog.New(slog.DiscardHandler)})},
	}, registers(), builtin.Leases())
	if err != nil {
		return err
	}
	if err := api.Start(ctx); err != nil {
		return errors.Join(err, api.Close())
	}
	listener, err := net.Listen("tcp", c.Address)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: api}
	go func() { _ = server.Serve(listener) }()
	fmt.Println("ready")
	if c.Worker != "" {
		err = workOnShards(ctx, api, c.Worker)
	}
	<-ctx.Done()
	return errors.Join(err, api.Close(), server.Close())
}

// replica is a process that serves the API.
type replica struct {
	testing.TB
	configuration
	url     string
	links   []*link
	process *exec.Cmd
	stdin   io.WriteCloser
}

// newReplica starts a replica that reaches each member through a link of its own. With a name, it works on shards.
func newReplica(t testing.TB, cluster *etcdtest.Cluster, worker string) *replica {
	t.Helper()
	r := &replica{TB: t, configuration: configuration{Worker: worker}}
	for _, endpoint := range cluster.Endpoints() {
		l, through := newLink(t, endpoint)
		r.links, r.Endpoints = append(r.links, l), append(r.Endpoints, through)
	}
	r.address()
	r.start()
	r.endWithTest()
	return r
}

// address gives the replica an address.
func (r *replica) address() {
	var err error
	r.Address, err = loopback.Reserve()
	require.NoError(r, err)
	r.url = "http://" + r.Address
}

func (r *replica) endWithTest() {
	r.Cleanup(func() {
		r.heal()
		_ = r.process.Process.Kill()
		_ = r.process.Wait()
	})
}

func (r *replica) start() {
	r.Helper()
	require.NoError(r, r.launch(os.Stderr))
}

// launch starts the process. It returns an error if the process ends before it serves.
func (r *replica) launch(stderr io.Writer) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	text, err := json.Marshal(r.configuration)
	if err != nil {
		return err
	}
	r.process = exec.Command(program)
	r.process.Env = append(os.Environ(), environment+"="+string(text))
	r.process.Stderr = stderr
	if r.stdin, err = r.process.StdinPipe(); err != nil {
		return err
	}
	stdout, err := r.process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := r.process.Start(); err != nil {
		return err
	}
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "ready\n" {
		return fmt.Errorf("the replica said %q: %w", line, errors.Join(err, r.process.Wait()))
	}
	return nil
}

// stop ends the process cleanly.
func (r *replica) stop() {
	require.NoError(r, r.stdin.Close())
	require.NoError(r, r.process.Wait())
}

func (r *replica) kill() {
	require.NoError(r, r.process.Process.Kill())
	_ = r.process.Wait()
}

func (r *replica) pause() { require.NoError(r, r.process.Process.Signal(syscall.SIGSTOP)) }

func (r *replica) resume() { require.NoError(r, r.process.Process.Signal(syscall.SIGCONT)) }

// cut cuts the replica off from all members.
func (r *replica) cut() {
	for _, l := range r.links {
		l.cut()
	}
}

func (r *replica) heal() {
	for _, l := range r.links {
		l.heal()
	}
}
