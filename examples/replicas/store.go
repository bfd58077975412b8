package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgxpool"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/decorum-go/decorum/storage"
	"github.com/decorum-go/decorum/storage/etcd"
	"github.com/decorum-go/decorum/storage/postgres"
	"github.com/decorum-go/decorum/storage/postgres/postgrestest"
)

// startStore starts what the replicas share. It returns the name with which a replica opens it.
func startStore(kind, directory string, replicas int) (name string, stop func(), err error) {
	switch kind {
	case "embedded": // the replicas start it
		p, remove, err := findPlace(directory, replicas)
		return "embedded:" + p.String(), remove, err
	case "etcd":
		endpoint, stop, err := startEtcd(directory)
		return "etcd:" + endpoint, stop, err
	case "postgres": // as it is installed, with an empty database
		server, err := postgrestest.Start(postgrestest.Options{})
		if err != nil {
			return "", nil, err
		}
		return "postgres:" + server.URL("postgres"), func() { _ = server.Stop() }, nil
	}
	return "", nil, fmt.Errorf("--store %q: the stores are embedded, etcd and postgres", kind)
}

// openStore opens the store of a replica. The host must call the returned function after it has closed the API.
func openStore(ctx context.Context, name string, number int) (store storage.Store, closed func(), err error) {
	kind, url, _ := strings.Cut(name, ":")
	if kind == "embedded" {
		store, err := openEmbedded(ctx, url, number)
		if err != nil {
			return nil, nil, err
		}
		return store, func() { _ = store.Close() }, nil
	}
	if kind == "etcd" {
		store, err := etcd.Open(ctx, etcd.Options{Config: clientv3.Config{Endpoints: []string{url}}, Prefix: "/platform"})
		if err != nil {
			return nil, nil, err
		}
		return store, func() { _ = store.Close() }, nil
	}
	pool, err := pgxpool.New(ctx, url)
	if err != nil {
		return nil, nil, err
	}
	opened, err := postgres.Open(ctx, postgres.Options{Pool: pool, Schema: "platform"})
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return opened, func() {
		_ = opened.Close()
		pool.Close()
	}, nil
}
