package embedded

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"

	"github.com/decorum-go/decorum/storage/etcd"
)

// Options configures [Open] and [Connect]. Dir is required for Open, and Peers for Connect.
type Options struct {
	// Dir is the member's directory. It holds the log, the database and, with Authority, the certificate. Only one
	// process may use it. Never start a process on a copy of the directory. Empty it instead, and the process joins
	// again.
	Dir string
	// Peers lists the addresses of all members, separated by commas, such as 10.0.0.1:2380,10.0.0.2:2380,10.0.0.3:2380.
	// It is the same for each process. Empty means a cluster of one that listens only on the loopback interface.
	Peers string
	// Self is the address in Peers at which other members reach this process. It defaults to the only address in Peers
	// that belongs to this machine.
	Self string
	// Listen is the address on which this process listens for other members. It defaults to Self. In a container, for
	// example, the two differ.
	Listen string
	// Operations is the address on which this member accepts requests of [Cluster] and etcdctl. Joining processes use
	// it, too. It defaults to the host of Self and the port below the port of Self. It requires Peers.
	Operations string

	// Authority is a file from [MakeAuthority]. Open makes a certificate for this process that is valid for 30 days,
	// and replaces it after 20 days. To change the authority, put the new one in front of the old one in the file and
	// restart one process at a time. Then remove the old one in the same way.
	Authority string
	// Certificate, Key and CA are PEM files that replace Authority. The member reads the first two again for each
	// connection, so replace them before the certificate expires. The certificate must name the host of Self, and must
	// be valid for servers and for clients.
	Certificate, Key, CA string

	// Quota bounds the database of the member in bytes. At the quota, writes fail on all replicas. Zero means 2 GiB.
	Quota int64
	// Store configures the store. Open ignores its Client, Config and WatchClient.
	Store etcd.Options
	// Logger receives warnings and errors of the member. Nil means slog.Default.
	Logger *slog.Logger
	// Configure may change the configuration of etcd before the member starts. Nil changes nothing.
	Configure func(*embed.Config)
}

// identity holds the options of this process, its peers and its certificates.
type identity struct {
	Options
	peers      []string // sorted
	tls        transport.TLSInfo
	countEvery time.Duration
}

// identify checks the options and fills in defaults.
func (o Options) identify() (*identity, error) {
	id := &identity{Options: o, countEvery: countEvery}
	id.Logger = cmp.Or(o.Logger, slog.Default())
	if o.Store.Engine.Now == nil {
		id.Store.Engine.Now = time.Now
	}
	for peer := range strings.SplitSeq(o.Peers, ",") {
		if peer = strings.TrimSpace(peer); peer == "" {
			continue
		}
		if _, _, err := splitAddress(peer); err != nil {
			return nil, fmt.Errorf("embedded: Options.Peers: %w", err)
		}
		id.peers = append(id.peers, peer)
	}
	slices.Sort(id.peers)
	if len(slices.Compact(slices.Clone(id.peers))) < len(id.peers) {
		return nil, fmt.Errorf("embedded: Options.Peers names an address twice: %s", o.Peers)
	}
	if len(id.peers) == 0 {
		if o.Self != "" || o.Listen != "" || o.Operations != "" {
			return nil, errors.New("embedded: Options.Self, Listen and Operations need Options.Peers")
		}
		return id, nil
	}
	return id, id.secure()
}

// place finds the addresses of this process.
func (id *identity) place() (err error) {
	if id.Dir == "" {
		return errors.New("embedded: Options.Dir is required")
	}
	if len(id.peers) == 0 {
		return nil
	}
	if id.Self == "" {
		if id.Self, err = ownAddress(id.peers); err != nil {
			return err
		}
	}
	if !slices.Contains(id.peers, id.Self) {
		return fmt.Errorf("embedded: Options.Self %q is not one of Options.Peers", id.Self)
	}
	id.Listen = cmp.Or(id.Listen, id.Self)
	if id.Operations == "" {
		host, port, err := splitAddress(id.Self)
		if err != nil {
			return err
		}
		id.Operations = net.JoinHostPort(host, strconv.Itoa(port-1))
	}
	for _, address := range []string{id.Listen, id.Operations} {
		if _, _, err := splitAddress(address); err != nil {
			return fmt.Errorf("embedded: Options.Listen and Operations: %w", err)
		}
	}
	return nil
}

// secure requires certificates, unless all addresses are loopback addresses.
func (id *identity) secure() error {
	given := id.Certificate != "" || id.Key != "" || id.CA != ""
	switch {
	case id.Authority != "" && given:
		return errors.New("embedded: Options has both an Authority and files of certificates")
	case given && (id.Certificate == "" || id.Key == "" || id.CA == ""):
		return errors.New("embedded: Options.Certificate, Key and CA belong together")
	case id.Authority != "":
		made := filepath.Join(id.Dir, madeFile)
		id.tls = transport.TLSInfo{CertFile: made, KeyFile: made, TrustedCAFile: filepath.Join(id.Dir, trustedFile)}
	case given:
		id.tls = transport.TLSInfo{CertFile: id.Certificate, KeyFile: id.Key, TrustedCAFile: id.CA}
	default:
		for _, address := range append(slices.Clone(id.peers), id.Listen, id.Operations) {
			if address != "" && !isLoopback(address) {
				return fmt.Errorf("embedded: %s is not a loopback address, so Options.Authority or "+
					"Options.Certificate, Key and CA are required", address)
			}
		}
		return nil
	}
	// Any certificate of the authority identifies a member. The addresses of connections are not checked, because a
	// proxy may change them.
	id.tls.ClientCertAuth, id.tls.SkipClientSANVerify = true, true
	return nil
}

// makes reports whether this process makes its certificate.
func (id *identity) makes() bool { return !id.tls.Empty() && id.Authority != "" }

func (id *identity) scheme() string {
	if id.tls.Empty() {
		return "http"
	}
	return "https"
}

func (id *identity) url(address string) string { return id.scheme() + "://" + address }

// others returns the addresses of the other processes.
func (id *identity) others() []string {
	return slices.DeleteFunc(slices.Clone(id.peers), func(peer string) bool { return peer == id.Self })
}

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err == nil {
		port, err = strconv.Atoi(text)
	}
	if err != nil || host == "" || port < 2 || port > 65535 {
		return "", 0, fmt.Errorf("%q is not an address of the form HOST:PORT", address)
	}
	return host, port, nil
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

// ownAddress returns the only address whose host is this machine.
func ownAddress(peers []string) (string, error) {
	if len(peers) == 1 {
		return peers[0], nil
	}
	interfaces, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	var own []string
	for _, peer := range peers {
		host, _, err := splitAddress(peer)
		if err != nil {
			return "", err
		}
		ips, err := net.LookupIP(host)
		if err != nil {
			continue // the host may not run yet
		}
		if slices.ContainsFunc(ips, func(ip net.IP) bool { return belongs(ip, interfaces) }) {
			own = append(own, peer)
		}
	}
	if len(own) != 1 {
		return "", fmt.Errorf("embedded: %d of Options.Peers belong to this machine, so Options.Self is required: %s", len(own),
			strings.Join(peers, ","))
	}
	return own[0], nil
}

func belongs(ip net.IP, interfaces []net.Addr) bool {
	return slices.ContainsFunc(interfaces, func(a net.Addr) bool {
		network, ok := a.(*net.IPNet)
		return ok && (network.IP.Equal(ip) || ip.IsLoopback() && network.IP.IsLoopback())
	})
}
