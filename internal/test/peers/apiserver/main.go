// Command apiserver serves what clients define with the API server of Kubernetes: k8s.io/apiserver with
// CustomResourceDefinitions, on an etcd in the same process.
package main

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"

	"go.etcd.io/etcd/server/v3/embed"
	servertesting "k8s.io/apiextensions-apiserver/pkg/cmd/server/testing"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	dir, err := os.MkdirTemp("", "apiserver")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	address := url.URL{Scheme: "unix", Path: filepath.Join(dir, "client")}
	etcd, err := startEtcd(dir, address)
	if err != nil {
		return err
	}
	defer etcd.Close()
	kubeconfig := filepath.Join(dir, "kubeconfig") // the server requires the file but does not use it
	if err := os.WriteFile(kubeconfig, []byte(unused), 0o600); err != nil {
		return err
	}
	server, err := servertesting.StartTestServer(logger{}, nil, []string{
		"--etcd-servers", address.String(), "--etcd-prefix", "/registry",
		"--authentication-skip-lookup", "--authentication-kubeconfig", kubeconfig, "--authorization-kubeconfig", kubeconfig,
		"--kubeconfig", kubeconfig, "--disable-admission-plugins", "NamespaceLifecycle,MutatingAdmissionWebhook," +
			"ValidatingAdmissionWebhook,ValidatingAdmissionPolicy,MutatingAdmissionPolicy",
	}, nil)
	if err != nil {
		return err
	}
	defer server.TearDownFn()
	fmt.Println("ready", server.ClientConfig.Host, server.ClientConfig.BearerToken)
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// startEtcd starts an etcd that does not wait for the disk, as that of envtest.
func startEtcd(dir string, address url.URL) (*embed.Etcd, error) {
	config := embed.NewConfig()
	config.Dir = filepath.Join(dir, "etcd")
	config.LogLevel = "error"
	config.UnsafeNoFsync = true
	peers := url.URL{Scheme: "unix", Path: filepath.Join(dir, "peer")}
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{address}, []url.URL{address}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	etcd, err := embed.StartEtcd(config)
	if err != nil {
		return nil, err
	}
	select {
	case <-etcd.Server.ReadyNotify():
		return etcd, nil
	case err := <-etcd.Err():
		etcd.Close()
		return nil, err
	}
}

// logger drops the messages that the server logs while it starts.
type logger struct{}

func (logger) Logf(string, ...any)               {}
func (logger) Errorf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
func (logger) Fatalf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
	os.Exit(1)
}

const unused = `apiVersion: v1
kind: Config
clusters: [{name: none, cluster: {server: "http://127.0.0.1:1"}}]
users: [{name: none, user: {}}]
contexts: [{name: none, context: {cluster: none, user: none}}]
current-context: none
`
