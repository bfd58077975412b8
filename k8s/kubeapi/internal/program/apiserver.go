package program

import (
	"context"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"

	"github.com/decorum-go/decorum/k8s/kubeapi/internal/bootstrap"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/server"
	"github.com/decorum-go/decorum/k8s/kubeapi/internal/socket"
	"github.com/decorum-go/decorum/rest/access"
	"github.com/decorum-go/decorum/rest/auth"
	"github.com/decorum-go/decorum/rest/serviceaccount"
)

// playAPIServer serves the API with the flags of kube-apiserver until ctx ends. Its defaults differ from those of
// kube-apiserver where these would be unsafe: it listens on 127.0.0.1, and asks the roles what users may do.
func playAPIServer(ctx context.Context, p Process) error {
	f, err := parseServerFlags(p)
	if errors.Is(err, flag.ErrHelp) {
		return printHelp(p.Stdout)
	}
	if err != nil {
		return err
	}
	report, closeReport, err := server.ReportTo(p.Getenv(server.ReportVariable))
	if err != nil {
		return err
	}
	defer closeReport()
	for _, note := range f.notes {
		fmt.Fprintln(p.Stderr, "kube-apiserver: "+note)
		report(note)
	}
	listener, err := socket.Listen(ctx, net.JoinHostPort(f.bindAddress, strconv.Itoa(f.securePort)))
	if err != nil {
		return err
	}
	defer listener.Close()
	config := server.Config{Logger: slog.New(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		AllowAll: f.allowAll, RefuseAnonymous: !f.anonymous, Plugins: f.plugins, Report: report,
		NoFlowControl: !f.fair, MaxReads: f.maxReads, MaxWrites: f.maxWrites}
	if config.Objects, err = f.objects(listener); err != nil {
		return err
	}
	if config.Accounts, err = f.accounts(); err != nil {
		return err
	}
	clients, err := f.clients(config.Objects.ClientCA)
	if err != nil {
		return err
	}
	if config.Users, err = f.users(clients); err != nil {
		return err
	}
	certificate, err := f.certificate()
	if err != nil {
		return err
	}
	cluster, err := start(ctx, config)
	if err != nil {
		return err
	}
	defer cluster.Close()
	return socket.Serve(ctx, listener, socket.TLS(certificate, clients), cluster.Handler())
}

func (f *serverFlags) objects(listener net.Listener) (c bootstrap.Config, err error) {
	if c.ServiceRange, err = netip.ParsePrefix(f.serviceRange); err != nil {
		return c, fmt.Errorf("--service-cluster-ip-range: %w", err)
	}
	c.Address = socket.Advertised(listener)
	if f.advertiseAddress != "" {
		address, err := netip.ParseAddr(f.advertiseAddress)
		if err != nil {
			return c, fmt.Errorf("--advertise-address: %w", err)
		}
		c.Address = netip.AddrPortFrom(address, uint16(f.securePort))
	}
	c.ClientCA, err = readOptional(f.clientCA)
	return c, err
}

func (f *serverFlags) accounts() (o serviceaccount.Options, err error) {
	o.Issuer, o.Audiences, o.MaxLifetime = f.issuers[0], f.audiences, f.maxTokenLife
	if o.Audiences == nil {
		o.Audiences = f.issuers
	}
	o.Keys, err = accountKeys(f.signingKey, f.accountKeys)
	return o, err
}

func (f *serverFlags) users(clients *x509.CertPool) ([]access.Authenticator, error) {
	users := []access.Authenticator{auth.Certificates(clients)}
	if f.tokens == "" {
		return users, nil
	}
	tokens, err := readTokens(f.tokens)
	return append(users, auth.Tokens(tokens...)), err
}
