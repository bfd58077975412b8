package main

import (
	"errors"
	"net/url"
	"os"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
)

// startEtcd starts an etcd with one member in this process, on free ports. A real platform has three members, on three
// machines. If the directory is empty, startEtcd uses a temporary one.
func startEtcd(directory string) (endpoint string, stop func(), err error) {
	remove := func() {}
	if directory == "" {
		if directory, err = os.MkdirTemp("", "replicas"); err != nil {
			return "", nil, err
		}
		remove = func() { _ = os.RemoveAll(directory) }
	}
	anyPort := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir, config.LogLevel = directory, "fatal"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{anyPort}, []url.URL{anyPort}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{anyPort}, []url.URL{anyPort}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.AutoCompactionMode, config.AutoCompactionRetention = "periodic", "10m" // longer than the history of the replicas
	server, err := embed.StartEtcd(config)
	if err != nil {
		remove()
		return "", nil, err
	}
	stop = func() {
		server.Close()
		remove()
	}
	select {
	case <-server.Server.ReadyNotify():
		return "http://" + server.Clients[0].Addr().String(), stop, nil
	case err = <-server.Err():
	case <-time.After(time.Minute):
		err = errors.New("etcd did not start within a minute")
	}
	stop()
	return "", nil, err
}
