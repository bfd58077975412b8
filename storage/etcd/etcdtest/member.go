package etcdtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
)

// environment is the variable that makes a program a member of a cluster.
const environment = "DECORUM_ETCD_MEMBER"

// configuration is what a member needs to know.
type configuration struct {
	Name, Dir, Client, Peer, Cluster string
	Quota                            int64
	Unsafe                           bool
}

// Member runs a member of a cluster, if this process was started as one, until its standard input ends. It does not
// return then. Otherwise it does nothing.
func Member() {
	text := os.Getenv(environment)
	if text == "" {
		return
	}
	if err := runMember(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runMember(text string) error {
	var c configuration
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	client, err := url.Parse(c.Client)
	if err != nil {
		return err
	}
	peer, err := url.Parse(c.Peer)
	if err != nil {
		return err
	}
	config := embed.NewConfig()
	config.Name, config.Dir, config.LogLevel = c.Name, c.Dir, "error"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{*client}, []url.URL{*client}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{*peer}, []url.URL{*peer}
	config.InitialCluster = c.Cluster
	config.QuotaBackendBytes = c.Quota
	config.UnsafeNoFsync = c.Unsafe
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	<-server.Server.ReadyNotify()
	fmt.Println("ready")
	_, err = io.Copy(io.Discard, os.Stdin) // returns when the process that started this one ends
	server.Close()
	return err
}
