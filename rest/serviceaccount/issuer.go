package serviceaccount

import (
	"crypto"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/decorum-go/decorum/rest"
	"github.com/decorum-go/decorum/rest/internal/jwt"
	"github.com/decorum-go/decorum/rest/raw"
)

// Options configure an [Issuer]: its name, its keys and how long its tokens live.
type Options struct {
	// Issuer identifies the API in its tokens (claim iss), usually by its URL. Required. Other services find the keys
	// below this URL, see [Issuer.Discovery].
	Issuer string
	// Audiences are the names of the API itself. The API accepts a token that names one of them. A token for which no
	// client has chosen audiences names them all. Default: Issuer.
	Audiences []string
	// Keys sign and verify tokens. The first signs, and all verify. At least one is required.
	Keys []Key
	// MaxLifetime shortens tokens whose clients ask for a longer life. Default: 24 hours.
	MaxLifetime time.Duration
}

// Key is a key of an [Issuer]: RSA with at least 2048 bits (RS256), ECDSA on P-256, P-384 or P-521 (ES256, ES384,
// ES512), or Ed25519 (EdDSA). The host keeps the private key where it keeps its other secrets. All replicas need the
// same keys.
type Key struct {
	// ID is the claim kid of the tokens. Default: a hash of the public key, as in Kubernetes.
	ID string
	// Signer is the private key, such as an [*ecdsa.PrivateKey]. It is nil for a key that only verifies.
	Signer crypto.Signer
	// Public is the public key. Default: the one of Signer.
	Public crypto.PublicKey
}

const (
	defaultMaxLifetime = 24 * time.Hour
	minLifetime        = 10 * time.Minute
)

// Issuer is the plug-in of the service accounts of one API. It issues their tokens, and recognizes them. When an
// account is deleted, the watches and streams of its tokens end. From the first of them on until the API ends, the
// Issuer has a goroutine that waits for this, and one more for each of the kinds Pod, Secret and Node to whose objects
// tokens of watches are bound.
type Issuer struct {
	issuer      string
	audiences   []string
	maxLifetime time.Duration
	keys        atomic.Pointer[[]*jwt.Key]
	objects     raw.Objects
	open        *sessions
}

// New returns an Issuer. It returns an error if Issuer or Keys is missing, if the first key cannot sign, or if a key is
// too weak.
func New(options Options) (*Issuer, error) {
	i := &Issuer{issuer: options.Issuer, audiences: slices.Clone(options.Audiences), maxLifetime: options.MaxLifetime,
		open: newSessions()}
	if i.issuer == "" {
		return nil, errors.New("serviceaccount.New: Options.Issuer is empty")
	}
	if len(i.audiences) == 0 {
		i.audiences = []string{i.issuer}
	}
	if i.maxLifetime == 0 {
		i.maxLifetime = defaultMaxLifetime
	}
	if i.maxLifetime < minLifetime {
		return nil, fmt.Errorf("serviceaccount.New: Options.MaxLifetime is less than %v", minLifetime)
	}
	if err := i.SetKeys(options.Keys...); err != nil {
		return nil, err
	}
	return i, nil
}

// SetKeys replaces the keys while the API runs. To change the key that signs, first add the new key behind the old one
// in all replicas, then put it in front, and remove the old one when its last token has expired. To revoke all tokens
// of a key, remove it: watches and streams that were opened with them end before SetKeys returns. SetKeys returns the
// same errors as [New], and then changes nothing.
func (i *Issuer) SetKeys(keys ...Key) error {
	var all []*jwt.Key
	for _, key := range keys {
		if key.Public == nil && key.Signer != nil {
			key.Public = key.Signer.Public()
		}
		k, err := jwt.NewKey(key.ID, key.Public, key.Signer)
		if err != nil {
			return fmt.Errorf("serviceaccount: %w", err)
		}
		if slices.ContainsFunc(all, func(other *jwt.Key) bool { return other.ID == k.ID }) {
			return fmt.Errorf("serviceaccount: duplicate key id %q", k.ID)
		}
		all = append(all, k)
	}
	if len(all) == 0 || !all[0].Signs() {
		return errors.New("serviceaccount: the first key must have a Signer")
	}
	i.keys.Store(&all)
	i.open.end(i.open.objects(accounts), i.isOfRemovedKey)
	return nil
}

// Plug implements [rest.Plugin]. It adds the kind ServiceAccount, and [Issuer.Authenticate]. It returns an error if the
// Issuer belongs to another API.
//
// The kind has the subresource token, through which clients request tokens. Who may create serviceaccounts/token may
// act as the account: give this right to administrators and to the programs that start others. Unlike Kubernetes, the
// API creates no account called default in each namespace.
func (i *Issuer) Plug(api rest.PluginAPI) (rest.PluginParts, error) {
	if i.objects != nil {
		return rest.PluginParts{}, errors.New("serviceaccount: an Issuer belongs to one API")
	}
	i.objects = api.Objects()
	return rest.PluginParts{Name: accounts, Definitions: i.definitions(), Authenticator: i}, nil
}

// serves reports whether an API stores a resource.
func serves(objects raw.Objects, resource string) bool {
	return slices.ContainsFunc(objects.Resources(), func(r raw.Resource) bool { return r.Name == resource })
}

// errNotStarted is the error of an Issuer that is not plugged into an API.
var errNotStarted = errors.New("serviceaccount: the Issuer is not among the plug-ins of an API")
