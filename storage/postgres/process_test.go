package postgres_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/decorum-go/decorum/storage/postgres"
)

// replicaVariable makes the test program a replica with clients: the round, the name of its clients, and the URL.
const replicaVariable = "DECORUM_POSTGRES_REPLICA"

// process is a replica with clients in a process of its own, which can be killed.
type process struct {
	link    *link
	journal *journal
	round   int
	starts  int
	running *exec.Cmd
	stdin   io.WriteCloser
	reading sync.WaitGroup
}

// start starts the process, and records what its clients print.
func (p *process) start(t testing.TB) {
	p.starts++
	program, err := os.Executable()
	require.NoError(t, err)
	p.running = exec.Command(program)
	p.running.Stderr = os.Stderr
	p.running.Env = append(os.Environ(),
		fmt.Sprintf("%s=%d process-%d %s", replicaVariable, p.round, p.starts, p.link.url()))
	p.stdin, err = p.running.StdinPipe()
	require.NoError(t, err)
	stdout, err := p.running.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.running.Start())
	p.reading.Go(func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			var e entry
			if json.Unmarshal(lines.Bytes(), &e) == nil { // the last line of a killed process may be torn
				p.journal.record(e)
			}
		}
	})
}

// kill ends the process at once. Its operations then have no answer.
func (p *process) kill(t testing.TB) {
	require.NoError(t, p.running.Process.Kill())
	p.reading.Wait()
	_ = p.running.Wait() // it was killed
}

// stop lets the clients finish their operations.
func (p *process) stop(t testing.TB) {
	require.NoError(t, p.stdin.Close())
	p.reading.Wait()
	assert.NoError(t, p.running.Wait())
}

// isReplica runs this process as a replica if it was started as one. It ends when its input does.
func isReplica() {
	words := strings.SplitN(os.Getenv(replicaVariable), " ", 3)
	if len(words) != 3 {
		return
	}
	round, err := strconv.Atoi(words[0])
	if err == nil {
		err = runReplica(round, words[1], words[2])
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

func runReplica(round int, name, url string) error {
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		stop()
	}()
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return err
	}
	config.MaxConns = 8
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer pool.Close()
	var store *postgres.Store
	for store == nil {
		if ctx.Err() != nil {
			return nil
		}
		opened, err := postgres.Open(ctx,
			postgres.Options{Pool: pool, Schema: chaosSchema, Timeout: 2 * time.Second, HistoryBytes: 1 << 20})
		if err == nil {
			err = opened.Register(ctx, noteResource)
		}
		if err == nil {
			store = opened
		} else if opened != nil {
			_ = opened.Close()
		}
	}
	defer store.Close()
	var printing sync.Mutex
	out := json.NewEncoder(os.Stdout)
	record := func(e entry) {
		printing.Lock()
		defer printing.Unlock()
		_ = out.Encode(e)
	}
	var working sync.WaitGroup
	for i := range 2 {
		c := &client{round: round, name: fmt.Sprintf("%s-%d", name, i), record: record}
		working.Go(func() {
			for ctx.Err() == nil {
				c.work(context.WithoutCancel(ctx), store, pool)
			}
		})
	}
	working.Wait()
	return nil
}
