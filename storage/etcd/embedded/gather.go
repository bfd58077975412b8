package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"
)

const (
	// askPeersEvery is how often a process with an empty directory asks its peers.
	askPeersEvery = 200 * time.Millisecond
	// complainEvery is how often it logs the peers that it waits for.
	complainEvery = 10 * time.Second
	askTimeout    = 2 * time.Second
	maxAnswer     = 1 << 20
)

// membersPath is the path at which a member lists the members of its cluster. A waiting process answers at this path,
// too, with a different status code.
const membersPath = "/members"

// known is a member, as other members describe it.
type known struct {
	ID         uint64   `json:"id"`
	PeerURLs   []string `json:"peerURLs"`
	ClientURLs []string `json:"clientURLs"`
	IsLearner  bool     `json:"isLearner"`

	cluster string // the id of the cluster
}

// waiting is the answer of a process with an empty directory.
type waiting struct {
	Peers []string `json:"peers"`
}

// gather waits until this process can join or found a cluster. It returns the client URLs of the cluster's members, or
// none if all peers are waiting with empty directories and this process must found the cluster.
func (id *identity) gather(ctx context.Context) (endpoints []string, err error) {
	others := id.others()
	if len(others) == 0 {
		return nil, nil
	}
	stop, err := id.wait()
	if err != nil {
		return nil, err
	}
	defer stop()
	client, err := id.peerClient()
	if err != nil {
		return nil, err
	}
	defer client.CloseIdleConnections()
	tick := time.NewTicker(askPeersEvery)
	defer tick.Stop()
	complained := id.Store.Engine.Now()
	for {
		members, absent := id.ask(ctx, client, others)
		if endpoints := endpointsOf(members); len(endpoints) > 0 {
			return endpoints, nil
		}
		// Members that have not announced an address for clients yet already form a cluster.
		if absent == nil && len(members) == 0 && id.Self == id.peers[0] {
			return nil, nil
		}
		if now := id.Store.Engine.Now(); absent != nil && now.Sub(complained) > complainEvery {
			complained = now
			id.Logger.Warn("this process waits for its peers, because its directory is empty", "dir", id.Dir, "error", absent)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("embedded: the directory %s is empty, and not all peers answer: %w", id.Dir,
				errors.Join(ctx.Err(), absent))
		}
	}
}

// ask asks peers for the members of their cluster. absent joins the errors of peers that do not answer or that wait for
// other peers.
func (id *identity) ask(ctx context.Context, client *http.Client, peers []string) (members []known, absent error) {
	for _, peer := range peers {
		found, waits, err := askPeer(ctx, client, id.url(peer))
		switch {
		case err != nil:
			absent = errors.Join(absent, err)
		case found != nil && len(members) > 0 && found[0].cluster != members[0].cluster:
			return nil, fmt.Errorf("%s belongs to a different cluster than other peers: stop one of the clusters", peer)
		case found != nil:
			members = append(members, found...)
		case !slices.Equal(waits.Peers, id.peers):
			absent = errors.Join(absent, fmt.Errorf("%s waits for other peers: %v", peer, waits.Peers))
		}
	}
	return members, absent
}

// endpointsOf returns the client URLs of the voting members. Learners refuse most requests.
func endpointsOf(members []known) (endpoints []string) {
	for _, m := range members {
		if !m.IsLearner {
			endpoints = append(endpoints, m.ClientURLs...)
		}
	}
	slices.Sort(endpoints)
	return slices.Compact(endpoints)
}

// askPeer returns the members of a peer's cluster, or the answer of a waiting peer.
func askPeer(ctx context.Context, client *http.Client, url string) (members []known, waits waiting, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+membersPath, nil)
	if err != nil {
		return nil, waits, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, waits, err
	}
	defer response.Body.Close()
	answer := json.NewDecoder(io.LimitReader(response.Body, maxAnswer))
	switch response.StatusCode {
	case http.StatusOK:
		err = answer.Decode(&members)
		if err == nil && len(members) == 0 {
			err = errors.New("the answer names no members")
		}
		for i := range members {
			members[i].cluster = response.Header.Get("X-Etcd-Cluster-ID")
		}
	case http.StatusTooEarly:
		err = answer.Decode(&waits)
	default:
		err = fmt.Errorf("unexpected status %s", response.Status)
	}
	if err != nil {
		return nil, waits, fmt.Errorf("%s: %w", url, err)
	}
	return members, waits, nil
}

// wait tells other processes that this process is waiting, until stop is called.
func (id *identity) wait() (stop func(), err error) {
	listener, err := net.Listen("tcp", id.Listen)
	if err != nil {
		return nil, fmt.Errorf("embedded: listen for peers: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: askTimeout, ErrorLog: slog.NewLogLogger(id.Logger.Handler(), slog.LevelDebug),
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTooEarly)
			_ = json.NewEncoder(w).Encode(waiting{Peers: id.peers})
		})}
	if !id.tls.Empty() {
		config, err := id.tls.ServerConfig()
		if err != nil {
			return nil, errors.Join(err, listener.Close())
		}
		server.TLSConfig = config
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if id.tls.Empty() {
			_ = server.Serve(listener)
		} else {
			_ = server.ServeTLS(listener, "", "")
		}
	}()
	return func() {
		_ = server.Close()
		<-ended
	}, nil
}

// peerClient returns a client for the addresses of peers.
func (id *identity) peerClient() (*http.Client, error) {
	config, err := id.clientTLS()
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{TLSClientConfig: config}}, nil
}
