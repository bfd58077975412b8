package callout

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path"
	"strconv"
	"time"
)

const (
	// defaultTimeout limits a call whose Target does not. Upstream limits calls of webhooks alike.
	defaultTimeout = 30 * time.Second
	defaultAnswer  = 3 << 20
	httpsPort      = 443
)

// Target is a webhook: where it is and what identifies its server. Either URL or Service is set.
type Target struct {
	// URL is an https URL with a host and, optionally, a port and a path.
	URL string
	// Service is a service that [Options].Resolve finds.
	Service *Service
	// CABundle has the certificates, in PEM, that the client trusts instead of those of Options.Roots. One may be the
	// certificate of the server itself. A bundle of white space counts as empty.
	CABundle []byte
	// Timeout limits the call, and is its query parameter timeout, as upstream sends it. Default: 30 seconds. The context
	// may end the call earlier.
	Timeout time.Duration
	// MaxAnswer limits the body of the answer, in bytes. Default: 3 MiB.
	MaxAnswer int64
}

// Service names a service. Its certificate must be valid for NAME.NAMESPACE.svc.
type Service struct {
	Namespace string
	Name      string
	// Path begins with a slash. Default: /.
	Path string
	// Port is between 1 and 65535. Default: 443.
	Port int32
}

// serverName returns the name in the certificate of the service.
func (s *Service) serverName() string { return s.Name + "." + s.Namespace + ".svc" }

// Endpoint returns the URL to which [Client.Post] posts, without the query. Its path is clean: //convert/ becomes
// /convert, as upstream joins paths. Endpoint returns an error if the target has not exactly one of URL and Service, or
// if the URL is invalid: it must have the scheme https and a host, and must have neither user information nor a query
// nor a fragment.
func (t Target) Endpoint() (*url.URL, error) {
	switch {
	case (t.URL == "") == (t.Service == nil):
		return nil, errors.New("a webhook must have either service or URL")
	case t.Service == nil:
		return parse(t.URL)
	case t.Service.Name == "" || t.Service.Namespace == "":
		return nil, errors.New("a service must have a name and a namespace")
	}
	port := cmp.Or(t.Service.Port, httpsPort)
	if port < 1 || port > 65535 {
		return nil, fmt.Errorf("invalid port %d of a service", port)
	}
	host := net.JoinHostPort(t.Service.serverName(), strconv.Itoa(int(port)))
	return &url.URL{Scheme: "https", Host: host, Path: path.Join("/", t.Service.Path)}, nil
}

// parse returns the URL of a webhook.
func parse(text string) (*url.URL, error) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("url must be a valid URL: %w%s", err, form)
	case u.Scheme != "https":
		return nil, errors.New("'https' is the only allowed URL scheme" + form)
	case u.Hostname() == "":
		return nil, errors.New("host must be specified" + form)
	case u.User != nil:
		return nil, errors.New("user information is not permitted in the URL")
	case u.Fragment != "":
		return nil, errors.New("fragments are not permitted in the URL")
	case u.RawQuery != "":
		return nil, errors.New("query parameters are not permitted in the URL")
	}
	return &url.URL{Scheme: "https", Host: u.Host, Path: path.Join("/", u.Path)}, nil
}

// withPort returns the host of an https URL with its port.
func withPort(u *url.URL) string {
	return net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), strconv.Itoa(httpsPort)))
}
