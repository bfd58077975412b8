package program

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/socket"
)

// playEtcd answers the question whether etcd is healthy. That is all that envtest asks of etcd, because only
// kube-apiserver stores objects.
func playEtcd(ctx context.Context, p Process) error {
	set := flag.NewFlagSet("etcd", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	clients := set.String("listen-client-urls", "http://127.0.0.1:2379", "answer /health on the first of these URLs")
	for _, name := range []string{"advertise-client-urls", "listen-peer-urls", "initial-advertise-peer-urls",
		"initial-cluster", "initial-cluster-state", "initial-cluster-token", "data-dir", "wal-dir", "name", "log-level",
		"log-format", "logger", "log-outputs", "snapshot-count", "heartbeat-interval",
		"election-timeout", "quota-backend-bytes", "max-txn-ops", "max-request-bytes", "max-wals", "max-snapshots",
		"auto-compaction-mode",
		"auto-compaction-retention", "listen-metrics-urls", "metrics"} {
		set.String(name, "", "without effect")
	}
	set.Bool("unsafe-no-fsync", false, "without effect")
	set.Bool("enable-pprof", false, "without effect")
	if err := set.Parse(p.Args[1:]); errors.Is(err, flag.ErrHelp) {
		set.SetOutput(p.Stdout)
		set.PrintDefaults()
		return nil
	} else if err != nil {
		return err
	}
	first, _, _ := strings.Cut(*clients, ",")
	u, err := url.Parse(first)
	if err != nil || u.Scheme != "http" || u.Host == "" {
		return fmt.Errorf("--listen-client-urls %q: only URLs of the form http://HOST:PORT are supported", *clients)
	}
	listener, err := socket.Listen(ctx, u.Host)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"health":"true","reason":""}`)
	})
	return socket.Serve(ctx, listener, nil, mux)
}
